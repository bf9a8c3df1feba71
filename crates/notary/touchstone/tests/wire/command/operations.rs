//! Configuration, health checks, completions, manual pages.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use super::{Said, said};
use crate::support::KEY_RECORDS;
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, dev, production, touchstone};

/// Runs with this configuration file and these settings.
pub fn configured(arguments: &[&str], folder: &Path, file: &str, settings: &[(&str, &str)]) -> Said {
    fs::write(folder.join("touchstone.toml"), file).unwrap();
    let mut command = touchstone(arguments);
    command.env("TOUCHSTONE_DATA_DIR", folder);
    command.envs(settings.iter().map(|(name, value)| (format!("TOUCHSTONE_{name}"), value)));
    said(command, "")
}

/// The value that `config print` gives for a setting.
fn value(said: &Said, name: &str) -> String {
    let mut settings = said.out.lines().filter_map(|line| line.trim_start_matches("# ").split_once(" = "));
    let setting = settings.find(|(known, _)| *known == name);
    setting.unwrap_or_else(|| panic!("{name} in {said:?}")).1.trim_matches('"').to_owned()
}

#[test]
fn a_flag_stands_above_the_environment_that_above_the_file_that_above_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let file = "listen = \"127.0.0.1:1001\"\nlog = \"warn\"\nbase_url = \"https://file.example\"\n[routes.claim-verdict]\nprice = \"0.07\"\n";
    let settings = [("LISTEN", "127.0.0.1:1002"), ("BASE_URL", "https://environment.example")];
    let said = configured(&["config", "print", "--listen", "127.0.0.1:1003"], folder.path(), file, &settings);
    assert_eq!(said.code, Some(0), "{said:?}");
    let values = ["listen", "base_url", "log", "limits", "metrics"].map(|name| value(&said, name));
    assert_eq!(values, ["127.0.0.1:1003", "https://environment.example", "warn", "on", "off"]);
    assert!(said.out.contains("routes.claim-verdict") && said.out.contains("0.07"), "{said:?}");
}

#[test]
fn the_defaults_are_those_that_are_published() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = touchstone(["config", "print"]);
    command.current_dir(folder.path());
    let said = said(command, "");
    assert_eq!(
        (value(&said, "listen"), value(&said, "data_dir")),
        ("127.0.0.1:8402".to_owned(), "touchstone-data".to_owned())
    );
    assert!(!folder.path().join("touchstone-data").exists(), "asking makes nothing");
}

#[test]
fn a_configuration_file_that_is_named_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let (named, data) = (folder.path().join("typo.toml"), folder.path().join("data"));
    let commands: [&[&str]; 5] =
        [&["serve"], &["dev"], &["config", "check"], &["config", "print"], &["lists", "status"]];
    for arguments in commands {
        for by_flag in [true, false] {
            let mut command = touchstone(arguments);
            if by_flag {
                command.arg("--config").arg(&named)
            } else {
                command.env("TOUCHSTONE_CONFIG", &named)
            };
            command.env("TOUCHSTONE_DATA_DIR", &data).env("TOUCHSTONE_BASE_URL", BASE_URL);
            command.env("TOUCHSTONE_LISTEN", "127.0.0.1:0");
            let said = said(command, "");
            assert_eq!((said.code, &*said.out), (Some(1), ""), "{said:?}");
            assert!(said.err.contains(named.to_str().unwrap()), "{said:?}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
        }
    }
}

#[test]
fn a_service_with_a_named_configuration_goes_by_it_and_writes_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("named.toml");
    fs::write(&named, "[routes.claim-verdict]\nprice = \"0.07\"\n").unwrap();
    let service = Launch::dev().set("CONFIG", named.to_str().unwrap()).start();
    let catalog = service.get("/catalog").expect(200).json();
    let routes = catalog["routes"].as_array().unwrap();
    let line = routes.iter().find(|route| route["class"] == "claim-verdict").unwrap();
    assert_eq!(line["price"]["amount"], "0.07");
    assert!(!service.path("touchstone.toml").exists());
}

/// Settings of every kind, with addresses that hold keys.
const EVERYTHING: &str = r#"
base_url = "https://notary.example"
proxies = "10.0.0.0/8"
pay_to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
rpc = "https://node.example/s3cret"
gas_key = "/etc/gas.key"
confirmations = 3
max_fee_gwei = 20
facilitator = "https://pay.example/s3cret"
settlement_networks = "10.1.0.0/16,fd00::/8"
lists_source = "https://lists.example/s3cret/"
lists_refresh = "1h 30m"
log_format = "json"
[lists.un]
[lists.eu]
source = "https://copy.example/s3cret/"
[clearance.base]
endpoints = "https://one.example/s3cret,https://two.example/s3cret"
quorum = 2
[trust]
name_servers = "192.0.2.53"
validating_resolver = "127.0.0.1:53"
[trust.laboratory]
suffixes = ["test"]
[feeds]
files = ["/etc/phishing.txt"]
fetch = ["polkadot", { preset = "urlhaus", key = "s3cret", accept_terms = true }]
[routes.claim-verdict]
price = "0.07"
rate = 20
"#;

