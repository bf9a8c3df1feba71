//! A certificate that does not hold is no better for being shown to one client alone.

use super::*;

#[test]
fn a_certificate_that_only_the_page_s_request_met_holds_the_score_down() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "probe-waits.test");
    assert_eq!(outcome(&receipt, "tls"), ("fail", "certificate_invalid"), "{receipt:#}");
    assert_eq!(outcome(&receipt, "headers"), ("unknown", "invalid_certificate"), "{receipt:#}");
    assert_eq!(receipt["hygiene"]["caps"], json!(["invalid_certificate"]), "{receipt:#}");
    assert!(receipt["hygiene"]["score_max_possible"].as_u64().unwrap() <= 39, "{receipt:#}");
    assert_eq!(text(&receipt, "verdict"), "RISKY");
}

#[test]
fn a_certificate_that_only_the_probe_met_does_so_too() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "page-waits.test");
    assert_eq!(outcome(&receipt, "tls"), ("fail", "certificate_expired"), "{receipt:#}");
    assert_eq!(outcome(&receipt, "headers").0, "unknown", "{receipt:#}");
    assert_eq!(receipt["hygiene"]["caps"], json!(["invalid_certificate"]), "{receipt:#}");
    assert!(receipt["hygiene"]["score_max_possible"].as_u64().unwrap() <= 39, "{receipt:#}");
    assert_eq!(text(&receipt, "verdict"), "RISKY");
}

#[test]
fn a_page_over_a_good_certificate_is_no_word_on_what_the_probe_did_not_see() {
    let Some(service) = looking() else { return };
    let receipt = score(&service, "probe-waits-good.test");
    assert_eq!(outcome(&receipt, "tls"), ("unknown", "never_spoke"), "{receipt:#}");
    assert_eq!(outcome(&receipt, "headers"), ("pass", "well_protected"), "{receipt:#}");
    assert_eq!(receipt["hygiene"]["caps"], json!([]), "{receipt:#}");
    assert_eq!(check(&receipt, "tls")["points"], 0);
}
