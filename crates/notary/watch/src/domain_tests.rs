//! A watch of a domain, from its first look to the receipts of changes, with a judge that sees what the test says.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capacity::Compute;
use client_network::ClientNetwork;
use fetch::{Fetcher, Limits, Policy};
use ledger::{Identity, Ledger, MemoryKey, Owner};
use ledger_sqlite::SqliteLedger;
use module::{Module, RouteTable, WatchedSnapshots, terms};
use notary::{Caller, Consequence, KeyRing, Notary, ReceiptDraft};
use receipt::hash::sha256;
use receipt::json::{Json, parse};
use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::Signer;
use serde_json::{Value, json};
use tempfile::TempDir;
use verdict::{
    AgentName, AnyJudge as _, Clock, EffectKind, EvidenceBlob, EvidenceMissing, EvidencedFinding, Field,
    FieldError, Fields, Judge, JudgeContext, KeptRequest, Question, Ruling, Table, Text, Timestamp,
    Unavailable,
};

use crate::judge::{WatchJudge, WatchService};
use crate::rescreen::{LEASE_MS, LOOKS_AT_ONCE, POSTPONED_MS, Rescreening};
use crate::{CLASS, DAY_MS, WebhookKey};

const DOMAIN: Field<Text> = Field::text("domain", 1..=253);
const COUNTERPARTY_NAME: Field<Text> = Field::text("counterparty_name", 1..=64);
/// As the routes that screen names have it.
const ENTITY: Field<Text> = Field::text("entity", 1..=64).synonyms("counterparty_name company");

struct DomainQuestion(String);

impl Question for DomainQuestion {
    const TABLE: Table = Table::new("DomainQuestion", &[&DOMAIN], &[&COUNTERPARTY_NAME]);

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self(fields.text(&DOMAIN)?.to_owned()))
    }

    fn subject_sha256(&self) -> Option<[u8; 32]> {
        Some(sha256(self.0.as_bytes()))
    }
}

struct NameQuestion;

impl Question for NameQuestion {
    const TABLE: Table = Table::new("NameQuestion", &[&ENTITY], &[]).refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        fields.text(&ENTITY).map(|_| Self)
    }
}

/// A judge of names, which reads its question alone.
struct NameReader;

impl Judge for NameReader {
    type Question = NameQuestion;
    type Finding = Value;

    async fn judge(&self, _: &NameQuestion, _: JudgeContext) -> Result<EvidencedFinding<Value>, Unavailable> {
        Err(Unavailable { module: "sanctions", retry_after_s: 1, detail: "no list".to_owned() })
    }

    fn replay(&self, _: &NameQuestion, _: &[EvidenceBlob], _: Timestamp) -> Result<Value, EvidenceMissing> {
        Err(EvidenceMissing("the list".to_owned()))
    }
}

