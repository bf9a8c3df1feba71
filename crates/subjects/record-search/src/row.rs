//! A row after normalising.

use receipt::json::{Json, Object};

/// A row after normalising.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The kind of the row, as its table names it.
    pub kind: &'static str,
    /// The members that the table knows, under their normalised names, in the order of the original.
    pub members: Object,
    /// Members that the table does not know or that have another type than it says, under their names in the original.
    pub other: Object,
    /// Names in the original of members that the table leaves out on purpose.
    pub dropped: Vec<&'static str>,
    /// Names in the original of the known members that are under `other`, since they have another type.
    pub mistyped: Vec<&'static str>,
}

impl Row {
    /// The text of a normalised member; `None` where it is missing, `null` or no text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Json::as_str)
    }

    /// The whole number of a normalised member; `None` where it is missing, `null` or no such number.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.members.get(name).and_then(Json::as_number).and_then(receipt::json::Number::as_u64)
    }

    /// The truth value of a normalised member; `None` where it is missing or `null`.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.members.get(name).and_then(Json::as_bool)
    }

    /// The row as one object: the normalised members, then `other`, `dropped` and `mistyped` where they are not empty.
    pub fn to_json(&self) -> Object {
        let names =
            |names: &[&'static str]| Json::Array(names.iter().map(|name| Json::from(*name)).collect());
        let mut object = self.members.clone();
        if !self.other.is_empty() {
            object.insert("other", Json::Object(self.other.clone()));
        }
        if !self.dropped.is_empty() {
            object.insert("dropped", names(&self.dropped));
        }
        if !self.mistyped.is_empty() {
            object.insert("mistyped", names(&self.mistyped));
        }
        object
    }
}
