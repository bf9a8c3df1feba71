//! A call of a tool: the HTTP request that it stands for, and its answer as a result.

use axum::http::header::{self, HeaderName};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use bytes::Bytes;
use payment::mpp;
use receipt::json::{Json, Object};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use super::revision::Revision;
use super::tools::{Target, Tools};
use super::{Mcp, server_info};
use crate::json_rpc::{self, Called, Reply, RpcError, RpcRequest, whole};

/// The extension by which a client says that it understands the result `payment_required` (x402 over MCP).
pub(super) const PAYMENT_EXTENSION: &str = "org.x402/payment";
/// The member of `_meta` in which a payment comes, and the one in which its result is told.
const PAYMENT: &str = "x402/payment";
const PAYMENT_RESPONSE: &str = "x402/payment-response";
/// The same in the other envelope (draft-payment-transport-mcp-00).
const CREDENTIAL: &str = "org.paymentauth/credential";
const CREDENTIAL_RECEIPT: &str = "org.paymentauth/receipt";
const CHALLENGES: &str = "org.paymentauth/payment-required";
/// The error by which a client is asked for a payment that takes such challenges.
const PAYMENT_REQUIRED: i64 = -32042;
/// The error where the payment that came does not pay.
const PAYMENT_FAILED: i64 = -32043;

/// A call that was read.
pub(super) struct Call {
    id: String,
    target: Target,
    arguments: Object,
    canonical: Vec<u8>,
    /// The proofs of payment, each as the header of HTTP that it is in. More than one is refused there.
    proofs: Vec<(HeaderName, HeaderValue)>,
}

impl Call {
    /// Reads the parameters of a call.
    ///
    /// # Errors
    /// No tool has the name, or the arguments are no object.
    pub(super) fn read(tools: &Tools, request: RpcRequest) -> Result<Self, (String, RpcError)> {
        let Some(tool) = request.text("name").and_then(|name| tools.named(name)) else {
            return Err((request.id, RpcError::params("no tool has this name; `tools/list` has them all")));
        };
        let target = tool.target.clone();
        let member = |name| request.meta().and_then(|meta| meta.get(name));
        let of_x402 = member(PAYMENT).map(json_rpc::x402_proof);
        let credential = member(CREDENTIAL).map(mpp::authorization_of);
        let proofs = [of_x402, credential.map(|credential| (header::AUTHORIZATION, credential))];
        // A payment is for a route that has a price: other routes read none.
        let is_sold = matches!(target, Target::Verdict(_));
        let proofs = proofs.into_iter().flatten().filter(|_| is_sold);
        let proofs =
            proofs.filter_map(|(name, proof)| Some((name, HeaderValue::try_from(proof).ok()?))).collect();
        let RpcRequest { id, arguments, canonical, .. } = request;
        if !canonical.is_empty() && canonical.first() != Some(&b'{') {
            return Err((id, RpcError::params("`arguments` must be an object")));
        }
        let (arguments, canonical) = match arguments {
            Some(Json::Object(arguments)) => (arguments, canonical),
            _ if canonical.is_empty() => (Object::new(), b"{}".to_vec()),
            _ if is_sold => (Object::new(), canonical),
            _ => return Err((id, RpcError::params("the arguments are too long for this tool"))),
        };
        Ok(Self { id, target, arguments, canonical, proofs })
    }

    /// Makes the call, for the client whose request had this head.
    pub(super) async fn make(mut self, mcp: &Mcp, parts: &Parts, revision: Revision) -> Reply {
        let is_refused = self.proofs.iter().any(|(name, _)| name == header::AUTHORIZATION);
        let request = match self.request() {
            Ok(request) => request,
            Err(why) => return self.misused(revision, &why),
        };
        let own = std::mem::take(&mut self.proofs);
        let Called { status, headers, body } = json_rpc::call(&mcp.api, parts, request, own).await;
        if status == StatusCode::PAYMENT_REQUIRED
            && revision != (Revision::Modern { pays: true })
            && takes_challenges(&parts.headers)
            && let Some(challenge) = challenge(&headers)
        {
            return self.challenged(challenge, &body, is_refused);
        }
        result(&self.id, revision, status, &headers, &body)
    }

    /// The result for arguments of which no request can be made: in words, so that a model can mend them.
    fn misused(&self, revision: Revision, why: &str) -> Reply {
        let problem = json!({"status": 400, "code": "invalid_arguments", "detail": why}).to_string();
        result(&self.id, revision, StatusCode::BAD_REQUEST, &HeaderMap::new(), &Bytes::from(problem))
    }

    /// The error that asks for a credential, for a client that takes such challenges.
    fn challenged(&self, challenge: Value, problem: &Bytes, is_refused: bool) -> Reply {
        let (code, message) = if is_refused {
            (PAYMENT_FAILED, "Payment Failed")
        } else {
            (PAYMENT_REQUIRED, "Payment Required")
        };
        let problem: Value = serde_json::from_slice(problem).unwrap_or_default();
        let error = RpcError::new(code, message.to_owned());
        let data = json!({"httpStatus": 402, "challenges": [challenge], "problem": problem});
        error.with_data(data).reply(Some(&self.id), StatusCode::OK)
    }

