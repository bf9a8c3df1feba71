//! Payloads of real clients and the specification's examples, where the folder that holds them is there, by the suites
//! of the crate `suites`; and one of each kind that is always there.

#[path = "../../../../testing/suites/src/outcome.rs"]
#[allow(unreachable_pub)]
mod outcome;
#[path = "../../../../testing/suites/src/x402.rs"]
#[allow(unreachable_pub)]
mod x402;

use payment::check::{ProofSigner, new_proof};
use payment::{Header, Network, PaymentEvidence, Proof, RequestIdentity, Terms, Version};
use std::path::PathBuf;
use verdict::Usd;

#[test]
fn every_payload_and_example_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data");
    for outcome in x402::run(&folder) {
        println!("{}: {} of {}", outcome.name, outcome.passed, outcome.total);
        assert_eq!(outcome.passed, outcome.total, "{}: {:#?}", outcome.name, outcome.failures);
    }
}

#[test]
fn a_missing_folder_is_passed_over() {
    assert!(x402::run(&PathBuf::from("nowhere")).is_empty());
}

/// What npm @x402/fetch 2.27.0 sent to pay 0.02 USDC on Base.
const OF_TYPESCRIPT: &str = "eyJ4NDAyVmVyc2lvbiI6MiwicGF5bG9hZCI6eyJhdXRob3JpemF0aW9uIjp7ImZyb20iOiIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCJ0byI6IjB4MjA5NjkzQmM2YWZjMEM1MzI4YkEzNkZhRjAzQzUxNEVGMzEyMjg3QyIsInZhbHVlIjoiMjAwMDAiLCJ2YWxpZEFmdGVyIjoiMCIsInZhbGlkQmVmb3JlIjoiMTc5NTIyMzM2NyIsIm5vbmNlIjoiMHhlNmVlOTllNzRkYzhiMTQ0ZTIxZjVmZTRlNTY2ZDkzMjE5NjI3YWNiZjZlN2FkMjY2YmM2ZGEzMDI5NDZhODg1In0sInNpZ25hdHVyZSI6IjB4OGFkZGUxNTVjOTU1MDJmYjRlMzQ5ZGMxZTJiNmJjY2QxZTMzZWEzYmZlMjQ2MmM1MjUxZDk4ZjkzZGY5NmY2ZTYyYzBkZTAyMTI5MDRjMmQ4ZjUyOTBlYzNmZDU3YjkwNmRhODVjMTVmODU1MDNiMmIyZWRlOTkyNDZlOTc3NjAxYiJ9LCJleHRlbnNpb25zIjp7InBheW1lbnQtaWRlbnRpZmllciI6eyJpbmZvIjp7InJlcXVpcmVkIjpmYWxzZX0sInNjaGVtYSI6eyJ0eXBlIjoib2JqZWN0IiwicHJvcGVydGllcyI6eyJyZXF1aXJlZCI6eyJ0eXBlIjoiYm9vbGVhbiJ9LCJpZCI6eyJ0eXBlIjoic3RyaW5nIiwibWluTGVuZ3RoIjoxNiwibWF4TGVuZ3RoIjoxMjh9fSwicmVxdWlyZWQiOlsicmVxdWlyZWQiXX19fSwicmVzb3VyY2UiOnsidXJsIjoiaHR0cDovLzEyNy4wLjAuMToxODYwMS92MS9ub3Rhcml6ZSIsImRlc2NyaXB0aW9uIjoibm90YXJ5IiwibWltZVR5cGUiOiJhcHBsaWNhdGlvbi9qc29uIn0sImFjY2VwdGVkIjp7InNjaGVtZSI6ImV4YWN0IiwibmV0d29yayI6ImVpcDE1NTo4NDUzIiwiYW1vdW50IjoiMjAwMDAiLCJhc3NldCI6IjB4ODMzNTg5ZkNENmVEYjZFMDhmNGM3QzMyRDRmNzFiNTRiZEEwMjkxMyIsInBheVRvIjoiMHgyMDk2OTNCYzZhZmMwQzUzMjhiQTM2RmFGMDNDNTE0RUYzMTIyODdDIiwibWF4VGltZW91dFNlY29uZHMiOjEyMCwiZXh0cmEiOnsibmFtZSI6IlVTRCBDb2luIiwidmVyc2lvbiI6IjIifX19";

/// What PyPI x402 0.2.1 sent for the same; Python writes blanks into its JSON.
const OF_PYTHON: &str = "eyJ4NDAyVmVyc2lvbiI6IDEsICJzY2hlbWUiOiAiZXhhY3QiLCAibmV0d29yayI6ICJiYXNlIiwgInBheWxvYWQiOiB7InNpZ25hdHVyZSI6ICIweDllNDlkZWUxZDJkYzhlODA0MTRiMzBkMWFiMmQyZmY5NjBhNzMxYjU2MTkxZjY3YzU3MWY5OGFkZjUwNzY4ZTY1YzJkZTQ4MTVmOWMwMzQ0OWIyZGYzNDk0M2NiNjY4ZDE3OWJmN2FiMzE5ZmMwMzBmNjQ5ZjZlN2M0NmU5YWQwMWMiLCAiYXV0aG9yaXphdGlvbiI6IHsiZnJvbSI6ICIweGYzOUZkNmU1MWFhZDg4RjZGNGNlNmFCODgyNzI3OWNmZkZiOTIyNjYiLCAidG8iOiAiMHgyMDk2OTNCYzZhZmMwQzUzMjhiQTM2RmFGMDNDNTE0RUYzMTIyODdDIiwgInZhbHVlIjogIjIwMDAwIiwgInZhbGlkQWZ0ZXIiOiAiMTc5NTIyMzE5NCIsICJ2YWxpZEJlZm9yZSI6ICIxNzk1MjIzMzc0IiwgIm5vbmNlIjogIjB4ZmIzYTE5MTlmNGU4ZTgxODc5MTE0Y2E4NjUzNGFmMWQyNzBiODk4MTViMDI2ZTI3NGVmY2E0NWI4NmYzOWVjNCJ9fX0=";

#[test]
fn what_real_clients_have_sent_pays_exactly_its_price() {
    let request = RequestIdentity::new("POST", "/v1/notarize", "", br#"{"sha256":"00"}"#);
    let of_typescript = (Header::PaymentSignature, OF_TYPESCRIPT, Version::V2);
    let of_python = (Header::XPayment, OF_PYTHON, Version::V1);
    for (header, value, version) in [of_typescript, of_python, (Header::XPayment, OF_TYPESCRIPT, Version::V2)]
    {
        let proof = Proof::decode(header, value.as_bytes()).unwrap();
        assert_eq!((proof.version(), proof.identifier()), (Some(version), None));
        let evidence = proof.evidence(&Network::base()).unwrap();
        let PaymentEvidence::Authorization(signed) = &evidence else { panic!("an authorization") };
        let terms = Terms::new(Network::base(), signed.authorization.to);
        let signed = new_proof(&evidence, &terms, &[Usd::from_cents(2)], 1_795_223_300, &request);
        assert_eq!(signed, Ok(ProofSigner::ByAccount));
    }
}
