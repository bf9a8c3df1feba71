//! The terms of payment in a 402, in three forms: our own `accepts`, the `PAYMENT-REQUIRED` header of x402 v2, and the
//! body of x402 v1.

use alloy_primitives::Address;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use verdict::Usd;

use crate::check::atomic;
use crate::eip712::Domain;
use crate::extensions::Extension;
use crate::proof::SCHEME;
use crate::{Code, Network, Version};

/// The time for which a client is told to make its authorization valid, in seconds. An old price is accepted for as
/// long after a change, and a client's clock may be wrong by minutes.
pub const MAX_TIMEOUT_SECONDS: u64 = 300;

/// The most bytes of a `PAYMENT-REQUIRED` header's value.
pub const MAX_REQUIRED_BYTES: usize = 3000;

/// The terms of payment: the network, its token, and the payee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    network: Network,
    pay_to: Address,
    domain: Domain,
}

impl Terms {
    /// Makes the terms of a payee on a network.
    #[must_use]
    pub fn new(network: Network, pay_to: Address) -> Self {
        let domain = Domain::new(&network);
        Self { network, pay_to, domain }
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The payee.
    #[must_use]
    pub fn pay_to(&self) -> Address {
        self.pay_to
    }

    /// The EIP-712 domains that payers sign in.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Makes one element of `accepts` in our own form: the network's short name, the token's symbol, and the price as a
    /// decimal string.
    #[must_use]
    pub fn accept(&self, price: Usd) -> Value {
        json!({
            "scheme": SCHEME,
            "network": self.network.name,
            "asset": self.network.symbol,
            "amount": price.to_string(),
            "payTo": self.pay_to.to_string(),
        })
    }

    /// Makes one element of `accepts` in the form of x402 v2: CAIP-2, the token's address, atomic units.
    #[must_use]
    pub fn accept_v2(&self, price: Usd) -> Value {
        json!({
            "scheme": SCHEME,
            "network": Version::V2.network_name(&self.network),
            "amount": atomic(price).to_string(),
            "asset": self.network.token.to_string(),
            "payTo": self.pay_to.to_string(),
            "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
            "extra": self.extra(),
        })
    }

    /// The name and the version of the token's domain, which a client cannot know otherwise.
    fn extra(&self) -> Value {
        json!({"name": self.network.token_name, "version": self.network.token_version})
    }
}

/// The terms of one call: the price, the address and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Quote<'a> {
    /// The network, the token and the payee.
    pub terms: &'a Terms,
    /// The price of the call, in US dollars.
    pub price: Usd,
    /// The reason why the call must be paid for.
    pub error: Code,
    /// The address that was called, without its query.
    pub resource: &'a str,
    /// The description of the route, in one sentence.
    pub description: &'a str,
}

impl Quote<'_> {
    /// Encodes the value of the `PAYMENT-REQUIRED` header: the v2 form in base64.
    ///
    /// It contains the extensions in order, as far as they fit into [`MAX_REQUIRED_BYTES`].
    #[must_use]
    pub fn header(&self, extensions: &[Extension]) -> String {
        let mut required = self.v2();
        for extension in extensions {
            let mut longer = required.clone();
            longer["extensions"][extension.name] = extension.value.clone();
            if longer.to_string().len().div_ceil(3) * 4 <= MAX_REQUIRED_BYTES {
                required = longer;
            }
        }
        STANDARD.encode(required.to_string())
    }

    fn v2(&self) -> Value {
        json!({
            "x402Version": 2,
            "error": self.error.as_str(),
            "resource": {
                "url": self.resource,
                "description": self.description,
                "mimeType": "application/json",
            },
            "accepts": [self.terms.accept_v2(self.price)],
        })
    }

    /// Makes the body of an x402 v1 answer. It has no `outputSchema`: clients expect an object there, or nothing.
    #[must_use]
    pub fn v1(&self) -> Value {
        let Terms { network, pay_to, .. } = self.terms;
        json!({
            "x402Version": 1,
            "error": self.error.as_str(),
            "accepts": [{
                "scheme": SCHEME,
                "network": Version::V1.network_name(network),
                "maxAmountRequired": atomic(self.price).to_string(),
                "asset": network.token.to_string(),
                "payTo": pay_to.to_string(),
                "resource": self.resource,
                "description": self.description,
                "mimeType": "application/json",
                "maxTimeoutSeconds": MAX_TIMEOUT_SECONDS,
                "extra": self.terms.extra(),
            }],
        })
    }
}
