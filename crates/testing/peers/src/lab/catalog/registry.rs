use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{REGISTRY, swollen};
use crate::lab::rdap::{huge, registration};
use crate::lab::site::{Plain, Site};

/// The registry of these names' domains: each begun 1000 days ago and good for another 400, but for those that are there
/// to be something else.
pub(in crate::lab) fn registry(names: impl Iterator<Item = String>) -> Site {
    let domains: BTreeSet<_> =
        names.filter_map(|name| domain(&name)).filter(|name| !name.starts_with("rdap-")).collect();
    let usual = domains.into_iter().map(|domain| (domain, -1000, Some(400)));
    let special = [
        ("rdap-month.test".to_owned(), -1000, Some(20)),
        ("rdap-week.test".to_owned(), -1000, Some(3)),
        ("rdap-expired.test".to_owned(), -1000, Some(-10)),
        ("rdap-young.test".to_owned(), -10, Some(355)),
        ("rdap-endless.test".to_owned(), -1000, None),
        ("rdap-slow.test".to_owned(), -1000, Some(400)),
    ];
    let site =
        usual.chain(special).fold(Site::new(REGISTRY).plain(Plain::Same), |site, (domain, begun, ends)| {
            site.page(&path(&domain), &registration(&domain, begun, ends).to_string())
        });
    saved(site)
        .page(&path("swollen.test"), &swollen::registered().to_string())
        .page(&format!("/ageless{}", path("perfect.test")), &ageless("perfect.test").to_string())
        .page(&path("rdap-huge.test"), &huge("rdap-huge.test"))
        .page(&path("rdap-broken.test"), r#"{"objectClassName": "domain", "events": ["#)
        .page(&path("rdap-other.test"), &registration("another.test", -1000, Some(400)).to_string())
        .slow(&path("rdap-slow.test"))
        .status(&path("rdap-busy.test"), 429)
        .redirect(&path("rdap-moved.test"), &format!("https://{REGISTRY}:{{https}}{}", path("good.test")))
        .redirect(&path("rdap-private.test"), "http://10.0.0.1/domain/rdap-private.test")
        .redirect(&path("rdap-inside.test"), "https://10.0.0.1/domain/rdap-inside.test")
}

fn path(domain: &str) -> String {
    format!("/domain/{domain}")
}

/// Returns the registered domain of a name: its last two labels.
fn domain(name: &str) -> Option<String> {
    let mut labels = name.rsplit('.');
    let (top_level, label) = (labels.next()?, labels.next()?);
    Some(format!("{label}.{top_level}"))
}

/// A registration of which nobody says when it began.
fn ageless(domain: &str) -> Value {
    let mut answer = registration(domain, -1000, Some(400));
    let events = answer["events"].as_array_mut().expect("it has events");
    events.retain(|event| event["eventAction"] != "registration");
    answer
}

/// The answers of real registries, where the shared data is.
fn saved(site: Site) -> Site {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/trust");
    let texts = fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("rdap_") && name.ends_with(".json")
    });
    texts.filter_map(|entry| fs::read_to_string(entry.path()).ok()).fold(site, |site, text| {
        let answer: Value = serde_json::from_str(&text).unwrap_or_default();
        match answer["ldhName"].as_str() {
            Some(name) => site.page(&path(&name.to_ascii_lowercase()), &text),
            None => site,
        }
    })
}
