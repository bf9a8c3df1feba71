//! Checkpoints are stamped by an authority on loopback that does what its script says.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use fetch::{Endpoint, Limits};
use ledger::{Identity, Ledger, LedgerRecord, Owner};
use ledger_sqlite::SqliteLedger;
use peers::stamper::{Behaviour, Lie};
use peers::{Stamper, StamperService};
use receipt::hash::ReceiptHash;
use receipt::time::Timestamp;
use time_stamp::Authority;
use time_stamping::{EVERY, LATE_AFTER, Stamping, limits};
use tlog::{SigningKey, TlogProof};
use verdict::Clock;

const OWNER: Owner = Owner([1; 16]);

/// The clock of the system, moved by this many milliseconds.
#[derive(Default)]
struct MovedClock(AtomicI64);

impl MovedClock {
    fn go(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::AcqRel);
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::try_from(SystemTime::now()).unwrap();
        now.saturating_add_millis(self.0.load(Ordering::Acquire))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(u64::try_from(self.now().as_millis()).unwrap())
    }
}

fn log_key() -> SigningKey {
    SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap()
}

fn entry(number: u64) -> Vec<u8> {
    format!("entry {number}").into_bytes()
}

async fn append(ledger: &dyn Ledger, number: u64) {
    let payload = format!("payload {number}").into_bytes();
    let record = LedgerRecord {
        hash: ReceiptHash::of_payload(&payload),
        payload,
        signature: [0; 64],
        entry: entry(number),
        class: "commit",
        signed_at: Timestamp::EPOCH,
        request: b"{}".to_vec(),
        evidence: Vec::new(),
        judged_at: Timestamp::EPOCH,
        reservation: None,
        claim: None,
        dispute: None,
        watch: None,
        counters: Vec::new(),
        memory: None,
        erases: None,
        kid: "notary-1".to_owned(),
        key: None,
    };
    ledger.append(record).await.unwrap();
}

struct Lab {
    ledger: Arc<dyn Ledger>,
    service: StamperService,
    clock: Arc<MovedClock>,
    stamping: Arc<Stamping>,
    _folder: tempfile::TempDir,
}

fn open(folder: &Path, clock: &Arc<MovedClock>) -> Arc<dyn Ledger> {
    let identity = Identity {
        receipt_kid: "notary-1".to_owned(),
        log_vkey: log_key().verifier().to_string(),
        ..Identity::default()
    };
    let clock: Arc<dyn Clock> = Arc::clone(clock) as Arc<dyn Clock>;
    Arc::new(SqliteLedger::open(&folder.join("store.sqlite"), log_key(), &identity, clock).unwrap())
}

impl Lab {
    /// A log of one leaf, and an authority.
    async fn new(behaviour: Behaviour) -> Self {
        Self::within(behaviour, limits()).await
    }

    async fn within(behaviour: Behaviour, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(MovedClock::default());
        let ledger = open(folder.path(), &clock);
        append(&*ledger, 0).await;
        let service = StamperService::start(behaviour).await;
        let stamping = stamping(&ledger, &clock, &service, &service.stamper, limits);
        Self { ledger, service, clock, stamping, _folder: folder }
    }

    fn error(&self) -> String {
        self.stamping.standing().error.unwrap_or_default()
    }
}

fn stamping(
    ledger: &Arc<dyn Ledger>,
    clock: &Arc<MovedClock>,
    service: &StamperService,
    trusted: &Stamper,
    limits: Limits,
) -> Arc<Stamping> {
    let endpoint = Endpoint::system(&service.url, &[], limits).unwrap();
    let roots = trusted.root_pem();
    let authority = Authority::new(roots.as_bytes(), None).unwrap();
    let clock: Arc<dyn Clock> = Arc::clone(clock) as Arc<dyn Clock>;
    Arc::new(Stamping::new(Arc::clone(ledger), clock, endpoint, authority, roots))
}

#[tokio::test]
async fn a_token_an_hour_is_asked_for_while_the_log_grows_and_bounds_each_leaf() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert!(lab.stamping.first_with(0).await.unwrap().is_none());
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    let bound = lab.stamping.first_with(0).await.unwrap().unwrap();
    assert_eq!((bound.checkpoint.size, &*bound.stamp.authority), (1, "Stamper One"));
    let proof: TlogProof = bound.inclusion.to_text().parse().unwrap();
    proof.verify(&entry(0), &log_key().verifier()).unwrap();
    append(&*lab.ledger, 1).await;
    assert_eq!(lab.stamping.round(OWNER).await, None, "the newest token is of this hour");
    assert!(lab.stamping.first_with(1).await.unwrap().is_none());
    // The authority has no such clock, but its tokens may be a minute old.
    lab.clock.go(EVERY);
    assert_eq!(lab.stamping.round(OWNER).await, Some(false));
    assert!(lab.error().contains("one of them is wrong"), "{}", lab.error());
    lab.clock.go(Duration::ZERO);
    assert_eq!(lab.stamping.newest().unwrap().size, 1);
    assert_eq!(lab.service.requests(), 2);
}

