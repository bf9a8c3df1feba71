use domain_name::Rules;
use proptest::prelude::*;

use super::*;

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
    assert_eq!((feed.count(), feed.malformed), (12, 0));
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
    assert_eq!((feed.count(), feed.malformed), (9, 4));
    assert!(is_named(&feed, "last.com") && is_named(&feed, "adblock.com"));
}

#[test]
fn rules_of_ad_blockers_count_where_they_hold_for_whole_hosts_or_pages() {
    let feed = feed(
        b"\xef\xbb\xbf[Adblock Plus 2.0]\r\n! Last modified: 2 Jan 2026 10:11 UTC\r\n||Evil-1.com^\r\n||evil-2.com^$document,popup\r\n\
          ||evil-3.com/login^\r\n||b\xc3\xbccher-evil.de^$all\r\n||evil-4.com|\r\n@@||good.com^\r\n||good.com^\r\n\
          ||ads.com^$third-party\r\n||ads-*.com^\r\n/banner/*\r\n",
    );
    for name in ["evil-1.com", "evil-2.com", "b\u{fc}cher-evil.de", "evil-4.com"] {
        assert!(is_named(&feed, name), "{name}");
    }
    assert_eq!(hit(&feed, "evil-3.com/login"), Some(FeedEntry::Page("evil-3.com/login".to_owned())));
    assert_eq!(
        (entry(&feed, "good.com"), entry(&feed, "ads.com"), hit(&feed, "evil-3.com")),
        (None, None, None)
    );
    assert_eq!((feed.count(), feed.malformed, feed.ignored), (5, 3, 1));
    assert_eq!(feed.stated.map(stated::text).as_deref(), Some("2026-01-02T10:11:00Z"));
}

#[test]
fn names_may_have_a_port_a_path_a_final_dot_and_large_letters() {
    let feed = feed(
        b"EVIL-1.com:8080\r\nevil-2.com./\r\nevil-3.com/Login?x=1\r\n192.0.2.1:81\r\n0.0.0.0 EVIL-4.COM.\r\nXN--BCHER-EVIL-9DB.de\r\n\
          evil-5.com:port\r\n[2001:db8::1]\r\n2001:db8::2\r\n",
    );
    for name in ["evil-1.com", "evil-2.com", "evil-4.com"] {
        assert!(is_named(&feed, name), "{name}");
    }
    assert_eq!(
        hit(&feed, "http://evil-3.com/Login?x=1"),
        Some(FeedEntry::Page("evil-3.com/Login?x=1".to_owned()))
    );
    for address in ["http://192.0.2.1/", "http://[2001:db8::1]/", "http://[2001:db8::2]/"] {
        assert!(hit(&feed, address).is_some(), "{address}");
    }
    assert_eq!(feed.malformed, 1);
}

#[test]
fn what_is_no_feed_is_refused() {
    for text in ["", "\n\n", "# nothing\n", "127.0.0.1 localhost\n", "::1\n"] {
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

fn address(text: &str) -> WebAddress {
    WebAddress::parse(text).unwrap()
}

fn hit(feed: &Feed, text: &str) -> Option<FeedEntry> {
    feed.look_address("feed", &address(text)).entry
}

#[test]
fn a_page_covers_itself_and_what_is_below_it() {
    let feed = feed(b"https://a.example.com/x/?q=1\nhttp://b.example.com:8080/bad/\nhttp://192.0.2.1/a.exe\nhttps://github.io/all/\n");
    for (text, page) in [
        ("http://a.example.com/x/?q=1#f", Some("a.example.com/x/?q=1")),
        ("http://a.example.com/x/", None),
        ("http://www.b.example.com/bad/x?y", Some("b.example.com/bad/")),
        ("http://u@b.example.com/a/%2e%2e/%62ad/", Some("b.example.com/bad/")),
        ("http://b.example.com/", None),
        ("http://3221225985/a.exe", Some("192.0.2.1/a.exe")),
        ("https://somebody.github.io/all/", None),
    ] {
        assert_eq!(hit(&feed, text), page.map(|page| FeedEntry::Page(page.to_owned())), "{text}");
    }
}

#[test]
fn a_shared_host_is_never_blocked_whole_and_its_bad_pages_are() {
    let feed = feed(
        br#"{"updated": "2026-01-02T03:04:05Z", "allow": ["*.host.example"], "deny": ["host.example", "github.io",
            "drive.google.com", "google.com", "evil.github.io", "x.host.example", "https://docs.google.com/forms/d/bad", 7]}"#,
    );
    for text in [
        "github.io",
        "https://drive.google.com/file/1",
        "https://www.github.com/",
        "host.example",
        "y.host.example",
    ] {
        assert_eq!(hit(&feed, text), None, "{text}");
    }
    for text in
        ["www.evil.github.io/x", "x.host.example", "docs.google.com/forms/d/bad?usp=1", "mail.google.com"]
    {
        assert!(hit(&feed, text).is_some(), "{text}");
    }
    assert_eq!((feed.count(), feed.malformed, feed.ignored), (4, 1, 3));
    assert_eq!(feed.stated.map(stated::text).as_deref(), Some("2026-01-02T03:04:05Z"));
}

