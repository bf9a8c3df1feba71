//! GET /agents/{name}: the free calls, the rates and the grants of an agent, as they hold for who asks.
//!
//! Anybody may use any name, so free calls are counted for a name and a network. The answer is for the network of the
//! client that asks; of the name it tells the bonus alone, and neither what was settled nor any receipt.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use client_network::ClientNetwork;
use ledger::{Grant, NewGrant, QuotaKey};
use module::terms::Free;
use serde_json::{Value, json};
use verdict::{AgentName, Timestamp};

use crate::app::App;
use crate::pages;
use crate::pipeline::Client;
use crate::pipeline::free_tier::{self, FreeCalls};
use crate::refusal::Refusal;
use crate::reputation;
use crate::routes::{self, PathParameter};

pub(crate) const PATH: &str = "/agents/{name}";

/// What holds for an agent from a network, today.
pub(crate) struct Allowance {
    pub(crate) agent: AgentName,
    pub(crate) network: ClientNetwork,
    pub(crate) at: Timestamp,
    pub(crate) bonus: u32,
    pub(crate) routes: Vec<RouteAllowance>,
    pub(crate) grants: Vec<GrantAllowance>,
}

/// A grant in force, and what is left of it.
pub(crate) struct GrantAllowance {
    pub(crate) terms: NewGrant,
    pub(crate) left: u64,
}

/// What holds for a route.
pub(crate) struct RouteAllowance {
    pub(crate) class: &'static str,
    pub(crate) path: String,
    pub(crate) rate_per_minute: u32,
    pub(crate) free: Free,
    /// The free calls of the day, with the bonus; `None` where they are not counted.
    pub(crate) per_day: Option<u32>,
    /// True if the bonus is among them.
    pub(crate) has_bonus: bool,
    pub(crate) calls: Option<FreeCalls>,
}

/// Shows what is left, as JSON or as a page.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let asked = name.and_then(|PathParameter(text)| {
        AgentName::parse(&text).map_err(|(reason, detail)| Refusal::field("name", reason, detail))
    });
    let (agent, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    let allowance = Allowance::of(&app, agent, &client).await?;
    if pages::wants_page(&headers) {
        return pages::agent(&app, &allowance, quota);
    }
    let mut response = routes::json(&allowance.shown(), quota);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}

impl Allowance {
    async fn of(app: &App, agent: AgentName, client: &Client) -> Result<Self, Refusal> {
        let network = client.network();
        let at = app.notary.clock.now();
        let bonus = free_tier::bonus(app, &agent, at).await?;
        let mut routes = Vec::new();
        for route in app.route_table.offered() {
            let terms = &route.terms;
            let has_bonus = matches!(terms.free, Free::PerDayAndBonus(_));
            let extra = if has_bonus { bonus } else { 0 };
            routes.push(RouteAllowance {
                class: terms.class,
                path: terms.path(),
                rate_per_minute: terms.rate_per_minute,
                free: terms.free,
                per_day: free_tier::per_day(terms.free).map(|calls| calls.saturating_add(extra)),
                has_bonus,
                calls: FreeCalls::of(app, &agent, network, terms, extra, at).await?,
            });
        }
        let grants = grants(app, &agent, client, at).await?;
        Ok(Self { agent, network, at, bonus, routes, grants })
    }

    /// The time at which the free calls begin anew.
    pub(crate) fn resets_at(&self) -> Timestamp {
        let left_ms = free_tier::reset_s(self.at).saturating_mul(1_000);
        let midnight = self.at.saturating_add_millis(i64::try_from(left_ms).unwrap_or(i64::MAX));
        Timestamp::from_millis(midnight.as_millis() / 1_000 * 1_000).unwrap_or(midnight)
    }

    fn shown(&self) -> Value {
        let routes = self.routes.iter().map(|route| {
            json!({
                "class": route.class,
                "path": route.path,
                "rate_per_minute": route.rate_per_minute,
                "free_tier": {
                    "unlimited": route.free == Free::Unlimited,
                    "per_day": route.per_day.unwrap_or_default(),
                    "bonus": if route.has_bonus { self.bonus } else { 0 },
                    "used": route.calls.map_or(0, |calls| calls.used),
                    "left": route.calls.map_or(0, |calls| calls.left),
                },
            })
        });
        let grants = self.grants.iter().map(|GrantAllowance { terms, left }| {
            json!({
                "name": terms.name,
                "class": terms.class,
                "per": terms.period.as_str(),
                "calls": terms.calls,
                "left": left,
                "priority": terms.priority,
                "until": terms.until.to_string(),
            })
        });
        json!({
            "agent": self.agent.as_str(),
            "network": self.network.narrow.to_string(),
            "resets_at": self.resets_at().to_string(),
            "bonus": {
                "free_calls": self.bonus,
                "rule": reputation::RULE,
                "days": reputation::DAYS,
                "most": reputation::MOST,
            },
            "routes": routes.collect::<Vec<_>>(),
            "grants": grants.collect::<Vec<_>>(),
        })
    }
}

/// The grants of an agent that may be used from the address of the client that asks. Those bound to other networks are told
/// to nobody: names are public.
async fn grants(
    app: &App,
    agent: &AgentName,
    client: &Client,
    at: Timestamp,
) -> Result<Vec<GrantAllowance>, Refusal> {
    let ledger = &app.notary.ledger;
    let mut grants = ledger.grants_of(agent.as_str(), at).await?;
    grants.retain(|grant| grant.is_for(client.address()));
    let keys: Vec<QuotaKey> = grants.iter().map(|grant| grant.quota(1, at).of).collect();
    let taken = ledger.taken(&keys).await?;
    let left = |(grant, taken): (Grant, u64)| {
        let left = u64::from(grant.terms.calls).saturating_sub(taken);
        GrantAllowance { terms: grant.terms, left }
    };
    Ok(grants.into_iter().zip(taken).map(left).collect())
}
