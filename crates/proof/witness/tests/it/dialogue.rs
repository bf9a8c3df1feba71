//! The requests and answers of another implementation's test, where the data folder is beside the checkout.

use std::fs::File;
use std::path::Path;

use serde_json::Value;
use tlog::VerifierKey;
use witness::{MemoryStore, SIZE_CONTENT_TYPE, Witness};

use crate::common::{ask, both_cosigners};

const ORIGIN: &str = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562";

/// The key of the log, which the dialogue leaves out: the last part of the origin is the SHA-256 of the public key.
const LOG_KEY: &str = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562+5202289b+Af/cLU2Y5BJNP+r3iMDC+av9eWCD0fBJVDfzAux5zxAP";

#[test]
fn the_dialogue_of_another_witness_is_answered_in_the_same_way() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/vectors/tlog/litewitness_add-checkpoint.json.gz");
    let Ok(file) = File::open(path) else {
        println!("skipped: there is no ../shared/data/vectors/tlog");
        return;
    };
    let sections: Value = serde_json::from_reader(flate2::read::GzDecoder::new(file)).unwrap();
    let script = sections["add-checkpoint.hurl"].as_str().unwrap();
    let log = LOG_KEY.parse::<VerifierKey>().unwrap();
    let witness = Witness::new(both_cosigners()).unwrap().with_log(ORIGIN, vec![log]).unwrap();
    let store = MemoryStore::default();
    let mut answered = 0;
    for exchange in script.split("POST ").skip(1) {
        let parts: Vec<&str> = exchange.split("```\n").collect();
        let (body, rest) = (parts[1], parts[2]);
        let status: u16 = rest.strip_prefix("HTTP ").unwrap()[..3].parse().unwrap();
        // That implementation answers 403 for an unknown log, where the standard says 404.
        let status = if rest.contains("unknown log") { 404 } else { status };
        // The bad signature there is base64 with trailing bits, which this crate refuses as malformed. The same bytes
        // without them are a bad signature.
        let canonical = body.replace("6gx=", "6gw=");
        if canonical != body {
            assert_eq!(ask(&witness, &store, body).status(), 400);
        }
        let answer = ask(&witness, &store, &canonical);
        assert_eq!(answer.status(), status, "{exchange}\n{}", answer.body());
        if let Some((_, expected)) = rest.split_once("body == ") {
            let expected: String = serde_json::from_str(expected.lines().next().unwrap()).unwrap();
            assert_eq!((answer.body(), answer.content_type()), (expected, SIZE_CONTENT_TYPE));
        }
        answered += 1;
    }
    assert_eq!(answered, 9);
}
