//! Every invariant holds for arbitrary bytes, and for valid samples that were changed.

mod mutation;
mod samples;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use mutation::{Input, arbitrary, mutated};

/// The tests of the invariants, each with the parser's samples, and their names.
macro_rules! invariants {
    ($($name:ident: $module:ident::$function:ident;)*) => {
        $(
            #[test]
            fn $name() {
                hold(crate::$module::$function, samples::$name());
            }
        )*

        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

invariants! {
    archive_tar: archive::tar;
    archive_verify: archive::verify;
    claim_compare: claim::compare;
    claim_path: claim::path;
    claim_question: claim::question;
    dns_name: dns::name;
    dns_transcript: dns::transcript;
    domain_address: domain::address;
    domain_bootstrap: domain::bootstrap;
    domain_feed: domain::feed;
    domain_name: domain::name;
    domain_rdap: domain::rdap;
    exports_file: exports::file;
    fetch_gzip: fetch::gzip;
    fetch_target: fetch::target;
    follower_contradiction: follower::contradiction;
    follower_state: follower::state;
    forms_statement: forms::statement;
    grading_question: grading::question;
    headers_csp: headers::csp;
    headers_html: headers::html;
    headers_response: headers::response;
    market_awards: market::awards;
    market_facts: market::facts;
    market_federal_register: market::federal_register;
    market_financials: market::financials;
    market_series: market::series;
    payment_proof: payment::proof;
    receipt_canonical: receipt::canonical;
    receipt_json: receipt::json;
    receipt_key_record: receipt::key_record;
    receipt_number: receipt::number;
    receipt_verify: receipt::verify;
    rpc_answer: rpc::answer;
    rpc_value: rpc::value;
    safety_text: safety::text;
    safety_url: safety::url;
    tlog_checkpoint: tlog::checkpoint;
    tlog_cosignature: tlog::cosignature;
    tlog_entry_bundle: tlog::entry_bundle;
    tlog_note: tlog::note;
    tlog_policy: tlog::policy;
    tlog_proof: tlog::proof;
    tlog_tile_path: tlog::tile_path;
    trust_caa: trust::caa;
    trust_dmarc: trust::dmarc;
    trust_spf: trust::spf;
    watchlist_columns: watchlist::columns;
    watchlist_file: watchlist::file;
    watchlist_publication: watchlist::publication;
    watchlist_snapshot: watchlist::snapshot;
    witness_answer: witness::answer;
    witness_request: witness::request;
}

/// A sample that the parser refuses would test nothing but its first lines.
fn hold(invariant: fn(&[u8]) -> bool, samples: Vec<Vec<u8>>) {
    for sample in &samples {
        assert!(invariant(sample), "the sample is refused: {}", sample.escape_ascii());
    }
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let inputs = prop_oneof![1 => arbitrary(), 3 => mutated(samples)];
    let run = TestRunner::new(config).run(&inputs, |Input(bytes)| {
        invariant(&bytes);
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_fuzz_target_has_its_test_and_is_built() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("the crate has a manifest");
    let targets: BTreeSet<String> = fs::read_dir(folder.join("fuzz_targets"))
        .expect("the targets have a folder")
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    assert_eq!(targets, NAMES.iter().map(|name| (*name).to_owned()).collect());
    for name in NAMES {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}
