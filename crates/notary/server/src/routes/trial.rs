//! POST /request-trial: a request for a trial, kept for the operator.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use client_network::{ClientNetwork, WIDE_FACTOR};
use ledger::{QuotaKey, QuotaRequest, QuotaReservation, RateLimitHit, TrialRequest};
use serde_json::json;
use verdict::{AgentName, Field, Fields, Timestamp};

use crate::app::App;
use crate::pipeline::{self, Client};
use crate::refusal::Refusal;
use crate::routes;

/// Maximum length of each optional field, in Unicode characters.
pub const MAX_CHARS: usize = 1024;

/// Maximum number of requests of one narrow network in a UTC day. Its wide network has ten times as many.
pub const MAX_PER_NETWORK: u32 = 20;
/// Maximum size of a request, in bytes: its fields, each character written as an escape.
pub const TRIAL_BODY_LIMIT: usize = 32 << 10;

const PATH: &str = "/request-trial";

/// Stores the request and answers with its id.
pub async fn ask(State(app): State<Arc<App>>, client: Client, request: Request) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let (parts, body) = request.into_parts();
    let body = pipeline::read_body(app.inflow.hold(client.network()), &parts, body, TRIAL_BODY_LIMIT).await?;
    let object = pipeline::read_object(&parts, &body.bytes)?;
    let fields = Fields::root(&object);
    let agent = AgentName::read(&fields)?;
    let ClientNetwork { narrow, wide } = client.network();
    let hit = RateLimitHit::of_agent(agent.as_str(), narrow, wide, PATH, routes::published_rate(PATH));
    let trial = read(&fields, &agent, app.notary.clock.now());
    let (trial, quota) = pipeline::admit_asking(&app, hit, "request-trial", trial).await?;
    let request_id = trial.request_id.clone();
    let place = reserve(&app, client.network(), trial.at).await?;
    app.notary.ledger.request_trial(trial, place).await?;
    tracing::info!(request_id, agent = agent.as_str(), "a trial was requested");
    Ok(routes::json(&json!({"status": "RECEIVED", "request_id": request_id}), quota))
}

/// Reserves a request from the quota of its network.
async fn reserve(
    app: &App,
    ClientNetwork { narrow, wide }: ClientNetwork,
    at: Timestamp,
) -> Result<Option<QuotaReservation>, Refusal> {
    if !app.limits {
        return Ok(None);
    }
    app.storage.admit(app.notary.clock.monotonic(), false)?;
    let of = |network, most| {
        QuotaRequest::one(QuotaKey::Network { network, class: "request-trial", day: at.unix_days() }, most)
    };
    let wanted = vec![of(narrow, MAX_PER_NETWORK), of(wide, MAX_PER_NETWORK * WIDE_FACTOR)];
    let refusal = |_| {
        let detail = "this network has asked for as many trials as it may in a day; ask again tomorrow";
        Refusal::unavailable("trials", 3600, detail)
    };
    app.notary.ledger.reserve(wanted).await?.map(Some).map_err(refusal)
}

fn read(fields: &Fields<'_>, agent: &AgentName, at: Timestamp) -> Result<TrialRequest, Refusal> {
    let optional = |name| {
        let text = fields.optional_text(&Field::text(name, 0..=MAX_CHARS))?;
        Ok::<_, Refusal>(text.map(str::to_owned))
    };
    Ok(TrialRequest {
        endpoint: optional("endpoint")?,
        contact: optional("contact")?,
        reason: optional("reason")?,
        request_id: trial_id()?,
        agent: agent.as_str().to_owned(),
        at,
    })
}

fn trial_id() -> Result<String, Refusal> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|_| Refusal::unavailable("notary", 5, "no randomness at the moment"))?;
    Ok(hex::encode(id))
}
