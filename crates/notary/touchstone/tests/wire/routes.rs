//! Routes, methods and the headers that every answer has.

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::service::{Service, dev, production};

/// The verdict routes of the interface, and whether they take GET.
const VERDICT_ROUTES: &[(&str, bool)] = &[
    ("claim-verdict", false),
    ("commit", false),
    ("dispute", false),
    ("grade-strategy", false),
    ("screen-entity", false),
    ("screen-batch", false),
    ("agent-clearance", false),
    ("trust-score", true),
    ("screen-wallet", false),
    ("watch", false),
    ("scan-url", false),
    ("scan-text", false),
    ("copy-trade-score", false),
    ("distress-score", false),
    ("composite", false),
    ("federal-register", true),
    ("awards", true),
];

const GET_ROUTES: &[&str] = &[
    "/health",
    "/stats",
    "/catalog",
    "/.well-known/x402.json",
    "/.well-known/agent-card.json",
    "/.well-known/service.json",
    "/.well-known/jwks.json",
    "/.well-known/did.json",
    "/log/checkpoint",
];

/// The methods that an `Allow` header lists, sorted.
fn allowed(answer: &Answer) -> Vec<String> {
    let list = answer.header("allow").unwrap_or_else(|| panic!("no Allow: {answer:?}"));
    let mut methods: Vec<String> = list.split(',').map(|method| method.trim().to_owned()).collect();
    methods.sort();
    methods
}

fn send(service: &Service, method: &str, target: &str) -> Answer {
    let mut connection = service.connect();
    connection.send(&Request::new(method, target).bytes()).unwrap();
    connection.answer(method).unwrap()
}

#[test]
fn a_method_that_a_route_does_not_have_is_405_with_allow_and_a_problem() {
    let service = dev();
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"] {
        for (class, takes_get) in VERDICT_ROUTES {
            let answer = send(&service, method, &format!("/{class}"));
            let problem = answer.problem(405);
            let expected: &[&str] = if *takes_get { &["GET", "HEAD", "POST"] } else { &["POST"] };
            assert_eq!(allowed(&answer), expected, "{method} {class}");
            let detail = problem["detail"].as_str().unwrap();
            assert!(expected.iter().all(|method| detail.contains(method)), "{problem}");
        }
        let answer = send(&service, method, "/verify");
        assert_eq!(answer.problem(405)["detail"], "the route takes GET, HEAD, POST");
        assert_eq!(allowed(&answer), ["GET", "HEAD", "POST"]);
        for target in GET_ROUTES {
            let answer = send(&service, method, target);
            assert_eq!(answer.problem(405)["detail"], "the route takes GET, HEAD", "{target}");
            assert_eq!(allowed(&answer), ["GET", "HEAD"], "{method} {target}");
        }
    }
    for (class, takes_get) in VERDICT_ROUTES {
        if !takes_get {
            send(&service, "GET", &format!("/{class}")).problem(405);
            assert_eq!(send(&service, "HEAD", &format!("/{class}")).status, 405);
        }
    }
    send(&service, "GET", "/request-trial").problem(405);
    send(&service, "POST", "/health").problem(405);
}

#[test]
fn a_path_that_is_nearly_a_route_is_told_which() {
    let service = dev();
    let told = |target| send(&service, "POST", target).problem(404)["detail"].as_str().unwrap().to_owned();
    for (target, path) in [
        ("/claim-verdict/", "/claim-verdict"),
        ("/Claim-Verdict", "/claim-verdict"),
        ("/claim_verdict", "/claim-verdict"),
        ("//claim-verdict", "/claim-verdict"),
        ("/verify/", "/verify"),
        ("/v1/commit", "/commit"),
        ("/comit", "/commit"),
        ("/claim", "/claim-verdict"),
        ("/receipts", "/receipts/{hash}"),
    ] {
        assert!(told(target).ends_with(&format!("did you mean {path}?")), "{target}");
    }
    let screens = "did you mean one of /screen-entity, /screen-batch, /screen-wallet?";
    assert!(told("/screen").ends_with(screens), "{}", told("/screen"));
    for target in ["/nothing", "/-", "/%ff", "/x", &format!("/{}", "commit".repeat(9))] {
        assert!(told(target).ends_with("see /catalog"), "{target}");
    }
}

