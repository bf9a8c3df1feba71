//! The result of a payment: the JSON of `PAYMENT-RESPONSE` and of `X-PAYMENT-RESPONSE`.

use alloy_primitives::{Address, B256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::extensions::Extension;
use crate::{Code, Network, Transfer, Version};

/// The response for a payment that was taken.
#[must_use]
pub fn settled(version: Version, network: &Network, transfer: &Transfer, extensions: &[Extension]) -> Value {
    let mut response = json!({
        "success": true,
        "transaction": transfer.transaction.to_string(),
        "network": version.network_name(network),
        "payer": transfer.payer.to_string(),
        "amount": transfer.value.to_string(),
    });
    for extension in extensions {
        response["extensions"][extension.name] = extension.value.clone();
    }
    response
}

/// The response for a payment that was not taken. Its `transaction` is the hash of the broadcast transaction, or empty
/// where nothing was broadcast.
#[must_use]
pub fn failed(
    version: Version,
    network: &Network,
    payer: Option<Address>,
    reason: Code,
    transaction: Option<B256>,
) -> Value {
    let mut response = json!({
        "success": false,
        "errorReason": reason.as_str(),
        "transaction": transaction.map(|hash| hash.to_string()).unwrap_or_default(),
        "network": version.network_name(network),
    });
    if let Some(payer) = payer {
        response["payer"] = json!(payer.to_string());
    }
    response
}

/// Encodes a response as the header's value.
#[must_use]
pub fn header(response: &Value) -> String {
    STANDARD.encode(response.to_string())
}
