//! Rates, free calls, and the order in which a request is looked at.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::support::claims::{at, signed, with, without};
use crate::support::http::{Answer, Request};
use crate::support::peer::{Peer, Step};
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service};

/// Free calls are counted by the UTC day: a test that counts them does not start just before one ends.
pub fn well_before_midnight() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let left = 86_400 - now % 86_400;
    if left < 20 {
        thread::sleep(Duration::from_secs(left));
    }
}

fn limited() -> Service {
    well_before_midnight();
    Launch::dev().start()
}

fn statuses(answers: impl IntoIterator<Item = Answer>) -> Vec<u16> {
    answers.into_iter().map(|answer| answer.status).collect()
}

fn claims(service: &Service, agent: &str, count: usize) -> Vec<u16> {
    statuses((0..count).map(|_| service.ask("/claim-verdict", &signed(agent))))
}

/// The parameters of a `RateLimit` header: visits left, seconds until more.
fn ratelimit(answer: &Answer) -> (u32, u32) {
    let value = answer.header("ratelimit").unwrap_or_else(|| panic!("{answer:?}"));
    let (_, parameters) = value.split_once(';').unwrap();
    let parameter = |name: &str| {
        let found = parameters.split(';').find_map(|parameter| parameter.strip_prefix(name));
        found.unwrap().parse().unwrap()
    };
    (parameter("r="), parameter("t="))
}

