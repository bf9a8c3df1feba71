//! The extensions of x402 v2 that a 402 and a settlement response carry.
//!
//! Each is `{info, schema}`: the facts, and the JSON Schema that they hold to. The schemas do not name their dialect, which is
//! 2020-12 in x402: the header of a 402 has a size that it must not exceed. Clients echo the extensions with their payment.

use alloy_primitives::{Address, B256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use receipt::json::Json;
use receipt::sign::{Signer, signing_input};
use serde_json::{Value, json};

use crate::check::atomic;
use crate::proof::SCHEME;
use crate::{Network, Quote, Version};

/// An x402 extension: its name and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Extension {
    /// The name of the extension, which is its member in `extensions`.
    pub name: &'static str,
    /// The value of the extension, `{info, schema}`.
    pub value: Value,
}

/// The `payment-identifier` extension: with it, a retry can name the call that it repeats.
#[must_use]
pub fn payment_identifier() -> Extension {
    let value = json!({
        "info": {"required": false},
        "schema": {
            "type": "object",
            "properties": {
                "required": {"type": "boolean"},
                "id": {"type": "string", "minLength": 16, "maxLength": 128, "pattern": "^[a-zA-Z0-9_-]+$"},
            },
            "required": ["required"],
        },
    });
    Extension { name: "payment-identifier", value }
}

/// The `bazaar` extension: describes the call of a route and its answer, by an example of each. The input of a GET is
/// its query.
#[must_use]
pub fn bazaar(method: &str, input: &Value, output: &Value) -> Extension {
    let (info, schema, required) = if method == "GET" {
        (
            json!({"type": "http", "method": method, "queryParams": input}),
            json!({"type": {"const": "http"}, "method": {"enum": [method]}, "queryParams": {"type": "object"}}),
            json!(["type", "method"]),
        )
    } else {
        (
            json!({"type": "http", "method": method, "bodyType": "json", "body": input}),
            json!({
                "type": {"const": "http"},
                "method": {"enum": [method]},
                "bodyType": {"const": "json"},
                "body": {"type": "object"},
            }),
            json!(["type", "method", "bodyType", "body"]),
        )
    };
    let value = json!({
        "info": {"input": info, "output": {"type": "json", "example": output}},
        "schema": {
            "type": "object",
            "properties": {
                "input": {
                    "type": "object",
                    "properties": schema,
                    "required": required,
                    "additionalProperties": false,
                },
                "output": {
                    "type": "object",
                    "properties": {"type": {"type": "string"}, "example": {"type": "object"}},
                    "required": ["type"],
                },
            },
            "required": ["input"],
        },
    });
    Extension { name: "bazaar", value }
}

/// The signed offer (`offer-receipt`): the notary's signature of a quote, valid until a time in Unix seconds.
#[must_use]
pub fn offer(signer: &Signer, quote: &Quote<'_>, valid_until: u64) -> Extension {
    let network = quote.terms.network();
    let signature = jws(
        signer,
        &json!({
            "version": 1,
            "resourceUrl": quote.resource,
            "scheme": SCHEME,
            "network": Version::V2.network_name(network),
            "asset": network.token.to_string(),
            "payTo": quote.terms.pay_to().to_string(),
            "amount": atomic(quote.price).to_string(),
            "validUntil": valid_until,
        }),
    );
    let value = json!({
        "info": {"offers": [{"format": "jws", "acceptIndex": 0, "signature": signature}]},
        "schema": {
            "type": "object",
            "properties": {"offers": {"type": "array"}},
            "required": ["offers"],
        },
    });
    Extension { name: OFFER_RECEIPT, value }
}

/// The content of a signed receipt of the extension, which states that a payment was taken and an answer was given. It
/// is not the verdict's receipt, which states the finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeliveryStatement<'a> {
    /// The network that the payment was made on.
    pub network: &'a Network,
    /// The address that was called, without its query, as in the offer.
    pub resource: &'a str,
    /// The account that paid.
    pub payer: Address,
    /// The hash of the transaction that paid.
    pub transaction: B256,
    /// The time of issue, in Unix seconds.
    pub issued_at: u64,
}

impl DeliveryStatement<'_> {
    /// Signs the receipt (`offer-receipt`). The network is named as CAIP-2 in either version.
    #[must_use]
    pub fn receipt(&self, signer: &Signer) -> Extension {
        let signature = jws(
            signer,
            &json!({
                "version": 1,
                "network": Version::V2.network_name(self.network),
                "resourceUrl": self.resource,
                "payer": self.payer.to_string(),
                "issuedAt": self.issued_at,
                "transaction": self.transaction.to_string(),
            }),
        );
        let value = json!({
            "info": {"receipt": {"format": "jws", "signature": signature}},
            "schema": {
                "type": "object",
                "properties": {"receipt": {"type": "object"}},
                "required": ["receipt"],
            },
        });
        Extension { name: OFFER_RECEIPT, value }
    }
}

const OFFER_RECEIPT: &str = "offer-receipt";

/// A compact JWS over the canonical form of a payload. Its header has no `typ`, so that it can never be taken for a
/// verdict's receipt, which the same key signs with one.
fn jws(signer: &Signer, payload: &Value) -> String {
    let header = json!({"alg": "EdDSA", "kid": signer.kid().as_str()}).to_string();
    let input = signing_input(&URL_SAFE_NO_PAD.encode(header), &Json::from(payload).canonical());
    let signature = URL_SAFE_NO_PAD.encode(signer.key().sign(&input));
    let input = String::from_utf8(input).expect("base64 and a dot are ASCII");
    format!("{input}.{signature}")
}
