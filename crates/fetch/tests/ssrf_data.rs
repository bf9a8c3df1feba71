//! The SSRF suites, where their data is at hand.

#[path = "../../suites/src/outcome.rs"]
pub mod outcome;
#[path = "../../suites/src/ssrf.rs"]
pub mod ssrf;

use std::path::Path;

#[test]
fn every_published_payload_and_registry_boundary_is_judged_rightly() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    for outcome in ssrf::run(&data) {
        println!("{}: {} of {}", outcome.name, outcome.passed, outcome.total);
        assert_eq!(outcome.passed, outcome.total, "{}: {:#?}", outcome.name, outcome.failures);
    }
}
