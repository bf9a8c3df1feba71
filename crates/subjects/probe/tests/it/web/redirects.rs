//! Where an address leads, through redirects and refreshes, and where the probe stops.

use probe::redirects::{BODY_BYTES, HopKind, MAX_HOPS, PathEnd, RedirectPath, RedirectProbe, limits};
use probe::site::ProbeFailure;

use super::support::{Act, Authority, HANG, Server, absent, answer, page, to};

async fn follow(authority: &Authority, url: &str) -> RedirectPath {
    let probe = RedirectProbe::new(authority.fetcher_within(limits(64)));
    let path = tokio::time::timeout(HANG, probe.follow(url)).await.expect("the probe hangs");
    let json = serde_json::to_string(&path).unwrap();
    assert_eq!(serde_json::from_str::<RedirectPath>(&json).unwrap(), path, "it is read as it was written");
    path
}

/// A server without TLS.
async fn serving(script: impl Fn(&str, u16) -> Act + Send + Sync + 'static) -> u16 {
    Server::start(None, move |asked| script(asked.path, asked.port)).await.port
}

fn hops(path: &RedirectPath) -> Vec<(&str, u16, HopKind)> {
    path.hops.iter().map(|hop| (hop.url.as_str(), hop.status, hop.by)).collect()
}

#[tokio::test]
async fn redirects_and_refreshes_are_followed_to_the_page_at_their_end() {
    let port = serving(|path, port| match path {
        "/" => to("/a?token=1#part"),
        "/a?token=1" => page(r#"<meta http-equiv="refresh" content="0; url=/b">"#),
        "/b" => answer(200, &[("Refresh", &format!("1;url=http://www.example.com:{port}/c#x"))], ""),
        "/c" => page("here"),
        _ => absent(),
    })
    .await;
    let at = |name: &str, path: &str| format!("http://{name}.example.com:{port}{path}");
    let path = follow(&Authority::new(), &at("site", "/")).await;
    assert_eq!(
        hops(&path),
        [
            (&*at("site", "/"), 302, HopKind::Redirect),
            (&*at("site", "/a?token=1"), 200, HopKind::Refresh),
            (&*at("site", "/b"), 200, HopKind::Refresh),
        ]
    );
    assert_eq!((path.url, path.end), (at("www", "/c"), PathEnd::Answered(200)));
}

#[tokio::test]
async fn a_path_that_comes_back_is_a_loop_and_a_long_one_is_given_up() {
    let port = serving(|path, _| match path {
        "/a" => to("/b"),
        "/b" => to("/a"),
        "/x" => page("<meta http-equiv=refresh content='0;url=/y'>"),
        "/y" => to("/x"),
        "/same" => page("<meta http-equiv=refresh content='5;url=/same'>"),
        other => match other[2..].parse::<u32>() {
            Ok(number) if other.starts_with("/r") => to(&format!("/r{}", number + 1)),
            Ok(number) => page(&format!("<meta http-equiv=refresh content='0;url=/m{}'>", number + 1)),
            Err(_) => absent(),
        },
    })
    .await;
    let authority = Authority::new();
    for start in ["/a", "/x"] {
        let path = follow(&authority, &format!("http://site.example.com:{port}{start}")).await;
        assert_eq!(path.end, PathEnd::Loop, "{start}: {path:?}");
    }
    let path = follow(&authority, &format!("http://site.example.com:{port}/same")).await;
    assert_eq!((path.hops.len(), path.end), (0, PathEnd::Answered(200)), "it only loads itself again");
    for start in ["/r0", "/m0"] {
        let path = follow(&authority, &format!("http://site.example.com:{port}{start}")).await;
        assert_eq!(path.end, PathEnd::Failed(ProbeFailure::TooManyRedirects), "{start}");
        assert_eq!(path.hops.len(), MAX_HOPS + 1, "{start}");
    }
}

#[tokio::test]
async fn what_may_not_be_reached_is_not_asked_and_the_path_says_where_it_led() {
    let port = serving(|path, port| match path {
        "/private" => to(&format!("http://private.example.com:{port}/")),
        "/refresh-private" => page("<meta http-equiv=refresh content='0;url=http://169.254.169.254/latest'>"),
        "/script" => to("javascript:alert(1)"),
        "/refresh-script" => page("<meta http-equiv=refresh content='0;url=data:text/html,hi'>"),
        _ => absent(),
    })
    .await;
    let authority = Authority::new();
    for (start, end) in [
        ("/private", PathEnd::Failed(ProbeFailure::RedirectToPrivate)),
        ("/refresh-private", PathEnd::Failed(ProbeFailure::RedirectToPrivate)),
        ("/script", PathEnd::OtherScheme),
        ("/refresh-script", PathEnd::OtherScheme),
        ("/absent", PathEnd::Answered(404)),
    ] {
        let path = follow(&authority, &format!("http://site.example.com:{port}{start}")).await;
        assert_eq!(path.end, end, "{start}: {path:?}");
        assert_eq!(path.hops.len(), usize::from(start != "/absent"), "{start}");
    }
    for (url, end) in [
        ("http://private.example.com/", PathEnd::Failed(ProbeFailure::AddressDenied)),
        ("http://169.254.169.254/", PathEnd::Failed(ProbeFailure::AddressDenied)),
        ("javascript:alert(1)", PathEnd::OtherScheme),
        ("http://user:secret@site.example.com/", PathEnd::Failed(ProbeFailure::PolicyRefused)),
        ("http://none.example.com/", PathEnd::Failed(ProbeFailure::NoAddress)),
        ("nothing", PathEnd::Failed(ProbeFailure::PolicyRefused)),
    ] {
        let path = follow(&authority, url).await;
        assert_eq!((path.end, path.hops.len()), (end, 0), "{url}");
    }
}

#[tokio::test]
async fn neither_a_redirect_nor_a_refresh_leads_from_https_to_http() {
    let authority = Authority::new();
    let http = serving(|_, _| page("")).await;
    let https = Server::start(Some(authority.tls()), move |asked| match asked.path {
        "/redirect" => to(&format!("http://site.example.com:{http}/")),
        _ => page(&format!("<meta http-equiv=refresh content='0;url=http://site.example.com:{http}/'>")),
    })
    .await;
    for start in ["redirect", "refresh"] {
        let path = follow(&authority, &format!("https://site.example.com:{}/{start}", https.port)).await;
        assert_eq!(path.end, PathEnd::Failed(ProbeFailure::RedirectToHttp), "{start}");
        assert_eq!((path.hops.len(), path.url), (1, format!("http://site.example.com:{http}/")), "{start}");
    }
}

#[tokio::test]
async fn a_refresh_is_looked_for_in_the_beginning_of_a_page_and_in_pages_alone() {
    const META: &str = "<meta http-equiv=refresh content='0;url=/next'>";
    let port = serving(|path, _| match path {
        "/late" => page(&(" ".repeat(BODY_BYTES) + META)),
        "/text" => answer(200, &[("Content-Type", "text/plain")], META),
        "/stalls" => Act::Stall(b"HTTP/1.1 200 OK\r\n".to_vec()),
        _ => page("next"),
    })
    .await;
    for (start, end) in [
        ("/late", PathEnd::Answered(200)),
        ("/text", PathEnd::Answered(200)),
        ("/stalls", PathEnd::Failed(ProbeFailure::Timeout)),
    ] {
        let path = follow(&Authority::new(), &format!("http://site.example.com:{port}{start}")).await;
        assert_eq!((path.hops.len(), path.end), (0, end), "{start}");
    }
}
