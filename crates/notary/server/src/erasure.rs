//! Erasure: the background job that carries out what an operator asks for, and what is shown of a receipt that was erased.
//!
//! `touchstone erase` stores what is asked for, and this job carries it out: only the service writes the log. A receipt of
//! the class [`ERASURE_CLASS`] logs that the notary's copy is gone, and is about the erased one. In its transaction payload,
//! signature, request and evidence are deleted, and the log entry stays.
//!
//! Nothing is erased that a dispute needs, or may need.

use std::sync::Arc;
use std::time::Duration;

use dispute::RERUN_TRIED_FOR_MS;
use ledger::{
    AskedErasure, ERASURE_CLASS, Erases, LedgerError, MemoryKey, NotErasable, Owner, StoredReceipt,
};
use notary::{Consequence, NotaryError, ReceiptDraft};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, Object, from_serialize, parse};
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::{AgentName, AnyJudge, EffectKind, KeptRequest};

use crate::app::App;

/// The interval at which asked erasures are looked for.
pub const EVERY: Duration = Duration::from_millis(500);
/// The pause after an erasure that could not be carried out yet.
const PAUSE: Duration = Duration::from_secs(5);
/// The most erasures of one round.
const MOST: u32 = 16;
/// The lease of the process that carries erasures out, and its time in milliseconds.
const LEASE: &str = "erasures";
const LEASE_MS: i64 = 30_000;
/// The time after the last possible dispute in which a bond that was sent at its end may still settle, in milliseconds.
const LAST_BOND_MS: i64 = 3_600_000;

/// The verdict of a receipt that logs an erasure.
const VERDICT: &str = "ERASED";
/// The rule set by which it was carried out.
const METHOD: &str = "erasure/1";
/// The agent of the receipt.
const AGENT: &str = "operator";
const SCOPE: &str = "This notary has deleted its own copy of a receipt. It says nothing of the verdict in it, nor of copies that \
    others have: whoever has the receipt can verify it, since its entry stays in the log.";

/// What is shown of a receipt that was erased.
#[derive(Clone, Debug)]
pub struct ErasedDocument {
    /// The time of the erasure.
    pub at: String,
    /// The hash of the receipt that logs it.
    pub logged_by: String,
    /// The leaf index of the erased receipt.
    pub leaf: u64,
    /// The class of the erased receipt.
    pub class: String,
    /// The time at which the erased receipt was signed.
    pub signed_at: String,
    /// The log entry of the erased receipt.
    pub entry: String,
    /// The newest proof of inclusion of the entry (C2SP tlog-proof).
    pub proof: String,
}

impl ErasedDocument {
    pub(crate) fn sentence(&self) -> String {
        format!(
            "erased on {}: this notary has no copy of the receipt any more; leaf {} of its log still has the entry, and whoever \
             has the receipt can verify it",
            self.at, self.leaf
        )
    }

    pub(crate) fn members(&self) -> Value {
        let Self { at, logged_by, leaf, class, signed_at, entry, proof } = self;
        json!({
            "at": at,
            "logged_by": logged_by,
            "leaf": leaf,
            "class": class,
            "signed_at": signed_at,
            "entry": entry,
            "proof": proof,
        })
    }

    /// The example in the OpenAPI document.
    pub(crate) fn example() -> Self {
        let entry = r#"{"class":"commit","h":"66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925","kid":"did:web:notary.example#k","t":"2026-11-21T02:00:00.000Z","v":1}"#;
        Self {
            at: "2026-11-27T09:45:00.000Z".to_owned(),
            logged_by: "00".repeat(32),
            leaf: 17,
            class: "commit".to_owned(),
            signed_at: "2026-11-21T02:00:00.000Z".to_owned(),
            entry: entry.to_owned(),
            proof: "c2sp.org/tlog-proof@v1\n...".to_owned(),
        }
    }
}

/// What is shown of a receipt that was erased; `None` where none of this hash was.
pub(crate) async fn document(app: &App, hash: &ReceiptHash) -> Result<Option<ErasedDocument>, LedgerError> {
    let Some((erased, inclusion)) = app.notary.ledger.erased(hash).await? else { return Ok(None) };
    let entry = parse(&erased.entry).ok();
    let member = |name: &str| entry.as_ref()?.get(name)?.as_str().map(str::to_owned);
    Ok(Some(ErasedDocument {
        at: erased.at.to_string(),
        logged_by: erased.logged_by.to_string(),
        leaf: erased.leaf,
        class: member("class").unwrap_or_default(),
        signed_at: member("t").unwrap_or_default(),
        entry: String::from_utf8_lossy(&erased.entry).into_owned(),
        proof: inclusion.to_text(),
    }))
}

