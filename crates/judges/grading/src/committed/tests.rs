//! Tests of when a commitment holds, and when it does not.

use proptest::prelude::*;
use receipt::json::Json;
use serde_json::{Value, json};
use verdict::Fields;

use super::*;
use crate::input::Input;

const SIGNED: &str = "2026-01-05T08:00:00.000Z";
const OPENED: &str = "2026-01-05T09:00:00Z";

fn hash(number: u64) -> ReceiptHash {
    ReceiptHash::of_payload(&number.to_be_bytes())
}

fn content(number: u64, previous: Option<u64>) -> Value {
    let mut content = json!({"instrument": "XYZ", "side": "long", "opened_at": OPENED, "salt": number});
    if let Some(previous) = previous {
        content["previous"] = json!(hash(previous).to_string());
    }
    content
}

/// A trade with the commitment of that number.
fn trade(number: u64, previous: Option<u64>) -> Value {
    json!({
        "trade_id": number.to_string(), "instrument": "XYZ", "side": "long", "opened_at": OPENED,
        "closed_at": "2026-01-05T15:00:00Z", "settled": true, "pnl_net": number, "size": 10, "max_loss": 50,
        "commitment": {"receipt_hash": hash(number).to_string(), "content": content(number, previous)},
    })
}

fn read(trades: &[Value]) -> Result<Option<Commitments>, (String, &'static str)> {
    let request = receipt::json::parse(json!({ "trades": trades }).to_string().as_bytes()).unwrap();
    let Json::Object(request) = request else { panic!("an object") };
    let input = Input::read(&Fields::root(&request));
    let input = input.map_err(|error| (error.path.dotted(), error.reason.code()))?;
    Ok(Commitments::of(&input.rows))
}

fn sha256_of(content: &Value) -> String {
    let canonical = receipt::json::parse(content.to_string().as_bytes()).unwrap().canonical();
    format!("sha256:{}", hex::encode(receipt::hash::sha256(&canonical)))
}

/// The receipt of that content.
fn commit(content: &Value) -> Value {
    json!({"class": "commit", "agent": "scout", "signed_at": SIGNED, "content_hash": sha256_of(content)})
}

/// The mark of these trades, where the ledger has these payloads.
fn mark(trades: &[Value], payloads: &[Option<Value>]) -> Committed {
    let commitments = read(trades).unwrap().unwrap();
    let payloads = payloads.iter().map(|payload| Some(payload.as_ref()?.to_string().into_bytes())).collect();
    let named = NamedReceipts { agent: AgentName::parse("scout").unwrap(), payloads, of_agent: 7 };
    let receipts = CommitReceipts::of(&named);
    let kept = CommitReceipts::from_evidence(&[receipts.to_blob()], &commitments).unwrap();
    assert_eq!(kept.as_ref(), Some(&receipts), "evidence is read as it was kept");
    commitments.mark(kept.as_ref())
}

/// Trades of which each names the one before, in this order of rows.
fn series(order: &[u64]) -> (Vec<Value>, Vec<Option<Value>>) {
    let previous = |number: u64| number.checked_sub(1);
    let trades = order.iter().map(|number| trade(*number, previous(*number))).collect();
    let payloads = order.iter().map(|number| Some(commit(&content(*number, previous(*number))))).collect();
    (trades, payloads)
}

fn not_held(committed: &Committed) -> Option<(NotHeldReason, &str)> {
    assert!(committed.not_held.len() <= 1, "{committed:?}");
    committed.not_held.first().map(|one| (one.reason, &*one.first))
}

#[test]
fn a_commitment_of_the_agents_very_content_that_was_signed_before_the_trade_opened_holds() {
    let one = trade(1, None);
    let committed = mark(&[json!({"pnl_net": 1}), one], &[Some(commit(&content(1, None)))]);
    assert_eq!((committed.trades, committed.of, committed.named), (1, 2, 1));
    assert_eq!((committed.chain, committed.agent_commits), (Some(Chain::None), Some(7)));
    assert_eq!(committed.first_at.map(|at| at.to_string()).as_deref(), Some(SIGNED));
    assert_eq!(committed.not_held, []);
}

#[test]
fn a_commitment_does_not_hold_for_each_thing_that_its_receipt_says_otherwise() {
    let with = |name: &str, value: Value| {
        let mut payload = commit(&content(1, None));
        payload[name] = value;
        Some(payload)
    };
    for (payload, reason) in [
        (None, NotHeldReason::Unknown),
        (with("class", json!("claim-verdict")), NotHeldReason::NotACommit),
        (with("class", Value::Null), NotHeldReason::NotACommit),
        (with("content_hash", json!(7)), NotHeldReason::NotACommit),
        (with("signed_at", json!("soon")), NotHeldReason::NotACommit),
        (with("agent", json!("scout2")), NotHeldReason::OtherAgent),
        (with("content_hash", json!(sha256_of(&content(2, None)))), NotHeldReason::OtherContent),
        (with("signed_at", json!("2026-01-05T09:00:00.001Z")), NotHeldReason::Late),
    ] {
        let committed = mark(&[trade(1, None)], std::slice::from_ref(&payload));
        assert_eq!(not_held(&committed), Some((reason, "trades.0.commitment")), "{payload:?}");
        assert_eq!((committed.trades, committed.first_at), (0, None), "{payload:?}");
    }
    let just = mark(&[trade(1, None)], &[with("signed_at", json!("2026-01-05T09:00:00.000Z"))]);
    assert_eq!((just.trades, not_held(&just)), (1, None), "signed when it opened");
}

