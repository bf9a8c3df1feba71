//! The members of a kind of row, and normalising by them.

use receipt::json::{Json, Number, Object};

use crate::{AnswerError, Row, checked_date, is_same};

/// The most members of a row, and of an object within one.
pub const MAX_MEMBERS: usize = 2_000;

/// The type of a member, and its form in the normalised row. `null` stays `null` in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A text.
    Text,
    /// An identifier: a text, or a whole number that becomes its text.
    Identifier,
    /// An amount: a number or the text of one; becomes decimal text.
    Amount,
    /// A whole number from 0 on, or the text of one; becomes a number.
    Count,
    /// A text that begins with a day such as `2026-02-28`.
    Date,
    /// `true` or `false`.
    Flag,
    /// Any value; kept with all that is in it.
    Nested,
    /// Any value; left out, and named in [`Row::dropped`].
    Dropped,
    /// Any value; read by another way, such as the rows of an answer.
    Elsewhere,
}

impl Class {
    fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Identifier => "a text or a whole number",
            Self::Amount => "a number or the text of one",
            Self::Count => "a whole number or the text of one",
            Self::Date => "a text that begins with a day such as 2026-02-28",
            Self::Flag => "true or false",
            Self::Nested | Self::Dropped | Self::Elsewhere => "any value",
        }
    }
}

/// A member that a table knows.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The name in the original.
    pub name: &'static str,
    /// The name in the normalised row.
    pub normal: &'static str,
    /// The type.
    pub class: Class,
    /// True if a row without it is an error.
    pub required: bool,
}

impl Member {
    /// An optional member of the same name in the normalised row.
    pub const fn same(name: &'static str, class: Class) -> Self {
        Self { name, normal: name, class, required: false }
    }

    /// An optional member of another name in the normalised row.
    pub const fn renamed(name: &'static str, normal: &'static str, class: Class) -> Self {
        Self { name, normal, class, required: false }
    }

    /// The member, required.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// The members of a kind of row of a service.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The service, as messages name it.
    pub service: &'static str,
    /// The kind of the rows, as messages name it: `document`, say.
    pub kind: &'static str,
    /// The members.
    pub members: &'static [Member],
}

