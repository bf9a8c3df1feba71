//! The pages for people: they load what is served here and nothing else, and say what they are for without a script.

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::receipt::hash;
use crate::support::service::{Service, dev, production};

/// Maximum size of a page with all that it loads, in bytes.
const MAX_BYTES: usize = 150_000;

fn page(service: &Service, target: &str) -> Answer {
    let answer = service.send(&Request::get(target).header("Accept", "text/html")).expect(200);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{target}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"),
        "{policy}"
    );
    answer
}

/// The targets of an attribute in a page.
fn targets<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let begin = format!("{attribute}=\"");
    html.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn each_page_loads_and_leads_to_what_is_there_and_is_small() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let of_receipt = format!("/r/{}", hash(&receipt));
    let mut known = vec!["/".to_owned(), "/verify".to_owned(), "/docs".to_owned(), of_receipt];
    let mut at = 0;
    while let Some(target) = known.get(at).cloned() {
        at += 1;
        let html = page(&service, &target).text();
        assert!(html.contains("<main id=\"main\">") && html.contains("<html lang=\"en\">"), "{target}");
        let mut bytes = html.len();
        let mut loaded = targets(&html, "src");
        loaded.extend(targets(&html, "href").into_iter().filter(|href| href.starts_with("/assets/")));
        for asset in loaded {
            assert!(asset.starts_with("/assets/"), "{target} loads {asset}");
            bytes += service.get(asset).expect(200).body.len();
        }
        assert!(bytes <= MAX_BYTES, "{target}: {bytes}");
        for href in targets(&html, "href").into_iter().filter(|href| href.starts_with('/')) {
            let href = href.split('#').next().unwrap();
            let answer = service.send(&Request::get(href).header("Accept", "text/html")).expect(200);
            let is_page = answer.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
            if is_page && !known.iter().any(|known| known == href) {
                known.push(href.to_owned());
            }
        }
    }
    for expected in ["/try", "/pricing", "/status", "/docs/errors", "/docs/verifying", "/docs/trust-score"] {
        assert!(known.iter().any(|known| known == expected), "{expected} is linked by no page: {known:?}");
    }
}

#[test]
fn each_module_of_a_script_is_served_and_has_its_tag() {
    let service = dev();
    let scripts =
        ["verify", "steps", "receipt", "check", "home", "try", "answer", "examples", "payment", "wallets"];
    let vendored = ["noble-secp256k1/index", "noble-hashes/sha3", "noble-hashes/_u64", "noble-hashes/utils"];
    let names = scripts.map(|name| format!("{name}.js")).into_iter();
    let names = names.chain(vendored.map(|name| format!("vendor/{name}.js")));
    for name in names.chain(["icon.svg", "style.css"].map(str::to_owned)) {
        let target = format!("/assets/{name}");
        let answer = service.get(&target).expect(200);
        let tag = answer.header("etag").unwrap().to_owned();
        let again = service.send(&Request::get(&target).header("If-None-Match", &tag));
        assert_eq!((again.status, again.body.len()), (304, 0));
        let folder = target.rsplit_once('/').map_or("", |(folder, _)| folder);
        for written in ["from \"./", "import(\"./"] {
            for import in answer.text().split(written).skip(1).filter_map(|rest| rest.split('"').next()) {
                service.get(&format!("{folder}/{import}")).expect(200);
            }
        }
        assert!(!answer.text().contains("innerHTML") && !answer.text().contains("eval("), "{name}");
    }
    service.get("/assets/nothing.js").problem(404);
    service.get("/docs/nothing").problem(404);
    service.get("/docs/..%2fREADME").problem(404);
}

#[test]
fn the_console_describes_each_route_and_holds_a_key_in_development_alone() {
    let (dev, production) = (dev(), production());
    let (shown, served) = (page(&dev, "/try").text(), page(&production, "/try").text());
    for route in
        ["claim-verdict", "commit", "dispute", "grade-strategy", "screen-batch", "trust-score", "watch"]
    {
        assert!(shown.contains(&format!("<details id=\"{route}\"")), "{route}");
        assert!(shown.contains(&format!("/{route} -H 'content-type")), "{route}");
    }
    assert!(shown.contains("data-dev-key=\"") && !served.contains("data-dev-key"), "{served}");
    assert!(served.contains("<details id=\"claim-verdict\""));
}

#[test]
fn a_browser_gets_the_page_of_verify_and_a_program_is_told_what_is_missing() {
    let service = dev();
    let shown = page(&service, "/verify");
    assert!(shown.text().contains("Is this receipt genuine?"));
    let varies = shown.headers.iter().filter(|(name, _)| name == "vary").map(|(_, by)| by.as_str());
    assert_eq!(varies.collect::<Vec<_>>(), ["accept", "accept-encoding"]);
    service.get("/verify").names("hash", "missing");
    service.send(&Request::get("/verify?hash=0").header("Accept", "text/html")).names("hash", "malformed");
}

#[test]
fn each_problem_leads_to_its_explanation() {
    let service = production();
    let guide = page(&service, "/docs/errors").text();
    for target in ["/nothing", "/receipts/0"] {
        let problem = service.get(target).json();
        let (path, anchor) = problem["doc_url"].as_str().unwrap().split_once('#').unwrap();
        assert_eq!(path, "/docs/errors");
        assert!(guide.contains(&format!("id=\"{anchor}\"")), "{anchor}");
        assert!(problem["code"].is_string(), "{problem}");
    }
}

#[test]
fn an_answer_names_the_page_of_its_receipt() {
    let service = dev();
    let answer = service.ask("/claim-verdict", &signed("a")).expect(200);
    let link = format!("</r/{}>; rel=\"alternate\"; type=\"text/html\"", hash(&answer.json()));
    let has_link =
        |answer: &Answer| answer.headers.iter().any(|(name, value)| name == "link" && *value == link);
    assert!(has_link(&answer), "{answer:?}");
    let stored = service.get(&format!("/receipts/{}", hash(&answer.json()))).expect(200);
    assert!(has_link(&stored), "{stored:?}");
}
