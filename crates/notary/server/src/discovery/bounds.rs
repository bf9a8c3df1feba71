//! The bounds that hold for the whole service: every queue, body, redirect chain and wait has one.

use std::time::Duration;

use capacity::JUDGE_TIMEOUT;
use capacity::compute::{
    LOOKS, LOOKS_PER_NETWORK, LOOKS_PER_WIDE_NETWORK, LOOKS_RESERVED, MAX_WAITING, SHORT,
};
use capacity::inflow::{
    MAX_BYTES, MAX_BYTES_PER_NETWORK, MAX_BYTES_PER_WIDE_NETWORK, RESERVED_BYTES, SMALL_HOLDING,
};
use client_network::WIDE_FACTOR;
use dispute::{payouts, rerun};
use fetch::Limits;
use listen::{
    ANSWER_TIMEOUT, BACKLOG, CLOSING_TIMEOUT, DRAIN_TIMEOUT, FEW, HEAD_TIMEOUT, KEPT_HEAD_BYTES,
    KERNEL_BUFFER, MAX_HEAD_BYTES, WRITE_TIMEOUT,
};
use module::background;
use module::terms::BODY_LIMIT;
use serde_json::{Value, json};
use verdict::AgentName;
use watch::{deliver, rescreen};

use crate::app::App;
use crate::exports;
use crate::pages::stream::{LIFE, LISTENERS, PER_NETWORK};
use crate::payment_gate;
use crate::pipeline::{
    ADDRESS_FACTOR, BODY_TIMEOUT, LINGER, LINGER_BYTES, MAX_FREE_TIME, MAX_QUERY_NAMES, MAX_UNREAD,
};
use crate::routes::trial::MAX_PER_NETWORK;

/// Every bound, by the part that it is on: the service's, and those of its modules.
pub(super) fn bounds(app: &App) -> Value {
    let mut bounds = service(app);
    if app.cosigning.is_some() {
        bounds["witnesses"] = witnesses();
    }
    if app.stamping.is_some() {
        bounds["timestamps"] = timestamps();
    }
    for (module, its) in app.route_table.bounds() {
        bounds[module] = its.clone();
    }
    bounds
}

/// The bounds on the requests to each witness.
fn witnesses() -> Value {
    let limits = cosigning::collect::limits();
    json!({
        "in_flight_per_witness": 1,
        "answer_ms": millis(limits.total),
        "answer_bytes": limits.wire_bytes,
        "round_ms": millis(cosigning::collect::ROUND_PATIENCE),
        "reported_late_after_ms": millis(cosigning::collect::LATE_AFTER),
        "longest_wait_after_failures_ms": millis(cosigning::collect::LONGEST_WAIT),
    })
}

/// The bounds on the requests to the time-stamping authority.
fn timestamps() -> Value {
    let limits = time_stamping::limits();
    json!({
        "in_flight": 1,
        "answer_ms": millis(limits.total),
        "answer_bytes": limits.wire_bytes,
        "every_ms": millis(time_stamping::EVERY),
        "reported_late_after_ms": millis(time_stamping::LATE_AFTER),
        "shortest_wait_after_failures_ms": millis(time_stamping::RETRY_FROM),
        "longest_wait_after_failures_ms": millis(time_stamping::RETRY_TO),
    })
}

