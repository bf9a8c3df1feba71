//! A real chain, and how the tests settle on it.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fetch::Endpoint;
use payment::chain::{ChainSettler, ChainView, ChainViewSettings, Rpc};
use payment::eip712::Domain;
use payment::{
    Address, Authorization, B256, Network, Outcome, Prepared, Settler, SignedAuthorization, U256, Wallet,
};
use peers::HANG;
use peers::anvil::ETHER;
use tokio::time::{sleep, timeout};

pub(crate) use peers::anvil::{OTHER, hash};
pub(crate) use peers::contracts::*;

/// What everything costs here.
pub(crate) const PRICE: u64 = 20_000;
/// What is paid for gas at most, in wei.
const MAX_FEE: u128 = 1_000_000_000_000;

/// The payee.
pub(crate) fn pay_to() -> Address {
    Address::repeat_byte(0x42)
}

/// The payer.
pub(crate) fn payer() -> Wallet {
    Wallet::from_bytes([7; 32]).unwrap()
}

/// The gas key, as bytes.
pub(crate) const GAS_KEY: [u8; 32] = [0x6a; 32];

/// A chain with a payer who has 1 USDC, and a gas account that has 1 ether.
pub(crate) struct Anvil {
    chain: peers::Anvil,
    nonces: AtomicU64,
}

impl Deref for Anvil {
    type Target = peers::Anvil;

    fn deref(&self) -> &Self::Target {
        &self.chain
    }
}

impl Anvil {
    /// `None` where anvil cannot be had, which is told, and fails under CI.
    pub(crate) async fn start(untested: &str) -> Option<Self> {
        Self::start_with(untested, &["--chain-id", "8453"]).await
    }

    pub(crate) async fn start_with(untested: &str, arguments: &[&str]) -> Option<Self> {
        let chain = peers::Anvil::start_with(untested, arguments).await?;
        chain.mint(payer().address(), 1_000_000).await;
        chain.set_ether(Wallet::from_bytes(GAS_KEY).unwrap().address(), ETHER).await;
        Some(Self { chain, nonces: AtomicU64::new(0) })
    }

    pub(crate) fn rpc(&self) -> Rpc {
        Rpc::new(Endpoint::system(self.url(), &[], Rpc::limits()).unwrap())
    }

    pub(crate) fn view(&self, confirmations: u64) -> ChainView {
        ChainView::new(self.rpc(), settings(confirmations))
    }

    /// A settler, as after a start.
    pub(crate) fn settler(&self, confirmations: u64) -> ChainSettler {
        let gas = Wallet::from_bytes(GAS_KEY).unwrap();
        ChainSettler::new(self.view(confirmations), gas, pay_to(), MAX_FEE)
    }

    /// An authorization of the payer's for the price, under a nonce that was not used before.
    pub(crate) async fn authorization(&self) -> Authorization {
        let nonce = self.nonces.fetch_add(1, Ordering::Relaxed);
        Authorization {
            from: payer().address(),
            to: pay_to(),
            value: U256::from(PRICE),
            valid_after: U256::ZERO,
            valid_before: U256::from(self.now().await + 300),
            nonce: U256::from(nonce).into(),
        }
    }

    pub(crate) async fn signed(&self) -> SignedAuthorization {
        sign(self.authorization().await)
    }
}

pub(crate) fn settings(confirmations: u64) -> ChainViewSettings {
    ChainViewSettings {
        network: Network::base(),
        confirmations: confirmations.try_into().unwrap(),
        log_span: 1000.try_into().unwrap(),
    }
}

pub(crate) fn sign(authorization: Authorization) -> SignedAuthorization {
    payer().authorize(&Domain::new(&Network::base()), authorization)
}

/// Verified, prepared and broadcast.
pub(crate) async fn broadcast(settler: &ChainSettler, signed: &SignedAuthorization) -> Prepared {
    settler.verify(signed).await.unwrap();
    let prepared = settler.prepare(signed).await.unwrap();
    settler.broadcast(signed, &prepared).await.unwrap();
    prepared
}

/// The outcome, as soon as it is known.
pub(crate) async fn outcome(
    settler: &ChainSettler,
    signed: &SignedAuthorization,
    prepared: &Prepared,
) -> Outcome {
    let waiting = async {
        loop {
            match settler.outcome(signed, prepared).await.unwrap() {
                Outcome::Unknown => sleep(Duration::from_millis(5)).await,
                known => return known,
            }
        }
    };
    timeout(HANG, waiting).await.expect("the outcome stays unknown")
}

/// Asserts that it settled in `transaction` with the exact transfer.
pub(crate) fn assert_settled(outcome: &Outcome, signed: &SignedAuthorization, transaction: Option<B256>) {
    let Outcome::Settled(transfer) = outcome else { panic!("not settled: {outcome:?}") };
    assert_eq!(Some(transfer.transaction), transaction);
    assert_eq!(transfer.payer, signed.authorization.from);
    assert_eq!(transfer.value, signed.authorization.value);
}