impl Table {
    /// The first name that the table has twice, or that is a name of the row itself: `other`, `dropped`, `mistyped` or one of
    /// `reserved`. A test of each table expects none.
    pub fn clash(&self, reserved: &[&str]) -> Option<&'static str> {
        let is_reserved =
            |name: &str| ["other", "dropped", "mistyped"].contains(&name) || reserved.contains(&name);
        let is_twice = |at: usize, member: &Member| {
            self.members[..at]
                .iter()
                .any(|before| before.name == member.name || before.normal == member.normal)
        };
        let mut members = self.members.iter().enumerate();
        members
            .find(|(at, member)| is_reserved(member.normal) || is_twice(*at, member))
            .map(|(_, member)| member.name)
    }

    fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Normalises an object of an answer.
    ///
    /// # Errors
    /// [`AnswerError::Missing`] and [`AnswerError::Type`] for required members, [`AnswerError::Duplicate`] for a member
    /// that is there twice, also within nested objects, [`AnswerError::TooMany`] past [`MAX_MEMBERS`].
    pub fn read(&self, original: &Object) -> Result<Row, AnswerError> {
        self.refuse_duplicate(original)?;
        self.refuse_missing(original)?;
        let mut row = Row {
            kind: self.kind,
            members: Object::new(),
            other: Object::new(),
            dropped: Vec::new(),
            mistyped: Vec::new(),
        };
        for (name, value) in original.iter() {
            let Some(member) = self.member(name) else {
                row.other.insert(name, self.exact(value)?);
                continue;
            };
            match member.class {
                Class::Dropped => row.dropped.push(member.name),
                Class::Elsewhere => {}
                _ => self.keep(&mut row, member, value)?,
            }
        }
        Ok(row)
    }

    fn keep(&self, row: &mut Row, member: &'static Member, value: &Json) -> Result<(), AnswerError> {
        // Two members of the original with one normalised name: the second keeps its own name, so both are kept.
        let is_taken = row.members.contains(member.normal);
        match self.normalised(member.class, value)? {
            Some(normalised) if !is_taken => {
                row.members.insert(member.normal, normalised);
            }
            None if member.required => {
                return Err(AnswerError::Type {
                    service: self.service,
                    kind: self.kind,
                    member: member.name,
                    expected: member.class.expected(),
                    found: value.type_name(),
                });
            }
            normalised => {
                if normalised.is_none() {
                    row.mistyped.push(member.name);
                }
                row.other.insert(member.name, self.exact(value)?);
            }
        }
        Ok(())
    }

    /// `None` where the value has another type.
    fn normalised(&self, class: Class, value: &Json) -> Result<Option<Json>, AnswerError> {
        if value.is_null() {
            return Ok(Some(Json::Null));
        }
        Ok(match class {
            Class::Nested | Class::Dropped | Class::Elsewhere => Some(self.exact(value)?),
            Class::Text => value.as_str().map(Json::from),
            Class::Flag => value.as_bool().map(Json::Bool),
            Class::Identifier => match value {
                Json::Number(number) if is_integer(number) => Some(Json::from(number.text())),
                _ => value.as_str().map(Json::from),
            },
            Class::Amount => number_of(value).and_then(|number| decimal(&number)).map(Json::from),
            Class::Count => number_of(value)
                .filter(|number| number.is_exact())
                .and_then(|number| number.as_u64())
                .map(|count| Json::Number(Number::from(count))),
            Class::Date => value
                .as_str()
                .filter(|text| text.get(..10).is_some_and(|day| checked_date("date", day).is_ok()))
                .map(Json::from),
        })
    }

    /// The value with each number that a double would change, or that has a fraction, as its text.
    fn exact(&self, value: &Json) -> Result<Json, AnswerError> {
        Ok(match value {
            Json::Number(number) if is_integer(number) && number.is_exact() => value.clone(),
            Json::Number(number) => Json::from(number.text()),
            Json::Array(elements) => {
                Json::Array(elements.iter().map(|element| self.exact(element)).collect::<Result<_, _>>()?)
            }
            Json::Object(object) => {
                self.refuse_duplicate(object)?;
                let mut kept = Object::new();
                for (name, value) in object.iter() {
                    kept.insert(name, self.exact(value)?);
                }
                Json::Object(kept)
            }
            other => other.clone(),
        })
    }

    /// Refuses too many members first: the look-ups after it are linear in their number.
    fn refuse_duplicate(&self, object: &Object) -> Result<(), AnswerError> {
        let (service, count) = (self.service, object.len());
        if count > MAX_MEMBERS {
            return Err(AnswerError::TooMany { service, what: "members", count, most: MAX_MEMBERS });
        }
        match object.first_duplicate() {
            Some(name) => {
                let member = name.chars().take(100).collect();
                Err(AnswerError::Duplicate { service, member })
            }
            None => Ok(()),
        }
    }

    fn refuse_missing(&self, original: &Object) -> Result<(), AnswerError> {
        let is_missing = |member: &&Member| {
            member.required && original.get(member.name).is_none_or(|value| value.is_null())
        };
        match self.members.iter().find(is_missing) {
            Some(missing) => {
                Err(AnswerError::Missing { service: self.service, kind: self.kind, member: missing.name })
            }
            None => Ok(()),
        }
    }

    /// Names of the members of the original that are neither in the row with all that is in them nor named in
    /// [`Row::dropped`]. Empty where nothing is lost.
    pub fn lost(&self, original: &Object, row: &Row) -> Vec<String> {
        let is_kept = |name: &str, value: &Json| {
            if row.other.get(name).is_some_and(|kept| is_same(value, kept)) || row.dropped.contains(&name) {
                return true;
            }
            self.member(name).is_some_and(|member| {
                member.class == Class::Elsewhere
                    || row.members.get(member.normal).is_some_and(|kept| is_same(value, kept))
            })
        };
        original
            .iter()
            .filter(|(name, value)| !is_kept(name, value))
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    /// Normalises an object and compares the two again.
    ///
    /// # Errors
    /// As [`Self::read`], and [`AnswerError::Lost`] that names what is lost.
    pub fn read_lossless(&self, original: &Object) -> Result<Row, AnswerError> {
        let row = self.read(original)?;
        let members = self.lost(original, &row);
        if members.is_empty() { Ok(row) } else { Err(AnswerError::Lost { service: self.service, members }) }
    }
}

fn is_integer(number: &Number) -> bool {
    number.text().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn number_of(value: &Json) -> Option<Number> {
    match value {
        Json::Number(number) => Some(number.clone()),
        Json::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Decimal text as it came; written out where it has an exponent.
fn decimal(number: &Number) -> Option<String> {
    if number.text().contains(['e', 'E']) {
        number.canonical_decimal()
    } else {
        Some(number.text().to_owned())
    }
}
