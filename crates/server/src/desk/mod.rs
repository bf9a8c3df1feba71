//! The desk: the one pipeline that every verdict route goes through.
//!
//! ```text
//! flood limit, body (429, 413) -> toll of paid routes (429, 402) -> JSON (400) -> fields (400)
//!   -> rate (429) -> module (503) -> free tier or payment (402) -> judge (503) -> notarize -> answer
//! ```
//!
//! The order is part of the interface: a malformed question is told so before it is counted or charged, and
//! a route without a free tier shows its terms whatever the body holds.

mod body;
mod client;
mod question;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use ledger::{Admission, Place, PlaceKey, Visit};
use receipt::json::{Json, Object};
use receipt::time::Timestamp;
use verdict::{AgentName, Case, FieldError, Unavailable};

use crate::app::App;
use crate::notary::Matter;
use crate::payment::{self, PaymentRequired};
use crate::refusal::{Quota, Refusal};
use crate::route::Route;
use crate::terms::{Free, Terms};

pub use body::{BODY_TIMEOUT, LINGER, LINGER_BYTES, read_body};
pub use client::{Client, Peer, network_of};
pub use question::{query_object, read_object};

/// The longest that any judge may take.
pub const JUDGE_TIMEOUT: Duration = Duration::from_secs(15);
/// How many times a route's rate one client address may make its calls.
pub const ADDRESS_FACTOR: u32 = 10;

/// Answers one request to a verdict route.
pub async fn ask(
    State(app): State<Arc<App>>,
    client: Client,
    route: Arc<Route>,
    request: Request,
) -> Result<Response, Refusal> {
    let started = app.notary.clock.monotonic();
    let terms = &route.terms;
    let (parts, body) = request.into_parts();
    flood(&app, &client, &terms.path(), terms.rate_per_minute).await?;
    let body = read_body(&parts, body, terms.body_limit).await?;
    let headers = &parts.headers;
    let due = Due { app: &app, terms, wants_v1: payment::wants_v1(headers) };
    if terms.is_paid_only() && !payment::has_proof(headers) {
        let agent = read_object(&parts, &body).ok().and_then(|object| question::agent(&object, terms).ok());
        admit(&app, visit(terms, &client, agent.as_ref()), terms.class).await?;
        return Err(due.refusal("this route has no free tier"));
    }
    let object = read_object(&parts, &body)?;
    let agent = question::agent(&object, terms);
    // Callers of a free route that give no name are told apart by their addresses.
    let visit = visit(terms, &client, agent.as_ref().ok().filter(|_| object.contains("agent")));
    let is_named = agent.is_ok();
    let opened = open(&route, headers, &object, agent);
    // Where no agent can be read, nobody's rate is touched.
    if !is_named && let Err(refusal) = opened {
        return Err(refusal);
    }
    let (Opened { is_paid, agent, case }, quota) = admit_asking(&app, visit, terms.class, opened).await?;
    let Some(case) = case else {
        return Err(Refusal::unavailable(terms.module, 3600, "this route is not available yet"));
    };
    let at = app.notary.now()?;
    let place = due.entitle(&agent, at, is_paid).await?;
    // The tree is many times as large as its text, and judging may take seconds: only the text is kept for it.
    let request = Json::Object(object).canonical();
    drop(body);
    let ruling = judge(&*case, terms.module, at).await?;
    let receipt = app.notary.notarize(Matter { class: terms.class, agent, request, ruling, place }).await?;
    app.latencies.record(terms.class, app.notary.clock.monotonic().saturating_sub(started));
    Ok(answer(receipt, quota))
}

fn answer(receipt: Vec<u8>, quota: Option<Quota>) -> Response {
    let mut response = receipt.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(quota) = quota {
        quota.write(headers);
    }
    response
}

/// A request that is well formed.
struct Opened {
    /// Whether a proof of payment came along.
    is_paid: bool,
    agent: AgentName,
    /// The question, where there is somebody to judge it.
    case: Option<Box<dyn Case>>,
}

/// Reads all that can be wrong with a request.
fn open(
    route: &Route,
    headers: &HeaderMap,
    object: &Object,
    agent: Result<AgentName, FieldError>,
) -> Result<Opened, Refusal> {
    let is_paid = payment::read_proof(headers)?;
    let agent = agent?;
    let case = route.judge.as_ref().map(|judge| judge.open(object)).transpose()?;
    Ok(Opened { is_paid, agent, case })
}

