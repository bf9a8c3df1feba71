//! Names that are public: each of the honest client's is repeated eleven times and more within a minute by others, and
//! one network asks for free answers under names that it makes up.

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::honest::{COMMITTERS, CUSTOMERS, committer, customer};
use crate::attack::scene::{FREE_PER_NETWORK, Scene, attacker};
use crate::questions::asked_by;

/// Networks that repeat the names of those who pay for claims; six names each, eleven times in the first five seconds.
const CLAIMERS: u16 = 10;
const TIMES: u64 = 11;
const CLAIMS_A_SECOND: f64 = 14.0;
/// Networks that repeat the names of those who commit; five names each, 61 times in the first eight seconds.
const COMMITTING: u16 = 4;
const COMMITS: u64 = 61;
const COMMITS_A_SECOND: f64 = 40.0;

const MADE_UP: &str = "free claim under a made-up name";
/// Free claims of an agent a day.
const FREE_CLAIMS: u64 = 3;

pub fn enlist(crew: &mut Crew) {
    let each = CUSTOMERS / u32::from(CLAIMERS);
    for number in 0..CLAIMERS {
        crew.asks(
            "claim under a customer's name",
            attacker(group::NAMES, number),
            CLAIMS_A_SECOND,
            move |at| {
                let name = customer(u32::from(number) * each + (at / TIMES) as u32 % each);
                Request::post("/claim-verdict", &asked_by(&name, at as u32))
            },
        );
    }
    let each = COMMITTERS / u32::from(COMMITTING);
    for number in 0..COMMITTING {
        crew.asks(
            "commit under a customer's name",
            attacker(group::NAMES, 50 + number),
            COMMITS_A_SECOND,
            move |at| {
                let name = committer(u32::from(number) * each + (at / COMMITS) as u32 % each);
                Request::post("/commit", &format!(r#"{{"agent":"{name}","content":{at}}}"#))
            },
        );
    }
    // Within what an address may ask, so that only the count of free answers can refuse it.
    crew.asks(MADE_UP, attacker(group::NAMES, 100), 6.0, |at| {
        Request::post("/claim-verdict", &asked_by(&format!("made-up-{at}"), at as u32))
    });
}

/// One network may have so many free answers a day.
pub fn look_back(scene: &Scene) {
    let (free, most) = (scene.counted(MADE_UP, "200"), FREE_PER_NETWORK * FREE_CLAIMS);
    if free > most {
        scene.miss(format!("one network had {free} free claims, of at most {most} a day"));
    }
}
