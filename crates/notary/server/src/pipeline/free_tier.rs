//! What is left of an agent's free calls on a route.

use std::sync::OnceLock;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use client_network::{ClientNetwork, WIDE_FACTOR};
use ipnet::IpNet;
use ledger::{FreeCallKey, LedgerError, QuotaKey, QuotaRequest};
use module::terms::{Free, RouteTerms};
use receipt::time::Timestamp;
use verdict::{AgentName, Usd};

use crate::app::App;
use crate::reputation;

const FREE_TIER: HeaderName = HeaderName::from_static("free-tier");
const DAY_S: u64 = 86_400;

/// What a call has told about its asker by the time that it is answered.
#[derive(Default)]
pub(super) struct Asker {
    /// The agent, where a name could be read.
    pub(super) agent: Option<AgentName>,
    bonus: OnceLock<u32>,
}

impl Asker {
    /// The free calls on top of the published ones, for what the agent has settled lately. They are read once a call.
    pub(super) async fn bonus(
        &self,
        app: &App,
        agent: &AgentName,
        at: Timestamp,
    ) -> Result<u32, LedgerError> {
        if let Some(bonus) = self.bonus.get() {
            return Ok(*bonus);
        }
        let bonus = bonus(app, agent, at).await?;
        Ok(*self.bonus.get_or_init(|| bonus))
    }

    /// Writes `Free-Tier` (CONTRACT.md, section 3): the free calls that are left, and the seconds until they begin anew.
    pub(super) async fn write_free_tier(
        &self,
        app: &App,
        network: ClientNetwork,
        terms: &RouteTerms,
        headers: &mut HeaderMap,
    ) {
        if !app.limits {
            return;
        }
        let at = app.notary.clock.now();
        let reset_s = reset_s(at);
        let value = match (terms.free, &self.agent) {
            (Free::Unlimited, _) => "unlimited".to_owned(),
            (Free::None, _) => format!("left=0;reset={reset_s}"),
            (_, None) => return,
            (free, Some(agent)) => {
                let bonus = match free {
                    Free::PerDayAndBonus(_) => self.bonus(app, agent, at).await,
                    _ => Ok(0),
                };
                // Where the ledger cannot be read, no number is told rather than a wrong one.
                let Ok(bonus) = bonus else { return };
                match FreeCalls::of(app, agent, network, terms, bonus, at).await {
                    Ok(Some(calls)) => format!("left={};reset={reset_s}", calls.left),
                    Ok(None) | Err(_) => return,
                }
            }
        };
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(FREE_TIER, value);
        }
    }
}

/// The seconds until the free calls begin anew, at 00:00 UTC.
pub(crate) fn reset_s(at: Timestamp) -> u64 {
    DAY_S - at.unix_seconds() % DAY_S
}

/// The free calls on top of the published ones, for what an agent has settled lately.
pub(crate) async fn bonus(app: &App, agent: &AgentName, at: Timestamp) -> Result<u32, LedgerError> {
    let since = reputation::first_day(at.unix_days());
    let settled = app.notary.ledger.settled_by(agent.as_str(), since).await?;
    Ok(reputation::bonus(Usd::from_atomic(settled)))
}

/// The counted free calls of an agent from a network on a route, on a UTC day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FreeCalls {
    /// The calls that the agent has used up, or that are being answered.
    pub(crate) used: u64,
    /// The calls that are left: of the agent's own, and of those that its network has over all names.
    pub(crate) left: u64,
}

impl FreeCalls {
    /// Looks them up; `None` on a route that counts none.
    pub(crate) async fn of(
        app: &App,
        agent: &AgentName,
        network: ClientNetwork,
        terms: &RouteTerms,
        bonus: u32,
        at: Timestamp,
    ) -> Result<Option<Self>, LedgerError> {
        let Some(calls) = per_day(terms.free) else { return Ok(None) };
        let tiers = app.free_budgets.tiers;
        let budgets = budgets(agent, network, terms.class, (calls, bonus), tiers, at);
        let (keys, allowances): (Vec<QuotaKey>, Vec<u64>) =
            budgets.into_iter().map(|request| (request.of, request.allowance)).unzip();
        let taken = app.notary.ledger.taken(&keys).await?;
        let left = allowances.iter().zip(&taken).map(|(allowance, taken)| allowance.saturating_sub(*taken));
        let used = taken.first().copied().unwrap_or_default();
        Ok(Some(Self { used, left: left.min().unwrap_or_default() }))
    }
}

/// The free calls of a day on a route that counts them, without the bonus.
pub(crate) fn per_day(free: Free) -> Option<u32> {
    match free {
        Free::PerDay(calls) | Free::PerDayAndBonus(calls) => Some(calls),
        Free::None | Free::Unlimited => None,
    }
}

/// The budgets of calls that a free call takes one from: the agent's own, and then those of its network over all names.
pub(super) fn budgets(
    agent: &AgentName,
    ClientNetwork { narrow, wide }: ClientNetwork,
    class: &'static str,
    (calls, bonus): (u32, u32),
    tiers: Option<u32>,
    at: Timestamp,
) -> Vec<QuotaRequest> {
    let own = QuotaKey::Free(FreeCallKey::new(agent.as_str(), narrow, class, at));
    let mut budgets = vec![QuotaRequest::one(own, calls.saturating_add(bonus))];
    if let Some(tiers) = tiers {
        let of = |network: IpNet, times: u32| {
            let all = calls.saturating_mul(tiers).saturating_mul(times);
            QuotaRequest::one(QuotaKey::Network { network, class, day: at.unix_days() }, all)
        };
        budgets.extend([of(narrow, 1), of(wide, WIDE_FACTOR)]);
    }
    budgets
}
