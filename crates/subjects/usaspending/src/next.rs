//! How to go on after an answer.

use std::fmt;
use std::str::FromStr;

use receipt::json::Json;
use thiserror::Error;

use crate::{AwardSearch, MAX_PAGED_ROWS};

/// The most characters of a cursor's value.
pub const MAX_CURSOR_CHARS: usize = 500;

/// The last row of a page, after which the service goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// `last_record_unique_id`.
    pub id: u64,
    /// `last_record_sort_value`.
    pub sort_value: String,
}

impl Cursor {
    /// The cursor of the two members of an answer, each a text or a number. `None` at the end, where the service writes
    /// `null` and the text `None`.
    pub(crate) fn of(id: Option<&Json>, sort_value: Option<&Json>) -> Option<Self> {
        let text = |value: &Json| match value {
            Json::Number(number) => Some(number.text().to_owned()),
            value => value.as_str().map(str::to_owned),
        };
        let id = text(id?)?.parse().ok()?;
        let sort_value = text(sort_value?)?;
        let is_usable = sort_value != "None" && is_value(&sort_value);
        is_usable.then_some(Self { id, sort_value })
    }
}

fn is_value(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_CURSOR_CHARS && !text.chars().any(char::is_control)
}

/// How to go on after an answer; as text `page:2` or `cursor:89966630:124838979.94`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// The page of the same search.
    Page(u32),
    /// The rows after this one.
    Cursor(Cursor),
}

/// The text is no [`Next`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected page:2 or cursor:ID:VALUE")]
pub struct NextError;

impl fmt::Display for Next {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(page) => write!(out, "page:{page}"),
            Self::Cursor(cursor) => write!(out, "cursor:{}:{}", cursor.id, cursor.sort_value),
        }
    }
}

impl FromStr for Next {
    type Err = NextError;

    fn from_str(text: &str) -> Result<Self, NextError> {
        let is_plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(page) = text.strip_prefix("page:") {
            return is_plain(page).then(|| page.parse().ok()).flatten().map(Self::Page).ok_or(NextError);
        }
        let (id, sort_value) =
            text.strip_prefix("cursor:").and_then(|rest| rest.split_once(':')).ok_or(NextError)?;
        let id = is_plain(id).then(|| id.parse().ok()).flatten().ok_or(NextError)?;
        if !is_value(sort_value) {
            return Err(NextError);
        }
        Ok(Self::Cursor(Cursor { id, sort_value: sort_value.to_owned() }))
    }
}

impl AwardSearch {
    /// The search that goes on from this one.
    pub fn going_on(&self, next: Next) -> Self {
        let mut search = self.clone();
        match next {
            Next::Page(page) => search.page = page,
            Next::Cursor(cursor) => {
                search.page = 1;
                search.cursor = Some(cursor);
            }
        }
        search
    }

    /// How to go on where the service has more. A search that went on by a cursor goes on by cursors.
    pub(crate) fn next(&self, cursor: Option<Cursor>) -> Option<Next> {
        let is_paged = u64::from(self.page) * u64::from(self.limit) < MAX_PAGED_ROWS;
        if self.cursor.is_none() && is_paged {
            return Some(Next::Page(self.page.saturating_add(1)));
        }
        cursor.map(Next::Cursor)
    }
}
