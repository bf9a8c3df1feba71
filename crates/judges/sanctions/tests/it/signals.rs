//! What nodes say of a wallet, and what follows from it: those that agree decide, and no others.

use peers::{Reply, Service};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::clearance::{LISTED, asked, outcome};
use crate::common::unavailable;
use crate::nodes::{self, METHODS, State, all_say, chains, clean, contract, failures, honest, node};

#[tokio::test]
async fn what_is_well_used_and_has_something_is_clear() {
    let (chains, _nodes) = all_say([clean(), clean(), clean()]).await;
    let finding = asked(&chains).await.unwrap();
    assert_eq!(outcome(&finding), ("CLEAR", vec![]));
    let signals = json!({
        "status": "observed",
        "chain": "eip155:8453",
        "block": 1_000,
        "contract_status": "none",
        "code_bytes": 0,
        "balance": "1000000000000000000",
        "transaction_count": 5,
        "nodes": {"asked": 3, "quorum": 2, "agreed": 3},
    });
    assert_eq!(finding["wallet_signals"], signals);
    assert_eq!(finding["wallet_screen"]["verdict"], "NO_MATCH");
    assert!(finding["evidence"]["signals"].is_string());
}

#[tokio::test]
async fn each_signal_gives_what_the_rules_say() {
    let delegation = |to: &str| State { code: format!("0xef0100{}", to.trim_start_matches("0x")), ..clean() };
    let fresh = State { count: "0x0".to_owned(), ..clean() };
    let empty = State { balance: "0x0".to_owned(), ..clean() };
    let nothing = State { balance: "0x0".to_owned(), ..fresh.clone() };
    for (state, verdict, reasons, status) in [
        (contract(), "REVIEW", vec!["wallet_contract"], "contract"),
        (fresh, "REVIEW", vec!["wallet_fresh"], "none"),
        (empty, "REVIEW", vec!["wallet_empty"], "none"),
        (nothing, "REVIEW", vec!["wallet_fresh", "wallet_empty"], "none"),
        (delegation(&"ab".repeat(20)), "CLEAR", vec![], "delegation"),
        (delegation(LISTED), "REVIEW", vec!["delegate_listed"], "delegation"),
        (delegation(&"ab".repeat(21)), "REVIEW", vec!["wallet_contract"], "contract"),
    ] {
        let delegate = state.code.strip_prefix("0xef0100").map(|to| format!("0x{to}"));
        let (chains, _nodes) = all_say([state]).await;
        let finding = asked(&chains).await.unwrap();
        assert_eq!(outcome(&finding), (verdict, reasons));
        assert_eq!(finding["wallet_signals"]["contract_status"], status);
        let named = finding["wallet_signals"]["delegate"].as_str().map(str::to_owned);
        assert_eq!(named, delegate.filter(|_| status == "delegation"));
    }
}

#[tokio::test]
async fn one_node_that_lies_decides_nothing() {
    // Of three it is outvoted, whichever it is and whatever it lies about.
    let lies = [
        contract(),
        State { balance: "0x0".to_owned(), ..clean() },
        State { count: "0x0".to_owned(), ..clean() },
        State { head: 9_000_000, ..contract() },
        State { head: 3, ..contract() },
        State { chain: "0x1".to_owned(), ..contract() },
    ];
    for (place, lie) in lies.into_iter().enumerate() {
        let mut states = vec![clean(), clean()];
        states.insert(place % 3, lie.clone());
        let (chains, _nodes) = all_say(states).await;
        let finding = asked(&chains).await.unwrap();
        assert_eq!(
            (outcome(&finding), &finding["wallet_signals"]["block"]),
            (("CLEAR", vec![]), &json!(1_000))
        );
        // Of two there is no answer.
        let (chains, _nodes) = all_say([lie, clean()]).await;
        assert!(unavailable(asked(&chains).await).starts_with("no_quorum"));
    }
}

#[tokio::test]
async fn the_block_is_the_newest_that_all_have_who_do_not_lag() {
    let (chains, nodes) = all_say([nodes::at(1_000), nodes::at(984), nodes::at(998)]).await;
    assert_eq!(asked(&chains).await.unwrap()["wallet_signals"]["block"], 984);
    let asked_at = nodes.iter().flat_map(Service::requests).map(|(_, request)| request["params"][1].clone());
    let asked_at: Vec<Value> = asked_at.filter(|block| !block.is_null()).collect();
    assert_eq!(asked_at, vec![json!("0x3d8"); 9]);
    // One block further behind, it is not asked any more.
    let (chains, _nodes) = all_say([nodes::at(1_000), nodes::at(983), nodes::at(1_000)]).await;
    let finding = asked(&chains).await.unwrap();
    let agreed = &finding["wallet_signals"]["nodes"]["agreed"];
    assert_eq!((&finding["wallet_signals"]["block"], agreed), (&json!(1_000), &json!(2)));
    // Nor can a quorum be made with it: what it sees may be long past.
    let (chains, _nodes) = all_say([nodes::at(1_000), nodes::at(983)]).await;
    assert!(unavailable(asked(&chains).await).starts_with("no_quorum"));
}

