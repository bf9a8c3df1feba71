//! Payment terms: what a 402 says, in its body and in x402's own header and body forms.
//!
//! Taking payments is not built yet: a request that needs to be paid and brings a proof is answered 503.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::{Map, Value, json};
use verdict::{Reason, Usd};

use crate::refusal::Refusal;

/// Where payments go: the network, the token and the payee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The network's short name: `base`.
    pub network: String,
    /// The same as CAIP-2: `eip155:8453`.
    pub caip2: String,
    /// The token's symbol: `USDC`.
    pub asset: String,
    /// The token's contract address.
    pub token: String,
    /// The name in the token's EIP-712 domain: `USD Coin` on Base, `USDC` on Base Sepolia.
    pub token_name: String,
    /// The version in the token's EIP-712 domain.
    pub token_version: String,
    /// The payee's address.
    pub pay_to: String,
}

/// Until payments are taken, every word about paying says so: money that is sent now is lost.
pub const NOT_TAKEN: &str = "Payments are not taken yet: a request with a proof is answered 503.";

/// How long an authorization must at least be good for, in seconds.
pub(crate) const MAX_TIMEOUT_SECONDS: u32 = 60;

impl Settlement {
    /// The development profile's embedded ledger. Its token address is its own (the last 20 bytes of
    /// SHA-256 of "Touchstone local USDC"), so nothing that is signed for it is worth anything on a real chain.
    #[must_use]
    pub fn local() -> Self {
        let address =
            |name: &str| format!("0x{}", hex::encode(&receipt::hash::sha256(name.as_bytes())[12..]));
        Self {
            network: "base".to_owned(),
            caip2: "eip155:8453".to_owned(),
            asset: "USDC".to_owned(),
            token: address("Touchstone local USDC"),
            token_name: "Touchstone local USDC".to_owned(),
            token_version: "2".to_owned(),
            pay_to: address("Touchstone local payee"),
        }
    }

    /// USDC on Base, paid to an operator's address.
    #[must_use]
    pub fn base(pay_to: String) -> Self {
        Self {
            token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".to_owned(),
            token_name: "USD Coin".to_owned(),
            pay_to,
            ..Self::local()
        }
    }

    /// One element of `accepts`, as the interface shows it.
    #[must_use]
    pub fn accept(&self, price: Usd) -> Value {
        json!({
            "scheme": "exact",
            "network": self.network,
            "asset": self.asset,
            "amount": price.to_string(),
            "payTo": self.pay_to,
        })
    }

    fn extra(&self) -> Value {
        json!({"name": self.token_name, "version": self.token_version})
    }
}

/// The terms of one call.
#[derive(Clone, Debug)]
pub struct PaymentRequired {
    /// What it costs.
    pub price: Usd,
    /// A stable code: `payment_required`, ...
    pub error: &'static str,
    /// Why it is not free.
    pub why: &'static str,
    /// The address that was called.
    pub resource: String,
    /// What the route does.
    pub description: &'static str,
    /// Where to pay.
    pub settlement: Arc<Settlement>,
    /// Whether the caller asked for a pure x402 v1 body.
    pub wants_v1: bool,
}

impl PaymentRequired {
    pub(crate) fn detail(&self) -> String {
        let Self { why, price, .. } = self;
        let asset = &self.settlement.asset;
        format!("{why}; pay {price} {asset} and send the identical request. {NOT_TAKEN}")
    }

    /// The members and headers that a 402 adds to a problem document.
    pub(crate) fn extend(&self, members: &mut Map<String, Value>, headers: &mut HeaderMap) {
        members.insert("error".to_owned(), json!(self.error));
        members.insert("accepts".to_owned(), json!([self.settlement.accept(self.price)]));
        self.common_headers(headers);
    }

    fn common_headers(&self, headers: &mut HeaderMap) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        let terms = STANDARD.encode(self.v2().to_string());
        if let Ok(value) = HeaderValue::try_from(terms) {
            headers.insert("payment-required", value);
        }
    }

    /// The x402 v2 form, for the `PAYMENT-REQUIRED` header.
    pub(crate) fn v2(&self) -> Value {
        let settlement = &self.settlement;
        json!({
            "x402Version": 2,
            "error": self.error,
            "resource": {
                "url": self.resource,
                "description": self.description,
                "mimeType": "application/json",
            },
            "accepts": [{
                "scheme": "exact",
                "network": settlement.caip2,
                "amount": self.price.atomic().to_string(),
                "asset": settlement.token,
                "payTo": settlement.pay_to,
                "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
                "extra": settlement.extra(),
            }],
        })
    }

    /// The pure x402 v1 body.
    pub(crate) fn v1_response(&self) -> Response {
        let settlement = &self.settlement;
        let body = json!({
            "x402Version": 1,
            "error": self.error,
            "accepts": [{
                "scheme": "exact",
                "network": settlement.network,
                "maxAmountRequired": self.price.atomic().to_string(),
                "asset": settlement.token,
                "payTo": settlement.pay_to,
                "resource": self.resource,
                "description": self.description,
                "mimeType": "application/json",
                "outputSchema": null,
                "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
                "extra": settlement.extra(),
            }],
        });
        let mut response = (StatusCode::PAYMENT_REQUIRED, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.common_headers(headers);
        response
    }
}

/// The headers that can carry a proof of payment.
pub(crate) const PROOF_HEADERS: [&str; 2] = ["X-PAYMENT", "PAYMENT-SIGNATURE"];
/// The most bytes of a proof's header.
pub(crate) const MAX_PROOF_BYTES: usize = 16 << 10;

/// Whether a request brings a proof of payment; what it proves is not looked at yet.
///
/// # Errors
/// Two proofs, or one that is no base64 of a JSON object: the header is named.
pub(crate) fn read_proof(headers: &HeaderMap) -> Result<bool, Refusal> {
    let given: Vec<_> = PROOF_HEADERS
        .iter()
        .flat_map(|name| headers.get_all(*name).iter().map(move |value| (*name, value)))
        .collect();
    let (name, value) = match given[..] {
        [] => return Ok(false),
        [one] => one,
        [.., (last, _)] => {
            return Err(Refusal::field(last, Reason::Malformed, "must be the only payment header"));
        }
    };
    if value.len() > MAX_PROOF_BYTES {
        return Err(Refusal::field(
            name,
            Reason::TooLong,
            format!("must be at most {MAX_PROOF_BYTES} bytes"),
        ));
    }
    let text = value.as_bytes().trim_ascii();
    let decoded = STANDARD.decode(text).or_else(|_| STANDARD_NO_PAD.decode(text)).ok();
    let proof = decoded.and_then(|bytes| receipt::json::parse(&bytes).ok());
    match proof {
        Some(receipt::json::Json::Object(proof)) if is_known(&proof) => Ok(true),
        _ => Err(Refusal::field(name, Reason::Malformed, "must be the base64 of an x402 payment payload")),
    }
}

/// Whether a payload is of an x402 version that there is.
fn is_known(proof: &receipt::json::Object) -> bool {
    let version = proof.get("x402Version").and_then(receipt::json::Json::as_number);
    matches!(version.and_then(receipt::json::Number::as_u64), Some(1 | 2))
}

/// Whether a payment header is there at all, whatever it holds.
pub(crate) fn has_proof(headers: &HeaderMap) -> bool {
    PROOF_HEADERS.iter().any(|name| headers.contains_key(*name))
}

/// Whether the caller asks for a pure x402 v1 body.
pub(crate) fn wants_v1(headers: &HeaderMap) -> bool {
    headers.get("x-accept-payment").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"x402-v1"))
}
