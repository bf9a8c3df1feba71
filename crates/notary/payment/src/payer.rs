//! The payer's side: reads the demand of a 402, and writes proofs. For the command line, tests and benchmarks.

use alloy_primitives::{Address, B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::json::{Json, Number};
use serde_json::{Value, json};

use crate::evidence::{address, decimal};
use crate::proof::{SCHEME, decode_json};
use crate::{
    Authorization, Network, PaymentIdentifier, SettlementProof, SignedAuthorization, Version, Wallet,
    eip712::Domain,
};

/// The payment that a 402 requires: the first of its `accepts` that an authorization can pay.
#[derive(Clone, Debug)]
pub struct Demand {
    /// The network and the token, as the terms describe them. Its short name is the CAIP-2 name and its symbol is the
    /// domain's name, since x402 v2 has no others.
    pub network: Network,
    /// The account to pay.
    pub pay_to: Address,
    /// The amount, in atomic units.
    pub amount: U256,
    /// The time for which the authorization should be valid, in seconds.
    pub max_timeout_seconds: u64,
    accepted: Value,
    resource: Value,
    extensions: Value,
}

/// The header asks for no payment that this client can make. The field is the reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("PAYMENT-REQUIRED {0}")]
pub struct NotADemand(String);

impl Demand {
    /// Parses the value of a `PAYMENT-REQUIRED` header.
    ///
    /// # Errors
    /// The value is not of the x402 v2 form, or none of its terms has the scheme `exact` on an EVM chain.
    pub fn decode(value: &[u8]) -> Result<Self, NotADemand> {
        let required = decode_json(value).map_err(|(_, detail)| NotADemand(detail))?;
        let version = required.get("x402Version").and_then(Json::as_number).and_then(Number::as_u64);
        let accepts = required.get("accepts").and_then(Json::as_array);
        let (Some(2), Some(accepts)) = (version, accepts) else {
            return Err(NotADemand("is not of x402 version 2".to_owned()));
        };
        let refuse = || NotADemand(format!("asks for nothing of the scheme `{SCHEME}` on an EVM chain"));
        let mut demand = accepts.iter().find_map(Self::of_terms).ok_or_else(refuse)?;
        let member = |name| required.get(name).cloned().map_or(Value::Null, Value::from);
        (demand.resource, demand.extensions) = (member("resource"), member("extensions"));
        Ok(demand)
    }

    fn of_terms(terms: &Json) -> Option<Self> {
        let text = |name| terms.get(name).and_then(Json::as_str);
        let extra = |name| terms.get("extra").and_then(|extra| extra.get(name)).and_then(Json::as_str);
        if text("scheme") != Some(SCHEME) {
            return None;
        }
        let name = text("network")?;
        let token_name = extra("name")?;
        let network = Network {
            name: name.to_owned(),
            chain_id: name.strip_prefix("eip155:")?.parse().ok()?,
            symbol: token_name.to_owned(),
            token: address(text("asset")?)?,
            token_name: token_name.to_owned(),
            token_version: extra("version")?.to_owned(),
        };
        Some(Self {
            network,
            pay_to: address(text("payTo")?)?,
            amount: decimal(text("amount")?)?,
            max_timeout_seconds: terms.get("maxTimeoutSeconds").and_then(Json::as_number)?.as_u64()?,
            accepted: Value::from(terms.clone()),
            resource: Value::Null,
            extensions: Value::Null,
        })
    }

    /// Signs the payment at a time in Unix seconds, with an unused nonce, and returns the value of a
    /// `PAYMENT-SIGNATURE` header.
    #[must_use]
    pub fn pay(
        &self,
        wallet: &Wallet,
        now: u64,
        nonce: B256,
        identifier: Option<&PaymentIdentifier>,
    ) -> String {
        let authorization = Authorization {
            from: wallet.address(),
            to: self.pay_to,
            value: self.amount,
            valid_after: U256::ZERO,
            valid_before: U256::from(now.saturating_add(self.max_timeout_seconds)),
            nonce,
        };
        let signed = wallet.authorize(&Domain::new(&self.network), authorization);
        let mut payload = json!({
            "x402Version": 2,
            "resource": self.resource,
            "accepted": self.accepted,
            "payload": signed.payload(),
            "extensions": self.extensions,
        });
        if let Some(identifier) = identifier {
            payload["extensions"]["payment-identifier"]["info"]["id"] = json!(identifier.as_str());
        }
        header(&payload)
    }
}

/// Makes an x402 v1 proof of an authorization.
#[must_use]
pub fn v1(network: &Network, signed: &SignedAuthorization) -> Value {
    json!({
        "x402Version": 1,
        "scheme": SCHEME,
        "network": Version::V1.network_name(network),
        "payload": signed.payload(),
    })
}

/// Makes the JSON of a proof of settlement.
#[must_use]
pub fn settlement(network: &Network, proof: &SettlementProof) -> Value {
    let mut payload = json!({
        "transaction": proof.transaction.to_string(),
        "payer": proof.payer.to_string(),
        "signature": proof.signature.to_string(),
    });
    if let Some(index) = proof.log_index {
        payload["logIndex"] = json!(index);
    }
    json!({
        "x402Version": 1,
        "scheme": SCHEME,
        "network": Version::V1.network_name(network),
        "payload": payload,
    })
}

/// Encodes a proof as a header's value.
#[must_use]
pub fn header(proof: &Value) -> String {
    STANDARD.encode(proof.to_string())
}
