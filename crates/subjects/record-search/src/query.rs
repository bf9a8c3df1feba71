//! Values of a query string.

use crate::{FieldError, split_list};

/// Puts the value of a field into its place.
///
/// # Errors
/// [`FieldError`] where the place has one already.
pub fn put_once<T>(field: &'static str, place: &mut Option<T>, value: T) -> Result<(), FieldError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(FieldError::new(field, "it is there twice; join the elements of an array by commas")),
    }
}

/// The elements of a comma-joined value, as [`split_list`] reads it.
///
/// # Errors
/// [`FieldError`] in the words of [`ListError`](crate::ListError).
pub fn list_value(field: &'static str, value: &str) -> Result<Vec<String>, FieldError> {
    split_list(value).map_err(|error| FieldError::new(field, error.to_string()))
}

/// The value `true` or `1`, `false` or `0`.
///
/// # Errors
/// [`FieldError`] for any other.
pub fn flag_value(field: &'static str, value: &str) -> Result<bool, FieldError> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(FieldError::new(field, "it must be true or false")),
    }
}

/// A whole number in digits.
///
/// # Errors
/// [`FieldError`] for any other value.
pub fn number_value(field: &'static str, value: &str) -> Result<u32, FieldError> {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
    is_plain
        .then(|| value.parse().ok())
        .flatten()
        .ok_or_else(|| FieldError::new(field, "it must be a whole number such as 1"))
}
