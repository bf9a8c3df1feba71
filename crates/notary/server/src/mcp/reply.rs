//! Answers and errors of JSON-RPC, written.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::revision::Revision;
use super::{LIST_TTL_MS, server_info};

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
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
/// In the revisions that begin with `initialize`; the newest one forbids it.
const NO_RESOURCE: i64 = -32002;
const NO_SESSION: &str = "there is no such session: this server keeps none, so send no Mcp-Session-Id";

impl RpcError {
    pub(crate) fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None }
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    pub(super) fn parse(why: &str) -> Self {
        Self::new(PARSE, format!("the body {why}"))
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

    pub(super) fn no_resource(revision: Revision) -> Self {
        let code = if revision.is_modern() { INVALID_PARAMS } else { NO_RESOURCE };
        Self::new(code, "no resource has this `uri`; `resources/list` has them all".to_owned())
    }

    pub(super) fn no_session() -> Self {
        Self::new(INVALID_REQUEST, NO_SESSION.to_owned())
    }

    pub(super) fn is_no_session(&self) -> bool {
        self.message == NO_SESSION
    }

    /// The status of an error about a method or its parameters. Older clients take a 404 for the end of their session.
    pub(super) fn status(&self, revision: Revision) -> StatusCode {
        if revision.is_modern() && self.code == UNKNOWN_METHOD {
            StatusCode::NOT_FOUND
        } else {
            StatusCode::OK
        }
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

/// Answers with a result. The newest revision has it say that it is complete, by whom it is, and for how long lists may be kept.
pub(super) fn result(id: &str, revision: Revision, method: &str, mut result: Value) -> Reply {
    if revision.is_modern() {
        result["resultType"] = json!("complete");
        result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server_info()});
        if !method.ends_with("/get") {
            result["ttlMs"] = json!(LIST_TTL_MS);
            result["cacheScope"] = json!("public");
        }
    }
    whole(id, &result.to_string())
}

/// Answers with a list that is JSON already.
pub(super) fn listed(id: &str, revision: Revision, name: &str, list: &str) -> Reply {
    if revision.is_modern() {
        let own = format!(
            r#""resultType":"complete","ttlMs":{LIST_TTL_MS},"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{}}}"#,
            server_info()
        );
        return whole(id, &format!(r#"{{"{name}":{list},{own}}}"#));
    }
    whole(id, &format!(r#"{{"{name}":{list}}}"#))
}

/// Answers with a result that is JSON already.
pub(crate) fn whole(id: &str, result: &str) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes();
    Reply { status: StatusCode::OK, body }
}
