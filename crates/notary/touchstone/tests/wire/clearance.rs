//! Clearances: the lists alone, a real chain, nodes that lie, fail and disagree, and disputes over what they said.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use payment::{Address, Network};
use peers::anvil::{ETHER, OTHER};
use peers::{Reply, Service as Peer};
use serde_json::{Value, json};

use crate::command::{Said, said};
use crate::support::HANG;
use crate::support::chain::{Chain, wait};
use crate::support::http::{Answer, Request};
use crate::support::money::{assert_earned, pays, with_proof};
use crate::support::notary::Notary;
use crate::support::receipt::{hash, text, verify};
use crate::support::service::{BASE_URL, Launch, Service, dev, touchstone};

const NOBODY: &str = "Nobody Of That Kind";
const LISTED: &str = "0x098b716b8aaf21512996dc57eb0615e2383e2f96";
/// The price.
const PRICE: u64 = 250_000;
/// A bond.
const BOND: u64 = 1_000_000;
/// What stands for a provider's key.
const KEY: &str = "node-key-5d01c7";

fn about(wallet: &str) -> Value {
    json!({"agent": "a", "counterparty_name": NOBODY, "wallet": wallet, "chain": "base"})
}

fn clear(service: &Service, wallet: &str) -> Answer {
    service.ask("/agent-clearance", &about(wallet))
}

/// The receipt of a wallet whose nodes agree, though on a busy machine one may answer too late.
fn receipt_of(service: &Service, wallet: &str) -> Value {
    let started = Instant::now();
    loop {
        let answer = clear(service, wallet);
        if answer.status != 503 || started.elapsed() > HANG {
            return answer.expect(200).json();
        }
        assert_no_answer(&answer, "no_quorum");
    }
}

/// Verdict and reasons.
fn outcome(receipt: &Value) -> (&str, Vec<&str>) {
    let reasons = receipt["reasons"].as_array().unwrap().iter();
    (text(receipt, "verdict"), reasons.map(|reason| reason.as_str().unwrap()).collect())
}

/// A configuration with these nodes of Base.
fn nodes(urls: &[&str]) -> String {
    format!("[clearance.base]\nendpoints = \"{}\"\n", urls.join(","))
}

fn launch(urls: &[&str]) -> Launch {
    Launch::dev().without_limits().set("BASE_URL", BASE_URL).configured(&nodes(urls))
}

/// That there is no answer, and why.
#[track_caller]
fn assert_no_answer(answer: &Answer, why: &str) {
    let problem = answer.problem(503);
    assert_eq!(text(&problem, "module"), "sanctions");
    assert!(text(&problem, "detail").starts_with(why), "{problem}");
    assert!(answer.header("retry-after").is_some());
}

