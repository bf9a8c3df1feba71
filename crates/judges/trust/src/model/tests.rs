use super::*;

#[test]
fn every_check_status_verdict_cap_risk_and_proof_is_published_once() {
    let model = model();
    let checks: Vec<CheckId> = model.checks.iter().map(|weight| weight.id).collect();
    assert_eq!(checks, CheckId::ALL);
    for purpose in &model.purposes {
        let sum: Points = purpose.weights.values().copied().sum();
        assert_eq!((sum, purpose.weights.len()), (Points::whole(100), CheckId::ALL.len()));
    }
    let verdicts: Vec<TrustVerdict> = model.verdicts.iter().map(|rule| rule.id).collect();
    let expected =
        [TrustVerdict::Risky, TrustVerdict::Incomplete, TrustVerdict::Caution, TrustVerdict::Trusted];
    assert_eq!(verdicts, expected);
    assert_eq!(model.risks.iter().map(|rule| rule.id).collect::<Vec<_>>(), RiskId::ALL);
    assert_eq!(model.continuity.iter().map(|rule| rule.id).collect::<Vec<_>>(), ProofId::ALL);
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
    const DOCS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/trust-score.md"));
    let json = serde_json::to_value(model()).unwrap();
    let weight = |purpose: usize, id: &str| json["purposes"][purpose]["weights"][id].as_f64().unwrap();
    let rows = DOCS.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| {
        let (id, rest) = line.split_once("` | ")?;
        let figures: Vec<f64> = rest.split(" | ").take(3).map_while(|figure| figure.parse().ok()).collect();
        (figures.len() == 3).then(|| (id.to_owned(), figures))
    });
    let rows: Vec<(String, Vec<f64>)> = rows.collect();
    assert_eq!(rows.len(), CheckId::ALL.len(), "{rows:?}");
    for (id, figures) in rows {
        for (purpose, figure) in figures.into_iter().enumerate() {
            assert!((weight(purpose, &id) - figure).abs() < 1e-9, "{id}");
        }
    }
}
