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

const LOOK_THERE: &str = "an operator decides; what is granted is under `grants` at `look_at`, for calls from the networks \
    that it is granted to";

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
    let look_at = format!("{}/agents/{}", app.base_url(), routes::path_segment(agent.as_str()));
    let body =
        json!({"status": "RECEIVED", "request_id": request_id, "look_at": look_at, "detail": LOOK_THERE});
    Ok(routes::json(&body, quota))
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

#[cfg(test)]
mod tests {
    use ledger::{NewGrant, Period};
    use serde_json::Value;

    use super::*;
    use crate::testing::{BASE_URL, Service};

    #[tokio::test]
    async fn who_asks_for_a_trial_is_told_where_the_grant_will_be_shown() {
        let service = Service::new();
        let received = service.post(PATH, r#"{"agent": "scout 7/+"}"#).await.json();
        let look_at = received["look_at"].as_str().unwrap();
        assert_eq!(look_at, format!("{BASE_URL}/agents/scout%207%2F%2B"));
        let path = look_at.strip_prefix(BASE_URL).unwrap();
        assert_eq!(service.get(path).await.json()["grants"], json!([]));
        let at = service.app.notary.clock.now();
        let trial = NewGrant {
            name: "trial".to_owned(),
            agent: "scout 7/+".to_owned(),
            class: Some("commit".to_owned()),
            calls: 20,
            period: Period::Day,
            until: Timestamp::MAX,
            networks: Vec::new(),
            priority: false,
            request_id: None,
            at,
        };
        service.grant(trial.clone());
        service.grant(NewGrant { networks: vec!["203.0.113.0/24".parse().unwrap()], ..trial });
        let seen = service.get(path).await.json();
        let [grant] = &seen["grants"].as_array().unwrap()[..] else { panic!("{seen}") };
        assert_eq!(
            (&grant["name"], &grant["class"], &grant["per"]),
            (&json!("trial"), &json!("commit"), &json!("day"))
        );
        assert_eq!(
            (&grant["calls"], &grant["left"], &grant["agent"]),
            (&json!(20), &json!(20), &Value::Null)
        );
    }
}
