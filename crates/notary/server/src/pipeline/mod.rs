//! The pipeline that every verdict route goes through.
//!
//! ```text
//! flood limit, store (429, 503), body (413) -> toll of paid routes (429, 402) -> JSON (400) -> fields (400)
//!   -> a known proof: its answer -> rate (429) -> module (501) -> admission (404, 409, 501)
//!   -> grant, free tier or payment (402) -> judge (503) -> settle -> notarize -> answer
//! ```
//!
//! The order is part of the interface: a malformed question is told so before it is counted or charged, and
//! a route without a free tier shows its terms whatever the body holds.

mod asked;
mod body;
mod client;
mod due;
pub(crate) mod free_tier;
mod question;
mod rates;
mod short_form;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use capacity::compute::{self, ComputeClient};
use module::Route;
use notary::{Caller, Consequence, ReceiptDraft};
use receipt::hash::ReceiptHash;
use verdict::{Case, Effect, Objection, Ruling, Timestamp};
use watch::Room;

use crate::app::App;
use crate::refusal::{Quota, Refusal};
use crate::{observe, payment_gate, routes};

use asked::{Asked, Read};
use due::{Due, Entitled};
use free_tier::Asker;
use short_form::ShortForm;

pub use asked::MAX_UNREAD;
pub use body::{BODY_TIMEOUT, LINGER, LINGER_BYTES, WholeBody, read_body};
pub use client::Client;
pub use due::MAX_FREE_TIME;
pub use question::{MAX_QUERY_NAMES, query_object, read_object};
pub use rates::{ADDRESS_FACTOR, admit, admit_asking, flood};

/// The seconds after which a call may be sent again that came while the store took no changes.
const AWAY_RETRY_S: u32 = 5;
const STORE_AWAY: &str = "the store takes no changes at the moment, so nothing is judged or charged; receipts and the log are served";

/// The number of units that is quoted until the body has been read.
const ONE: u32 = 1;

/// Answers one request to a verdict route.
pub async fn handle(
    State(app): State<Arc<App>>,
    client: Client,
    route: Arc<Route>,
    request: Request,
) -> Response {
    let started = app.notary.clock.monotonic();
    let answer = answered(&app, &client, &route, request).await.into_response();
    let took = app.notary.clock.monotonic().saturating_sub(started);
    app.service_levels.record(route.terms.class, app.notary.clock.now(), answer.status(), took);
    answer
}

async fn answered(
    app: &Arc<App>,
    client: &Client,
    route: &Arc<Route>,
    request: Request,
) -> Result<Response, Refusal> {
    flood(app, client, &route.terms.path(), route.terms.rate_per_minute).await?;
    if app.notary.ledger.is_away() {
        return Err(Refusal::unavailable("store", AWAY_RETRY_S, STORE_AWAY));
    }
    let short_form = ShortForm::of(request.uri().query().unwrap_or_default())?;
    let mut asker = Asker::default();
    let answered = match whole(app, client, route, request, &mut asker).await {
        Ok(whole) => short_form.cut(&app.compute, client.party(), whole).await,
        Err(refusal) => Err(refusal.with_example(route.example)),
    };
    let mut response = answered.into_response();
    asker.write_free_tier(app, client.network(), &route.terms, response.headers_mut()).await;
    Ok(response)
}