/// A node by script, of an account that was used and has something; `result` may say something else.
fn node(result: impl Fn(&str) -> Option<Value> + Send + Sync + 'static) -> Peer {
    wait(Peer::start(move |_, request| {
        let method = request["method"].as_str().unwrap();
        let result = result(method).unwrap_or_else(|| match method {
            "eth_chainId" => json!("0x2105"),
            "eth_blockNumber" => json!("0x64"),
            "eth_getCode" => json!("0x"),
            _ => json!("0x5"),
        });
        Reply::Json(200, json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
    }))
}

#[test]
fn the_lists_alone_block_and_a_name_alone_is_cleared() {
    let service = dev();
    let ask = |body: Value| service.ask("/agent-clearance", &body).expect(200).json();
    let receipt = ask(json!({"agent": "a", "counterparty_name": NOBODY}));
    assert_eq!((text(&receipt, "class"), outcome(&receipt)), ("agent-clearance", ("CLEAR", vec![])));
    assert_eq!(receipt["wallet_signals"], json!({"status": "not_requested"}));
    assert!(text(&receipt, "scope").contains("No wallet was given"));
    verify(&receipt, &Notary::of(&service));
    assert_eq!(outcome(&ask(about(LISTED))), ("BLOCK", vec!["wallet_listed"]));
    let named = json!({"agent": "a", "counterparty_name": "Viktor Anatolyevich Bout", "wallet": OTHER});
    assert_eq!(outcome(&ask(named)), ("BLOCK", vec!["name_match"]));
    let refused = clear(&service, OTHER).problem(501);
    assert!(text(&refused, "detail").starts_with("no_endpoints"), "{refused}");
    let bitcoin = json!({
        "agent": "a", "counterparty_name": NOBODY, "wallet": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    });
    assert_eq!(outcome(&ask(bitcoin.clone())), ("REVIEW", vec!["chain_signals_unsupported"]));
    let mut contradiction = bitcoin;
    contradiction["chain"] = json!("base");
    service.ask("/agent-clearance", &contradiction).names("chain", "not_applicable");
    clear(&service, "0x098B716B8Aaf21512996dC57EB0615e2383E2f97").names("wallet", "malformed");
    let production = Launch::serve().without_limits().start();
    assert_no_answer(&clear(&production, LISTED), "no_list");
}

/// What the page of a receipt says in text: without its tags.
fn page_of(service: &Service, receipt: &Value) -> String {
    let html = service.get(&format!("/r/{}", hash(receipt))).expect(200).text();
    let section = html.split("<h2>The clearance</h2>").nth(1).unwrap();
    section.split("<h2>What this says").next().unwrap().to_owned()
}

#[test]
fn the_page_of_a_clearance_says_what_was_decided_and_on_what() {
    let node = node(|method| (method == "eth_getTransactionCount").then(|| json!("0x0")));
    let service = launch(&[&node.url()]).start();
    let receipt = receipt_of(&service, OTHER);
    assert_eq!(outcome(&receipt), ("REVIEW", vec!["wallet_fresh"]));
    let page = page_of(&service, &receipt);
    for words in [
        "Somebody should look closer",
        "<li>wallet_fresh: the wallet has sent no transaction</li>",
        "NO_MATCH: no listed name is like it",
        "NO_MATCH: no list has it",
        "<dt>chain</dt><dd>eip155:8453</dd>",
        "<dt>transactions sent</dt><dd>0</dd>",
        "<dd>1 of 1 agree; it takes 1</dd>",
        "a demonstration: nothing to rely on",
    ] {
        assert!(page.contains(words), "{words} in {page}");
    }
    let named =
        json!({"agent": "a", "counterparty_name": "<i>Viktor</i> Anatolyevich Bout", "wallet": LISTED});
    let receipt = service.ask("/agent-clearance", &named).expect(200).json();
    assert_eq!(text(&receipt, "verdict"), "BLOCK");
    let page = page_of(&service, &receipt);
    for words in ["BOUT, Viktor Anatolyevich: ", "LAZARUS GROUP: ", "(ETH)", "the lists decide without it"] {
        assert!(page.contains(words), "{words} in {page}");
    }
    assert!(!page.contains("<i>"), "{page}");
    let receipt = service.ask("/agent-clearance", &json!({"agent": "a", "counterparty_name": NOBODY}));
    let page = page_of(&service, &receipt.expect(200).json());
    assert!(page.contains("No wallet was given") && !page.contains("The wallet on the lists"), "{page}");
}

#[test]
fn a_real_chain_is_seen_as_it_is_though_one_of_three_nodes_lies() {
    let Some(chain) = Chain::start("clearances of wallets on a real chain") else { return };
    let honest = chain.node(|_, _| None);
    let liar = node(|method| (method == "eth_blockNumber").then(|| json!("0xffffffff")));
    let service = launch(&[chain.anvil.url(), &honest.url(), &liar.url()]).start();
    let [delegated, unused] = [Address::repeat_byte(0xd1), Address::repeat_byte(0xd2)];
    let code = format!("0xef0100{}", "ab".repeat(20));
    wait(chain.anvil.call("anvil_setCode", json!([delegated.to_string(), code])));
    wait(chain.anvil.call("anvil_setNonce", json!([delegated.to_string(), "0x1"])));
    wait(chain.anvil.set_ether(delegated, ETHER));
    let token = Network::base().token.to_string();
    for (wallet, verdict, reasons, status) in [
        (OTHER, "CLEAR", vec![], "none"),
        (&token, "REVIEW", vec!["wallet_contract", "wallet_fresh", "wallet_empty"], "contract"),
        (&unused.to_string(), "REVIEW", vec!["wallet_fresh", "wallet_empty"], "none"),
        (&delegated.to_string(), "CLEAR", vec![], "delegation"),
    ] {
        let receipt = receipt_of(&service, wallet);
        assert_eq!(outcome(&receipt), (verdict, reasons), "{receipt}");
        let signals = &receipt["wallet_signals"];
        assert_eq!((text(signals, "contract_status"), text(signals, "chain")), (status, "eip155:8453"));
        assert_eq!(signals["nodes"], json!({"asked": 3, "quorum": 2, "agreed": 2}));
        verify(&receipt, &Notary::of(&service));
    }
}

#[test]
fn without_a_quorum_there_is_no_answer_and_nothing_is_used_up_or_paid() {
    let down = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&down);
    let wavering = node(move |method| {
        (method == "eth_getBalance" && switch.load(Ordering::SeqCst)).then(|| json!("0x6"))
    });
    let steady = node(|_| None);
    let file = format!("{}[routes.agent-clearance]\nfree = 1\n", nodes(&[&wavering.url(), &steady.url()]));
    let service = Launch::dev().configured(&file).start();
    let ask = || clear(&service, OTHER);
    for _ in 0..2 {
        assert_no_answer(&ask(), "no_quorum: 1 of 2");
    }
    down.store(false, Ordering::SeqCst);
    assert_eq!(text(&receipt_of(&service, OTHER), "verdict"), "CLEAR");
    ask().problem(402);
    // A proof that was sent along while they disagree is as good afterwards.
    down.store(true, Ordering::SeqCst);
    let paying = with_proof(Request::json("/agent-clearance", &about(OTHER)), &pays(PRICE));
    assert_no_answer(&service.send(&paying), "no_quorum");
    assert_earned(&service, "0.00", 0, 1);
    down.store(false, Ordering::SeqCst);
    let receipt = service.send(&paying).expect(200).json();
    assert_eq!((text(&receipt, "verdict"), text(&receipt["payment"], "amount")), ("CLEAR", "0.25"));
    assert_earned(&service, "0.25", 1, 2);
}

