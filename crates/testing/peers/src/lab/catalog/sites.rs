use super::{TENANT, TOKEN_HOST, TOKEN_PATH, swollen};
use crate::lab::certificate_kind::Kind;
use crate::lab::site::{Plain, Site, Speaks};

pub(in crate::lab) fn sites(token: &str) -> Vec<Site> {
    let mut sites = vec![Site::new(TOKEN_HOST).plain(Plain::Same).page(TOKEN_PATH, token)];
    sites.extend(perfect("perfect.test"));
    sites.extend(perfect(TENANT));
    sites.extend(swollen::sites());
    sites.extend(certificates());
    sites.extend(versions());
    sites.extend(answers());
    sites.push(registered());
    sites
}

/// Adds the header fields that every domain but the wrong ones serves.
fn careful(site: Site) -> Site {
    site.header("Strict-Transport-Security", "max-age=63072000; includeSubDomains; preload")
        .header(
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Resource-Policy", "same-origin")
}

fn perfect(name: &str) -> [Site; 2] {
    let security =
        format!("Contact: mailto:security@{name}\nExpires: 2100-01-01T00:00:00Z\nPreferred-Languages: en\n");
    let policy = format!("version: STSv1\r\nmode: enforce\r\nmx: mail.{name}\r\nmax_age: 604800\r\n");
    [
        careful(Site::new(name).also(&format!("www.{name}"))).page("/.well-known/security.txt", &security),
        careful(Site::new(&format!("mta-sts.{name}"))).page("/.well-known/mta-sts.txt", &policy),
    ]
}

fn certificates() -> impl Iterator<Item = Site> {
    let named = [
        ("good.test", Kind::Good),
        ("soon.test", Kind::Ends(3)),
        ("month.test", Kind::Ends(20)),
        ("expired.test", Kind::Expired),
        ("future.test", Kind::NotYetValid),
        ("self.test", Kind::SelfSigned),
        ("wrong.test", Kind::OtherName),
        ("unknown.test", Kind::UnknownAuthority),
        ("incomplete.test", Kind::Incomplete),
        ("no-sct.test", Kind::NotLogged),
        ("rsa2048.test", Kind::Rsa2048),
        ("ecc384.test", Kind::Ecc384),
        ("many-names.test", Kind::ManyNames),
        ("probe-waits.test", Kind::Expired),
        ("probe-waits-good.test", Kind::Good),
        ("page-waits.test", Kind::Expired),
        ("alias.test", Kind::Good),
        ("chain.test", Kind::Good),
    ];
    let own = ["signed.test", "plain.test", "bogus.test", "broken.test", "lapsed.test", "algorithm.test"];
    let own = own.map(|name| Site::new(name).also(&format!("www.{name}")));
    let named = named.map(|(name, kind)| careful(Site::new(name).certificate(kind)));
    let weak = Site::new("weak.test").certificate(Kind::Rsa1024).speaks(Speaks::Everything);
    let wild = Site::new("wild.test").also("*.wild.test");
    let crowd =
        (1..200).fold(Site::new("crowd0.test"), |site, number| site.also(&format!("crowd{number}.test")));
    named.into_iter().chain(own).chain([weak, wild, crowd, Site::new("nomail.test")])
}

fn versions() -> [Site; 5] {
    [
        Site::new("old.test").speaks(Speaks::Old),
        Site::new("tls12.test").speaks(Speaks::Tls12),
        Site::new("tls13.test").speaks(Speaks::Tls13),
        Site::new("everything.test").speaks(Speaks::Everything),
        Site::new("nohttps.test").speaks(Speaks::NoTls),
    ]
}

fn answers() -> [Site; 15] {
    let home = "https://moved.test:{https}";
    [
        careful(Site::new("headers-good.test")),
        Site::new("headers-none.test"),
        Site::new("headers-bad.test")
            .header("Content-Security-Policy", "default-src * 'unsafe-inline' 'unsafe-eval'")
            .header("Strict-Transport-Security", "max-age=60")
            .header("X-Content-Type-Options", "sniff")
            .header("Referrer-Policy", "unsafe-url")
            .header("Access-Control-Allow-Origin", "*")
            .header("Set-Cookie", "session=1"),
        Site::new("no-redirect.test").plain(Plain::Same),
        Site::new("moved.test").redirect("/", "https://www.moved.test:{https}/"),
        careful(Site::new("www.moved.test")),
        Site::new("redirects.test")
            .redirect("/", "/1")
            .redirect("/1", "/2")
            .redirect("/2", &format!("{home}/")),
        Site::new("redirect-loop.test").redirect("/", "https://redirect-loop.test:{https}/"),
        Site::new("redirect-private.test").redirect("/", "http://10.0.0.1/"),
        Site::new("redirect-metadata.test").redirect("/", "http://metadata.test/"),
        Site::new("redirect-inside.test").redirect("/", "https://10.0.0.1/"),
        Site::new("redirect-name.test").redirect("/", "https://private.test:{https}/"),
        Site::new("redirect-down.test").redirect("/", "http://nohttps.test:{http}/"),
        Site::new("failing.test").status("/", 503),
        Site::new("slow.test").page("/", &"<p>wait</p>".repeat(4096)).slow("/index.html"),
    ]
}

/// The domains whose registration is what is wrong with them; `rdap-missing.test` has none.
fn registered() -> Site {
    let ways = [
        "month", "week", "expired", "young", "endless", "slow", "huge", "broken", "other", "busy", "moved",
        "private", "inside",
    ];
    ways.iter().fold(Site::new("rdap-missing.test"), |site, way| site.also(&format!("rdap-{way}.test")))
}
