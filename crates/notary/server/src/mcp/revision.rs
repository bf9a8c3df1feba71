//! The revisions of the protocol, and what each asks of the head of a request.

use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::json::Json;
use serde_json::json;

use crate::json_rpc::{RpcError, RpcRequest};

/// The revision in which each request says all that it needs.
const MODERN: &str = "2026-07-28";
/// The revisions that begin with `initialize`, the newest first.
const LEGACY: [&str; 2] = ["2025-11-25", "2025-06-18"];
/// All revisions that are spoken, the newest first.
pub(super) const SUPPORTED: [&str; 3] = [MODERN, LEGACY[0], LEGACY[1]];
/// The revision of a client that names none, by the protocol's own rule. It is answered as the oldest here.
const UNNAMED: &str = "2025-03-26";

const NO_SESSION: &str = "is of a session, and this server keeps none: send no Mcp-Session-Id";

const VERSION_HEADER: &str = "mcp-protocol-version";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// How a request is spoken to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Revision {
    /// 2026-07-28.
    Modern {
        /// True if the client has declared the extension for payments.
        pays: bool,
    },
    /// A revision that begins with `initialize`.
    Legacy,
}

impl Revision {
    /// Finds the revision of a request, and checks what that revision asks of its head.
    ///
    /// # Errors
    /// The error, and the status that HTTP answers it with.
    pub(super) fn of(headers: &HeaderMap, request: &RpcRequest) -> Result<Self, (RpcError, StatusCode)> {
        Self::find(headers, request)
            .map_err(|error| (error, StatusCode::BAD_REQUEST))?
            .ok_or_else(|| (RpcError::request(NO_SESSION), StatusCode::NOT_FOUND))
    }

    pub(super) fn is_modern(self) -> bool {
        matches!(self, Self::Modern { .. })
    }

    /// `None` where the client has a session, which nobody has here: such a client begins anew.
    fn find(headers: &HeaderMap, request: &RpcRequest) -> Result<Option<Self>, RpcError> {
        // It says in its parameters which revision its client speaks, and is answered with one of those that begin with it.
        if request.method == "initialize" {
            return Ok(Some(Self::Legacy));
        }
        let named = single(headers, VERSION_HEADER)?;
        let in_meta = request.meta().and_then(|meta| meta.get(VERSION_KEY));
        let is_modern =
            in_meta.is_some() || request.method == "server/discover" || named.as_deref() == Some(MODERN);
        if is_modern {
            modern(headers, request, named.as_deref()).map(Some)
        } else {
            legacy(headers, named.as_deref())
        }
    }
}

/// The revision that an `initialize` is answered with.
pub(super) fn negotiated(asked: Option<&str>) -> &'static str {
    LEGACY.into_iter().find(|legacy| asked == Some(legacy)).unwrap_or(LEGACY[0])
}

fn legacy(headers: &HeaderMap, named: Option<&str>) -> Result<Option<Revision>, RpcError> {
    if let Some(named) = named.filter(|named| *named != UNNAMED && !LEGACY.contains(named)) {
        return Err(unsupported(named));
    }
    Ok((!headers.contains_key("mcp-session-id")).then_some(Revision::Legacy))
}

fn modern(headers: &HeaderMap, request: &RpcRequest, named: Option<&str>) -> Result<Revision, RpcError> {
    let member = |key: &str| request.meta().and_then(|meta| meta.get(key));
    let Some(version) = member(VERSION_KEY).and_then(Json::as_str) else {
        return Err(RpcError::params(&format!("`_meta` must have `{VERSION_KEY}`")));
    };
    let Some(capabilities) = member(CAPABILITIES_KEY).and_then(Json::as_object) else {
        return Err(RpcError::params(&format!("`_meta` must have `{CAPABILITIES_KEY}`")));
    };
    same("MCP-Protocol-Version", named, version)?;
    same("Mcp-Method", single(headers, "mcp-method")?.as_deref(), &request.method)?;
    let name = match &*request.method {
        "tools/call" | "prompts/get" => request.text("name"),
        "resources/read" => request.text("uri"),
        _ => None,
    };
    if let Some(name) = name {
        let sent = single(headers, "mcp-name")?;
        let sent = sent.map(|sent| decoded(&sent).ok_or_else(|| mismatch("Mcp-Name"))).transpose()?;
        same("Mcp-Name", sent.as_deref(), name)?;
    }
    if version != MODERN {
        return Err(unsupported(version));
    }
    let extensions = capabilities.get("extensions");
    let pays = extensions.and_then(|extensions| extensions.get(super::call::PAYMENT_EXTENSION)).is_some();
    Ok(Revision::Modern { pays })
}

