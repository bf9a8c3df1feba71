//! Comma-joined lists.

use thiserror::Error;

/// The most elements of a list.
pub const MAX_LIST_ITEMS: usize = 100;

/// The most bytes of a list.
pub const MAX_LIST_BYTES: usize = 16 * 1024;

/// A comma-joined list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// The text is longer than [`MAX_LIST_BYTES`].
    #[error("the list has {0} bytes, at most {MAX_LIST_BYTES} are allowed")]
    TooLong(usize),
    /// There are more than [`MAX_LIST_ITEMS`] elements.
    #[error("the list has more than {MAX_LIST_ITEMS} elements")]
    TooMany,
    /// An element is empty, as in `a,,b`.
    #[error("element {0} of the list is empty; remove the comma too many")]
    EmptyItem(usize),
    /// A backslash stands before another character than a comma or a backslash, or at the end.
    #[error("a backslash may only stand before a comma or a backslash: write \\, or \\\\")]
    Escape,
}

/// Splits a comma-joined list of a query string. `\,` is a comma within an element and `\\` a backslash; white space around
/// an element does not count. An empty text is an empty list.
///
/// # Errors
/// [`ListError`].
///
/// ```
/// use record_search::split_list;
///
/// let names = split_list(r"Energy, Transportation\, Department of").unwrap();
/// assert_eq!(names, ["Energy", "Transportation, Department of"]);
/// ```
pub fn split_list(text: &str) -> Result<Vec<String>, ListError> {
    if text.len() > MAX_LIST_BYTES {
        return Err(ListError::TooLong(text.len()));
    }
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut items = Vec::new();
    let mut item = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ (',' | '\\')) => item.push(escaped),
                _ => return Err(ListError::Escape),
            },
            ',' => push(&mut items, &mut item)?,
            other => item.push(other),
        }
    }
    push(&mut items, &mut item)?;
    Ok(items)
}

fn push(items: &mut Vec<String>, item: &mut String) -> Result<(), ListError> {
    let trimmed = item.trim().to_owned();
    item.clear();
    if items.len() == MAX_LIST_ITEMS {
        return Err(ListError::TooMany);
    }
    if trimmed.is_empty() {
        return Err(ListError::EmptyItem(items.len() + 1));
    }
    items.push(trimmed);
    Ok(())
}
