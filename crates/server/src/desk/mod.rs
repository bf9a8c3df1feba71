//! The desk: the one pipeline that every verdict route goes through.
//!
//! ```text
//! flood limit, body (429, 413) -> toll of paid routes (429, 402) -> JSON (400) -> fields (400)
//!   -> a known proof: its answer -> rate (429) -> module (503) -> admission (404, 409)
//!   -> grant, free tier or payment (402) -> judge (503) -> settle -> notarize -> answer
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
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use ledger::{Admission, Place, PlaceKey, Visit};
use payment::{Code, RequestIdentity};
use receipt::json::{Json, Object};
use receipt::time::Timestamp;
use verdict::{AgentName, Case, FieldError, Sitting, Unavailable};

use crate::app::App;
use crate::notary::Matter;
use crate::plans;
use crate::refusal::{Quota, Refusal};
use crate::reputation;
use crate::route::Route;
use crate::terms::{Free, Terms, Unit};
use crate::till::{self, NoSale, Paying, PaymentRequired, Priced, Sale};
use crate::watch;

pub use body::{BODY_TIMEOUT, LINGER, LINGER_BYTES, read_body};
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
    let due = Due { app: &app, route: &route, client: &client, parts: &parts, body: &body };
    let object = read_object(&parts, &body);
    let mut granted = None;
    if terms.is_paid_only() && !till::has_proof(&parts.headers) {
        let agent = object.as_ref().ok().and_then(|object| question::agent(object, terms).ok());
        let units = object.as_ref().ok().map_or(ONE, |object| due.units(object));
        granted = due.granted(agent.as_ref(), units).await?;
        if granted.is_none() {
            admit(&app, visit(terms, &client, agent.as_ref()), terms.class).await?;
            return Err(due.quote(units, NO_FREE_TIER));
        }
    }
    let object = object?;
    let paying = due.paying();
    if let Ok(Some(paying)) = &paying
        && let Some(answer) = due.known(paying).await
    {
        return due.conclude(paying, ONE, answer);
    }
    let agent = question::agent(&object, terms);
    // Callers of a free route that give no name are told apart by their addresses.
    let visit = visit(terms, &client, agent.as_ref().ok().filter(|_| object.contains("agent")));
    let is_named = agent.is_ok();
    let (paying, opened) = match paying {
        Ok(paying) => (paying, open(&route, &object, agent)),
        Err(refusal) => (None, Err(refusal)),
    };
    // Where no agent can be read, nobody's rate is touched.
    if !is_named && let Err(refusal) = opened {
        return Err(refusal);
    }
    let (Opened { agent, case }, quota) = if paying.as_ref().is_some_and(|paying| due.was_quoted(paying)) {
        (opened?, None)
    } else {
        admit_asking(&app, visit, terms.class, opened).await?
    };
    let Some(case) = case else {
        return Err(Refusal::unavailable(terms.module, 3600, "this route is not available yet"));
    };
    let at = app.notary.now()?;
    if let Err(objection) = case.admit(at).await {
        // What is in the way may be this very call, come a moment earlier.
        if let Some(paying) = &paying
            && let Some(answer) = due.known(paying).await
        {
            return due.conclude(paying, case.units(), answer);
        }
        return Err(objection.into());
    }
    let entitled = match granted {
        Some(granted) => granted,
        None => due.entitle(&agent, case.units(), at).await?,
    };
    // The tree is many times as large as its text, and judging may take seconds: only the text is kept for it.
    let request = Json::Object(object).canonical();
    let answer = match entitled {
        Entitled::Free { place, has_priority } => {
            let ruling = judge(&*case, terms.module, Sitting { at, has_priority }).await?;
            let watch = watch::opened(terms.class, &agent, &ruling.finding)?;
            let matter = Matter {
                class: terms.class,
                agent,
                request,
                ruling,
                judged_at: at,
                place,
                paid: None,
                dispute: None,
                watch,
            };
            answer(app.notary.notarize(matter).await?.to_json(), quota)
        }
        Entitled::MustPay => due.sell(paying, agent, &*case, request, at).await?,
    };
    app.latencies.record(terms.class, app.notary.clock.monotonic().saturating_sub(started));
    Ok(answer)
}

