//! The log: quiet of what goes well, and the id of an answer finds why it was none.

use std::net::TcpListener;

use peers::Reply;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::HANG;
use crate::support::chain::{authorization, paying, serve, sign, until};
use crate::support::claims::signed;
use crate::support::facilitator::{nonce_of, settling, success};
use crate::support::http::Request;
use crate::support::money::{PRICE, commit};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

/// The line that a service has logged with a request's id and this, once it is there: it may come after the answer.
pub fn logged(service: &Service, request_id: &str, what: &str) -> String {
    let is_it = |line: &&str| line.contains(request_id) && line.contains(what);
    let line = || service.said().lines().find(is_it).map(str::to_owned);
    until(what, || line().is_some());
    line().unwrap()
}

/// The address of nobody.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn the_id_of_an_answer_finds_its_cause_in_the_log_in_either_format_and_at_any_level() {
    for (format, filter) in [("text", "info"), ("json", "info"), ("json", "error")] {
        let launch = serve().set("FACILITATOR", &closed()).set("LOG_FORMAT", format).set("LOG", filter);
        let service = launch.start();
        let ask = |content: &str| {
            let problem = service.send(&paying(commit(content), &sign(authorization(PRICE)))).problem(503);
            text(&problem, "request_id").to_owned()
        };
        let ids = [ask("a"), ask("b")];
        for id in &ids {
            let line = logged(&service, id, "the settlement back end failed");
            assert!(ids.iter().filter(|id| line.contains(*id)).count() == 1, "{line}");
            assert!(line.contains("POST") && line.contains("/commit"), "{line}");
            if format == "json" {
                let line: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(line["span"]["request_id"], **id, "{line}");
            }
        }
    }
}

#[test]
fn what_a_settlement_logs_in_its_own_task_has_the_id_of_its_call() {
    let stub = settling(|_| Reply::Cut);
    let service = serve().set("FACILITATOR", &stub.url()).start();
    let problem = service.send(&paying(commit("a"), &sign(authorization(PRICE)))).problem(503);
    assert_eq!(problem["error"], "payment_in_progress");
    logged(&service, text(&problem, "request_id"), "a broadcast has no known outcome");
}

#[test]
fn a_claim_that_is_in_other_hands_by_now_is_no_failure_of_the_ledger() {
    let launch = serve();
    let store = launch.data().path().join("store.sqlite");
    let stub = settling(move |request| {
        // As when the lease is over and the claim is taken over.
        let rows = Connection::open(&store).unwrap();
        rows.busy_timeout(HANG).unwrap();
        rows.execute("UPDATE claims SET owner = zeroblob(16)", []).unwrap();
        success(nonce_of(request))
    });
    let service = launch.set("FACILITATOR", &stub.url()).start();
    let answer = service.send(&paying(commit("a"), &sign(authorization(PRICE))));
    let problem = answer.problem(503);
    assert_eq!((&problem["module"], &problem["error"]), (&json!("payment"), &json!("payment_in_progress")));
    let said = service.stop();
    assert!(!said.contains("ledger failed") && !said.contains("ERROR"), "{said}");
}

#[test]
fn the_log_is_quiet_of_requests_and_has_no_paths() {
    let service = Launch::dev().start();
    let secret = "0123456789abcdef0123456789abcdef";
    let answers = [
        service.get("/health").expect(200),
        service.get(&format!("/watch/{secret}")).expect(404),
        service.send(&Request::json("/claim-verdict", &signed("a"))).expect(200),
        service.post("/claim-verdict", "nonsense").expect(400),
        service.send(&commit("a")).expect(402),
    ];
    let said = service.stop();
    for answer in answers {
        let id = answer.header("x-request-id").unwrap();
        assert!(!said.contains(id), "{said}");
    }
    assert!(!said.contains(secret), "{said}");
}
