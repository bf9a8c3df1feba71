//! Reading a request's fields: each accessor names the field that is wrong, and why.
//!
//! Questions are read by hand and not by serde: an error must carry the exact path (`resolver.public_key`)
//! and a stable code, which serde's buffered enums lose.

use receipt::json::{Json, Object, Path};

use crate::{FieldError, Reason};

/// A JSON object with the path that leads to it.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    object: &'a Object,
    path: Path,
}

impl<'a> Fields<'a> {
    /// The fields of the request itself.
    #[must_use]
    pub fn root(object: &'a Object) -> Self {
        Self { object, path: Path::root() }
    }

    /// The value of a field; `None` where it is absent.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name)
    }

    /// Reads a required string whose number of Unicode characters is in `chars`.
    ///
    /// # Errors
    /// The field is missing, not a string, empty or too long.
    pub fn text(&self, name: &str, chars: std::ops::RangeInclusive<usize>) -> Result<&'a str, FieldError> {
        self.optional_text(name, chars)?.ok_or_else(|| self.missing(name))
    }

    /// Reads an optional string, bounded as in [`text`](Self::text). `null` does not count as absent: it is of the
    /// wrong type.
    ///
    /// # Errors
    /// The field is not a string, is empty, or is too long.
    pub fn optional_text(
        &self,
        name: &str,
        chars: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<&'a str>, FieldError> {
        let Some(value) = self.object.get(name) else { return Ok(None) };
        let Json::String(text) = value else { return Err(self.wrong_type(name, "a string")) };
        let count = text.chars().count();
        if count > *chars.end() {
            return Err(self.error(
                name,
                Reason::TooLong,
                format!("must be at most {} characters", chars.end()),
            ));
        }
        if count < *chars.start() {
            return Err(self.error(name, Reason::Empty, "must not be empty"));
        }
        Ok(Some(text))
    }

    /// Reads a required object.
    ///
    /// # Errors
    /// The field is missing or not an object.
    pub fn object(&self, name: &str) -> Result<Fields<'a>, FieldError> {
        match self.object.get(name) {
            Some(Json::Object(object)) => Ok(Fields { object, path: self.path_of(name) }),
            Some(_) => Err(self.wrong_type(name, "an object")),
            None => Err(self.missing(name)),
        }
    }

    /// Reads a string that must be one of a fixed set of words. The result is `default` where the field is absent.
    ///
    /// # Errors
    /// The field is missing and has no default, is not a string, or is another word.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
        default: Option<T>,
    ) -> Result<T, FieldError> {
        match self.object.get(name) {
            None => default.ok_or_else(|| self.missing(name)),
            Some(Json::String(text)) => words
                .iter()
                .find(|(word, _)| word == text)
                .map(|&(_, value)| value)
                .ok_or_else(|| self.error(name, Reason::UnknownValue, one_of(words))),
            Some(_) => Err(self.wrong_type(name, "a string")),
        }
    }

    /// Makes an error that names one of these fields.
    #[must_use]
    pub fn error(&self, name: &str, reason: Reason, detail: impl Into<String>) -> FieldError {
        FieldError { path: self.path_of(name), reason, detail: detail.into() }
    }

    fn path_of(&self, name: &str) -> Path {
        let mut path = self.path.clone();
        path.push_name(name);
        path
    }

    fn missing(&self, name: &str) -> FieldError {
        self.error(name, Reason::Missing, "is required")
    }

    fn wrong_type(&self, name: &str, wanted: &str) -> FieldError {
        self.error(name, Reason::WrongType, format!("must be {wanted}"))
    }
}

fn one_of<T>(words: &[(&str, T)]) -> String {
    let quoted: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    format!("must be one of {}", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(
        body: &str,
        read: impl Fn(&Fields<'_>) -> Result<T, FieldError>,
    ) -> Result<T, (String, &'static str)> {
        let Json::Object(object) = receipt::json::parse(body.as_bytes()).unwrap() else {
            panic!("an object")
        };
        read(&Fields::root(&object)).map_err(|e| (e.path.dotted(), e.reason.code()))
    }

    #[test]
    fn a_wrong_field_is_named_with_its_whole_path_and_a_stable_code() {
        let key = |f: &Fields<'_>| f.object("resolver")?.text("public_key", 1..=8).map(str::to_owned);
        let refused = |body, field: &str, code| {
            assert_eq!(with(body, key), Err((field.to_owned(), code)), "{body}");
        };
        refused("{}", "resolver", "missing");
        refused(r#"{"resolver":7}"#, "resolver", "wrong_type");
        refused(r#"{"resolver":{}}"#, "resolver.public_key", "missing");
        refused(r#"{"resolver":{"public_key":null}}"#, "resolver.public_key", "wrong_type");
        refused(r#"{"resolver":{"public_key":""}}"#, "resolver.public_key", "empty");
        refused(r#"{"resolver":{"public_key":"123456789"}}"#, "resolver.public_key", "too_long");
        assert_eq!(with(r#"{"resolver":{"public_key":"abc"}}"#, key), Ok("abc".to_owned()));
    }

    #[test]
    fn a_choice_takes_its_default_only_where_the_field_is_absent() {
        let read = |f: &Fields<'_>| f.choice("encoding", &[("hex", 1), ("base64", 2)], Some(2));
        assert_eq!(with("{}", read), Ok(2));
        assert_eq!(with(r#"{"encoding":"hex"}"#, read), Ok(1));
        assert_eq!(with(r#"{"encoding":"HEX"}"#, read), Err(("encoding".to_owned(), "unknown_value")));
        assert_eq!(with(r#"{"encoding":null}"#, read), Err(("encoding".to_owned(), "wrong_type")));
    }
}
