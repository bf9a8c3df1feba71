//! `touchstone grant`: calls that an operator gives to an agent, whether or not the service runs.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use ledger::{Grant, GrantId, MAX_GRANT_CALLS, NewGrant, OperatorStore, Period};
use module::plans::{self, AUDIT_EXPORT};
use serde_json::{Value, json};
use verdict::{AgentName, Clock as _, SystemClock, Timestamp};

use super::store;
use crate::cli::{GrantAction, GrantArgs, NewGrantArgs, Per};
use crate::settings::{Settings, networks};

/// For how long a grant is good where its maker says nothing: a month of any length.
const DAYS: u16 = 31;
const DAY_MS: i64 = 86_400_000;

/// Makes grants, lists them or ends them.
pub fn run(args: &GrantArgs) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&args.settings)?;
    let mut store = store(&settings)?;
    let now = SystemClock::start().now();
    match (&args.action, &args.new) {
        (Some(GrantAction::List { json }), _) => write(&store.grants(now)?, now, *json)?,
        (Some(GrantAction::Revoke { ids }), _) => {
            for id in ids {
                store.revoke(GrantId(*id), now)?;
                println!("grant {id} is revoked");
            }
        }
        (None, Some(new)) => make(&mut *store, new, now)?,
        (None, None) => bail!("name an agent, or `list` or `revoke`"),
    }
    Ok(ExitCode::SUCCESS)
}

fn make(store: &mut dyn OperatorStore, args: &NewGrantArgs, at: Timestamp) -> anyhow::Result<()> {
    let terms = terms(args, at)?;
    if let Some(id) = &args.request {
        let trial = store.trial(id)?.with_context(|| format!("there is no request {id}"))?;
        if trial.agent != terms.agent {
            bail!("request {id} is of {:?}", trial.agent);
        }
    }
    let shares = shares(args, terms)?;
    for (id, new) in store.grant(&shares)?.into_iter().zip(shares) {
        let is_anyones = new.networks.is_empty();
        write(&[(Grant { id, terms: new, revoked_at: None }, 0)], at, false)?;
        if is_anyones {
            eprintln!(
                "touchstone: whoever calls itself so can use grant {}: --from would bind it to networks",
                id.0
            );
        }
    }
    if args.wallet.is_none() && args.plan.is_some_and(|plan| plan.includes.contains(&AUDIT_EXPORT)) {
        eprintln!("touchstone: nobody can fetch the audit export yet: --wallet would name who may");
    }
    Ok(())
}

/// The terms that all grants of one command have in common.
fn terms(args: &NewGrantArgs, at: Timestamp) -> anyhow::Result<NewGrant> {
    let agent =
        AgentName::parse(&args.agent).map_err(|(_, why)| anyhow::anyhow!("the agent's name {why}"))?;
    Ok(NewGrant {
        name: args.plan.map_or("trial", |plan| plan.name).to_owned(),
        agent: agent.as_str().to_owned(),
        class: match (args.route.as_deref(), &args.wallet) {
            (Some(EXPORT), Some(wallet)) => Some(export(wallet)?),
            (Some(EXPORT), None) => bail!("--route export: name the wallet that may fetch it with --wallet"),
            (None, Some(_)) if args.plan.is_none() => bail!("--wallet is for --route export, or for a plan"),
            (route, _) => route.map(class).transpose()?.flatten(),
        },
        calls: args.plan.map(|plan| plan.calls_per_month).or(args.calls).context("--plan or --calls")?,
        period: match args.per {
            Some(Per::Day) => Period::Day,
            Some(Per::Month) | None => Period::Month,
        },
        until: match &args.until {
            Some(day) => end_of(day)?,
            None if args.renews => Timestamp::MAX,
            None => at.saturating_add_millis(i64::from(args.days.unwrap_or(DAYS)) * DAY_MS),
        },
        networks: networks("--from", args.from.as_deref())?.iter().map(ipnet::IpNet::trunc).collect(),
        priority: args.priority || args.plan.is_some_and(|plan| plan.priority),
        request_id: args.request.clone(),
        at,
    })
}

/// A grant for each class that the plan does not count, one for its audit export, and the one of the calls that it counts.
fn shares(args: &NewGrantArgs, terms: NewGrant) -> anyhow::Result<Vec<NewGrant>> {
    let unlimited = |class| NewGrant { class: Some(class), calls: MAX_GRANT_CALLS, ..terms.clone() };
    let mut shares = Vec::new();
    if let Some(plan) = args.plan {
        shares.extend(plan.unlimited.iter().map(|class| unlimited((*class).to_owned())));
        match &args.wallet {
            Some(wallet) if plan.includes.contains(&AUDIT_EXPORT) => shares.push(unlimited(export(wallet)?)),
            Some(_) => bail!("--wallet: the plan {} has no audit export", plan.name),
            None => {}
        }
    }
    shares.push(terms);
    Ok(shares)
}

