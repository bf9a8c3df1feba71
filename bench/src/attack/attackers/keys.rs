//! More names than the rate limiter has room for: calls that are refused for a missing field count towards the name that
//! they give. First some seventy addresses send all that they may send in a minute, which is not measured; then as many
//! others go on.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};

const ADDRESSES: u16 = 76;
/// The longest that the table is filled for.
const FILLED_FOR: Duration = Duration::from_secs(25);
/// Routes, and how many calls of an address each lets in a minute.
const ROUTES: [(&str, u64); 18] = [
    ("/commit", 600),
    ("/request-trial", 600),
    ("/claim-verdict", 100),
    ("/screen-entity", 100),
    ("/screen-batch", 100),
    ("/agent-clearance", 100),
    ("/trust-score", 100),
    ("/screen-wallet", 100),
    ("/watch", 100),
    ("/scan-url", 100),
    ("/scan-text", 100),
    ("/distress-score", 100),
    ("/composite", 100),
    ("/federal-register", 100),
    ("/awards", 100),
    ("/dispute", 60),
    ("/grade-strategy", 50),
    ("/copy-trade-score", 50),
];
/// New names of an address in a second, once the table should be full.
const A_SECOND: f64 = 5.0;

/// All that the addresses may send in a minute.
pub async fn fill(scene: &Arc<Scene>) -> anyhow::Result<()> {
    let mut crew = Crew::new(scene, Instant::now() + FILLED_FOR);
    for number in 0..ADDRESSES {
        let scene = Arc::clone(scene);
        crew.works(move |_| async move {
            let mut connection = None;
            let from = attacker(group::KEYS, number);
            let routes = ROUTES.iter().flat_map(|(route, calls)| (0..*calls).map(move |at| (route, at)));
            for (route, at) in routes {
                let request = nameless(route, &format!("{number}{route}{at}"));
                match crate::attack::client::ask(&mut connection, from, scene.address, &request).await {
                    Ok(answer) => scene.count("first", answer.status),
                    Err(failure) => scene.count("first", failure.word()),
                }
            }
        });
    }
    crew.finish().await
}

pub fn enlist(crew: &mut Crew) {
    for number in 0..ADDRESSES {
        crew.asks("name", attacker(group::KEYS, ADDRESSES + number), A_SECOND, move |at| {
            let (route, _) = ROUTES[at as usize % ROUTES.len()];
            nameless(route, &format!("{number}{route}-later-{at}"))
        });
    }
}

/// A question that has a name and a wrong field, and a proof that is none, so that routes that must be paid read it.
fn nameless(route: &str, name: &str) -> Request {
    Request::post(route, &format!(r#"{{"agent":"{name}","contact":1}}"#)).with_header("x-payment: x")
}
