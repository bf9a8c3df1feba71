//! The short form of an answer: the members that `?fields=` names, and `receipt_hash`, by which the whole receipt is found.

use axum::body::Body;
use axum::response::Response;
use capacity::compute::{self, Compute, ComputeClient};
use http_body_util::BodyExt as _;
use receipt::json::{Json, Object, parse};
use url::form_urlencoded;
use verdict::Reason;

use crate::refusal::Refusal;

/// The name in a query.
pub(super) const FIELDS: &str = "fields";
/// Maximum number of members that may be named.
const MAX_FIELDS: usize = 32;
/// Maximum length of a name, in bytes; no member of a receipt has a longer one.
const MAX_NAME_BYTES: usize = 64;
/// The member that is always there.
const RECEIPT_HASH: &str = "receipt_hash";

/// The members of a receipt that a caller wants; `None` stands for the whole receipt.
pub(super) struct ShortForm(Option<Vec<String>>);

impl ShortForm {
    /// Reads `fields` from a query: names with commas between.
    ///
    /// # Errors
    /// 400 `fields` if it is given twice, is empty, or has too many or too long names.
    pub(super) fn of(query: &str) -> Result<Self, Refusal> {
        let refused = |reason, detail: String| Err(Refusal::field(FIELDS, reason, detail));
        let mut given = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == FIELDS);
        let Some((_, list)) = given.next() else { return Ok(Self(None)) };
        if given.next().is_some() {
            return refused(Reason::DuplicateKey, "is given more than once".to_owned());
        }
        let names: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
        if names.len() > MAX_FIELDS {
            return refused(Reason::TooLong, format!("may name at most {MAX_FIELDS} members"));
        }
        if names.iter().any(|name| name.is_empty() || name.len() > MAX_NAME_BYTES) {
            let detail = "must be names of members with commas between, such as `verdict,explanation`";
            return refused(Reason::Malformed, detail.to_owned());
        }
        Ok(Self(Some(names)))
    }

    /// Cuts an answer down, in its turn if it is long. Its headers stay; what is left can no longer be verified, but by its hash. The
    /// answer may have been paid for, so it stays whole where it cannot be cut.
    ///
    /// # Errors
    /// The body cannot be read, which is a bug: it is in memory.
    pub(super) async fn cut(
        self,
        compute: &Compute,
        party: ComputeClient,
        whole: Response,
    ) -> Result<Response, Refusal> {
        let Some(names) = self.0 else { return Ok(whole) };
        let (parts, body) = whole.into_parts();
        let whole = body.collect().await.map_err(|_| Refusal::Bug)?.to_bytes();
        let given = whole.clone();
        let short = if whole.len() <= compute::READ_HERE {
            short(&given, &names)
        } else {
            compute.apart(party, whole.len(), move || short(&given, &names)).await.ok().flatten()
        };
        Ok(Response::from_parts(parts, short.map_or_else(|| Body::from(whole), Body::from)))
    }
}

/// The members of a receipt that are named, and its hash.
fn short(receipt: &[u8], names: &[String]) -> Option<Vec<u8>> {
    let Ok(Json::Object(mut receipt)) = parse(receipt) else { return None };
    let mut short = Object::new();
    for name in names.iter().map(String::as_str).chain([RECEIPT_HASH]) {
        if let Some(value) = receipt.remove(name) {
            short.insert(name, value);
        }
    }
    Some(Json::Object(short).canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{QUESTION, Service};

    #[tokio::test]
    async fn an_answer_has_the_members_that_are_named_and_the_hash_that_finds_the_rest() {
        let service = Service::new();
        let answer = service.post("/claim-verdict?fields=verdict,%20explanation,nothing", QUESTION).await;
        assert_eq!(answer.status, StatusCode::OK);
        let short = answer.json();
        let hash = short["receipt_hash"].as_str().unwrap().to_owned();
        let whole = service.get(&format!("/receipts/{hash}")).await.json();
        let expected = json!({
            "verdict": whole["verdict"], "explanation": whole["explanation"], "receipt_hash": hash,
        });
        assert_eq!(short, expected);
        assert!(answer.header("link").contains(&hash), "{:?}", answer.headers);
        let twice = service.post("/claim-verdict?fields=verdict", QUESTION).await.json();
        let stored =
            service.get(&format!("/receipts/{}", twice["receipt_hash"].as_str().unwrap())).await.json();
        assert_eq!(stored["request_hash"], whole["request_hash"], "`fields` is no part of the question");
    }

    #[tokio::test]
    async fn fields_that_are_no_list_of_names_are_a_400_before_anything_is_counted() {
        let service = Service::new();
        let long = format!("fields={}", "x".repeat(MAX_NAME_BYTES + 1));
        let many = format!("fields={}", ["a"; MAX_FIELDS + 1].join(","));
        for query in ["fields=", "fields=verdict,", "fields=a&fields=b", &long, &many] {
            let answer = service.post(&format!("/claim-verdict?{query}"), QUESTION).await;
            assert_eq!(
                (answer.status, &answer.json()["field"]),
                (StatusCode::BAD_REQUEST, &json!("fields")),
                "{query}"
            );
        }
        for _ in 0..3 {
            assert_eq!(service.post("/claim-verdict?fields=verdict", QUESTION).await.status, StatusCode::OK);
        }
        let terms: Value = service.post("/claim-verdict?fields=verdict", QUESTION).await.json();
        assert_eq!(terms["status"], 402, "a problem is told whole: {terms}");
    }
}
