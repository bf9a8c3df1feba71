//! POST /request-trial: a wish for a trial, kept for the operator.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use ledger::TrialRequest;
use serde_json::json;
use verdict::{AgentName, Fields, Timestamp};

use crate::app::App;
use crate::desk::{self, Client};
use crate::refusal::Refusal;
use crate::routes;
use crate::terms::BODY_LIMIT;

/// The most characters of each optional field.
pub const MAX_CHARS: usize = 1024;

const PATH: &str = "/request-trial";

/// Keeps the request and answers with its id.
pub async fn ask(State(app): State<Arc<App>>, client: Client, request: Request) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let (parts, body) = request.into_parts();
    let body = desk::read_body(&parts, body, BODY_LIMIT).await?;
    let object = desk::read_object(&parts, &body)?;
    let fields = Fields::root(&object);
    let agent = AgentName::read(&fields)?;
    let visit = ledger::Visit::new("agent", agent.as_str(), PATH, routes::published_rate(PATH));
    let trial = read(&fields, &agent, app.notary.clock.now());
    let (trial, quota) = desk::admit_asking(&app, visit, "request-trial", trial).await?;
    let request_id = trial.request_id.clone();
    app.notary.ledger.request_trial(trial).await?;
    tracing::info!(request_id, agent = agent.as_str(), "a trial was requested");
    Ok(routes::json(&json!({"status": "RECEIVED", "request_id": request_id}), quota))
}

fn read(fields: &Fields<'_>, agent: &AgentName, at: Timestamp) -> Result<TrialRequest, Refusal> {
    let optional = |name| Ok::<_, Refusal>(fields.optional_text(name, 0..=MAX_CHARS)?.map(str::to_owned));
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
