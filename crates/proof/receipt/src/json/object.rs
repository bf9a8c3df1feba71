//! The members of an object, in the order in which they were written.

use super::Json;
use std::collections::HashSet;

/// Up to this many members, comparing every pair of names is quicker than hashing them.
const PAIRWISE_MAX: usize = 12;

/// An object's members in their source order. After [`parse_lenient`](super::parse_lenient) a name may be
/// there more than once.
///
/// ```
/// use receipt::json::{Json, Object, parse_lenient};
///
/// let mut object = Object::new();
/// object.insert("verdict", "CONFIRMED");
/// assert_eq!(object.get("verdict"), Some(&Json::from("CONFIRMED")));
///
/// let twice = parse_lenient(br#"{"a":1,"b":2,"a":3}"#).unwrap();
/// assert_eq!(twice.as_object().unwrap().get_all("a").count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn from_members(members: Vec<(String, Json)>) -> Self {
        Self(members)
    }

    /// The value of the first member `name`; `None` where there is no such member.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The values of all members `name`, in source order. More than one means that the document is ambiguous there.
    pub fn get_all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a Json> + use<'a, 'n> {
        self.0.iter().filter(move |(member, _)| member == name).map(|(_, value)| value)
    }

    /// Returns true if there is a member `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns true if the member `name` is there more than once.
    pub fn is_duplicated(&self, name: &str) -> bool {
        self.get_all(name).nth(1).is_some()
    }

    /// The first name that occurs more than once; `None` where all names differ.
    pub fn first_duplicate(&self) -> Option<&str> {
        if self.0.len() <= PAIRWISE_MAX {
            let earlier = |at: usize, name: &String| self.0[..at].iter().any(|(other, _)| other == name);
            return self
                .0
                .iter()
                .enumerate()
                .find(|(at, (name, _))| earlier(*at, name))
                .map(|(_, m)| m.0.as_str());
        }
        let mut seen = HashSet::with_capacity(self.0.len());
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| !seen.insert(*name))
    }

    /// The members as pairs of name and value, in source order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> + DoubleEndedIterator {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The number of members; a name that occurs twice counts twice.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the member `name` and returns the value that it replaced. An existing member keeps its position; a new one
    /// is added at the end.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Json>) -> Option<Json> {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(member, _)| *member == name) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((name, value));
                None
            }
        }
    }

    /// Removes the first member `name` and returns its value; `None` where there is no such member.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        let at = self.0.iter().position(|(member, _)| member == name)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn members(&self) -> &[(String, Json)] {
        &self.0
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
