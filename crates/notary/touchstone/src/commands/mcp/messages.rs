//! The messages of the protocol: what is read from a call and from its answer, and what the assistant is answered.

use anyhow::{Context as _, bail};
use module::terms::UNSIGNED;
use receipt::json::{self, Json, Object};

const PAYMENT: &str = "x402/payment";
const WATCH_ID: &str = "touchstone/watch-id";
/// Maximum length of the id of a watch.
const MAX_WATCH_ID_BYTES: usize = 128;

/// What tells a call from others: its tool and its arguments.
pub(super) fn key_of(message: &Object) -> Vec<u8> {
    let params = message.get("params");
    let mut key = Object::new();
    for name in ["name", "arguments"] {
        if let Some(value) = params.and_then(|params| params.get(name)) {
            key.insert(name, value.clone());
        }
    }
    Json::Object(key).canonical()
}

pub(super) fn tool(message: &Object) -> Option<&str> {
    message.get("params")?.get("name")?.as_str()
}

/// An answer's result or error, under the id of the message and on one line. Under another id, or on several lines, it could pass
/// for the answer to another message.
pub(super) fn under_own_id(message: &Object, mut answer: Object) -> Vec<u8> {
    let mut own = Object::new();
    own.insert("jsonrpc", "2.0");
    own.insert("id", message.get("id").cloned().unwrap_or(Json::Null));
    for name in ["result", "error"] {
        if let Some(value) = answer.remove(name) {
            own.insert(name, value);
        }
    }
    Json::Object(own).canonical()
}

/// The result of an answer; `null` where it is an error.
pub(super) fn result_of(answer: &[u8]) -> anyhow::Result<Json> {
    let answer = json::parse(answer).context("the answer is no JSON")?;
    Ok(answer.get("result").cloned().unwrap_or(Json::Null))
}

/// The terms of a payment that a result asks for, where it has them.
pub(super) fn terms(result: &Json) -> Option<Json> {
    terms_of(result).cloned()
}

pub(super) fn terms_of(result: &Json) -> Option<&Json> {
    let terms = result.get("paymentRequired").or_else(|| result.get("structuredContent"))?;
    terms.get("x402Version").map(|_| terms)
}

/// The receipt in a result. What was verified for others, and what signs nothing, has none.
pub(super) fn receipt_of(result: &Json) -> Option<&Json> {
    let content = result.get("structuredContent")?;
    content.get("receipt_hash").map(|_| content)
}

/// Returns true if a result gives no verdict: an error of the protocol, one of the tool, or terms of payment alone.
pub(super) fn is_refusal(result: &Json) -> bool {
    let has = |name: &str| result.get(name).is_some();
    result.is_null()
        || result.get("isError").and_then(Json::as_bool) == Some(true)
        || (has("paymentRequired") && !has("content") && !has("structuredContent"))
}

/// Returns true if a tool gives no receipt: `verify`, and the public views.
pub(super) fn is_unsigned(tool: &str) -> bool {
    UNSIGNED.iter().any(|route| route.name() == tool)
}

/// A result with a receipt that was verified. Of the text beside it only the id of a watch is kept, which no receipt has.
pub(super) fn with_receipt(message: &Object, result: &Json, receipt: &Json) -> anyhow::Result<String> {
    let mut content = vec![text(String::from_utf8(receipt.canonical()).context("the receipt is no text")?)];
    let watch = result.get("_meta").and_then(|meta| meta.get(WATCH_ID)).and_then(Json::as_str);
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let is_id = |id: &&str| id.len() <= MAX_WATCH_ID_BYTES && id.bytes().all(is_sign);
    if let Some(id) = watch.filter(is_id) {
        content.push(text(format!("The watch's id is {id}: whoever has it may end the watch.")));
    }
    let mut verified = Object::new();
    if result.get("resultType").is_some() {
        verified.insert("resultType", "complete");
    }
    verified.insert("isError", false);
    verified.insert("content", content);
    verified.insert("structuredContent", receipt.clone());
    if let Some(meta) = result.get("_meta") {
        verified.insert("_meta", meta.clone());
    }
    let mut answer = Object::new();
    answer.insert("result", verified);
    String::from_utf8(under_own_id(message, answer)).context("the answer is no text")
}

/// A block of text, which a model reads.
pub(super) fn text(text: String) -> Json {
    let mut block = Object::new();
    block.insert("type", "text");
    block.insert("text", text);
    Json::Object(block)
}

/// The status of a problem in a result.
pub(super) fn status(result: &Json) -> Option<u64> {
    result.get("structuredContent")?.get("status")?.as_number()?.as_u64()
}

pub(super) fn add_payment(message: &mut Object, proof: Json) -> anyhow::Result<()> {
    let Some(Json::Object(mut params)) = message.remove("params") else {
        bail!("the call has no parameters")
    };
    let mut meta = match params.remove("_meta") {
        Some(Json::Object(meta)) => meta,
        _ => Object::new(),
    };
    meta.insert(PAYMENT, proof);
    params.insert("_meta", meta);
    message.insert("params", params);
    Ok(())
}

/// A result that is an error, in words, and has nothing of what the notary has answered.
pub(super) fn with_error(message: &Object, code: &str, why: &str) -> anyhow::Result<String> {
    let id = message.get("id").map(Json::canonical).unwrap_or_default();
    let id = String::from_utf8(id).context("the id")?;
    // In the form of a problem, which the schemas of the tools have.
    let problem = serde_json::json!({"status": 500, "code": code, "detail": why});
    let content = serde_json::json!([{"type": "text", "text": why}]);
    Ok(format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","isError":true,"content":{content},"structuredContent":{problem}}}}}"#
    ))
}

pub(super) fn rpc_error(id: &str, code: i32, why: &str) -> String {
    let why = serde_json::Value::from(why);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#)
}

/// What a problem document says.
pub(super) fn detail(body: &[u8]) -> String {
    let problem = json::parse(body).ok();
    let detail = problem.as_ref().and_then(|problem| problem.get("detail")).and_then(Json::as_str);
    detail.unwrap_or("nothing that can be read").to_owned()
}
