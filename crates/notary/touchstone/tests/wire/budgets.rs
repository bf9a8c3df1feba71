//! What one network may take for nothing, and that it takes nothing from others: turns, bytes, names, places.
//!
//! Callers of different networks are told apart by what a configured proxy says of them.

use std::sync::Arc;

use payment::eip712::Domain;
use payment::local::payee;
use payment::{Authorization, Network, U256, Wallet};
use serde_json::{Value, json};

use crate::limits::well_before_midnight;
use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::money::{PRICE, authorization, commit, pays, v2, with_proof};
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service};

/// Two callers with nothing in common, and a neighbour of the first.
const HERE: &str = "203.0.113.7";
const NEIGHBOUR: &str = "203.0.113.8";
const ELSEWHERE: &str = "198.51.100.9";
/// As long a member as a free call may bring beside what is read, and one that is longer.
const PAD: usize = 200 << 10;
const TOO_LONG_PAD: usize = 300 << 10;
/// Looks at domains end at once.
const NO_NAME_SERVER: &str = "[trust]\nname_servers = \"127.0.0.1:1\"\n";

fn launch() -> Launch {
    well_before_midnight();
    Launch::dev().set("PROXIES", "127.0.0.0/8").set("BASE_URL", BASE_URL)
}

fn from(address: &str, request: Request) -> Request {
    request.header("X-Forwarded-For", address)
}

fn claim(service: &Service, address: &str, agent: &str) -> Answer {
    service.send(&from(address, Request::json("/claim-verdict", &signed(agent))))
}

