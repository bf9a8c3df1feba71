//! The examples of "URLs and Hashing" (Safe Browsing, version 4), and where a browser goes another way.

use std::net::{IpAddr, Ipv4Addr};

use domain_name::PublicSuffixes;
use web_address::{AddressError, AddressHost, MAX_ADDRESS_BYTES, WebAddress};

fn canonical(text: &str) -> String {
    WebAddress::parse(text)
        .map_or_else(|error| format!("{text:?}: {error}"), |address| address.canonical().to_owned())
}

#[test]
fn published_examples_have_their_published_canonical_form() {
    for (text, form) in [
        ("http://host/%25%32%35", "http://host/%25"),
        ("http://host/%25%32%35%25%32%35", "http://host/%25%25"),
        ("http://host/%2525252525252525", "http://host/%25"),
        ("http://host/asdf%25%32%35asd", "http://host/asdf%25asd"),
        ("http://host/%%%25%32%35asd%%", "http://host/%25%25%25asd%25%25"),
        ("http://www.google.com/", "http://www.google.com/"),
        (
            "http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E%73%65%63%75%72%65/%77%77%77%2E%65%62%61%79%2E%63%6F%6D/",
            "http://168.188.99.26/.secure/www.ebay.com/",
        ),
        ("http://3279880203/blah", "http://195.127.0.11/blah"),
        ("http://www.google.com/blah/..", "http://www.google.com/"),
        ("www.google.com/", "http://www.google.com/"),
        ("www.google.com", "http://www.google.com/"),
        ("http://www.evil.com/blah#frag", "http://www.evil.com/blah"),
        ("http://www.GOOgle.com/", "http://www.google.com/"),
        ("http://www.google.com.../", "http://www.google.com/"),
        ("http://www.google.com/foo\tbar\rbaz\n2", "http://www.google.com/foobarbaz2"),
        ("http://www.google.com/q?", "http://www.google.com/q?"),
        ("http://www.google.com/q?r?", "http://www.google.com/q?r?"),
        ("http://www.google.com/q?r?s", "http://www.google.com/q?r?s"),
        ("http://evil.com/foo#bar#baz", "http://evil.com/foo"),
        ("http://evil.com/foo;", "http://evil.com/foo;"),
        ("http://evil.com/foo?bar;", "http://evil.com/foo?bar;"),
        ("http://notrailingslash.com", "http://notrailingslash.com/"),
        ("http://www.gotaport.com:1234/", "http://www.gotaport.com/"),
        ("  http://www.google.com/  ", "http://www.google.com/"),
        ("https://www.securesite.com/", "https://www.securesite.com/"),
        ("http://host.com/ab%23cd", "http://host.com/ab%23cd"),
        ("http://host.com//twoslashes?more//slashes", "http://host.com/twoslashes?more//slashes"),
    ] {
        assert_eq!(canonical(text), form, "{text}");
    }
}

#[test]
fn what_no_browser_opens_is_an_error_although_safe_browsing_has_a_form_for_it() {
    for text in [
        "http://\u{1}\u{80}.com/",
        "http://host%23.com/",
        "http:// leadingspace.com/",
        "%20leadingspace.com/",
    ] {
        assert_eq!(WebAddress::parse(text), Err(AddressError::Host), "{text:?}");
    }
    for text in ["http://", "https:///", "/path", "http://./", "?q"] {
        assert_eq!(WebAddress::parse(text), Err(AddressError::NoHost), "{text:?}");
    }
    assert_eq!(WebAddress::parse("http://a.com:99999/"), Err(AddressError::Port));
    assert_eq!(WebAddress::parse(" \n"), Err(AddressError::Empty));
    assert_eq!(WebAddress::parse(&"a".repeat(MAX_ADDRESS_BYTES + 1)), Err(AddressError::TooLong));
}