/// The word of `--route` for audit exports.
const EXPORT: &str = "export";

/// The class of a grant of audit exports.
fn export(wallet: &str) -> anyhow::Result<String> {
    let address = payment::checked_address(wallet).map_err(|why| anyhow::anyhow!("--wallet {why}"))?;
    Ok(ledger::export_class(&address.into_array()))
}

/// The class of a route that grants cover; `None` where all are meant.
fn class(route: &str) -> anyhow::Result<Option<String>> {
    let class = route.trim_start_matches('/');
    if class == "all" {
        return Ok(None);
    }
    match module::terms::table().iter().find(|terms| terms.class == class) {
        None => bail!("--route: there is no class `{class}`"),
        Some(terms) if terms.is_bond() => {
            bail!("--route: no grant pays for `{class}`, whose price is a bond of the caller's own money")
        }
        Some(terms) if !plans::covers(terms) => bail!("--route: `{class}` is free"),
        Some(_) => Ok(Some(class.to_owned())),
    }
}

/// The end of a UTC day.
fn end_of(day: &str) -> anyhow::Result<Timestamp> {
    let start: Timestamp = format!("{day}T00:00:00.000Z")
        .parse()
        .with_context(|| format!("--until: `{day}` is no day like 2026-12-31"))?;
    Ok(start.saturating_add_millis(DAY_MS))
}

/// Grants with what is used of each: a sentence a line on a terminal, JSON Lines elsewhere.
fn write(grants: &[(Grant, u32)], now: Timestamp, json: bool) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let as_json = json || !output.is_terminal();
    for (grant, used) in grants {
        if as_json {
            writeln!(output, "{}", line(grant, *used, now))?;
        } else {
            writeln!(output, "{}", sentence(grant, *used))?;
        }
    }
    Ok(())
}

fn line(grant: &Grant, used: u32, now: Timestamp) -> Value {
    let Grant { id, terms, revoked_at } = grant;
    json!({
        "id": id.0,
        "name": terms.name,
        "agent": terms.agent,
        "route": terms.class.as_deref().unwrap_or("all"),
        "calls": terms.calls,
        "unlimited": terms.calls == MAX_GRANT_CALLS,
        "per": terms.period.as_str(),
        "used": used,
        "until": terms.until.to_string(),
        "from": terms.networks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "priority": terms.priority,
        "request_id": terms.request_id,
        "made_at": terms.at.to_string(),
        "revoked_at": revoked_at.map(|at| at.to_string()),
        "in_force": revoked_at.is_none() && now < terms.until,
    })
}

fn sentence(grant: &Grant, used: u32) -> String {
    let Grant { id, terms, revoked_at } = grant;
    let route = terms.class.as_deref().unwrap_or("all routes");
    let calls = if terms.calls == MAX_GRANT_CALLS {
        "unlimited calls".to_owned()
    } else {
        format!("{} calls a {}", terms.calls, terms.period.as_str())
    };
    let until =
        if terms.until == Timestamp::MAX { "it is revoked".to_owned() } else { terms.until.to_string() };
    let mut text = format!(
        "grant {} ({}): {} has {calls} of {route}, {used} used, until {until}",
        id.0, terms.name, terms.agent,
    );
    if !terms.networks.is_empty() {
        let networks: Vec<_> = terms.networks.iter().map(ToString::to_string).collect();
        text.push_str(&format!(", from {}", networks.join(" and ")));
    }
    if terms.priority {
        text.push_str(", with priority");
    }
    if let Some(at) = revoked_at {
        text.push_str(&format!("; revoked {at}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_of_the_most_calls_is_unlimited_in_words() {
        let at: Timestamp = "2026-01-01T00:00:00.000Z".parse().unwrap();
        let said = |calls| {
            let terms = NewGrant {
                name: "pro".to_owned(),
                agent: "a".to_owned(),
                class: Some("claim-verdict".to_owned()),
                calls,
                period: Period::Month,
                until: at,
                networks: Vec::new(),
                priority: false,
                request_id: None,
                at,
            };
            sentence(&Grant { id: GrantId(7), terms, revoked_at: None }, 3)
        };
        assert!(
            said(MAX_GRANT_CALLS).contains("a has unlimited calls of claim-verdict, 3 used"),
            "{}",
            said(0)
        );
        assert!(said(50).contains("a has 50 calls a month of claim-verdict, 3 used"));
    }
}