/// A receipt as an answer.
pub(crate) fn answer(receipt: Vec<u8>, quota: Option<Quota>) -> Response {
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
    agent: AgentName,
    /// The question, where there is somebody to judge it.
    case: Option<Box<dyn Case>>,
}

/// Reads all that can be wrong with a question.
fn open(route: &Route, object: &Object, agent: Result<AgentName, FieldError>) -> Result<Opened, Refusal> {
    let agent = agent?;
    let case = route.judge.as_ref().map(|judge| judge.receive(object)).transpose()?;
    Ok(Opened { agent, case })
}

/// Has a question judged, within the time that any judge may take.
pub(crate) async fn judge(
    case: &dyn Case,
    module: &'static str,
    sitting: Sitting,
) -> Result<verdict::Ruling, Unavailable> {
    let timeout = tokio::time::timeout(JUDGE_TIMEOUT, case.judge(sitting));
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

/// What a call is due: a place of the free tier or of a grant, or payment.
struct Due<'a> {
    app: &'a Arc<App>,
    route: &'a Route,
    client: &'a Client,
    parts: &'a Parts,
    body: &'a [u8],
}

/// What a caller is entitled to.
enum Entitled {
    /// A call that costs nothing, on a place where it is counted.
    Free { place: Option<Place>, has_priority: bool },
    /// Nothing that is free.
    MustPay,
}

impl Entitled {
    /// A free call that has no priority.
    fn free(place: Option<Place>) -> Self {
        Self::Free { place, has_priority: false }
    }
}

