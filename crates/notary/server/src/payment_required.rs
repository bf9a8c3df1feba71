//! The content of a 402: our own terms in the body, x402's in the header or, on request, in a body of its own.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payment::extensions::Extension;
use payment::mpp::Challenge;
use payment::{Code, Quote, Refused};
use serde_json::{Map, Value, json};

/// The 402 answer of one call, serialized.
#[derive(Clone, Debug)]
pub struct PaymentRequired {
    detail: String,
    error: Code,
    accepts: Value,
    /// `PAYMENT-REQUIRED`
    header: String,
    /// `WWW-Authenticate`, for a call that was made.
    challenge: Option<String>,
    /// The pure x402 v1 body, where the caller asked for it.
    v1: Option<Value>,
    /// The result of the proof that was sent: the header and its value.
    response: Option<(&'static str, String)>,
    /// Seconds after which to try again, where waiting alone helps.
    retry_after_s: Option<u32>,
}

impl PaymentRequired {
    /// Builds the 402 answer of a call without a proof of payment.
    #[must_use]
    pub fn new(quote: &Quote<'_>, why: &str, extensions: &[Extension], wants_v1: bool) -> Self {
        let Quote { terms, price, error, .. } = *quote;
        let symbol = &terms.network().symbol;
        Self {
            detail: format!(
                "{why}; pay {price} {symbol} by the terms in the PAYMENT-REQUIRED header, and send the identical request \
                 with the proof in the PAYMENT-SIGNATURE header: /llms.txt says how"
            ),
            error,
            accepts: json!([terms.accept(price)]),
            header: quote.header(extensions),
            challenge: None,
            v1: wants_v1.then(|| quote.v1()),
            response: None,
            retry_after_s: None,
        }
    }

    /// Adds the challenge of the scheme `Payment`: the same price in the other envelope.
    pub(crate) fn challenging(self, challenge: &Challenge) -> Self {
        Self { challenge: Some(challenge.header()), ..self }
    }

    /// Makes the 402 of a call whose proof does not pay. `response` is the header that states the result of the proof.
    pub(crate) fn refusing(mut self, refused: &Refused, response: Option<(&'static str, String)>) -> Self {
        self.detail = refused.detail.clone();
        self.retry_after_s = refused.retry_after_s;
        self.response = response;
        self
    }

    /// The terms of x402, as the header has them.
    pub(crate) fn decoded(&self) -> Option<Value> {
        serde_json::from_slice(&STANDARD.decode(&self.header).ok()?).ok()
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The stable code of the reason for which it is not paid.
    pub(crate) fn code(&self) -> &'static str {
        self.error.as_str()
    }

    /// The members and headers that a 402 adds to a problem document.
    pub(crate) fn extend(&self, members: &mut Map<String, Value>, headers: &mut HeaderMap) {
        members.insert("error".to_owned(), json!(self.error.as_str()));
        members.insert("accepts".to_owned(), self.accepts.clone());
        self.write_headers(headers);
    }

    fn write_headers(&self, headers: &mut HeaderMap) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        put(headers, "PAYMENT-REQUIRED", &self.header);
        if let Some(challenge) = &self.challenge {
            put(headers, "WWW-Authenticate", challenge);
        }
        if let Some((name, value)) = &self.response {
            put(headers, name, value);
        }
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
    }

    /// The pure x402 v1 answer, where the caller asked for it.
    pub(crate) fn v1_response(&self) -> Option<Response> {
        let body = self.v1.as_ref()?;
        let mut response = (StatusCode::PAYMENT_REQUIRED, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.write_headers(headers);
        Some(response)
    }
}

/// Sets a header of ASCII text.
pub(crate) fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let name = HeaderName::from_bytes(name.as_bytes());
    if let (Ok(name), Ok(value)) = (name, HeaderValue::try_from(value)) {
        headers.insert(name, value);
    }
}
