//! Finds the members of a request that its question reads, by the question's own schema.
//!
//! Unknown members are allowed, hashed and stored. For a call that nobody pays for they may not be large, so they have to
//! be found, in the rows of a track record too.

use std::collections::HashMap;

use receipt::json::{Json, Object, Path};
use serde_json::Value;

/// The members that a value may have which is read.
#[derive(Clone, Debug, PartialEq)]
enum MemberSet {
    /// All of it is read.
    Whole,
    /// These members of an object are read, and what an array holds that may stand in its place.
    Parts { members: HashMap<String, MemberSet>, items: Option<Box<MemberSet>> },
}

/// The members that a question reads.
#[derive(Clone, Debug)]
pub struct Members(MemberSet);

/// The size of the members of a request that its question does not read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unread {
    /// The total size of the values of these members in canonical form, in bytes.
    pub bytes: usize,
    /// The path and the size in bytes of the largest of these members; `None` where there is none.
    pub largest: Option<(Path, usize)>,
}

impl Members {
    /// Collects the members that a question's schema (JSON Schema 2020-12, without references) names, and `agent`.
    #[must_use]
    pub fn of(schema: &Value) -> Self {
        let mut known = MemberSet::of(schema);
        if let MemberSet::Parts { members, .. } = &mut known {
            members.insert("agent".to_owned(), MemberSet::Whole);
        }
        Self(known)
    }

    /// Finds the members of a request that the question does not read.
    #[must_use]
    pub fn unread(&self, request: &Object) -> Unread {
        let mut unread = Unread::default();
        self.0.members(request, &mut Path::root(), &mut unread);
        unread
    }
}

impl MemberSet {
    fn of(schema: &Value) -> Self {
        let mut members = HashMap::new();
        let mut items = None;
        let mut is_open = true;
        for kind in ["oneOf", "anyOf", "allOf"] {
            for branch in schema.get(kind).and_then(Value::as_array).into_iter().flatten() {
                merge(Self::of(branch), &mut members, &mut items, &mut is_open);
            }
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            is_open = false;
            for (name, property) in properties {
                let property = Self::of(property);
                match members.remove(name) {
                    Some(before) => members.insert(name.clone(), before.or(property)),
                    None => members.insert(name.clone(), property),
                };
            }
        }
        if let Some(of_items) = schema.get("items") {
            is_open = false;
            items = Some(Box::new(Self::of(of_items)));
        }
        if is_open { Self::Whole } else { Self::Parts { members, items } }
    }

    /// The union of the members that two schemas read.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Parts { mut members, mut items }, other @ Self::Parts { .. }) => {
                merge(other, &mut members, &mut items, &mut false);
                Self::Parts { members, items }
            }
            _ => Self::Whole,
        }
    }

    fn value(&self, value: &Json, path: &mut Path, unread: &mut Unread) {
        let Self::Parts { items, .. } = self else { return };
        match value {
            Json::Object(object) => self.members(object, path, unread),
            Json::Array(values) => {
                let Some(known) = items else { return };
                for (at, value) in values.iter().enumerate() {
                    path.push_index(at);
                    known.value(value, path, unread);
                    path.pop();
                }
            }
            // A string, a number or a word is what the question bounds itself.
            _ => {}
        }
    }

    fn members(&self, object: &Object, path: &mut Path, unread: &mut Unread) {
        let Self::Parts { members, .. } = self else { return };
        for (name, value) in object.iter() {
            path.push_name(name);
            match members.get(name) {
                Some(known) => known.value(value, path, unread),
                None => unread.add(path, name.len() + value.canonical().len()),
            }
            path.pop();
        }
    }
}

/// Adds what one alternative reads to what others do. One that names no members says nothing of them.
fn merge(
    other: MemberSet,
    members: &mut HashMap<String, MemberSet>,
    items: &mut Option<Box<MemberSet>>,
    is_open: &mut bool,
) {
    let MemberSet::Parts { members: others, items: of_items } = other else { return };
    *is_open = false;
    for (name, known) in others {
        let known = match members.remove(&name) {
            Some(before) => before.or(known),
            None => known,
        };
        members.insert(name, known);
    }
    *items = match (items.take(), of_items) {
        (Some(before), Some(other)) => Some(Box::new(before.or(*other))),
        (before, other) => before.or(other),
    };
}

impl Unread {
    fn add(&mut self, path: &Path, bytes: usize) {
        self.bytes += bytes;
        if self.largest.as_ref().is_none_or(|(_, most)| bytes > *most) {
            self.largest = Some((path.clone(), bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;
    use serde_json::json;

    use super::*;

    fn unread(schema: &Value, request: &str) -> (usize, Option<String>) {
        let request = parse(request.as_bytes()).unwrap();
        let unread = Members::of(schema).unread(request.as_object().unwrap());
        (unread.bytes, unread.largest.map(|(path, _)| path.dotted()))
    }

    #[test]
    fn members_that_the_schema_does_not_name_are_counted_wherever_they_stand() {
        let schema = json!({"properties": {
            "rows": {"type": "array", "items": {"properties": {"r": {"type": "number"}}}},
            "costs": {"oneOf": [{"type": "null"}, {"properties": {"fee": {}}}]},
            "content": true,
        }});
        let none = (0, None);
        assert_eq!(unread(&schema, r#"{"agent":"a","rows":[{"r":1}],"content":{"x":"..."}}"#), none);
        assert_eq!(unread(&schema, r#"{"pad":"12345678"}"#), (13, Some("pad".to_owned())));
        let request = r#"{"rows":[{"r":1},{"r":2,"note":"1234"}],"costs":{"fee":1,"x":12}}"#;
        assert_eq!(unread(&schema, request), (10 + 3, Some("rows.1.note".to_owned())));
    }

    #[test]
    fn of_alternatives_each_may_be_read() {
        let schema =
            json!({"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {"properties": {"c": {}}}}}]});
        assert_eq!(unread(&schema, r#"{"a":1,"b":{"c":2}}"#), (0, None));
        assert_eq!(unread(&schema, r#"{"b":{"d":23}}"#), (3, Some("b.d".to_owned())));
    }
}