#[test]
fn unknown_routes_are_404_with_a_problem() {
    let service = dev();
    for target in [
        "/nothing",
        "/claim-verdict/",
        "/claim-verdict/x",
        "//claim-verdict",
        "/Claim-Verdict",
        "/claim%2Dverdict2",
        "/receipts",
        "/receipts/",
        "/r/",
        "/log/",
        "/log/tile/0/1",
        "/log/tile/0/000.p/0",
        "/log/tile/9999/000",
        "/log/../health",
        "/.well-known/",
        "/.well-known/nothing.json",
        "/.env",
        "/%00",
        "/%ff%fe",
        "/admin",
        "/metrics",
    ] {
        for method in ["GET", "POST"] {
            let answer = send(&service, method, target);
            assert!([404, 405].contains(&answer.status), "{method} {target}: {answer:?}");
            answer.problem(answer.status);
        }
        send(&service, "GET", target).problem(404);
    }
}

#[test]
fn a_path_parameter_that_is_not_utf_8_is_a_problem_too() {
    let service = dev();
    for target in ["/receipts/%ff", "/r/%ff", "/receipts/%c0%af.jws"] {
        assert_eq!(service.get(target).problem(400)["reason"], "malformed", "{target}");
    }
    for target in ["/log/%ff", "/log/tile/0/%ff"] {
        let answer = service.get(target);
        assert!([400, 404].contains(&answer.status), "{answer:?}");
        answer.problem(answer.status);
    }
}

fn is_available(service: &Service, class: &str) -> bool {
    let catalog = service.get("/catalog").expect(200).json();
    let routes = catalog["routes"].as_array().unwrap();
    routes.iter().find(|route| route["class"] == class).unwrap()["available"].as_bool().unwrap()
}

#[test]
fn each_route_is_there_and_none_says_that_it_is_not_built() {
    let service = dev();
    for (class, _) in VERDICT_ROUTES {
        assert!(is_available(&service, class), "{class}");
    }
}

#[test]
fn a_name_given_twice_in_a_query_is_a_400_that_names_it() {
    let service = dev();
    service.get("/trust-score?domain=example.com&domain=example.org").names("domain", "duplicate_key");
    service.get("/awards?agent=a&agent=a").names("agent", "duplicate_key");
    service.get("/federal-register?agent=a&%61gent=b").names("agent", "duplicate_key");
    let hash = "0".repeat(64);
    service.get(&format!("/verify?hash={hash}&hash={hash}")).names("hash", "duplicate_key");
}

#[test]
fn every_answer_has_a_request_id_of_its_own() {
    let service = dev();
    let mut connection = service.connect();
    let mut ids: Vec<String> = Vec::new();
    for request in [
        Request::get("/health"),
        Request::get("/nothing"),
        Request::new("PUT", "/health"),
        Request::json("/claim-verdict", &signed("a")),
        Request::post("/claim-verdict", "{"),
        Request::get("/log/checkpoint"),
        Request::get("/.well-known/jwks.json").header("X-Request-Id", "mine"),
    ] {
        ids.push(connection.exchange(&request).header("x-request-id").unwrap().to_owned());
    }
    assert!(ids.iter().all(|id| id.len() >= 16 && id != "mine"), "{ids:?}");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 7);
}

/// The names in a header that lists some.
fn names(answer: &Answer, header: &str) -> Vec<String> {
    let list = answer.header(header).unwrap_or_else(|| panic!("no {header}: {answer:?}"));
    list.split(',').map(|name| name.trim().to_ascii_lowercase()).collect()
}

