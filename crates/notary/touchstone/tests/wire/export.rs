//! `GET /export`: the archive of an agent's receipts, for the wallet that the operator has granted it to.

use std::fs;
use std::path::Path;

use payment::Wallet;
use peers::postgres::Server;
use receipt::Timestamp;
use serde_json::{Value, json};

use crate::support::claims::signed;
use crate::support::http::{Answer, Request};
use crate::support::notary::Notary;
use crate::support::service::{Launch, Service, run, touchstone};

struct Exporting {
    service: Service,
    notary: Notary,
    wallet: Wallet,
    /// The address of the database, where there is one.
    store: Option<String>,
}

fn exporting(launch: Launch) -> Exporting {
    let service = launch.start();
    let notary = Notary::of(&service);
    Exporting { service, notary, wallet: Wallet::from_bytes([7; 32]).unwrap(), store: None }
}

impl Exporting {
    fn grant(&self, arguments: &[&str]) -> Option<i32> {
        let mut command = self.service.command([&["grant"], arguments].concat());
        command.envs(self.store.iter().map(|store| ("TOUCHSTONE_STORE", store)));
        run(command, b"").status.code()
    }

    fn enterprise(&self, agent: &str) {
        let wallet = self.wallet.address().to_string();
        assert_eq!(self.grant(&[agent, "--plan", "enterprise", "--wallet", &wallet, "--renews"]), Some(0));
    }

    fn asked_at(&self, question: &str, at: Timestamp, wallet: &Wallet) -> Answer {
        let target = format!("/export?{question}&time={at}");
        let signature = wallet.sign_text(&format!("GET {}{target}", self.notary.iss));
        self.service.send(&Request::get(&target).header("X-Wallet-Signature", &signature.to_string()))
    }

    fn asked(&self, question: &str) -> Answer {
        self.asked_at(question, now(), &self.wallet)
    }

    /// The archive that was fetched, as `touchstone verify` holds it with the published keys.
    fn verified(&self, archive: &[u8]) -> Value {
        let (file, jwks) = (self.service.path("fetched.tar"), self.service.path("published.jwks"));
        fs::write(&file, archive).unwrap();
        fs::write(&jwks, self.notary.jwks.to_string()).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let output = run(
            touchstone([
                "verify",
                "--json",
                &text(&file),
                "--keys",
                &text(&jwks),
                "--log-key",
                &self.notary.vkey,
            ]),
            b"",
        );
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        serde_json::from_str(&said).unwrap()
    }
}

fn now() -> Timestamp {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap()).unwrap()
}

#[test]
fn an_enterprise_agent_fetches_its_own_receipts_and_nobody_elses() {
    let exporting = exporting(Launch::dev().without_limits());
    exporting.enterprise("acme");
    let content = |agent: &str, content: &str| json!({"agent": agent, "content": content});
    for number in 0..3 {
        // The plan pays.
        exporting.service.ask("/commit", &content("acme", &format!("acme's {number}"))).expect(200);
        exporting.service.claim(&signed("other"));
    }
    let answer = exporting.asked("agent=acme").expect(200);
    assert_eq!(answer.header("content-type"), Some("application/x-tar"));
    assert_eq!(answer.header("cache-control"), Some("private, no-store"));
    let report = exporting.verified(&answer.body);
    // With the records of the keys, which are in every archive.
    assert_eq!((&report["valid"], &report["filtered"]), (&json!(3 + 4), &json!(3)), "{report}");
    assert_eq!((&report["without_request"], &report["is_whole"]), (&json!(0), &json!(true)), "{report}");
    let has = |text: &str| memchr::memmem::find(&answer.body, text.as_bytes()).is_some();
    assert!(has("acme's 2") && has(r#""agent":"acme""#));
    assert!(!has(r#""agent":"other""#) && !has("it is signed"), "another agent's");
    // A time range, of which the future has none.
    let later = exporting.asked("agent=acme&since=2099-01-01").expect(200);
    assert_eq!(exporting.verified(&later.body)["valid"], 4);
    // What was cut is not taken for whole.
    let cut = &answer.body[..answer.body.len() - 700];
    let file = exporting.service.path("cut.tar");
    fs::write(&file, cut).unwrap();
    let output = run(exporting.service.command(["verify", file.to_str().unwrap()]), b"");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_export_without_plan_signature_or_fresh_time_is_refused() {
    let exporting = exporting(Launch::dev().without_limits());
    exporting.enterprise("acme");
    exporting.service.claim(&signed("other"));
    let unsigned = exporting.service.get(&format!("/export?agent=acme&time={}", now()));
    unsigned.names("X-Wallet-Signature", "missing");
    let stale = exporting.asked_at("agent=acme", now().saturating_add_millis(-600_000), &exporting.wallet);
    stale.names("time", "out_of_range");
    let stranger = Wallet::from_bytes([8; 32]).unwrap();
    for refused in [
        exporting.asked_at("agent=acme", now(), &stranger),
        // Without a plan, and unknown.
        exporting.asked("agent=other"),
        exporting.asked("agent=nobody"),
    ] {
        let problem = refused.problem(403);
        assert_eq!(
            (&problem["code"], &problem["doc_url"]),
            (&json!("no_grant"), &json!("/docs/errors#not-granted"))
        );
    }
    exporting.asked("agent=acme").expect(200);
    let listed = run(exporting.service.command(["grant", "list"]), b"");
    let listed = String::from_utf8(listed.stdout).unwrap();
    for grant in listed.lines() {
        let grant: Value = serde_json::from_str(grant).unwrap();
        assert_eq!(exporting.grant(&["revoke", &grant["id"].to_string()]), Some(0));
    }
    exporting.asked("agent=acme").problem(403);
    let wallet = exporting.wallet.address().to_string();
    assert_eq!(exporting.grant(&["acme", "--calls", "1", "--route", "export", "--wallet", &wallet]), Some(0));
    exporting.asked("agent=acme").expect(200);
    for refused in [
        &["acme", "--plan", "operator", "--wallet", &wallet][..],
        &["acme", "--calls", "1", "--route", "export"],
        &["acme", "--calls", "1", "--wallet", &wallet],
        &["acme", "--plan", "enterprise", "--wallet", "0x12"],
    ] {
        assert_eq!(exporting.grant(refused), Some(1), "{refused:?}");
    }
}

#[test]
fn a_replica_over_postgresql_exports_as_well() {
    let database = Server::shared().database();
    let address = database.address();
    let exporting = exporting(Launch::dev().without_limits().set("STORE", &address));
    let exporting = Exporting { store: Some(address), ..exporting };
    exporting.enterprise("acme");
    exporting.service.claim(&signed("acme"));
    exporting.service.claim(&signed("other"));
    let answer = exporting.asked("agent=acme").expect(200);
    let report = exporting.verified(&answer.body);
    assert_eq!((&report["valid"], &report["filtered"]), (&json!(1 + 4), &json!(1)), "{report}");
}
