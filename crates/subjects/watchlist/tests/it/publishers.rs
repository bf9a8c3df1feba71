//! Rounds that ask the publishers that are not OFAC.

use fetch::{Roots, Source};
use peers::Publisher;
use receipt::time::Timestamp;
use watchlist::refresh::{self, PublishedList, RefreshError, Round, RoundEnd};
use watchlist::snapshot::SnapshotStatus;
use watchlist::{ListName, Publication, PublicationBounds, Store};

const UN_XML: &str = r#"<CONSOLIDATED_LIST dateGenerated="2026-08-20T00:00:00.000Z"><INDIVIDUALS><INDIVIDUAL>
<DATAID>69</DATAID><FIRST_NAME>JANEK</FIRST_NAME><REFERENCE_NUMBER>QDi.901</REFERENCE_NUMBER></INDIVIDUAL></INDIVIDUALS>
<ENTITIES/></CONSOLIDATED_LIST>"#;
const EU_XML: &str = r#"<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-08-20T00:00:00.000+02:00">
<sanctionEntity logicalId="13" euReferenceNumber="EU.1.1"><subjectType code="person" classificationCode="P"/>
<nameAlias wholeName="Janek Kozarovitch" strong="true"/></sanctionEntity></export>"#;
const UK_XML: &str = "<Designations><DateGenerated>20/08/2026</DateGenerated><Designation><UniqueID>GHR0001</UniqueID>\
    <Names><Name><Name1>Janek</Name1><Name6>KOZAROVITCH</Name6><NameType>Primary Name</NameType></Name></Names>\
    <IndividualEntityShip>Individual</IndividualEntityShip></Designation></Designations>";
const SECO_XML: &str = r#"<swiss-sanctions-list date="2026-08-20"><target ssid="9"><individual><identity ssid="10" main="true">
<name ssid="11" name-type="primary-name" quality="good"><name-part ssid="12" order="1" name-part-type="whole-name">
<value>Janek</value></name-part></name></identity></individual></target></swiss-sanctions-list>"#;
const CSL: &str = "_id,source,entity_number,type,name,alt_names,source_list_url\n";
const CSL_SDN: &str = "a1,Specially Designated Nationals (SDN) - Treasury Department,101,Individual,\"KOZAROVITCH, Janek\",,x\n";
const CSL_ENTITY_LIST: &str =
    "a2,Entity List (EL) - Bureau of Industry and Security,,Entity,Sample Works,,x\n";

/// A publisher, and a round that asks it.
struct Fetching {
    folder: tempfile::TempDir,
    publisher: Publisher,
    round: Round,
}

impl Fetching {
    fn of(published: PublishedList) -> Self {
        let (folder, publisher) = (tempfile::tempdir().expect("a temporary folder"), Publisher::start());
        // The query is a token, as the EU gives one.
        let url = format!("{}?token=abc", publisher.url());
        let source = Source::system(&url, &[], refresh::limits(), Roots::none()).expect("a source");
        let round = Round::new(folder.path(), source, None, published);
        Self { folder, publisher, round }
    }

    async fn look(&self, minutes: i64) -> Result<Vec<RoundEnd>, RefreshError> {
        self.round.look(at(minutes)).await
    }
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::EPOCH.saturating_add_millis(minutes * 60_000)
}

fn standings(ends: &[RoundEnd]) -> Vec<(&str, &SnapshotStatus)> {
    ends.iter().map(|end| (end.list.as_str(), &end.standing)).collect()
}

#[tokio::test]
async fn each_publication_goes_live_and_is_confirmed_while_it_is_the_same_version() {
    for (published, file, document) in [
        (PublishedList::Un, "consolidated.xml", UN_XML),
        (PublishedList::Eu, "content", EU_XML),
        (PublishedList::Uk, "UK-Sanctions-List.xml", UK_XML),
        (PublishedList::Seco, "downloadXmlGesamtliste.xhtml", SECO_XML),
    ] {
        let fetching = Fetching::of(published);
        fetching.publisher.publish(file, document);
        let list = published.list();
        let ends = fetching.look(0).await.unwrap();
        assert_eq!(standings(&ends), [(list.as_str(), &SnapshotStatus::Live)]);
        assert_eq!(ends[0].entries, Some(1));
        let again = fetching.look(180).await.unwrap();
        assert_eq!(standings(&again), [(list.as_str(), &SnapshotStatus::Confirmed)]);
        assert_eq!(again[0].entries, None, "it was not sent again");
        let live = Store::at(fetching.folder.path()).live().unwrap();
        assert_eq!(live[&list].confirmed_at, at(180));
    }
}

