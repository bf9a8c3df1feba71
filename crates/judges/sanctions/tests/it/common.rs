//! What the tests share: reading, judging with its replay, and lists.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use receipt::json::{Json, from_serialize, parse};
use receipt::time::Timestamp;
use sanctions::agent_clearance::{AgentClearanceJudge, Chains};
use sanctions::live::Lists;
use sanctions::screen_batch::ScreenBatchJudge;
use sanctions::screen_entity::ScreenEntityJudge;
use sanctions::screen_wallet::ScreenWalletJudge;
use serde_json::{Value, json};
use verdict::{EvidenceBlob, EvidencedFinding, Fields, Judge, Objection, Question};
use watchlist::snapshot::StoredSnapshot;
use watchlist::{ParsedList, Publication, PublicationBounds, Store};

pub const HOUR: i64 = 3_600;

/// So many seconds after some day in 2026.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000 + seconds * 1000).expect("a time in 2026")
}

pub fn read<Q: Question>(request: &Value) -> Result<Q, (String, &'static str)> {
    let Ok(Json::Object(object)) = parse(request.to_string().as_bytes()) else { panic!("{request}") };
    Q::read(&Fields::root(&object)).map_err(|error| {
        assert!(error.detail.starts_with("must ") || error.detail.starts_with("is "), "{error}");
        (error.path.dotted(), error.reason.code())
    })
}

/// Whether the question's schema takes the request.
pub fn schema_takes<Q: Question>(request: &Value) -> bool {
    jsonschema::validator_for(&Q::TABLE.schema()).unwrap().is_valid(request)
}

/// Judges as the desk does, and proves that a replay says the same to the byte: by the judge himself, and by one who has
/// no list but is handed the contents that were kept.
pub async fn judged_with<J: Judge>(
    judge: &J,
    stranger: &J,
    request: &Value,
    now: Timestamp,
) -> Result<(Value, Vec<EvidenceBlob>), Objection> {
    assert!(schema_takes::<J::Question>(request), "{request}");
    let question: J::Question = read(request).unwrap();
    judge.admit(&question, now).await?;
    let EvidencedFinding { finding, evidence } = judge.judge(&question, now.into()).await?;
    let bytes = |finding: &J::Finding| from_serialize(finding).unwrap().canonical();
    let handed = handed_over(judge, &evidence);
    for again in [judge.replay(&question, &evidence, now), stranger.replay(&question, &handed, now)] {
        assert_eq!(bytes(&again.unwrap()), bytes(&finding));
    }
    let finding = serde_json::to_value(&finding).unwrap();
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<J::Finding>();
    let schema = jsonschema::validator_for(schema.as_value()).unwrap();
    assert!(schema.is_valid(&finding), "{:?} in {finding:#}", schema.validate(&finding));
    assert!(
        finding["scope"]
            .as_str()
            .is_some_and(|scope| scope.contains("does not say") || scope.contains("do not say"))
    );
    Ok((finding, evidence))
}

/// The evidence with the bytes that the judge keeps, as it is handed to who replays elsewhere.
pub fn handed_over(judge: &impl Judge, evidence: &[EvidenceBlob]) -> Vec<EvidenceBlob> {
    let handed = |blob: &EvidenceBlob| match blob.bytes() {
        Some(_) => blob.clone(),
        None => EvidenceBlob::new(blob.role().to_owned(), judge.kept(&blob.sha256()).expect("it is kept")),
    };
    evidence.iter().map(handed).collect()
}

pub async fn entity(lists: &Lists, request: &Value, now: Timestamp) -> Result<Value, Objection> {
    let judge = ScreenEntityJudge::new(lists.clone());
    let stranger = ScreenEntityJudge::new(Lists::none());
    judged_with(&judge, &stranger, request, now).await.map(|(finding, _)| finding)
}

pub async fn batch(lists: &Lists, request: &Value, now: Timestamp) -> Result<Value, Objection> {
    let judge = ScreenBatchJudge::new(lists.clone());
    let stranger = ScreenBatchJudge::new(Lists::none());
    judged_with(&judge, &stranger, request, now).await.map(|(finding, _)| finding)
}

pub async fn wallet(lists: &Lists, request: &Value, now: Timestamp) -> Result<Value, Objection> {
    let judge = ScreenWalletJudge::new(lists.clone());
    let stranger = ScreenWalletJudge::new(Lists::none());
    judged_with(&judge, &stranger, request, now).await.map(|(finding, _)| finding)
}

