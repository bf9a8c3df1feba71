//! `touchstone config check`: exit 0 where `serve` would start, and warnings about the rest.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rusqlite::Connection;

use super::Said;
use super::operations::configured;
use crate::support::claims::signed;
use crate::support::service::{BASE_URL, Launch};

fn check(folder: &Path, file: &str, settings: &[(&str, &str)]) -> Said {
    let settings = [&[("BASE_URL", BASE_URL)], settings].concat();
    configured(&["config", "check"], folder, file, &settings)
}

#[test]
fn a_store_that_serve_refuses_is_refused_and_left_as_it_is() {
    let launch = Launch::serve();
    let data = launch.data().clone();
    let service = launch.start();
    service.claim(&signed("a"));
    assert_eq!(check(data.path(), "", &[]).code, Some(0), "beside a running service too");
    service.stop();
    let path = data.path().join("store.sqlite");
    let store = || Connection::open(&path).unwrap();
    let version: i64 = store().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    store().pragma_update(None, "user_version", 99).unwrap();
    let said = check(data.path(), "", &[]);
    assert!(said.code == Some(1) && said.err.contains("its schema is of version 99"), "{said:?}");
    let refused = Launch::serve().on(&data).refused();
    assert!(refused.contains("its schema is of version 99"), "{refused}");
    store().pragma_update(None, "user_version", version).unwrap();
    let before: Vec<_> = names(data.path());
    assert_eq!(check(data.path(), "", &[]).code, Some(0));
    assert_eq!(names(data.path()), before, "the check leaves nothing behind");
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_place_that_cannot_be_written_is_refused_as_serve_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let under = file.join("store.sqlite");
    for (name, place) in [
        ("STORE", under.to_str().unwrap()),
        ("STORE", "/proc/touchstone/store.sqlite"),
        ("KEYS_DIR", "/proc/touchstone"),
        ("KEYS_DIR", file.to_str().unwrap()),
    ] {
        let said = check(folder.path(), "", &[(name, place)]);
        let parent = Path::new(place).parent().unwrap().to_str().unwrap();
        assert!(said.code == Some(1) && said.err.contains(parent), "{name} {place}: {said:?}");
        Launch::serve().set(name, place).refused();
    }
}

#[test]
fn a_filter_that_silences_all_and_a_rate_of_nothing_keep_serve_from_starting_too() {
    for (file, word) in
        [("log = \"verbose\"", "`verbose` is no level"), ("[routes.commit]\nrate = 0", "rate")]
    {
        let said = Launch::serve().configured(file).refused();
        assert!(said.contains(word), "{said}");
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(check(folder.path(), "log = \"off\"", &[]).code, Some(0));
}

#[test]
fn what_is_hardly_meant_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = check(folder.path(), "", &[]);
    assert_eq!((quiet.code, &*quiet.err), (Some(0), ""), "{quiet:?}");
    for (file, settings, word) in [
        ("listen = \"127.0.0.1:1\"\nlog = \"verbose\"", &[("LOG", "info")][..], "`verbose` is no level"),
        ("pay_to = \"0x12\"", &[("PAY_TO", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")], "pay_to"),
        ("", &[("LISEN", "127.0.0.1:1")], "did you mean TOUCHSTONE_LISTEN?"),
        ("", &[("PORT_8402_TCP_PROTO", "tcp")], "TOUCHSTONE_PORT_8402_TCP_PROTO is no setting"),
        ("", &[("BASE_URL", "http://notary.example")], "over plain http"),
    ] {
        let said = check(folder.path(), file, settings);
        assert!(
            said.code == Some(0) && said.err.contains("warning: ") && said.err.contains(word),
            "{word}: {said:?}"
        );
    }
    let store = folder.path().join("store.sqlite");
    fs::write(&store, "").unwrap();
    for path in [folder.path(), &store, &folder.path().join("touchstone.toml")] {
        let before = fs::metadata(path).unwrap().permissions();
        fs::set_permissions(path, fs::Permissions::from_mode(before.mode() | 0o002)).unwrap();
        let said = check(folder.path(), "", &[]);
        let word = format!("everybody can write {}:", path.display());
        assert!(said.code == Some(0) && said.err.contains(&word), "{word} {said:?}");
        fs::set_permissions(path, before).unwrap();
    }
}

#[test]
fn a_start_logs_the_warnings() {
    let service = Launch::dev().set("LISEN", "127.0.0.1:1").start();
    assert!(service.stop().contains("TOUCHSTONE_LISEN is no setting: did you mean TOUCHSTONE_LISTEN?"));
}
