//! The request as a JSON object, and the field that every signed route has.

use axum::http::Method;
use axum::http::request::Parts;
use receipt::json::{Json, Object, parse};
use url::form_urlencoded;
use verdict::{AgentName, FieldError, Fields, Reason};

use crate::refusal::Refusal;
use crate::terms::Terms;

/// The request: a body of JSON, or the query of a GET as an object of strings.
///
/// # Errors
/// 400: not I-JSON, no object, or a repeated query name.
pub fn read_object(parts: &Parts, body: &[u8]) -> Result<Object, Refusal> {
    if [Method::GET, Method::HEAD].contains(&parts.method) {
        return Ok(query_object(parts.uri.query().unwrap_or_default())?);
    }
    match parse(body)? {
        Json::Object(object) => Ok(object),
        other => {
            let detail = format!("must be a JSON object, not {}", other.type_name());
            Err(Refusal::field("body", Reason::WrongType, detail))
        }
    }
}

/// A query as an object of strings.
///
/// # Errors
/// A name is given twice.
pub fn query_object(query: &str) -> Result<Object, FieldError> {
    let mut object = Object::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if object.contains(&name) {
            let fields = Fields::root(&object);
            return Err(fields.error(&name, Reason::DuplicateKey, "is given more than once"));
        }
        object.insert(name, value.into_owned());
    }
    Ok(object)
}

/// The caller's name.
pub(super) fn agent(object: &Object, terms: &Terms) -> Result<AgentName, FieldError> {
    let fields = Fields::root(object);
    if terms.anonymous && fields.value("agent").is_none() {
        return Ok(AgentName::anonymous());
    }
    AgentName::read(&fields)
}
