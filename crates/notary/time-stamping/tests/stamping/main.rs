//! Checkpoints are stamped by an authority on loopback that does what its script says.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use fetch::{Endpoint, Limits};
use ledger::{Identity, Ledger, LedgerRecord, Owner, StampedCheckpoint};
use ledger_sqlite::SqliteLedger;
use notary::{KeyRing, Notary};
use peers::stamper::{Behaviour, Lie};
use peers::{Stamper, StamperService};
use receipt::envelope::LogHead;
use receipt::hash::ReceiptHash;
use receipt::key::SigningKey;
use receipt::sign::{SignedPayload, Signer};
use receipt::time::Timestamp;
use time_stamp::{Authority, LoggedToken, NotEarlier, StampError};
use time_stamping::{EVERY, LATE_AFTER, Stamping, limits};
use tlog::TlogProof;
use verdict::Clock;

const OWNER: Owner = Owner([1; 16]);
const ISS: &str = "https://notary.example";

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

fn log_key() -> tlog::SigningKey {
    tlog::SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap()
}

fn signer() -> Signer {
    let key = SigningKey::from_seed(&[8; 32]);
    let kid = key.id(ISS).unwrap();
    Signer::new(key, kid)
}

fn entry(number: u64) -> Vec<u8> {
    format!("entry {number}").into_bytes()
}

async fn append(ledger: &dyn Ledger, number: u64) {
    let payload = format!("payload {number}").into_bytes();
    let hash = ReceiptHash::of_payload(&payload);
    let signed = SignedPayload { payload, hash, signature: [0; 64] };
    let kid = signer().kid().to_string();
    let record = LedgerRecord::new(signed, kid, "commit", entry(number), Timestamp::EPOCH, b"{}".to_vec());
    ledger.append(record).await.unwrap();
}

struct Lab {
    notary: Arc<Notary>,
    ledger: Arc<dyn Ledger>,
    service: StamperService,
    clock: Arc<MovedClock>,
    stamping: Arc<Stamping>,
    _folder: tempfile::TempDir,
}

fn open(folder: &Path, clock: &Arc<MovedClock>) -> Arc<Notary> {
    let identity = Identity {
        receipt_kid: signer().kid().to_string(),
        log_vkey: log_key().verifier().to_string(),
        ..Identity::default()
    };
    let clock: Arc<dyn Clock> = Arc::clone(clock) as Arc<dyn Clock>;
    let path = folder.join("store.sqlite");
    let ledger = SqliteLedger::open(&path, log_key(), &identity, Arc::clone(&clock)).unwrap();
    Arc::new(Notary {
        iss: ISS.to_owned(),
        keys: Arc::new(KeyRing::new(signer(), Vec::new(), Vec::new()).unwrap()),
        ledger: Arc::new(ledger),
        clock,
        scope_prefix: None,
    })
}

impl Lab {
    /// A log of one leaf, and an authority.
    async fn new(behaviour: Behaviour) -> Self {
        Self::within(behaviour, limits()).await
    }

    async fn within(behaviour: Behaviour, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(MovedClock::default());
        let notary = open(folder.path(), &clock);
        let ledger = Arc::clone(&notary.ledger);
        append(&*ledger, 0).await;
        let service = StamperService::start(behaviour).await;
        let stamping = stamping(&notary, &service, &service.stamper, limits);
        Self { notary, ledger, service, clock, stamping, _folder: folder }
    }

    fn error(&self) -> String {
        self.stamping.standing().error.unwrap_or_default()
    }
}

fn stamping(
    notary: &Arc<Notary>,
    service: &StamperService,
    trusted: &Stamper,
    limits: Limits,
) -> Arc<Stamping> {
    let endpoint = Endpoint::system(&service.url, &[], limits).unwrap();
    let roots = trusted.root_pem();
    let authority = Authority::new(roots.as_bytes(), None).unwrap();
    Arc::new(Stamping::new(Arc::clone(notary), endpoint, authority, roots))
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
    assert!(lab.stamping.first_with(2).await.unwrap().is_none());
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
    for _ in 0..2 {
        lab.clock.go(EVERY * 2);
        assert_eq!(lab.stamping.round(OWNER).await, None);
        assert!(!lab.stamping.standing().is_late);
        // Nor by a process that has just begun.
        let begun = stamping(&lab.notary, &lab.service, &lab.service.stamper, limits());
        assert_eq!(begun.round(OWNER).await, None);
    }
    assert_eq!((lab.service.requests(), lab.ledger.head().size), (1, 2), "the leaf of the token alone");
}