#[test]
fn what_is_printed_is_toml_with_every_setting_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let print = |file: &str| configured(&["config", "print"], folder.path(), file, &[]);
    let all = print(EVERYTHING);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(!all.out.contains("s3cret"), "{all:?}");
    for hidden in [
        "# rpc is set",
        "# facilitator is set",
        "# lists_source is set",
        "lists.example",
        "# lists.eu: from",
        "2 endpoints",
    ] {
        assert!(all.out.contains(hidden), "{hidden}: {all:?}");
    }
    let (given, printed): (toml::Table, toml::Table) =
        (EVERYTHING.parse().unwrap(), all.out.parse().unwrap());
    for (name, value) in &given {
        match name.as_str() {
            "rpc" | "facilitator" | "lists_source" => assert_eq!(printed.get(name), None),
            "lists" => assert_eq!(
                printed[name],
                toml::Value::from("un = {}\neu = {}".parse::<toml::Table>().unwrap())
            ),
            "clearance" => assert_eq!(printed[name]["base"]["quorum"], value["base"]["quorum"]),
            "feeds" => {
                assert_eq!(printed[name]["files"], value["files"]);
                let fetch = &printed[name]["fetch"];
                assert_eq!(fetch[0], value["fetch"][0]);
                assert_eq!(fetch[1]["key"], toml::Value::from("(not shown)"));
            }
            _ => assert_eq!(printed[name], *value, "{name}"),
        }
    }
    // Without what is hidden it can be the file itself.
    let without: String =
        EVERYTHING.lines().filter(|line| !line.contains("s3cret")).map(|line| format!("{line}\n")).collect();
    let without = without.replace("[clearance.base]\nquorum = 2\n", "");
    let printed = print(&without);
    assert_eq!((printed.code, print(&printed.out).out), (Some(0), printed.out));
}

#[test]
fn every_default_that_the_commented_file_gives_can_be_filled_in_as_it_stands() {
    let service = Launch::dev().start();
    let file = fs::read_to_string(service.path("touchstone.toml")).unwrap();
    let settings = file.split("#[routes.").next().unwrap();
    let given: Vec<&str> = settings
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .filter(|line| !line.starts_with(' ') && !line.ends_with("= \"\""))
        .collect();
    for line in ["confirmations = 2", "max_fee_gwei = 10", "listen = \"127.0.0.1:8402\""] {
        assert!(given.contains(&line), "{line}: {given:?}");
    }
    let folder = service.data.path();
    let print = |file: &str| configured(&["config", "print"], folder, file, &[]);
    let filled_in = print(&given.join("\n"));
    assert_eq!((filled_in.code, filled_in.out), (Some(0), print("").out));
}