/// The internet: the verdict on every domain and its facts; `None` where nobody can look.
#[derive(Clone)]
struct Internet(Arc<Mutex<Option<(&'static str, Value)>>>);

impl Internet {
    fn is(&self, verdict: &'static str, facts: Value) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((verdict, facts));
    }

    fn is_busy(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

struct Looker(Internet);

impl Judge for Looker {
    type Question = DomainQuestion;
    type Finding = Value;

    const EFFECT: EffectKind = EffectKind::Remember;

    async fn judge(
        &self,
        DomainQuestion(domain): &DomainQuestion,
        JudgeContext { at, memory, .. }: JudgeContext,
    ) -> Result<EvidencedFinding<Value>, Unavailable> {
        let seen = self.0.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let busy = || Unavailable { module: "trust", retry_after_s: 1, detail: "busy".to_owned() };
        let (verdict, facts) = seen.ok_or_else(busy)?;
        let finding = json!({
            "domain": domain, "verdict": verdict, "facts": facts,
            "remembered": memory.map(|memory| memory.text),
            "evidence": {"observed_at": at.to_string(), "observations_sha256": hex::encode(sha256(at.to_string().as_bytes()))},
            "scope": "A look.", "method": "trust-score/2",
        });
        Ok(EvidencedFinding { finding, evidence: Vec::new() })
    }

    fn replay(&self, _: &DomainQuestion, _: &[EvidenceBlob], _: Timestamp) -> Result<Value, EvidenceMissing> {
        Err(EvidenceMissing("the look".to_owned()))
    }
}

/// A clock that is set by hand.
struct Hand(Mutex<Timestamp>);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

impl Hand {
    fn advance(&self, millis: i64) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.saturating_add_millis(millis);
    }
}

struct World {
    internet: Internet,
    clock: Arc<Hand>,
    notary: Arc<Notary>,
    judge: WatchJudge,
    rescreening: Arc<Rescreening>,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        const BASE_URL: &str = "https://notary.example";
        let internet = Internet(Arc::default());
        internet.is("TRUSTED", json!({"name_servers": ["ns1.example.com", "ns2.example.com"], "risks": []}));
        let module = Module::new("trust").route_watched_every(
            Duration::from_millis(DAY_MS.unsigned_abs()),
            "trust-score",
            Arc::new(Looker(internet.clone())),
            r#"{"domain":"example.com"}"#,
            "domain",
        );
        let example = r#"{"entity":"Ada"}"#;
        let names = Module::new("sanctions").watched_route(
            "screen-entity",
            Arc::new(NameReader),
            example,
            "entity",
            WatchedSnapshots::default,
        );
        let route_table = RouteTable::new(terms::table()).with(&names).with(&module);
        let clock = Arc::new(Hand(Mutex::new("2026-11-26T06:00:00.000Z".parse().unwrap())));
        let folder = tempfile::tempdir().unwrap();
        let key = SigningKey::from_seed(&[7; 32]);
        let kid = key.id(BASE_URL).unwrap();
        let log_key =
            tlog::SigningKey::from_seed(&log_origin_from_base_url(BASE_URL).unwrap(), &[8; 32]).unwrap();
        let identity = Identity {
            receipt_kid: kid.to_string(),
            log_vkey: log_key.verifier().to_string(),
            ..Identity::default()
        };
        let path = folder.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, log_key, &identity, Arc::clone(&clock) as _).unwrap();
        let ledger: Arc<dyn Ledger> = Arc::new(ledger);
        let notary = Arc::new(Notary {
            iss: BASE_URL.to_owned(),
            keys: Arc::new(KeyRing::new(Signer::new(key, kid), Vec::new(), Vec::new()).unwrap()),
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock) as _,
            scope_prefix: None,
        });
        let service = WatchService {
            ledger,
            fetcher: Fetcher::system(Policy::production(), Limits::default()).unwrap(),
            webhook_key: WebhookKey::new(SigningKey::from_seed(&[9; 32])),
        };
        let rescreening =
            Rescreening::new(Arc::clone(&notary), Arc::new(Compute::new().unwrap()), &route_table);
        Self {
            internet,
            clock,
            judge: WatchJudge::new(&route_table, service),
            notary,
            rescreening: Arc::new(rescreening),
            _folder: folder,
        }
    }

    async fn notarized(&self, class: &'static str, request: &Value, ruling: Ruling) -> Value {
        let agent = AgentName::parse("watcher").unwrap();
        let network = Some(ClientNetwork::of("192.0.2.1".parse().unwrap()));
        let caller = Caller { agent: &agent, network, bond: None };
        let consequence = Consequence::of(ruling.effect, caller, &*self.notary.ledger).await.unwrap();
        let draft = ReceiptDraft {
            class,
            agent,
            request: KeptRequest::as_sent(parse(request.to_string().as_bytes()).unwrap().canonical()),
            finding: ruling.finding,
            evidence: ruling.evidence,
            judged_at: self.clock.now(),
            place: None,
            paid: None,
            consequence,
        };
        serde_json::from_slice(&self.notary.notarize(draft).await.unwrap().to_json()).unwrap()
    }

    /// The receipt that opens a watch.
    async fn watch(&self, domain: &str) -> Value {
        let request = json!({"agent": "watcher", "domain": domain});
        let Json::Object(asked) = parse(request.to_string().as_bytes()).unwrap() else { unreachable!() };
        let case = self.judge.receive(&asked).unwrap();
        let ruling = case.judge(self.clock.now().into()).await.unwrap();
        self.notarized(CLASS, &request, ruling).await
    }

    /// Looks again at all that is due.
    async fn round(&self, owner: u8) {
        while self.rescreening.look_round(Owner([owner; 16])).await.unwrap() {}
    }

    async fn stored(&self, receipt: &Value) -> ledger::Watch {
        let mut key = [0; 32];
        hex::decode_to_slice(receipt["watch"]["sha256"].as_str().unwrap(), &mut key).unwrap();
        self.notary.ledger.watch(&ledger::WatchKey(key)).await.unwrap().unwrap()
    }

    /// The receipts of a watch's changes, the newest first.
    async fn changes(&self, receipt: &Value) -> Vec<Value> {
        let mut changes = Vec::new();
        for alert in self.stored(receipt).await.alerts {
            let stored = self.notary.ledger.receipt(&alert.receipt).await.unwrap().unwrap();
            changes.push(serde_json::from_slice(&stored.payload).unwrap());
        }
        changes
    }
}