/// The value of a header that is there at most once.
fn single(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, RpcError> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value.to_owned())),
            Err(_) => Err(mismatch(name)),
        },
        _ => Err(mismatch(name)),
    }
}

fn same(name: &str, sent: Option<&str>, meant: &str) -> Result<(), RpcError> {
    if sent == Some(meant) { Ok(()) } else { Err(mismatch(name)) }
}

fn mismatch(name: &str) -> RpcError {
    RpcError::new(-32020, format!("the header {name} must be there once and say what the body says"))
}

fn unsupported(version: &str) -> RpcError {
    let error = RpcError::new(-32022, "the revision of the protocol is not supported".to_owned());
    error.with_data(json!({"supported": SUPPORTED, "requested": version}))
}

/// The value of a header that may be in base64, as `=?base64?...?=`.
fn decoded(value: &str) -> Option<String> {
    let Some(text) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(value.to_owned());
    };
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;
    use crate::json_rpc::Message;

    fn request(method: &str, params: &str) -> RpcRequest {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        match Message::read(text.as_bytes()) {
            Ok(Message::Request(request)) => request,
            _ => panic!("{text}"),
        }
    }

    fn found(headers: &[(&'static str, &'static str)], request: &RpcRequest) -> Result<Revision, i64> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Revision::of(&map, request).map_err(|(error, _)| error.code)
    }

    fn call(version: &str, extensions: &str) -> RpcRequest {
        request(
            "tools/call",
            &format!(
                r#"{{"name":"scan-text","arguments":{{}},"_meta":{{"{VERSION_KEY}":"{version}",
                    "{CAPABILITIES_KEY}":{{"extensions":{extensions}}}}}}}"#
            ),
        )
    }

    const VERSION: (&str, &str) = (VERSION_HEADER, MODERN);
    const METHOD: (&str, &str) = ("mcp-method", "tools/call");
    const TOOL: (&str, &str) = ("mcp-name", "scan-text");

    #[test]
    fn a_request_of_the_newest_revision_says_the_same_in_head_and_body() {
        let asked = call(MODERN, "{}");
        assert_eq!(found(&[VERSION, METHOD, TOOL], &asked), Ok(Revision::Modern { pays: false }));
        let encoded = ("mcp-name", "=?base64?c2Nhbi10ZXh0?=");
        let paying = call(MODERN, r#"{"org.x402/payment":{}}"#);
        assert_eq!(found(&[VERSION, METHOD, encoded], &paying), Ok(Revision::Modern { pays: true }));
        let wrong: &[&[(&str, &str)]] = &[
            &[],
            &[METHOD, TOOL],
            &[VERSION, TOOL],
            &[VERSION, METHOD],
            &[VERSION, METHOD, ("mcp-name", "commit")],
            &[VERSION, METHOD, ("mcp-name", "=?base64?%%?=")],
            &[VERSION, ("mcp-method", "tools/list"), TOOL],
            &[VERSION, METHOD, METHOD, TOOL],
            &[(VERSION_HEADER, "2025-11-25"), METHOD, TOOL],
        ];
        for headers in wrong {
            assert_eq!(found(headers, &asked), Err(-32020), "{headers:?}");
        }
        let future = call("2099-01-01", "{}");
        assert_eq!(found(&[(VERSION_HEADER, "2099-01-01"), METHOD, TOOL], &future), Err(-32022));
        assert_eq!(
            found(&[VERSION, METHOD, TOOL], &request("tools/call", r#"{"name":"scan-text"}"#)),
            Err(-32602)
        );
    }

    #[test]
    fn an_older_client_is_one_that_begins_with_initialize_and_has_no_session() {
        let list = request("tools/list", "{}");
        for named in LEGACY.into_iter().chain([UNNAMED]) {
            assert_eq!(found(&[(VERSION_HEADER, named)], &list), Ok(Revision::Legacy), "{named}");
        }
        assert_eq!(found(&[], &list), Ok(Revision::Legacy));
        let begin = request("initialize", r#"{"protocolVersion":"2026-07-28"}"#);
        assert_eq!(found(&[], &begin), Ok(Revision::Legacy));
        assert_eq!(found(&[VERSION], &begin), Ok(Revision::Legacy), "whatever its head says");
        assert_eq!(found(&[(VERSION_HEADER, "2024-01-01")], &list), Err(-32022));
        assert_eq!(found(&[("mcp-session-id", "made-up")], &list), Err(-32600));
        assert_eq!(negotiated(Some("2025-06-18")), "2025-06-18");
        assert_eq!(negotiated(Some(MODERN)), "2025-11-25");
        assert_eq!(negotiated(None), "2025-11-25");
    }
}
