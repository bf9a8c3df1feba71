//! The dot path of `url_json`: how a caller points at one value of a JSON document.
//!
//! Libraries disagree on almost every corner of this notation (brackets, negative indices, `length`,
//! inherited members, empty names), so the grammar here is as small as it can be and everything outside it is
//! refused:
//!
//! ```text
//! path    = [ "\$." ] segment *( "." segment )
//! segment = 1*( character | "\." | "\\" )      character: any but "." and "\"
//! ```
//!
//! On an object a segment is a member's name, digits included; on an array it is an index without sign or
//! leading zeros. There are no wildcards, no brackets and no members but the document's own. `$.` at the beginning, which
//! JSONPath (RFC 9535) has and this notation has not, is refused with the path that was most likely meant; `\$.` stands for a
//! member of the document's root that is named `$`.

use std::fmt;

use receipt::json::Json;

/// A path from a document's root to one value: names and array indices, with dots between.
///
/// ```
/// use claim::DotPath;
///
/// let path = DotPath::parse(r"releases.0.tags.v1\.2")?;
/// assert_eq!(path.segments(), ["releases", "0", "tags", "v1.2"]);
/// assert_eq!(path.to_string(), r"releases.0.tags.v1\.2");
/// # Ok::<(), claim::PathError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DotPath(Vec<String>);

/// The reason why a text is not a valid path.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathError {
    /// A segment is empty: two dots in a row, a dot at either end, or an empty text.
    #[error("must not have an empty segment")]
    EmptySegment,
    /// A backslash stands before a character other than a dot or a backslash.
    #[error("must escape only a dot or a backslash")]
    UnknownEscape,
    /// The text ends with a backslash.
    #[error("must not end with a single backslash")]
    OpenEscape,
    /// The path has more than [`DotPath::MAX_SEGMENTS`] segments.
    #[error("must have at most {} segments", DotPath::MAX_SEGMENTS)]
    TooManySegments,
    /// The text begins with `$.`, as a path of JSONPath does.
    #[error("begins at the document's root without `$.`, which is JSONPath: did you mean `{0}`?")]
    JsonPath(String),
}

/// The reason why a path leads to no value. Each leaves the claim unresolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathMiss {
    /// A member or an element on the path is absent.
    Missing,
    /// A name on the path is duplicated in its object, so that parsers may disagree on the value.
    DuplicateKey,
}

/// The beginning of a path through a member of the root that is named `$`.
const ROOT_DOLLAR: &str = r"\$.";

impl DotPath {
    /// Maximum number of segments of a path, and maximum depth of a document.
    pub const MAX_SEGMENTS: usize = 64;

    /// Parses a path.
    ///
    /// # Errors
    /// [`PathError`] for the first rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if let Some(rest) = text.strip_prefix("$.") {
            return Err(PathError::JsonPath(rest.to_owned()));
        }
        let (mut segments, mut segment) = (Vec::new(), String::new());
        let of_root = text.strip_prefix(ROOT_DOLLAR);
        segments.extend(of_root.map(|_| "$".to_owned()));
        let mut characters = of_root.unwrap_or(text).chars();
        loop {
            match characters.next() {
                Some('\\') => match characters.next() {
                    Some(escaped @ ('.' | '\\')) => segment.push(escaped),
                    Some(_) => return Err(PathError::UnknownEscape),
                    None => return Err(PathError::OpenEscape),
                },
                Some(character) if character != '.' => segment.push(character),
                end => {
                    if segment.is_empty() {
                        return Err(PathError::EmptySegment);
                    }
                    if segments.len() == Self::MAX_SEGMENTS {
                        return Err(PathError::TooManySegments);
                    }
                    segments.push(std::mem::take(&mut segment));
                    if end.is_none() {
                        return Ok(Self(segments));
                    }
                }
            }
        }
    }

    /// Returns the unescaped segments: at least one, none empty.
    #[must_use]
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// Returns the value at the path in a document.
    ///
    /// # Errors
    /// [`PathMiss`] if the path leads to no value, or not to a single one.
    pub fn follow<'a>(&self, document: &'a Json) -> Result<&'a Json, PathMiss> {
        self.0.iter().try_fold(document, |value, segment| match value {
            Json::Object(object) if object.is_duplicated(segment) => Err(PathMiss::DuplicateKey),
            Json::Object(object) => object.get(segment).ok_or(PathMiss::Missing),
            Json::Array(elements) => {
                index(segment).and_then(|index| elements.get(index)).ok_or(PathMiss::Missing)
            }
            _ => Err(PathMiss::Missing),
        })
    }
}

impl fmt::Display for DotPath {
    /// The text that [`DotPath::parse`] reads as this path; there is only one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            if at == 0 && segment == "$" && self.0.len() > 1 {
                f.write_str(r"\$")?;
                continue;
            }
            f.write_str(&segment.replace('\\', r"\\").replace('.', r"\."))?;
        }
        Ok(())
    }
}

