//! `/agent-clearance`: blocked by the lists alone, cleared only where all that was asked for was looked at.

use std::sync::Arc;

use sanctions::agent_clearance::{AgentClearanceJudge, Chains, ClearanceQuestion};
use sanctions::live::Lists;
use serde_json::{Value, json};
use trust::trust_score::TrustJudge;
use verdict::{EvidenceBlob, Judge, Objection};

use crate::common::{
    HOUR, SDN_XML, at, clearance, handed_over, judged_with, kept, not_offered, read, schema_takes,
    unavailable, with_wallets_of_another_list_alone,
};
use crate::nodes::{WALLET, all_say, chains, clean, failures, node};

pub const NOBODY: &str = "Nobody Of That Kind";
/// On the demo list, as 0x098B716B8Aaf21512996dC57EB0615e2383E2f96.
pub const LISTED: &str = "0x098b716b8aaf21512996dc57eb0615e2383e2f96";
const BITCOIN: &str = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa";

fn named(name: &str) -> Value {
    json!({"agent": "a", "counterparty_name": name})
}

pub fn with_wallet(name: &str, wallet: &str, chain: &str) -> Value {
    json!({"agent": "a", "counterparty_name": name, "wallet": wallet, "chain": chain})
}

/// A finding on the demo list without any node.
async fn by_lists(request: &Value) -> Value {
    clearance(&Lists::demo(), &Chains::none(), request, at(0)).await.unwrap()
}

/// Verdict and reasons.
pub fn outcome(finding: &Value) -> (&str, Vec<&str>) {
    let reasons = finding["reasons"].as_array().unwrap().iter();
    (finding["verdict"].as_str().unwrap(), reasons.map(|reason| reason.as_str().unwrap()).collect())
}

/// Asks about the wallet, on the demo list.
pub async fn asked(chains: &Chains) -> Result<Value, Objection> {
    clearance(&Lists::demo(), chains, &with_wallet(NOBODY, WALLET, "base"), at(0)).await
}

#[tokio::test]
async fn a_name_alone_is_a_complete_question() {
    let finding = by_lists(&named(NOBODY)).await;
    assert_eq!(outcome(&finding), ("CLEAR", vec![]));
    assert_eq!(finding["wallet_signals"], json!({"status": "not_requested"}));
    let scope = finding["scope"].as_str().unwrap();
    for words in
        ["OFAC SDN name screen", "contract status, balance, transaction count", "No wallet was given"]
    {
        assert!(scope.contains(words), "{scope}");
    }
    let finding = by_lists(&named("Viktor Anatolyevich Bout")).await;
    assert_eq!(outcome(&finding), ("BLOCK", vec!["name_match"]));
    assert_eq!(finding["name_screen"]["matches"][0]["name"], "BOUT, Viktor Anatolyevich");
    assert_eq!(outcome(&by_lists(&named("Evil Corp")).await).0, "BLOCK");
    assert_eq!(outcome(&by_lists(&named("EL CHAPO")).await), ("REVIEW", vec!["name_possible_match"]));
}

#[tokio::test]
async fn a_listed_wallet_or_name_is_blocked_without_any_node() {
    let finding = by_lists(&with_wallet(NOBODY, LISTED, "bitcoin")).await;
    assert_eq!(outcome(&finding), ("BLOCK", vec!["wallet_listed"]));
    assert_eq!(finding["wallet_screen"]["matches"][0]["name"], "LAZARUS GROUP");
    assert_eq!(finding["wallet_signals"], json!({"status": "not_needed"}));
    let finding = by_lists(&with_wallet("Viktor Anatolyevich Bout", WALLET, "base")).await;
    assert_eq!(outcome(&finding), ("BLOCK", vec!["name_match"]));
    let both = by_lists(&with_wallet("Viktor Anatolyevich Bout", LISTED, "base")).await;
    assert_eq!(outcome(&both), ("BLOCK", vec!["wallet_listed", "name_match"]));
    // Nor by nodes that only fail.
    for reply in failures() {
        let chains = chains(&[node(clean(), move |_| Some(reply.clone())).await]);
        let request = with_wallet(NOBODY, LISTED, "base");
        let finding = clearance(&Lists::demo(), &chains, &request, at(0)).await.unwrap();
        assert_eq!(outcome(&finding), ("BLOCK", vec!["wallet_listed"]));
    }
}