#[test]
fn published_expressions_are_those_of_their_addresses() {
    for (text, all) in [
        (
            "http://a.b.c/1/2.html?param=1",
            "a.b.c/1/2.html?param=1 a.b.c/1/2.html a.b.c/ a.b.c/1/ b.c/1/2.html?param=1 b.c/1/2.html b.c/ b.c/1/",
        ),
        (
            "http://a.b.c.d.e.f.g/1.html",
            "a.b.c.d.e.f.g/1.html a.b.c.d.e.f.g/ c.d.e.f.g/1.html c.d.e.f.g/ d.e.f.g/1.html d.e.f.g/ \
             e.f.g/1.html e.f.g/ f.g/1.html f.g/",
        ),
        ("http://1.2.3.4/1/", "1.2.3.4/1/ 1.2.3.4/"),
    ] {
        let expressions = WebAddress::parse(text).unwrap().expressions();
        assert_eq!(expressions, all.split(' ').collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn the_host_is_the_one_that_a_browser_connects_to_and_stays_known_as_written() {
    for (text, host, written) in [
        ("http://a.com\\@b.com/", "a.com", "a.com"),
        ("http://a.com@b.com/", "b.com", "b.com"),
        ("a.com@b.com:8080", "b.com", "b.com"),
        ("http:a.com", "a.com", "a.com"),
        ("http:\\\\\\a.com", "a.com", "a.com"),
        ("//a.com/x", "a.com", "a.com"),
        ("HTTP://A%2ECOM/", "a.com", "A%2ECOM"),
        ("http://0x7f.1/", "127.0.0.1", "0x7f.1"),
        ("http://0177.0.0.01:80/", "127.0.0.1", "0177.0.0.01"),
        ("http://[::ffff:1.2.3.4]:8/", "1.2.3.4", "[::ffff:1.2.3.4]"),
        ("http://[::1]/", "[::1]", "[::1]"),
        ("example.com:8080/x", "example.com", "example.com"),
        ("localhost:3000", "localhost", "localhost"),
        ("http://my_site.wixsite.com/", "my_site.wixsite.com", "my_site.wixsite.com"),
        ("http://bücher.de./", "xn--bcher-kva.de", "bücher.de."),
    ] {
        let address = WebAddress::parse(text).unwrap();
        assert_eq!((address.host_str(), address.host_written()), (Some(host), Some(written)), "{text}");
    }
    let address = WebAddress::parse("http://2130706433:080/").unwrap();
    assert_eq!(address.host(), Some(&AddressHost::Ip(IpAddr::V4(Ipv4Addr::LOCALHOST))));
    assert_eq!((address.port_written(), address.port()), (Some("080"), None));
    assert!(WebAddress::parse("http://@a.com/").unwrap().has_userinfo());
    assert!(!WebAddress::parse("http://a.com/@b").unwrap().has_userinfo());
}

#[test]
fn a_scheme_without_a_host_is_an_address_without_one() {
    for text in [
        "javascript:alert(1)//https://a.com/",
        "data:text/html,<b>",
        "file:///etc/passwd",
        "file://host/share",
        "vbscript:x",
        "blob:https://a.com/1",
        "about:blank",
        "metamask://dapp/evil.com",
        "foo://[bad",
        "tel:12345",
        "mailto:a@b.com",
        "JAVA\nSCRIPT:alert(1)",
    ] {
        let address = WebAddress::parse(text).unwrap();
        assert_eq!(address.host(), None, "{text}");
        assert!(address.expressions().is_empty() && !address.has_userinfo(), "{text}");
        assert!(address.canonical().starts_with(&format!("{}:", address.scheme())), "{text}");
    }
    assert_eq!(WebAddress::parse("JAVA\nSCRIPT:x").unwrap().scheme(), "javascript");
}

#[test]
fn the_registrable_part_is_below_the_public_suffix() {
    let registrable = |text| {
        let address = WebAddress::parse(text).unwrap();
        address.registrable(&PublicSuffixes::bundled()).map(str::to_owned)
    };
    for (text, part) in [
        ("https://www.example.co.uk/", Some("example.co.uk")),
        ("https://a.b.github.io/", Some("b.github.io")),
        ("https://x.my_site.wixsite.com/", Some("my_site.wixsite.com")),
        ("https://github.io/", None),
        ("https://com/", None),
        ("https://1.2.3.4/", None),
    ] {
        assert_eq!(registrable(text).as_deref(), part, "{text}");
    }
}
