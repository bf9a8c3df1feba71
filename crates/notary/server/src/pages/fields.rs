//! The fields of a question as people read them, from the schema that `/openapi.json` has.

use std::collections::BTreeMap;

use serde_json::Value;

/// The levels of members that are listed: a field, and the fields of the object or of the rows in it.
const LEVELS: usize = 2;

/// A field of a question.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct FieldLine {
    /// Dotted name, with `[]` after a list: `trades[].pnl_net`.
    pub(super) name: String,
    /// Its types in the words of JSON Schema, or the values that it may have.
    pub(super) kind: String,
    pub(super) need: Need,
    pub(super) about: String,
}

/// If a field must be there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Need {
    /// It must be there.
    Always,
    /// It must be there in one of the forms of its object; another form has other fields.
    InOneForm,
    /// It may be left out.
    Never,
}

impl Need {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Always => "yes",
            Self::InOneForm => "in one form",
            Self::Never => "",
        }
    }
}

/// Returns the fields of a question's schema, those that must be there first.
pub(super) fn of(schema: &Value) -> Vec<FieldLine> {
    let mut lines = Vec::new();
    list(schema, "", LEVELS, &mut lines);
    lines
}

fn list(schema: &Value, prefix: &str, levels: usize, lines: &mut Vec<FieldLine>) {
    let mut members: Vec<_> = members(schema).into_iter().collect();
    members.sort_by_key(|&(_, (_, need))| need);
    for (name, (member, need)) in members {
        let name = format!("{prefix}{name}");
        let about = member["description"].as_str().unwrap_or_default().to_owned();
        lines.push(FieldLine { name: name.clone(), kind: kind(member), need, about });
        if levels > 1 {
            let (inner, joint) = rows(member).map_or((member, "."), |rows| (rows, "[]."));
            list(inner, &format!("{name}{joint}"), levels - 1, lines);
        }
    }
}

/// The members of an object, its own and those of its forms.
fn members(schema: &Value) -> BTreeMap<&str, (&Value, Need)> {
    let mut found = BTreeMap::new();
    for form in std::iter::once(schema).chain(forms(schema)) {
        for (name, member) in form["properties"].as_object().into_iter().flatten() {
            // A member that a form excludes is described by another form.
            if member.get("not").is_none() {
                found.entry(name.as_str()).or_insert((member, Need::Never));
            }
        }
    }
    for (name, (_, need)) in &mut found {
        if requires(schema, name) {
            *need = Need::Always;
        } else if forms(schema).any(|form| requires(form, name)) {
            *need = Need::InOneForm;
        }
    }
    found
}

fn requires(schema: &Value, name: &str) -> bool {
    schema["required"].as_array().is_some_and(|required| required.iter().any(|one| one == name))
}

/// The schemas of which a value meets one.
fn forms(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|word| schema[word].as_array()).flatten()
}

/// The schema of a list's rows.
fn rows(schema: &Value) -> Option<&Value> {
    schema.get("items").filter(|items| items.is_object())
}

/// The types of a value, without `null`, which stands for a member that is left out.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .filter(|value| !value.is_null())
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(rows) = rows(schema) {
        return format!("list of {}", kind(rows));
    }
    let own = match &schema["type"] {
        Value::String(word) => vec![word.clone()],
        Value::Array(words) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => forms(schema).filter(|form| form["type"] != "null").map(kind).collect(),
    };
    let mut kinds: Vec<String> = Vec::new();
    for kind in own {
        if kind != "null" && !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { "any".to_owned() } else { kinds.join(" or ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_are_listed_with_their_types_and_those_that_must_be_there_first() {
        let schema = json!({"required": ["wallet"], "properties": {
            "note": {"type": ["string", "null"], "description": "Of no effect."},
            "rows": {"type": "array", "items": {"required": ["r"], "properties": {
                "r": {"oneOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]},
                "deep": {"type": "object", "properties": {"unlisted": {"type": "string"}}},
            }}},
            "wallet": {"enum": ["a", "b", null]},
        }});
        let found: Vec<_> = of(&schema)
            .into_iter()
            .map(|line| format!("{}|{}|{}|{}", line.name, line.kind, line.need.words(), line.about))
            .collect();
        assert_eq!(
            found,
            [
                "wallet|\"a\", \"b\"|yes|",
                "note|string||Of no effect.",
                "rows|list of any||",
                "rows[].r|number or string|yes|",
                "rows[].deep|object||",
            ]
        );
    }

    #[test]
    fn the_fields_of_each_form_are_listed_once() {
        let schema = json!({"properties": {"webhook": {"type": "string"}}, "oneOf": [
            {"required": ["entity"], "properties": {"entity": {"type": "string"}, "wallet": {"not": {}}}},
            {"required": ["wallet"], "properties": {"wallet": {"type": "string"}, "entity": {"not": {}}}},
        ]});
        let found: Vec<_> = of(&schema).into_iter().map(|line| (line.name, line.need)).collect();
        let expected = [("entity", Need::InOneForm), ("wallet", Need::InOneForm), ("webhook", Need::Never)];
        assert_eq!(found, expected.map(|(name, need)| (name.to_owned(), need)));
    }
}
