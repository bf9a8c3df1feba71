//! The body of an answer.

use receipt::json::{Json, JsonErrorKind, Object, parse_lenient};
use thiserror::Error;

/// The most bytes of a body.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The most rows of an answer.
pub const MAX_ROWS: usize = 10_000;

/// A reason why an answer of a service is not a result. Each names the service.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// The body is larger than [`MAX_BYTES`].
    #[error("{service}: the answer has {length} bytes, more than the {MAX_BYTES} that are read")]
    TooLong {
        /// The service that answered.
        service: &'static str,
        /// The body's bytes.
        length: usize,
    },
    /// The body has no byte but white space.
    #[error("{service}: the answer is empty")]
    Empty {
        /// The service that answered.
        service: &'static str,
    },
    /// The body is a page in HTML or XML, as proxies and maintenance pages are.
    #[error("{service}: the answer is a page of HTML or XML, not JSON")]
    Html {
        /// The service that answered.
        service: &'static str,
    },
    /// The body is not JSON, or ends too early.
    #[error("{service}: the answer is not whole JSON at byte {offset}: {detail}")]
    Broken {
        /// The service that answered.
        service: &'static str,
        /// Offset of the first byte that cannot be read.
        offset: usize,
        /// The parser's words.
        detail: String,
    },
    /// An object has a member twice, so that one of the two would be lost.
    #[error("{service}: the member {member:?} is there twice in one object")]
    Duplicate {
        /// The service that answered.
        service: &'static str,
        /// The name.
        member: String,
    },
    /// The answer as a whole has another shape than the service documents.
    #[error("{service}: the answer has another shape: {detail}")]
    Shape {
        /// The service that answered.
        service: &'static str,
        /// What was expected and found.
        detail: String,
    },
    /// A required member is missing or `null`.
    #[error("{service}: the required member {member:?} of a {kind} is missing")]
    Missing {
        /// The service that answered.
        service: &'static str,
        /// The kind of the row.
        kind: &'static str,
        /// The member's name in the original.
        member: &'static str,
    },
    /// A required member has another type.
    #[error("{service}: the member {member:?} of a {kind} is {found}, expected {expected}")]
    Type {
        /// The service that answered.
        service: &'static str,
        /// The kind of the row.
        kind: &'static str,
        /// The member's name in the original.
        member: &'static str,
        /// The expected type.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// There are more rows than [`MAX_ROWS`], or more members than [`MAX_MEMBERS`](crate::MAX_MEMBERS) in a row.
    #[error("{service}: {count} {what}, more than the {most} that are read")]
    TooMany {
        /// The service that answered.
        service: &'static str,
        /// The things counted.
        what: &'static str,
        /// Their number.
        count: usize,
        /// The most that are read.
        most: usize,
    },
    /// The service refused the request in words of its own.
    #[error("{service} refused the request: {message}")]
    Refused {
        /// The service that answered.
        service: &'static str,
        /// Its words, cut at 500 characters.
        message: String,
    },
    /// The service answered another question than was asked: it ignored filters.
    #[error("{service} ignored a part of the query: {}", filters.join(", "))]
    Ignored {
        /// The service that answered.
        service: &'static str,
        /// The ignored fields of the search.
        filters: Vec<&'static str>,
    },
    /// Normalising lost members: a defect of this program, never shown as a result.
    #[error("{service}: members were lost: {}", members.join(", "))]
    Lost {
        /// The service that answered.
        service: &'static str,
        /// Names, with the path inside nested objects.
        members: Vec<String>,
    },
}

/// Reads a body as JSON. A byte order mark is passed over.
///
/// # Errors
/// [`AnswerError::TooLong`], [`AnswerError::Empty`], [`AnswerError::Html`] and [`AnswerError::Broken`].
pub fn parse(service: &'static str, body: &[u8]) -> Result<Json, AnswerError> {
    if body.len() > MAX_BYTES {
        return Err(AnswerError::TooLong { service, length: body.len() });
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(AnswerError::Empty { service }),
        Some(b'<') => return Err(AnswerError::Html { service }),
        Some(_) => {}
    }
    parse_lenient(body).map_err(|error| {
        let detail = match error.kind {
            JsonErrorKind::InvalidUtf8 => "not UTF-8".to_owned(),
            _ => error.detail.chars().take(200).collect(),
        };
        AnswerError::Broken { service, offset: error.offset, detail }
    })
}

/// The rows of an answer: the objects in its member `name`. `None` where the member is missing or `null`.
///
/// # Errors
/// [`AnswerError::Shape`] where the member is no array of objects, [`AnswerError::TooMany`] past [`MAX_ROWS`].
pub fn rows_of<'a>(
    service: &'static str,
    answer: &'a Object,
    name: &str,
) -> Result<Option<Vec<&'a Object>>, AnswerError> {
    match answer.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Array(elements)) => objects(service, elements).map(Some),
        Some(other) => {
            let detail = format!("{name:?} is {}, expected an array", other.type_name());
            Err(AnswerError::Shape { service, detail })
        }
    }
}

fn objects<'a>(service: &'static str, elements: &'a [Json]) -> Result<Vec<&'a Object>, AnswerError> {
    let count = elements.len();
    if count > MAX_ROWS {
        return Err(AnswerError::TooMany { service, what: "rows", count, most: MAX_ROWS });
    }
    let object = |(at, element): (usize, &'a Json)| {
        element.as_object().ok_or_else(|| AnswerError::Shape {
            service,
            detail: format!("row {at} is {}, expected an object", element.type_name()),
        })
    };
    elements.iter().enumerate().map(object).collect()
}
