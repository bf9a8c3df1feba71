//! The question of a call: a JSON text to post, or the query of a GET.

use std::io::{self, Read as _};

use anyhow::{Context as _, bail, ensure};
use axum::http::Method;
use receipt::hash::{ReceiptHash, request_hash};
use receipt::json::{Json, JsonError, Object, parse, parse_lenient};
use url::form_urlencoded::{self, Serializer};

use crate::cli::CallArgs;

/// The most bytes of a question: more than any route takes.
const MAX_BYTES: u64 = 8 << 20;

/// A question, as it is sent.
pub struct Question {
    /// POST or GET.
    pub method: Method,
    /// The path without its first slash, and the query.
    pub target: String,
    /// The body, exactly as it was given: a payment is bound to its bytes.
    pub body: Vec<u8>,
}

impl Question {
    /// Reads the question of the command line, or of standard input.
    ///
    /// # Errors
    /// It is no JSON, or has no form as a query. Nothing has been sent then.
    pub fn read(args: &CallArgs) -> anyhow::Result<Self> {
        let path = args.route.trim_start_matches('/').to_owned();
        if args.get {
            let target = with_query(path, &query(&args.question)?);
            return Ok(Self { method: Method::GET, target, body: Vec::new() });
        }
        let [text] = args.question.as_slice() else {
            bail!("the question is one argument, a JSON object in quotes; `key=value` pairs are for --get");
        };
        let body = text_of(text)?;
        read_json(&body)?;
        Ok(Self { method: Method::POST, target: path, body })
    }

    /// The hash of the question, as its receipt names it.
    ///
    /// # Errors
    /// The body is no I-JSON.
    pub fn hash(&self) -> anyhow::Result<ReceiptHash> {
        let asked = match self.target.split_once('?') {
            Some((_, query)) if self.method == Method::GET => Json::Object(members(query)),
            None if self.method == Method::GET => Json::Object(Object::new()),
            _ => parse(&self.body)?,
        };
        Ok(ReceiptHash(request_hash(&asked)))
    }

    /// The hash of the receipt that is asked for, where a stored receipt is.
    pub fn of_stored_receipt(&self) -> Option<&str> {
        self.target.strip_prefix("receipts/").filter(|_| self.method == Method::GET)
    }
}

/// The members of a query, as the notary reads them: each is a text.
fn members(query: &str) -> Object {
    let mut members = Object::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        members.insert(name, value.into_owned());
    }
    members
}

fn with_query(path: String, query: &str) -> String {
    let joint = match (query.is_empty(), path.contains('?')) {
        (true, _) => return path,
        (false, true) => '&',
        (false, false) => '?',
    };
    format!("{path}{joint}{query}")
}

/// The query of a GET: from `key=value` pairs, or from one JSON object.
fn query(question: &[String]) -> anyhow::Result<String> {
    let mut query = Serializer::new(String::new());
    match question {
        [object] if object == "-" || object.trim_start().starts_with('{') => {
            let Json::Object(object) = read_json(&text_of(object)?)? else {
                bail!("the question must be a JSON object, such as {{\"domain\": \"example.com\"}}")
            };
            for (name, value) in object.iter() {
                query.append_pair(name, &as_text(name, value)?);
            }
        }
        pairs => {
            for pair in pairs {
                let (name, value) = pair.split_once('=').with_context(|| {
                    format!("`{pair}` is no `key=value`, such as domain=example.com, and no JSON object")
                })?;
                ensure!(!name.is_empty(), "`{pair}` has no key before its `=`");
                query.append_pair(name, value);
            }
        }
    }
    Ok(query.finish())
}

fn as_text(name: &str, value: &Json) -> anyhow::Result<String> {
    Ok(match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.text().to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Null | Json::Array(_) | Json::Object(_) => {
            bail!("`{name}` is {}: a query holds texts, numbers, true and false alone", value.type_name())
        }
    })
}

fn text_of(argument: &str) -> anyhow::Result<Vec<u8>> {
    if argument != "-" {
        return Ok(argument.as_bytes().to_owned());
    }
    let mut text = Vec::new();
    io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text).context("read standard input")?;
    Ok(text)
}

/// Reads JSON. What is JSON, but not what a notary takes, is left to the notary, which says what is wrong in which member.
fn read_json(text: &[u8]) -> anyhow::Result<Json> {
    parse_lenient(text).map_err(|error| {
        let (line, column) = place(text, &error);
        let detail = error.detail.strip_prefix("not JSON: ").unwrap_or(&error.detail);
        let detail = detail.rsplit_once(" at byte ").map_or(detail, |(detail, _)| detail);
        anyhow::anyhow!("the question is not JSON: line {line}, column {column}: {detail}; nothing was sent")
    })
}

/// The line and the column of an error, in characters, both from 1.
fn place(text: &[u8], error: &JsonError) -> (usize, usize) {
    let before = &text[..error.offset.min(text.len())];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (line, String::from_utf8_lossy(&before[start..]).chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &[&str]) -> anyhow::Result<String> {
        query(&question.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn pairs_and_objects_become_the_same_query() {
        let pairs = asked(&["domain=b\u{fc}cher.example", "purpose=a b&c", "limit=3"]).unwrap();
        let object =
            asked(&[r#"{"domain": "b\u00fccher.example", "purpose": "a b&c", "limit": 3}"#]).unwrap();
        assert_eq!(
            (pairs.as_str(), pairs == object),
            ("domain=b%C3%BCcher.example&purpose=a+b%26c&limit=3", true)
        );
        assert_eq!(asked(&["empty=", "a=b=c"]).unwrap(), "empty=&a=b%3Dc");
        assert_eq!(with_query("receipts?a=1".to_owned(), "b=2"), "receipts?a=1&b=2");
        for (refused, word) in
            [(&["domain"][..], "key=value"), (&["=x"], "no key"), (&[r#"{"a": [1]}"#], "`a`")]
        {
            let said = asked(refused).unwrap_err().to_string();
            assert!(said.contains(word), "{refused:?}: {said}");
        }
    }

    #[test]
    fn an_error_of_json_has_its_line_and_column() {
        for (text, at) in
            [("{\"a\" 1}", (1, 6)), ("{\n  \"\u{fc}\": tru}", (2, 11)), ("", (1, 1)), ("{", (1, 2))]
        {
            let error = parse_lenient(text.as_bytes()).unwrap_err();
            assert_eq!(place(text.as_bytes(), &error), at, "{text}: {error:?}");
        }
    }
}