fn servers(names: &[&str]) -> Value {
    json!({"name_servers": names, "risks": []})
}

#[tokio::test]
async fn a_domain_is_looked_at_a_day_later_and_what_has_changed_is_a_receipt_that_names_both_looks() {
    let world = World::new();
    let watch = world.watch("example.com").await;
    assert_eq!((&watch["verdict"], &watch["screen"]["domain"]), (&json!("WATCHING"), &json!("example.com")));
    assert!(watch["scope"].as_str().unwrap().contains("once a day"), "{watch}");
    world.internet.is("TRUSTED", servers(&["ns1.example.com", "ns3.example.net"]));
    world.clock.advance(DAY_MS - 1);
    world.round(1).await;
    assert!(world.changes(&watch).await.is_empty(), "the day is not over");
    world.clock.advance(1);
    world.round(2).await;
    let changes = world.changes(&watch).await;
    let [change] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!((&change["class"], &change["verdict"]), (&json!("trust-score"), &json!("TRUSTED")));
    assert_eq!((&change["agent"], &change["request_hash"]), (&json!("watcher"), &watch["request_hash"]));
    let hash = |at: &str| hex::encode(sha256(at.as_bytes()));
    let look = |at: &str| json!({"observed_at": at, "observations_sha256": hash(at)});
    let expected = json!({
        "sha256": watch["watch"]["sha256"],
        "before": "TRUSTED",
        "changed": [{
            "what": "name_servers",
            "before": ["ns1.example.com", "ns2.example.com"],
            "after": ["ns1.example.com", "ns3.example.net"],
        }],
        "looks": {"before": look("2026-11-26T06:00:00.000Z"), "after": look("2026-11-27T06:00:00.000Z")},
    });
    assert_eq!(change["watch"], expected);
    let shown = crate::facts(&world.stored(&watch).await.screened);
    assert_eq!(shown["name_servers"], json!(["ns1.example.com", "ns3.example.net"]));
    world.clock.advance(DAY_MS);
    world.round(3).await;
    assert_eq!(world.changes(&watch).await.len(), 1, "nothing else has changed");
    world.internet.is("RISKY", json!({"risks": ["feed_hit"]}));
    world.clock.advance(DAY_MS);
    world.round(4).await;
    let newest = world.changes(&watch).await.swap_remove(0);
    assert_eq!((&newest["verdict"], &newest["watch"]["before"]), (&json!("RISKY"), &json!("TRUSTED")));
    let what: Vec<&Value> =
        newest["watch"]["changed"].as_array().unwrap().iter().map(|c| &c["what"]).collect();
    assert_eq!(what, ["verdict", "risks"], "what was not observed is not compared");
}

#[tokio::test]
async fn a_look_that_cannot_be_made_is_made_when_the_lease_is_over_and_changes_nothing_before() {
    let world = World::new();
    let watch = world.watch("example.com").await;
    world.internet.is_busy();
    world.clock.advance(DAY_MS);
    world.round(1).await;
    world.internet.is("CAUTION", servers(&["ns1.example.com", "ns2.example.com"]));
    world.round(2).await;
    assert_eq!(world.stored(&watch).await.screened.verdict, "TRUSTED", "it is not tried at once");
    world.clock.advance(LEASE_MS);
    world.round(3).await;
    let changes = world.changes(&watch).await;
    assert_eq!(
        changes[0]["watch"]["changed"],
        json!([{"what": "verdict", "before": ["TRUSTED"], "after": ["CAUTION"]}])
    );
}

