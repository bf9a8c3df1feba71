//! Refusals of requests, and the only place that turns them into RFC 9457 problem documents.
//!
//! The caller sees a status, a stable code and what to do; the log sees the cause. A refusal is carried in a
//! response's extensions until the outermost layer, which knows the request's id, writes the document.

use std::borrow::Cow;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use ledger::LedgerError;
use module::terms::WINDOW_SECONDS;
use notary::NotaryError;
use receipt::json::JsonError;
use receipt::verify::VerifyError;
use serde_json::{Map, Value, json};
use verdict::{FieldError, Objection, Reason, Unavailable};

use crate::erasure::ErasedDocument;
use crate::payment_required::PaymentRequired;

/// Maximum length of an example in a refusal, in bytes of its JSON.
const MAX_EXAMPLE_BYTES: usize = 100;

/// The kinds of refusals of a request.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// 400: a field is wrong; this is the first one.
    Field {
        /// Dotted name: `resolver.public_key`, a header's name, or `body`.
        field: String,
        /// JSON pointer; empty where the field is the whole body or is outside the body.
        pointer: String,
        /// A stable code.
        reason: &'static str,
        /// A phrase that follows the field's name.
        detail: String,
    },
    /// 402: the call must be paid for.
    PaymentRequired(Box<PaymentRequired>),
    /// 403: a request that another's web page may have made.
    Forbidden {
        /// The header that shows it.
        field: &'static str,
        /// A phrase that follows the header's name.
        detail: String,
    },
    /// 403: the operator has not granted this to who asks.
    NotGranted {
        /// A stable code.
        code: &'static str,
        /// A sentence that says what is missing, and where to get it.
        detail: String,
    },
    /// 404: nothing has this path or id.
    NotFound {
        /// The thing that was searched for.
        detail: Cow<'static, str>,
        /// Members that the route adds.
        extra: Option<Box<Map<String, Value>>>,
    },
    /// 410: the receipt was erased; its log entry stays.
    Erased(Box<ErasedDocument>),
    /// 405: the route does not have this method.
    Method {
        /// The methods that the route has; with GET it has HEAD too.
        methods: &'static [&'static str],
    },
    /// 409: an object that the call needs was used for another purpose, or is in another state.
    Conflict {
        /// A stable code.
        code: &'static str,
        /// The obstacle.
        detail: String,
    },
    /// 503: the payment was accepted and its settlement continues; the identical request gets the answer later.
    Settling {
        /// The transaction, where it is known.
        transaction: Option<String>,
    },
    /// 409: the payment is known, but the caller has not proven to be its payer, since the authorization is public by
    /// now. The answer is the same for every question.
    PayerUnproven {
        /// The transaction that settled it, for the payer's statement over it.
        transaction: Option<String>,
        /// The index of its transfer's event.
        log_index: Option<u64>,
    },
    /// 503: the payer has its maximum number of pending payments; nothing was charged.
    PayerBusy {
        /// The most payments under way that one payer may have.
        most: u32,
    },
    /// 413: the body exceeds the route's published limit.
    TooLarge {
        /// The limit, in bytes.
        limit_bytes: usize,
    },
    /// 429: the published rate limit is exceeded.
    TooMany(Quota),
    /// 500: an internal error. Only the log has the cause.
    Bug,
    /// 501: this notary does not offer the route or such questions, since the part is not built or not configured.
    NotOffered {
        /// The module, as `/catalog` has it.
        module: &'static str,
        /// The part that is missing, as a phrase for the caller.
        detail: String,
    },
    /// 503: a module is down; nothing was charged or counted.
    Unavailable(Unavailable),
    /// 505: the connection began with HTTP/2.
    HttpVersion,
}

/// The values of the `RateLimit` header fields.
#[derive(Clone, Debug)]
pub struct Quota {
    /// The name of the policy: the route's path without its slash.
    pub policy: String,
    /// Maximum number of hits in any 60 seconds.
    pub limit: u32,
    /// Number of hits that are left.
    pub remaining: u32,
    /// Seconds until further hits are permitted.
    pub reset_s: u32,
}

