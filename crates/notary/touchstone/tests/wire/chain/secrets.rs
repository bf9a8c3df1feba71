//! The gas key, and the addresses of node and facilitator with the keys in their paths: never in a log, an error, an
//! answer or a printed setting.

use std::fs;
use std::net::{SocketAddr, TcpListener};

use payment::Wallet;
use peers::Reply;

use crate::command::{Said, said};
use crate::support::chain::{Chain, GAS_KEY, authorization, pay_to, paying, serve, sign, wallet};
use crate::support::facilitator::{failure, nonce_of, settling, success};
use crate::support::http::{Answer, Connection, Request};
use crate::support::money::{PRICE, commit};
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

/// What stands for a provider's key.
const RPC_KEY: &str = "rpc-key-7f3a91c2";
const FACILITATOR_KEY: &str = "facilitator-key-c04d";

/// What must not be seen, in every spelling that something might print it in.
fn secrets() -> Vec<String> {
    let bytes = format!("{GAS_KEY:?}");
    let many = bytes[1..30].to_owned();
    vec![
        hex::encode(GAS_KEY),
        hex::encode_upper(GAS_KEY),
        many,
        RPC_KEY.to_owned(),
        FACILITATOR_KEY.to_owned(),
    ]
}

#[track_caller]
fn assert_discreet(what: &str, text: &str) {
    for secret in secrets() {
        let Some(at) = text.find(&secret) else { continue };
        let line = text[..at].lines().count().max(1) - 1;
        panic!("{what} has {secret}: {}", text.lines().nth(line).unwrap_or_default());
    }
}

#[track_caller]
fn assert_discreet_answer(answer: &Answer) {
    assert_discreet("an answer", &format!("{:?} {}", answer.headers, answer.text()));
}

/// All that a service tells to whoever asks.
fn assert_all_pages_are_discreet(service: &Service) {
    for page in [
        "/health",
        "/catalog",
        "/stats",
        "/openapi.json",
        "/llms.txt",
        "/.well-known/service.json",
        "/.well-known/x402.json",
        "/.well-known/x402",
        "/.well-known/jwks.json",
        "/nothing",
    ] {
        assert_discreet_answer(&service.get(page));
    }
}