#[test]
fn any_origin_may_call_and_read_the_limits_and_payment_headers() {
    let service = dev();
    let from = |request: Request| service.send(&request.header("Origin", "https://agent.example"));
    for answer in [
        from(Request::json("/claim-verdict", &signed("a"))).expect(200),
        from(Request::post("/claim-verdict", "{")).expect(400),
        from(Request::post("/commit", "{}")).expect(402),
        from(Request::get("/nothing")).expect(404),
        from(Request::get("/health")).expect(200),
    ] {
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let exposed = names(&answer, "access-control-expose-headers");
        for name in [
            "payment-required",
            "payment-response",
            "x-payment-response",
            "ratelimit",
            "ratelimit-policy",
            "retry-after",
            "x-request-id",
        ] {
            assert!(exposed.contains(&name.to_owned()), "{name} in {exposed:?}");
        }
    }
}

#[test]
fn a_preflight_allows_the_methods_and_the_payment_headers() {
    let service = dev();
    for (class, _) in VERDICT_ROUTES {
        let request = Request::new("OPTIONS", &format!("/{class}"))
            .header("Origin", "https://agent.example")
            .header("Access-Control-Request-Method", "POST")
            .header(
                "Access-Control-Request-Headers",
                "content-type,x-payment,payment-signature,x-accept-payment",
            );
        let answer = service.send(&request);
        assert!([200, 204].contains(&answer.status), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        let methods = names(&answer, "access-control-allow-methods");
        assert!(methods.contains(&"post".to_owned()) && methods.contains(&"get".to_owned()), "{methods:?}");
        let headers = names(&answer, "access-control-allow-headers");
        for name in ["content-type", "x-payment", "payment-signature", "x-accept-payment"] {
            assert!(headers.contains(&name.to_owned()), "{name} in {headers:?}");
        }
        assert!(answer.header("access-control-max-age").is_some());
    }
}

#[test]
fn no_method_is_allowed_of_what_is_not_there() {
    let service = dev();
    let bare = Request::new("OPTIONS", "/nothing").header("Origin", "https://agent.example");
    let preflight = bare.clone().header("Access-Control-Request-Method", "POST");
    for request in [bare, preflight] {
        let answer = service.send(&request);
        answer.problem(404);
        assert_eq!(answer.header("access-control-allow-methods"), None);
    }
}

#[test]
fn head_answers_as_get_does_without_a_body() {
    let service = dev();
    let mut targets: Vec<String> = GET_ROUTES.iter().map(ToString::to_string).collect();
    targets.extend([
        "/nothing".to_owned(),
        "/receipts/xyz".to_owned(),
        format!("/verify?hash={}", "0".repeat(64)),
    ]);
    targets.extend(["/trust-score?domain=example.com".to_owned(), "/awards?agent=a&agent=b".to_owned()]);
    for target in targets {
        let get = service.get(&target);
        let mut connection = service.connect();
        let head = connection.exchange(&Request::new("HEAD", &target));
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{target}");
        // Had a body followed, the next answer would not be one.
        connection.exchange(&Request::get("/health")).expect(200);
    }
}

#[test]
fn no_answer_tells_what_it_runs_on() {
    let service = production();
    for answer in [
        service.get("/health"),
        service.get("/nothing"),
        service.post("/claim-verdict", "{"),
        service.get("/receipts/x"),
    ] {
        assert_eq!((answer.header("server"), answer.header("x-powered-by")), (None, None));
        let text = answer.text();
        for word in ["/src/", ".rs", "panicked", "sqlite", "axum", "hyper"] {
            assert!(!text.to_ascii_lowercase().contains(word), "{word} in {text}");
        }
    }
}

#[test]
fn the_catalog_has_the_bounds_of_the_modules_too() {
    let service = dev();
    let bounds = service.get("/catalog").expect(200).json()["bounds"].clone();
    assert_eq!(bounds["sanctions"], sanctions::bounds());
    assert_eq!(bounds["sanctions"]["batch_entities"], 1_000);
}
