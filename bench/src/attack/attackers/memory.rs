//! Bodies of 4 MiB that lack their last byte, a hundred from each of ten addresses: what an address may have of the two
//! grading routes together.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{sleep, timeout};

use crate::attack::client::{Failure, Request, connect, exchange};
use crate::attack::crew::{Crew, Pace, count};
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};

const ADDRESSES: u16 = 10;
/// Of an address, on each of two routes.
const AT_ONCE: u16 = 50;
const CALL: &str = "unfinished body";
const OPENED_A_SECOND: f64 = 200.0;
/// The time limit for an answer: a body may take fifteen seconds to arrive.
const PATIENCE: Duration = Duration::from_secs(20);
const AGAIN_AFTER: Duration = Duration::from_secs(2);

pub fn enlist(scene: &Arc<Scene>, crew: &mut Crew) {
    let pace = Pace::new(OPENED_A_SECOND);
    let body = Bytes::from(vec![b' '; 4 << 20]);
    for _ in 0..scene.scaled(AT_ONCE) {
        for number in 0..scene.scaled(ADDRESSES) {
            for route in ["/grade-strategy", "/copy-trade-score"] {
                let from = attacker(group::MEMORY, number);
                let request = Request::post_shared(route, "", body.clone()).without_end(1);
                let (scene, pace) = (Arc::clone(scene), pace.clone());
                crew.works(move |_| hold(scene, pace, from, request));
            }
        }
    }
}

async fn hold(scene: Arc<Scene>, pace: Pace, from: Ipv4Addr, request: Request) {
    loop {
        pace.turn().await;
        match connect(from, scene.address, None).await {
            Err(error) => count(&scene, CALL, &Err(Failure::Unconnected(error))),
            Ok(mut stream) => {
                scene.count(CALL, "begun");
                match timeout(PATIENCE, exchange(&mut stream, &request)).await {
                    Ok(answer) => count(&scene, CALL, &answer),
                    Err(_) => scene.count(CALL, "no answer"),
                }
            }
        }
        sleep(AGAIN_AFTER).await;
    }
}
