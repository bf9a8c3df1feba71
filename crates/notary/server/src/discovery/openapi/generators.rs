//! Forms of JSON Schema that generators of clients read alike, in place of equal ones that some of them do not.
//!
//! | form | becomes | since |
//! |---|---|---|
//! | `oneOf` of constant texts | `enum` | openapi-python-client makes a type of each constant, and takes the last alone |
//! | `properties` beside `allOf` of references | one more part of `allOf` | openapi-python-client reads a single part, and nothing beside it |
//! | `enum` of texts and of other values | `anyOf` of one `enum` a type | openapi-python-client and oapi-codegen take one type |
//! | `const` or `enum` of one type | `type` beside it | oapi-codegen makes `interface{}` of it |
//! | `number` without `format` | `"format": "double"` beside it | oapi-codegen makes `float32` of it, which rounds what callers send |
//! | an object with a title within another | a reference to a component of that name | it would be one type at each place |

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Rewrites the schemas of a document. Objects that have a title become components of that name; two different ones of one name
/// stay where they are.
pub(super) fn adapt(schemas: &mut Map<String, Value>) {
    let mut titled: BTreeMap<String, Value> = BTreeMap::new();
    for (name, schema) in schemas.iter_mut() {
        forms(schema);
        for_each_below(schema, &mut |inner| hoist(inner, name, &mut titled));
    }
    for (name, schema) in titled {
        schemas.entry(name).or_insert(schema);
    }
}

/// Rewrites the forms of a schema and of those within it, the innermost first.
pub(super) fn forms(schema: &mut Value) {
    for_each_below(schema, &mut own_form);
    own_form(schema);
}

fn for_each_below(value: &mut Value, act: &mut dyn FnMut(&mut Value)) {
    let inner: Vec<&mut Value> = match value {
        Value::Object(members) => members.values_mut().collect(),
        Value::Array(items) => items.iter_mut().collect(),
        _ => return,
    };
    for value in inner {
        for_each_below(value, act);
        act(value);
    }
}

fn own_form(value: &mut Value) {
    let Value::Object(schema) = value else { return };
    constants(schema);
    siblings(schema);
    mixed(schema);
    typed(schema);
    precise(schema);
}

/// `oneOf` of constant texts, each with its description.
fn constants(schema: &mut Map<String, Value>) {
    let Some(branches) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let words: Option<Vec<&str>> = branches.iter().map(|branch| branch["const"].as_str()).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else { return };
    let lines = branches
        .iter()
        .zip(&words)
        .filter_map(|(branch, word)| branch["description"].as_str().map(|text| format!("`{word}`: {text}")));
    let described: Vec<String> = schema
        .get("description")
        .and_then(Value::as_str)
        .map(str::to_owned)
        .into_iter()
        .chain(lines)
        .collect();
    let words = json!(words);
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), words);
    if !described.is_empty() {
        schema.insert("description".to_owned(), json!(described.join(" ")));
    }
}

/// `properties` beside `allOf` of references. Beside conditions they stay: those are no parts of a type.
fn siblings(schema: &mut Map<String, Value>) {
    let Some(parts) = schema.get("allOf").and_then(Value::as_array) else { return };
    if !schema.contains_key("properties") || !parts.iter().any(|part| part.get("$ref").is_some()) {
        return;
    }
    let own = ["type", "properties", "required"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), schema.remove(name)?)))
        .collect();
    if let Some(Value::Array(parts)) = schema.get_mut("allOf") {
        parts.push(Value::Object(own));
    }
}

/// `enum` of booleans and texts.
fn mixed(schema: &mut Map<String, Value>) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let (texts, others): (Vec<Value>, Vec<Value>) = values.iter().cloned().partition(Value::is_string);
    if texts.is_empty() || others.is_empty() || !others.iter().all(Value::is_boolean) {
        return;
    }
    let other = if others.len() == 2 {
        json!({"type": "boolean"})
    } else {
        json!({"type": "boolean", "enum": others})
    };
    schema.remove("enum");
    schema.insert("anyOf".to_owned(), json!([other, {"type": "string", "enum": texts}]));
}

/// `const`, or `enum` of values of one type, without `type`.
fn typed(schema: &mut Map<String, Value>) {
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Value::Array(values))) => values.as_slice(),
        _ => return,
    };
    let Some(first) = values.first().and_then(type_of) else { return };
    if schema.contains_key("type") || !values.iter().all(|value| type_of(value) == Some(first)) {
        return;
    }
    schema.insert("type".to_owned(), json!(first));
}

