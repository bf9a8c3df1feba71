//! Bodies that are slow to parse for their size, of the sizes that routes take, all answered 400.

use bytes::Bytes;

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::scene::attacker;

/// Under what each route takes, 4 MiB and 256 KiB.
const LARGE: usize = 4_000_000;
const MIDDLE: usize = 256_000;
/// Just short of 64 KiB, from which bodies are to be parsed elsewhere than on the serving threads.
const SMALL: usize = 63 << 10;

pub fn enlist(crew: &mut Crew) {
    let [large, middle, small] = [LARGE, MIDDLE, SMALL].map(dense);
    for number in 0..6 {
        let from = attacker(group::BODIES, number);
        for route in ["/grade-strategy", "/copy-trade-score"] {
            // An address may ask fifty times a minute.
            let body = large.clone();
            crew.asks("4 MB", from, 1.5, move |_| Request::post_shared(route, "", body.clone()));
        }
    }
    for number in 6..9 {
        let from = attacker(group::BODIES, number);
        for (call, body, a_second) in [("256 KiB", &middle, 20.0), ("63 KiB", &small, 40.0)] {
            for route in ["/verify", "/claim-verdict"] {
                // The one allows 6,000 a minute and address, the other a hundred.
                let a_second = if route == "/verify" { a_second } else { 2.0 };
                let body = body.clone();
                crew.asks(call, from, a_second, move |_| Request::post_shared(route, "", body.clone()));
            }
        }
    }
}

/// `{"x":[{"a":1},...]}`, so long.
fn dense(bytes: usize) -> Bytes {
    let rows = vec![r#"{"a":1}"#; bytes / 8 - 1].join(",");
    format!(r#"{{"x":[{rows}]}}"#).into()
}
