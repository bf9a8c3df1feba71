//! Counts calls against the rates: by network, by agent, by payer.
//!
//! Anybody may use any name. So an agent is its name together with its client's network, and calls by others under the
//! same name elsewhere do not count for it. A call with a payable proof is counted by its payer.

use client_network::{ClientNetwork, WIDE_FACTOR};
use ledger::{Admission, RateLimitHit};
use module::terms::RouteTerms;
use payment::Address;
use verdict::AgentName;

use super::client::Client;
use crate::app::App;
use crate::observe;
use crate::refusal::{Quota, Refusal};

/// The rate limit of a narrow network over all agent names, as a multiple of the route's rate.
pub const ADDRESS_FACTOR: u32 = 10;

/// Counts a hit against the limits of the client's networks: ten times the route's rate for the narrow one, a hundred
/// times for the wide one. These limits exist because agent names are free to invent. They come before all expensive
/// work.
pub async fn flood(app: &App, client: &Client, path: &str, rate: u32) -> Result<(), Refusal> {
    if !app.limits {
        return Ok(());
    }
    let limit = rate.saturating_mul(ADDRESS_FACTOR);
    let ClientNetwork { narrow, wide } = client.network();
    let hits = [
        RateLimitHit::of_network("address", narrow, path, limit),
        RateLimitHit::of_network("address", wide, path, limit.saturating_mul(WIDE_FACTOR)),
    ];
    admit(app, &hits, path.trim_start_matches('/')).await.map(|_| ())
}

/// The hit that counts towards the published rate of a verdict route: the agent's, or the network's where no agent can be
/// read.
pub(super) fn hit(terms: &RouteTerms, client: &Client, agent: Option<&AgentName>) -> RateLimitHit {
    let ClientNetwork { narrow, wide } = client.network();
    match agent {
        Some(agent) => {
            RateLimitHit::of_agent(agent.as_str(), narrow, wide, terms.class, terms.rate_per_minute)
        }
        None => RateLimitHit::of_network("nameless", narrow, terms.class, terms.rate_per_minute),
    }
}

/// The hit that counts where a proof pays: the payer's, from whichever network.
pub(super) fn hit_of_payer(terms: &RouteTerms, client: &Client, payer: Address) -> RateLimitHit {
    RateLimitHit::of_payer(&payer.to_string(), client.network().wide, terms.class, terms.rate_per_minute)
}

/// Counts a hit for a parsed request. An error in the request is returned before the rate limit is checked, and the hit
/// counts nevertheless.
pub async fn admit_asking<T>(
    app: &App,
    hit: RateLimitHit,
    policy: &str,
    asked: Result<T, Refusal>,
) -> Result<(T, Option<Quota>), Refusal> {
    if asked.is_err() && app.limits {
        app.notary.ledger.note(hit).await?;
    }
    let asked = asked?;
    Ok((asked, admit(app, &[hit], policy).await?))
}

/// Counts hits against their limits: all of them, or none if one limit is exceeded.
pub async fn admit(app: &App, hits: &[RateLimitHit], policy: &str) -> Result<Option<Quota>, Refusal> {
    if !app.limits {
        return Ok(None);
    }
    let quota = |limit, remaining, reset_s| Quota { policy: policy.to_owned(), limit, remaining, reset_s };
    match app.notary.ledger.admit(hits).await? {
        Admission::Admitted { remaining, reset_s } => {
            let limit = hits.iter().map(|hit| hit.limit).min().unwrap_or_default();
            Ok(Some(quota(limit, remaining, reset_s)))
        }
        Admission::Full => {
            observe::refused(policy, "callers");
            Err(Refusal::unavailable("limits", 10, "too many callers at the moment"))
        }
        Admission::Refused { limit, retry_after_s } => {
            observe::refused(policy, "rate");
            Err(Refusal::TooMany(quota(limit, 0, retry_after_s)))
        }
    }
}
