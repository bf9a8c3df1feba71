//! `touchstone call`: pays where it is asked to, never more than it may, and shows a receipt that holds.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use serde_json::{Value, json};

use crate::command::{Said, said};
use crate::support::claims::signed;
use crate::support::http::Request;
use crate::support::notary::Notary;
use crate::support::receipt::{text, verify};
use crate::support::service::{Launch, Service, touchstone};

/// Asks a service on its loopback address.
fn call(address: SocketAddr, arguments: &[&str], input: &str) -> Said {
    let mut command = touchstone(["call"].iter().chain(arguments));
    command.env("TOUCHSTONE_SERVER", format!("http://{address}"));
    said(command, input)
}

const COMMIT: &str = r#"{"agent":"me","content":"hello"}"#;

fn income(service: &Service) -> String {
    let stats = service.get("/stats").expect(200).json();
    text(&stats["revenue"]["USDC"], "total").to_owned()
}

#[test]
fn the_dev_wallet_pays_for_a_commit_and_the_receipt_holds() {
    let service = Launch::dev().start();
    for (number, route) in ["commit", "/commit"].into_iter().enumerate() {
        let said = call(service.address, &[route, COMMIT, "--wallet", "dev"], "");
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.err.contains("paid: 0.10 USDC") && said.err.contains("receipt: verified"), "{said:?}");
        let receipt: Value = serde_json::from_str(&said.out).unwrap();
        let payment = &receipt["payment"];
        assert_eq!((text(&receipt, "verdict"), text(payment, "settlement")), ("COMMITTED", "local"));
        assert!(said.err.contains(text(payment, "payer")) && said.err.contains(text(payment, "transaction")));
        verify(&receipt, &Notary::of(&service));
        assert_eq!(income(&service), ["0.10", "0.20"][number]);
    }
}

#[test]
fn the_question_may_come_on_standard_input() {
    let service = Launch::dev().start();
    let said = call(service.address, &["commit", "-", "--wallet", "dev"], COMMIT);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(serde_json::from_str::<Value>(&said.out).unwrap()["agent"], "me");
}

#[test]
fn above_the_maximum_or_without_a_wallet_nothing_is_paid() {
    let service = Launch::dev().start();
    let above = call(service.address, &["commit", COMMIT, "--wallet", "dev", "--max-amount", "0.099999"], "");
    assert_eq!((above.code, &*above.out), (Some(1), ""), "{above:?}");
    assert!(above.err.contains("0.10 USDC") && above.err.contains("0.099999"), "{above:?}");
    let bare = call(service.address, &["commit", COMMIT], "");
    assert!(bare.code == Some(1) && bare.err.contains("--wallet"), "{bare:?}");
    assert_eq!(income(&service), "0.00");
    let exact = call(service.address, &["commit", COMMIT, "--wallet", "dev", "--max-amount", "0.1"], "");
    assert_eq!(exact.code, Some(0), "{exact:?}");
}

#[test]
fn a_free_call_costs_nothing_though_a_wallet_is_given() {
    let service = Launch::dev().start();
    let claim = signed("me").to_string();
    let free = call(service.address, &["claim-verdict", &claim, "--wallet", "dev"], "");
    assert_eq!(free.code, Some(0), "{free:?}");
    assert!(free.err.contains("paid: nothing") && free.err.contains("receipt: verified"), "{free:?}");
    let unsigned = call(service.address, &["verify", &free.out], "");
    assert_eq!(unsigned.code, Some(0), "{unsigned:?}");
    assert_eq!(serde_json::from_str::<Value>(&unsigned.out).unwrap()["valid"], true);
    assert_eq!(income(&service), "0.00");
}