pub async fn clearance(
    lists: &Lists,
    chains: &Chains,
    request: &Value,
    now: Timestamp,
) -> Result<Value, Objection> {
    let judge = AgentClearanceJudge::new(lists.clone(), chains.clone());
    // A rerun heeds ages as the service does, and asks nobody.
    let none = if lists.heeds_age() { Lists::none() } else { Lists::none().at_any_age() };
    let stranger = AgentClearanceJudge::new(none, Chains::none());
    judged_with(&judge, &stranger, request, now).await.map(|(finding, _)| finding)
}

/// A finding on a name, on the demo list.
pub async fn on_demo(request: &Value) -> Value {
    entity(&Lists::demo(), request, at(0)).await.unwrap()
}

/// What no list can say at the moment.
pub fn unavailable<T: std::fmt::Debug>(answer: Result<T, Objection>) -> String {
    match answer {
        Err(Objection::Unavailable(unavailable)) => {
            assert_eq!(unavailable.module, "sanctions");
            unavailable.detail
        }
        other => panic!("{other:?}"),
    }
}

/// The detail of a refusal of a question that the service is not configured for.
pub fn not_offered<T: std::fmt::Debug>(answer: Result<T, Objection>) -> String {
    match answer {
        Err(Objection::NotOffered { module: "sanctions", detail }) => detail,
        other => panic!("{other:?}"),
    }
}

/// The field that is wrong, and how.
pub fn objected<T: std::fmt::Debug>(answer: Result<T, Objection>) -> (String, &'static str) {
    match answer {
        Err(Objection::Field(error)) => (error.path.dotted(), error.reason.code()),
        other => panic!("{other:?}"),
    }
}

/// A store of the test's own.
pub struct TestStore {
    folder: tempfile::TempDir,
    pub store: Store,
}

pub fn kept() -> TestStore {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    TestStore { folder, store }
}

impl TestStore {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Imports a file as `touchstone lists import` does.
    pub fn import(&self, name: &str, text: &str, now: Timestamp) -> StoredSnapshot {
        let files = [(name.to_owned(), text.as_bytes().to_vec())];
        self.admit(Publication::from_bytes(files, PublicationBounds::default()).unwrap(), now)
    }

    /// Imports a table of an operator's own as `touchstone lists import --columns` does.
    pub fn import_own(&self, map: &Value, text: &str, now: Timestamp) -> StoredSnapshot {
        let files = [("own.csv".to_owned(), text.as_bytes().to_vec())];
        let map = serde_json::from_value(map.clone()).unwrap();
        self.admit(Publication::from_bytes_with(files, map, PublicationBounds::default()).unwrap(), now)
    }

    fn admit(&self, publication: Publication, now: Timestamp) -> StoredSnapshot {
        let import = publication.read(None).unwrap();
        let [parsed] = &import.lists[..] else { panic!("{import:?}") };
        self.store.admit(parsed, "a test", now).unwrap()
    }
}

/// A small publication: IVAN PETROVICH EXAMPLOV (101), an organisation, a ship and an aircraft.
pub const SDN_XML: &str = include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn.xml");

/// The real publication, in a store; nothing, and a printed line, where it is not at hand.
pub fn real() -> Option<&'static TestStore> {
    static REAL: OnceLock<Option<TestStore>> = OnceLock::new();
    REAL.get_or_init(|| {
        let folder = real_data()?;
        let paths =
            [folder.join("current/ofac-sdn.json.gz"), folder.join("crypto/addresses-2026-08-20.jsonl")];
        let kept = kept();
        kept.store.admit(&parsed(&paths), "a test", at(0)).unwrap();
        Some(kept)
    })
    .as_ref()
}

pub fn real_data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/ofac");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the real lists are not at hand");
    None
}

pub fn parsed(paths: &[PathBuf]) -> ParsedList {
    let import = Publication::open(paths, PublicationBounds::default()).unwrap().read(None).unwrap();
    let [parsed] = <[ParsedList; 1]>::try_from(import.lists).unwrap();
    parsed
}

/// The SDN list in a form without its wallets, and another list that has this one.
pub fn with_wallets_of_another_list_alone(address: &str, now: Timestamp) -> TestStore {
    let lists = kept();
    lists.import("sdn.xml", &SDN_XML.replace("Digital Currency Address - XBT", "Other"), now);
    let row =
        format!("{{\"address\": \"{address}\", \"currency\": \"XBT\", \"uid\": 7, \"entity\": \"X\"}}\n");
    lists.import("cons_addresses.jsonl", &row, now);
    lists
}

pub fn named(entity: &str) -> Value {
    json!({"agent": "a", "entity": entity})
}

/// The uids of a finding's matches.
pub fn uids(finding: &Value) -> Vec<&str> {
    finding["matches"].as_array().unwrap().iter().map(|found| found["uid"].as_str().unwrap()).collect()
}
