//! Domain trust: a small internet of our own, none at all, and disputes over what was seen.
//!
//! # Bad input, and the test that shows what becomes of it
//!
//! | case | test |
//! |---|---|
//! | trailing dots | `names::one_name_is_written_in_many_ways`; two of them: `::what_is_no_name_is_a_400_that_names_the_domain` |
//! | IDNs of every script | `names::a_name_of_any_script_is_looked_at_in_a_labels` |
//! | punycode that does not round-trip, wildcards, addresses, names of special use | `names::what_is_no_name_is_a_400_that_names_the_domain` |
//! | 254 bytes | the same; 253 bytes and 125 labels: `::the_longest_names_are_looked_at` |
//! | GET and POST, members that nobody asked for | `names::a_body_and_a_query_ask_the_same` |
//! | `domain` twice, or not at all | `names::a_domain_that_is_given_twice_or_not_at_all_is_refused` |
//! | TXT of 64 kB, hundreds of TXT | `dns::texts_as_large_as_an_answer_are_read` |
//! | SPF include loops, and limits | `dns::a_record_that_includes_itself_is_an_error` |
//! | CNAME chains and loops | `dns::aliases_are_followed_as_far_as_they_lead` |
//! | answers of the wrong name, truncated without TCP, refusals, failures | `dns::servers_that_do_wrong_are_neither_good_nor_bad`, `::the_same_servers_asked_directly` |
//! | no name server, a silent one, in production too | `nobody` |
//! | WHOIS answers of any shape | `whois::whois_tells_age_and_state_and_what_cannot_be_read_is_unknown` |
//! | a TLS server that never speaks | `web::a_server_that_never_speaks_is_unknown` |
//! | redirects to private space, names in it | `web::nobody_is_led_into_private_space` |
//! | RDAP of 10 MB, slow, broken, of another domain, redirected to private space | `web::a_registry_that_does_wrong_is_unknown` |
//! | a bad certificate that is shown to one client alone | `caps` |
//! | an age that is not known, or is a platform's | `age` |
//! | purposes that are none, payees that are no address or of another chain, names | `purposes` |
//! | as much of everything as there can be | `evidence::the_largest_receipt_is_within_what_verify_takes`, `::the_largest_evidence_is_within_its_bounds` |
//! | two looks at the same; disputes | `evidence::two_services_say_the_same_of_an_unchanged_internet`, `::a_dispute_replays_what_was_seen_to_the_byte` |
//! | the domain of a counterparty that is not trusted, no name, or cannot be looked at | `clearance` |
//! | 200 domains at once, few open files; a crowd of names below one | `load` |

mod age;
mod caps;
mod clearance;
mod dns;
mod evidence;
mod kept;
mod load;
mod names;
mod nobody;
mod populations;
mod purposes;
mod web;
mod whois;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use peers::lab::Lab;
use serde_json::{Value, json};

use crate::support::http::Answer;
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{BASE_URL, Launch, Service, Shared, shared};

/// A service that looks at the lab's internet.
pub struct Sight<'a> {
    lab: &'a Lab,
    name_servers: SocketAddr,
    registries: Value,
    /// The port of the WHOIS servers; `None` where WHOIS is off.
    whois: Option<u16>,
    /// How often the domain of a watch is looked at, in seconds; `None` for once a day.
    watch_every_s: Option<u32>,
}

impl<'a> Sight<'a> {
    /// Through the lab's resolver and registry.
    pub fn of(lab: &'a Lab) -> Self {
        Self {
            lab,
            name_servers: lab.resolver,
            registries: lab.bootstrap(),
            whois: None,
            watch_every_s: None,
        }
    }

    fn by_name_servers(self, name_servers: SocketAddr) -> Self {
        Self { name_servers, ..self }
    }

    fn by_registries(self, bootstrap: Value) -> Self {
        Self { registries: bootstrap, ..self }
    }