impl<'a> Due<'a> {
    /// The proof that came along, where there is a till to take it.
    fn paying(&self) -> Result<Option<Paying<'a>>, Refusal> {
        match &self.app.till {
            Some(till) => Paying::read(self.parts, self.body, &till.terms),
            None => till::read_proof(&self.parts.headers).map(|_| None),
        }
    }

    /// How many units a question would cost; one until it can be read.
    fn units(&self, object: &Object) -> u32 {
        let judge = self.route.judge.as_ref().filter(|_| self.route.terms.unit == Unit::Entity);
        judge.and_then(|judge| judge.open(object).ok()).map_or(ONE, |case| case.units())
    }

    /// What a proof that has come before has bought; `None` for a new one.
    async fn known(&self, paying: &Paying<'_>) -> Option<Result<Response, NoSale>> {
        self.app.till.as_ref()?.known(self.app, paying).await.transpose()
    }

    /// Whether this is the paid retry of a call that was answered 402, and so was counted already.
    fn was_quoted(&self, paying: &Paying<'_>) -> bool {
        let now = self.app.notary.clock.monotonic();
        self.app.till.as_ref().is_some_and(|till| till.was_quoted(&paying.request, now))
    }

    async fn entitle(&self, agent: &AgentName, units: u32, at: Timestamp) -> Result<Entitled, Refusal> {
        let terms = &self.route.terms;
        if !self.app.limits && !terms.is_paid_only() {
            return Ok(Entitled::free(None));
        }
        if let Some(granted) = self.granted(Some(agent), units).await? {
            return Ok(granted);
        }
        let allowance = match terms.free {
            Free::Unlimited => return Ok(Entitled::free(None)),
            Free::None => return Ok(Entitled::MustPay),
            Free::PerDay(calls) => calls,
            Free::PerDayAndBonus(calls) => calls.saturating_add(self.bonus(agent, at).await?),
        };
        let key = PlaceKey::new(agent.as_str(), terms.class, at);
        let place = self.app.notary.ledger.reserve(key, allowance).await?;
        Ok(place.map_or(Entitled::MustPay, |place| Entitled::free(Some(place))))
    }

    /// Calls that an operator has granted to the agent, as many as the question has units, all of one grant. No grant
    /// stands in for a bond: it is what a dispute stakes. Of a route without a price nothing is used up, and the grant
    /// lends its priority.
    async fn granted(&self, agent: Option<&AgentName>, units: u32) -> Result<Option<Entitled>, Refusal> {
        let terms = &self.route.terms;
        let Some(agent) = agent.filter(|_| !terms.is_bond()) else { return Ok(None) };
        let (ledger, at) = (&self.app.notary.ledger, self.app.notary.now()?);
        for grant in ledger.grants_of(agent.as_str(), at).await? {
            if !grant.serves(terms.class, self.client.address(), at) {
                continue;
            }
            if !plans::covers(terms) {
                let has_priority = grant.terms.priority;
                return Ok(has_priority.then_some(Entitled::Free { place: None, has_priority }));
            }
            if let Some(place) = ledger.reserve_granted(&grant, units, at).await? {
                let has_priority = grant.terms.priority;
                return Ok(Some(Entitled::Free { place: Some(place), has_priority }));
            }
        }
        Ok(None)
    }

    /// The free calls on top of the published ones, for what the agent has settled lately.
    async fn bonus(&self, agent: &AgentName, at: Timestamp) -> Result<u32, Refusal> {
        let since = at.unix_days().saturating_sub(reputation::DAYS);
        let settled = self.app.notary.ledger.settled_by(agent.as_str(), since).await?;
        Ok(reputation::bonus(verdict::Usd::from_atomic(settled)))
    }

    /// An answer for money, or the terms of one.
    async fn sell(
        &self,
        paying: Option<Paying<'_>>,
        agent: AgentName,
        case: &dyn Case,
        request: Vec<u8>,
        at: Timestamp,
    ) -> Result<Response, Refusal> {
        let Some(paying) = paying else {
            let is_paid_only = self.route.terms.is_paid_only();
            return Err(self.quote(case.units(), if is_paid_only { NO_FREE_TIER } else { USED_UP }));
        };
        let (Some(till), Some(price)) = (&self.app.till, self.route.terms.price) else {
            return Err(no_settlement());
        };
        let terms = &self.route.terms;
        let sale = Sale { terms, price, paying: &paying, agent, case, request, at };
        let sold = till::sell(self.app, till, sale).await;
        self.conclude(&paying, case.units(), sold)
    }

    /// What a proof has bought, or why it has not, with the terms where it does not pay.
    fn conclude(
        &self,
        paying: &Paying<'_>,
        units: u32,
        sold: Result<Response, NoSale>,
    ) -> Result<Response, Refusal> {
        let refused = match sold {
            Ok(answer) => return Ok(answer),
            Err(NoSale::Refused(refusal)) => return Err(refusal),
            Err(NoSale::Unpaid(refused)) => refused,
        };
        let till = self.app.till.as_ref().ok_or_else(no_settlement)?;
        let required = self.required(&paying.request, units, refused.code, &refused.detail)?;
        Err(Refusal::PaymentRequired(Box::new(required.refusing(&till.terms, paying, &refused))))
    }

    /// 402 with the terms of so many units; 503 where nothing can be settled.
    fn quote(&self, units: u32, why: &str) -> Refusal {
        let request = till::identity(self.parts, self.body);
        match self.required(&request, units, Code::PaymentRequired, why) {
            Ok(required) => Refusal::PaymentRequired(Box::new(required)),
            Err(refusal) => refusal,
        }
    }

    fn required(
        &self,
        request: &RequestIdentity<'_>,
        units: u32,
        error: Code,
        why: &str,
    ) -> Result<PaymentRequired, Refusal> {
        let priced = Priced::of(self.app.base_url(), self.route, units);
        let (Some(till), Some(priced)) = (&self.app.till, priced) else { return Err(no_settlement()) };
        let clock = &self.app.notary.clock;
        till.remember(request, clock.monotonic());
        let quote = priced.quote(&till.terms, error);
        let mut extensions = priced.extensions();
        extensions.insert(1, till::offer(&self.app.notary.signer, &quote, clock.now()));
        Ok(PaymentRequired::new(&quote, why, &extensions, till::wants_v1(&self.parts.headers)))
    }
}

/// What is quoted until the body has been read.
const ONE: u32 = 1;
const NO_FREE_TIER: &str = "this route has no free tier";
const USED_UP: &str = "the free calls of this day are used up";

fn no_settlement() -> Refusal {
    Refusal::unavailable("payment", 3600, "no settlement back end is configured")
}
