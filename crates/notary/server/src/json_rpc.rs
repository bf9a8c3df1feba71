//! JSON-RPC 2.0, for the protocols that come in it: one message, read as I-JSON, its answer, and the call of a route that it
//! stands for.

use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use listen::Peer;
use module::terms::BODY_LIMIT;
use receipt::json::{Json, Number, Object, parse};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::app::App;
use crate::pipeline::{self, Client};
use crate::refusal::{Quota, Refusal};
use crate::routes;

/// A message from a client.
pub(crate) enum Message {
    /// A request, which is answered.
    Request(RpcRequest),
    /// A notification, which is not: this server keeps no state that one could change.
    Notification,
}

/// A request.
pub(crate) struct RpcRequest {
    /// The request's id, as JSON.
    pub(crate) id: String,
    pub(crate) method: String,
    /// The parameters, without the arguments of a tool.
    pub(crate) params: Option<Object>,
    /// The arguments of a tool or a prompt. Those of over [`BODY_LIMIT`] bytes are in canonical form alone.
    pub(crate) arguments: Option<Json>,
    /// The arguments in canonical form: large ones are written where the message is read, off the serving threads.
    pub(crate) canonical: Vec<u8>,
}

/// Maximum length of an id, in bytes of its JSON: it is repeated in the answer.
const MAX_ID_BYTES: usize = 1024;
/// Maximum size of `_meta`, in bytes of its canonical form: payments are in it, and are read on the serving threads.
pub(crate) const MAX_META_BYTES: usize = 64 << 10;

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// It is no JSON, a batch, an answer, or otherwise no message.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RpcError> {
        let message = parse(bytes).map_err(|error| RpcError::parse(&error.to_string()))?;
        let Json::Object(mut message) = message else {
            return Err(RpcError::request("must be one object; a batch is not taken"));
        };
        if message.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return Err(RpcError::request("must have `\"jsonrpc\": \"2.0\"`"));
        }
        let Some(Json::String(method)) = message.remove("method") else {
            return Err(RpcError::request("must have a `method`; no answer is waited for here"));
        };
        let Some(id) = message.remove("id") else { return Ok(Self::Notification) };
        let is_id = match &id {
            Json::String(_) => true,
            Json::Number(number) => number.as_i64().is_some(),
            _ => false,
        };
        let id = String::from_utf8(id.canonical()).unwrap_or_default();
        if !is_id || id.len() > MAX_ID_BYTES {
            return Err(RpcError::request("must have an `id` that is a short string or a whole number"));
        }
        let mut params = match message.remove("params") {
            None => None,
            Some(Json::Object(params)) => Some(params),
            Some(_) => return Err(RpcError::request("must have `params` that are an object, or none")),
        };
        let meta = params.as_ref().and_then(|params| params.get("_meta"));
        if meta.is_some_and(|meta| meta.canonical().len() > MAX_META_BYTES) {
            return Err(RpcError::request("must have at most 65536 bytes of `_meta`"));
        }
        let arguments = params.as_mut().and_then(|params| params.remove("arguments"));
        let canonical = arguments.as_ref().map(Json::canonical).unwrap_or_default();
        // Only a verdict route takes so much, and in that form. The tree is dropped here, off the serving threads.
        let arguments = arguments.filter(|_| canonical.len() <= BODY_LIMIT);
        Ok(Self::Request(RpcRequest { id, method, params, arguments, canonical }))
    }
}

impl RpcRequest {
    /// A parameter.
    pub(crate) fn param(&self, name: &str) -> Option<&Json> {
        self.params.as_ref()?.get(name)
    }

    /// A parameter that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.param(name)?.as_str()
    }

    /// The protocol's own members beside the parameters.
    pub(crate) fn meta(&self) -> Option<&Object> {
        self.param("_meta")?.as_object()
    }
}

/// An answer: its body, and the status that HTTP gives it.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

/// An error of the protocol. What is wrong with the arguments of a tool is none: it is a result, which a model can read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    message: String,
    data: Option<Value>,
}

const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
pub(crate) const UNKNOWN_METHOD: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;

