//! Published vectors for records, where the folder that holds them is there. The suites are those of the crate `suites`.

use std::path::PathBuf;

use crate::records;

#[test]
fn every_published_vector_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    let outcomes = records::run(&folder);
    if outcomes.is_empty() {
        println!("passed over: {} has no folder trust", folder.display());
    }
    for outcome in outcomes {
        println!("{}: {} of {} {}", outcome.name, outcome.passed, outcome.total, outcome.figures);
        assert!(outcome.holds(), "{}: {:#?}", outcome.name, outcome.failures);
    }
}

#[test]
fn a_missing_folder_is_passed_over() {
    assert!(records::run(&PathBuf::from("nowhere")).is_empty());
}
