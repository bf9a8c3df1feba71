//! A whole service for unit tests: a ledger in a folder of its own, known keys, and requests without a socket.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use capacity::{Compute, Inflow, Storage};
use claim::ClaimJudge;
use fetch::{Fetcher, Limits, Policy};
use http_body_util::BodyExt as _;
use ledger::{Identity, Ledger, NewGrant, OperatorStore as _};
use ledger_sqlite::{SqliteLedger, SqliteOperatorStore};
use module::{Background, RouteTable, terms};
use notary::{KeyRing, Notary};
use receipt::hash::sha256;
use receipt::key::{PublishedKey, SigningKey, log_origin_from_base_url};
use receipt::sign::Signer;
use receipt::time::Timestamp;
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt as _;
use verdict::{Clock, Field, FieldError, Fields, Judge, Question, SystemClock, Table, Text};
use watch::WebhookKey;

use crate::payment_gate::PaymentGate;
use crate::{App, FreeBudgets, Profile};

/// The base address of the service under test.
pub(crate) const BASE_URL: &str = "https://notary.example";
/// A question that needs no network: RFC 8032, section 7.1, test 2.
pub(crate) const QUESTION: &str = r#"{
    "agent": "scout-7",
    "claim": "the message is signed",
    "resolver": {
        "type": "ed25519_signature",
        "message": "72", "message_encoding": "hex",
        "signature": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "signature_encoding": "hex",
        "public_key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "public_key_encoding": "hex"
    }
}"#;

/// A service, and the folder that its ledger lies in.
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    folder: TempDir,
}

/// An answer of the service.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// A header's text; empty where it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A clock that is set by hand; what has passed is counted all the same.
pub(crate) struct Hand {
    now: Mutex<Timestamp>,
    started: Instant,
}

impl Hand {
    /// A clock that stands at a time.
    pub(crate) fn at(time: &str) -> Arc<Self> {
        Arc::new(Self { now: Mutex::new(time.parse().unwrap()), started: Instant::now() })
    }

    /// Moves the time of day; a negative number moves it back.
    pub(crate) fn advance(&self, millis: i64) {
        let mut now = self.now.lock().unwrap();
        *now = now.saturating_add_millis(millis);
    }
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        *self.now.lock().unwrap()
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The gate of the local settlement.
pub(crate) fn local(ledger: Arc<dyn Ledger>) -> Option<PaymentGate> {
    Some(PaymentGate::local(ledger, ledger::Owner([1; 16])))
}

impl Service {
    /// The published table, the claim judge seated, payments to the local settlement.
    pub(crate) fn new() -> Self {
        Self::with(local)
    }

    /// The same with another gate, or none.
    pub(crate) fn with(gate: impl FnOnce(Arc<dyn Ledger>) -> Option<PaymentGate>) -> Self {
        let fetcher = Fetcher::system(Policy::production(), Limits::default()).unwrap();
        Self::judging(ClaimJudge::new(fetcher), gate)
    }

    /// Builds a service with the judge of claims behind every route, for documents that name only what is offered.
    pub(crate) fn offering_all(gate: impl FnOnce(Arc<dyn Ledger>) -> Option<PaymentGate>) -> Self {
        let fetcher = Fetcher::system(Policy::production(), Limits::default()).unwrap();
        let classes: Vec<&str> = terms::table().iter().map(|terms| terms.class).collect();
        Self::made(Arc::new(SystemClock::start()), &classes, ClaimJudge::new(fetcher), gate)
    }

    /// The same under a clock that is given.
    pub(crate) fn at(
        clock: Arc<dyn Clock>,
        gate: impl FnOnce(Arc<dyn Ledger>) -> Option<PaymentGate>,
    ) -> Self {
        let fetcher = Fetcher::system(Policy::production(), Limits::default()).unwrap();
        Self::made(clock, &["claim-verdict"], ClaimJudge::new(fetcher), gate)
    }

    /// The same with another judge of claims.
    pub(crate) fn judging<J: Judge>(
        judge: J,
        gate: impl FnOnce(Arc<dyn Ledger>) -> Option<PaymentGate>,
    ) -> Self {
        Self::made(Arc::new(SystemClock::start()), &["claim-verdict"], judge, gate)
    }