async fn judge(case: &dyn Case, module: &'static str, at: Timestamp) -> Result<verdict::Ruling, Unavailable> {
    let timeout = tokio::time::timeout(JUDGE_TIMEOUT, case.judge(at));
    timeout.await.unwrap_or_else(|_| {
        Err(Unavailable { module, retry_after_s: 5, detail: "judging took too long".to_owned() })
    })
}

/// The client address's own limit, ten times the route's rate: agent names are free to make up.
pub async fn flood(app: &App, client: &Client, path: &str, rate: u32) -> Result<(), Refusal> {
    if !app.limits {
        return Ok(());
    }
    let limit = rate.saturating_mul(ADDRESS_FACTOR);
    let visit = Visit::new("address", client.key(), path, limit);
    admit(app, visit, path.trim_start_matches('/')).await.map(|_| ())
}

/// What counts towards the published rate of a verdict route: an agent's visit, or the address's where none can
/// be read.
fn visit(terms: &Terms, client: &Client, agent: Option<&AgentName>) -> Visit {
    let (kind, who) = agent.map_or(("nameless", client.key()), |agent| ("agent", agent.as_str()));
    Visit::new(kind, who, terms.class, terms.rate_per_minute)
}

/// Counts a visit for what was `asked`. What is wrong with that is told before the rate is looked at, and the visit
/// counts all the same.
pub async fn admit_asking<T>(
    app: &App,
    visit: Visit,
    policy: &str,
    asked: Result<T, Refusal>,
) -> Result<(T, Option<Quota>), Refusal> {
    if asked.is_err() && app.limits {
        app.notary.ledger.note(visit).await?;
    }
    let asked = asked?;
    Ok((asked, admit(app, visit, policy).await?))
}

/// Counts a visit where limits hold.
pub async fn admit(app: &App, visit: Visit, policy: &str) -> Result<Option<Quota>, Refusal> {
    if !app.limits {
        return Ok(None);
    }
    let quota = |limit, remaining, reset_s| Quota { policy: policy.to_owned(), limit, remaining, reset_s };
    match app.notary.ledger.admit(&[visit]).await? {
        Admission::Admitted { remaining, reset_s } => Ok(Some(quota(visit.limit, remaining, reset_s))),
        Admission::Full => Err(Refusal::unavailable("limits", 10, "too many callers at the moment")),
        Admission::Refused { limit, retry_after_s } => Err(Refusal::TooMany(quota(limit, 0, retry_after_s))),
    }
}

/// What a call is due: a place of the free tier, or payment.
struct Due<'a> {
    app: &'a App,
    terms: &'a Terms,
    wants_v1: bool,
}

impl Due<'_> {
    async fn entitle(
        &self,
        agent: &AgentName,
        at: Timestamp,
        is_paid: bool,
    ) -> Result<Option<Place>, Refusal> {
        let allowance = match self.terms.free {
            Free::Unlimited => return Ok(None),
            Free::None => 0,
            _ if !self.app.limits => return Ok(None),
            Free::PerDay(calls) => calls,
            Free::PerDayAndBonus(calls) => calls.saturating_add(crate::reputation::bonus(verdict::Usd::ZERO)),
        };
        let key = PlaceKey::new(agent.as_str(), self.terms.class, at);
        match self.app.notary.ledger.reserve(key, allowance).await? {
            Some(place) => Ok(Some(place)),
            None if is_paid => Err(no_settlement("payments are not taken yet")),
            None => Err(self.refusal("the free calls of this day are used up")),
        }
    }

    /// 402 with the terms; 503 where nothing can be settled.
    fn refusal(&self, why: &'static str) -> Refusal {
        let (Some(settlement), Some(price)) = (&self.app.settlement, self.terms.price) else {
            return no_settlement("no settlement back end is configured");
        };
        Refusal::PaymentRequired(Box::new(PaymentRequired {
            price,
            error: "payment_required",
            why,
            resource: format!("{}{}", self.app.base_url(), self.terms.path()),
            description: self.terms.summary,
            settlement: Arc::clone(settlement),
            wants_v1: self.wants_v1,
        }))
    }
}

fn no_settlement(detail: &str) -> Refusal {
    Refusal::unavailable("payment", 3600, detail)
}
