//! The declaration of every metric: name, kind, labels and help. A test compares it with the sources, another with
//! docs/metrics.md.
//!
//! Names follow the conventions of Prometheus: counters end in `_total`, and a unit is the base unit and the last word of
//! the name (`_seconds`, `_bytes`). No label has a value that a caller has chosen.

/// The kind of a metric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A sum that only grows while the process runs.
    Counter,
    /// A value at the time of the scrape.
    Gauge,
    /// A distribution, counted in buckets with these upper bounds.
    Histogram(&'static [f64]),
}

/// A label of a metric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Label {
    /// The name of the label.
    pub name: &'static str,
    /// The values of the label; empty where the configuration and the judges decide them.
    pub values: &'static [&'static str],
}

/// The declaration of a metric.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Metric {
    /// The name of the metric.
    pub name: &'static str,
    /// The kind of the metric.
    pub kind: Kind,
    /// The labels of the metric.
    pub labels: &'static [Label],
    /// The sentence that the scrape has about the metric.
    pub help: &'static str,
}

const fn counter(name: &'static str, labels: &'static [Label], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Counter, labels, help }
}

const fn gauge(name: &'static str, labels: &'static [Label], help: &'static str) -> Metric {
    Metric { name, kind: Kind::Gauge, labels, help }
}

const fn histogram(
    name: &'static str,
    buckets: &'static [f64],
    labels: &'static [Label],
    help: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Histogram(buckets), labels, help }
}

/// A label whose values the configuration and the judges decide.
const fn open(name: &'static str) -> Label {
    Label { name, values: &[] }
}