#[test]
fn a_commitment_without_a_side_marks_no_trade_and_one_without_a_size_is_not_counted_as_sized() {
    let mut both_ways = trade(1, None);
    both_ways.as_object_mut().unwrap().remove("side");
    both_ways["commitment"]["content"].as_object_mut().unwrap().remove("side");
    let payload = Some(commit(&both_ways["commitment"]["content"]));
    let committed = mark(&[both_ways], &[payload]);
    assert_eq!(not_held(&committed), Some((NotHeldReason::NoSide, "trades.0.commitment")));
    assert_eq!((committed.trades, committed.sized), (0, 0));

    let mut sized = trade(2, None);
    sized["commitment"]["content"]["max_loss"] = json!("50");
    let payloads = [commit(&content(1, None)), commit(&sized["commitment"]["content"])].map(Some);
    let committed = mark(&[trade(1, None), sized], &payloads);
    assert_eq!((committed.trades, committed.sized), (2, 1));
    let explained = Committed::explained(Some(&committed), "It is luck.".to_owned());
    assert!(explained.contains("2 of 2 settled trades were committed before they opened, 1 with a size"));
}

#[test]
fn without_a_ledger_nothing_is_marked_and_it_says_so() {
    let committed = read(&[trade(1, None), trade(2, None)]).unwrap().unwrap().mark(None);
    assert_eq!((committed.trades, committed.named, committed.chain), (0, 2, None));
    assert_eq!(not_held(&committed), Some((NotHeldReason::Unchecked, "trades.0.commitment")));
    assert_eq!((committed.not_held[0].trades, committed.agent_commits), (2, None));
    let explained = Committed::explained(Some(&committed), "It is luck.".to_owned());
    assert_eq!(explained, "It is luck. Its commitments (2) were not checked, since there is no ledger here.");
    assert_eq!(Committed::explained(None, "It is luck.".to_owned()), "It is luck.");
}

#[test]
fn a_content_that_does_not_say_what_its_row_says_is_refused_by_its_path() {
    let refused = |member: &str, value: Value, reason: &'static str| {
        let mut row = trade(1, None);
        row["commitment"]["content"][member] = value;
        let path = format!("trades.0.commitment.content.{member}");
        assert_eq!(read(&[row]).unwrap_err(), (path, reason));
    };
    refused("instrument", json!("ABC"), "contradictory");
    refused("instrument", Value::Null, "missing");
    refused("opened_at", json!("2026-01-05T09:00:00.000000001Z"), "contradictory");
    refused("opened_at", Value::Null, "missing");
    refused("opened_at", json!("2026-01-05"), "malformed");
    refused("side", json!("short"), "contradictory");
    refused("side", Value::Null, "missing");
    refused("size", json!(11), "contradictory");
    refused("max_loss", json!("51"), "contradictory");
    refused("stake", json!(1), "contradictory");
    refused("previous", json!("ab"), "malformed");
    let mut row = trade(1, None);
    row["commitment"]["content"]["opened_at"] = json!("2026-01-05T10:00:00+01:00");
    row["commitment"]["content"]["size"] = json!("10.0");
    assert!(read(&[row.clone()]).is_ok(), "another spelling of the same");
    row["commitment"]["content"]["note"] = json!("x".repeat(4_096));
    assert_eq!(read(&[row]).unwrap_err(), ("trades.0.commitment.content".to_owned(), "too_long"));
    for (member, path) in [("instrument", "instrument"), ("opened_at", "opened_at"), ("side", "side")] {
        let mut row = trade(1, None);
        row.as_object_mut().unwrap().remove(member);
        let path = format!("trades.0.commitment.content.{path}");
        assert_eq!(read(&[row]).unwrap_err(), (path, "contradictory"));
    }
}

#[test]
fn no_receipt_is_named_twice_and_no_more_than_may_be_read_are_named() {
    let mut again = trade(2, None);
    again["commitment"] = trade(1, None)["commitment"].clone();
    let refused = read(&[trade(1, None), again]).unwrap_err();
    assert_eq!(refused, ("trades.1.commitment.receipt_hash".to_owned(), "duplicate"));
    let most = verdict::MAX_WANTED_RECEIPTS as u64;
    let trades = |count: u64| {
        let day = |at: u64| json!(format!("2026-01-05T15:{:02}:{:02}Z", at / 60, at % 60));
        (0..count).map(move |at| {
            let mut trade = trade(at, None);
            trade["closed_at"] = day(at);
            trade
        })
    };
    assert_eq!(read(&trades(most).collect::<Vec<_>>()).unwrap().unwrap().count(), 2_000);
    assert_eq!(read(&trades(most + 1).collect::<Vec<_>>()).unwrap_err(), ("trades".to_owned(), "too_long"));
}

