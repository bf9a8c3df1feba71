//! `/metrics`, after the events that it counts, and the access log.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::logs::logged;
use crate::support::KEY_RECORDS;
use crate::support::chain::{authorization, paying, serve, sign, until};
use crate::support::claims::{at, signed};
use crate::support::http::Request;
use crate::support::money::{PRICE, commit, pays, with_proof};
use crate::support::peer::{Peer, document};
use crate::support::scrape::{self, Scrape, measured};
use crate::support::service::{Launch, Service};

const DOCUMENTED: &str = include_str!("../../../../../docs/metrics.md");

/// A documented metric: its kind, and its labels with their values where they are known.
struct Documented {
    kind: &'static str,
    labels: BTreeMap<&'static str, Vec<&'static str>>,
}

/// The table of docs/metrics.md, which a unit test holds against the declaration.
fn documented() -> BTreeMap<&'static str, Documented> {
    let rows = DOCUMENTED.lines().filter_map(|line| line.strip_prefix("| `touchstone_").map(|_| &line[2..]));
    rows.map(|row| {
        let [name, kind, labels, _] = row.split(" | ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let labels = labels.split("; ").filter(|label| !label.trim().is_empty()).map(|label| {
            let (label, values) = label.split_once(": ").unwrap_or((label, ""));
            (label.trim_matches('`'), values.split(", ").filter(|value| !value.is_empty()).collect())
        });
        (name.trim_matches('`'), Documented { kind, labels: labels.collect() })
    })
    .collect()
}

/// Asserts that every series is of a documented metric, and has its labels.
fn assert_documented(scrape: &Scrape) {
    let documented = documented();
    assert!(documented.len() > 40, "the table is read");
    for (name, labels) in scrape.values.keys() {
        let family = scrape.family(name);
        let (kind, help) = (&*scrape.kinds[family], scrape.help.get(family));
        assert!(help.is_some_and(|help| help.ends_with('.')), "{family}: {help:?}");
        assert!(["counter", "gauge", "histogram"].contains(&kind), "{family} is a {kind}");
        if family.starts_with("process_") {
            continue;
        }
        let metric = documented.get(family).unwrap_or_else(|| panic!("{family} is not documented"));
        assert_eq!(metric.kind, kind, "{family}");
        let own: BTreeSet<&str> = labels.keys().map(String::as_str).filter(|label| *label != "le").collect();
        assert_eq!(own, metric.labels.keys().copied().collect(), "{family}");
        for (label, values) in &metric.labels {
            assert!(values.is_empty() || values.contains(&&*labels[*label]), "{family} {labels:?}");
        }
    }
}

#[test]
fn a_scrape_has_only_documented_series_and_those_of_known_labels_from_the_start() {
    let service = measured(Launch::dev()).start();
    let scrape = scrape::of(&service);
    assert_documented(&scrape);
    let build = [("version", env!("CARGO_PKG_VERSION")), ("profile", "dev")];
    assert_eq!(scrape.sum("touchstone_build_info", &build), Some(1.0));
    for name in ["process_start_time_seconds", "process_resident_memory_bytes", "process_open_fds"] {
        assert!(scrape.sum(name, &[]).is_some_and(|value| value > 0.0), "{name}");
    }
    for (name, Documented { kind, labels }) in documented() {
        if kind != "gauge" && labels.values().all(|values| !values.is_empty()) {
            let sample = if kind == "histogram" { format!("{name}_count") } else { name.to_owned() };
            let series: usize = labels.values().map(Vec::len).product();
            let found = scrape.values.keys().filter(|(of, _)| *of == sample).count();
            assert_eq!(found, series, "{name} begins at 0");
        }
    }
}

#[test]
fn calls_count_by_route_status_class_tier_verdict_and_reason() {
    let service = measured(Launch::dev()).start();
    for (number, status) in (0..11).zip([200, 200, 200, 402, 402, 402, 402, 402, 402, 402, 429]) {
        let answer = service.ask("/claim-verdict", &signed("a"));
        assert_eq!(answer.status, status, "call {number}: {}", answer.text());
    }
    service.send(&commit("a")).expect(402);
    service.send(&with_proof(commit("a"), &pays(PRICE))).expect(200);
    let refused = service.send(&with_proof(commit("b"), &pays(PRICE - 1)));
    assert_eq!(refused.status, 402);
    let scrape = scrape::of(&service);
    assert_documented(&scrape);
    let sum = |name, labels: &[(&str, &str)]| scrape.sum(name, labels);
    let requests =
        |route, status| sum("touchstone_http_requests_total", &[("route", route), ("status", status)]);
    assert_eq!(requests("/claim-verdict", "200"), Some(3.0));
    assert_eq!(requests("/claim-verdict", "429"), Some(1.0));
    let took = [("route", "/claim-verdict")];
    assert_eq!(sum("touchstone_http_request_duration_seconds_count", &took), Some(11.0));
    assert_eq!(sum("touchstone_http_requests_in_flight", &[]), Some(0.0));
    let free = [("class", "claim-verdict"), ("tier", "free"), ("verdict", "CONFIRMED")];
    assert_eq!(sum("touchstone_receipts_total", &free), Some(3.0));
    let paid = [("class", "commit"), ("tier", "paid"), ("verdict", "COMMITTED")];
    assert_eq!(sum("touchstone_receipts_total", &paid), Some(1.0));
    let reason =
        |class, reason| sum("touchstone_calls_refused_total", &[("class", class), ("reason", reason)]);
    assert_eq!(reason("claim-verdict", "used_up"), Some(7.0));
    assert_eq!(reason("claim-verdict", "rate"), Some(1.0));
    assert_eq!(reason("commit", "no_free_tier"), Some(1.0));
    assert_eq!(sum("touchstone_payments_claimed_total", &[("class", "commit")]), Some(1.0));
    assert_eq!(sum("touchstone_payments_settled_total", &[("back_end", "local")]), Some(1.0));
    assert_eq!(sum("touchstone_settlement_duration_seconds_count", &[("back_end", "local")]), Some(1.0));
    assert_eq!(sum("touchstone_payments_refused_total", &[("code", "invalid_amount")]), Some(1.0));
    assert_eq!(sum("touchstone_payments_open", &[]), Some(0.0));
    let value = |name| sum(name, &[]).unwrap_or_else(|| panic!("{name}"));
    assert!(value("touchstone_ledger_commit_duration_seconds_count") >= 4.0);
    assert!(value("touchstone_ledger_batch_receipts_sum") >= 4.0);
    assert_eq!(
        (value("touchstone_log_size"), value("touchstone_ledger_writable")),
        (KEY_RECORDS as f64 + 4.0, 1.0)
    );
    assert_eq!((value("touchstone_can_issue"), value("touchstone_clock_behind_seconds")), (1.0, 0.0));
    assert!(value("touchstone_storage_free_bytes") > 0.0);
}

