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
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use ledger::{Admission, Place, PlaceKey, Visit};
use receipt::json::Json;
use receipt::time::Timestamp;
use verdict::{AgentName, Case, Unavailable};

use crate::app::App;
use crate::notary::Matter;
use crate::payment::{self, PaymentRequired};
use crate::refusal::{Quota, Refusal};
use crate::route::Route;
use crate::terms::{Free, Terms};

pub use body::{BODY_TIMEOUT, read_body};
pub use client::{Client, Peer};
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
        rate(&app, terms, &client, agent.as_ref()).await?;
        return Err(due.refusal("this route has no free tier"));
    }
    let object = read_object(&parts, &body)?;
    let is_paid = payment::read_proof(headers)?;
    let (agent, case) = open(&app, &route, &object).await?;
    // Callers of a free route that give no name are told apart by their addresses.
    let named = object.contains("agent").then_some(&agent);
    let quota = rate(&app, terms, &client, named).await?;
    let Some(case) = case else {
        return Err(Refusal::unavailable(terms.module, 3600, "this route is not available yet"));
    };
    let at = app.notary.now()?;
    let place = due.entitle(&agent, at, is_paid).await?;
    let ruling = judge(&*case, at).await?;
    let request = Json::Object(object).canonical();
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

/// Reads the question; a refused one counts towards its agent's rate, where it names one.
async fn open(
    app: &App,
    route: &Route,
    object: &receipt::json::Object,
) -> Result<(AgentName, Option<Box<dyn Case>>), Refusal> {
    let agent = question::agent(object, &route.terms)?;
    match route.judge.as_ref().map(|judge| judge.open(object)).transpose() {
        Ok(case) => Ok((agent, case)),
        Err(error) => {
            if app.limits {
                app.notary.ledger.note(agent_visit(&route.terms, &agent)).await?;
            }
            Err(error.into())
        }
    }
}

async fn judge(case: &dyn Case, at: Timestamp) -> Result<verdict::Ruling, Unavailable> {
    let timeout = tokio::time::timeout(JUDGE_TIMEOUT, case.judge(at));
    timeout.await.unwrap_or_else(|_| {
        Err(Unavailable { module: "judge", retry_after_s: 5, detail: "judging took too long".to_owned() })
    })
}

fn agent_visit(terms: &Terms, agent: &AgentName) -> Visit {
    Visit::new("agent", agent.as_str(), terms.class, terms.rate_per_minute)
}

/// The client address's own limit, ten times the route's rate: agent names are free to make up.
pub async fn flood(app: &App, client: &Client, path: &str, rate: u32) -> Result<(), Refusal> {
    let limit = rate.saturating_mul(ADDRESS_FACTOR);
    let visit = Visit::new("address", client.key(), path, limit);
    admit(app, visit, path.trim_start_matches('/')).await.map(|_| ())
}

/// The published rate of a verdict route, for an agent, or for the address where none can be read.
async fn rate(
    app: &App,
    terms: &Terms,
    client: &Client,
    agent: Option<&AgentName>,
) -> Result<Option<Quota>, Refusal> {
    let visit = match agent {
        Some(agent) => agent_visit(terms, agent),
        None => Visit::new("nameless", client.key(), terms.class, terms.rate_per_minute),
    };
    admit(app, visit, terms.class).await
}

/// Counts a visit where limits hold.
pub async fn admit(app: &App, visit: Visit, policy: &str) -> Result<Option<Quota>, Refusal> {
    if !app.limits {
        return Ok(None);
    }
    let quota = |limit, remaining, reset_s| Quota { policy: policy.to_owned(), limit, remaining, reset_s };
    match app.notary.ledger.admit(&[visit]).await? {
        Admission::Admitted { remaining, reset_s } => Ok(Some(quota(visit.limit, remaining, reset_s))),
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
    async fn entitle(&self, agent: &AgentName, at: Timestamp, is_paid: bool) -> Result<Option<Place>, Refusal> {
        let allowance = match self.terms.free {
            Free::Unlimited => return Ok(None),
            Free::None => 0,
            _ if !self.app.limits => return Ok(None),
            Free::PerDay(calls) => calls,
            Free::PerDayAndBonus(calls) => calls + crate::reputation::bonus(verdict::Usd::ZERO),
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