#[test]
fn what_is_refused_is_shown_and_fails() {
    let service = Launch::dev().start();
    let wrong = call(service.address, &["commit", r#"{"agent":"me"}"#, "--wallet", "dev"], "");
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert_eq!(serde_json::from_str::<Value>(&wrong.out).unwrap()["field"], "content");
    assert_eq!(call(service.address, &["no-such-route", "{}"], "").code, Some(1));
    assert_eq!(income(&service), "0.00");
}

#[test]
fn a_wallet_pays_only_from_a_file_that_is_its_owners_alone() {
    let service = Launch::dev().start();
    let path = service.path("wallet");
    fs::write(&path, format!("0x{}\n", "11".repeat(32))).unwrap();
    let pay = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        call(service.address, &["commit", COMMIT, "--wallet", path.to_str().unwrap()], "")
    };
    let open = pay(0o644);
    assert!(open.code == Some(1) && open.err.contains("chmod 600"), "{open:?}");
    // A wallet that is read, and has nothing.
    let empty = pay(0o600);
    assert_eq!(empty.code, Some(1), "{empty:?}");
    assert_eq!(serde_json::from_str::<Value>(&empty.out).unwrap()["error"], "insufficient_funds");
    for said in [open, empty] {
        assert!(!said.err.contains("1111") && !said.out.contains("11111111111111"), "the key: {said:?}");
    }
}

/// A server that gives these answers, one a connection, and then what it was asked.
fn scripted(answers: Vec<String>) -> (SocketAddr, thread::JoinHandle<Vec<Asked>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = move || {
        let ask = |answer: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let asked = Asked::read(&mut BufReader::new(&mut stream));
            stream.write_all(answer.as_bytes()).unwrap();
            asked
        };
        answers.into_iter().map(ask).collect()
    };
    (address, thread::spawn(serve))
}

#[derive(Debug, PartialEq)]
struct Asked {
    proof: Option<String>,
    body: Vec<u8>,
}

