//! Reading a request's fields: each accessor names the field that is wrong, and why.
//!
//! Questions are read by hand and not by serde: an error must carry the exact path (`resolver.public_key`)
//! and a stable code, which serde's buffered enums lose.

use receipt::json::{Json, Object, Path};

use crate::{Array, Field, FieldError, Flag, Reason, Text, Whole, Words};

/// A JSON object with the path that leads to it.
///
/// # Examples
/// An object within the request is read field by field.
///
/// ```
/// use std::net::Ipv4Addr;
///
/// use verdict::{Field, Fields, Text, Whole};
///
/// const ADDRESS: Field<Text> = Field::text("address", 7..=15).form(r"^[\d.]+$", "must be an IPv4 address");
/// const PORT: Field<Whole> = Field::whole("port", 1..=65535, 53);
///
/// let request = receipt::json::parse(br#"{"server": {"address": "192.0.2.1"}}"#)?;
/// let fields = Fields::root(request.as_object().expect("an object"));
/// let server = fields.object("server")?;
/// let address = server.parse(&ADDRESS, |text| text.parse::<Ipv4Addr>().ok())?;
/// assert_eq!((address, server.whole(&PORT)?), (Ipv4Addr::new(192, 0, 2, 1), 53));
/// assert_eq!(fields.text(&ADDRESS).unwrap_err().to_string(), "`address` is required");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Reads a required text.
    ///
    /// # Errors
    /// The field is missing, not a string, empty or too long.
    pub fn text(&self, field: &Field<Text>) -> Result<&'a str, FieldError> {
        self.optional_text(field)?.ok_or_else(|| self.missing(field.name))
    }

    /// Reads an optional text, bounded as in [`text`](Self::text). `null` does not count as absent: it is of the wrong
    /// type.
    ///
    /// # Errors
    /// The errors of [`text`](Self::text), but that it is missing.
    pub fn optional_text(&self, field: &Field<Text>) -> Result<Option<&'a str>, FieldError> {
        let Field { name, kind: Text { least, most, malformed, is_plain, .. }, .. } = *field;
        let Some(value) = self.value(name) else { return Ok(None) };
        let Json::String(text) = value else { return Err(self.wrong_type(name, "a string")) };
        let count = text.chars().count();
        if count > most {
            return Err(self.error(name, Reason::TooLong, format!("must be at most {most} characters")));
        }
        if count < least {
            return Err(match count {
                0 => self.error(name, Reason::Empty, "must not be empty"),
                _ => self.error(name, Reason::Malformed, malformed),
            });
        }
        if is_plain && text.chars().any(char::is_control) {
            return Err(self.error(name, Reason::Malformed, "must not contain control characters"));
        }
        Ok(Some(text))
    }

    /// Reads a required text of a [form](Field::form).
    ///
    /// # Errors
    /// The errors of [`text`](Self::text), and `parse` returns none.
    pub fn parse<T>(
        &self,
        field: &Field<Text>,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, FieldError> {
        self.optional_parse(field, parse)?.ok_or_else(|| self.missing(field.name))
    }

    /// Reads an optional text of a [form](Field::form), as [`parse`](Self::parse) does.
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse), but that it is missing.
    pub fn optional_parse<T>(
        &self,
        field: &Field<Text>,
        parse: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let malformed = || self.error(field.name, Reason::Malformed, field.kind.malformed);
        self.optional_text(field)?.map(|text| parse(text).ok_or_else(malformed)).transpose()
    }

    /// Reads a whole number.
    ///
    /// # Errors
    /// The field is no number, or none of its range.
    pub fn whole(&self, field: &Field<Whole>) -> Result<usize, FieldError> {
        let Field { name, kind: Whole { least, most, default }, .. } = *field;
        let number = match self.value(name) {
            None => return Ok(default),
            Some(Json::Number(number)) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
            Some(_) => return Err(self.wrong_type(name, "a number")),
        };
        number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
            self.error(name, Reason::Malformed, format!("must be a whole number from {least} to {most}"))
        })
    }

    /// Reads a flag.
    ///
    /// # Errors
    /// The field is neither `true` nor `false`.
    pub fn flag(&self, field: &Field<Flag>) -> Result<bool, FieldError> {
        match self.value(field.name) {
            None => Ok(false),
            Some(Json::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong_type(field.name, "true or false")),
        }
    }

    /// Reads the elements of an array, which errors call by the plural `noun`; `None` where the field is absent.
    ///
    /// # Errors
    /// The field is no array, or has too few or too many elements.
    pub fn array(&self, field: &Field<Array>, noun: &str) -> Result<Option<&'a [Json]>, FieldError> {
        let Field { name, kind: Array { least, most, .. }, .. } = *field;
        match self.value(name) {
            None => Ok(None),
            Some(Json::Array(elements)) if elements.len() < least => {
                Err(self.error(name, Reason::Empty, "must not be empty"))
            }
            Some(Json::Array(elements)) if elements.len() > most => {
                Err(self.error(name, Reason::TooLong, format!("must have at most {most} {noun}")))
            }
            Some(Json::Array(elements)) => Ok(Some(elements)),
            Some(_) => Err(self.wrong_type(name, "an array")),
        }
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

    /// Reads one of a fixed set of words.
    ///
    /// # Errors
    /// The field is missing though it may not be absent, no string, or another word.
    pub fn choice<T: Copy>(&self, field: &Field<Words<T>>) -> Result<T, FieldError> {
        let Words { words, absent, .. } = field.kind;
        match self.value(field.name) {
            None => absent.ok_or_else(|| self.missing(field.name)),
            Some(Json::String(text)) => words
                .iter()
                .find(|(word, _)| word == text)
                .map(|&(_, value)| value)
                .ok_or_else(|| self.error(field.name, Reason::UnknownValue, one_of(words))),
            Some(_) => Err(self.wrong_type(field.name, "a string")),
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

    /// Makes the error of a field that is not there.
    #[must_use]
    pub fn missing(&self, name: &str) -> FieldError {
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
    use serde_json::json;

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
        const KEY: Field<Text> = Field::text("public_key", 1..=8);
        let key = |f: &Fields<'_>| f.object("resolver")?.text(&KEY).map(str::to_owned);
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
        const ENCODING: Field<Words<u8>> = Field::words("encoding", &[("base64", 2), ("hex", 1)]).or_first();
        let read = |f: &Fields<'_>| f.choice(&ENCODING);
        assert_eq!(with("{}", read), Ok(2));
        assert_eq!(with(r#"{"encoding":"hex"}"#, read), Ok(1));
        assert_eq!(with(r#"{"encoding":"HEX"}"#, read), Err(("encoding".to_owned(), "unknown_value")));
        assert_eq!(with(r#"{"encoding":null}"#, read), Err(("encoding".to_owned(), "wrong_type")));
    }

    #[test]
    fn a_flag_is_false_where_it_is_absent_and_nothing_but_true_or_false() {
        const FOLLOW: Field<Flag> = Field::flag("follow");
        let read = |f: &Fields<'_>| f.flag(&FOLLOW);
        assert_eq!(with("{}", read), Ok(false));
        assert_eq!(with(r#"{"follow":true}"#, read), Ok(true));
        assert_eq!(with(r#"{"follow":false}"#, read), Ok(false));
        for other in ["null", "1", r#""true""#] {
            let refused = with(&format!(r#"{{"follow":{other}}}"#), read);
            assert_eq!(refused, Err(("follow".to_owned(), "wrong_type")));
        }
    }

    #[test]
    fn a_text_that_is_too_short_or_of_another_form_is_malformed() {
        const YEAR: Field<Text> = Field::text("year", 4..=4).form(r"^\d{4}$", "must be a year");
        const WORD: Field<Text> = Field::text("word", 2..=9).plain();
        let year = |f: &Fields<'_>| f.optional_parse(&YEAR, |text| text.parse::<u16>().ok());
        assert_eq!(with("{}", year), Ok(None));
        assert_eq!(with(r#"{"year":"1961"}"#, year), Ok(Some(1961)));
        for text in ["19", "abcd"] {
            let refused = with(&format!(r#"{{"year":"{text}"}}"#), year);
            assert_eq!(refused, Err(("year".to_owned(), "malformed")));
        }
        assert_eq!(with(r#"{"year":""}"#, year), Err(("year".to_owned(), "empty")));
        let word = |f: &Fields<'_>| f.text(&WORD).map(str::to_owned);
        assert_eq!(with(r#"{"word":"a"}"#, word), Err(("word".to_owned(), "malformed")));
        assert_eq!(with(r#"{"word":"a\nb"}"#, word), Err(("word".to_owned(), "malformed")));
    }

    #[test]
    fn numbers_and_arrays_are_held_to_their_bounds() {
        const LIMIT: Field<Whole> = Field::whole("limit", 1..=9, 3);
        const NAMES: Field<Array> = Field::array("names", 1..=2, || json!({}));
        let limit = |f: &Fields<'_>| f.whole(&LIMIT);
        assert_eq!((with("{}", limit), with(r#"{"limit":9}"#, limit)), (Ok(3), Ok(9)));
        for number in ["0", "10", "1.5", "-1"] {
            let refused = with(&format!(r#"{{"limit":{number}}}"#), limit);
            assert_eq!(refused, Err(("limit".to_owned(), "malformed")), "{number}");
        }
        assert_eq!(with(r#"{"limit":"1"}"#, limit), Err(("limit".to_owned(), "wrong_type")));
        let names = |f: &Fields<'_>| f.array(&NAMES, "names").map(|names| names.map(<[Json]>::len));
        assert_eq!((with("{}", names), with(r#"{"names":[1,2]}"#, names)), (Ok(None), Ok(Some(2))));
        for (array, code) in [("[]", "empty"), ("[1,2,3]", "too_long"), ("7", "wrong_type")] {
            assert_eq!(with(&format!(r#"{{"names":{array}}}"#), names), Err(("names".to_owned(), code)));
        }
    }
}