#[test]
fn the_11th_call_of_a_minute_is_429_and_another_agent_goes_on() {
    let service = limited();
    assert_eq!(claims(&service, "busy", 10), [200, 200, 200, 402, 402, 402, 402, 402, 402, 402]);
    let answer = service.ask("/claim-verdict", &signed("busy"));
    answer.problem(429);
    let wait: u32 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(answer.header("ratelimit-policy"), Some(r#""claim-verdict";q=10;w=60"#));
    assert_eq!(ratelimit(&answer), (0, wait));
    // The name is the same however it is padded.
    service.ask("/claim-verdict", &signed(" busy\n")).problem(429);
    assert_eq!(claims(&service, "other", 4), [200, 200, 200, 402]);
}

#[test]
fn an_answer_tells_how_many_calls_are_left() {
    let service = limited();
    for left in [9, 8, 7] {
        let answer = service.ask("/claim-verdict", &signed("a")).expect(200);
        assert_eq!(answer.header("ratelimit-policy"), Some(r#""claim-verdict";q=10;w=60"#));
        let (remaining, reset) = ratelimit(&answer);
        assert_eq!(remaining, left);
        assert!((1..=60).contains(&reset));
    }
}

#[test]
fn a_refused_call_counts_towards_the_rate_where_its_agent_can_be_read() {
    let service = limited();
    let wrong = without(signed("wrong"), "/resolver/signature");
    for _ in 0..10 {
        service.ask("/claim-verdict", &wrong).names("resolver.signature", "missing");
    }
    service.ask("/claim-verdict", &signed("wrong")).problem(429);

    let garbled = Request::json("/claim-verdict", &signed("garbled")).header("X-PAYMENT", "!");
    for _ in 0..10 {
        service.send(&garbled).names("X-PAYMENT", "malformed");
    }
    service.ask("/claim-verdict", &signed("garbled")).problem(429);

    // Where no agent can be read, nobody's rate is touched.
    for _ in 0..10 {
        service.post("/claim-verdict", r#"{"agent":"clean""#).names("body", "malformed");
    }
    assert_eq!(claims(&service, "clean", 1), [200]);
}

#[test]
fn a_refused_call_uses_up_no_free_one() {
    let service = limited();
    for _ in 0..3 {
        service.ask("/claim-verdict", &without(signed("a"), "/claim")).names("claim", "missing");
        service.send(&Request::json("/claim-verdict", &signed("a")).header("X-PAYMENT", "!")).expect(400);
    }
    assert_eq!(claims(&service, "a", 4), [200, 200, 200, 402]);
}

#[test]
fn a_wrong_field_is_told_before_the_rate_limit() {
    let service = limited();
    claims(&service, "a", 10);
    service.ask("/claim-verdict", &signed("a")).problem(429);
    service.ask("/claim-verdict", &without(signed("a"), "/claim")).names("claim", "missing");
    service.post("/claim-verdict", "{").names("body", "malformed");
}

#[test]
fn each_route_has_a_rate_of_its_own() {
    let service = limited();
    claims(&service, "a", 11);
    service.ask("/composite", &json!({"agent": "a", "as_of": "x"})).names("as_of", "malformed");
    // Five a minute.
    let grade = || service.ask("/grade-strategy", &json!({"agent": "a", "trades": []}));
    assert_eq!(statuses((0..6).map(|_| grade())), [200, 200, 402, 402, 402, 429]);
}

#[test]
fn a_paid_route_shows_its_terms_whatever_the_body_holds_up_to_its_rate() {
    let service = limited();
    let nameless = ["", "{", "[]", "{}", "\u{0}", r#"{"agent":7}"#];
    for body in nameless {
        service.post("/dispute", body).problem(402);
    }
    // Six a minute: those were the address's, and an agent's are its own.
    service.post("/dispute", "{}").problem(429);
    let named = || service.ask("/dispute", &json!({"agent": "a"}));
    assert_eq!(statuses((0..7).map(|_| named())), [402, 402, 402, 402, 402, 402, 429]);
    service.ask("/dispute", &json!({"agent": "b"})).problem(402);
}

#[test]
fn an_address_has_ten_times_the_rate_however_many_names_it_makes_up() {
    let service = limited();
    let mut connection = service.connect();
    for number in 0..100 {
        let body = without(signed(&format!("made-up-{number}")), "/claim");
        connection.exchange(&Request::json("/claim-verdict", &body)).names("claim", "missing");
    }
    let answer = connection.exchange(&Request::json("/claim-verdict", &signed("the-101st")));
    answer.problem(429);
    assert!(answer.header("retry-after").is_some());
    // It comes before everything else, the size of the body too.
    connection.exchange(&Request::post("/claim-verdict", "{")).problem(429);
    service.post("/claim-verdict", "x".repeat(300 << 10)).problem(429);
    // Another route is another limit, and some have none.
    connection
        .exchange(&Request::json("/composite", &json!({"agent": "a", "as_of": "x"})))
        .names("as_of", "malformed");
    connection.exchange(&Request::get("/health")).expect(200);
}

#[test]
fn unsigned_routes_are_limited_by_address_and_health_discovery_and_the_log_are_not() {
    let service = limited();
    let mut connection = service.connect();
    let mut visit =
        |target: &str, count: usize| statuses((0..count).map(|_| connection.exchange(&Request::get(target))));
    let stats = visit("/stats", 61);
    assert_eq!((stats[..60].iter().all(|&status| status == 200), stats[60]), (true, 429));
    assert_eq!(visit("/catalog", 1), [200]);
    for target in ["/health", "/log/checkpoint", "/.well-known/jwks.json", "/.well-known/service.json"] {
        assert!(visit(target, 70).iter().all(|&status| status == 200), "{target}");
    }
    let unknown = format!("/verify?hash={}", "0".repeat(64));
    let verify = visit(&unknown, 601);
    assert_eq!((verify[..600].iter().all(|&status| status == 404), verify[600]), (true, 429));
}

#[test]
fn a_malformed_hash_is_told_whatever_the_rate_and_counts_towards_it() {
    let service = limited();
    let mut connection = service.connect();
    let mut visit = |target: &str| connection.exchange(&Request::get(target));
    let unknown = "0".repeat(64);
    for (route, field) in [("/verify?hash=", "hash"), ("/receipts/", "hash"), ("/r/", "hash")] {
        visit(&format!("{route}{unknown}")).problem(404);
        for _ in 1..600 {
            visit(&format!("{route}x")).names(field, "malformed");
        }
        visit(&format!("{route}{unknown}")).problem(429);
        visit(&format!("{route}x")).names(field, "malformed");
    }
}

#[test]
fn what_is_wrong_with_a_receipt_or_a_wish_is_told_whatever_the_rate_and_counts_towards_it() {
    let service = limited();
    let receipt = service.claim(&signed("a"));
    let mut connection = service.connect();
    let mut ask = |target: &str, body: &Value| connection.exchange(&Request::json(target, body));
    let wish = json!({"agent": "a", "reason": "to try"});
    for (route, right, wrong, field, rate) in [
        ("/verify", &receipt, without(receipt.clone(), "/kid"), "kid", 600),
        ("/request-trial", &wish, with(wish.clone(), "/reason", json!("x".repeat(5000))), "reason", 60),
    ] {
        for _ in 0..rate {
            ask(route, &wrong).problem(400);
        }
        ask(route, right).problem(429);
        assert_eq!(ask(route, &wrong).problem(400)["field"], field);
    }
}

fn forwarded(service: &Service, by: &str) -> u16 {
    service.send(&Request::get("/stats").header("X-Forwarded-For", by)).status
}

#[test]
fn a_forwarded_address_counts_only_from_a_configured_proxy() {
    let service = Launch::dev().start();
    for number in 0..60 {
        assert_eq!(forwarded(&service, &format!("198.51.100.{number}")), 200);
    }
    assert_eq!(forwarded(&service, "198.51.100.99"), 429, "nobody vouches for it");

    let behind = Launch::dev().set("PROXIES", "127.0.0.0/8, 10.0.0.0/8").start();
    for _ in 0..60 {
        assert_eq!(forwarded(&behind, "203.0.113.5, 198.51.100.1, 10.0.0.9"), 200);
    }
    assert_eq!(forwarded(&behind, "198.51.100.1"), 429);
    assert_eq!(forwarded(&behind, "198.51.100.1, 10.0.0.9"), 429, "through another proxy it is the same");
    assert_eq!(
        forwarded(&behind, "198.51.100.1, 198.51.100.2"),
        200,
        "what stands further left is anybody's word"
    );
    assert_eq!(forwarded(&behind, "2001:db8::1"), 200);
}

#[test]
fn a_proxy_that_writes_ports_speaks_for_each_client_by_itself() {
    let service = Launch::dev().set("PROXIES", "127.0.0.0/8").start();
    for port in 1000..1060 {
        assert_eq!(forwarded(&service, &format!("203.0.113.7:{port}")), 200);
    }
    assert_eq!(forwarded(&service, "203.0.113.7:9"), 429, "a client is the same from every port");
    assert_eq!(forwarded(&service, "203.0.113.7"), 429);
    for other in ["203.0.113.8:1000", "[2001:db8::1]:443", "[2001:db8:0:1::1]"] {
        assert_eq!(forwarded(&service, other), 200, "{other}");
    }
    for _ in 0..60 {
        assert_eq!(forwarded(&service, "\"203.0.113.9\""), 200);
    }
    assert_eq!(forwarded(&service, "unknown"), 429, "what is no address is the proxy, whatever it is");
}

#[test]
fn free_calls_are_the_agents_own_and_end_with_the_exact_terms() {
    let service = limited();
    assert_eq!(claims(&service, "a", 3), [200, 200, 200]);
    let problem = service.ask("/claim-verdict", &signed("a")).problem(402);
    assert_eq!(problem["error"], "payment_required");
    let [terms] = &problem["accepts"].as_array().unwrap()[..] else { panic!("{problem}") };
    let amount = (text(terms, "scheme"), text(terms, "network"), text(terms, "asset"), text(terms, "amount"));
    assert_eq!(amount, ("exact", "base", "USDC", "0.05"));
    assert_eq!(claims(&service, "b", 1), [200]);
}

#[test]
fn a_verdict_of_any_kind_uses_up_a_free_call() {
    let service = limited();
    let refuted = with(signed("a"), "/resolver/message", json!("x"));
    let unresolved = with(at("http://10.0.0.1/", "x", "y"), "/agent", json!("a"));
    for (body, verdict) in [(signed("a"), "CONFIRMED"), (refuted, "REFUTED"), (unresolved, "UNRESOLVED")] {
        assert_eq!(service.claim(&body)["verdict"], verdict);
    }
    assert_eq!(claims(&service, "a", 1), [402]);
}

#[test]
fn concurrent_calls_never_get_more_than_the_free_ones() {
    let service = limited();
    let all: Vec<u16> = thread::scope(|scope| {
        let calls: Vec<_> = (0..8).map(|_| scope.spawn(|| claims(&service, "a", 1)[0])).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let count = |status| all.iter().filter(|&&other| other == status).count();
    assert_eq!((count(200), count(402)), (3, 5), "{all:?}");
}

#[test]
fn free_calls_that_were_used_stay_used_after_a_restart() {
    well_before_midnight();
    let launch = || Launch::dev().set("BASE_URL", "http://localhost:8402");
    let first = launch();
    let data = first.data().clone();
    let service = first.start();
    assert_eq!(claims(&service, "a", 2), [200, 200]);
    service.stop();
    let service = launch().on(&data).start();
    assert_eq!(claims(&service, "a", 2), [200, 402]);
    drop(service);
    // The same after an end that nobody could prepare for.
    let service = launch().on(&data).start();
    assert_eq!(claims(&service, "a", 1), [402]);
    assert_eq!(claims(&service, "b", 4), [200, 200, 200, 402]);
}

/// A claim about a document that does not come before the gate opens.
fn slow(agent: &str, peer: &Peer) -> Value {
    with(at(&peer.url("/"), "status", "ok"), "/agent", json!(agent))
}

#[test]
fn a_call_that_fails_on_our_side_uses_up_nothing() {
    let service = limited();
    let peer = Peer::http(|_| {
        let body = b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}";
        vec![Step::Gate, Step::Send(body.to_vec())]
    });
    thread::scope(|scope| {
        // All of the host's places.
        let (service, peer) = (&service, &peer);
        let held: Vec<_> = (0..4)
            .map(|number| scope.spawn(move || service.claim(&slow(&format!("holder-{number}"), peer))))
            .collect();
        peer.wait_for(4);
        for _ in 0..2 {
            let answer = service.ask("/claim-verdict", &slow("a", peer));
            assert_eq!(text(&answer.problem(503), "module"), "claim");
            assert!(answer.header("retry-after").is_some());
        }
        peer.open_gate();
        for receipt in held {
            assert_eq!(receipt.join().unwrap()["verdict"], "CONFIRMED");
        }
    });
    assert_eq!(claims(&service, "a", 4), [200, 200, 200, 402]);
}

#[test]
fn limits_can_be_lifted_but_a_route_without_a_free_tier_still_costs() {
    let service = crate::support::service::dev();
    let answers: Vec<Answer> = (0..20).map(|_| service.ask("/claim-verdict", &signed("benchmark"))).collect();
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.header("ratelimit").is_none()));
    service.ask("/commit", &json!({"agent": "benchmark", "content": 1})).problem(402);
}

#[test]
fn what_was_settled_today_and_in_the_89_days_before_counts_for_the_bonus() {
    well_before_midnight();
    let launch = || Launch::dev().set("BASE_URL", BASE_URL);
    let service = launch().start();
    let data = Arc::clone(&service.data);
    service.stop();
    let today = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() / 86_400;
    let store = rusqlite::Connection::open(data.path().join("store.sqlite")).unwrap();
    for (agent, days_ago) in [("today", 0), ("oldest", 89), ("too-old", 90)] {
        let insert = "INSERT INTO settled (agent, day, amount) VALUES (?, ?, 1000000)";
        store.execute(insert, rusqlite::params![agent, today - days_ago]).unwrap();
    }
    drop(store);
    let service = launch().on(&data).start();
    assert_eq!(claims(&service, "today", 5), [200, 200, 200, 200, 402]);
    assert_eq!(claims(&service, "oldest", 5), [200, 200, 200, 200, 402]);
    assert_eq!(claims(&service, "too-old", 4), [200, 200, 200, 402]);
    let shown = service.get("/agents/today").expect(200).json();
    assert_eq!((&shown["bonus"]["free_calls"], &shown["bonus"]["most"]), (&json!(1), &json!(10)));
    assert_eq!(free_tier(&shown, "claim-verdict"), (4, 1, 4, 0));
    assert_eq!(free_tier(&shown, "screen-entity"), (5, 0, 0, 5), "the bonus is of one route");
    assert!(!shown.to_string().contains("1000000"), "what was settled is told to nobody: {shown}");
}

/// A route's free calls, the bonus among them, those used and those left, as `/agents/{name}` shows them.
fn free_tier(shown: &Value, class: &str) -> (u64, u64, u64, u64) {
    let routes = shown["routes"].as_array().unwrap();
    let tier = &routes.iter().find(|route| route["class"] == class).unwrap()["free_tier"];
    let [per_day, bonus, used, left] =
        ["per_day", "bonus", "used", "left"].map(|name| tier[name].as_u64().unwrap());
    (per_day, bonus, used, left)
}

/// The parameters of a `Free-Tier` header: calls left, seconds until more.
fn free_left(answer: &Answer) -> (u32, u32) {
    let value = answer.header("free-tier").unwrap_or_else(|| panic!("{answer:?}"));
    let (left, reset) = value.split_once(';').unwrap();
    let number = |text: &str, name: &str| text.strip_prefix(name).unwrap().parse().unwrap();
    (number(left, "left="), number(reset, "reset="))
}

#[test]
fn every_answer_of_a_verdict_route_says_how_many_free_calls_are_left() {
    let service = limited();
    let left = |question: &Value| free_left(&service.ask("/claim-verdict", question)).0;
    let answers: Vec<u32> = (0..4).map(|_| left(&signed("counted"))).collect();
    assert_eq!(answers, [2, 1, 0, 0], "also a 402");
    let refused = without(signed("careful"), "/claim");
    assert_eq!([left(&refused), left(&signed("careful"))], [3, 2], "a refusal uses none up");
    let answer = service.ask("/claim-verdict", &signed("careful"));
    assert!((1..=86_400).contains(&free_left(&answer).1), "{answer:?}");
    let commit = service.ask("/commit", &json!({"agent": "counted", "content": 1}));
    assert_eq!(free_left(&commit.expect(402)).0, 0);
    let score = service.get("/trust-score?domain=example.com");
    assert_eq!(score.header("free-tier"), Some("unlimited"), "{score:?}");
    assert_eq!(service.get("/stats").header("free-tier"), None);
    let nameless = service.ask("/claim-verdict", &without(signed("x"), "/agent"));
    assert_eq!(nameless.header("free-tier"), None, "nobody's calls can be counted");
}

#[test]
fn what_is_left_of_a_name_is_shown_for_the_network_that_asks() {
    let service = limited();
    assert_eq!(claims(&service, "a name", 2), [200, 200]);
    let shown = service.get("/agents/%20a%20name").expect(200).json();
    assert_eq!((text(&shown, "agent"), text(&shown, "network")), ("a name", "127.0.0.1/32"));
    assert_eq!(free_tier(&shown, "claim-verdict"), (3, 0, 2, 1));
    assert_eq!(free_tier(&shown, "commit"), (0, 0, 0, 0));
    assert_eq!(shown["bonus"]["free_calls"], 0);
    let resets_at: jiff::Timestamp = text(&shown, "resets_at").parse().unwrap();
    assert_eq!(resets_at.as_second() % 86_400, 0);
    service.get("/agents/%00").names("name", "malformed");
    service.get(&format!("/agents/{}", "x".repeat(129))).names("name", "too_long");
    service.get("/agents/%FF").names("path", "malformed");
    let page = service.send(&Request::get("/agents/%3Cb%3E").header("Accept", "text/html"));
    let html = page.expect(200).text();
    assert!(html.contains("&#60;b&#62;") && !html.contains("<b>"), "{html}");
}
