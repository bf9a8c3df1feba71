//! Disputes that cost whoever makes them nothing. Bonds that are spent elsewhere while the rerun works, so that the honest
//! disputer of the same receipt is told that one is open; disputes that can decide nothing, whose bonds come back; and
//! reruns without end.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::attack::client::{Answer, Failure, Request, ask_once};
use crate::attack::crew::{Crew, count};
use crate::attack::group;
use crate::attack::records;
use crate::attack::scene::{Scene, attacker};
use crate::attack::wallets::{WalletGroup, paid};
use crate::questions::{Random, asked_by};

/// Settlement days of the receipts that are held: their rerun takes the better part of a second.
const HELD_DAYS: u32 = 20_000;
/// The number of receipts held, and the time between two of them; nobody else disputes meanwhile, so that there is
/// room.
const HELD: u32 = 2;
const HELD_EVERY: Duration = Duration::from_millis(2500);
/// Receipts of other kinds that are disputed, each twice at most.
const UNDECIDABLE: u32 = 30;
const PLAIN: u32 = 30;
/// The number of wallets that dispute, and their rate: six a minute, each with a wallet of its own.
const DISPUTERS: u32 = 10;
const A_SECOND: f64 = 0.4;
/// The size of a document that is larger than the part kept.
const DOCUMENT_BYTES: usize = 1_200_000;

/// Receipts to dispute.
pub struct Plan {
    held: Vec<String>,
    undecidable: Vec<String>,
    plain: Vec<String>,
}

/// Gets the receipts.
pub async fn prepare(scene: &Arc<Scene>) -> anyhow::Result<Plan> {
    let mut random = Random::new(31);
    let prices = &scene.prices;
    let mut held = Vec::new();
    for number in 0..HELD {
        let request = records::graded(&format!("held-{number}"), HELD_DAYS, 1);
        let request = paid(request, &prices.grade, &WalletGroup::Grader.wallet(60 + number), &mut random);
        // The honest client's, at addresses of its own.
        held.extend(receipt(scene, Ipv4Addr::new(127, 106, 1 + number as u8, 1), request).await);
    }
    let mut undecidable = Vec::new();
    for number in 0..UNDECIDABLE {
        let body =
            json!({"agent": format!("bare-{number}"), "content_hash": format!("sha256:{number:064x}")});
        let request = Request::post("/commit", &body.to_string());
        let request = paid(request, &prices.commit, &WalletGroup::Rich.wallet(number % 3), &mut random);
        undecidable.extend(receipt(scene, attacker(group::DISPUTES, 100), request).await);
    }
    let document = document().await.context("serve a large document")?;
    for number in 0..9 {
        let resolver = json!({"type": "url_json", "url": document, "path": "a", "expect": "1"});
        let body =
            json!({"agent": format!("padded-{}", number / 3), "claim": "It is 1.", "resolver": resolver});
        let request = Request::post("/claim-verdict", &body.to_string());
        undecidable.extend(receipt(scene, attacker(group::DISPUTES, 101), request).await);
    }
    let mut plain = Vec::new();
    for number in 0..PLAIN {
        let request = Request::post("/claim-verdict", &asked_by(&format!("plain-{}", number / 3), number));
        plain.extend(receipt(scene, attacker(group::DISPUTES, 102 + number as u16 / 15), request).await);
    }
    Ok(Plan { held, undecidable, plain })
}

async fn receipt(scene: &Scene, from: Ipv4Addr, request: Request) -> Option<String> {
    let answer = ask_once(from, scene.address, &request).await;
    if !answer.as_ref().is_ok_and(|answer| answer.status == 200) {
        count(scene, "receipt to dispute", &answer);
    }
    answer.ok()?.text("receipt_hash")
}

