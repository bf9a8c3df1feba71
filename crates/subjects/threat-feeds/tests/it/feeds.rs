//! Published lists of bad domains, where the folder that holds them is there.

use std::fs;
use std::path::{Path, PathBuf};

use domain_name::{PublicSuffixes, Rules, Subject};
use serde_json::Value;
use tempfile::TempDir;
use threat_feeds::{FeedEntry, Feeds};
use web_address::WebAddress;

/// The member of each line, where it is there.
fn column(file: &str, member: &str, is_wanted: impl Fn(&Value) -> bool) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/safety").join(file);
    let Ok(text) = fs::read_to_string(&path) else {
        println!("passed over: there is no {}", path.display());
        return Vec::new();
    };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(is_wanted).map(|line| line[member].as_str().unwrap().to_owned()).collect()
}

fn opened(lines: &[String]) -> (TempDir, Feeds) {
    let folder = TempDir::new().unwrap();
    let path: PathBuf = folder.path().join("feed.txt");
    fs::write(&path, lines.join("\n")).unwrap();
    let feeds = Feeds::open(&[path.into()]).unwrap();
    (folder, feeds)
}

fn subject(name: &str) -> Option<Subject> {
    Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).ok()
}

fn entry(feeds: &Feeds, subject: &Subject) -> Option<FeedEntry> {
    feeds.look(subject, std::time::SystemTime::now()).remove(0).entry
}

#[test]
fn every_listed_domain_is_met_and_no_platform_that_hosts_one_is() {
    let listed = column("crypto_scam_domains.jsonl", "domain", |_| true);
    if listed.is_empty() {
        return;
    }
    let (_folder, feeds) = opened(&listed);
    let subjects: Vec<Subject> = listed.iter().filter_map(|name| subject(name)).collect();
    println!("{} of {} can be asked about", subjects.len(), listed.len());
    assert!(subjects.len() * 100 > listed.len() * 99, "{} of {}", subjects.len(), listed.len());
    for subject in &subjects {
        assert!(entry(&feeds, subject).is_some(), "{}", subject.name);
    }
    for platform in ["github.io", "pages.dev", "webflow.io", "vercel.app", "netlify.app", "weebly.com"] {
        for name in [platform.to_owned(), format!("not-listed.{platform}")] {
            assert_eq!(entry(&feeds, &subject(&name).unwrap()), None, "{name}");
        }
    }
}

#[test]
fn every_listed_page_flags_its_host_unless_it_is_shared_and_no_home_page_of_others() {
    let is_of = |source: &'static str| move |line: &Value| line["src"].as_str() == Some(source);
    let bad = column("urls.jsonl", "url", is_of("openphish/public_feed"));
    if bad.is_empty() {
        return;
    }
    let host = |url: &String| subject(WebAddress::parse(url).ok()?.host_str()?);
    let (_folder, feeds) = opened(&bad);
    let hosts: Vec<Subject> = bad.iter().filter_map(host).collect();
    // A page of a platform says nothing about the platform.
    for host in hosts.iter().filter(|host| !threat_feeds::is_shared_host(host.name.as_str())) {
        assert!(entry(&feeds, host).is_some(), "{}", host.name);
    }
    let others: Vec<Subject> =
        column("urls.jsonl", "url", is_of("opendns/public-domain-lists")).iter().filter_map(host).collect();
    let flagged = others.iter().filter(|other| entry(&feeds, other).is_some()).count();
    println!("{} bad hosts; {flagged} of {} others are flagged", hosts.len(), others.len());
    assert!(flagged * 1000 < others.len(), "{flagged} of {}", others.len());
}

#[test]
fn every_row_of_json_lines_is_found_as_an_address() {
    let listed = column("crypto_scam_domains.jsonl", "domain", |_| true);
    if listed.is_empty() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/safety/crypto_scam_domains.jsonl");
    let feeds = Feeds::open(&[path.into()]).unwrap();
    let now = std::time::SystemTime::now();
    let standing = feeds.standing(now).remove(0);
    println!("{} entries, {} malformed, {} ignored", standing.entries, standing.malformed, standing.ignored);
    let is_found = |text: &String| {
        let address = WebAddress::parse(text).unwrap();
        feeds.look_address(&address, now)[0].entry.is_some()
    };
    let lost: Vec<&String> = listed.iter().filter(|name| !is_found(name)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    for file in ["phish_urls.jsonl", "urls.jsonl"] {
        let bad = column(file, "url", |line| line["src"].as_str() != Some("opendns/public-domain-lists"));
        let (_folder, feeds) = opened(&bad);
        let lost = bad.iter().filter(|text| {
            let Ok(address) = WebAddress::parse(text) else { return false };
            feeds.look_address(&address, now)[0].entry.is_none()
                && !threat_feeds::is_shared_host(address.host_str().unwrap_or_default())
        });
        let lost: Vec<&String> = lost.collect();
        let standing = feeds.standing(now).remove(0);
        println!("{file}: {} malformed, {} ignored", standing.malformed, standing.ignored);
        assert!(lost.is_empty(), "{lost:?}");
    }
}
