//! A log with receipts that can be disputed, for unit tests.

use std::sync::Arc;

use claim::ClaimJudge;
use fetch::{Fetcher, Limits, Policy};
use ledger::{Identity, Ledger};
use ledger_sqlite::SqliteLedger;
use module::{RouteTable, terms};
use notary::{Consequence, KeyRing, Notary, ReceiptDraft};
use receipt::hash::ReceiptHash;
use receipt::json::parse;
use receipt::key::{SigningKey, log_origin_from_base_url};
use receipt::sign::Signer;
use tempfile::TempDir;
use verdict::{AgentName, Case, Fields, KeptRequest, Ruling, SystemClock};

/// The base address of the notary under test.
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

/// The published routes, with the judge of claims.
pub(crate) fn route_table() -> RouteTable {
    let fetcher = Fetcher::system(Policy::production(), Limits::default()).unwrap();
    RouteTable::new(terms::table()).register("claim-verdict", Arc::new(ClaimJudge::new(fetcher)), QUESTION)
}

/// A notary, and the folder that its log lies in.
pub(crate) struct Log {
    notary: Notary,
    _folder: TempDir,
}

impl Log {
    /// An empty log.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (key, clock) = (SigningKey::from_seed(&[7; 32]), Arc::new(SystemClock::start()));
        let kid = key.id(BASE_URL).unwrap();
        let origin = log_origin_from_base_url(BASE_URL).unwrap();
        let log_key = tlog::SigningKey::from_seed(&origin, &[8; 32]).unwrap();
        let identity = Identity {
            receipt_kid: kid.to_string(),
            log_vkey: log_key.verifier().to_string(),
            ..Identity::default()
        };
        let path = folder.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, log_key, &identity, clock.clone()).unwrap();
        let notary = Notary {
            iss: BASE_URL.to_owned(),
            keys: Arc::new(KeyRing::new(Signer::new(key, kid), Vec::new(), Vec::new()).unwrap()),
            ledger: Arc::new(ledger),
            clock,
            scope_prefix: None,
        };
        Self { notary, _folder: folder }
    }

    /// The ledger behind it.
    pub(crate) fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::clone(&self.notary.ledger)
    }

    /// A receipt of [`QUESTION`], logged now.
    pub(crate) async fn receipt(&self) -> ReceiptHash {
        self.receipt_of(KeptRequest::as_sent).await
    }

    /// A receipt of [`QUESTION`] whose request is stored as `kept` makes it of the canonical form.
    pub(crate) async fn receipt_of(&self, kept: impl FnOnce(Vec<u8>) -> KeptRequest) -> ReceiptHash {
        let request = parse(QUESTION.as_bytes()).unwrap();
        let question = request.as_object().unwrap();
        let table = route_table();
        let route = table.route("claim-verdict").unwrap();
        let case: Box<dyn Case> = route.judge.as_ref().unwrap().open(question).unwrap();
        let at = self.notary.now().unwrap();
        let Ruling { finding, evidence, .. } = case.judge(at.into()).await.unwrap();
        let draft = ReceiptDraft {
            class: route.terms.class,
            agent: AgentName::read(&Fields::root(question)).unwrap(),
            request: kept(request.canonical()),
            finding,
            evidence,
            judged_at: at,
            place: None,
            paid: None,
            consequence: Consequence::None,
        };
        self.notary.notarize(draft).await.unwrap().delivery().hash
    }
}