/// Answers with the whole receipt.
async fn whole(
    app: &Arc<App>,
    client: &Client,
    route: &Arc<Route>,
    request: Request,
    asker: &mut Asker,
) -> Result<Response, Refusal> {
    let started = app.notary.clock.monotonic();
    let terms = &route.terms;
    let (parts, body) = request.into_parts();
    let body = read_body(app.inflow.hold(client.network()), &parts, body, terms.body_limit).await?;
    let Asked { body_hash, read } = asked::read(app, client.party(), route, &parts, body).await?;
    asker.agent = read.as_ref().ok().and_then(|read| read.agent.as_ref().ok().cloned());
    let due = Due { app, route, client, parts: &parts, asker, body_hash };
    let mut granted = None;
    if terms.is_paid_only() && !payment_gate::has_proof(&parts.headers) {
        let (agent, units) = match &read {
            Ok(read) => (read.agent.as_ref().ok(), read.units),
            Err(_) => (None, ONE),
        };
        if route.judge.is_some() {
            granted = due.granted(agent, units).await?;
        }
        if granted.is_none() {
            admit(app, &[rates::hit(terms, client, agent)], terms.class).await?;
            return Err(match route.judge {
                Some(_) => due.quote(units, due::NO_FREE_TIER),
                None => Refusal::not_offered(terms.module),
            });
        }
    }
    let read = read?;
    let paying = due.paying();
    if let Ok(Some(paying)) = &paying
        && let Some(answer) = due.known(paying, read.units).await
    {
        return due.conclude(paying, read.units, answer);
    }
    let (read, paying, quota) = due.counted(read, paying).await?;
    let Read { agent, case, .. } = &read;
    let (Ok(agent), Ok(Some(case))) = (agent, case) else {
        return Err(Refusal::not_offered(terms.module));
    };
    let at = app.notary.now()?;
    if let Err(objection) = admitted(app, client.party(), case, at).await {
        // The obstacle may be this very call, come a moment earlier.
        if let Some(paying) = &paying
            && let Some(answer) = due.known(paying, read.units).await
        {
            return due.conclude(paying, case.units(), answer);
        }
        return Err(objection.into());
    }
    let room = watch::room(&*app.notary.ledger, route.effect_kind(), agent, client.network(), at).await?;
    let entitled = match granted {
        _ if room == Room::Paying && paying.is_some() => Entitled::MustPay(due::WATCHES_USED_UP),
        _ if room == Room::Paying => return Err(watch::LIMIT.into()),
        Some(granted) => granted,
        None => due.entitle(agent, &read, paying.is_some(), room, at).await?,
    };
    let answer = match entitled {
        Entitled::Free { place, has_priority } => {
            let is_granted = place.as_ref().is_some_and(ledger::QuotaReservation::is_granted);
            app.storage
                .admit(app.notary.clock.monotonic(), is_granted)
                .inspect_err(|_| observe::refused(terms.class, "storage"))?;
            let party = ComputeClient { is_paid: is_granted, has_priority, ..client.party() };
            let context =
                app.notary.judge_context(route.effect_kind(), terms.class, agent, &**case, at).await?;
            let Ruling { finding, evidence, effect } =
                capacity::judge(&app.compute, party, case, terms.module, context).await?;
            let request = capacity::kept_request(&app.compute, party, case, read.request.clone()).await?;
            let secret =
                matches!(effect, Some(Effect::OpenWatch(_))).then(|| watch::secret(&evidence)).flatten();
            let caller = Caller { agent, network: Some(client.network()), bond: None };
            let consequence = Consequence::of(effect, caller, &*app.notary.ledger).await?;
            let draft = ReceiptDraft {
                class: terms.class,
                agent: agent.clone(),
                request,
                finding,
                evidence,
                judged_at: at,
                place,
                paid: None,
                consequence,
            };
            let notarized = app.notary.notarize(draft).await?;
            let mut answer = answer(notarized.to_json(), &notarized.delivery().hash, quota);
            if let Some(secret) = secret {
                secret.write(answer.headers_mut());
            }
            answer
        }
        Entitled::MustPay(why) => due.handle(paying, read, why, at).await?,
    };
    app.latencies.record(terms.class, app.notary.clock.monotonic().saturating_sub(started));
    Ok(answer)
}

/// Makes an answer of a receipt with this hash. Its `Link` header names the page of the receipt.
pub(crate) fn answer(receipt: Vec<u8>, hash: &ReceiptHash, quota: Option<Quota>) -> Response {
    let mut response = receipt.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    routes::link_page(headers, hash);
    if let Some(quota) = quota {
        quota.write(headers);
    }
    response
}

/// Asks what is in the way of a question; where judging it takes processor time, so may this.
async fn admitted(
    app: &App,
    party: ComputeClient,
    case: &Arc<dyn Case>,
    at: Timestamp,
) -> Result<(), Objection> {
    let Some(time) = compute::time_of(case.cost()) else { return case.admit(at).await };
    let case = Arc::clone(case);
    app.compute.poll(party, time.min(compute::SHORT), async move { case.admit(at).await }).await?
}
