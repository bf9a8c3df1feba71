use proptest::prelude::*;

use super::*;
use crate::feed::FeedEntry;
use crate::{PublicSuffixes, Rules};

fn read_all(source: impl Read) -> Result<Feed, FeedError> {
    Feed::read(source, 0)
}

fn feed(text: &[u8]) -> Feed {
    read_all(text).unwrap()
}

fn entry(feed: &Feed, name: &str) -> Option<FeedEntry> {
    let subject = Subject::parse(name, &PublicSuffixes::bundled(), &Rules::default()).unwrap();
    feed.look("feed.txt", &subject).entry
}

fn is_named(feed: &Feed, name: &str) -> bool {
    matches!(entry(feed, name), Some(FeedEntry::Name(_)))
}

#[test]
fn lines_are_names_hosts_addresses_and_comments() {
    let feed = feed(
        b"\xef\xbb\xbf# A comment with a://link\r\n\r\n  Evil-1.COM.  # why: https://example.com/\r\n*.evil-2.com\n.evil-3.com\n\
          0.0.0.0 evil-4.com evil-5.com # both\n::1\tevil-6.com\n127.0.0.1 localhost\n0.0.0.0 0.0.0.0\n\
          b\xc3\xbccher-evil.de\n192.0.2.1\nevil-1.com\nlocalhost\nhttps://evil-7.com\nHTTP://Evil-8.com:8080/#x\n\
          http://192.0.2.1/a\nhttp://[::1]/a\nevil-9.com",
    );
    for name in (1..=9).map(|n| format!("evil-{n}.com")) {
        assert!(is_named(&feed, &name), "{name}");
    }
    assert!(is_named(&feed, "bücher-evil.de"));
    assert_eq!((feed.count(), feed.malformed), (10, 0));
}

#[test]
fn the_address_of_a_page_stands_for_its_host_alone() {
    let feed = feed(b"https://Sites.example.com/view/x\nhttps://other.example.com/?q=1\n");
    assert_eq!(entry(&feed, "sites.example.com"), Some(FeedEntry::PageOf("sites.example.com".to_owned())));
    assert_eq!(entry(&feed, "other.example.com"), Some(FeedEntry::PageOf("other.example.com".to_owned())));
    assert_eq!(entry(&feed, "a.sites.example.com"), None);
    assert_eq!(entry(&feed, "example.com"), None);
}

#[test]
fn a_line_that_cannot_be_read_is_counted_and_the_rest_is_taken() {
    let long = format!("{}.example.com\n", "a".repeat(2 * usize::try_from(MAX_LINE_BYTES).unwrap()));
    let text = [
        b"good-1.com\ngood-2.com\ngood-3.com\ngood-4.com\ngood-5.com\ngood-6.com\n".as_slice(),
        b"||adblock.com^\ntwo names.com\n\xff\xfe.com\na_b.com\nftp://good.com/\n",
        long.as_bytes(),
        b"last.com",
    ];
    let feed = feed(&text.concat());
    assert_eq!((feed.count(), feed.malformed), (7, 6));
    assert!(is_named(&feed, "last.com") && !is_named(&feed, "adblock.com"));
}

#[test]
fn what_is_no_feed_is_refused() {
    for text in ["", "\n\n", "# nothing\n", "127.0.0.1 localhost\n", "192.0.2.1\n"] {
        assert!(matches!(read_all(text.as_bytes()), Err(FeedError::Empty)), "{text:?}");
    }
    let page = "<!DOCTYPE html>\n<html>\n<a href=x>evil.com</a>\nevil.com\n</html>\n";
    assert!(matches!(read_all(page.as_bytes()), Err(FeedError::NoFeed { named: 1, malformed: 4 })));
    assert!(matches!(read_all(&[0_u8; 99][..]), Err(FeedError::NoFeed { named: 0, malformed: 1 })));
}

#[test]
fn a_feed_without_an_end_is_refused() {
    assert!(matches!(read_all(io::repeat(b'a')), Err(FeedError::TooLarge)));
}

#[test]
fn a_source_that_breaks_off_is_no_feed() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("gone"))
        }
    }
    assert!(matches!(read_all(b"evil.com\n".chain(Broken)), Err(FeedError::Io(_))));
}

#[test]
fn what_was_seen_names_the_very_file() {
    let text = b"evil.com\ngood-not.com\n";
    let subject = Subject::parse("evil.com", &PublicSuffixes::bundled(), &Rules::default()).unwrap();
    let seen = feed(text).look("feed.txt", &subject);
    assert_eq!((seen.name.as_str(), seen.entries), ("feed.txt", 2));
    assert_eq!(seen.sha256, hex::encode(Sha256::digest(text)));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_all(bytes.as_slice());
    }

    #[test]
    fn no_line_panics(text in r"(\PC{0,30}|[a-z.:/#* ]{0,30}|http://\PC{0,20}\n){0,5}") {
        let _ = read_all(text.as_bytes());
    }
}