impl RpcError {
    pub(crate) fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None }
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    pub(crate) fn parse(why: &str) -> Self {
        Self::new(PARSE, format!("the body cannot be read: {why}"))
    }

    pub(crate) fn request(why: &str) -> Self {
        Self::new(INVALID_REQUEST, format!("the message {why}"))
    }

    pub(crate) fn params(why: &str) -> Self {
        Self::new(INVALID_PARAMS, why.to_owned())
    }

    pub(crate) fn unknown_method() -> Self {
        Self::new(UNKNOWN_METHOD, "there is no such method here".to_owned())
    }

    pub(crate) fn reply(self, id: Option<&str>, status: StatusCode) -> Reply {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = self.data {
            error["data"] = data;
        }
        let body = match id {
            Some(id) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#),
            None => format!(r#"{{"jsonrpc":"2.0","error":{error}}}"#),
        };
        Reply { status, body: body.into_bytes() }
    }
}

/// Answers with a result that is JSON already.
pub(crate) fn whole(id: &str, result: &str) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes();
    Reply { status: StatusCode::OK, body }
}

/// The header of a payment of x402, and its value: version 1, in which statements of settlement are, has a header of its own.
pub(crate) fn x402_proof(payment: &Json) -> (HeaderName, String) {
    let version = payment.get("x402Version").and_then(Json::as_number).and_then(Number::as_u64);
    let name = if version == Some(1) { "x-payment" } else { "payment-signature" };
    (HeaderName::from_static(name), STANDARD.encode(payment.canonical()))
}

/// What a header says of a payment of x402, in either version; `None` where there was none.
pub(crate) fn x402_response(headers: &HeaderMap) -> Option<Value> {
    decoded(headers, "payment-response").or_else(|| decoded(headers, "x-payment-response"))
}

/// A header that is JSON in base64 or base64url; `None` where there is none.
pub(crate) fn decoded(headers: &HeaderMap, name: &str) -> Option<Value> {
    let value = headers.get(name)?.as_bytes();
    let bytes = STANDARD.decode(value).or_else(|_| URL_SAFE_NO_PAD.decode(value));
    serde_json::from_slice(&bytes.ok()?).ok()
}

/// Takes a body in within the limits of a route, counts it, and reads it in its turn, off the serving threads where it is large.
pub(crate) async fn arrive<T: Send + 'static>(
    app: &App,
    client: &Client,
    (parts, body): (&Parts, Body),
    (path, limit_bytes): (&str, usize),
    read: impl FnOnce(&[u8]) -> T + Send + 'static,
) -> Result<(T, Option<Quota>), Refusal> {
    let body = pipeline::read_body(app.inflow.hold(client.network()), parts, body, limit_bytes).await?;
    let quota = routes::hit(app, client, path).await?;
    let (length, bytes) = (body.bytes.len(), body.bytes.clone());
    let read = app.compute.apart(client.party(), length, move || read(&bytes)).await?;
    Ok((read, quota))
}

/// Answers with a reply.
pub(crate) fn respond(reply: Reply, quota: Option<Quota>) -> Response {
    let mut response = routes::typed("application/json", reply.body, quota);
    *response.status_mut() = reply.status;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The answer of a route that a message has called.
pub(crate) struct Called {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Calls a route of HTTP for the client whose request had this head. `own` are further headers.
pub(crate) async fn call(
    api: &Router,
    parts: &Parts,
    (method, target, body): (Method, Uri, Vec<u8>),
    own: Vec<(HeaderName, HeaderValue)>,
) -> Called {
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = method;
    *request.uri_mut() = target;
    if let Some(peer) = parts.extensions.get::<Peer>() {
        request.extensions_mut().insert(*peer);
    }
    let headers = request.headers_mut();
    for name in [HeaderName::from_static("x-forwarded-for"), header::USER_AGENT] {
        for value in parts.headers.get_all(&name) {
            headers.append(name.clone(), value.clone());
        }
    }
    for (name, value) in own {
        headers.append(name, value);
    }
    let Ok(response) = api.clone().oneshot(request).await;
    let (answered, body) = response.into_parts();
    // The router answers from memory, so its body is there.
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Called { status: answered.status, headers: answered.headers, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> i64 {
        Message::read(text.as_bytes()).map(|_| ()).unwrap_err().code
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert_eq!(code("{"), -32700);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#), -32700);
        for text in [
            "[]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        ] {
            assert_eq!(code(text), -32600, "{text}");
        }
    }

    #[test]
    fn a_request_keeps_its_id_and_a_notification_has_none() {
        for (id, kept) in [("7", "7"), (r#""a\"b""#, r#""a\"b""#), ("-1", "-1")] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let Ok(Message::Request(request)) = Message::read(text.as_bytes()) else { panic!("{text}") };
            assert_eq!((request.id.as_str(), request.method.as_str()), (kept, "ping"));
        }
        let notification = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert!(matches!(Message::read(notification), Ok(Message::Notification)));
    }
}