/// `number`, perhaps with `null`, without `format`.
fn precise(schema: &mut Map<String, Value>) {
    let is_number = match schema.get("type") {
        Some(Value::String(name)) => name == "number",
        Some(Value::Array(names)) => {
            names.contains(&json!("number")) && names.iter().all(|name| *name == "number" || *name == "null")
        }
        _ => false,
    };
    if is_number && !schema.contains_key("format") {
        schema.insert("format".to_owned(), json!("double"));
    }
}

/// The name of a scalar's type in JSON Schema; `None` for fractions and for values of other types.
fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if !number.is_f64() => Some("integer"),
        Value::String(_) => Some("string"),
        _ => None,
    }
}

/// Replaces an object that has a title of its own by a reference.
fn hoist(value: &mut Value, component: &str, titled: &mut BTreeMap<String, Value>) {
    let Some(title) = value["title"].as_str().map(str::to_owned) else { return };
    if title == component || !value["properties"].is_object() {
        return;
    }
    let kept = titled.entry(title.clone()).or_insert_with(|| value.clone());
    if kept == value {
        *value = super::operation::refer("schemas", &title);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_becomes_the_one_that_all_generators_read() {
        let formed = |mut schema: Value| {
            forms(&mut schema);
            schema
        };
        let words = json!({"description": "Which.", "oneOf": [{"const": "A", "description": "One."}, {"const": "B"}]});
        assert_eq!(
            formed(words),
            json!({"description": "Which. `A`: One.", "type": "string", "enum": ["A", "B"]})
        );
        let beside =
            json!({"allOf": [{"$ref": "#/x"}], "type": "object", "required": ["a"], "properties": {"a": {}}});
        let parts = json!([{"$ref": "#/x"}, {"type": "object", "required": ["a"], "properties": {"a": {}}}]);
        assert_eq!(formed(beside), json!({"allOf": parts}));
        let mixed = json!({"items": {"enum": [true, false, "true", "false"]}});
        let apart = json!([{"type": "boolean"}, {"type": "string", "enum": ["true", "false"]}]);
        assert_eq!(formed(mixed), json!({"items": {"anyOf": apart}}));
        let conditions = json!({"allOf": [{"if": {}, "then": {}}], "properties": {"a": {}}});
        assert_eq!(formed(conditions.clone()), conditions);
        assert_eq!(formed(json!({"enum": ["a"]})), json!({"type": "string", "enum": ["a"]}));
        assert_eq!(formed(json!({"items": {"const": 1}})), json!({"items": {"type": "integer", "const": 1}}));
        assert_eq!(
            formed(json!({"if": {"const": false}})),
            json!({"if": {"type": "boolean", "const": false}})
        );
        let double = json!({"type": ["number", "null"], "format": "double"});
        assert_eq!(formed(json!({"items": {"type": ["number", "null"]}})), json!({"items": double}));
        for same in [
            json!({"type": "number", "format": "float"}),
            json!({"type": ["number", "string"]}),
            json!({"oneOf": [{"type": "string", "const": "A"}, {"type": "integer"}]}),
            json!({"enum": [1, null]}),
            json!({"enum": [0.5]}),
            json!({"properties": {"const": {"type": "string"}, "enum": {"type": "string"}}}),
        ] {
            assert_eq!(formed(same.clone()), same);
        }
    }

    #[test]
    fn an_object_with_a_title_becomes_one_component() {
        let inner = json!({"title": "Inner", "type": "object", "properties": {"a": {"type": "string"}}});
        let other = json!({"title": "Inner", "type": "object", "properties": {"b": {"type": "string"}}});
        let outer = |items: &Value| json!({"title": "Outer", "properties": {"list": {"items": items}}});
        let mut schemas: Map<String, Value> = [("One", &inner), ("Outer", &inner), ("Three", &other)]
            .map(|(name, items)| (name.to_owned(), outer(items)))
            .into_iter()
            .collect();
        adapt(&mut schemas);
        let reference = json!({"$ref": "#/components/schemas/Inner"});
        assert_eq!(schemas["One"]["properties"]["list"]["items"], reference);
        assert_eq!(schemas["Outer"]["properties"]["list"]["items"], reference);
        assert_eq!(schemas["Three"]["properties"]["list"]["items"], other, "it is another one of that name");
        assert_eq!(schemas["Inner"], inner);
    }
}
