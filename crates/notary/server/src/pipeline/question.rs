//! The request as a JSON object, and the field that every signed route has.

use axum::http::request::Parts;
use axum::http::{Method, header};
use module::terms::RouteTerms;
use receipt::json::{Json, JsonError, Object, parse};
use url::form_urlencoded;
use verdict::{AgentName, FieldError, Fields, Reason};

use crate::refusal::Refusal;

/// Maximum number of names in a query.
pub const MAX_QUERY_NAMES: usize = 64;

/// Reads the request: a JSON body, or the query of a GET as an object of strings.
///
/// # Errors
/// 400 if the body is not I-JSON (RFC 7493), is compressed or is not an object, or a query name is repeated.
pub fn read_object(parts: &Parts, body: &[u8]) -> Result<Object, Refusal> {
    if [Method::GET, Method::HEAD].contains(&parts.method) {
        return Ok(query_object(parts.uri.query().unwrap_or_default())?);
    }
    match parse(body).map_err(|error| unreadable(parts, error))? {
        Json::Object(object) => Ok(object),
        other => {
            let detail = format!("must be a JSON object, not {}", other.type_name());
            Err(Refusal::field("body", Reason::WrongType, detail))
        }
    }
}

/// The refusal of a body that cannot be read. Nothing is decompressed, so a compressed body is refused as such, and not
/// with the position of a wrong byte.
fn unreadable(parts: &Parts, error: JsonError) -> Refusal {
    let encoding = parts.headers.get(header::CONTENT_ENCODING);
    match encoding.filter(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        Some(_) => {
            let detail = "is not taken: send the body as it is, neither compressed nor encoded";
            Refusal::field("Content-Encoding", Reason::NotApplicable, detail)
        }
        None => error.into(),
    }
}

/// Reads a query as an object of strings.
///
/// # Errors
/// [`FieldError`] if a name is repeated, or there are more than [`MAX_QUERY_NAMES`].
pub fn query_object(query: &str) -> Result<Object, FieldError> {
    let mut object = Object::new();
    for (number, (name, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
        // With so few names, looking at each of those before costs nothing.
        if number >= MAX_QUERY_NAMES {
            let detail = format!("may have at most {MAX_QUERY_NAMES} names");
            return Err(Fields::root(&object).error("query", Reason::TooLong, detail));
        }
        if object.contains(&name) {
            let fields = Fields::root(&object);
            return Err(fields.error(&name, Reason::DuplicateKey, "is given more than once"));
        }
        object.insert(name, value.into_owned());
    }
    Ok(object)
}

/// The caller's name.
pub(super) fn agent(object: &Object, terms: &RouteTerms) -> Result<AgentName, FieldError> {
    let fields = Fields::root(object);
    if terms.anonymous && fields.value("agent").is_none() {
        return Ok(AgentName::anonymous());
    }
    AgentName::read(&fields)
}
