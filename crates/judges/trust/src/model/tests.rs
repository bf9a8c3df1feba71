use super::*;

#[test]
fn every_check_status_verdict_cap_and_flag_is_published_once() {
    let model = model();
    let checks: Vec<CheckId> = model.checks.iter().map(|weight| weight.id).collect();
    assert_eq!(checks, CheckId::ALL);
    assert_eq!(model.checks.iter().map(|weight| weight.max).sum::<Points>(), Points::whole(100));
    let verdicts: Vec<TrustVerdict> = model.verdicts.iter().map(|rule| rule.id).collect();
    let expected =
        [TrustVerdict::Incomplete, TrustVerdict::Trusted, TrustVerdict::Caution, TrustVerdict::Risky];
    assert_eq!(verdicts, expected);
    assert_eq!(model.flags.iter().map(|rule| rule.id).collect::<Vec<_>>(), FlagId::ALL);
    assert_eq!(model.caps.iter().map(|cap| cap.id).collect::<Vec<_>>(), Cap::ALL);
    assert_eq!(model.statuses.len(), 5);
}

/// The checksum of a package that the build took.
fn checksum(package: &str) -> &'static str {
    const LOCK: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../Cargo.lock"));
    let entry = LOCK.split("[[package]]").find(|entry| entry.contains(&format!("name = \"{package}\"\n")));
    let line = entry.unwrap().lines().find_map(|line| line.strip_prefix("checksum = "));
    line.unwrap().trim_matches('"')
}

#[test]
fn the_lists_change_with_the_method_only() {
    let files = brand_names::FILES.iter().map(|(_, text)| (*text).to_owned());
    let constants = [BRAND_TOP_LEVELS, OPEN_COUNTRIES, &brand_names::DELIVERY_DOMAINS];
    let lists: Vec<String> = files.chain(constants.map(|list| list.join(" "))).collect();
    let packages = ["psl", "unicode-security"].map(checksum);
    let text = format!("{METHOD}\n{}\n{}\n", packages.join("\n"), lists.join("\n"));
    let now = hex::encode(receipt::hash::sha256(text.as_bytes()));
    assert_eq!(
        DATA_SHA256, now,
        "a list that looks go by has changed: raise the version in METHOD, run this again, and put the hash it \
         shows into DATA_SHA256"
    );
}

#[test]
fn the_weights_are_those_that_the_documentation_gives() {
    let json = serde_json::to_value(model()).unwrap();
    let weights: Vec<(String, f64)> = json["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (check["id"].as_str().unwrap().to_owned(), check["max"].as_f64().unwrap()))
        .take(7)
        .collect();
    let expected = [
        ("tls", 22.0),
        ("dmarc", 16.0),
        ("headers", 16.0),
        ("dnssec", 12.0),
        ("spf", 10.0),
        ("expiration", 10.0),
        ("caa", 8.0),
    ];
    assert_eq!(weights, expected.map(|(id, max)| (id.to_owned(), max)));
    assert_eq!(json["bonus"]["max"], 6.0);
    assert_eq!(json["method"], "trust-score/2");
}