    fn request(&mut self) -> Result<(Method, Uri, Vec<u8>), String> {
        let (method, target, body) = match &self.target {
            // The canonical form, so that the same call over HTTP is the same request. The tree, which may be large, is not held
            // until the call is answered.
            Target::Verdict(route) => {
                self.arguments = Object::new();
                (Method::POST, route.terms.path(), std::mem::take(&mut self.canonical))
            }
            Target::Verify => self.verify()?,
            Target::View(path) => (Method::GET, self.view(path)?, Vec::new()),
        };
        let target = target.parse().map_err(|_| "the arguments are too long for this tool")?;
        Ok((method, target, body))
    }

    fn verify(&self) -> Result<(Method, String, Vec<u8>), String> {
        match (self.arguments.get("hash"), self.arguments.get("receipt")) {
            (Some(Json::String(hash)), None) => {
                let query =
                    form_urlencoded::Serializer::new(String::new()).append_pair("hash", hash).finish();
                Ok((Method::GET, format!("/verify?{query}"), Vec::new()))
            }
            (None, Some(receipt)) => Ok((Method::POST, "/verify".to_owned(), receipt.canonical())),
            _ => Err("the tool takes either `hash`, a text, or `receipt`, an object".to_owned()),
        }
    }

    /// The address of a view: its parameters in the path, and all others in the query.
    fn view(&self, path: &str) -> Result<String, String> {
        let text = |value: &Json| match value {
            Json::String(text) => Some(text.clone()),
            Json::Number(_) | Json::Bool(_) => String::from_utf8(value.canonical()).ok(),
            _ => None,
        };
        let mut address = path.to_owned();
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in self.arguments.iter() {
            let value = text(value).ok_or("the arguments of this tool must be texts")?;
            let place = format!("{{{name}}}");
            if address.contains(&place) {
                if value.is_empty() {
                    return Err(format!("`{name}` must not be empty"));
                }
                let encoded: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
                address = address.replace(&place, &encoded.replace('+', "%20"));
            } else {
                query.append_pair(name, &value);
            }
        }
        if let Some(missing) = address.split(['{', '}']).nth(1) {
            return Err(format!("`{missing}` is required"));
        }
        let query = query.finish();
        Ok(if query.is_empty() { address } else { format!("{address}?{query}") })
    }
}

/// The result of an answer: a receipt or what a view shows, terms of payment, or a problem, each as JSON and as text.
fn result(id: &str, revision: Revision, status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Reply {
    let mut meta = Map::new();
    if revision.is_modern() {
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), server_info());
    }
    if let Some(settled) = json_rpc::x402_response(headers) {
        meta.insert(PAYMENT_RESPONSE.to_owned(), settled);
    }
    if let Some(receipt) = json_rpc::decoded(headers, "payment-receipt") {
        meta.insert(CREDENTIAL_RECEIPT.to_owned(), receipt);
    }
    if let Some(challenge) = challenge(headers) {
        meta.insert(CHALLENGES.to_owned(), json!({"httpStatus": 402, "challenges": [challenge]}));
    }
    for (name, key) in [
        ("free-tier", "touchstone/free-tier"),
        ("ratelimit", "touchstone/ratelimit"),
        ("watch-id", "touchstone/watch-id"),
    ] {
        if let Some(value) = headers.get(name).and_then(|value| value.to_str().ok()) {
            meta.insert(key.to_owned(), json!(value));
        }
    }
    let terms = (status == StatusCode::PAYMENT_REQUIRED)
        .then(|| json_rpc::decoded(headers, "payment-required"))
        .flatten();
    if let (Some(terms), Revision::Modern { pays: true }) = (&terms, revision) {
        let meta = Value::Object(meta);
        return whole(
            id,
            &format!(r#"{{"resultType":"payment_required","paymentRequired":{terms},"_meta":{meta}}}"#),
        );
    }
    let structured = match terms {
        Some(terms) => terms.to_string(),
        None => String::from_utf8_lossy(body).into_owned(),
    };
    let is_error = !status.is_success();
    let watch = headers.get("watch-id").and_then(|value| value.to_str().ok());
    let told = watch.map(|id| {
        format!("The watch's id is {id}: whoever has it may end the watch, and it is told only here.")
    });
    let mut content = vec![json!({"type": "text", "text": structured})];
    content.extend(told.map(|told| json!({"type": "text", "text": told})));
    let (content, meta) = (Value::Array(content), Value::Object(meta));
    let kind = if revision.is_modern() { r#""resultType":"complete","# } else { "" };
    whole(
        id,
        &format!(
            r#"{{{kind}"isError":{is_error},"content":{content},"structuredContent":{structured},"_meta":{meta}}}"#
        ),
    )
}

/// The challenge of an answer, as MCP has it.
fn challenge(headers: &HeaderMap) -> Option<Value> {
    mpp::challenge_object(headers.get(header::WWW_AUTHENTICATE)?.to_str().ok()?)
}

/// Returns true if the client says that it answers challenges of the scheme `Payment` by the method `evm`.
fn takes_challenges(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all("accept-payment").iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|list| list.split(',')).any(|range| range.trim_start().starts_with("evm/"))
}
