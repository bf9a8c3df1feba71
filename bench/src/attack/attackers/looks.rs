//! Questions that take work for nothing: looks at domains whose name servers never answer, names of 4,096 characters, and
//! paid batches of a thousand names.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use payment::payer::Demand;
use serde_json::json;
use tokio::time::sleep;

use crate::attack::client::{Request, ask};
use crate::attack::crew::{Crew, count};
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};
use crate::attack::wallets::{WalletGroup, paid};
use crate::questions::Random;

const ADDRESSES: u16 = 20;
/// A hundred a minute and address are let in of each.
const A_SECOND: f64 = 2.0;
/// The longest name that may be screened.
const NAME_CHARS: usize = 4096;
/// The number of buyers of batches, who pay ten times a minute each.
const BUYERS: u16 = 6;
const BATCH_EVERY: Duration = Duration::from_secs(6);
const BATCH_NAMES: usize = 1000;

pub fn enlist(scene: &Arc<Scene>, crew: &mut Crew) {
    for number in 0..ADDRESSES {
        let from = attacker(group::LOOKS, number);
        crew.asks("look at a domain", from, A_SECOND, move |at| {
            Request::get(&format!("/trust-score?agent=looker-{number}-{at}&domain=dead-{number}-{at}.com"))
        });
        let mut random = Random::new(u64::from(number));
        crew.asks("screen of 4,096 characters", from, A_SECOND, move |at| {
            let body = json!({"agent": format!("screener-{number}-{}", at / 5), "entity": name(NAME_CHARS, &mut random)});
            Request::post("/screen-entity", &body.to_string())
        });
    }
    for number in 0..BUYERS {
        let scene = Arc::clone(scene);
        crew.works(move |_| buy(scene, number, attacker(group::LOOKS, 100 + number)));
    }
}

/// Buys one batch after the other.
async fn buy(scene: Arc<Scene>, number: u16, from: Ipv4Addr) {
    const CALL: &str = "paid batch";
    let mut random = Random::new(u64::from(number) + 500);
    let wallet = WalletGroup::Rich.wallet(50 + u32::from(number));
    let mut connection = None;
    loop {
        let names: Vec<String> = (0..BATCH_NAMES).map(|_| name(60, &mut random)).collect();
        let body = json!({"agent": format!("buyer-{number}"), "entities": names});
        let request = Request::post("/screen-batch", &body.to_string());
        let asked = ask(&mut connection, from, scene.address, &request).await;
        let terms = asked.as_ref().ok().and_then(|answer| answer.header("payment-required"));
        match terms.and_then(|terms| Demand::decode(terms.as_bytes()).ok()) {
            Some(demand) => {
                let request = paid(request, &demand, &wallet, &mut random);
                count(&scene, CALL, &ask(&mut connection, from, scene.address, &request).await);
            }
            None => count(&scene, CALL, &asked),
        }
        sleep(BATCH_EVERY).await;
    }
}

/// Words of seven letters, so many characters in all.
fn name(chars: usize, random: &mut Random) -> String {
    let mut name: String = (0..chars)
        .map(|at| if at % 8 == 7 { ' ' } else { char::from(b'a' + random.below(26) as u8) })
        .collect();
    if name.ends_with(' ') {
        name.replace_range(chars - 1.., "a");
    }
    name
}
