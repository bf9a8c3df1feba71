//! The problem responses. Their examples are the documents that [`Refusal`] itself writes.

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use axum::body::Body;
use axum::http::HeaderMap;
use http_body_util::BodyExt as _;
use module::Route;
use module::terms::BODY_LIMIT;
use serde_json::{Map, Value, json};
use verdict::Reason;

use super::operation::refer;
use crate::discovery::offer::Offered;
use crate::erasure::ErasedDocument;
use crate::refusal::{Quota, Refusal};

/// The id in the examples.
const REQUEST_ID: &str = "8c1f0e5a9b7d2c43";

/// The refusals that are the same on every route, by their names among the components.
pub(super) fn components() -> Value {
    let missing = Refusal::Field {
        field: "agent".to_owned(),
        pointer: "/agent".to_owned(),
        reason: Reason::Missing.code(),
        detail: "is required".to_owned(),
    };
    let quota = Quota { policy: "claim-verdict".to_owned(), limit: 10, remaining: 0, reset_s: 42 };
    let no_receipt = "no receipt has this hash";
    let unknown = Map::from_iter([("valid".to_owned(), json!(false))]);
    json!({
        "BadRequest": problem("A field is missing or malformed; the first one is named.", "FieldProblem", &missing),
        "Forbidden": problem(
            "The request was sent for a web page of others, or to another host's name.",
            "Problem",
            &Refusal::Forbidden { field: "Origin", detail: "must be that of this notary".to_owned() },
        ),
        "NotGranted": problem(
            "The operator has not granted it to the wallet that signed.",
            "Problem",
            &Refusal::NotGranted { code: "no_grant", detail: "the operator has not granted the export of this agent".to_owned() },
        ),
        "NotFound": problem("There is no such thing.", "Problem", &Refusal::not_found(no_receipt)),
        "UnknownReceipt": problem(
            "No receipt has this hash.",
            "UnknownReceiptProblem",
            &Refusal::NotFound { detail: no_receipt.into(), extra: Some(Box::new(unknown)) },
        ),
        "Erased": problem(
            "The notary has erased its copy of the receipt. Its log entry stays, and whoever has the receipt can verify it.",
            "ErasedProblem",
            &Refusal::Erased(Box::new(ErasedDocument::example())),
        ),
        "MethodNotAllowed": method_not_allowed(),
        "Conflict": conflict(),
        "TooLarge": problem(
            "The body is larger than the route takes.",
            "SizeProblem",
            &Refusal::TooLarge { limit_bytes: BODY_LIMIT },
        ),
        "TooManyRequests": problem("The rate limit is reached. Nothing is charged.", "Problem", &Refusal::TooMany(quota)),
        "NotOffered": problem(
            "This notary is not configured to answer such questions. Nothing is charged or counted as used.",
            "UnavailableProblem",
            &Refusal::not_offered("sanctions"),
        ),
        "Unavailable": problem(
            "A module is down, and will be back. Nothing is charged or counted as used.",
            "UnavailableProblem",
            &Refusal::unavailable("sanctions", 300, "no_list: there is no sanctions list with wallets yet"),
        ),
    })
}

/// The 402 of a route, with its own terms as the example. The body of x402 version 1, for clients that ask for it by a header,
/// is no part of the document: generators of clients make one type of each status.
pub(super) fn payment_required(offered: &Offered<'_>, route: &Route) -> Value {
    let mut response = json!({
        "description": "Payment is required. Pay as one of `accepts` says, and send the identical request with the proof.",
        "headers": headers(&["PAYMENT-REQUIRED", "WWW-Authenticate", "Free-Tier"]),
        "content": {
            "application/problem+json": {"schema": refer("schemas", "PaymentProblem")},
        },
    });
    if let Some(terms) = offered.payment_required(route) {
        let refusal = Refusal::PaymentRequired(Box::new(terms));
        response["content"]["application/problem+json"]["example"] = document(&refusal).0;
    }
    response
}

fn problem(description: &str, schema: &str, refusal: &Refusal) -> Value {
    let (body, sent) = document(refusal);
    let own: Vec<&str> = ["Retry-After", "RateLimit", "RateLimit-Policy"]
        .into_iter()
        .filter(|name| sent.contains_key(*name))
        .collect();
    json!({
        "description": description,
        "headers": headers(&own),
        "content": {"application/problem+json": {"schema": refer("schemas", schema), "example": body}},
    })
}

/// The answer of the methods that a path does not have; the router writes its `Allow`.
fn method_not_allowed() -> Value {
    let description = "The path has other methods. No operation lists this answer: none of them has it.";
    let mut response = problem(description, "Problem", &Refusal::Method { methods: &["POST"] });
    response["headers"]["Allow"] = refer("headers", "Allow");
    response
}

/// A payment that was already used for another request.
fn conflict() -> Value {
    json!({
        "description": "The payment or its identifier was already used for a different request; or a dispute is not possible (`dispute_open`, `dispute_limit`, `window_closed`), or one watch more (`watch_limit`).",
        "headers": headers(&[]),
        "content": {"application/problem+json": {"schema": refer("schemas", "Problem")}},
    })
}

fn headers(own: &[&str]) -> Value {
    let names = own.iter().chain(&["X-Request-Id"]);
    Value::Object(names.map(|name| ((*name).to_owned(), refer("headers", name))).collect())
}

/// The document and headers of a refusal.
fn document(refusal: &Refusal) -> (Value, HeaderMap) {
    let (parts, body) = refusal.document(REQUEST_ID).into_parts();
    (read(body), parts.headers)
}

/// The JSON of a body that is all there: one poll reads it.
fn read(body: Body) -> Value {
    let collected = pin!(body.collect());
    match collected.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(whole)) => serde_json::from_slice(&whole.to_bytes()).unwrap_or(Value::Null),
        Poll::Ready(Err(_)) | Poll::Pending => Value::Null,
    }
}