impl Quota {
    /// Writes `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers).
    pub fn write(&self, headers: &mut axum::http::HeaderMap) {
        let Self { policy, limit, remaining, reset_s } = self;
        let mut put = |name: &'static str, value: String| {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        };
        put("ratelimit-policy", format!("\"{policy}\";q={limit};w={WINDOW_SECONDS}"));
        put("ratelimit", format!("\"{policy}\";r={remaining};t={reset_s}"));
    }
}

impl Refusal {
    /// Builds the refusal of a wrong header field or parameter, which has no JSON pointer.
    pub fn field(field: &str, reason: Reason, detail: impl Into<String>) -> Self {
        Self::Field {
            field: field.to_owned(),
            pointer: String::new(),
            reason: reason.code(),
            detail: detail.into(),
        }
    }

    /// Adds to the refusal of a field what stands there in an example, or its beginning.
    pub(crate) fn with_example(mut self, example: Option<&str>) -> Self {
        if let Self::Field { field, pointer, detail, .. } = &mut self
            && (!pointer.is_empty() || field == "body")
            && let Some(example) = example.and_then(|example| serde_json::from_str::<Value>(example).ok())
            && let Some(value) = example.pointer(pointer).map(Value::to_string)
        {
            let end = value.char_indices().map(|(at, _)| at).take_while(|at| *at <= MAX_EXAMPLE_BYTES).last();
            let (shown, rest) =
                value.split_at(if value.len() > MAX_EXAMPLE_BYTES { end.unwrap_or(0) } else { value.len() });
            let more = if rest.is_empty() { "" } else { "..." };
            detail.push_str(&format!("; for example {shown}{more}"));
        }
        self
    }

    /// Builds the refusal for a module that is down, with a retry after about `retry_after_s` seconds.
    pub fn unavailable(module: &'static str, retry_after_s: u32, detail: impl Into<String>) -> Self {
        Self::Unavailable(Unavailable { module, retry_after_s, detail: detail.into() })
    }

    /// Builds the refusal of a route whose module is not built or not configured.
    pub fn not_offered(module: &'static str) -> Self {
        Self::NotOffered {
            module,
            detail: "this notary does not offer the route; /catalog says which it does".to_owned(),
        }
    }

    /// Builds the refusal of a path at which there is nothing.
    pub fn not_found(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::NotFound { detail: detail.into(), extra: None }
    }