/// Carries out the erasures that are asked for, for as long as it is polled.
pub async fn keep(app: Arc<App>, owner: Owner) {
    loop {
        tokio::time::sleep(EVERY).await;
        if app.notary.ledger.is_away() {
            continue;
        }
        if let Err(error) = carry_out(&app, owner).await {
            tracing::error!(%error, "erasures that are asked for cannot be carried out yet");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Carries out the erasures that are asked for, and refuses those that cannot be. Of several processes of a store one does.
///
/// # Errors
/// One of them can be neither carried out nor refused now; it still waits.
pub async fn carry_out(app: &App, owner: Owner) -> Result<(), NotaryError> {
    let (ledger, clock) = (&app.notary.ledger, &app.notary.clock);
    let asked = ledger.asked_erasures(MOST).await?;
    if asked.is_empty() {
        return Ok(());
    }
    let now = clock.now();
    if ledger.is_shared() && !ledger.lease(LEASE, owner, now, now.saturating_add_millis(LEASE_MS)).await? {
        return Ok(());
    }
    for asked in asked {
        let outcome = match erase(app, &asked).await {
            Ok(()) => "done",
            Err(NotErased::Refused(why)) => {
                tracing::warn!(why, "an erasure is refused");
                ledger.refuse_erasure(&asked.hash, why, clock.now()).await?;
                "refused"
            }
            Err(NotErased::Later(error)) => return Err(error),
        };
        metrics::counter!("touchstone_erasures_total", "outcome" => outcome).increment(1);
    }
    Ok(())
}

/// The reasons why a receipt is not erased.
enum NotErased {
    /// It must not be, for the reason in the text.
    Refused(String),
    /// It cannot be now.
    Later(NotaryError),
}

impl<E: Into<NotaryError>> From<E> for NotErased {
    fn from(error: E) -> Self {
        match error.into() {
            NotaryError::Ledger(LedgerError::NotErasable(why)) => Self::Refused(why.to_string()),
            error => Self::Later(error),
        }
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, NotErased> {
    Err(NotErased::Refused(why.into()))
}

/// Erases one receipt.
async fn erase(app: &App, asked: &AskedErasure) -> Result<(), NotErased> {
    let ledger = &app.notary.ledger;
    let hash = asked.hash;
    let Some(stored) = ledger.receipt(&hash).await? else {
        return match ledger.erased(&hash).await? {
            Some((erased, _)) => refused(format!(
                "the receipt was erased before, on {}, as {} says",
                erased.at, erased.logged_by
            )),
            None => refused("this notary has no receipt of this hash"),
        };
    };
    let erased = ErasedFacts::read(&stored)
        .ok_or_else(|| NotErased::Refused("the receipt cannot be read".to_owned()))?;
    let Some(route) = app.route_table.route(&erased.class) else {
        return refused(format!(
            "a receipt of the class {} is a record of the log itself, and stays",
            erased.class
        ));
    };
    let (now, request) = (app.notary.now()?, ledger.request(stored.leaf).await?);
    if let Some(until) = dispute::disputable_until(route.effect_kind(), erased.signed_at)
        && request.is_some()
        && now <= until.saturating_add_millis(LAST_BOND_MS)
    {
        let from = until.saturating_add_millis(LAST_BOND_MS);
        return refused(format!("the receipt can be disputed until {until}; it can be erased after {from}"));
    }
    if let Some(watch) = ledger.watch_opened_by(&hash).await?.filter(|watch| watch.ended_at.is_none())
        && now < watch.until
    {
        let until = watch.until;
        return refused(format!(
            "the watch that the receipt has opened is running until {until}; it can be erased after {until}, or as soon as the \
             watch is ended"
        ));
    }
    let memory = route.judge.as_deref().filter(|judge| judge.effect_kind() == EffectKind::Remember);
    let memory = memory.and_then(|judge| {
        let question = match request {
            Some(request) => object(&request.body),
            None => object(&stored.payload).map(|receipt| question_in(judge, &receipt)),
        };
        let subject = question.and_then(|question| judge.open(&question).ok()?.subject_sha256());
        if subject.is_none() {
            let class = &erased.class;
            tracing::warn!(
                class,
                "the subject of an erased receipt cannot be read, so its memory stays until its time is over"
            );
        }
        Some(MemoryKey::new(&erased.class, &subject?))
    });
    let erases = Erases { hash, leaf: stored.leaf, memory };
    match app.notary.notarize(draft(asked, &erased, erases, now)?).await {
        Err(NotaryError::Ledger(LedgerError::NotErasable(why @ NotErasable::Disputed))) => {
            let by = now.saturating_add_millis(RERUN_TRIED_FOR_MS);
            refused(format!(
                "{why}: it is decided by {by} at the latest; it can be erased once it is, and paid out"
            ))
        }
        Err(error) => Err(error.into()),
        Ok(_) => {
            tracing::info!(leaf = stored.leaf, class = erased.class, "a receipt was erased");
            Ok(())
        }
    }
}

fn object(bytes: &[u8]) -> Option<Object> {
    match parse(bytes) {
        Ok(Json::Object(object)) => Some(object),
        _ => None,
    }
}

/// The question of a receipt whose request is not kept any more, with the members that each question must have: the receipt repeats
/// the one that names its subject.
fn question_in(judge: &dyn AnyJudge, receipt: &Object) -> Object {
    let schema = judge.question_schema();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut question = Object::new();
    for name in required {
        if let Some(member) = receipt.get(name) {
            question.insert(name, member.clone());
        }
    }
    question
}

/// The facts of a receipt that is to be erased.
struct ErasedFacts {
    class: String,
    signed_at: Timestamp,
}

impl ErasedFacts {
    fn read(stored: &StoredReceipt) -> Option<Self> {
        let payload = parse(&stored.payload).ok()?;
        let text = |name: &str| payload.get(name).and_then(Json::as_str);
        Some(Self { class: text("class")?.to_owned(), signed_at: text("signed_at")?.parse().ok()? })
    }
}

/// The receipt that logs an erasure.
fn draft(
    asked: &AskedErasure,
    erased: &ErasedFacts,
    erases: Erases,
    now: Timestamp,
) -> Result<ReceiptDraft, NotErased> {
    let unfit = || NotErased::Refused("the receipt about the erasure cannot be made".to_owned());
    let mut request = Object::new();
    request.insert("agent", AGENT);
    request.insert("erase", asked.hash.to_string());
    let mut finding = json!({
        "verdict": VERDICT,
        "leaf": erases.leaf,
        "erased_class": erased.class,
        "removed": ["payload", "signature", "request", "evidence"],
        "evidence": [],
        "scope": SCOPE,
        "method": METHOD,
        "explanation": format!(
            "The operator asked to erase the receipt at leaf {} of the log. Its payload, signature, request and evidence were \
             deleted; its log entry stays.",
            erases.leaf
        ),
    });
    if let Some(reason) = &asked.reason {
        finding["reason"] = json!(reason);
    }
    let Ok(Json::Object(finding)) = from_serialize(&finding) else { return Err(unfit()) };
    Ok(ReceiptDraft {
        class: ERASURE_CLASS,
        agent: AgentName::parse(AGENT).map_err(|_| unfit())?,
        request: KeptRequest::as_sent(Json::Object(request).canonical()),
        finding,
        evidence: Vec::new(),
        judged_at: now,
        place: None,
        paid: None,
        consequence: Consequence::Erase(erases),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use axum::http::Method;
    use ledger::{ErasureState, RetentionTerms};
    use receipt::hash::sha256;
    use verdict::{
        Effect, EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Question, Remember,
        Unavailable,
    };

    use super::*;
    use crate::testing::{PlaceQuestion, Service};

    /// A judge that remembers a place, which its findings name. Their `season` is of another form than that of its questions.
    struct Visitor;

    impl Judge for Visitor {
        type Question = PlaceQuestion;
        type Finding = Value;

        const EFFECT: EffectKind = EffectKind::Remember;

        fn effect(&self, question: &PlaceQuestion, _: &Value) -> Option<Effect> {
            let subject = hex::encode(question.subject_sha256()?);
            Some(Effect::Remember(Remember { subject, memory: "seen".to_owned() }))
        }

        async fn judge(
            &self,
            PlaceQuestion(place): &PlaceQuestion,
            _: JudgeContext,
        ) -> Result<EvidencedFinding<Value>, Unavailable> {
            let finding = json!({"verdict": "CONFIRMED", "place": place, "season": {"months": 3}, "evidence": {},
                "scope": "A place.", "method": "visit/1"});
            Ok(EvidencedFinding { finding, evidence: Vec::new() })
        }

        fn replay(
            &self,
            _: &PlaceQuestion,
            _: &[EvidenceBlob],
            _: Timestamp,
        ) -> Result<Value, EvidenceMissing> {
            Err(EvidenceMissing("the memory".to_owned()))
        }
    }

    #[tokio::test]
    async fn the_memory_of_an_erased_receipt_goes_though_its_request_is_kept_no_longer() {
        let service = Service::judging(Visitor, |_| None);
        let mut hashes = Vec::new();
        for place in ["Rome", "Carthage"] {
            let body = json!({"agent": "scout", "place": place}).to_string();
            let answer = service.ask(Method::POST, "/claim-verdict", body).await.json();
            hashes.push(answer["receipt_hash"].as_str().unwrap().parse().unwrap());
        }
        let ledger = &service.app.notary.ledger;
        let later = service.app.notary.now().unwrap().saturating_add_millis(1000);
        let terms = RetentionTerms { default_ms: 1, classes: BTreeMap::new() };
        assert_eq!(ledger.expire_requests(terms, later).await.unwrap().requests, 2);
        let memory = |place: &str| ledger.memory(MemoryKey::new("claim-verdict", &sha256(place.as_bytes())));
        assert!(memory("Rome").await.unwrap().is_some());
        let asked =
            AskedErasure { hash: hashes[0], reason: None, asked_at: later, state: ErasureState::Asked };
        assert!(erase(&service.app, &asked).await.is_ok());
        assert!(ledger.receipt(&hashes[0]).await.unwrap().is_none());
        assert_eq!(memory("Rome").await.unwrap(), None);
        assert!(memory("Carthage").await.unwrap().is_some(), "of another receipt");
    }
}