/// An address of nobody.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn outbound_requests_count_by_purpose_and_outcome() {
    let service = measured(Launch::dev()).start();
    let peer = Peer::http(|_| document(r#"{"status":"active"}"#));
    service.claim(&at(&peer.url("/"), "status", "active"));
    service.claim(&at(&format!("{}/", closed()), "status", "active"));
    service.claim(&at("http://no-such-name.example.com/", "status", "active"));
    let scrape = scrape::of(&service);
    assert_documented(&scrape);
    let fetches =
        |outcome| scrape.sum("touchstone_fetches_total", &[("purpose", "document"), ("outcome", outcome)]);
    assert_eq!((fetches("answered"), fetches("connect_failed")), (Some(1.0), Some(1.0)));
    assert_eq!(scrape.sum("touchstone_fetches_total", &[("purpose", "document")]), Some(3.0));
    // The development profile's own parts may look names up, too.
    assert!(scrape.sum("touchstone_dns_lookups_total", &[]).is_some_and(|lookups| lookups >= 1.0));
}

#[test]
fn failures_of_the_settlement_back_end_are_counted() {
    let service = measured(serve().set("FACILITATOR", &closed())).start();
    service.send(&paying(commit("a"), &sign(authorization(PRICE)))).problem(503);
    let scrape = scrape::of(&service);
    assert_documented(&scrape);
    assert_eq!(scrape.sum("touchstone_settlement_failures_total", &[]), Some(1.0));
    assert_eq!(scrape.sum("touchstone_payments_settled_total", &[]), Some(0.0));
}

/// The line of the access log for an answer with this id.
fn access(service: &Service, request_id: &str) -> Value {
    serde_json::from_str(&logged(service, request_id, "\"target\":\"access\"")).unwrap()
}

#[test]
fn the_access_log_has_a_line_a_request_without_path_agent_or_address() {
    let launch = Launch::dev().without_limits().set("LOG", "info,access=info").set("LOG_FORMAT", "json");
    let service = launch.set("PROXIES", "127.0.0.0/8").start();
    let claim =
        Request::json("/claim-verdict", &signed("secret-agent")).header("X-Forwarded-For", "203.0.113.77");
    let length = serde_json::to_vec(&signed("secret-agent")).unwrap().len();
    let answer = service.send(&claim).expect(200);
    let line = access(&service, answer.header("x-request-id").unwrap());
    let fields = &line["fields"];
    assert_eq!((&fields["status"], &fields["bytes_in"]), (&json!(200), &json!(length)), "{line}");
    assert_eq!(fields["bytes_out"], json!(answer.text().len()), "{line}");
    assert!(fields["duration_ms"].is_number() && line["level"] == "INFO", "{line}");
    assert_eq!(
        (&fields["network"], &fields["payment"]),
        (&json!("203.0.113.0/24"), &json!("none")),
        "{line}"
    );
    assert_eq!((&line["span"]["method"], &line["span"]["route"]), (&json!("POST"), &json!("/claim-verdict")));
    let payment = |request: &Request, status| {
        let answer = service.send(request).expect(status);
        access(&service, answer.header("x-request-id").unwrap())["fields"]["payment"].take()
    };
    assert_eq!(payment(&commit("a"), 402), "required");
    assert_eq!(payment(&with_proof(commit("a"), &pays(PRICE - 1)), 402), "refused");
    assert_eq!(payment(&with_proof(commit("a"), &pays(PRICE)), 200), "paid");
    let nowhere = service.get("/r/not-a-hash-of-anything");
    let line = access(&service, nowhere.header("x-request-id").unwrap());
    assert_eq!(line["span"]["route"], "/r/{hash}", "{line}");
    let said = service.stop();
    for hidden in ["secret-agent", "203.0.113.77", "not-a-hash-of-anything"] {
        assert!(!said.contains(hidden), "{hidden}: {said}");
    }
}

#[test]
fn without_being_named_in_the_filter_the_access_log_is_off() {
    for filter in ["info", "debug"] {
        let service = Launch::dev().set("LOG", filter).set("LOG_FORMAT", "json").start();
        service.get("/health").expect(200);
        until("the start is logged", || !service.said().is_empty());
        let said = service.stop();
        assert!(!said.contains("\"target\":\"access\""), "{filter}: {said}");
    }
}