/// A daily record of so many returns, with what is put beside it.
fn record(returns: usize, more: Value) -> Value {
    let row = |day: usize| {
        let date = jiff::civil::date(1990, 1, 1).saturating_add(jiff::Span::new().days(day as i64));
        json!({"date": date.to_string(), "r": format!("0.00{}", day % 9 + 1), "max_loss": 0.05})
    };
    let mut record =
        json!({"agent": "a", "benchmark": "cash", "returns": (0..returns).map(row).collect::<Vec<_>>()});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn grade(service: &Service, address: &str, record: &Value) -> Answer {
    service.send(&from(address, Request::json("/grade-strategy", record)))
}

#[test]
fn a_query_has_at_most_64_names_on_every_route_that_reads_one() {
    let service = Launch::dev().start();
    let query = |names: usize| (0..names).map(|name| format!("n{name}=1")).collect::<Vec<_>>().join("&");
    for path in ["/verify", "/snapshots", "/snapshots/diff", "/trust-score", "/trust-score/model"] {
        for names in [65, 8_000] {
            service.get(&format!("{path}?{}", query(names))).names("query", "too_long");
        }
        let answer = service.get(&format!("{path}?{}", query(64)));
        assert_ne!(answer.json()["reason"], "too_long", "{path}");
    }
}

#[test]
fn what_others_do_under_a_name_elsewhere_shuts_nobody_out() {
    let service = launch().start();
    let statuses = |address| (0..11).map(|_| claim(&service, address, "customer").status).collect::<Vec<_>>();
    let used_up = [200, 200, 200, 402, 402, 402, 402, 402, 402, 402, 429];
    assert_eq!(statuses(HERE), used_up);
    assert_eq!(statuses(NEIGHBOUR), used_up, "the name has free calls and a rate in each network");
    assert_eq!(statuses(ELSEWHERE), used_up);
}

#[test]
fn a_paying_call_is_counted_by_its_payer_and_not_refused_for_what_others_did_under_its_name() {
    let service = launch().start();
    let unpaid = |number: usize| service.send(&from(HERE, commit(&format!("unpaid {number}"))));
    let statuses: Vec<u16> = (0..61).map(|number| unpaid(number).status).collect();
    assert_eq!((statuses[59], statuses[60]), (402, 429), "the rate of the name is used up");
    let paid = |number: usize| {
        service.send(&from(HERE, with_proof(commit(&format!("paid {number}")), &pays(PRICE))))
    };
    let statuses: Vec<u16> = (0..61).map(|number| paid(number).status).collect();
    assert_eq!(statuses[..60], [200; 60]);
    assert_eq!(statuses[60], 429, "the payer has the route's rate, and no more");
    let elsewhere = service.send(&from(ELSEWHERE, with_proof(commit("elsewhere"), &pays(PRICE))));
    elsewhere.problem(429);
}

#[test]
fn a_proof_that_does_not_pay_does_not_excuse_the_next_one() {
    let service = launch().start();
    let unfunded = Wallet::from_hex(&"17".repeat(32)).unwrap();
    let proof = || {
        let authorization = Authorization { from: unfunded.address(), ..authorization(PRICE) };
        assert_eq!((authorization.to, authorization.value), (payee(), U256::from(PRICE)));
        v2(&unfunded.authorize(&Domain::new(&Network::local()), authorization))
    };
    let statuses: Vec<u16> =
        (0..65).map(|_| service.send(&from(HERE, with_proof(commit("a"), &proof()))).status).collect();
    assert_eq!((&statuses[..60], &statuses[60..]), (&[402; 60][..], &[429; 5][..]));
}

#[test]
fn a_network_has_so_many_free_tiers_a_day_over_all_names_and_its_neighbours_ten_times_as_many() {
    let data = {
        let service = launch().set("FREE_PER_NETWORK", "1").start();
        let free = |address: &str, agent: &str| claim(&service, address, agent).status == 200;
        let of_names = (0..8).filter(|name| free(HERE, &format!("name {name}"))).count();
        assert_eq!(of_names, 3);
        // Nine neighbours more have theirs; the tenth is one too many for the /24.
        let neighbours = |last: usize| {
            (0..4).filter(|name| free(&format!("203.0.113.{last}"), &format!("n{name}"))).count()
        };
        let of_neighbours: Vec<usize> = (100..110).map(neighbours).collect();
        assert_eq!(of_neighbours, [3, 3, 3, 3, 3, 3, 3, 3, 3, 0]);
        assert!(free(ELSEWHERE, "name 0"));
        Arc::clone(&service.data)
    };
    let service = launch().set("FREE_PER_NETWORK", "1").on(&data).start();
    assert_eq!(claim(&service, HERE, "after a restart").status, 402);
    assert_eq!(claim(&service, ELSEWHERE, "name 1").status, 200);
}

#[test]
fn in_development_a_network_has_no_such_bound_unless_it_is_set() {
    let service = Launch::dev().start();
    let statuses: Vec<u16> =
        (0..45).map(|name| service.ask("/claim-verdict", &signed(&format!("name {name}"))).status).collect();
    assert_eq!(statuses, [200; 45]);
    let catalog = service.get("/catalog").expect(200).json();
    assert_eq!(catalog["bounds"]["free_calls"]["per_network"], Value::Null);
}

#[test]
fn a_free_call_brings_little_beside_what_its_question_reads_and_a_paid_one_as_much_as_the_body_takes() {
    let service = launch().start();
    let pad = |length: usize| json!({"pad": "x".repeat(length)});
    grade(&service, HERE, &record(60, pad(PAD))).expect(200);
    let too_much = record(60, pad(TOO_LONG_PAD));
    grade(&service, HERE, &too_much).names("pad", "too_long");
    let mut in_a_row = record(60, json!({}));
    in_a_row["returns"][3]["note"] = json!("x".repeat(TOO_LONG_PAD));
    grade(&service, HERE, &in_a_row).names("returns.3.note", "too_long");
    let paid = with_proof(Request::json("/grade-strategy", &too_much), &pays(PRICE));
    service.send(&from(HERE, paid)).expect(200);
}

#[test]
fn what_is_stored_for_a_networks_free_calls_has_a_budget_a_day_that_others_do_not_share() {
    let data = {
        let service = launch().set("FREE_MIB_PER_NETWORK", "1").start();
        let padded = |agent: String| {
            let mut body = signed(&agent);
            body["pad"] = json!("x".repeat(PAD));
            Request::json("/claim-verdict", &body)
        };
        let statuses: Vec<u16> =
            (0..7).map(|name| service.send(&from(HERE, padded(format!("n{name}")))).status).collect();
        assert_eq!(statuses, [200, 200, 200, 200, 200, 402, 402]);
        claim(&service, HERE, "small").expect(200);
        service.send(&from(ELSEWHERE, padded("n0".to_owned()))).expect(200);
        Arc::clone(&service.data)
    };
    let service = launch().set("FREE_MIB_PER_NETWORK", "1").on(&data).start();
    let mut body = signed("after a restart");
    body["pad"] = json!("x".repeat(PAD));
    assert_eq!(service.send(&from(HERE, Request::json("/claim-verdict", &body))).status, 402);
}

#[test]
fn a_grant_that_lends_its_priority_to_a_free_route_leaves_its_budget_of_bytes() {
    let service = launch().set("FREE_MIB_PER_NETWORK", "1").configured(NO_NAME_SERVER).start();
    let granted = service.command(["grant", "urgent", "--calls", "5", "--priority"]).output().unwrap();
    assert!(granted.status.success(), "{granted:?}");
    let ask = |number: usize| {
        let body =
            json!({"agent": "urgent", "domain": format!("d{number}.example.org"), "pad": "x".repeat(PAD)});
        service.send(&from(HERE, Request::json("/trust-score", &body)))
    };
    for number in 0..4 {
        ask(number).expect(200);
    }
    ask(4);
    assert_eq!(ask(5).problem(503)["module"], "storage");
}

#[test]
fn a_request_whose_canonical_form_is_longer_than_a_body_may_be_is_refused_before_anything_is_paid() {
    let service = launch().start();
    let mut body = signed("a").to_string();
    body.truncate(body.len() - 1);
    body += &format!(r#","x":[{}1]}}"#, "1e20,".repeat(50_000));
    let request = with_proof(Request::post("/claim-verdict", body.clone()), &pays(PRICE));
    let refused = service.send(&from(HERE, request)).problem(413);
    assert!(refused["limit_bytes"].as_u64().unwrap() as usize > body.len(), "{refused}");
}

#[test]
fn where_the_disk_is_nearly_full_free_calls_stop_first_and_paid_ones_at_half_the_reserve() {
    let free_mib = {
        let service = Launch::dev().with_name_server().start();
        let health = service.get("/health").expect(200).json();
        assert_eq!(health["status"], "ok");
        health["storage"]["free_bytes"].as_u64().unwrap() >> 20
    };
    let low = launch().set("STORAGE_RESERVE_MIB", &(free_mib * 3 / 2).to_string()).start();
    let refused = claim(&low, HERE, "a");
    assert_eq!(refused.problem(503)["module"], "storage");
    assert!(refused.header("retry-after").is_some());
    let trial = from(HERE, Request::json("/request-trial", &json!({"agent": "a"})));
    assert_eq!(low.send(&trial).problem(503)["module"], "storage");
    low.send(&from(HERE, with_proof(commit("a"), &pays(PRICE)))).expect(200);
    assert_eq!(low.get("/health").expect(200).json()["modules"]["storage"], "low");
    drop(low);
    let full = launch().set("STORAGE_RESERVE_MIB", &(free_mib * 3).to_string()).start();
    let refused = full.send(&from(HERE, with_proof(commit("a"), &pays(PRICE))));
    assert_eq!(refused.problem(503)["module"], "storage");
    assert_eq!(full.get("/health").expect(503).json()["modules"]["storage"], "full");
}

#[test]
fn a_network_asks_for_so_many_trials_a_day_and_its_wishes_outlive_a_restart() {
    let ask = |service: &Service, address: &str, number: usize| {
        let wish = json!({"agent": format!("a{number}"), "reason": "to try it"});
        service.send(&from(address, Request::json("/request-trial", &wish))).status
    };
    let data = {
        let service = launch().start();
        let statuses: Vec<u16> = (0..22).map(|number| ask(&service, HERE, number)).collect();
        assert_eq!((&statuses[..20], &statuses[20..]), (&[200; 20][..], &[503; 2][..]));
        assert_eq!(ask(&service, ELSEWHERE, 0), 200);
        Arc::clone(&service.data)
    };
    let service = launch().on(&data).start();
    assert_eq!((ask(&service, HERE, 0), ask(&service, ELSEWHERE, 0)), (503, 200));
}

#[test]
fn a_network_has_so_many_free_watches_under_whatever_names() {
    let service = launch().start();
    let watch = |address: &str, name: usize| {
        let body =
            json!({"agent": format!("a{name}"), "entity": "Viktor Anatolyevich Bout", "type": "person"});
        service.send(&from(address, Request::json("/watch", &body))).status
    };
    let statuses: Vec<u16> = (0..32).map(|name| watch(HERE, name)).collect();
    assert_eq!((&statuses[..30], &statuses[30..]), (&[200; 30][..], &[402; 2][..]));
    assert_eq!(watch(ELSEWHERE, 0), 200);
}

#[test]
fn a_record_that_takes_long_to_grade_is_graded_for_money_alone() {
    let service = launch().start();
    let long = record(6_000, json!({}));
    let refused = grade(&service, HERE, &long);
    assert_eq!(refused.status, 402, "{}", refused.text());
    assert!(text(&refused.json(), "detail").starts_with("judging this takes longer than a free call may"));
    let paid = with_proof(Request::json("/grade-strategy", &long), &pays(PRICE));
    service.send(&from(HERE, paid)).expect(200);
    grade(&service, HERE, &record(500, json!({}))).expect(200);
}

#[test]
fn bodies_that_do_not_end_take_a_networks_share_of_memory_and_nobody_elses() {
    let service = launch().start();
    let body = vec![b' '; (4 << 20) - 1];
    let mut held: Vec<_> = (0..6)
        .map(|_| {
            let mut connection = service.connect();
            let head = format!(
                "POST /grade-strategy HTTP/1.1\r\nHost: notary.test\r\nX-Forwarded-For: {HERE}\r\nContent-Length: {}\r\n\r\n",
                4 << 20
            );
            connection.send(head.as_bytes()).unwrap();
            // What is refused may be closed before all of it is sent.
            let _ = connection.send(&body);
            connection
        })
        .collect();
    let answers: Vec<Answer> = held.iter_mut().map(|connection| connection.answer("POST").unwrap()).collect();
    let refused = answers.iter().filter(|answer| answer.status == 503).count();
    assert!((2..6).contains(&refused), "{refused}");
    for answer in answers.iter().filter(|answer| answer.status != 503) {
        answer.names("body", "incomplete");
    }
    grade(&service, ELSEWHERE, &record(60, json!({}))).expect(200);
    grade(&service, HERE, &record(60, json!({}))).expect(200);
}