#[tokio::test]
async fn numbers_that_no_receipt_could_hold_are_not_believed() {
    for state in [
        State { head: u64::MAX, ..clean() },
        State { count: "0x20000000000000".to_owned(), ..clean() },
        State { chain: "0x10000000000002105".to_owned(), ..clean() },
    ] {
        let (chains, _nodes) = all_say([state]).await;
        assert!(unavailable(asked(&chains).await).starts_with("no_quorum"));
    }
    let most =
        State { balance: format!("0x{}", "f".repeat(64)), count: "0x1fffffffffffff".to_owned(), ..clean() };
    let (chains, _nodes) = all_say([most]).await;
    let finding = asked(&chains).await.unwrap();
    assert_eq!(finding["wallet_signals"]["transaction_count"], 9_007_199_254_740_991_u64);
    assert_eq!(finding["wallet_signals"]["balance"].as_str().unwrap().len(), 78);
}

#[tokio::test]
async fn an_answer_longer_than_any_right_one_is_not_kept() {
    let padded = |bytes: usize| {
        node(clean(), move |method| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":"0x5"}}{}"#, " ".repeat(bytes));
            (method == "eth_getBalance").then_some(Reply::Text(200, text))
        })
    };
    assert!(asked(&chains(&[padded(1_000).await])).await.is_ok());
    assert!(unavailable(asked(&chains(&[padded(5_000).await])).await).starts_with("no_quorum"));
    // The code of the largest contracts is read.
    let large = State { code: format!("0x{}", "60".repeat(65_536)), ..contract() };
    let (chains, _nodes) = all_say([large]).await;
    assert_eq!(asked(&chains).await.unwrap()["wallet_signals"]["code_bytes"], 65_536);
}

/// What a node does. The truth is that the wallet is a contract.
#[derive(Clone, Debug)]
enum Conduct {
    Honest,
    /// Says that it is a clean account, with a head so far off.
    Lies(i64),
    /// Gives a failure in answer to one method, to all of them, and lies with the rest.
    Fails(Option<usize>, usize),
}

fn conduct() -> impl Strategy<Value = Conduct> {
    let method = proptest::option::of(0..METHODS.len());
    prop_oneof![
        Just(Conduct::Honest),
        prop_oneof![Just(0), -20..20_i64, Just(1_000_000), Just(-900)].prop_map(Conduct::Lies),
        (method, 0..failures().len()).prop_map(|(method, failure)| Conduct::Fails(method, failure)),
    ]
}

async fn conducted(conduct: Conduct) -> Service {
    match conduct {
        Conduct::Honest => honest(contract()).await,
        Conduct::Lies(off) => honest(nodes::at(1_000_u64.saturating_add_signed(off))).await,
        Conduct::Fails(method, failure) => {
            let reply: Reply = failures().swap_remove(failure);
            node(clean(), move |asked| {
                method.is_none_or(|method| METHODS[method] == asked).then(|| reply.clone())
            })
            .await
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nodes that lie or fail, fewer than a quorum of them, never clear a wallet, whatever becomes of the others.
    #[test]
    fn no_combination_of_failing_nodes_ever_clears(conducts in proptest::collection::vec(conduct(), 1..6)) {
        let quorum = conducts.len() / 2 + 1;
        let lying = conducts.iter().filter(|conduct| matches!(conduct, Conduct::Lies(_))).count();
        let honest = conducts.iter().filter(|conduct| matches!(conduct, Conduct::Honest)).count();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let answer = runtime.block_on(async {
            let mut nodes = Vec::new();
            for conduct in conducts {
                nodes.push(conducted(conduct).await);
            }
            asked(&chains(&nodes)).await
        });
        let verdict = answer.as_ref().ok().map(|finding| finding["verdict"].as_str().unwrap());
        if lying < quorum {
            prop_assert_ne!(verdict, Some("CLEAR"));
        }
        if honest >= quorum {
            prop_assert_eq!(verdict, Some("REVIEW"));
        }
        if lying < quorum && honest < quorum {
            prop_assert!(unavailable(answer).starts_with("no_quorum"));
        }
    }
}
