//! `swollen.test`: as much of everything as a look puts down, so that its evidence is the largest. The records are
//! nearly the 128 KiB of JSON that are kept of all records together.

use serde_json::{Value, json};

use crate::lab::rdap::registration;
use crate::lab::site::Site;
use crate::lab::zone::Zone;

const NAME: &str = "swollen.test";

/// A label of full length that ends in this number.
fn label(number: usize) -> String {
    format!("{number:x>63}")
}

/// A name of 200 bytes and some, under `parent`.
fn long(number: usize, parent: &str) -> String {
    format!("{0}.{0}.{0}.{parent}", label(number))
}

pub(super) fn zone() -> Zone {
    let servers: Vec<_> = (0..13).map(|number| format!("{}.", quoted(number))).collect();
    let servers: Vec<_> = servers.iter().map(String::as_str).collect();
    let zone = Zone::signed(NAME).served_by(&servers).with("@ A 127.0.0.1");
    let zone =
        (0..8).fold(zone, |zone, number| zone.with(&format!("@ MX {number} {}.", long(number, "test"))));
    let zone = (0..4).fold(zone, |zone, number| zone.with(&authorization(number)));
    let zone = of_mail(zone);
    ["v=BIMI1;", "v=TLSRPTv1;"].iter().zip(["default._bimi", "_smtp._tls"]).fold(
        zone,
        |zone, (version, owner)| {
            (10..30).fold(zone, |zone, number| {
                zone.with_text(owner, &format!("{version}{number}{}", "\"".repeat(512 - 2 - version.len())))
            })
        },
    )
}

/// A name of 200 bytes that JSON makes twice as long.
fn quoted(number: usize) -> String {
    let label = "\\\"".repeat(60);
    format!("{number}.{label}.{label}.{label}.test")
}

/// A CAA record whose issuer has 32 parameters, in the form of RFC 3597, which has no bound on its texts.
fn authorization(number: usize) -> String {
    let parameter = format!("; t={}", "\"".repeat(256));
    let data = format!("\0\x05issueca{number}.test{}", parameter.repeat(32));
    let hex: String = data.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("@ CAA \\# {} {hex}", data.len())
}

fn of_mail(zone: Zone) -> Zone {
    let includes: Vec<_> = (0..9).map(|number| format!("include:i{number}.{NAME}")).collect();
    let record = |terms: &str| {
        let record = format!("v=spf1 {terms}-all x=");
        format!("{record}{}", "\"".repeat(512 - record.len()))
    };
    let zone = zone
        .with_text("@", &record(&format!("{} ", includes.join(" "))))
        .with_text("_dmarc", &format!("v=DMARC1; p=reject; x={}", "\"".repeat(480)))
        .with_text("_mta-sts", "v=STSv1; id=20260101000000");
    (0..9).fold(zone, |zone, number| zone.with_text(&format!("i{number}"), &record("")))
}

pub(super) fn sites() -> [Site; 2] {
    let path = |hop: usize| format!("/{hop}{}", "p".repeat(240));
    let site = Site::new(NAME)
        .header("Strict-Transport-Security", &"\"".repeat(255))
        .header("Content-Security-Policy", &"\"".repeat(1_500))
        .page("/end.html", &page())
        .page("/.well-known/security.txt", &"Contact: mailto:\"\"@swollen.test\n".repeat(100))
        .redirect("/", &path(1));
    let site = (1..4).fold(site, |site, hop| site.redirect(&path(hop), &path(hop + 1)));
    let site = site.redirect(&path(4), "/end.html");
    let site = (0..32).fold(site, |site, number| site.also(&long(number, NAME)));
    let exchangers: String = (0..15).map(|number| format!("mx: {}\n", long(number, "test"))).collect();
    let policy = format!("version: STSv1\nmode: enforce\nmax_age: 604800\n{exchangers}");
    [site, Site::new(&format!("mta-sts.{NAME}")).page("/.well-known/mta-sts.txt", &policy)]
}

fn page() -> String {
    let script = |number: usize| {
        let address = format!("https://{number}.example.net/{}", "\"".repeat(9));
        format!("<script src='{address}' integrity='{}'></script>", "\"".repeat(200))
    };
    let policy = format!("<meta http-equiv=content-security-policy content='{}'>", "\"".repeat(4_000));
    (0..28).map(script).chain([policy]).collect()
}

/// The registry's record of the domain: less than is kept as it came, and more than is shown.
pub(super) fn registered() -> Value {
    let quotes = "\"".repeat(256);
    let mut answer = registration(NAME, -1000, Some(400));
    answer["status"] = vec![json!(quotes); 60].into();
    answer["redacted"] = vec![json!({ "name": { "description": quotes } }); 55].into();
    answer
}