#[tokio::test]
async fn a_logged_token_bounds_what_names_a_tree_with_its_leaf_and_nothing_else() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    append(&*lab.ledger, 2).await;
    assert!(lab.stamping.last_before(0).await.unwrap().is_none());
    assert!(lab.stamping.last_before(1).await.unwrap().is_none());
    let tree = LogHead { size: 3, root: lab.ledger.head().root };
    let bound = lab.stamping.last_before(3).await.unwrap().unwrap();
    assert_eq!((bound.leaf, bound.checkpoint.size), (1, 1));
    let authority = Authority::new(lab.service.stamper.root_pem().as_bytes(), None).unwrap();
    let token = LoggedToken {
        checkpoint: &bound.checkpoint.note,
        answer: &bound.checkpoint.answer,
        payload: &bound.payload,
        leaf: bound.leaf,
        path: &bound.path,
    };
    assert_eq!(token.check(&authority, tree), Ok(bound.stamp.clone()));
    assert!(bound.stamp.earliest() < bound.stamp.at && bound.stamp.at < bound.stamp.latest());

    let refused = |token: LoggedToken<'_>, tree| token.check(&authority, tree).unwrap_err();
    let before = LogHead { size: 1, root: lab.ledger.root_at(1).await.unwrap().unwrap() };
    let with = LogHead { size: 2, root: lab.ledger.root_at(2).await.unwrap().unwrap() };
    for other in [before, with, LogHead { root: with.root, ..tree }, LogHead { size: 0, ..tree }] {
        assert!(matches!(refused(token, other), NotEarlier::NotInTree(_)), "{other:?}");
    }
    for wrong in [
        LoggedToken { leaf: 0, ..token },
        LoggedToken { leaf: 3, ..token },
        LoggedToken { path: &[], ..token },
    ] {
        assert!(matches!(refused(wrong, tree), NotEarlier::NotInTree(_)), "{wrong:?}");
    }
    let text = String::from_utf8(bound.payload.clone()).unwrap();
    let later = text.replace("\"signed_at\":\"2", "\"signed_at\":\"3");
    assert_ne!(text, later);
    assert!(matches!(
        refused(LoggedToken { payload: later.as_bytes(), ..token }, tree),
        NotEarlier::NotInTree(_)
    ));
    let payload = text.replace("answer_sha256", "answer_sha");
    assert_eq!(refused(LoggedToken { payload: payload.as_bytes(), ..token }, tree), NotEarlier::OtherToken);
    assert_eq!(refused(LoggedToken { payload: b"garbage", ..token }, tree), NotEarlier::Payload);
    // Another token, as good as the logged one, that was made later: nobody had its hash when the tree was made.
    append(&*lab.ledger, 3).await;
    lab.clock.go(EVERY);
    lab.service.behave(Behaviour::Token(Lie::None));
    let query = time_stamp::StampRequest {
        sha256: receipt::hash::sha256(bound.checkpoint.note.as_bytes()),
        nonce: time_stamp::Nonce::new([5; 16]),
        policy: None,
    };
    let later = lab.service.stamper.answer(&query.to_der(), lab.notary.clock.now(), Lie::None);
    assert!(authority.check(&later, &query.sha256, None).is_ok());
    assert_eq!(refused(LoggedToken { answer: &later, ..token }, tree), NotEarlier::OtherToken);
    let cut = &bound.checkpoint.answer[..40];
    assert!(matches!(
        refused(LoggedToken { answer: cut, ..token }, tree),
        NotEarlier::Token(StampError::Malformed(_))
    ));
    assert_eq!(
        refused(LoggedToken { checkpoint: "another", ..token }, tree),
        NotEarlier::Token(StampError::OtherMessage)
    );
    let foreign = Authority::new(Stamper::new().root_pem().as_bytes(), None).unwrap();
    assert!(matches!(token.check(&foreign, tree), Err(NotEarlier::Token(StampError::Untrusted(_)))));
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
    let other = stamping(&lab.notary, &lab.service, &lab.service.stamper, limits());
    assert_eq!(lab.stamping.round(OWNER).await, Some(false));
    assert_eq!(other.round(Owner([2; 16])).await, None, "the first has the lease");
    assert_eq!(lab.service.requests(), 1);
    lab.service.behave(Behaviour::Token(Lie::None));
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    assert_eq!(other.newest(), None);
    other.prepare().await;
    assert_eq!(other.newest(), lab.stamping.newest());
    assert!(!other.standing().asks);
    assert_eq!(other.round(Owner([2; 16])).await, None);
    assert_eq!(lab.ledger.head().size, 2, "one of them has logged the token, once");
}

