//! No part of an archive is taken for the whole, and no byte of it can be changed.

use audit_archive::{Filter, is_archive};
use proptest::prelude::*;

use crate::fixture::{Store, verified};

fn small() -> Vec<u8> {
    Store::of(12).exported(&Filter::default())
}

#[test]
fn an_archive_that_was_cut_anywhere_is_not_whole() {
    let bytes = small();
    assert!(verified(&bytes).holds() && is_archive(&bytes));
    for cut in (0..bytes.len()).step_by(37).chain(bytes.len() - 1100..bytes.len()) {
        let report = verified(&bytes[..cut]);
        assert!(!report.is_whole && !report.holds() && report.problem_count > 0, "cut at {cut}: {report:?}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(!verified(&longer).holds());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn a_byte_that_was_changed_is_found(at in any::<prop::sample::Index>(), bit in 0..8_u32) {
        let bytes = small();
        let mut changed = bytes.clone();
        changed[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(!verified(&changed).holds());
    }
}

#[test]
fn every_block_has_a_byte_whose_change_is_found() {
    let bytes = small();
    for at in (0..bytes.len()).step_by(311) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let report = verified(&changed);
        assert!(!report.holds(), "byte {at}");
    }
}