/// `0|[1-9][0-9]*`, and no more than an index can be.
fn index(segment: &str) -> Option<usize> {
    let canonical = segment == "0" || !segment.starts_with('0');
    let digits = segment.bytes().all(|byte| byte.is_ascii_digit());
    (canonical && digits).then(|| segment.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The document of the differential table of path libraries, and what each path gives here.
    const DOCUMENT: &str = r#"{"a":{"0":"zero","b":[{"id":7},{"id":"8"}],"x.y":1,"n":null,"z":0,"f":1,
        "t":true,"e":"","o":{},"":"emptykey","naïve":"u"},"a.b":"dotted","items":[[1,2],[3]],"w\\w":"slash"}"#;

    fn found(path: &str) -> Result<String, PathMiss> {
        let document = receipt::json::parse_lenient(DOCUMENT.as_bytes()).unwrap();
        DotPath::parse(path).unwrap().follow(&document).map(ToString::to_string)
    }

    #[test]
    fn a_segment_is_a_name_on_an_object_and_an_index_on_an_array() {
        for (path, value) in [
            ("a.b.0.id", "7"),
            ("a.b.1.id", "\"8\""),
            ("a.0", "\"zero\""),
            ("items.0.1", "2"),
            (r"a.x\.y", "1"),
            (r"a\.b", "\"dotted\""),
            (r"w\\w", "\"slash\""),
            ("a.n", "null"),
            ("a.e", "\"\""),
            ("a.o", "{}"),
            ("a.naïve", "\"u\""),
        ] {
            assert_eq!(found(path).as_deref(), Ok(value), "{path}");
        }
    }

    #[test]
    fn what_other_libraries_add_to_the_notation_leads_nowhere() {
        for path in [
            "a.b[0].id",
            "a.b.-1.id",
            "a.b.+1.id",
            "a.b.00.id",
            "a.b.01.id",
            "a.b.9.id",
            "a.b.1e0.id",
            "a.b.99999999999999999999999.id",
            "a.b.length",
            "a.x.y",
            r#"a["x\.y"]"#,
            "a.n.q",
            "a.e.length",
            "a.z.0",
            "$",
            "items[0][1]",
            "__proto__",
            "constructor",
            "a.constructor.name",
            "a.b.#",
            "a.b.*.id",
            " a",
            "nai\u{308}ve",
        ] {
            assert_eq!(found(path), Err(PathMiss::Missing), "{path}");
        }
    }

    #[test]
    fn an_empty_segment_an_unknown_escape_and_an_open_escape_are_refused() {
        for path in ["", ".", "a.", ".a", "a..b", "a.b."] {
            assert_eq!(DotPath::parse(path), Err(PathError::EmptySegment), "{path:?}");
        }
        for path in [r"a\b", r"a\n.b", r"\a", r"a\ .b", r"a\..\x"] {
            assert_eq!(DotPath::parse(path), Err(PathError::UnknownEscape), "{path:?}");
        }
        for path in [r"\", r"a\", r"a.b\\\"] {
            assert_eq!(DotPath::parse(path), Err(PathError::OpenEscape), "{path:?}");
        }
    }

    #[test]
    fn a_path_has_at_most_64_segments() {
        let path = |count| vec!["a"; count].join(".");
        assert_eq!(DotPath::parse(&path(64)).unwrap().segments().len(), 64);
        assert_eq!(DotPath::parse(&path(65)), Err(PathError::TooManySegments));
    }

    #[test]
    fn a_path_of_json_path_is_refused_with_the_path_that_was_meant() {
        let refused = DotPath::parse("$.a.t").unwrap_err();
        assert!(refused.to_string().ends_with("did you mean `a.t`?"), "{refused}");
        let document = receipt::json::parse_lenient(br#"{"$":{"x":1}}"#).unwrap();
        let path = DotPath::parse(r"\$.x").unwrap();
        assert_eq!(
            (path.segments(), path.to_string().as_str()),
            (&["$", "x"].map(str::to_owned)[..], r"\$.x")
        );
        assert_eq!(path.follow(&document).map(ToString::to_string).as_deref(), Ok("1"));
        assert_eq!(DotPath::parse("$").unwrap().segments(), ["$"]);
    }

    #[test]
    fn a_duplicate_name_matters_only_on_the_path() {
        let document = receipt::json::parse_lenient(br#"{"a":{"x":1,"y":2,"x":1},"b":3,"b":3}"#).unwrap();
        let follow = |path| DotPath::parse(path).unwrap().follow(&document).map(ToString::to_string);
        assert_eq!(follow("a.y").as_deref(), Ok("2"));
        assert_eq!(follow("a.x"), Err(PathMiss::DuplicateKey));
        assert_eq!(follow("b"), Err(PathMiss::DuplicateKey));
        assert_eq!(follow("b.c"), Err(PathMiss::DuplicateKey));
    }

    proptest! {
        #[test]
        fn a_path_survives_its_own_text(segments in prop::collection::vec(r"[\PC.\\]{1,6}", 1..9)) {
            let path = DotPath(segments);
            prop_assert_eq!(DotPath::parse(&path.to_string()), Ok(path));
        }

        #[test]
        fn a_text_that_is_a_path_is_the_only_text_of_that_path(text in r"[ab.\\]{0,12}") {
            if let Ok(path) = DotPath::parse(&text) {
                prop_assert_eq!(path.to_string(), text);
            }
        }

        #[test]
        fn a_segment_is_an_index_exactly_where_it_is_a_number_s_own_text(segment in r"[0-9+\- ]{1,4}") {
            let expected = segment.parse::<usize>().ok().filter(|index| index.to_string() == segment);
            prop_assert_eq!(index(&segment), expected);
        }
    }
}
