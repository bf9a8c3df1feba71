//! Answers of the protocol, and its errors beside those of JSON-RPC.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::revision::Revision;
use super::{LIST_TTL_MS, server_info};
use crate::json_rpc::{INVALID_PARAMS, Reply, RpcError, UNKNOWN_METHOD, whole};

/// In the revisions that begin with `initialize`; the newest one forbids it.
const NO_RESOURCE: i64 = -32002;

pub(super) fn no_resource(revision: Revision) -> RpcError {
    let code = if revision.is_modern() { INVALID_PARAMS } else { NO_RESOURCE };
    RpcError::new(code, "no resource has this `uri`; `resources/list` has them all".to_owned())
}

/// The status of an error about a method or its parameters. Older clients take a 404 for the end of their session.
pub(super) fn status(error: &RpcError, revision: Revision) -> StatusCode {
    if revision.is_modern() && error.code == UNKNOWN_METHOD { StatusCode::NOT_FOUND } else { StatusCode::OK }
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
