//! `touchstone doctor`.

use peers::lab::Lab;

use super::{Said, said};
use crate::support::KEY_RECORDS;
use crate::support::claims::signed;
use crate::support::service::{BASE_URL, Launch, touchstone};

/// What it says with this table `trust` of the configuration.
fn doctor(trust: &str) -> Said {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("touchstone.toml"), format!("[trust]\n{trust}\n")).unwrap();
    let mut command = touchstone(["doctor"]);
    command.env("TOUCHSTONE_DATA_DIR", folder.path());
    said(command, "")
}

/// The lines about name servers and feeds.
fn of_names(found: &Said) -> Vec<&str> {
    let subjects = ["name server ", "validating resolver ", "feed ", "no feed "];
    let is_of_names = |line: &&str| {
        line.split_once(": ").is_some_and(|(_, text)| subjects.iter().any(|of| text.starts_with(of)))
    };
    found.out.lines().filter(is_of_names).collect()
}

#[test]
fn a_doctor_warns_of_name_servers_that_are_not_there() {
    let found = doctor("name_servers = \"127.0.0.1:1, 127.0.0.2:1\"\nvalidating_resolver = \"127.0.0.3:1\"");
    assert_eq!(found.code, Some(1), "nothing can be looked up: {found:?}");
    let lines = of_names(&found);
    let of = ["name server 127.0.0.1:1", "name server 127.0.0.2:1", "validating resolver 127.0.0.3:1"];
    assert_eq!(lines.len(), of.len() + 1, "{found:?}");
    assert!(lines[of.len()].starts_with("warning: no feed of bad names is fresh"), "{found:?}");
    for (line, of) in lines.iter().zip(of) {
        assert!(line.starts_with(&format!("warning: {of} cannot be used (no answer in time)")), "{line}");
    }
}

/// One that can be used is enough.
#[test]
fn a_doctor_fails_only_where_no_name_server_can_be_used() {
    let Some(lab) = Lab::shared("how doctor ends with one of two name servers") else { return };
    let found = doctor(&format!("name_servers = \"127.0.0.1:1, {}\"", lab.dns));
    assert_eq!(found.code, Some(0), "{found:?}");
    let found =
        doctor(&format!("name_servers = \"127.0.0.1:1\"\nvalidating_resolver = \"{}\"", lab.resolver));
    assert_eq!(found.code, Some(1), "it is asked about signatures alone: {found:?}");
}

#[test]
fn a_doctor_says_what_real_name_servers_do() {
    let Some(lab) = Lab::shared("what doctor says of real name servers") else { return };
    let found =
        doctor(&format!("name_servers = \"{}\"\nvalidating_resolver = \"{}\"", lab.dns, lab.resolver));
    assert_eq!(found.code, Some(0), "{found:?}");
    let words: Vec<(&str, &str)> =
        of_names(&found).iter().map(|line| line.split_once(": ").unwrap()).collect();
    let of = |role: &str, server| format!("{role} {server} ");
    let (plain, own) = (of("name server", lab.dns), of("validating resolver", lab.resolver));
    let expected = [
        ("ok", format!("{plain}answers")),
        ("warning", format!("{plain}validates no signatures")),
        ("ok", format!("{plain}shows the SOA of what it denies")),
        ("ok", format!("{own}answers")),
        ("ok", format!("{own}passes signatures on and validates them")),
        ("ok", format!("{own}shows the SOA of what it denies")),
        ("warning", "no feed of bad names is fresh".to_owned()),
    ];
    assert_eq!(words.len(), expected.len(), "{found:?}");
    for ((word, said), (expected_word, expected)) in words.into_iter().zip(&expected) {
        assert!(word == *expected_word && said.starts_with(expected), "{said} where {expected} is expected");
    }
}

#[test]
fn a_doctor_tells_of_each_feed_how_old_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("feed.txt");
    std::fs::write(&path, "evil.example.org\n").unwrap();
    let feeds =
        format!("name_servers = \"127.0.0.1:1\"\n[feeds]\nfiles = [{path:?}]\nfetch = [\"polkadot\"]");
    let found = doctor(&feeds);
    assert!(found.out.contains("ok: feed feed.txt is fresh: it is as of 20"), "{found:?}");
    assert!(found.out.contains("warning: feed polkadot has not been fetched yet"), "{found:?}");
    assert!(!found.out.contains("no feed of bad names is fresh"), "{found:?}");
}

#[test]
fn a_doctor_refuses_settings_that_cannot_be_read() {
    let found = doctor("name_servers = \"nobody\"");
    assert_eq!(found.code, Some(1), "{found:?}");
    assert!(found.err.contains("trust.name_servers"), "{found:?}");
}

#[test]
fn a_doctor_examines_keys_store_clock_log_and_disk_of_a_service_that_runs_and_of_one_that_was_never_started()
{
    let found = doctor("name_servers = \"127.0.0.1:1\"");
    for line in ["ok: keys: not there yet", "ok: store: not there yet", "disk: ", "service: nobody listens"] {
        assert!(found.out.contains(line), "{line}: {found:?}");
    }
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    service.claim(&signed("a"));
    let examine = || {
        let mut command = touchstone(["doctor"]);
        command.env("TOUCHSTONE_DATA_DIR", data.path()).env("TOUCHSTONE_BASE_URL", BASE_URL);
        said(command, "")
    };
    let found = examine();
    let lines = [
        "signs receipts, and the store is bound to it",
        &format!("and {} leaves", KEY_RECORDS + 1),
        "ok: clock: ",
        &format!("ok: log: its {} leaves", KEY_RECORDS + 1),
    ];
    for line in lines {
        assert!(found.out.contains(line), "{line}: {found:?}");
    }
    service.stop();
    std::fs::remove_file(data.path().join("keys/log.pem")).unwrap();
    let found = examine();
    assert!(found.code == Some(1) && found.out.contains("failure: keys: "), "{found:?}");
}