fn service(App { connections, free_budgets: free, .. }: &App) -> Value {
    json!({
        "connections": {
            "at_once": connections.all,
            "at_once_per_address": connections.narrow,
            "write_timeout_ms": millis(WRITE_TIMEOUT),
            "head_timeout_ms": millis(HEAD_TIMEOUT),
            "head_bytes": MAX_HEAD_BYTES,
            "drain_timeout_ms": millis(DRAIN_TIMEOUT),
            "at_once_per_wide_network": connections.wide,
            "kept_for_networks_with_few": connections.kept,
            "few": FEW,
            "requests": connections.requests,
            "lifetime_ms": millis(connections.lifetime),
            "answer_timeout_ms": millis(ANSWER_TIMEOUT),
            "closing_timeout_ms": millis(CLOSING_TIMEOUT),
            "waiting_to_be_accepted": BACKLOG,
            "kernel_buffer_bytes": KERNEL_BUFFER,
            "head_bytes_of_a_kept_connection": KEPT_HEAD_BYTES,
        },
        "stream": {"listeners": LISTENERS.min(connections.all / 8), "per_network": PER_NETWORK, "answer_ms": millis(LIFE)},
        "requests": {
            "body_timeout_ms": millis(BODY_TIMEOUT),
            "refused_body_bytes": LINGER_BYTES,
            "refused_body_timeout_ms": millis(LINGER),
            "default_body_bytes": BODY_LIMIT,
            "json_depth": receipt::json::MAX_DEPTH,
            "agent_characters": AgentName::MAX_CHARS,
            "payment_header_bytes": payment::proof::MAX_HEADER_BYTES,
            "address_rate_factor": ADDRESS_FACTOR,
            "wide_network_rate_factor": ADDRESS_FACTOR * WIDE_FACTOR,
            "query_names": MAX_QUERY_NAMES,
            "body_bytes_in_all": MAX_BYTES,
            "body_bytes_per_network": MAX_BYTES_PER_NETWORK,
            "body_bytes_per_wide_network": MAX_BYTES_PER_WIDE_NETWORK,
            "body_bytes_reserved": RESERVED_BYTES,
            "body_bytes_of_small_holders": SMALL_HOLDING,
        },
        "compute": {
            "short_ms": millis(SHORT),
            "waiting": MAX_WAITING,
            "looks": LOOKS,
            "looks_per_network": LOOKS_PER_NETWORK,
            "looks_per_wide_network": LOOKS_PER_WIDE_NETWORK,
            "looks_reserved_for_priority": LOOKS_RESERVED,
        },
        "free_calls": {
            "per_network": free.tiers,
            "stored_bytes_per_network": free.bytes,
            "wide_network_factor": WIDE_FACTOR,
            "processor_ms": millis(MAX_FREE_TIME),
            "unread_bytes": MAX_UNREAD,
        },
        "trials": {
            "per_network_and_day": MAX_PER_NETWORK,
            "per_wide_network_and_day": MAX_PER_NETWORK * WIDE_FACTOR,
            "kept": ledger::MAX_TRIALS,
        },
        "export": {
            "at_once": exports::MAX_EXPORTS,
            "at_once_per_agent": 1,
            "signature_age_ms": crate::routes::export::MAX_AGE_MS,
            "buffer_bytes": exports::BUFFER,
            "waiting_buffers": exports::WAITING,
            "buffer_timeout_ms": millis(exports::SEND_TIMEOUT),
        },
        "judge": {"timeout_ms": millis(JUDGE_TIMEOUT)},
        "fetch": fetch(&Limits::default()),
        "disputes": {
            "window_hours": dispute::WINDOW_HOURS,
            "per_receipt": ledger::MAX_DISPUTES,
            "open_at_once": 1,
            "reruns_at_once": rerun::MAX_AT_ONCE,
            "reruns_in_hand": rerun::MAX_IN_HAND,
            "rerun_timeout_ms": millis(rerun::TIMEOUT),
            "rerun_wait_ms": millis(rerun::WAIT),
            "rerun_case_bytes": rerun::MAX_CASE_BYTES,
            "rerun_evidence_bytes": rerun::MAX_FOLLOWING_BYTES,
            "source_timeout_ms": millis(dispute::SOURCE_TIMEOUT),
            "rerun_tried_for_ms": dispute::RERUN_TRIED_FOR_MS,
            "rerun_first_pause_ms": payment_gate::HEARING_PAUSE_MS.0,
            "rerun_longest_pause_ms": payment_gate::HEARING_PAUSE_MS.1,
        },
        "payouts": {
            "round_ms": millis(payouts::EVERY),
            "lease_ms": payouts::LEASE_MS,
            "at_once": payouts::MOST,
            "default_usdc_per_day": payouts::PER_DAY.to_string(),
        },
        "watches": {
            "days": watch::DAYS,
            "shown_days_after_their_end": watch::SHOWN_DAYS,
            "live_per_agent": ledger::MAX_WATCHES,
            "live_for_free_per_network": ledger::MAX_FREE_WATCHES_PER_NETWORK,
            "live_for_free_per_wide_network": ledger::MAX_FREE_WATCHES_PER_WIDE_NETWORK,
            "live_in_all": ledger::MAX_WATCHES_IN_ALL,
            "live_in_all_for_free": ledger::MAX_WATCHES_FOR_FREE,
            "alerts_shown": ledger::MAX_ALERTS_READ,
            "round_ms": millis(rescreen::EVERY),
            "lease_ms": rescreen::LEASE_MS,
            "at_once": rescreen::MOST,
            "looks_at_once": rescreen::LOOKS_AT_ONCE,
            "stored_bytes_of_a_fact": watch::MAX_FACT_BYTES,
            "postponed_ms": rescreen::POSTPONED_MS,
        },
        "webhooks": {
            "url_characters": watch::WEBHOOK_CHARS,
            "at_once": deliver::MOST,
            "at_once_per_host": ledger::MAX_WEBHOOKS_PER_HOST,
            "at_once_per_agent": ledger::MAX_WEBHOOKS_PER_AGENT,
            "at_once_per_agent_and_host": 1,
            "attempt_ms": millis(deliver::limits().total),
            "first_pause_ms": deliver::FIRST_PAUSE_MS,
            "longest_pause_ms": deliver::LONGEST_PAUSE_MS,
            "tried_for_ms": deliver::PATIENCE_MS,
            "round_ms": millis(deliver::EVERY),
            "lease_ms": deliver::LEASE_MS,
        },
        "background": {
            "first_pause_ms": millis(background::FIRST_PAUSE),
            "longest_pause_ms": millis(background::LONGEST_PAUSE),
            "sound_after_ms": millis(background::SOUND_AFTER),
        },
        "grants": {
            "in_force_per_agent": ledger::MAX_GRANTS,
            "networks": ledger::MAX_GRANT_NETWORKS,
            "calls": ledger::MAX_GRANT_CALLS,
        },
        "ledger": {
            "queue": ledger::MAX_QUEUE,
            "queue_bytes": ledger::MAX_QUEUE_BYTES,
            "batch_records": ledger::MAX_BATCH,
            "batch_bytes": ledger::MAX_BATCH_BYTES,
            "record_bytes": ledger::MAX_RECORD_BYTES,
            "limited_keys": ledger::MAX_KEYS,
        },
        "payments": {
            "header_bytes": payment::proof::MAX_HEADER_BYTES,
            "unfinished": ledger::MAX_UNFINISHED_CLAIMS,
            "settling_at_once": payment_gate::MAX_SETTLING,
            "wait_ms": millis(payment_gate::SETTLE_WAIT),
            "price_holds_ms": payment_gate::PRICE_HOLDS_MS,
            "oldest_transaction_seconds": payment_gate::OLDEST_TRANSACTION_SECONDS,
            "unfinished_per_payer": payment_gate::MAX_UNFINISHED_PER_PAYER,
            "answered_again_ms": payment_gate::ANSWERED_AGAIN_MS,
        },
    })
}

fn fetch(limits: &Limits) -> Value {
    json!({
        "per_host": limits.per_host,
        "waiting_per_host": limits.waiting_per_host,
        "per_network": limits.per_network,
        "waiting_per_network": limits.waiting_per_network,
        "in_all": limits.in_all,
        "reserved_for_priority": limits.reserved,
        "hosts": limits.hosts,
        "wait_ms": millis(limits.wait),
        "resolve_ms": millis(limits.resolve),
        "connect_ms": millis(limits.connect),
        "total_ms": millis(limits.total),
        "wire_bytes": limits.wire_bytes,
        "decoded_bytes": limits.decoded_bytes,
        "head_bytes": limits.head_bytes,
        "head_fields": limits.head_fields,
        "redirects": limits.redirects,
        "addresses": limits.addresses,
    })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