#[test]
fn a_malformed_commitment_is_named() {
    for (commitment, path, reason) in [
        (json!("ab"), "", "wrong_type"),
        (json!({"content": {}}), ".receipt_hash", "missing"),
        (json!({"receipt_hash": "AB", "content": {}}), ".receipt_hash", "malformed"),
        (json!({"receipt_hash": hash(1).to_string()}), ".content", "missing"),
        (json!({"receipt_hash": hash(1).to_string(), "content": "x"}), ".content", "wrong_type"),
    ] {
        let mut row = trade(1, None);
        row["commitment"] = commitment;
        assert_eq!(read(&[row]).unwrap_err(), (format!("trades.0.commitment{path}"), reason));
    }
    let mut row = trade(1, None);
    row["commitment"] = Value::Null;
    assert_eq!(read(&[row]), Ok(None));
}

#[test]
fn a_trade_that_is_not_settled_is_in_the_chain_and_is_not_counted() {
    let (mut trades, payloads) = series(&[0, 1]);
    trades[1]["settled"] = json!(false);
    for member in ["closed_at", "pnl_net"] {
        trades[1].as_object_mut().unwrap().remove(member);
    }
    let committed = mark(&trades, &payloads);
    assert_eq!((committed.trades, committed.of, committed.named), (1, 1, 2));
    assert_eq!(committed.chain, Some(Chain::Unbroken));
}

#[test]
fn a_chain_with_a_fork_a_gap_a_second_start_or_a_link_that_does_not_hold_is_broken() {
    let chain = |links: &[(u64, Option<u64>)]| {
        let trades: Vec<Value> = links.iter().map(|(number, previous)| trade(*number, *previous)).collect();
        let payloads: Vec<_> =
            links.iter().map(|(number, previous)| Some(commit(&content(*number, *previous)))).collect();
        mark(&trades, &payloads).chain.unwrap()
    };
    assert_eq!(chain(&[(0, None), (1, Some(0)), (2, Some(1))]), Chain::Unbroken);
    assert_eq!(chain(&[(0, None), (1, Some(0)), (2, Some(0))]), Chain::Broken, "a fork");
    assert_eq!(chain(&[(0, None), (2, Some(1))]), Chain::Broken, "a gap");
    assert_eq!(chain(&[(1, Some(0)), (2, Some(1))]), Chain::Broken, "the first is not there");
    assert_eq!(chain(&[(0, None), (1, Some(0)), (2, None)]), Chain::Broken, "a second start");
    assert_eq!(chain(&[(0, Some(1)), (1, Some(0))]), Chain::Broken, "a ring");
    assert_eq!(chain(&[(0, None), (1, Some(2)), (2, Some(1))]), Chain::Broken, "a ring beside the start");
    assert_eq!(chain(&[(0, None), (1, None)]), Chain::None);
    let (trades, mut payloads) = series(&[0, 1, 2]);
    payloads[2] = None;
    assert_eq!(mark(&trades, &payloads).chain, Some(Chain::Broken), "the last is not there");
}

#[test]
fn evidence_that_is_gone_or_of_other_rows_is_missing() {
    let (trades, payloads) = series(&[0, 1]);
    let commitments = read(&trades).unwrap().unwrap();
    let payloads = payloads.iter().map(|payload| payload.as_ref().map(|one| one.to_string().into_bytes()));
    let named = NamedReceipts {
        agent: AgentName::parse("scout").unwrap(),
        payloads: payloads.collect(),
        of_agent: 2,
    };
    let blob = CommitReceipts::of(&named).to_blob();
    assert_eq!(CommitReceipts::from_evidence(&[], &commitments), Ok(None));
    let gone = [EvidenceBlob::kept(ROLE, blob.sha256())];
    assert!(CommitReceipts::from_evidence(&gone, &commitments).is_err());
    let other = read(&trades[..1]).unwrap().unwrap();
    assert!(CommitReceipts::from_evidence(&[blob], &other).is_err());
}

#[test]
fn the_sentence_says_how_many_and_that_the_correction_stays() {
    let (trades, payloads) = series(&[0, 1]);
    let sentence = mark(&trades, &payloads).sentence();
    assert_eq!(
        sentence,
        "2 of 2 settled trades were committed before they opened, 0 with a size, in one unbroken chain; the correction for \
         trials stays."
    );
    assert_eq!(mark(&trades, &[None, None]).sentence(), "Its commitments (2) mark no settled trade.");
}

proptest! {
    #[test]
    fn a_whole_series_is_unbroken_in_any_order_of_rows_and_broken_without_any_but_its_last(
        order in Just((0..9_u64).collect::<Vec<_>>()).prop_shuffle(),
        dropped in 0..8_u64,
    ) {
        let (trades, payloads) = series(&order);
        prop_assert_eq!(mark(&trades, &payloads).chain, Some(Chain::Unbroken));
        let rest: Vec<u64> = order.into_iter().filter(|number| *number != dropped).collect();
        let (trades, payloads) = series(&rest);
        prop_assert_eq!(mark(&trades, &payloads).chain, Some(Chain::Broken));
    }
}
