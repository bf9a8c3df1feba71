//! Free calls that are kept whole: members of 4 MiB and 256 KiB that no question knows, requests for trials, and watches.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep;

use crate::attack::client::{Request, ask_once};
use crate::attack::crew::{Crew, count};
use crate::attack::group;
use crate::attack::scene::{Scene, attacker, disk_bytes};

/// The most bytes by which one free call may let the data folder grow: 256 KiB beside what its question reads, and as
/// much again for the receipt and what the store needs.
const MOST_BYTES_A_CALL: u64 = 512 << 10;

/// A kind of call, how many measure its growth, and how often an address makes it: about what it may.
struct Kind {
    call: &'static str,
    measured: u64,
    a_second: f64,
    request: fn(&str) -> Request,
}

const KINDS: [Kind; 5] = [
    Kind { call: "grade, 4 MiB", measured: 8, a_second: 0.8, request: |name| grade("/grade-strategy", name) },
    Kind {
        call: "copy, 4 MiB",
        measured: 8,
        a_second: 0.8,
        request: |name| grade("/copy-trade-score", name),
    },
    Kind { call: "screen, 256 KiB", measured: 16, a_second: 1.6, request: screen },
    Kind { call: "trial", measured: 400, a_second: 10.0, request: trial },
    Kind { call: "watch", measured: 16, a_second: 1.6, request: watch },
];
/// The time after a call until its bytes are at their final position on disk.
const SETTLED_AFTER: Duration = Duration::from_millis(700);
/// Addresses of each kind.
const ADDRESSES: u16 = 4;

/// Measures how much the folder grows with each call.
pub async fn prepare(scene: &Arc<Scene>) -> anyhow::Result<()> {
    for (place, kind) in (0..).zip(&KINDS) {
        let before = disk_bytes(&scene.folder)?;
        let mut kept = 0;
        for number in 0..kind.measured {
            let request = (kind.request)(&format!("first-{place}-{number}"));
            let answer = ask_once(attacker(group::DISK, 200 + place), scene.address, &request).await;
            kept += u64::from(answer.as_ref().is_ok_and(|answer| answer.status == 200));
            count(scene, kind.call, &answer);
        }
        // Bytes in the write-ahead log are moved into the store a little later.
        sleep(SETTLED_AFTER).await;
        let grown = disk_bytes(&scene.folder)?.saturating_sub(before);
        let each = grown / kept.max(1);
        scene.note(format!("{}: the folder grows by {} KiB for each of {kept} kept", kind.call, each >> 10));
        // A call that is not kept may still grow the folder, by the pages that are written anyway.
        if kept > 0 && each > MOST_BYTES_A_CALL {
            scene.miss(format!("{} kept {} KiB a free call", kind.call, each >> 10));
        }
    }
    Ok(())
}

pub fn enlist(crew: &mut Crew) {
    for (place, kind) in (0..).zip(&KINDS) {
        for number in 0..ADDRESSES {
            let from = attacker(group::DISK, place * ADDRESSES + number);
            let request = kind.request;
            crew.asks(kind.call, from, kind.a_second, move |at| {
                request(&format!("disk-{place}-{number}-{at}"))
            });
        }
    }
}

/// Tells how large the folder has become.
pub fn look_back(scene: &Scene) -> anyhow::Result<()> {
    scene.note(format!("the folder has {} MB at the end", disk_bytes(&scene.folder)? / 1_000_000));
    Ok(())
}

fn padding(bytes: usize) -> Bytes {
    format!("{}\"}}", "x".repeat(bytes)).into()
}

fn grade(path: &str, agent: &str) -> Request {
    let costs = r#"{"half_spread":0.0002,"fee":0.0005,"order_size":"1000","adv":"50000000","daily_volatility":0.02,"latency_seconds":3}"#;
    let rows = r#"[{"date":"2025-10-01","r":"0.004","max_loss":0.02},{"date":"2025-10-02","r":"0.001","max_loss":0.02}]"#;
    let costs = if path == "/copy-trade-score" { format!(r#""costs":{costs},"#) } else { String::new() };
    let start = format!(r#"{{"agent":"{agent}","benchmark":"cash",{costs}"returns":{rows},"padding":""#);
    Request::post_shared(path, &start, padding((4 << 20) - 1024))
}

fn screen(agent: &str) -> Request {
    let start = format!(r#"{{"agent":"{agent}","entity":"Viktor Bout","type":"person","padding":""#);
    Request::post_shared("/screen-entity", &start, padding((256 << 10) - 512))
}

fn trial(agent: &str) -> Request {
    let text = "x".repeat(1024);
    let body = format!(r#"{{"agent":"{agent}","endpoint":"{text}","contact":"{text}","reason":"{text}"}}"#);
    Request::post("/request-trial", &body)
}

fn watch(agent: &str) -> Request {
    Request::post("/watch", &format!(r#"{{"agent":"{agent}","entity":"Viktor Bout","type":"person"}}"#))
}