    fn by_whois(self, port: u16) -> Self {
        Self { whois: Some(port), ..self }
    }

    pub fn watching_every(self, seconds: u32) -> Self {
        Self { watch_every_s: Some(seconds), ..self }
    }

    pub fn launch(&self) -> Launch {
        self.configures(Launch::dev().without_limits().set("BASE_URL", BASE_URL))
    }

    /// Has a service look at the lab, whatever it looked at before.
    pub fn configures(&self, launch: Launch) -> Launch {
        let lab = self.lab;
        let bootstrap = launch.data().path().join("bootstrap.json");
        std::fs::write(&bootstrap, self.registries.to_string()).unwrap();
        let (feed, popular) =
            (launch.data().path().join("bad.txt"), launch.data().path().join("popular.csv"));
        std::fs::write(&feed, "evil.example.org\n").unwrap();
        std::fs::write(&popular, "1,perfect.test\n2,good.test\n").unwrap();
        let every = self.watch_every_s.map(|every| format!("watch_every_s = {every}\n"));
        let whois = self.whois.map(|port| format!("whois_port = {port}\n"));
        let toml = format!(
            "[feeds]\nfiles = [{feed:?}]\n[trust]\npopularity_list = {popular:?}\nname_servers = \"{}\"\nrdap_bootstrap = {bootstrap:?}\n\
             whois = {}\n[trust.laboratory]\nsuffixes = [\"test\"]\nanchors = {:?}\nhttps_port = {}\nhttp_port = {}\n{}{}",
            self.name_servers,
            self.whois.is_some(),
            lab.anchor(),
            lab.https,
            lab.http,
            every.unwrap_or_default(),
            whois.unwrap_or_default(),
        );
        let roots = lab.authority_file().to_string_lossy().into_owned();
        launch.set("EXTRA_ROOTS", &roots).configured(&toml)
    }

    fn start(&self) -> Service {
        self.launch().start()
    }
}

/// A service that looks at the lab; `None` where the lab's programs cannot be had.
fn looking() -> Option<Arc<Service>> {
    static PLACE: Shared = Mutex::new(Weak::new());
    let lab = Lab::shared("what /trust-score says of a real internet")?;
    Some(shared(&PLACE, || Sight::of(lab).start()))
}

/// A service whose name server is a port where nobody listens.
fn blind() -> Arc<Service> {
    static PLACE: Shared = Mutex::new(Weak::new());
    shared(&PLACE, || asking("127.0.0.1:1"))
}

/// A service that asks this name server, and knows of no lab.
fn asking(name_server: impl std::fmt::Display) -> Service {
    Launch::dev()
        .without_limits()
        .set("BASE_URL", BASE_URL)
        .configured(&format!("[trust]\nname_servers = \"{name_server}\"\n"))
        .start()
}

fn ask(service: &Service, domain: &str) -> Answer {
    service.ask("/trust-score", &json!({ "domain": domain }))
}

/// How long what could not be seen is believed, and a little more.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(31);
/// Names that nothing is slow of, but perhaps the machine.
const PROMPT: [&str; 8] = [
    "alias.test",
    "github.io",
    "good.test",
    "nomail.test",
    "perfect.test",
    "plain.test",
    "signed.test",
    "tenant.github.io",
];
/// The reasons of a check for which there was no time.
const LATE: [&str; 7] = [
    "connect_timeout",
    "dns_failed",
    "dns_timed_out",
    "http_timeout",
    "preflight_unseen",
    "timed_out",
    "timeout",
];

/// The receipt, which is whole and holds. A prompt name that was seen too late is looked at again.
#[track_caller]
fn score(service: &Service, domain: &str) -> Value {
    let is_late = |receipt: &Value| {
        let checks = receipt["hygiene"]["checks"].as_array().unwrap();
        PROMPT.contains(&domain) && checks.iter().any(|check| LATE.contains(&text(check, "reason")))
    };
    let mut receipt = looked_at(service, domain);
    for _ in 0..2 {
        if is_late(&receipt) {
            thread::sleep(FORGOTTEN_AFTER);
            receipt = looked_at(service, domain);
        }
    }
    receipt
}