pub fn enlist(scene: &Arc<Scene>, plan: Option<Plan>, crew: &mut Crew) {
    let Some(Plan { held, undecidable, plain }) = plan else { return };
    for (number, hash) in (0..).zip(held) {
        let scene = Arc::clone(scene);
        crew.works(move |_| async move {
            sleep(HELD_EVERY * number).await;
            hold(&scene, number, &hash).await;
        });
    }
    crew.delay = HELD_EVERY * HELD;
    for (call, first, hashes) in
        [("dispute that decides nothing", 10, undecidable), ("plain dispute", 30, plain)]
    {
        let hashes = Arc::new(hashes);
        for number in (0..DISPUTERS).filter(|_| !hashes.is_empty()) {
            let (hashes, scene) = (Arc::clone(&hashes), Arc::clone(scene));
            let wallet = WalletGroup::Rich.wallet(first + number);
            let mut random = Random::new(u64::from(first + number));
            let bond = scene.prices.bond.clone();
            let request = move |at: u64| {
                let hash = &hashes[(at as usize * DISPUTERS as usize + number as usize) % hashes.len()];
                paid(dispute(&format!("disputer-{}", first + number), hash), &bond, &wallet, &mut random)
            };
            let from = attacker(group::DISPUTES, first as u16 + number as u16);
            crew.looks_at(call, from, A_SECOND, request, move |_, answer| {
                if let Some(verdict) = answer.text("verdict").or_else(|| answer.text("code")) {
                    scene.count(call, verdict);
                }
            });
        }
    }
    crew.delay = Duration::ZERO;
}

fn dispute(agent: &str, hash: &str) -> Request {
    let body = json!({"agent": agent, "receipt_hash": hash, "reason": "It is not so."});
    Request::post("/dispute", &body.to_string())
}

/// An attacker's dispute of a receipt, its dollar spent meanwhile, and the honest dispute of the same receipt.
async fn hold(scene: &Scene, number: u32, hash: &str) {
    let (from, wallet) = (attacker(group::DISPUTES, number as u16), WalletGroup::OneDollar.wallet(number));
    let mut random = Random::new(u64::from(9_000 + number));
    let prices = &scene.prices;
    let holding = paid(dispute("holder", hash), &prices.bond, &wallet, &mut random);
    let commits: Vec<Request> = (0..10)
        .map(|at| {
            let body = json!({"agent": "holder", "content": at}).to_string();
            paid(Request::post("/commit", &body), &prices.commit, &wallet, &mut random)
        })
        .collect();
    let honest_wallet = WalletGroup::Grader.wallet(60 + number);
    let honest = paid(dispute("honest-disputer", hash), &prices.bond, &honest_wallet, &mut random);

    let hold = ask_once(from, scene.address, &holding);
    let spend = async {
        sleep(Duration::from_millis(150)).await;
        for commit in &commits {
            count(scene, "commit of the holder", &ask_once(from, scene.address, commit).await);
        }
    };
    let try_it = async {
        sleep(Duration::from_millis(400)).await;
        ask_once(Ipv4Addr::new(127, 107, 1 + number as u8, 1), scene.address, &honest).await
    };
    let (held, (), tried) = tokio::join!(hold, spend, try_it);
    count(scene, "holder", &held);
    count(scene, "honest disputer", &tried);
    let is_paid = |answer: &Result<Answer, Failure>| answer.as_ref().is_ok_and(|answer| answer.status == 200);
    let is_refused = tried.as_ref().is_ok_and(|answer| answer.status == 409);
    if is_refused && !is_paid(&held) {
        scene.count("held", FOR_NOTHING);
    }
}

const FOR_NOTHING: &str = "for nothing";

/// A receipt that somebody held without paying for it is a goal that was missed.
pub fn look_back(scene: &Scene) {
    let held = scene.counted("held", FOR_NOTHING);
    if held > 0 {
        scene.miss(format!("{held} receipts were held for nothing against an honest disputer"));
    }
}

/// Serves a document that is larger than the part kept, and returns its address: `{"a":1,"pad":"..."}`.
async fn document() -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let body = format!(r#"{{"a":1,"pad":"{}"}}"#, " ".repeat(DOCUMENT_BYTES));
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let answer = Arc::new(head + &body);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                // A head is short; whoever asks is our own notary.
                let mut head = [0; 4096];
                if stream.read(&mut head).await.is_ok() {
                    drop(stream.write_all(answer.as_bytes()).await);
                }
            });
        }
    });
    Ok(format!("http://{address}/"))
}