#[test]
fn a_node_that_never_answers_holds_up_nobody_for_good() {
    let silent = wait(Peer::start(|_, _| Reply::Silence));
    let gone = wait(Peer::start(|_, _| Reply::Cut));
    let (one, two) = (node(|_| None), node(|_| None));
    let service = launch(&[&silent.url(), &one.url(), &two.url()]).start();
    let receipt = receipt_of(&service, OTHER);
    assert_eq!(outcome(&receipt), ("CLEAR", vec![]));
    assert_eq!(receipt["wallet_signals"]["nodes"], json!({"asked": 3, "quorum": 2, "agreed": 2}));
    let service = launch(&[&silent.url(), &one.url(), &gone.url()]).start();
    assert_no_answer(&clear(&service, OTHER), "no_quorum");
    assert_eq!(outcome(&receipt_of(&service, LISTED)).0, "BLOCK");
}

#[test]
fn a_dispute_finds_the_same_on_what_the_nodes_said_then() {
    let changed = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&changed);
    let node = node(move |method| {
        (method == "eth_getCode" && switch.load(Ordering::SeqCst)).then(|| json!("0x6080604052"))
    });
    let service = launch(&[&node.url()]).start();
    let cleared = receipt_of(&service, OTHER);
    let blocked = receipt_of(&service, LISTED);
    changed.store(true, Ordering::SeqCst);
    let reviewed = receipt_of(&service, OTHER);
    assert_eq!(
        [&cleared, &blocked, &reviewed].map(|receipt| outcome(receipt).0),
        ["CLEAR", "BLOCK", "REVIEW"]
    );
    for (receipt, source_changed) in [(&cleared, true), (&blocked, false), (&reviewed, false)] {
        let question = json!({"agent": "b", "receipt_hash": hash(receipt), "reason": "It was no contract."});
        let dispute = with_proof(Request::json("/dispute", &question), &pays(BOND));
        let dispute = service.send(&dispute).expect(200).json();
        assert_eq!(
            (text(&dispute, "verdict"), text(&dispute, "reason")),
            ("UPHELD", "same_verdict"),
            "{dispute}"
        );
        assert_eq!(dispute["source_changed"], source_changed, "{dispute}");
    }
}

/// Runs a command with this configuration on an empty data folder.
fn configured(arguments: &[&str], file: &str, input: &str) -> Said {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("touchstone.toml"), file).unwrap();
    let mut command = touchstone(arguments);
    command.env("TOUCHSTONE_DATA_DIR", folder.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
    said(command, input)
}