#[tokio::test]
async fn an_unlisted_wallet_without_a_node_has_no_answer() {
    for chain in ["ethereum", "Base", "eip155:8453", "eip155:999999"] {
        let request = with_wallet(NOBODY, WALLET, chain);
        let detail = not_offered(clearance(&Lists::demo(), &Chains::none(), &request, at(0)).await);
        assert!(detail.starts_with("no_endpoints"), "{detail}");
    }
    // Without a chain it is looked at on Ethereum.
    let request = json!({"agent": "a", "counterparty_name": NOBODY, "wallet": WALLET});
    let (base, _nodes) = all_say([clean()]).await;
    let detail = not_offered(clearance(&Lists::demo(), &base, &request, at(0)).await);
    assert!(detail.contains("eip155:1 "), "{detail}");
}

#[tokio::test]
async fn an_unlisted_wallet_of_a_chain_without_signals_is_to_be_reviewed() {
    for (wallet, chain) in [(BITCOIN, "bitcoin"), (BITCOIN, "XBT"), (WALLET, "a chain that nobody knows")] {
        let finding = by_lists(&with_wallet(NOBODY, wallet, chain)).await;
        assert_eq!(outcome(&finding), ("REVIEW", vec!["chain_signals_unsupported"]));
        assert_eq!(finding["wallet_signals"], json!({"status": "unsupported"}));
        assert!(finding["scope"].as_str().unwrap().contains("without signals"));
    }
    let request = json!({"agent": "a", "counterparty_name": NOBODY, "wallet": BITCOIN});
    assert_eq!(outcome(&by_lists(&request).await), ("REVIEW", vec!["chain_signals_unsupported"]));
}

#[tokio::test]
async fn what_contradicts_itself_is_refused_before_anything_is_paid() {
    let refused = |request: Value| async move {
        match clearance(&Lists::demo(), &Chains::none(), &request, at(0)).await {
            Err(Objection::Field(error)) => (error.path.dotted(), error.reason.code()),
            other => panic!("{other:?}"),
        }
    };
    let field = |name: &str, code| (name.to_owned(), code);
    assert_eq!(refused(with_wallet(NOBODY, BITCOIN, "ethereum")).await, field("chain", "not_applicable"));
    let mistyped = "0x098B716B8Aaf21512996dC57EB0615e2383E2f97";
    assert_eq!(refused(with_wallet(NOBODY, mistyped, "base")).await, field("wallet", "malformed"));
}

#[tokio::test]
async fn a_name_that_may_be_listed_is_reviewed_whatever_its_wallet() {
    let (chains, _nodes) = all_say([clean()]).await;
    let request = with_wallet("EL CHAPO", WALLET, "base");
    let finding = clearance(&Lists::demo(), &chains, &request, at(0)).await.unwrap();
    assert_eq!(outcome(&finding), ("REVIEW", vec!["name_possible_match"]));
}