#[test]
fn a_check_passes_where_serve_would_start_and_says_what_is_wrong_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let check = |file: &str, settings: &[(&str, &str)]| {
        configured(&["config", "check"], folder.path(), file, settings)
    };
    let base = ("BASE_URL", BASE_URL);
    let good = check("", &[base]);
    assert!(good.code == Some(0) && good.out.contains("ok") && good.out.contains(BASE_URL), "{good:?}");
    let checksummed = check("", &[base, ("PAY_TO", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")]);
    assert_eq!(checksummed.code, Some(0), "{checksummed:?}");
    for (file, settings, word) in [
        ("", &[][..], "TOUCHSTONE_BASE_URL"),
        ("", &[("BASE_URL", "https://notary.example/path")], "base_url"),
        ("", &[base, ("LIMITS", "off"), ("LISTEN", "0.0.0.0:80")], "limits"),
        ("", &[base, ("PAY_TO", "0x12")], "pay_to"),
        (
            "",
            &[base, ("PAY_TO", "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed")],
            "pay_to must have the checksum",
        ),
        ("", &[base, ("PAY_TO", "0x0000000000000000000000000000000000000000")], "pay_to must not be"),
        ("", &[base, ("PROXIES", "10.0.0.0/99")], "proxies"),
        ("nonsense = 1", &[base], "nonsense"),
        ("listen = ", &[base], "touchstone.toml"),
        ("[routes.nothing]\nrate = 1", &[base], "routes.nothing"),
        ("[routes.claim-verdict]\nprice = \"0\"", &[base], "price"),
        ("[routes.claim-verdict]\nprice = \"0.0000001\"", &[base], "price"),
        ("[routes.commit]\nfree = 3", &[base], "free"),
        ("[routes.trust-score]\nprice = \"1\"", &[base], "free"),
        ("[routes.claim-verdict]\nrate = 0", &[base], "routes.claim-verdict.rate must be more than 0"),
        ("log = \"verbose\"", &[base], "`verbose` is no level"),
    ] {
        let said = check(file, settings);
        assert_eq!(said.code, Some(1), "{file} {settings:?}: {said:?}");
        assert!(said.err.contains(word), "{word}: {said:?}");
    }
}

#[test]
fn the_configured_price_free_calls_and_rate_are_those_that_hold() {
    let launch = Launch::dev();
    let file = "[routes.claim-verdict]\nprice = \"0.07\"\nfree = 1\nrate = 2\n";
    fs::write(launch.data().path().join("touchstone.toml"), file).unwrap();
    let service = launch.start();
    let ask = || service.ask("/claim-verdict", &crate::support::claims::signed("a"));
    ask().expect(200);
    let problem = ask().problem(402);
    assert_eq!(problem["accepts"][0]["amount"], "0.07");
    let refused = ask();
    refused.problem(429);
    assert_eq!(refused.header("ratelimit-policy"), Some(r#""claim-verdict";q=2;w=60"#));
    let catalog = service.get("/catalog").json();
    let line =
        catalog["routes"].as_array().unwrap().iter().find(|route| route["class"] == "claim-verdict").unwrap();
    assert_eq!((&line["price"]["amount"], &line["rate_limit"]["requests"]), (&"0.07".into(), &2.into()));
}

#[test]
fn a_healthcheck_tells_health_from_its_absence_and_from_no_answer() {
    let service = dev();
    let healthy = said(service.command(["healthcheck"]), "");
    assert!(healthy.code == Some(0) && healthy.out.contains(r#""status":"ok""#), "{healthy:?}");
    let nobody = crate::support::peer::Trap::on("127.0.0.1:0").unwrap().port();
    let check = |port: u16| {
        let mut command = service.command(["healthcheck"]);
        command.env("TOUCHSTONE_LISTEN", format!("127.0.0.1:{port}"));
        said(command, "")
    };
    let unasked = check(nobody);
    assert!(unasked.code == Some(2) && unasked.err.contains(&format!("127.0.0.1:{nobody}")), "{unasked:?}");
    for (status, code) in [("503 Service Unavailable", 1), ("404 Not Found", 2)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            assert!(stream.read(&mut asked).unwrap() > 0);
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}")
                .unwrap();
        });
        let said = check(port);
        assert_eq!((said.code, said.out.trim()), (Some(code), "{}"), "{status}: {said:?}");
        server.join().unwrap();
    }
    let mut command = service.command(["healthcheck"]);
    command.env("TOUCHSTONE_LISTEN", "nowhere");
    assert_eq!(said(command, "").code, Some(2));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = said(touchstone(["completions", shell]), "");
        assert!(said.code == Some(0) && said.out.contains("healthcheck"), "{shell}");
    }
    assert_eq!(said(touchstone(["completions", "nosuch"]), "").code, Some(2));
}

#[test]
fn the_manual_is_printed_or_written_a_page_a_command() {
    let said_of = said(touchstone(["man"]), "");
    assert!(said_of.code == Some(0) && said_of.out.contains(".TH touchstone"), "{said_of:?}");
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    assert_eq!(said(touchstone(["man", "--out", pages.to_str().unwrap()]), "").code, Some(0));
    for page in ["touchstone.1", "touchstone-verify.1", "touchstone-judge.1", "touchstone-dev.1"] {
        assert!(pages.join(page).exists(), "{page}");
    }
}

#[test]
fn an_unknown_command_or_flag_is_refused_with_the_usage() {
    for arguments in [
        &[][..],
        &["nothing"],
        &["dev", "--nothing"],
        &["dev", "--limits", "perhaps"],
        &["judge", "claim-verdict", "--threads", "0"],
    ] {
        let said = said(touchstone(arguments), "");
        assert!(said.code == Some(2) && said.err.contains("--help"), "{said:?}");
    }
    let version = said(touchstone(["--version"]), "");
    assert!(version.code == Some(0) && version.out.starts_with("touchstone "), "{version:?}");
}

#[test]
fn the_openapi_document_is_the_one_that_is_served() {
    let service = production();
    let served = service.get("/openapi.json").expect(200).json();
    let mut command = service.command(["openapi"]);
    command.env("TOUCHSTONE_BASE_URL", BASE_URL);
    let printed = said(command, "");
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let printed: serde_json::Value = serde_json::from_str(&printed.out).unwrap();
    assert!(text(&printed, "openapi").starts_with("3.1"));
    assert!(printed == served, "the two differ");
}

#[test]
fn metrics_are_served_on_their_own_address_and_only_there() {
    let service = Launch::dev().set("METRICS", "127.0.0.1:0").start();
    service.claim(&crate::support::claims::signed("a"));
    service.get("/metrics").problem(404);
    let scrape = crate::support::scrape::of(&service);
    assert_eq!(scrape.sum("touchstone_log_size", &[]), Some(KEY_RECORDS as f64 + 1.0));
}
