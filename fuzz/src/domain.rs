//! Domain names, what registries say of them, and feeds of bad ones.

use std::io::Read;

use domain_name::rdap::{Bootstrap, RdapError, RdapService, Registration};
use domain_name::{DomainName, MAX_NAME_BYTES, PublicSuffixes, Rules, Subject};
use receipt::json::{Json, parse_lenient};
use threat_feeds::{Feed, FeedEntry, is_shared_host};
use web_address::WebAddress;

use crate::split::cut;

/// The most elements of a list, and characters of a text, that a registration keeps.
const MOST_LISTED: usize = 64;
const MOST_CHARS: usize = 256;

/// Names: two spellings are one name, a name that was read is read to itself, and DNS takes it as it is.
pub fn name(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let Ok(name) = DomainName::parse(text) else { return false };
    assert_eq!(DomainName::parse(name.as_str()).as_ref(), Ok(&name));
    assert_eq!(DomainName::parse(&text.to_ascii_uppercase()).as_ref(), Ok(&name));
    assert_eq!(DomainName::parse(&name.to_unicode()).as_ref(), Ok(&name));
    assert!(name.as_str().len() <= MAX_NAME_BYTES);
    assert_eq!(dns::Name::parse(name.as_str()).as_ref().map(dns::Name::as_str), Ok(name.as_str()));
    if let Some(subject) = subject(&name) {
        assert!(name.is_within(subject.registrable.as_str()));
        assert!(subject.registrable.is_within(subject.registered.as_str()));
        let owner = self::subject(&subject.registrable).expect("a registrable name can be asked about");
        assert_eq!(owner.registrable, subject.registrable);
    }
    true
}

fn subject(name: &DomainName) -> Option<Subject> {
    Subject::of(name.clone(), &PublicSuffixes::bundled(), &Rules::default()).ok()
}

/// Answers of registries: refused with a known code, or read within bounds to what is written and read as the same. A
/// part of an answer is refused, unless it lacks white space alone.
pub fn rdap(data: &[u8]) -> bool {
    let read = match Registration::parse(data) {
        Ok(read) => read,
        Err(error) => {
            assert!(RdapError::CODES.contains(&error.code()));
            return false;
        }
    };
    assert!(read.status.len() <= MOST_LISTED && read.redacted.len() <= MOST_LISTED);
    let registrar = read.registrar.iter().flat_map(|registrar| [&registrar.name, &registrar.iana_id]);
    let single = registrar.chain([&read.name]).flatten();
    let mut texts = single.chain(&read.status).chain(&read.redacted);
    assert!(texts.all(|text| text.chars().count() <= MOST_CHARS));
    let written = serde_json::to_vec(&read).expect("a registration is plain data");
    assert_eq!(serde_json::from_slice::<Registration>(&written).ok().as_ref(), Some(&read));
    if let Some(Ok(name)) = read.name.as_deref().map(DomainName::parse) {
        assert!(read.is_about(&name));
    }
    if let Ok(shorter) = Registration::parse(cut(data)) {
        assert_eq!(shorter, read);
    }
    true
}

/// The list of registries: refused, or of at least one name; whoever asks is sent to the domain's own place on a web
/// server. A part of a list is refused, unless it lacks white space alone.
pub fn bootstrap(data: &[u8]) -> bool {
    let Ok(read) = Bootstrap::parse(data) else { return false };
    assert!(read.names() > 0);
    assert!(read.publication.as_ref().is_none_or(|text| text.chars().count() <= MOST_LISTED));
    let mut sum = Bootstrap::default();
    sum.add(read.clone());
    assert_eq!(sum, read);
    for domain in listed(data).iter().filter_map(|name| DomainName::parse(&format!("example.{name}")).ok()) {
        let RdapService::At(url) = read.service(&domain) else { continue };
        assert!(matches!(url.scheme(), "http" | "https") && url.has_host(), "{url}");
        assert!(url.path().ends_with(&format!("/domain/{domain}")), "{url}");
        assert!(url.query().is_none() && url.fragment().is_none(), "{url}");
    }
    if let Ok(shorter) = Bootstrap::parse(cut(data)) {
        assert_eq!(shorter, read);
    }
    true
}