    /// Returns the HTTP status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Field { .. } => StatusCode::BAD_REQUEST,
            Self::PaymentRequired(_) => StatusCode::PAYMENT_REQUIRED,
            Self::Forbidden { .. } | Self::NotGranted { .. } => StatusCode::FORBIDDEN,
            Self::NotFound { .. } => StatusCode::NOT_FOUND,
            Self::Erased(_) => StatusCode::GONE,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict { .. } | Self::PayerUnproven { .. } => StatusCode::CONFLICT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Bug => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotOffered { .. } => StatusCode::NOT_IMPLEMENTED,
            Self::Settling { .. } | Self::PayerBusy { .. } | Self::Unavailable(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::HttpVersion => StatusCode::HTTP_VERSION_NOT_SUPPORTED,
        }
    }

    /// The problem type's last part, and its title.
    fn kind(&self) -> (&'static str, &'static str) {
        match self {
            Self::Field { .. } => ("invalid-field", "A required field is missing or malformed"),
            Self::PaymentRequired(_) => ("payment-required", "Payment is required"),
            Self::Forbidden { .. } => ("forbidden", "The request is not of this origin"),
            Self::NotGranted { .. } => ("not-granted", "The operator has not granted it"),
            Self::NotFound { .. } => ("not-found", "There is no such resource"),
            Self::Erased(_) => ("erased", "The receipt was erased"),
            Self::Method { .. } => ("method-not-allowed", "The route does not have this method"),
            Self::Conflict { .. } => ("conflict", "The request conflicts with an earlier one"),
            Self::PayerUnproven { .. } => ("payer-unproven", "The payer must show himself"),
            Self::Settling { .. } => ("payment-in-progress", "The payment is being settled"),
            Self::PayerBusy { .. } => ("payer-limit", "The payer has too many payments under way"),
            Self::TooLarge { .. } => ("body-too-large", "The body is larger than the route takes"),
            Self::TooMany(_) => ("rate-limited", "The rate limit is reached"),
            Self::Bug => ("internal-error", "The notary has a fault"),
            Self::NotOffered { .. } => ("not-offered", "This notary does not offer it"),
            Self::Unavailable(_) => ("module-unavailable", "A module is temporarily unavailable"),
            Self::HttpVersion => ("http-version", "The version of HTTP is not supported"),
        }
    }

    /// The stable code, the same for all statuses; some refusals repeat it as `reason` or `error`.
    fn code(&self) -> &str {
        match self {
            Self::Field { reason, .. } => reason,
            Self::PaymentRequired(terms) => terms.code(),
            Self::Forbidden { .. } => "forbidden",
            Self::NotFound { .. } => "not_found",
            Self::Erased(_) => "erased",
            Self::Method { .. } => "method_not_allowed",
            Self::Conflict { code, .. } | Self::NotGranted { code, .. } => code,
            Self::PayerUnproven { .. } => "payer_unproven",
            Self::Settling { .. } => "payment_in_progress",
            Self::PayerBusy { .. } => "payer_limit",
            Self::TooLarge { .. } => "body_too_large",
            Self::TooMany(_) => "rate_limited",
            Self::Bug => "internal_error",
            Self::NotOffered { .. } => "not_offered",
            Self::Unavailable(_) => "module_unavailable",
            Self::HttpVersion => "http_version",
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Field { field, detail, .. } => format!("`{field}` {detail}"),
            Self::PaymentRequired(terms) => terms.detail().to_owned(),
            Self::Forbidden { field, detail } => format!("`{field}` {detail}"),
            Self::NotFound { detail, .. } => detail.clone().into_owned(),
            Self::Erased(erased) => erased.sentence(),
            Self::Conflict { detail, .. } | Self::NotGranted { detail, .. } => detail.clone(),
            Self::PayerUnproven { .. } => {
                "this payment was made before, and its authorization is public by now; pay nothing anew, but show that \
                 you are its payer: send the identical request with your signature of a SettlementProof over \
                 `transaction` and `log_index` in X-PAYMENT, or with the payment-identifier that it was made under and \
                 a fresh authorization, which is not settled; docs/payments.md has the form"
                    .to_owned()
            }
            Self::Settling { .. } => {
                "the settlement goes on; send the identical request again, and pay nothing anew".to_owned()
            }
            Self::PayerBusy { most } => format!(
                "the payer has {most} payments under way, which is the most that one may have; send the identical request \
                 again when one of them is done"
            ),
            Self::Method { methods } => {
                format!("the route takes {}", methods.join(", ").replace("GET", "GET, HEAD"))
            }
            Self::TooLarge { limit_bytes } => format!("the body may have at most {limit_bytes} bytes, as it is sent and in canonical form (RFC 8785)"),
            Self::TooMany(quota) => {
                format!("at most {} calls in any 60 seconds; retry in {} s", quota.limit, quota.reset_s)
            }
            Self::Bug => "this is a bug of ours; the request id finds it in our logs".to_owned(),
            Self::NotOffered { detail, .. } => detail.clone(),
            Self::Unavailable(unavailable) => unavailable.detail.clone(),
            Self::HttpVersion => {
                "the connection began with HTTP/2, and this service speaks HTTP/1.1; send the request in \
                HTTP/1.1 (curl --http1.1, or no `prior knowledge` of HTTP/2)"
                    .to_owned()
            }
        }
    }

    /// Builds the problem document (RFC 9457) with its status and header fields.
    #[must_use]
    pub fn document(&self, request_id: &str) -> Response {
        if let Self::PaymentRequired(terms) = self
            && let Some(response) = terms.v1_response()
        {
            return response;
        }
        let (kind, title) = self.kind();
        let mut members = Map::new();
        members.insert("type".to_owned(), json!(format!("urn:touchstone:problem:{kind}")));
        members.insert("title".to_owned(), json!(title));
        members.insert("status".to_owned(), json!(self.status().as_u16()));
        members.insert("detail".to_owned(), json!(self.detail()));
        members.insert("code".to_owned(), json!(self.code()));
        members.insert("doc_url".to_owned(), json!(format!("/docs/errors#{kind}")));
        members.insert("request_id".to_owned(), json!(request_id));
        let mut response = Response::new(axum::body::Body::empty());
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        self.extend(&mut members, headers);
        *response.body_mut() = Value::Object(members).to_string().into();
        response
    }

    /// The members and headers that only this status has.
    fn extend(&self, members: &mut Map<String, Value>, headers: &mut axum::http::HeaderMap) {
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        match self {
            Self::Field { field, pointer, reason, .. } => {
                put("field", json!(field));
                put("pointer", json!(pointer));
                put("reason", json!(reason));
            }
            Self::Forbidden { field, .. } => {
                put("field", json!(field));
            }
            Self::PaymentRequired(terms) => terms.extend(members, headers),
            Self::NotFound { extra, .. } => {
                members.extend(extra.iter().flat_map(|extra| extra.as_ref().clone()));
            }
            Self::Erased(erased) => {
                put("valid", json!(false));
                put("erased", erased.members());
            }
            Self::Conflict { code, .. } | Self::NotGranted { code, .. } => {
                put("error", json!(code));
            }
            Self::PayerUnproven { transaction, log_index } => {
                put("error", json!("payer_unproven"));
                put("transaction", json!(transaction));
                put("log_index", json!(log_index));
            }
            Self::Settling { transaction } => {
                put("module", json!("payment"));
                put("error", json!("payment_in_progress"));
                put("transaction", json!(transaction));
                headers.insert(header::RETRY_AFTER, 5.into());
            }
            Self::PayerBusy { .. } => {
                put("module", json!("payment"));
                put("error", json!("payer_limit"));
                headers.insert(header::RETRY_AFTER, 5.into());
            }
            Self::Method { .. } | Self::Bug | Self::HttpVersion => {}
            Self::TooLarge { limit_bytes } => {
                put("limit_bytes", json!(limit_bytes));
            }
            Self::TooMany(quota) => {
                headers.insert(header::RETRY_AFTER, quota.reset_s.into());
                quota.write(headers);
            }
            Self::NotOffered { module, .. } => {
                put("module", json!(module));
            }
            Self::Unavailable(unavailable) => {
                put("module", json!(unavailable.module));
                headers.insert(header::RETRY_AFTER, unavailable.retry_after_s.into());
            }
        }
    }
}

