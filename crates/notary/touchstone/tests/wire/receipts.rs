//! Receipts: every member, every byte, and the forms in which they can be had.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::KEY_RECORDS;
use crate::support::claims::{at, signed, with};
use crate::support::http::Request;
use crate::support::log::sha256;
use crate::support::notary::Notary;
use crate::support::receipt::{canonical, hash, logged, payload, signing_input, text, verify};
use crate::support::service::{BASE_URL, Launch, dev, production};

#[test]
fn a_name_that_turns_the_writing_changes_nothing_beside_it_on_the_page() {
    let service = dev();
    let turned = "scout\u{202e}7\u{2067}x";
    let pages = [
        ("/claim-verdict", with(signed(turned), "/claim", json!(turned))),
        ("/screen-entity", json!({"agent": turned, "entity": turned})),
        (
            "/agent-clearance",
            json!({"agent": turned, "counterparty_name": turned, "wallet": "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "chain": "ethereum"}),
        ),
    ];
    for (route, question) in pages {
        let receipt = service.ask(route, &question).expect(200).json();
        let page = service.get(&format!("/r/{}", hash(&receipt))).expect(200).text();
        assert!(page.contains(&format!("calls itself <bdi>{turned}</bdi>")), "{route}: {page}");
        assert!(page.contains("scout\\u202e7\\u2067x"), "as JSON it is escaped: {page}");
        // All that is left stands apart.
        let mut rest = page.as_str();
        while let Some((before, isolated)) = rest.split_once("<bdi>") {
            assert!(!before.contains(['\u{202e}', '\u{2067}']), "{route}: {before}");
            rest = isolated.split_once("</bdi>").unwrap().1;
        }
        assert!(!rest.contains(['\u{202e}', '\u{2067}']), "{route}: {rest}");
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// ISO 8601 UTC with milliseconds.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00.000Z"
}

#[test]
fn a_receipt_has_every_member_in_its_form() {
    let service = dev();
    let body = signed("  scout-7 ");
    let receipt = service.claim(&body);
    let mut members: Vec<&str> = receipt.as_object().unwrap().keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(
        members,
        [
            "agent",
            "claim",
            "class",
            "evidence",
            "explanation",
            "iss",
            "kid",
            "log_head",
            "method",
            "proof",
            "receipt_hash",
            "request_hash",
            "resolver",
            "resolver_confidence",
            "salt",
            "scope",
            "signature",
            "signed_at",
            "v",
            "verdict",
        ]
    );
    let notary = Notary::of(&service);
    assert_eq!(receipt["v"], 1);
    assert_eq!(text(&receipt, "class"), "claim-verdict");
    let port = service.address.port();
    assert_eq!(text(&receipt, "iss"), format!("http://localhost:{port}"));
    let thumbprint = {
        let x = URL_SAFE_NO_PAD.encode(notary.key.as_bytes());
        URL_SAFE_NO_PAD.encode(sha256(format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#).as_bytes()))
    };
    assert_eq!(text(&receipt, "kid"), format!("did:web:localhost%3A{port}#{thumbprint}"));
    assert_eq!(text(&receipt, "agent"), "scout-7");
    assert_eq!(
        text(&receipt, "request_hash"),
        hex::encode(sha256(&canonical(&body))),
        "as sent, not as trimmed"
    );
    assert!(is_hex(text(&receipt, "salt"), 32));
    assert!(is_hex(text(&receipt["log_head"], "root"), 64) && receipt["log_head"]["size"].is_u64());
    assert_eq!(receipt["log_head"].as_object().unwrap().len(), 2);
    assert!(is_time(text(&receipt, "signed_at")));
    assert!(is_hex(hash(&receipt), 64));
    assert_eq!(URL_SAFE_NO_PAD.decode(text(&receipt, "signature")).unwrap().len(), 64);
    assert_eq!(receipt["resolver_confidence"], 1);
    assert!(receipt["evidence"].is_object() && !text(&receipt, "scope").is_empty());
}

#[test]
fn hash_signature_and_inclusion_hold_by_other_code_than_ours() {
    let service = dev();
    let notary = Notary::of(&service);
    let odd = with(signed("日本 🦊 \u{7f}"), "/agent", json!("日本 🦊"));
    let odd = with(odd, "/claim", json!("\u{0}\u{1f}\"\\/\u{2028}é\u{10ffff} <b>"));
    for body in
        [signed("a"), odd, at("http://10.0.0.1/\u{e9}?q=\"", "a", "b"), at("http://127.0.0.1:1/", "a", "b")]
    {
        verify(&service.claim(&body), &notary);
    }
    let service = production();
    verify(&service.claim(&signed("a")), &Notary::of(&service));
}

#[test]
fn the_answer_is_json_that_no_cache_keeps() {
    let answer = dev().ask("/claim-verdict", &signed("a")).expect(200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn every_scope_says_so_in_development_and_none_in_production() {
    let says = |receipt: &Value| text(receipt, "scope").starts_with("Development notary:");
    assert!(says(&dev().claim(&signed("a"))));
    assert!(!says(&production().claim(&signed("a"))));
}

#[test]
fn a_receipt_names_the_base_address_in_its_one_spelling_and_escapes_its_port() {
    let receipt = production().claim(&signed("a"));
    assert_eq!(text(&receipt, "iss"), BASE_URL);
    assert!(text(&receipt, "kid").starts_with("did:web:notary.example#"));
    for (address, iss, did) in [
        ("https://Notary.Example:8443/", "https://notary.example:8443", "did:web:notary.example%3A8443"),
        ("HTTPS://Notary.Example:443", "https://notary.example", "did:web:notary.example"),
    ] {
        let service = Launch::serve().set("BASE_URL", address).start();
        let receipt = service.claim(&signed("a"));
        assert_eq!(text(&receipt, "iss"), iss);
        assert!(text(&receipt, "kid").starts_with(&format!("{did}#")), "{receipt}");
        verify(&receipt, &Notary::of(&service));
    }
}

#[test]
fn the_same_question_twice_is_two_receipts_under_one_request_hash() {
    let service = dev();
    let (first, second) = (service.claim(&signed("a")), service.claim(&signed("a")));
    assert_eq!(first["request_hash"], second["request_hash"]);
    for member in ["salt", "receipt_hash", "signature"] {
        assert_ne!(first[member], second[member], "{member}");
    }
    // Order and spelling of the body do not matter, what it says does.
    let spelled = signed("a").to_string().replace("\"agent\":\"a\"", "\"agent\" : \"\\u0061\"");
    let spelled = service.post("/claim-verdict", spelled).expect(200).json();
    assert_eq!(spelled["request_hash"], first["request_hash"]);
}

#[test]
fn receipts_follow_each_other_in_time_and_in_the_log() {
    let service = Launch::dev().without_limits().start();
    let notary = Notary::of(&service);
    let (mut newest, mut heads) = (String::new(), Vec::new());
    for number in KEY_RECORDS..KEY_RECORDS + 20 {
        let receipt = service.claim(&signed(&format!("a{number}")));
        let at = verify(&receipt, &notary);
        assert_eq!((at.index, at.checkpoint.size), (number, number + 1), "in the very response");
        assert_eq!(receipt["log_head"]["size"], number, "the newest durable head");
        if let Some(root) = heads.last() {
            assert_eq!(&receipt["log_head"]["root"], root);
        }
        heads.push(json!(hex::encode(at.checkpoint.root)));
        assert!(text(&receipt, "signed_at") >= &*newest, "not before the newest");
        newest = text(&receipt, "signed_at").to_owned();
    }
}

#[test]
fn discovery_publishes_the_key_that_signs_and_no_private_part() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let notary = Notary::of(&service);
    let jwk = &notary.jwks["keys"][0];
    assert_eq!(
        (text(jwk, "kty"), text(jwk, "crv"), text(jwk, "alg"), text(jwk, "use")),
        ("OKP", "Ed25519", "EdDSA", "sig")
    );
    assert_eq!((jwk["kid"].clone(), jwk.get("d")), (receipt["kid"].clone(), None));
    let did = service.get("/.well-known/did.json").expect(200).json();
    assert_eq!(text(&did, "id"), text(&receipt, "kid").split('#').next().unwrap());
    let method = &did["verificationMethod"][0];
    assert_eq!((text(method, "id"), &method["publicKeyJwk"]["x"]), (text(&receipt, "kid"), &jwk["x"]));
    assert_eq!(method["publicKeyJwk"].get("d"), None);
    assert_eq!(did["assertionMethod"][0], receipt["kid"]);
    assert_eq!(did["assertionMethod"].as_array().unwrap().len(), 2, "as a JWK, and as a Multikey");
    assert!(notary.vkey.starts_with(&format!("localhost:{}/log+", service.address.port())));
}

#[test]
fn a_receipt_can_be_had_again_by_its_hash() {
    let service = dev();
    let notary = Notary::of(&service);
    let receipt = service.claim(&signed("a"));
    service.claim(&signed("b"));
    let answer = service.get(&format!("/receipts/{}", hash(&receipt))).expect(200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let again = answer.json();
    assert_eq!(payload(&again), payload(&receipt));
    assert_eq!((&again["signature"], hash(&again)), (&receipt["signature"], hash(&receipt)));
    let (then, now) = (verify(&receipt, &notary), verify(&again, &notary));
    assert_eq!(now.index, then.index);
    assert!(now.checkpoint.size > then.checkpoint.size, "with the newest proof");
}

#[test]
fn a_receipt_can_be_had_as_a_compact_jws() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let answer = service.get(&format!("/receipts/{}.jws", hash(&receipt))).expect(200);
    assert_eq!(answer.header("content-type"), Some("application/jose"));
    assert_eq!(
        answer.text().trim_end(),
        format!("{}.{}", signing_input(&receipt), text(&receipt, "signature"))
    );
}

#[test]
fn a_receipts_newest_proof_can_be_had_by_itself() {
    let service = dev();
    let notary = Notary::of(&service);
    let receipt = service.claim(&signed("a"));
    service.claim(&signed("b"));
    let answer = service.get(&format!("/receipts/{}.tlog-proof", hash(&receipt))).expect(200);
    assert!(answer.header("content-type").unwrap().starts_with("text/plain"));
    let (then, now) = (verify(&receipt, &notary), logged(&receipt, &answer.text(), &notary));
    assert_eq!(now.index, then.index);
    assert!(now.checkpoint.size > then.checkpoint.size);
}

#[test]
fn an_unknown_hash_is_404_and_a_malformed_one_400() {
    let service = dev();
    let unknown = "0123456789abcdef".repeat(4);
    for target in [
        "/receipts/{}",
        "/receipts/{}.jws",
        "/receipts/{}.tlog-proof",
        "/receipts/{}.svg",
        "/receipts/{}.cose",
        "/receipts/{}.vc",
        "/receipts/{}.erc8004",
        "/r/{}",
    ] {
        service.get(&target.replace("{}", &unknown)).problem(404);
        for bad in [
            "x",
            &unknown[1..],
            &format!("{unknown}0"),
            &unknown.to_uppercase(),
            &unknown.replace('0', "g"),
            "%20",
            "..",
            "%2e%2e%2fkeys",
        ] {
            let answer = service.get(&target.replace("{}", bad));
            match bad {
                // A dot in a receipt's name begins a form, and there are three.
                ".." => assert!([400, 404].contains(&answer.status)),
                "%2e%2e%2fkeys" if target.starts_with("/receipts") => {
                    assert!([400, 404].contains(&answer.status))
                }
                // A page is found by a hash in capitals, too.
                _ if target.starts_with("/r/") && bad.eq_ignore_ascii_case(&unknown) => {
                    answer.problem(404);
                }
                _ => answer.names("hash", "malformed"),
            }
        }
    }
    service.get(&format!("/receipts/{unknown}.pdf")).problem(404);
}

#[test]
fn a_browser_is_told_on_a_page_that_there_is_no_receipt() {
    let service = dev();
    let unknown = "00".repeat(32);
    for (target, status) in [(&*unknown, 404), ("%3Cscript%3E", 400), ("0", 400)] {
        let target = format!("/r/{target}");
        let accepting = |ranges: &str| service.send(&Request::get(&target).header("Accept", ranges));
        let page = accepting("text/html,application/xhtml+xml;q=0.9,*/*;q=0.8").expect(status);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
        assert!(page.text().contains("No receipt") && !page.text().contains("<script"), "{}", page.text());
        for ranges in ["*/*", "application/json", ""] {
            accepting(ranges).problem(status);
        }
    }
}

#[test]
fn the_page_of_a_receipt_has_no_script_of_others_and_escapes_what_callers_wrote() {
    let service = dev();
    let attack = r#"</pre><script>alert(1)</script><img src=x onerror="alert(1)">&'"#;
    let receipt =
        service.claim(&with(with(signed("a"), "/claim", json!(attack)), "/agent", json!("<b>agent</b>")));
    let answer = service.get(&format!("/r/{}", hash(&receipt))).expect(200);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    let page = answer.text();
    for part in ["<script>", "<img", "onerror=\"", "<b>agent", "javascript:"] {
        assert!(!page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains(r#"<script type="module" src="/assets/receipt.js"></script>"#));
    // The caller's words stand apart from what was checked, and the name is called a name.
    let (judged, said) = page.split_once("The caller's words: nobody checked them").unwrap();
    assert!(judged.contains("is valid under the given key") && !judged.contains("alert"), "{page}");
    assert!(said.contains("alert(1)"));
    assert!(judged.contains("someone who\ncalls itself <bdi>"), "{page}");
    assert!(page.contains("<h2>Genuine: <span class=\"ok\">yes</span></h2>"), "{page}");
    for part in ["CONFIRMED", hash(&receipt), text(&receipt, "signed_at"), "Development notary"] {
        assert!(page.contains(part), "{part}");
    }
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    for (target, part) in [("", hash(&receipt)), (".jws", "."), (".tlog-proof", "c2sp.org/tlog-proof@v1")] {
        assert!(page.contains(&format!("/receipts/{}{target}", hash(&receipt))));
        assert!(
            service
                .send(&Request::get(&format!("/receipts/{}{target}", hash(&receipt))))
                .text()
                .contains(part)
        );
    }
}

#[test]
fn the_log_tells_nobody_the_hash_by_which_a_receipt_is_looked_up() {
    let service = dev();
    let receipt = service.claim(&signed("a"));
    let index = verify(&receipt, &Notary::of(&service)).index;
    let checkpoint = service.get("/log/checkpoint").text();
    let size: u64 = checkpoint.lines().nth(1).unwrap().parse().unwrap();
    let (bundle, width) = (index / 256, (size - index / 256 * 256).min(256));
    let partial = if width == 256 { String::new() } else { format!(".p/{width}") };
    let entries = service.get(&format!("/log/tile/entries/{bundle:03}{partial}")).expect(200);
    let entries = String::from_utf8_lossy(&entries.body).into_owned();
    assert!(entries.contains(text(&receipt, "signed_at")));
    assert!(!entries.contains(hash(&receipt)) && !entries.contains(text(&receipt, "salt")));
}