impl Asked {
    fn read(reader: &mut impl BufRead) -> Self {
        let (mut proof, mut length) = (None, 0);
        for line in reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(": ") else { continue };
            match name.to_ascii_lowercase().as_str() {
                "payment-signature" => proof = Some(value.to_owned()),
                "content-length" => length = value.parse().unwrap(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        Self { proof, body }
    }
}

fn answer(status: &str, headers: &str, body: &Value) -> String {
    let body = body.to_string();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// A 402 of a development notary, with one thing changed in its terms.
fn demanding(pointer: &str, value: Value) -> String {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    let service = crate::support::service::dev();
    let quote = service.send(&Request::post("/commit", COMMIT)).expect(402);
    let terms = STANDARD.decode(quote.header("payment-required").unwrap()).unwrap();
    let mut terms: Value = serde_json::from_slice(&terms).unwrap();
    *terms.pointer_mut(pointer).unwrap() = value;
    let header = format!("PAYMENT-REQUIRED: {}\r\n", STANDARD.encode(terms.to_string()));
    answer("402 Payment Required", &header, &json!({}))
}

#[test]
fn no_proof_leaves_for_a_token_or_an_amount_that_may_not_be_paid() {
    let real = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    let unknown = "0x00000000000000000000000000000000000000aa";
    for (pointer, value, word) in [
        ("/accepts/0/asset", json!(real), "development profile only"),
        ("/accepts/0/asset", json!(unknown), "not USDC"),
        ("/accepts/0/network", json!("eip155:1"), "not USDC"),
        ("/accepts/0/amount", json!("1000001"), "--max-amount"),
        ("/accepts/0/amount", json!("18446744073709551616"), "more money"),
        ("/accepts/0/scheme", json!("upto"), "exact"),
    ] {
        let (address, server) = scripted(vec![demanding(pointer, value)]);
        let said = call(address, &["commit", COMMIT, "--wallet", "dev"], "");
        assert!(said.code == Some(1) && said.err.contains(word), "{word}: {said:?}");
        let asked = server.join().unwrap();
        assert_eq!(asked, [Asked { proof: None, body: COMMIT.into() }]);
    }
}

#[test]
fn a_settlement_that_takes_long_is_asked_for_again_with_the_same_proof() {
    let quote = demanding("/accepts/0/amount", json!("100000"));
    let busy =
        answer("503 Service Unavailable", "Retry-After: 0\r\n", &json!({"error": "payment_in_progress"}));
    let broken = String::new();
    let refused = answer("409 Conflict", "", &json!({"error": "payment_used"}));
    let (address, server) = scripted(vec![quote, busy, broken, refused]);
    let said = call(address, &["commit", COMMIT, "--wallet", "dev"], "");
    assert!(said.code == Some(1) && said.out.contains("payment_used"), "{said:?}");
    let asked = server.join().unwrap();
    assert!(asked[0].proof.is_none() && asked[1].proof.is_some(), "{asked:?}");
    assert_eq!((&asked[1], &asked[1]), (&asked[2], &asked[3]));
}

#[test]
fn who_is_never_answered_is_told_how_to_ask_without_paying_again() {
    let quote = demanding("/accepts/0/amount", json!("100000"));
    let busy = || answer("503 Service Unavailable", "Retry-After: 0\r\n", &json!({}));
    let (address, server) = scripted([quote].into_iter().chain((0..6).map(|_| busy())).collect());
    let said = call(address, &["commit", COMMIT, "--wallet", "dev"], "");
    assert_eq!(said.code, Some(1), "{said:?}");
    let asked = server.join().unwrap();
    assert!(said.err.contains(asked[6].proof.as_ref().unwrap()), "{said:?}");
}

#[test]
fn an_answer_that_is_no_receipt_of_the_question_is_not_verified() {
    let service = Launch::dev().start();
    let other = call(service.address, &["claim-verdict", &signed("other").to_string()], "").out;
    let other: Value = serde_json::from_str(&other).unwrap();
    let published = |name: &str| service.get(&format!("/.well-known/{name}")).expect(200).json();
    let (jwks, about) = (published("jwks.json"), published("service.json"));
    // A notary of an earlier version names the key of its log elsewhere.
    let mut without_log = jwks.clone();
    without_log["keys"].as_array_mut().unwrap().retain(|key| key["role"] != "log");
    for answers in [vec![&other, &jwks], vec![&other, &without_log, &about]] {
        let (address, server) =
            scripted(answers.into_iter().map(|body| answer("200 OK", "", body)).collect());
        let said = call(address, &["claim-verdict", &signed("me").to_string()], "");
        assert!(said.code == Some(1) && said.err.contains("request_hash"), "{said:?}");
        assert!(!said.err.contains("receipt: verified"), "{said:?}");
        server.join().unwrap();
    }
}

/// Passes on what is asked of a notary. The answer of the connection of this number is lost on the way.
fn losing(service: &Service, lost: usize) -> SocketAddr {
    use std::io::Read as _;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, notary) = (listener.local_addr().unwrap(), service.address);
    thread::spawn(move || {
        for (at, stream) in listener.incoming().enumerate() {
            let mut client = stream.unwrap();
            let mut there = std::net::TcpStream::connect(notary).unwrap();
            let (mut asking, mut asked) = (client.try_clone().unwrap(), there.try_clone().unwrap());
            thread::spawn(move || drop(std::io::copy(&mut asking, &mut asked)));
            let mut answer = Vec::new();
            there.read_to_end(&mut answer).unwrap();
            if at != lost {
                let _ = client.write_all(&answer);
            }
            let _ = client.shutdown(std::net::Shutdown::Both);
        }
    });
    address
}

#[test]
fn a_watch_whose_answer_was_lost_is_paid_once_and_told_to_its_payer() {
    let service = Launch::dev().configured("[routes.watch]\nfree = 0\n").start();
    let watch = r#"{"agent":"payer","entity":"Example Trading House"}"#;
    let said = call(losing(&service, 1), &["watch", watch, "--wallet", "dev"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("receipt: verified"), "{said:?}");
    let id = said.err.lines().find_map(|line| line.strip_prefix("watch: ")).expect("the id of the watch");
    let id = id.split(' ').next().unwrap();
    let shown = service.get(&format!("/watch/{id}")).expect(200).json();
    assert_eq!(text(&shown, "status"), "live");
    assert!(!said.out.contains(id), "{said:?}");
    assert_eq!(income(&service), "0.10");
}

#[test]
fn whom_it_asks_is_said_before_the_answer() {
    let service = Launch::dev().start();
    let address = service.address;
    let posted = call(address, &["claim-verdict", &signed("me").to_string()], "");
    assert!(posted.err.starts_with(&format!("asking: POST http://{address}/claim-verdict\n")), "{posted:?}");
    let nobody = crate::support::peer::Trap::on("127.0.0.1:0").unwrap().port();
    let unanswered = call(SocketAddr::from(([127, 0, 0, 1], nobody)), &["stats", "--get"], "");
    assert!(
        unanswered.err.starts_with(&format!("asking: GET http://127.0.0.1:{nobody}/stats\n")),
        "{unanswered:?}"
    );
}

#[test]
fn what_is_no_json_is_refused_before_anything_is_sent() {
    let trap = crate::support::peer::Trap::on("127.0.0.1:0").unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], trap.port()));
    for (question, input, place) in [
        ("{agent:1}", "", "line 1, column 2"),
        ("-", "{\n  \"agent\": me}", "line 2, column 12"),
        ("", "", "line 1, column 1"),
    ] {
        let said = call(address, &["commit", question, "--wallet", "dev"], input);
        assert_eq!((said.code, &*said.out), (Some(1), ""), "{said:?}");
        assert!(said.err.contains(place) && said.err.contains("nothing was sent"), "{place}: {said:?}");
    }
    let pairs = call(address, &["commit", "agent=me", "content=x"], "");
    assert!(pairs.code == Some(1) && pairs.err.contains("--get"), "{pairs:?}");
    assert_eq!(call(address, &["commit"], "").code, Some(2), "the question is wanted");
    trap.assert_untouched();
}

