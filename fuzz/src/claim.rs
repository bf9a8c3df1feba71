//! Claims: questions, paths and comparisons.

use claim::{ClaimQuestion, DotPath, FoundValue, matches};
use receipt::json::{Json, parse, parse_lenient};
use verdict::{Fields, Question};

use crate::split::parts;

/// Comparisons: any document and any text; a scalar always matches its own text.
pub fn compare(data: &[u8]) -> bool {
    let [document, expect] = parts(data);
    let (Ok(value), Ok(expect)) = (parse_lenient(document), str::from_utf8(expect)) else { return false };
    let verdict = matches(&value, expect);
    let found = FoundValue::of(&value);
    assert_eq!(verdict.is_some(), found.value.is_some());
    if let (Some(text), false) = (found.value, found.truncated) {
        assert_eq!(matches(&value, &text), Some(true));
    }
    true
}

/// Dot paths: any text is refused or given back as it was, and following it through any document never panics.
pub fn path(data: &[u8]) -> bool {
    let [text, document] = parts(data);
    let Ok(text) = str::from_utf8(text) else { return false };
    let Ok(path) = DotPath::parse(text) else { return false };
    assert_eq!(path.to_string(), text);
    assert!((1..=DotPath::MAX_SEGMENTS).contains(&path.segments().len()));
    if let Ok(document) = parse_lenient(document) {
        let _value = path.follow(&document);
    }
    true
}

/// Questions: any bytes are refused or read, and a refusal names a field of the question.
pub fn question(data: &[u8]) -> bool {
    let Ok(Json::Object(request)) = parse(data) else { return false };
    match ClaimQuestion::read(&Fields::root(&request)) {
        Ok(_) => true,
        Err(error) => {
            let field = error.path.dotted();
            assert!(field == "claim" || field == "resolver" || field.starts_with("resolver."), "{error}");
            false
        }
    }
}