#[tokio::test]
async fn a_domain_of_which_nothing_is_seen_is_told_of_only_where_that_lasts_for_a_day() {
    let world = World::new();
    let watch = world.watch("example.com").await;
    world.internet.is("INCOMPLETE", json!({"risks": []}));
    world.clock.advance(DAY_MS);
    world.round(1).await;
    world.clock.advance(POSTPONED_MS);
    world.round(2).await;
    assert!(world.changes(&watch).await.is_empty());
    world.clock.advance(DAY_MS);
    world.round(3).await;
    let changes = world.changes(&watch).await;
    assert_eq!((changes.len(), &changes[0]["verdict"]), (1, &json!("INCOMPLETE")));
    let shown = crate::facts(&world.stored(&watch).await.screened);
    assert_eq!(
        shown["name_servers"],
        json!(["ns1.example.com", "ns2.example.com"]),
        "as they were seen last"
    );
}

#[tokio::test]
async fn watches_are_looked_at_in_rounds_each_a_day_after_its_own_last_look() {
    let world = World::new();
    let mut watches = Vec::new();
    for number in 0..2 * LOOKS_AT_ONCE + 3 {
        watches.push(world.watch(&format!("{number}.example.com")).await);
        world.clock.advance(1000);
    }
    world.internet.is("RISKY", servers(&[]));
    world.clock.advance(DAY_MS - 1000 * i64::from(LOOKS_AT_ONCE));
    world.round(1).await;
    let mut changed = 0;
    for watch in &watches {
        changed += world.changes(watch).await.len();
    }
    assert_eq!(changed, LOOKS_AT_ONCE as usize + 4, "the later ones are not due yet");
}

#[tokio::test]
async fn a_watched_domain_is_judged_with_the_memory_of_its_own_route() {
    let world = World::new();
    let effect = verdict::Effect::Remember(verdict::Remember {
        subject: hex::encode(sha256(b"example.com")),
        memory: "seen before".to_owned(),
    });
    let Json::Object(finding) = parse(br#"{"verdict":"TRUSTED","scope":"","evidence":{}}"#).unwrap() else {
        unreachable!()
    };
    let ruling = Ruling { finding, evidence: Vec::new(), effect: Some(effect) };
    world.notarized("trust-score", &json!({"domain": "example.com"}), ruling).await;
    let key = MemoryKey::new("trust-score", &sha256(b"example.com"));
    assert!(world.notary.ledger.memory(key).await.unwrap().is_some());
    let watch = world.watch("example.com").await;
    assert_eq!(watch["screen"]["remembered"], "seen before");
    assert_eq!(world.watch("example.org").await["screen"]["remembered"], Value::Null);
    world.internet.is("RISKY", servers(&[]));
    world.clock.advance(DAY_MS);
    world.round(1).await;
    assert_eq!(world.changes(&watch).await[0]["remembered"], "seen before");
}

#[test]
fn a_domain_is_watched_with_the_members_of_its_own_route_and_a_name_with_no_other_name() {
    let world = World::new();
    let received = |body: &str| {
        let Json::Object(request) = parse(body.as_bytes()).unwrap() else { unreachable!() };
        world.judge.receive(&request).map(drop).map_err(|error| (error.path.dotted(), error.reason.code()))
    };
    let refused = |field: &str, reason| Err((field.to_owned(), reason));
    assert_eq!(received(r#"{"domain":"example.com","counterparty_name":"Ada"}"#), Ok(()));
    assert_eq!(received(r#"{"domain":"example.com","company":"Ada"}"#), refused("company", "misnamed"));
    assert_eq!(received(r#"{"entity":"Ada"}"#), Ok(()));
    let both = received(r#"{"entity":"Ada","counterparty_name":"Bob"}"#);
    assert_eq!(both, refused("counterparty_name", "misnamed"));
    let both = received(r#"{"entity":"Ada","domain":"example.com"}"#);
    assert_eq!(both, refused("domain", "not_applicable"));
}

#[test]
fn a_misspelt_domain_is_refused_and_two_things_are_not_watched_by_one_watch() {
    let world = World::new();
    let refused = |body: &str| {
        let Json::Object(request) = parse(body.as_bytes()).unwrap() else { unreachable!() };
        let error = world.judge.receive(&request).map(|_| ()).unwrap_err();
        (error.path.dotted(), error.reason.code())
    };
    let told = |field: &str, reason| (field.to_owned(), reason);
    assert_eq!(refused(r#"{"domian":"example.com"}"#), told("domian", "misnamed"));
    assert_eq!(refused(r#"{"domain_name":"example.com"}"#), told("domain_name", "misnamed"));
    assert_eq!(refused("{}"), told("entity", "missing"));
    assert_eq!(refused(r#"{"domain":7}"#), told("domain", "wrong_type"));
}
