//! Free records of 46,000 days, which take seconds of a core each, from three networks and many names.

use bytes::Bytes;

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::records::{self, MOST_DAYS};
use crate::attack::scene::attacker;

const ADDRESSES: u16 = 3;
/// Calls of an address that are in hand at once, of either route.
const AT_ONCE: u16 = 4;
/// Of each of these: together what an address may ask of each route.
const A_SECOND: f64 = 0.5;

pub fn enlist(crew: &mut Crew) {
    let rows = records::rows(MOST_DAYS, 1);
    for number in 0..ADDRESSES {
        for place in 0..AT_ONCE {
            let from = attacker(group::GRADING, number);
            // Each free call is of another name.
            let name = move |at| format!("g{number}-{place}-{at}");
            let graded = rows.clone();
            crew.asks("grade", from, A_SECOND, move |at| {
                record("/grade-strategy", &records::start(&name(at)), &graded)
            });
            let copied = rows.clone();
            crew.asks("copy", from, A_SECOND, move |at| {
                record("/copy-trade-score", &records::copied(&name(at)), &copied)
            });
        }
    }
}

fn record(path: &str, start: &str, rows: &Bytes) -> Request {
    Request::post_shared(path, start, rows.clone())
}
