//! Connections that are held: each asks for `/health` when it is opened and every ten seconds, is opened again five
//! seconds after it was closed, and does nothing else.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::attack::client::{Request, connect, exchange};
use crate::attack::crew::{Crew, Pace, count};
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};

const CALL: &str = "held";
/// Connections that are opened in a second, of all addresses together.
const OPENED_A_SECOND: f64 = 1500.0;
const ASKED_EVERY: Duration = Duration::from_secs(10);
const REOPENED_AFTER: Duration = Duration::from_secs(5);
const PATIENCE: Duration = Duration::from_secs(10);

/// Holds connections from several networks, the same number from each.
pub fn enlist(scene: &Arc<Scene>, crew: &mut Crew, networks: u16, each: u16) {
    let pace = Pace::new(OPENED_A_SECOND);
    for _ in 0..scene.scaled(each) {
        for network in 0..networks {
            let from = attacker(group::CONNECTIONS, network);
            let (scene, pace) = (Arc::clone(scene), pace.clone());
            crew.works(move |until| hold(scene, pace, from, until));
        }
    }
}

async fn hold(scene: Arc<Scene>, pace: Pace, from: Ipv4Addr, until: Instant) {
    loop {
        pace.turn().await;
        match timeout(PATIENCE, connect(from, scene.address, None)).await {
            Ok(Ok(stream)) => keep(&scene, stream, until).await,
            Ok(Err(_)) => scene.count(CALL, "unconnected"),
            Err(_) => scene.count(CALL, "no connection in 10 s"),
        }
        sleep(REOPENED_AFTER).await;
    }
}

/// Keeps a connection until it is closed.
async fn keep(scene: &Scene, mut stream: TcpStream, until: Instant) {
    let request = Request::get("/health");
    loop {
        match timeout(PATIENCE, exchange(&mut stream, &request)).await {
            Ok(answer) => {
                count(scene, CALL, &answer);
                if answer.is_err() {
                    return;
                }
            }
            Err(_) => {
                scene.count(CALL, "no answer");
                return;
            }
        }
        let mut byte = [0];
        let next = Instant::now() + ASKED_EVERY;
        if next > until {
            scene.count(CALL, "open to the end");
        }
        if timeout_at(next, stream.read(&mut byte)).await.is_ok() {
            scene.count(CALL, "closed while idle");
            return;
        }
    }
}
