//! The data that a route's price is quoted from.

use module::Route;
use payment::extensions::{self, Extension};
use payment::{Code, Quote, Terms};
use receipt::sign::Signer;
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::Usd;

use super::PRICE_HOLDS_MS;

/// The signed offer of a quote (`offer-receipt`), valid for as long as an old price is accepted after a change.
pub(crate) fn offer(signer: &Signer, quote: &Quote<'_>, now: Timestamp) -> Extension {
    extensions::offer(signer, quote, now.saturating_add_millis(PRICE_HOLDS_MS).unix_seconds())
}

/// The data of a route's 402, without the payee.
pub(crate) struct Priced {
    pub(crate) price: Usd,
    /// The route's address.
    pub(crate) resource: String,
    description: &'static str,
    /// The question that a reader can copy.
    example: Option<Value>,
}

impl Priced {
    /// Makes the data for this many units of the route at a base address; `None` where it has no price.
    pub(crate) fn of(base_url: &str, route: &Route, units: u32) -> Option<Self> {
        Some(Self {
            price: route.terms.price?.times(units),
            resource: format!("{base_url}{}", route.terms.path()),
            description: route.terms.summary,
            example: route.example.and_then(|example| serde_json::from_str(example).ok()),
        })
    }

    pub(crate) fn quote<'q>(&'q self, terms: &'q Terms, error: Code) -> Quote<'q> {
        let Self { price, resource, description, .. } = self;
        Quote { terms, price: *price, error, resource, description }
    }

    /// The extensions that need no signature. Those that do not fit are left out from the end.
    pub(crate) fn extensions(&self) -> Vec<Extension> {
        let output = json!({"verdict": "...", "receipt_hash": "..."});
        let bazaar = self.example.as_ref().map(|input| extensions::bazaar("POST", input, &output));
        std::iter::once(extensions::payment_identifier()).chain(bazaar).collect()
    }
}