/// The names that the services of a list are given for.
fn listed(data: &[u8]) -> Vec<String> {
    let Ok(document) = parse_lenient(data) else { return Vec::new() };
    let services = document.get("services").and_then(Json::as_array).unwrap_or_default();
    let names = services.iter().filter_map(|service| service.as_array()?.first()?.as_array()).flatten();
    names.filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Feeds of bad domains.
///
/// - However its bytes arrive, a feed is the same.
/// - A name that stands alone on a line is on the feed, if it is no shared host and the feed is no JSON.
/// - The entry that a domain stands under is the domain, or a name above it.
/// - The first lines of a feed have no entry that the whole does not have, if the feed is no JSON.
/// - What matches an address is one of its expressions, or a name at or above its host.
pub fn feed(data: &[u8]) -> bool {
    let whole = Feed::read(data, 0);
    let dribbled = Feed::read(Dribble { data, step: 0 }, data.len() as u64);
    assert_eq!(whole.is_ok(), dribbled.is_ok());
    let (Ok(whole), Ok(dribbled)) = (whole, dribbled) else { return false };
    assert!(whole.count() > 0);
    let end = cut(data).iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let bare = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data).trim_ascii_start();
    let is_text = !bare.starts_with(b"{") && !bare.starts_with(b"[");
    let shorter = Feed::read(&data[..end], 0).ok().filter(|_| is_text);
    for line in data.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok()) {
        on_feed(&whole, line);
        for word in line.split(|c: char| c.is_whitespace() || c == '/') {
            let Some(subject) = DomainName::parse(word).ok().and_then(|name| subject(&name)) else {
                continue;
            };
            let seen = whole.look("feed", &subject);
            assert_eq!(seen, dribbled.look("feed", &subject));
            match &seen.entry {
                Some(FeedEntry::Name(entry)) => assert!(subject.name.is_within(entry), "{entry}"),
                Some(FeedEntry::PageOf(host)) => assert_eq!(host, subject.name.as_str()),
                Some(FeedEntry::Page(page)) => panic!("{page} is no entry of a domain"),
                // A row that names a shared host whole is no entry.
                None => assert!(
                    !is_text || word != line || is_shared_host(subject.name.as_str()),
                    "it is not on the feed"
                ),
            }
            if let Some(entry) = shorter.as_ref().and_then(|shorter| shorter.look("feed", &subject).entry) {
                // The whole may have a nearer entry.
                assert!(seen.entry.is_some(), "{entry:?} is of a part alone");
            }
        }
    }
    true
}

/// An address is matched by an expression of its own alone, or by a name at or above its host.
fn on_feed(feed: &Feed, text: &str) {
    let Ok(address) = WebAddress::parse(text) else { return };
    match feed.look_address("feed", &address).entry {
        Some(FeedEntry::Name(name)) => {
            let host = address.host_str().expect("an address without a host is on no feed");
            assert!(
                host.strip_suffix(&name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
                "{name}"
            );
        }
        Some(FeedEntry::Page(page)) => assert!(address.expressions().contains(&page), "{page}"),
        Some(FeedEntry::PageOf(host)) => panic!("{host} is no entry of an address"),
        None => {}
    }
}

/// Addresses: a canonical address is its own, and has the same host and at most 30 expressions.
pub fn address(data: &[u8]) -> bool {
    let Some(address) = str::from_utf8(data).ok().and_then(|text| WebAddress::parse(text).ok()) else {
        return false;
    };
    assert!(address.expressions().len() <= 30);
    if address.host().is_none() {
        return false;
    }
    let again = WebAddress::parse(address.canonical()).expect("a canonical address is an address");
    assert_eq!((again.canonical(), again.host()), (address.canonical(), address.host()));
    assert_eq!(again.expressions(), address.expressions());
    true
}

/// A source that gives 1 to 7 bytes at a time.
struct Dribble<'a> {
    data: &'a [u8],
    step: usize,
}

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.step = self.step % 7 + 1;
        let (now, later) = self.data.split_at(self.step.min(self.data.len()).min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.data = later;
        Ok(now.len())
    }
}