#[tokio::test]
async fn a_stored_token_of_an_authority_that_is_not_trusted_any_more_is_not_shown() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    let changed = stamping(&lab.notary, &lab.service, &Stamper::new(), limits());
    changed.prepare().await;
    assert_eq!(changed.newest(), None);
    assert!(changed.first_with(0).await.unwrap().is_none());
    assert!(lab.stamping.last_before(2).await.unwrap().is_some());
    assert!(changed.last_before(2).await.unwrap().is_none());
}

#[tokio::test]
async fn another_authority_over_the_same_tree_is_asked_once_an_hour_and_the_first_token_stays() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    let head = lab.ledger.head();
    let foreign = StampedCheckpoint {
        size: head.size,
        root: head.root,
        note: Arc::clone(&head.checkpoint),
        answer: vec![0x30, 0],
        at: lab.notary.clock.now(),
    };
    assert!(lab.ledger.record_stamped(foreign).await.unwrap());
    let first = lab.ledger.newest_stamped().await.unwrap();
    let other = StamperService::start(Behaviour::Token(Lie::None)).await;
    let changed = stamping(&lab.notary, &other, &other.stamper, limits());
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
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    assert_eq!(lab.stamping.round(OWNER).await, Some(true));
    lab.clock.go(LATE_AFTER + Duration::from_secs(1));
    assert_eq!(lab.stamping.round(OWNER).await, None);
    assert!(!lab.stamping.standing().is_late);
}

#[tokio::test]
async fn a_token_that_is_not_logged_is_logged_by_whoever_has_the_lease_later() {
    let lab = Lab::new(Behaviour::Token(Lie::None)).await;
    let head = lab.ledger.head();
    let query = time_stamp::StampRequest {
        sha256: receipt::hash::sha256(head.checkpoint.as_bytes()),
        nonce: time_stamp::Nonce::new([5; 16]),
        policy: None,
    };
    let at = lab.notary.clock.now();
    // As a process leaves it that ends between the two.
    let stamped = StampedCheckpoint {
        size: head.size,
        root: head.root,
        note: Arc::clone(&head.checkpoint),
        answer: lab.service.stamper.answer(&query.to_der(), at, Lie::None),
        at,
    };
    assert!(lab.ledger.record_stamped(stamped).await.unwrap());
    let (other, later) = (Owner([2; 16]), at.saturating_add_millis(60_000));
    assert!(lab.ledger.lease("timestamps", other, at, later).await.unwrap());
    assert_eq!(lab.stamping.round(OWNER).await, None);
    assert_eq!(lab.ledger.head().size, 1, "another process has the lease");
    assert_eq!(lab.stamping.round(other).await, None);
    assert_eq!(lab.ledger.head().size, 2);
    assert_eq!(lab.stamping.round(other).await, None);
    assert_eq!(lab.ledger.head().size, 2, "once");
    assert_eq!(lab.stamping.last_before(2).await.unwrap().map(|bound| bound.leaf), Some(1));
    assert_eq!(lab.service.requests(), 0);
}