#[test]
fn nodes_that_could_decide_alone_are_not_taken_and_no_address_is_told() {
    let good =
        format!("[clearance.base]\nendpoints = \"https://one.example.com/{KEY}, https://two.example.com\"\n");
    let printed = configured(&["config", "print"], &good, "");
    assert!(printed.out.contains("clearance.base: 2 endpoints"), "{printed:?}");
    assert!(!printed.out.contains(KEY), "{printed:?}");
    assert_eq!(configured(&["config", "check"], &good, "").code, Some(0));
    let three = format!("https://one.example.com/{KEY},https://two.example.com,https://three.example.com");
    for (table, word) in [
        (format!("endpoints = \"{three}\"\nquorum = 1"), "quorum"),
        (format!("endpoints = \"{three}\"\nquorum = 4"), "quorum"),
        (format!("endpoints = \"https://one.example.com/{KEY},https://one.example.com/{KEY}2\""), "twice"),
        ("endpoints = \"\"".to_owned(), "1 to 7"),
        (format!("endpoints = \"http://one.example.com/{KEY}\""), "endpoint 1"),
        (format!("endpoints = \"https://one.example.com,{KEY}\""), "endpoint 2"),
        (format!("endpoints = [\"https://one.example.com/{KEY}\"]"), "line 2"),
        (format!("endpoints = \"https://one.example.com/{KEY}\"\nchain_id = 1"), "8453"),
        (format!("endpoints = \"https://one.example.com/{KEY}\"\nnetworks = \"10.0.0.0/99\""), "networks"),
    ] {
        let said = configured(&["config", "check"], &format!("[clearance.base]\n{table}\n"), "");
        assert_eq!(said.code, Some(1), "{said:?}");
        assert!(said.err.contains(word) && !said.err.contains(KEY), "{word}: {said:?}");
    }
    let unknown = |more: &str| {
        let file = format!("[clearance.elsewhere]\nendpoints = \"https://one.example.com\"\n{more}");
        configured(&["config", "check"], &file, "")
    };
    assert!(unknown("").err.contains("chain_id"));
    assert_eq!(unknown("chain_id = 4242\n").code, Some(0));
    assert!(!printed.out.contains(KEY));
}

#[test]
fn a_nodes_address_is_in_no_log_and_no_answer() {
    let lost = wait(Peer::start(|_, _| Reply::Text(500, "no".to_owned())));
    let service = launch(&[&format!("{}{KEY}", lost.url())]).set("LOG", "debug").start();
    let answer = clear(&service, OTHER);
    assert_no_answer(&answer, "no_quorum: 0 of 1");
    assert!(lost.requests().iter().all(|(path, _)| path.ends_with(KEY)), "{:?}", lost.requests());
    assert!(!answer.text().contains(KEY));
    let logged = service.stop();
    assert!(logged.contains("no quorum") && !logged.contains(KEY), "{logged}");
}

#[test]
fn clearances_are_judged_offline_too() {
    let Said { code, out, err } = {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("sdn.xml");
        std::fs::write(&list, include_str!("../../../../subjects/watchlist/tests/it/fixtures/sdn.xml"))
            .unwrap();
        let mut import = touchstone(["lists", "import"]);
        import.arg(&list).env("TOUCHSTONE_DATA_DIR", folder.path());
        assert_eq!(said(import, "").code, Some(0));
        let mut command = touchstone(["judge", "agent-clearance"]);
        command.env("TOUCHSTONE_DATA_DIR", folder.path());
        let lines = [
            json!({"counterparty_name": NOBODY}),
            json!({"counterparty_name": "Ivan Petrovich Examplov"}),
            json!({"counterparty_name": NOBODY, "wallet": "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi"}),
            about(OTHER),
        ];
        said(command, lines.map(|line| line.to_string()).join("\n"))
    };
    assert_eq!(code, Some(2), "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<&str> = lines[..3].iter().map(|line| text(line, "verdict")).collect();
    assert_eq!(verdicts, ["CLEAR", "BLOCK", "BLOCK"]);
    assert_eq!((&lines[3]["line"], text(&lines[3]["error"], "module")), (&json!(4), "sanctions"));
}