#[tokio::test]
async fn a_stale_list_is_a_reason_to_review_and_no_reason_not_to_answer() {
    let lists = kept();
    lists.import("sdn.xml", SDN_XML, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let (chains, _nodes) = all_say([clean()]).await;
    let late = at(24 * HOUR + 1);
    for request in [named(NOBODY), with_wallet(NOBODY, WALLET, "base")] {
        let in_time = clearance(&live, &chains, &request, at(24 * HOUR)).await.unwrap();
        assert_eq!(outcome(&in_time), ("CLEAR", vec![]));
        let finding = clearance(&live, &chains, &request, late).await.unwrap();
        assert_eq!(outcome(&finding), ("REVIEW", vec!["list_stale"]));
        let at_any_age = clearance(&live.clone().at_any_age(), &chains, &request, late).await.unwrap();
        assert_eq!(
            (outcome(&at_any_age), &at_any_age["lists"][0]["age_seconds"]),
            (("CLEAR", vec![]), &json!(86_401))
        );
    }
    let listed = named("Ivan Petrovich Examplov");
    let finding = clearance(&live, &chains, &listed, late).await.unwrap();
    assert_eq!(outcome(&finding), ("BLOCK", vec!["name_match", "list_stale"]));
}

#[tokio::test]
async fn without_a_list_for_what_is_asked_there_is_no_answer() {
    let (chains, _nodes) = all_say([clean()]).await;
    let lists = kept();
    lists.import("sdn.xml", &SDN_XML.replace("Digital Currency Address - XBT", "Other"), at(0));
    let no_wallets = Lists::open(lists.path()).unwrap();
    for name in [NOBODY, "Ivan Petrovich Examplov"] {
        let request = with_wallet(name, WALLET, "base");
        let detail = unavailable(clearance(&no_wallets, &chains, &request, at(0)).await);
        assert!(detail.starts_with("no_list"), "{detail}");
    }
    assert_eq!(outcome(&clearance(&no_wallets, &chains, &named(NOBODY), at(0)).await.unwrap()).0, "CLEAR");
    for request in [named(NOBODY), with_wallet(NOBODY, LISTED, "base")] {
        let detail = unavailable(clearance(&Lists::none(), &chains, &request, at(0)).await);
        assert!(detail.starts_with("no_list"), "{detail}");
    }
}

#[tokio::test]
async fn without_the_sdn_list_nobody_is_cleared_and_no_node_is_asked() {
    let lists = kept();
    lists.import("consolidated.xml", SDN_XML, at(0));
    // Its wallets alone, under its name, answer no name.
    let row =
        r#"{"address": "123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX", "currency": "XBT", "uid": 7, "entity": "X"}"#;
    lists.import("addresses.jsonl", &format!("{row}\n"), at(0));
    let live = Lists::open(lists.path()).unwrap();
    assert_eq!(live.now().all()[0].indexed.list().name.as_str(), "OFAC SDN");
    let (clean, _nodes) = all_say([clean()]).await;
    for request in
        [named(NOBODY), with_wallet(NOBODY, WALLET, "base"), with_wallet(NOBODY, BITCOIN, "bitcoin")]
    {
        for chains in [&clean, &Chains::none()] {
            let detail = unavailable(clearance(&live, chains, &request, at(0)).await);
            assert!(detail.starts_with("no_list: OFAC SDN "), "{detail}");
        }
    }
    let finding = clearance(&live, &Chains::none(), &named("Ivan Petrovich Examplov"), at(0)).await.unwrap();
    assert_eq!(outcome(&finding), ("BLOCK", vec!["name_match"]));
    let finding = clearance(&live, &Chains::none(), &named("Vanya"), at(0)).await.unwrap();
    assert_eq!(outcome(&finding), ("REVIEW", vec!["name_possible_match"]));
    let listed = with_wallet(NOBODY, "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi", "bitcoin");
    let finding = clearance(&live, &Chains::none(), &listed, at(0)).await.unwrap();
    assert_eq!(outcome(&finding), ("BLOCK", vec!["wallet_listed"]));
}

#[tokio::test]
async fn without_the_wallets_of_the_sdn_list_a_listed_wallet_alone_is_told() {
    let lists = with_wallets_of_another_list_alone(BITCOIN, at(0));
    let live = Lists::open(lists.path()).unwrap();
    let (clean, _nodes) = all_say([clean()]).await;
    // A name that blocks does not say of a wallet that it is unlisted.
    for (name, wallet) in [(NOBODY, WALLET), (NOBODY, LISTED), ("Ivan Petrovich Examplov", WALLET)] {
        let detail = unavailable(clearance(&live, &clean, &with_wallet(name, wallet, "base"), at(0)).await);
        assert!(detail.starts_with("no_list: OFAC SDN") && detail.contains("wallets"), "{detail}");
    }
    let listed = clearance(&live, &clean, &with_wallet(NOBODY, BITCOIN, "bitcoin"), at(0)).await.unwrap();
    assert_eq!(outcome(&listed), ("BLOCK", vec!["wallet_listed"]));
    assert_eq!(outcome(&clearance(&live, &clean, &named(NOBODY), at(0)).await.unwrap()).0, "CLEAR");
}

#[tokio::test]
async fn a_question_with_a_domain_is_not_answered_where_nothing_looks_at_domains() {
    let mut request = named(NOBODY);
    request["domain"] = json!("example.com");
    let detail = not_offered(clearance(&Lists::demo(), &Chains::none(), &request, at(0)).await);
    assert!(detail.starts_with("no_domains"), "{detail}");
    let replaying = Some(Arc::new(TrustJudge::without_probes()));
    let judge = AgentClearanceJudge::new(Lists::demo(), Chains::none()).with_domains(replaying);
    match judged_with(&judge, &judge, &request, at(0)).await {
        Err(Objection::Unavailable(error)) => assert_eq!(error.module, "trust"),
        other => panic!("{other:?}"),
    }
    // The lists block without it.
    request["counterparty_name"] = json!("Viktor Anatolyevich Bout");
    let finding = by_lists(&request).await;
    assert_eq!(outcome(&finding), ("BLOCK", vec!["name_match"]));
    assert_eq!(finding["domain"], json!({"status": "not_needed", "domain": "example.com"}));
    assert!(finding["scope"].as_str().unwrap().contains("The domain was not looked at"));
}

#[tokio::test]
async fn a_replay_without_the_observations_of_the_domain_finds_nothing() {
    let judge = AgentClearanceJudge::new(Lists::demo(), Chains::none());
    let judged = judge.judge(&read(&named(NOBODY)).unwrap(), at(0).into()).await.unwrap();
    let mut request = named(NOBODY);
    request["domain"] = json!("example.com");
    let question = read::<ClearanceQuestion>(&request).unwrap();
    assert!(judge.replay(&question, &judged.evidence, at(0)).is_err());
    let forged = EvidenceBlob::new("observations", b"{}".to_vec());
    assert!(judge.replay(&question, &[judged.evidence, vec![forged]].concat(), at(0)).is_err());
}

#[tokio::test]
async fn a_replay_without_the_nodes_answers_finds_nothing() {
    let (chains, _nodes) = all_say([clean()]).await;
    let judge = AgentClearanceJudge::new(Lists::demo(), chains);
    let stranger = AgentClearanceJudge::new(Lists::none(), Chains::none());
    for (request, others) in [
        (with_wallet(NOBODY, WALLET, "base"), &[r#""unsupported""#][..]),
        (with_wallet(NOBODY, BITCOIN, "bitcoin"), &[]),
    ] {
        let question = read::<ClearanceQuestion>(&request).unwrap();
        let judged = judge.judge(&question, at(0).into()).await.unwrap();
        let handed = handed_over(&judge, &judged.evidence);
        assert_eq!(handed.iter().map(EvidenceBlob::role).collect::<Vec<_>>(), ["looked", "list", "signals"]);
        let verdict = |evidence: &[EvidenceBlob]| {
            stranger.replay(&question, evidence, at(0)).map(|finding| finding.verdict).ok()
        };
        assert_eq!(verdict(&handed), Some(judged.finding.verdict));
        assert_eq!(verdict(&handed[..2]), None);
        for forged in ["", "{}", r#"{"asked":{"chain_id":8453,"quorum":0,"nodes":[]}}"#] {
            let forged = EvidenceBlob::new("signals", forged.as_bytes().to_vec());
            assert_eq!(verdict(&[&handed[..2], &[forged]].concat()), None);
        }
        for other in others {
            let other = EvidenceBlob::new("signals", other.as_bytes().to_vec());
            assert_ne!(verdict(&[&handed[..2], &[other]].concat()), Some(judged.finding.verdict));
        }
    }
}

#[test]
fn a_wrong_field_is_named_with_a_stable_code() {
    let with = |field: &str, value: Value| {
        let mut request = with_wallet(NOBODY, WALLET, "base");
        request[field] = value;
        request
    };
    for (request, field, reason) in [
        (json!({"agent": "a"}), "counterparty_name", "missing"),
        (json!({"agent": "a", "entity": NOBODY}), "counterparty_name", "missing"),
        (json!({"agent": "a", "counterparty_name": NOBODY, "chain": "base"}), "wallet", "missing"),
        (with("counterparty_name", json!("Ltd.")), "counterparty_name", "empty"),
        (with("counterparty_name", json!(7)), "counterparty_name", "wrong_type"),
        (with("counterparty_name", json!("x".repeat(4_097))), "counterparty_name", "too_long"),
        (with("type", json!("ship")), "type", "unknown_value"),
        (with("birth_date", json!("5 May")), "birth_date", "malformed"),
        (with("country", json!(" ")), "country", "empty"),
        (with("id_number", json!(1)), "id_number", "wrong_type"),
        (with("wallet", json!(null)), "wallet", "wrong_type"),
        (with("wallet", json!("two words")), "wallet", "malformed"),
        (with("chain", json!("")), "chain", "empty"),
        (with("chain", json!("a\nb")), "chain", "malformed"),
        (with("domain", json!(7)), "domain", "wrong_type"),
        (with("domain", json!("")), "domain", "empty"),
    ] {
        let error = read::<ClearanceQuestion>(&request).unwrap_err();
        assert_eq!(error, (field.to_owned(), reason), "{request}");
        // What is left of a name is for no schema to say.
        assert_eq!(
            schema_takes::<ClearanceQuestion>(&request),
            reason == "empty" && field == "counterparty_name"
        );
    }
    let facts = json!({
        "agent": "a", "counterparty_name": NOBODY, "type": "person", "birth_date": "1961", "country": "Russia",
        "id_number": "AB 123",
    });
    assert!(schema_takes::<ClearanceQuestion>(&facts) && read::<ClearanceQuestion>(&facts).is_ok());
}