/// An address that nobody answers at.
fn nobody() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Where a service shows its metrics.
fn metrics(service: &Service) -> SocketAddr {
    let said = service.said();
    let line = said.lines().find_map(|line| line.strip_prefix("metrics on http://"));
    line.and_then(|line| line.strip_suffix("/metrics")?.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// What a service says, asked for everything that makes it use its secrets, with every log line that there is.
fn assert_a_loud_service_is_discreet(launch: Launch, requests: &[Request]) {
    let service = launch.set("LOG", "trace").set("METRICS", "127.0.0.1:0").start();
    for request in requests {
        assert_discreet_answer(&service.send(request));
    }
    assert_all_pages_are_discreet(&service);
    assert_discreet_answer(
        &Connection::open(metrics(&service)).exchange(&Request::get("/metrics")).expect(200),
    );
    let log = service.stop();
    assert!(log.contains("TRACE"), "nothing was said: {log}");
    assert_discreet("the log", &log);
}

fn payment(content: &str) -> Request {
    paying(commit(content), &sign(authorization(PRICE)))
}

#[test]
fn a_service_with_a_node_keeps_them_when_all_goes_well_and_when_nothing_does() {
    let Some(chain) = Chain::start("secrets of a chain") else { return };
    let whole = chain.node(|_, _| None);
    let unfunded = {
        let poor = Wallet::from_bytes([8; 32]).unwrap();
        let mut authorization = authorization(PRICE);
        authorization.from = poor.address();
        poor.authorize(&payment::eip712::Domain::new(&payment::Network::base()), authorization)
    };
    let requests = [payment("a"), paying(commit("b"), &unfunded), payment("c")];
    let url = format!("{}v2/{RPC_KEY}", whole.url());
    assert_a_loud_service_is_discreet(chain.launch_by(&url), &requests);
    assert!(whole.requests().iter().all(|(path, _)| path.ends_with(RPC_KEY)), "the key was not used");
    assert_eq!(chain.paid(), 2 * PRICE);

    for (name, reply) in [
        ("cut", Reply::Cut),
        ("a redirect", Reply::Redirect(308, format!("http://127.0.0.1:1/{RPC_KEY}"))),
        ("an echo", Reply::Text(401, format!("no such key: {RPC_KEY}"))),
        ("not json", Reply::Text(200, format!("<a href=/v2/{RPC_KEY}>"))),
    ] {
        let broken = chain.node(move |_, _| Some(reply.clone()));
        let url = format!("{}v2/{RPC_KEY}", broken.url());
        assert_a_loud_service_is_discreet(chain.launch_by(&url), &[payment(name)]);
    }
    let nobody = format!("http://{}/v2/{RPC_KEY}", nobody());
    assert_a_loud_service_is_discreet(chain.launch_by(&nobody), &[payment("d")]);
}

#[test]
fn a_service_with_a_facilitator_keeps_them_when_all_goes_well_and_when_nothing_does() {
    let good = settling(|request| success(nonce_of(request)));
    let launch = |url: &str| serve().set("FACILITATOR", &format!("{url}{FACILITATOR_KEY}"));
    assert_a_loud_service_is_discreet(launch(&good.url()), &[payment("a")]);
    let asked = good.requests();
    assert!(asked.iter().any(|(path, _)| *path == format!("/{FACILITATOR_KEY}/settle")), "{asked:?}");

    let refusing = settling(|_| failure(200, &format!("insufficient_funds for {FACILITATOR_KEY}")));
    assert_a_loud_service_is_discreet(launch(&refusing.url()), &[payment("b")]);
    for reply in [
        Reply::Cut,
        Reply::Text(200, format!("no: {FACILITATOR_KEY}")),
        Reply::Redirect(308, format!("/{FACILITATOR_KEY}/settle")),
    ] {
        let broken = settling(move |_| reply.clone());
        assert_a_loud_service_is_discreet(launch(&broken.url()), &[payment("c")]);
    }
    let nobody = format!("http://{}/", nobody());
    assert_a_loud_service_is_discreet(launch(&nobody), &[payment("d")]);
}

#[track_caller]
fn assert_discreet_command(said: &Said) {
    assert_discreet("standard output", &said.out);
    assert_discreet("standard error", &said.err);
}

/// A folder with a configuration file, and a command on it.
fn configured(toml: &str, arguments: &[&str]) -> Said {
    let launch = Launch::serve();
    let folder = launch.data().clone();
    let key = folder.path().join("gas.key");
    fs::write(&key, hex::encode(GAS_KEY)).unwrap();
    fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let toml = toml.replace("GAS", key.to_str().unwrap());
    fs::write(folder.path().join("touchstone.toml"), toml).unwrap();
    let mut command = touchstone(arguments);
    command.env("TOUCHSTONE_DATA_DIR", folder.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
    said(command, "")
}

#[test]
fn printed_and_checked_settings_do_not_have_them() {
    let [chain, facilitator] = [
        format!(
            "rpc = \"https://node.example.com/v2/{RPC_KEY}\"\ngas_key = \"GAS\"\npay_to = \"{}\"\n",
            pay_to()
        ),
        format!(
            "rpc = \"https://node.example.com/v2/{RPC_KEY}\"\nfacilitator = \"https://x402.example.com/{FACILITATOR_KEY}\"\n\
             pay_to = \"{}\"\n",
            pay_to()
        ),
    ];
    for toml in [&chain, &facilitator] {
        for action in ["print", "check"] {
            let said = configured(toml, &["config", action]);
            assert_eq!(said.code, Some(0), "{said:?}");
            assert_discreet_command(&said);
        }
    }
    let said = configured(&chain, &["config", "print"]);
    assert!(said.out.contains("# rpc is set and not shown"), "{said:?}");
}

#[test]
fn settings_that_are_refused_are_not_repeated() {
    let node = format!("https://node.example/v2/{RPC_KEY}");
    for toml in [
        // Both back ends, neither, nobody to pay.
        format!(
            "rpc = \"{node}\"\ngas_key = \"GAS\"\nfacilitator = \"https://x402.example/{FACILITATOR_KEY}\"\n"
        ),
        format!("rpc = \"{node}\"\n"),
        format!("rpc = \"{node}\"\ngas_key = \"GAS\"\n"),
        // No addresses to call.
        format!("rpc = \"http://node.example/{RPC_KEY}\"\ngas_key = \"GAS\"\npay_to = \"{}\"\n", pay_to()),
        format!("rpc = \"ftp://node.example/{RPC_KEY}\"\ngas_key = \"GAS\"\npay_to = \"{}\"\n", pay_to()),
        format!(
            "rpc = \"https://user:{RPC_KEY}@node.example/\"\ngas_key = \"GAS\"\npay_to = \"{}\"\n",
            pay_to()
        ),
        format!("rpc = \"node {RPC_KEY}\"\ngas_key = \"GAS\"\npay_to = \"{}\"\n", pay_to()),
        format!("facilitator = \"http://x402.example/{FACILITATOR_KEY}\"\npay_to = \"{}\"\n", pay_to()),
        // No configuration file.
        format!("rpc = \"{node}\nlisten = 1\n"),
        format!("rpc = \"{node}\" gas_key = \"GAS\"\n"),
        format!("rpcs = \"{node}\"\n"),
        format!("facilitator = [\"https://x402.example/{FACILITATOR_KEY}\"]\n"),
        format!("rpc = {{ url = \"{node}\" }}\n"),
        // A key where the path of its file should be.
        format!("rpc = \"{node}\"\ngas_key = \"{}\"\npay_to = \"{}\"\n", hex::encode(GAS_KEY), pay_to()),
        format!("rpc = \"{node}\"\ngas_key = \"GAS\"\npayout_key = \"0x{}\"\n", hex::encode(GAS_KEY)),
    ] {
        for arguments in [&["config", "check"][..], &["serve", "--listen", "127.0.0.1:0"]] {
            let said = configured(&toml, arguments);
            assert_ne!(said.code, Some(0), "{toml} {said:?}");
            assert_discreet_command(&said);
        }
    }
}

#[test]
fn a_gas_key_that_cannot_be_used_is_not_repeated() {
    let Some(chain) = Chain::start("refused gas keys") else { return };
    let good = hex::encode(GAS_KEY);
    for (text, mode) in [(good.clone(), 0o644), (format!("{good}00"), 0o600), (format!("key={good}"), 0o600)]
    {
        fs::write(chain.gas_key(), text).unwrap();
        fs::set_permissions(chain.gas_key(), std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        assert_discreet("the refusal", &chain.launch().refused());
    }
}

#[test]
fn help_does_not_show_what_the_environment_holds() {
    let mut command = touchstone(["serve", "--help"]);
    command.env("TOUCHSTONE_RPC", format!("https://node.example/v2/{RPC_KEY}"));
    command.env("TOUCHSTONE_FACILITATOR", format!("https://x402.example/{FACILITATOR_KEY}"));
    let said = said(command, "");
    assert_eq!(said.code, Some(0));
    assert!(said.out.contains("TOUCHSTONE_RPC"), "{said:?}");
    assert_discreet_command(&said);
}

#[test]
fn a_receipt_does_not_say_how_it_was_reached() {
    let Some(chain) = Chain::start("what a receipt says of its settlement") else { return };
    let node = chain.node(|_, _| None);
    let service = chain.launch_by(&format!("{}v2/{RPC_KEY}", node.url())).start();
    let payment = service.send(&payment("a")).expect(200).json()["payment"].to_string();
    let gas = Wallet::from_bytes(GAS_KEY).unwrap().address().to_string();
    for word in ["127.0.0.1", "http", &gas, RPC_KEY] {
        assert!(!payment.contains(word), "{payment}");
    }
    assert!(payment.contains(&wallet().address().to_string()), "{payment}");
}