/// The receipt of one look, which is whole and holds.
#[track_caller]
fn looked_at(service: &Service, domain: &str) -> Value {
    let receipt = ask(service, domain).expect(200).json();
    assert_sound(service, &receipt);
    receipt
}

/// The receipts of several domains that are asked about at once.
fn scores<'a>(service: &Service, domains: impl IntoIterator<Item = &'a str>) -> Vec<(&'a str, Value)> {
    thread::scope(|scope| {
        let asking: Vec<_> =
            domains.into_iter().map(|domain| (domain, scope.spawn(move || score(service, domain)))).collect();
        asking.into_iter().map(|(domain, one)| (domain, one.join().unwrap())).collect()
    })
}

/// That a receipt holds, by us and by its notary, and has every check with all that belongs to it.
#[track_caller]
fn assert_sound(service: &Service, receipt: &Value) {
    verify(receipt, &Notary::of(service));
    let report = service.ask("/verify", receipt).expect(200).json();
    assert_eq!(report["valid"], true, "{report:#}");
    let checks = receipt["hygiene"]["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 16);
    for check in checks {
        for member in ["id", "status", "points", "max", "reason", "evidence", "observed_at", "elapsed_ms"] {
            assert!(check.get(member).is_some(), "{member} of {check}");
        }
    }
    let listed: Vec<&str> =
        receipt["hygiene"]["unknown"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let weighs = |check: &&Value| check["max"].as_f64().unwrap() > 0.0;
    let unknown = checks.iter().filter(weighs).filter(|check| check["status"] == "unknown");
    assert_eq!(listed, unknown.map(|check| text(check, "id")).collect::<Vec<_>>());
    let is_graded = !receipt["hygiene"]["grade"].is_null();
    assert_eq!(is_graded, !["RISKY", "INCOMPLETE"].contains(&text(receipt, "verdict")), "{receipt:#}");
}

/// The ids of the reasons against a domain.
fn reasons(receipt: &Value) -> Vec<&str> {
    let reasons = receipt["risk"]["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| text(reason, "id")).collect()
}

/// The check of that id.
fn check<'a>(receipt: &'a Value, id: &str) -> &'a Value {
    let checks = receipt["hygiene"]["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("no {id} in {receipt}"))
}

/// Status and reason of a check.
fn outcome<'a>(receipt: &'a Value, id: &str) -> (&'a str, &'a str) {
    let check = check(receipt, id);
    (text(check, "status"), text(check, "reason"))
}

/// A domain, the verdict on it, and how those of its checks end that it is there for: status and reason.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str, &'static str)]);

/// That each is found to be what it is, if not at once then where the machine was too slow for a check that is not to be late.
#[track_caller]
fn assert_cases(service: &Service, cases: &[Case]) {
    let receipts = scores(service, cases.iter().map(|(domain, ..)| *domain));
    for ((domain, verdict, checks), (_, mut receipt)) in cases.iter().zip(receipts) {
        let is_late = |receipt: &Value| {
            checks.iter().any(|(id, _, reason)| {
                let found = text(check(receipt, id), "reason");
                found != *reason && LATE.contains(&found)
            })
        };
        for _ in 0..2 {
            if is_late(&receipt) {
                thread::sleep(FORGOTTEN_AFTER);
                receipt = looked_at(service, domain);
            }
        }
        for (id, status, reason) in *checks {
            assert_eq!(outcome(&receipt, id), (*status, *reason), "{id} of {domain}: {receipt:#}");
        }
        assert_eq!(text(&receipt, "verdict"), *verdict, "{domain}: {receipt:#}");
    }
}

/// The ids in a list of a receipt.
fn listed(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
}