#[test]
fn routes_are_read_by_get_with_a_query_and_what_is_signed_is_verified() {
    let service = Launch::dev().start();
    let get = |arguments: &[&str]| call(service.address, &[arguments, &["--get"]].concat(), "");
    let stats = get(&["stats"]);
    assert_eq!(stats.code, Some(0), "{stats:?}");
    assert_eq!(serde_json::from_str::<Value>(&stats.out).unwrap()["receipts_issued"], 0);
    assert!(stats.err.contains("signs nothing"), "{stats:?}");
    let page = get(&["llms.txt"]);
    assert!(page.code == Some(0) && page.out.contains("claim-verdict"), "{page:?}");

    let receipt = service.claim(&signed("me"));
    let hash = text(&receipt, "receipt_hash");
    let pair = format!("hash={hash}");
    let object = json!({"hash": hash}).to_string();
    for question in [pair, object] {
        let verified = get(&["verify", &question]);
        assert_eq!(serde_json::from_str::<Value>(&verified.out).unwrap()["valid"], true, "{verified:?}");
    }
    let stored = get(&[&format!("receipts/{hash}")]);
    assert!(stored.code == Some(0) && stored.err.contains("receipt: verified"), "{stored:?}");
    let missing = get(&["verify"]);
    assert!(missing.code == Some(1) && missing.out.contains("hash"), "{missing:?}");
}

#[test]
fn a_receipt_that_was_asked_for_by_get_is_the_one_of_that_query() {
    let Some(lab) = peers::lab::Lab::shared("receipts that are asked for by GET") else { return };
    let service = crate::trust::Sight::of(lab).launch().start();
    let mut command = touchstone(["call", "--get", "trust-score", "domain=perfect.test", "agent=me"]);
    command.env("TOUCHSTONE_SERVER", format!("http://{}", service.address));
    let said: Said = said(command, "");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("/trust-score?domain=perfect.test&agent=me")
            && said.err.contains("receipt: verified")
    );
    assert_eq!(text(&serde_json::from_str::<Value>(&said.out).unwrap(), "domain"), "perfect.test");
}

#[test]
fn an_answer_that_does_not_come_in_time_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let said = call(address, &["stats", "--get", "--timeout", "1"], "");
    assert!(said.code == Some(1) && said.err.contains("timeout"), "{said:?}");
    for bad in ["0", "601", "x"] {
        assert_eq!(call(address, &["stats", "--get", "--timeout", bad], "").code, Some(2), "{bad}");
    }
}