#[tokio::test]
async fn a_log_that_does_not_grow_is_not_stamped_again() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    lab.clock.go(EVERY * 2);
    assert_eq!(lab.stamping.round(OWNER).await, None);
    assert_eq!(lab.service.requests(), 1);
}

#[tokio::test]
async fn no_lie_is_stored_and_each_is_named() {
    let lab = Lab::new(Behaviour::Garbage).await;
    let token = Behaviour::Token;
    for (behaviour, words) in [
        (Behaviour::Garbage, "no time-stamp response"),
        (Behaviour::Status(503), "status 503"),
        (Behaviour::OtherType, "text/html"),
        (Behaviour::Endless, "no answer came"),
        (token(Lie::Refused), "refused, with status 2"),
        (token(Lie::OtherMessage), "another message"),
        (token(Lie::OtherNonce), "nonce"),
        (token(Lie::Foreign), "not trusted"),
        (token(Lie::Expired), "not trusted"),
        (token(Lie::NoUsage), "not for time-stamping"),
        (token(Lie::Signature), "signature"),
        (token(Lie::DayAgo), "one of them is wrong"),
        (token(Lie::DayAhead), "one of them is wrong"),
    ] {
        lab.service.behave(behaviour);
        assert_eq!(lab.stamping.round(OWNER).await, Some(false), "{behaviour:?}");
        assert!(lab.error().contains(words), "{behaviour:?}: {}", lab.error());
        assert_eq!(lab.ledger.newest_stamped().await.unwrap(), None, "{behaviour:?}");
    }
    lab.service.behave(token(Lie::None));
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    assert_eq!(lab.error(), "");
}

#[tokio::test]
async fn an_authority_that_says_nothing_is_left_after_the_limit() {
    let limits = Limits { total: Duration::from_millis(200), ..limits() };
    let lab = Lab::within(Behaviour::Silence, limits).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(false));
    assert!(lab.error().contains("no answer came"), "{}", lab.error());
}

#[tokio::test]
async fn of_two_processes_one_asks_and_the_other_takes_its_token_over() {
    let lab = Lab::new(Behaviour::Garbage).await;
    let other = stamping(&lab.ledger, &lab.clock, &lab.service, &lab.service.stamper, limits());
    assert_eq!(lab.stamping.round(OWNER).await, Some(false));
    assert_eq!(other.round(Owner([2; 16])).await, None, "the first has the lease");
    assert_eq!(lab.service.requests(), 1);
    lab.service.behave(Behaviour::Token(Lie::None));
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    assert_eq!(other.newest(), None);
    other.prepare().await;
    assert_eq!(other.newest(), lab.stamping.newest());
    assert!(!other.standing().asks);
}

#[tokio::test]
async fn a_stored_token_of_an_authority_that_is_not_trusted_any_more_is_not_shown() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    let changed = stamping(&lab.ledger, &lab.clock, &lab.service, &Stamper::new(), limits());
    changed.prepare().await;
    assert_eq!(changed.newest(), None);
    assert!(changed.first_with(0).await.unwrap().is_none());
}

#[tokio::test]
async fn another_authority_over_the_same_tree_is_asked_once_an_hour_and_the_first_token_stays() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    let first = lab.ledger.newest_stamped().await.unwrap();
    let other = StamperService::start(Behaviour::Token(Lie::None)).await;
    let changed = stamping(&lab.ledger, &lab.clock, &other, &other.stamper, limits());
    assert_eq!(changed.round(OWNER).await, Some(true));
    assert_eq!(changed.round(OWNER).await, None, "the tree has the token of another authority already");
    assert_eq!((other.requests(), lab.ledger.newest_stamped().await.unwrap()), (1, first));
}

#[tokio::test]
async fn a_log_without_tokens_for_three_hours_is_late_and_one_that_has_them_is_not() {
    let lab = Lab::new(Behaviour::Status(500)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(false));
    assert!(!lab.stamping.standing().is_late);
    lab.clock.go(LATE_AFTER + Duration::from_secs(1));
    assert!(lab.stamping.standing().is_late);
}