const fn label(name: &'static str, values: &'static [&'static str]) -> Label {
    Label { name, values }
}

/// Buckets of answers: around the targets of the routes (the 95th percentile between 50 ms and 5 s).
const ANSWERS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0, 30.0];
/// Buckets of waits at the disk and at the processor.
const SHORT: &[f64] = &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0];
/// Buckets of settlements: a block takes seconds, a stalled transaction minutes.
const SETTLEMENTS: &[f64] = &[0.01, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 10.0, 20.0, 60.0, 300.0, 1800.0];
/// Buckets of receipts in one transaction.
const BATCHES: &[f64] = &[0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

const LANES: &[Label] = &[label("lane", &["short", "long", "look"])];
const BACK_ENDS: &[Label] = &[label("back_end", &["chain", "facilitator", "local"])];
const SOURCES: &[Label] = &[open("module"), open("list")];

/// Every metric of the service, without those of the process (`process_*`).
pub const METRICS: &[Metric] = &[
    gauge(
        "touchstone_build_info",
        &[open("version"), open("profile")],
        "The version and the profile of the service; always 1.",
    ),
    gauge("touchstone_can_issue", &[], "1 if receipts can be issued, as /health says; otherwise 0."),
    gauge("touchstone_faulty_parts", &[], "Parts that /health names as faulty."),
    counter(
        "touchstone_background_restarts_total",
        &[open("part")],
        "Restarts of background loops that failed.",
    ),
    gauge("touchstone_clock_behind_seconds", &[], "Seconds that the clock is behind the newest receipt."),
    gauge(
        "touchstone_clock_synchronised_age_seconds",
        &[],
        "Seconds since systemd-timesyncd has synchronised the clock, where it does.",
    ),
    gauge("touchstone_storage_free_bytes", &[], "Free bytes on the disk of the store."),
    gauge(
        "touchstone_storage_reserve_bytes",
        &[],
        "Free bytes below which free calls are refused; below half of it paid calls too.",
    ),
    // Requests.
    counter(
        "touchstone_http_requests_total",
        &[open("route"), open("status")],
        "Requests that were answered.",
    ),
    counter("touchstone_internal_errors_total", &[], "Answers of status 500, each of which is a bug."),
    histogram(
        "touchstone_http_request_duration_seconds",
        ANSWERS,
        &[open("route")],
        "Time from a request's head to its answer.",
    ),
    gauge("touchstone_http_requests_in_flight", &[], "Requests that are being handled."),
    gauge("touchstone_body_bytes", &[], "Bytes of request bodies in memory."),
    counter("touchstone_connections_refused_total", &[], "New connections that found no place."),
    counter(
        "touchstone_connections_made_room_total",
        &[],
        "Idle connections closed to make room for others.",
    ),
    // Verdicts.
    counter(
        "touchstone_receipts_total",
        &[open("class"), label("tier", &["free", "granted", "paid", "watch"]), open("verdict")],
        "Receipts that were logged.",
    ),
    counter(
        "touchstone_calls_refused_total",
        &[
            open("class"),
            label(
                "reason",
                &[
                    "rate",
                    "callers",
                    "storage",
                    "no_free_tier",
                    "used_up",
                    "network_used_up",
                    "bytes_used_up",
                    "too_long",
                    "watches_used_up",
                    "other",
                ],
            ),
        ],
        "Calls that a limit refused, or that were asked to pay. The class is a route where the limit is a route's.",
    ),
    // Payments.
    counter("touchstone_payments_claimed_total", &[open("class")], "Payments that were accepted for a call."),
    counter("touchstone_payments_settled_total", BACK_ENDS, "Payments whose money has moved."),
    counter("touchstone_payments_failed_total", &[open("code")], "Payments that can never settle, by code."),
    counter("touchstone_payments_refused_total", &[open("code")], "Proofs of payment that bought nothing."),
    counter(
        "touchstone_payments_in_doubt_total",
        &[],
        "Payments that may have been made by a transfer which another payment was credited with.",
    ),
    gauge(
        "touchstone_payments_open",
        &[label("state", &["claimed", "judged", "broadcast", "settled"])],
        "Payments that are neither delivered nor failed, by state.",
    ),
    histogram(
        "touchstone_settlement_duration_seconds",
        SETTLEMENTS,
        BACK_ENDS,
        "Time from the start of a settlement until its money has moved.",
    ),
    counter("touchstone_settlement_failures_total", &[], "Requests to the settlement back end that failed."),
    gauge("touchstone_gas_spent_today_wei", &[], "Gas that settlements have cost on this UTC day."),
    gauge("touchstone_gas_per_day_wei", &[], "Gas that settlements may cost on a UTC day."),
    gauge("touchstone_gas_used_up", &[], "1 if the gas of this UTC day is used up; otherwise 0."),
    gauge("touchstone_disputes_open", &[], "Disputes whose bond has settled and that are not decided yet."),
    gauge("touchstone_refunds_owed", &[open("asset")], "Refunds that are not paid yet."),
    gauge("touchstone_refunds_owed_usd", &[open("asset")], "Sum of the refunds that are not paid yet."),
    gauge("touchstone_payouts_capped", &[], "1 if refunds wait because of payout_per_day; otherwise 0."),
    // Watches.
    gauge("touchstone_watches_live", &[], "Watches that have neither ended nor expired."),
    gauge("touchstone_webhooks_waiting", &[], "Webhooks that wait to be sent, for the first time or again."),
    counter(
        "touchstone_webhooks_sent_total",
        &[label("outcome", &["delivered", "again", "not_sent", "failed", "gone"])],
        "Attempts to send a webhook, by outcome.",
    ),
    counter(
        "touchstone_retention_deleted_total",
        &[label("kind", &["requests", "blobs", "trials", "webhook_deliveries", "memories"])],
        "Rows that were deleted because their time was over, by kind.",
    ),
    counter(
        "touchstone_retention_deleted_bytes_total",
        &[],
        "Bytes of the requests and evidence that were deleted because their time was over.",
    ),
    counter(
        "touchstone_erasures_total",
        &[label("outcome", &["done", "refused"])],
        "Erasures that an operator asked for, by outcome.",
    ),
    // The ledger.
    gauge("touchstone_log_size", &[], "Leaves of the log."),
    gauge(
        "touchstone_cosigned_leaves",
        &[],
        "Leaves of the newest tree that a quorum of witnesses has cosigned.",
    ),
    counter(
        "touchstone_witness_requests_total",
        &[open("witness"), label("outcome", &["cosigned", "failed"])],
        "Checkpoints that were submitted to a witness, by outcome.",
    ),
    counter(
        "touchstone_log_signatures_total",
        &[label("outcome", &["signed", "late", "failed", "invalid"])],
        "Signatures that were asked of a log key elsewhere, by outcome.",
    ),
    histogram(
        "touchstone_log_signature_duration_seconds",
        SHORT,
        &[],
        "Time until a log key elsewhere has answered, or its limit was over.",
    ),
    gauge(
        "touchstone_stamped_leaves",
        &[],
        "Leaves of the newest tree that a time-stamping authority has stamped.",
    ),
    counter(
        "touchstone_timestamp_requests_total",
        &[label("outcome", &["stamped", "failed"])],
        "Requests to the time-stamping authority, by outcome.",
    ),
    gauge("touchstone_ledger_writable", &[], "1 if the ledger can be written; otherwise 0."),
    gauge("touchstone_ledger_queue_jobs", &[], "Records and steps that wait for their transaction."),
    histogram("touchstone_ledger_batch_receipts", BATCHES, &[], "Receipts in one transaction."),
    histogram(
        "touchstone_ledger_commit_duration_seconds",
        SHORT,
        &[],
        "Time to write and commit one transaction.",
    ),
    counter("touchstone_ledger_commits_failed_total", &[], "Transactions that failed and were rolled back."),
    // The store of several replicas. A notary over its own file sets none of them.
    gauge("touchstone_replicas_alive", &[], "Replicas that were heard of within the last 10 s."),
    gauge(
        "touchstone_store_clock_offset_seconds",
        &[],
        "The store's clock less that of this process. Beyond 2 s either way, nothing is signed.",
    ),
    gauge(
        "touchstone_store_head_lag_leaves",
        &[],
        "Leaves by which the head that this process knows was behind the store's.",
    ),
    gauge(
        "touchstone_store_connections",
        &[label("pool", &["primary", "any"]), label("state", &["in_use", "idle", "waiting"])],
        "Connections for reading, and reads that wait for one. `any` is of a server that takes no writes.",
    ),
    counter(
        "touchstone_store_unknown_commits_total",
        &[],
        "Commits whose outcome had to be looked up, since their answer was lost.",
    ),
    counter(
        "touchstone_store_retries_total",
        &[label("sequencer", &["log", "work", "admission"])],
        "Transactions that were made again, since they were rolled back for the sake of others.",
    ),
    // The processor and look-ups.
    gauge("touchstone_compute_waiting", LANES, "Pieces of work that wait for a turn."),
    histogram("touchstone_compute_wait_duration_seconds", SHORT, LANES, "Time that work waits for its turn."),
    counter("touchstone_compute_refused_total", LANES, "Pieces of work that were refused: too much waits."),
    // The network.
    counter(
        "touchstone_fetches_total",
        &[
            label("purpose", &["document", "download", "service", "webhook", "page", "connection"]),
            open("outcome"),
        ],
        "Outbound requests by outcome: `answered`, or the code of the error.",
    ),
    counter(
        "touchstone_dns_lookups_total",
        &[label("outcome", &["found", "none", "timeout", "failed"])],
        "DNS look-ups, also those that a cache answered.",
    ),
    // Lists and feeds.
    gauge("touchstone_lists_live", &[], "Lists and feeds that are in use."),
    gauge("touchstone_list_entries", SOURCES, "Entries of a list or feed."),
    gauge(
        "touchstone_list_age_seconds",
        SOURCES,
        "Seconds since a list or feed was last confirmed to be current.",
    ),
    gauge(
        "touchstone_list_stale",
        SOURCES,
        "1 if a list or feed is too old to show that something is not listed.",
    ),
    counter(
        "touchstone_list_rounds_total",
        &[open("list"), open("end")],
        "Rounds of fetching a list, by end.",
    ),
    counter(
        "touchstone_feed_rounds_total",
        &[open("feed"), open("end")],
        "Rounds of fetching a feed, by end.",
    ),
];