    fn made<J: Judge>(
        clock: Arc<dyn Clock>,
        classes: &[&str],
        judge: J,
        gate: impl FnOnce(Arc<dyn Ledger>) -> Option<PaymentGate>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let judge = Arc::new(judge);
        let key = SigningKey::from_seed(&[7; 32]);
        let kid = key.id(BASE_URL).unwrap();
        let log_key =
            tlog::SigningKey::from_seed(&log_origin_from_base_url(BASE_URL).unwrap(), &[8; 32]).unwrap();
        let log_verifier = log_key.verifier();
        let log_statements = SigningKey::from_seed(&[8; 32]);
        let log_kid = log_statements.id(BASE_URL).unwrap();
        let identity = Identity {
            receipt_kid: kid.to_string(),
            log_vkey: log_verifier.to_string(),
            ..Identity::default()
        };
        let ledger =
            SqliteLedger::open(&folder.path().join("store.sqlite"), log_key, &identity, Arc::clone(&clock))
                .unwrap();
        let ledger: Arc<dyn Ledger> = Arc::new(ledger);
        let gate = gate(Arc::clone(&ledger)).map(Arc::new);
        let published = vec![PublishedKey::active(kid.clone(), key.public_key())];
        let keys = KeyRing::new(Signer::new(key, kid), published, vec![log_verifier]).unwrap();
        let keys = Arc::new(keys);
        let app = Arc::new(App {
            profile: Profile::Dev,
            notary: Arc::new(Notary {
                iss: BASE_URL.to_owned(),
                keys,
                ledger,
                clock: Arc::clone(&clock),
                scope_prefix: Some(crate::DEV_NOTICE),
            }),
            route_table: classes.iter().fold(RouteTable::new(terms::table()), |table, class| {
                table.register(class, Arc::clone(&judge), QUESTION)
            }),
            modules: Arc::new([]),
            gate,
            limits: true,
            proxies: Vec::new(),
            cosigning: None,
            stamping: None,
            log_signer: Some(Arc::new(Signer::new(log_statements, log_kid))),
            background: Background::default(),
            latencies: Arc::default(),
            service_levels: Arc::default(),
            compute: Arc::new(Compute::new().unwrap()),
            inflow: Inflow::default(),
            storage: Arc::new(Storage::of(folder.path(), Some(0))),
            free_budgets: FreeBudgets::default(),
            started: clock.now(),
            security_contact: "mailto:security@notary.example".to_owned(),
            webhook_key: WebhookKey::new(SigningKey::from_seed(&[9; 32])),
            connections: listen::Bounds::of(listen::MAX_CONNECTIONS),
            replica: "here:0".to_owned(),
            retention: Arc::default(),
            exports: Arc::default(),
            readiness: Arc::default(),
        });
        Self { router: crate::router(Arc::clone(&app)), app, folder }
    }

    /// Makes a grant, as an operator does beside the service.
    pub(crate) fn grant(&self, new: NewGrant) {
        let mut store = SqliteOperatorStore::open(&self.folder.path().join("store.sqlite")).unwrap();
        store.grant(&[new]).unwrap();
    }

    /// Asks without a socket.
    pub(crate) async fn ask(&self, method: Method, path: &str, body: impl Into<Body>) -> Answer {
        self.send(Request::builder().method(method).uri(path).body(body.into()).unwrap()).await
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// GET.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, Body::empty()).await
    }

    /// POST of JSON text.
    pub(crate) async fn post(&self, path: &str, body: &'static str) -> Answer {
        self.ask(Method::POST, path, body).await
    }
}

const PLACE: Field<Text> = Field::text("place", 1..=64);
const SEASON: Field<Text> = Field::text("season", 1..=64);

/// A question about a place, of which a judge may remember something.
pub(crate) struct PlaceQuestion(pub(crate) String);

impl Question for PlaceQuestion {
    const TABLE: Table = Table::new("PlaceQuestion", &[&PLACE], &[&SEASON]);

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        fields.optional_text(&SEASON)?;
        Ok(Self(fields.text(&PLACE)?.to_owned()))
    }

    fn subject_sha256(&self) -> Option<[u8; 32]> {
        Some(sha256(self.0.as_bytes()))
    }
}
