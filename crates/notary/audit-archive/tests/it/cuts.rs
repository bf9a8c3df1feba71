//! No part of an archive is taken for the whole, and no byte of it can be changed. Each report names what is wrong.

use std::sync::LazyLock;

use audit_archive::{ArchiveReport, Filter, is_archive};
use proptest::prelude::*;

use crate::fixture::{Store, verified};

/// An archive of all receipts, and one of those of an agent.
static ARCHIVES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let store = Store::of(12);
    let of_one = Filter { agent: Some("a".to_owned()), ..Filter::default() };
    [store.exported(&Filter::default()), store.exported(&of_one)]
});

/// True if a report says that the archive is not whole, and names what is wrong.
fn is_named(report: &ArchiveReport) -> bool {
    let has_words =
        report.problems.iter().all(|problem| !problem.place.is_empty() && !problem.why.is_empty());
    !report.is_whole
        && !report.holds()
        && report.problem_count > 0
        && !report.problems.is_empty()
        && has_words
}

#[test]
fn an_archive_that_was_cut_anywhere_is_not_whole() {
    for bytes in &*ARCHIVES {
        assert!(verified(bytes).holds() && is_archive(bytes));
        for cut in (0..bytes.len()).step_by(37).chain(bytes.len() - 1100..bytes.len()) {
            let report = verified(&bytes[..cut]);
            assert!(is_named(&report), "cut at {cut}: {report:?}");
            let is_cut = |why: &str| why.contains("cut short") || why.contains("is not whole");
            assert!(report.problems.iter().any(|problem| is_cut(&problem.why)), "cut at {cut}: {report:?}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(is_named(&verified(&longer)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn bytes_that_were_changed_moved_or_left_out_are_found_and_named(
        of_one in any::<bool>(),
        (at, other) in any::<(prop::sample::Index, prop::sample::Index)>(),
        bit in 0..8_u32,
        blocks in 1..4_usize,
    ) {
        let bytes = &ARCHIVES[usize::from(of_one)];
        let (at, other) = (at.index(bytes.len()), other.index(bytes.len()));
        let mut changed = bytes.clone();
        changed[at] ^= 1 << bit;
        let report = verified(&changed);
        prop_assert!(is_named(&report), "bit {bit} of byte {at}: {report:?}");

        // Whole blocks, as a lost sector or a member that was taken out would be.
        let (from, until) = (at / 512 * 512, (at / 512 + blocks) * 512);
        let mut shorter = bytes.clone();
        shorter.drain(from..until.min(bytes.len()));
        let report = verified(&shorter);
        prop_assert!(is_named(&report), "without {from}..{until}: {report:?}");

        let mut swapped = bytes.clone();
        let to = other / 512 * 512;
        (0..512).for_each(|byte| swapped.swap(from + byte, to + byte));
        if swapped != *bytes {
            let report = verified(&swapped);
            prop_assert!(is_named(&report), "{from} and {to} swapped: {report:?}");
        }
    }
}

#[test]
fn every_block_has_a_byte_whose_change_is_found() {
    for bytes in &*ARCHIVES {
        for at in (0..bytes.len()).step_by(311) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let report = verified(&changed);
            assert!(is_named(&report), "byte {at}: {report:?}");
        }
    }
}