#[test]
fn every_format_is_recognised_by_its_content() {
    for text in [
        "# id,dateadded,url,url_status\n# Last updated: 2026-11-22 10:00:12 (UTC) #\n\"1\",\"2026\",\"http://evil.com/a,b\",\"offline\"\n",
        "\"1\",\"2026\",\"http://evil.com/a,b\",\"online\",\"https://urlhaus.example/1\"\r\n",
        "id,url,x\n1,\"http://evil.com/a,b\",y\n",
        "http://evil.com/a,b\n",
        r#"["http://evil.com/a,b"]"#,
        r#"[{"url":"http://evil.com/a,b","id":1}]"#,
        r#"{"version":2,"fuzzylist":["good.com"],"whitelist":["good.com"],"blacklist":["http://evil.com/a,b"]}"#,
        "{\"url\":\"http://evil.com/a,b\",\"domain\":\"evil.com\"}\n{\"domain\":\"other.com\"}",
    ] {
        let feed = feed(text.as_bytes());
        assert_eq!(hit(&feed, "evil.com/a,b"), Some(FeedEntry::Page("evil.com/a,b".to_owned())), "{text}");
        assert_eq!(
            (hit(&feed, "evil.com"), hit(&feed, "good.com"), feed.malformed),
            (None, None, 0),
            "{text}"
        );
    }
}

#[test]
fn a_document_that_is_cut_off_is_an_error_wherever_it_is_cut() {
    let document = br#"{"allow": ["a.com"], "deny": ["b.com", {"domain": "c.com"}]}"#;
    assert_eq!(feed(document).count(), 2);
    for end in 1..document.len() {
        assert!(matches!(read_all(&document[..end]), Err(FeedError::Cut)), "{end}");
    }
    assert!(matches!(
        read_all(
            br#"{"domain":"a.com"}
{"domain":"b.c"#
                .as_slice()
        ),
        Err(FeedError::Cut)
    ));
    assert_eq!(feed(b"{\"domain\":\"a.com\"}\n{\"domain\":\n{\"domain\":\"b.com\"}").malformed, 1);
    assert!(matches!(read_all(br#"{"deny": ["a.com"]} x"#.as_slice()), Err(FeedError::Json { .. })));
    assert!(matches!(read_all(br#"{"other": ["a.com"]}"#.as_slice()), Err(FeedError::Empty)));
}

proptest! {
    #[test]
    fn every_entry_is_found_again(
        urls in prop::collection::vec(r"https?://([a-z_]{1,5}\.){1,6}(com|co\.uk|github\.io)(:8080)?/[a-zA-Z0-9%./?&=+~_-]{0,30}", 1..20),
        names in prop::collection::vec(r"([a-z]{1,3}\.){1,6}(com|de|pages\.dev)", 1..20),
    ) {
        let lines = urls.iter().chain(&names).map(|line| format!("{line}\n")).collect::<String>();
        let Ok(feed) = read_all(lines.as_bytes()) else { return Ok(()) };
        prop_assert_eq!(feed.malformed, 0);
        for text in urls.iter().chain(&names) {
            let address = address(text);
            let is_whole = address.canonical_path() == "/" && address.query().is_none();
            let is_shared = is_shared_host(address.host_str().unwrap());
            prop_assert!(hit(&feed, text).is_some() || (is_whole && is_shared), "{}", text);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_all(bytes.as_slice());
    }

    #[test]
    fn no_line_panics(text in r"(\PC{0,30}|[a-z.:/#* ]{0,30}|http://\PC{0,20}\n){0,5}") {
        let _ = read_all(text.as_bytes());
    }
}
