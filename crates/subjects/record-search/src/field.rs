//! Fields of a request.

use jiff::civil::Date;
use thiserror::Error;

/// A field of a request that cannot be used: its name and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {reason}")]
pub struct FieldError {
    /// The name of the field, as callers write it.
    pub field: &'static str,
    /// What is wrong, and what to send instead.
    pub reason: String,
    /// The kind of what is wrong.
    pub problem: FieldProblem,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldProblem {
    /// It violates its grammar.
    Malformed,
    /// It is needed and not there.
    Missing,
    /// It has no content.
    Empty,
    /// It is longer than it may be, or has more elements.
    TooLong,
    /// It is not one of the known values.
    UnknownValue,
    /// It is outside its range.
    OutOfRange,
    /// It and another field cannot both be used.
    Contradictory,
    /// It says nothing for this search.
    NotApplicable,
    /// It is a day to come.
    InFuture,
}

impl FieldError {
    /// An error of the field, which is [`FieldProblem::Malformed`].
    pub fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Self { field, reason: reason.into(), problem: FieldProblem::Malformed }
    }

    /// The same with another kind of problem.
    #[must_use]
    pub fn of(self, problem: FieldProblem) -> Self {
        Self { problem, ..self }
    }
}

/// The text without white space around it: not empty, at most `most` characters, no control characters.
///
/// # Errors
/// [`FieldError`] that says which of these does not hold.
pub fn checked_text(field: &'static str, text: &str, most: usize) -> Result<String, FieldError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(
            FieldError::new(field, "it is empty; send a text or leave the field out").of(FieldProblem::Empty)
        );
    }
    let length = text.chars().count();
    if length > most {
        return Err(FieldError::new(
            field,
            format!("it has {length} characters, at most {most} are allowed"),
        )
        .of(FieldProblem::TooLong));
    }
    if text.chars().any(char::is_control) {
        return Err(FieldError::new(field, "it has a control character; send plain text"));
    }
    Ok(text.to_owned())
}

/// The texts of an array, each as [`checked_text`], in their order and each once.
///
/// # Errors
/// [`FieldError`] for an empty array, for more than `most_items` and for each reason of [`checked_text`].
pub fn checked_list(
    field: &'static str,
    items: &[String],
    most_items: usize,
    most: usize,
) -> Result<Vec<String>, FieldError> {
    if items.is_empty() {
        return Err(FieldError::new(
            field,
            "the array is empty; name at least one element or leave the field out",
        )
        .of(FieldProblem::Empty));
    }
    if items.len() > most_items {
        let reason = format!("it has {} elements, at most {most_items} are allowed", items.len());
        return Err(FieldError::new(field, reason).of(FieldProblem::TooLong));
    }
    let mut checked: Vec<String> = Vec::with_capacity(items.len());
    for item in items {
        let item = checked_text(field, item, most)?;
        if !checked.contains(&item) {
            checked.push(item);
        }
    }
    Ok(checked)
}

/// A day of the calendar, written as `2026-02-28`.
///
/// # Errors
/// [`FieldError`] where the text is no such day.
pub fn checked_date(field: &'static str, text: &str) -> Result<Date, FieldError> {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let day = shape.then(|| text.parse::<Date>().ok()).flatten();
    day.ok_or_else(|| FieldError::new(field, "it is not a day; send a date such as 2026-02-28"))
}