#[tokio::test]
async fn what_a_publisher_of_one_list_sends_of_another_changes_nothing() {
    let fetching = Fetching::of(PublishedList::Un);
    for document in [EU_XML, UK_XML, SECO_XML, "<html><body>Down.</body></html>", ""] {
        fetching.publisher.publish("consolidated.xml", document);
        assert!(fetching.look(0).await.is_err(), "{document}");
    }
    assert!(Store::at(fetching.folder.path()).live().unwrap().is_empty());
}

#[tokio::test]
async fn the_lists_of_one_file_go_live_together_and_one_that_is_gone_is_not_confirmed() {
    let fetching = Fetching::of(PublishedList::Csl);
    fetching.publisher.publish("consolidated.csv", &[CSL, CSL_SDN, CSL_ENTITY_LIST].concat());
    let ends = fetching.look(0).await.unwrap();
    let (of_bis, of_treasury) = ("US CSL Entity List (EL)", "US CSL Specially Designated Nationals (SDN)");
    assert_eq!(standings(&ends), [(of_bis, &SnapshotStatus::Live), (of_treasury, &SnapshotStatus::Live)]);
    let again = fetching.look(180).await.unwrap();
    assert!(again.iter().all(|end| end.standing == SnapshotStatus::Confirmed) && again.len() == 2);
    fetching.publisher.publish("consolidated.csv", &[CSL, CSL_SDN].concat());
    let less = fetching.look(360).await.unwrap();
    assert_eq!(standings(&less), [(of_treasury, &SnapshotStatus::Confirmed)]);
    let live = Store::at(fetching.folder.path()).live().unwrap();
    assert_eq!(live[&ListName::new(of_bis)].confirmed_at, at(180), "it grows old, and its operator decides");
    assert_eq!(live[&ListName::new(of_treasury)].confirmed_at, at(360));
}

/// A row that is shifted by a cell must make no list that nobody publishes again.
#[tokio::test]
async fn a_list_that_a_file_of_several_is_not_known_to_have_waits_for_an_operator() {
    let fetching = Fetching::of(PublishedList::Csl);
    let shifted = "a3,12 Main Street,,Entity,Sample Works,,x\n";
    fetching.publisher.publish("consolidated.csv", &[CSL, CSL_SDN, shifted].concat());
    let ends = fetching.look(0).await.unwrap();
    let standing = |list: &str| ends.iter().find(|end| end.list.as_str() == list).map(|end| &end.standing);
    assert!(matches!(standing("US CSL 12 Main Street"), Some(SnapshotStatus::Held(_))), "{ends:?}");
    assert_eq!(standing("US CSL Specially Designated Nationals (SDN)"), Some(&SnapshotStatus::Live));
}

#[test]
fn a_list_of_ones_own_takes_no_published_lists_name_and_keeps_its_topic_until_an_operator_accepts_another() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let read = |list: &str, topic: &str| {
        let map = format!(r#"{{"list": "{list}", "topic": "{topic}", "name": "name"}}"#);
        let file = [("own.csv".to_owned(), b"name\nJanek Kozarovitch\n".to_vec())];
        Publication::from_bytes_with(file, serde_json::from_str(&map).unwrap(), PublicationBounds::default())
            .unwrap()
            .read(None)
    };
    for name in ["OFAC SDN", "ofac sdn", "UN Security Council", "US CSL Entity List (EL)"] {
        assert!(read(name, "other").is_err(), "{name}");
    }
    let admit = |topic: &str| {
        let import = read("House", topic).unwrap();
        store.admit(&import.lists[0], "a test", at(0)).unwrap().standing
    };
    assert_eq!(admit("sanctions"), SnapshotStatus::Live);
    assert!(matches!(admit("pep"), SnapshotStatus::Held(doubts) if doubts.len() == 1));
}

#[test]
fn a_publication_is_known_by_its_key_alone() {
    for published in PublishedList::ALL {
        assert_eq!(published.key().parse(), Ok(published));
        assert!(Source::system(published.source(), &[], refresh::limits(), Roots::none()).is_ok());
    }
    assert!("UN".parse::<PublishedList>().is_err() && "".parse::<PublishedList>().is_err());
}
