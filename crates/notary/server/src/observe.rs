//! The gauges of `/metrics` that are computed when they are read, and the counter of refused calls.

use std::sync::Arc;

use capacity::ClockSync;

use crate::app::App;
use crate::routes::health;

/// Updates the gauges, just before they are read.
pub async fn observe(app: &Arc<App>) {
    observe_log(app);
    observe_clock();
    observe_sources(app);
    observe_machine(app);
    app.notary.ledger.observe();
    observe_backlog(app).await;
    let health = health::observe(app);
    metrics::gauge!("touchstone_can_issue").set(flag(health.can_issue));
    metrics::gauge!("touchstone_faulty_parts").set(health.faults.len() as f64);
}

fn observe_log(app: &App) {
    let (head, now) = (app.notary.ledger.head(), app.notary.clock.now());
    metrics::gauge!("touchstone_log_size").set(head.size as f64);
    metrics::gauge!("touchstone_ledger_writable").set(flag(app.notary.ledger.is_writable()));
    let behind_ms = head.latest.millis_since(now).max(0);
    metrics::gauge!("touchstone_clock_behind_seconds").set(behind_ms as f64 / 1000.0);
}

fn observe_clock() {
    if let Some(age) = ClockSync::read().age() {
        metrics::gauge!("touchstone_clock_synchronised_age_seconds").set(age.as_secs_f64());
    }
}

fn observe_sources(app: &App) {
    let mut live = 0;
    for (module, standing) in app.standings() {
        // A feed of bad names clears nobody.
        if module == "sanctions" {
            live += standing.sources.len();
        }
        for source in standing.sources {
            let labels = [("module", module.to_owned()), ("list", source.name)];
            metrics::gauge!("touchstone_list_entries", &labels).set(source.entries as f64);
            metrics::gauge!("touchstone_list_stale", &labels).set(flag(source.stale));
            if let Some(age) = source.age_s {
                metrics::gauge!("touchstone_list_age_seconds", &labels).set(age as f64);
            }
        }
    }
    metrics::gauge!("touchstone_lists_live").set(live as f64);
}

fn observe_machine(app: &App) {
    metrics::gauge!("touchstone_body_bytes").set(app.inflow.bytes() as f64);
    for (lane, waiting) in app.compute.waiting() {
        metrics::gauge!("touchstone_compute_waiting", "lane" => lane).set(waiting as f64);
    }
    if let Some(space) = app.storage.space(app.notary.clock.monotonic()) {
        metrics::gauge!("touchstone_storage_free_bytes").set(space.free as f64);
        metrics::gauge!("touchstone_storage_reserve_bytes").set(space.reserve as f64);
    }
    if let Some(gas) = app.gate.as_ref().and_then(|gate| gate.gas_today()) {
        metrics::gauge!("touchstone_gas_spent_today_wei").set(f64::from(gas.spent));
        metrics::gauge!("touchstone_gas_per_day_wei").set(f64::from(gas.per_day));
        metrics::gauge!("touchstone_gas_used_up").set(flag(gas.is_used_up));
    }
}

/// The states of a payment that has not ended, in their order.
const OPEN_STATES: [ledger::ClaimState; 4] = [
    ledger::ClaimState::Claimed,
    ledger::ClaimState::Judged,
    ledger::ClaimState::Broadcast,
    ledger::ClaimState::Settled,
];

/// Counts the unfinished work in the ledger. Where it cannot be read, the log says so, and the gauges keep their values.
async fn observe_backlog(app: &App) {
    let backlog = app.notary.ledger.backlog(app.notary.clock.now()).await;
    let Ok(backlog) = backlog.inspect_err(|error| drop(error.unread())) else { return };
    for state in OPEN_STATES {
        let found = backlog.payments.iter().find(|(of, _)| *of == state).map_or(0, |(_, count)| *count);
        metrics::gauge!("touchstone_payments_open", "state" => state.as_str()).set(found as f64);
    }
    metrics::gauge!("touchstone_disputes_open").set(backlog.disputes as f64);
    metrics::gauge!("touchstone_watches_live").set(backlog.watches as f64);
    metrics::gauge!("touchstone_webhooks_waiting").set(backlog.webhooks as f64);
    // A token in which nothing is owed any more goes back to 0.
    let accepted = app.gate.iter().map(|gate| gate.terms.network().symbol.clone());
    for asset in accepted.chain(backlog.refunds.iter().map(|owed| owed.symbol.clone())) {
        let owed = backlog.refunds.iter().find(|owed| owed.symbol == asset);
        let (refunds, amount) = owed.map_or((0, 0), |owed| (owed.refunds, owed.amount));
        metrics::gauge!("touchstone_refunds_owed", "asset" => asset.clone()).set(refunds as f64);
        metrics::gauge!("touchstone_refunds_owed_usd", "asset" => asset).set(amount as f64 / ATOMIC_PER_USD);
    }
}

/// Atomic units of a dollar: only dollar tokens with six decimals are accepted.
const ATOMIC_PER_USD: f64 = 1e6;

fn flag(is_set: bool) -> f64 {
    f64::from(u8::from(is_set))
}

/// Counts a call that is not answered for free, by the reason.
pub(crate) fn refused(class: &str, reason: &'static str) {
    metrics::counter!("touchstone_calls_refused_total", "class" => class.to_owned(), "reason" => reason)
        .increment(1);
}
