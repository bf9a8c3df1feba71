//! Proofs of payment that pay nothing, six hundred a minute and address: by payers without money, with signatures of
//! others in the name of the honest client's wallets, with signatures of nobody, and with headers that are no proof.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payment::payer::{Demand, header};
use payment::{B256, Wallet};
use serde_json::{Value, json};

use crate::attack::client::Request;
use crate::attack::crew::Crew;
use crate::attack::group;
use crate::attack::scene::{Scene, attacker};
use crate::attack::wallets::{WalletGroup, now};
use crate::questions::Random;

const ADDRESSES: u16 = 10;
const A_SECOND: f64 = 10.0;
/// Proofs that are ready; each is sent once in fifteen seconds, and again after that.
const READY: u32 = 1500;

/// Signs them.
pub fn prepare(scene: &Arc<Scene>) -> Vec<Request> {
    let mut random = Random::new(13);
    (0..READY)
        .map(|number| {
            let body = json!({"agent": format!("payer-{number}"), "content": number}).to_string();
            let proof = proof(&scene.prices.commit, number, &mut random).unwrap_or_else(|| "x".to_owned());
            Request::post("/commit", &body).with_header(&format!("payment-signature: {proof}"))
        })
        .collect()
}

fn proof(demand: &Demand, number: u32, random: &mut Random) -> Option<String> {
    let nobody = WalletGroup::Empty.wallet(number);
    let signed = |wallet: &Wallet, nonce| demand.pay(wallet, now(), B256::new(nonce), None);
    let proof = signed(&nobody, random.bytes());
    let mut read: Value = serde_json::from_slice(&STANDARD.decode(&proof).ok()?).ok()?;
    match number % 4 {
        0 => return Some(proof),
        1 => {
            let honest = WalletGroup::Committer.wallet(number % 20).address().to_string();
            *read.pointer_mut("/payload/authorization/from")? = json!(honest);
        }
        2 => {
            let signature = [random.bytes(), random.bytes()].concat();
            *read.pointer_mut("/payload/signature")? = json!(format!("0x{}1b", hex::encode(signature)));
        }
        _ => return Some(hex::encode(random.bytes())),
    }
    Some(header(&read))
}

pub fn enlist(proofs: Vec<Request>, crew: &mut Crew) {
    let proofs = Arc::new(proofs);
    for number in 0..ADDRESSES {
        let proofs = Arc::clone(&proofs);
        let from = attacker(group::PROOFS, number);
        crew.asks("bad proof", from, A_SECOND, move |at| {
            proofs[(at as usize * usize::from(ADDRESSES) + usize::from(number)) % proofs.len()].clone()
        });
    }
}