impl IntoResponse for Refusal {
    /// A bare status; the outermost layer replaces it by [`Refusal::document`].
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        let FieldError { path, reason, detail } = error;
        Self::Field { field: path.dotted(), pointer: path.pointer(), reason: reason.code(), detail }
    }
}

impl From<Unavailable> for Refusal {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl From<Objection> for Refusal {
    fn from(objection: Objection) -> Self {
        match objection {
            Objection::Unknown(detail) => Self::not_found(detail),
            Objection::Impossible { code, detail } => Self::Conflict { code, detail: detail.to_owned() },
            Objection::Field(error) => error.into(),
            Objection::NotOffered { module, detail } => Self::NotOffered { module, detail },
            Objection::Unavailable(unavailable) => unavailable.into(),
        }
    }
}

impl From<LedgerError> for Refusal {
    /// Turns a failure of the store into a 503, and a refusal of the ledger into the refusal that fits it.
    fn from(error: LedgerError) -> Self {
        let conflict = |code, detail: &str| Self::Conflict { code, detail: detail.to_owned() };
        match error {
            LedgerError::Busy
            | LedgerError::OutcomeUnknown
            | LedgerError::Store(_)
            | LedgerError::NotSigned(_)
            | LedgerError::Archive
            | LedgerError::Corrupt(_)
            | LedgerError::OtherKeys(_)
            | LedgerError::Open { .. } => error.store_failed().into(),
            LedgerError::Unfit(_) => {
                tracing::warn!(%error, "what was to be stored is not fit for it");
                Self::unavailable("ledger", 3600, "what was found cannot be stored")
            }
            // Whoever has the claim by now brings it to its end, and the identical request gets what that is.
            LedgerError::NotOwner | LedgerError::WrongState(_) => Self::Settling { transaction: None },
            LedgerError::NoSuchClaim(_) => call_has_failed(),
            LedgerError::AlreadyCredited => PAYMENT_USED.into(),
            LedgerError::InsufficientFunds => {
                conflict("insufficient_funds", "the payer has less than the amount")
            }
            LedgerError::Duplicate => conflict("duplicate", "this is in the log already"),
            LedgerError::RefundState(_) => conflict("refund_state", "the refund has got further meanwhile"),
            LedgerError::PayoutCap { .. } => conflict("payout_cap", "the day's cap on payouts is reached"),
            LedgerError::NotErasable(_) => conflict("not_erasable", "the receipt cannot be erased now"),
            LedgerError::NoSuchLeaf(_) => Self::not_found("the log has no such leaf yet"),
            LedgerError::NoSuchRefund(_) => Self::not_found("there is no such refund"),
            LedgerError::NoSuchGrant(_) => Self::not_found("there is no such grant"),
            LedgerError::DisputeOpen => dispute::OPEN.into(),
            LedgerError::DisputeLimit => dispute::LIMIT.into(),
            LedgerError::WatchLimit => watch::LIMIT.into(),
            LedgerError::FreeWatchLimit | LedgerError::NetworkWatchLimit => {
                Self::unavailable("ledger", 3600, "no more watches are taken for free at the moment")
            }
            LedgerError::OtherPrices(_) => {
                tracing::error!(%error, "the prices of this process are not those of the store");
                Self::unavailable("ledger", 60, "the prices are being changed")
            }
            LedgerError::LogKeyNotHere(_) => {
                tracing::error!(%error, "this process does not have the log key in use");
                Self::unavailable("ledger", 5, "the log key is being changed")
            }
            LedgerError::FormerKey { .. } => {
                tracing::error!(%error, "the receipt key of this process is not the one in use");
                Self::unavailable("notary", 5, "the receipt key is being changed")
            }
            LedgerError::TrialLimit => {
                Self::unavailable("trials", 86_400, "no more wishes for trials are taken at the moment")
            }
        }
    }
}

/// The payment has already bought the answer to another request.
pub(crate) const PAYMENT_USED: Objection =
    Objection::Impossible { code: "payment_used", detail: "this payment was used for a different request" };

/// The claim of a call is gone, so its payment is free again.
pub(crate) fn call_has_failed() -> Refusal {
    Refusal::unavailable("payment", 1, "the call that this payment was for has failed; send it again")
}

impl From<NotaryError> for Refusal {
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Unavailable(unavailable) => unavailable.into(),
            NotaryError::Ledger(error) => error.into(),
        }
    }
}

