//! What a message asks: a skill, its input, and perhaps the payment for it.

use std::sync::Arc;

use axum::http::HeaderName;
use module::{Route, RouteTable};
use payment::RequestIdentity;
use receipt::json::{Json, parse};
use serde_json::Value;

use super::{failure, no_push_notifications};
use crate::json_rpc::{self, MAX_META_BYTES, RpcError, RpcRequest};

/// What is said to who sends no such part.
const FORM: &str = "the message must have one part with data of the form {\"skill\": \"scan-text\", \"input\": {\"agent\": \
    \"my-agent\", \"text\": \"...\"}}; the skills are in the agent card";

/// A question for a skill.
pub(super) struct Asked {
    pub(super) route: Arc<Route>,
    /// The input in canonical form, which is the body of the request.
    pub(super) input: Vec<u8>,
    /// The identity of the request that the message stands for, in hexadecimal digits.
    pub(super) identity: String,
    /// The task that the message belongs to.
    pub(super) task: Option<String>,
    /// The context that the client names.
    pub(super) context: Option<String>,
    /// The id of the message.
    pub(super) message: String,
    /// The payment, as the header of HTTP has it.
    pub(super) proof: Option<(HeaderName, String)>,
    /// True if the client says that it will not pay.
    pub(super) is_rejected: bool,
}

/// Maximum length of an id that a client chooses.
const MAX_ID_CHARS: usize = 256;

impl Asked {
    /// Reads the parameters of `SendMessage`.
    ///
    /// # Errors
    /// It has not the form of a message, or names no skill.
    pub(super) fn read(routes: &RouteTable, request: &RpcRequest) -> Result<Self, RpcError> {
        let configuration = request.param("configuration");
        if configuration
            .is_some_and(|configuration| configuration.get("taskPushNotificationConfig").is_some())
        {
            return Err(no_push_notifications());
        }
        let message = request.param("message").and_then(Json::as_object);
        let message = message.ok_or_else(|| RpcError::params("there must be a `message`"))?;
        let text = |name: &str| message.get(name).and_then(Json::as_str);
        let id = text("messageId").ok_or_else(|| RpcError::params("the message must have a `messageId`"))?;
        let task = text("taskId").filter(|task| !task.is_empty());
        let context = text("contextId").filter(|context| !context.is_empty());
        if [Some(id), context].into_iter().flatten().any(|id| id.chars().count() > MAX_ID_CHARS) {
            return Err(RpcError::params("ids have at most 256 characters"));
        }
        let parts = message.get("parts").and_then(Json::as_array).unwrap_or_default();
        let mut asked = parts.iter().filter_map(question);
        let first = asked.next();
        if asked.next().is_some() {
            return Err(RpcError::params("a message has one question; send each in a message of its own"));
        }
        let Some((skill, input)) = first else {
            let has_files = parts.iter().any(|part| part.get("raw").or_else(|| part.get("url")).is_some());
            return Err(if has_files {
                failure(-32005, "CONTENT_TYPE_NOT_SUPPORTED", FORM)
            } else {
                RpcError::params(FORM)
            });
        };
        let route = routes.offered().find(|route| route.terms.class == skill);
        let route = route.ok_or_else(|| {
            RpcError::params("the agent card has no such skill; send one of its skills, such as `scan-text`")
        })?;
        let metadata = message.get("metadata");
        let status = metadata.and_then(|metadata| metadata.get("x402.payment.status")).and_then(Json::as_str);
        let payload = metadata.and_then(|metadata| metadata.get("x402.payment.payload"));
        let is_paying = status == Some("payment-submitted");
        if payload.is_some_and(|payload| payload.canonical().len() > MAX_META_BYTES) {
            return Err(RpcError::params("the payment is too long"));
        }
        let proof = payload.filter(|_| is_paying).map(json_rpc::x402_proof);
        if is_paying && proof.is_none() {
            return Err(RpcError::params("a submitted payment must be there as `x402.payment.payload`"));
        }
        let identity =
            RequestIdentity::new("POST", &route.terms.path(), "", &input).fingerprint().to_string();
        Ok(Self {
            route: Arc::clone(route),
            input,
            identity,
            task: task.map(str::to_owned),
            context: context.map(str::to_owned),
            message: id.to_owned(),
            proof,
            is_rejected: status == Some("payment-rejected"),
        })
    }

    pub(super) fn class(&self) -> &'static str {
        self.route.terms.class
    }
}

/// The skill and the canonical input of a part, which is data, or text of the same JSON.
fn question(part: &Json) -> Option<(String, Vec<u8>)> {
    let of_text;
    let data = match part.get("data") {
        Some(data) => data,
        None => {
            of_text = parse(part.get("text")?.as_str()?.as_bytes()).ok()?;
            &of_text
        }
    };
    let input = data.get("input").filter(|input| input.as_object().is_some())?;
    Some((data.get("skill")?.as_str()?.to_owned(), input.canonical()))
}

/// The extension's word for why a payment does not pay.
pub(super) fn error_word(problem: &Value) -> &'static str {
    match problem["code"].as_str().unwrap_or_default() {
        "insufficient_funds" => "INSUFFICIENT_FUNDS",
        "invalid_signature" => "INVALID_SIGNATURE",
        "expired" | "not_yet_valid" | "valid_too_long" => "EXPIRED_PAYMENT",
        "nonce_used" => "DUPLICATE_NONCE",
        "invalid_network" | "invalid_asset" => "NETWORK_MISMATCH",
        "invalid_amount" => "INVALID_AMOUNT",
        _ => "SETTLEMENT_FAILED",
    }
}