impl From<VerifyError> for Refusal {
    fn from(error: VerifyError) -> Self {
        let reason = error.code();
        Self::Field { field: error.field, pointer: error.pointer, reason, detail: error.detail }
    }
}

impl From<JsonError> for Refusal {
    /// A wrong member is named; a text that is no JSON at all is the `body`'s fault.
    fn from(error: JsonError) -> Self {
        let field = error.field();
        Self::Field { field, pointer: error.path.pointer(), reason: error.code(), detail: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use ledger::{ClaimId, ClaimState, GrantId, RefundId, RefundState, StoreFailure, StoreFailureKind};

    use super::*;

    #[test]
    fn a_field_is_refused_with_what_an_example_has_there() {
        let refusal = |pointer: &str| Refusal::Field {
            field: "agent".to_owned(),
            pointer: pointer.to_owned(),
            reason: "missing",
            detail: "is required".to_owned(),
        };
        let example = Some(r#"{"agent":"my-agent","trades":[{"day":"2026-11-26"}]}"#);
        let detail = |pointer: &str| refusal(pointer).with_example(example).detail();
        assert_eq!(detail("/agent"), "`agent` is required; for example \"my-agent\"");
        assert_eq!(detail("/trades/0/day"), "`agent` is required; for example \"2026-11-26\"");
        assert_eq!(detail("/wallet"), "`agent` is required");
        assert_eq!(detail(""), "`agent` is required");
        let long = format!(r#"{{"agent":"{}"}}"#, "\u{e9}".repeat(100));
        let cut = refusal("/agent").with_example(Some(&long)).detail();
        assert!(cut.ends_with("\u{e9}...") && cut.len() < 150, "{cut}");
        assert_eq!(refusal("/agent").with_example(None).detail(), "`agent` is required");
    }

    async fn shown(refusal: &Refusal) -> String {
        let response = refusal.document("REQUEST-ID");
        let (parts, body) = response.into_parts();
        let mut headers: Vec<String> = parts
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        headers.sort();
        let body = axum::body::to_bytes(body, 1 << 16).await.unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        format!("{}\n{}\n\n{body:#}", parts.status, headers.join("\n"))
    }

    /// All but the 402, which the wire's snapshots show.
    #[tokio::test]
    async fn each_problem_document_is_as_it_was() {
        let hash = || Some(format!("0x{}", "ab".repeat(32)));
        let field = Refusal::Field {
            field: "resolver.public_key".to_owned(),
            pointer: "/resolver/public_key".to_owned(),
            reason: "missing",
            detail: "is required".to_owned(),
        };
        let problems = [
            ("field", field),
            ("not_found", Refusal::not_found("there is no such receipt")),
            ("method", Refusal::Method { methods: &["GET", "POST"] }),
            ("not_granted", Refusal::NotGranted { code: "no_grant", detail: "ask the operator".to_owned() }),
            ("conflict", Refusal::Conflict { code: "dispute_open", detail: "it is open".to_owned() }),
            ("payer_unproven", Refusal::PayerUnproven { transaction: hash(), log_index: Some(3) }),
            ("settling", Refusal::Settling { transaction: hash() }),
            ("payer_busy", Refusal::PayerBusy { most: 24 }),
            ("too_large", Refusal::TooLarge { limit_bytes: 262_144 }),
            (
                "too_many",
                Refusal::TooMany(Quota {
                    policy: "claim-verdict".to_owned(),
                    limit: 10,
                    remaining: 0,
                    reset_s: 42,
                }),
            ),
            ("bug", Refusal::Bug),
            ("not_offered", Refusal::not_offered("sanctions")),
            ("unavailable", Refusal::unavailable("sanctions", 60, "no_list: there is no list")),
            ("http_version", Refusal::HttpVersion),
        ];
        for (name, refusal) in problems {
            insta::assert_snapshot!(format!("problem_{name}"), shown(&refusal).await);
        }
    }

    #[test]
    fn what_the_ledger_refuses_is_no_failure_of_the_ledger() {
        let status = |error: LedgerError| Refusal::from(error).status().as_u16();
        assert_eq!(status(LedgerError::NotOwner), 503);
        for error in [LedgerError::NotOwner, LedgerError::WrongState(ClaimState::Settled)] {
            assert!(matches!(Refusal::from(error), Refusal::Settling { .. }), "somebody goes on with it");
        }
        let Refusal::Unavailable(gone) = Refusal::from(LedgerError::NoSuchClaim(ClaimId(7))) else {
            panic!()
        };
        assert_eq!(gone.module, "payment");
        for error in [
            LedgerError::Duplicate,
            LedgerError::AlreadyCredited,
            LedgerError::InsufficientFunds,
            LedgerError::WatchLimit,
            LedgerError::RefundState(RefundState::Paid),
        ] {
            assert_eq!(status(error), 409);
        }
        for error in [
            LedgerError::NoSuchLeaf(7),
            LedgerError::NoSuchRefund(RefundId(7)),
            LedgerError::NoSuchGrant(GrantId(7)),
        ] {
            assert_eq!(status(error), 404);
        }
    }

    #[test]
    fn a_store_that_fails_is_503_of_the_ledger() {
        for error in [
            LedgerError::Busy,
            LedgerError::OutcomeUnknown,
            LedgerError::Corrupt("its inside".to_owned()),
            LedgerError::Unfit("its inside".to_owned()),
        ] {
            let said = error.to_string();
            let Refusal::Unavailable(unavailable) = Refusal::from(error) else { panic!("{said}") };
            assert_eq!(unavailable.module, "ledger", "{said}");
            assert!(!unavailable.detail.contains("inside"), "{}", unavailable.detail);
        }
        let exhausted = StoreFailure::new(StoreFailureKind::Busy, "its inside");
        let refusal = Refusal::from(LedgerError::Store(exhausted));
        let Refusal::Unavailable(unavailable) = refusal else { panic!("{refusal:?}") };
        assert_eq!((unavailable.module, unavailable.retry_after_s), ("store", 1));
        assert!(!unavailable.detail.contains("inside"), "{}", unavailable.detail);
    }
}
