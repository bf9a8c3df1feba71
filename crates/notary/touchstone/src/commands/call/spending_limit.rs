//! A wallet, and what may be spent from it.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use payment::eip712::{Domain, SettlementStatement};
use payment::local::faucet_wallet;
use payment::payer::{self, Demand};
use payment::terms::MAX_TIMEOUT_SECONDS;
use payment::{B256, Network, RequestIdentity, SettlementProof, Wallet};
use verdict::Usd;

use super::http::Server;
use super::question::Question;

/// The name of the faucet wallet.
const DEV: &str = "dev";

/// A payment that the notary has taken.
pub struct Paid {
    pub transaction: B256,
    pub log_index: u64,
}

pub struct SpendingLimit {
    wallet: Wallet,
    /// True if the wallet is the faucet's, whose key is public.
    is_faucet: bool,
    max_amount: Usd,
}

impl SpendingLimit {
    /// The wallet of a file, or `dev`.
    pub fn open(wallet: &Path, max_amount: Usd) -> anyhow::Result<Self> {
        let is_faucet = wallet == Path::new(DEV);
        let wallet = if is_faucet { faucet_wallet() } else { Wallet::load(wallet)? };
        Ok(Self { wallet, is_faucet, max_amount })
    }

    /// Shows that a payment in a transaction was ours, and for this question: a signature that moves no money. The value
    /// of an `X-PAYMENT` header.
    pub fn attest(&self, demand: &Demand, payment: &Paid, question: &Question) -> anyhow::Result<String> {
        let network = network(demand).context("the notary asks for a token that we do not know")?;
        let target = format!("/{}", question.target);
        let (target, query) = target.split_once('?').unwrap_or((&target, ""));
        let request = RequestIdentity::new(question.method.as_str(), target, query, &question.body);
        let statement = SettlementStatement {
            transaction: payment.transaction,
            method: request.method.to_owned(),
            target: request.target(),
            body_hash: B256::new(request.body_hash),
            pay_to: demand.pay_to,
        };
        let signature = self.wallet.attest(&Domain::new(&network), &statement);
        let proof = SettlementProof {
            transaction: payment.transaction,
            payer: self.wallet.address(),
            log_index: Some(payment.log_index),
            signature,
        };
        Ok(payer::header(&payer::settlement(&network, &proof)))
    }

    /// Signs what is demanded, where that is allowed.
    pub fn pay(&self, mut demand: Demand, price: Usd, server: &Server) -> anyhow::Result<String> {
        ensure!(
            price <= self.max_amount,
            "the call costs {price} USDC, more than --max-amount {}: nothing was paid",
            self.max_amount
        );
        let is_local = is_token_of(&demand, &Network::local());
        ensure!(
            is_local || !self.is_faucet,
            "the wallet `dev` is for the development profile only, and this notary takes real money"
        );
        ensure!(
            is_local || server.is_private(),
            "over plain http anybody on the way could name another payee: pay over https"
        );
        // A server that asks for a longer time could take the money when the caller has long given up.
        demand.max_timeout_seconds = demand.max_timeout_seconds.min(MAX_TIMEOUT_SECONDS);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
        let mut nonce = B256::ZERO;
        getrandom::fill(nonce.as_mut_slice()).context("no randomness")?;
        Ok(demand.pay(&self.wallet, now.as_secs(), nonce, None))
    }
}

/// The network of a demand, where we know its token.
fn network(demand: &Demand) -> Option<Network> {
    let known = [Network::local(), Network::base(), Network::base_sepolia()];
    known.into_iter().find(|network| is_token_of(demand, network))
}

/// Returns the price of a demand in dollars. This is possible only for known tokens: the unit of another may be worth
/// anything.
pub fn price(demand: &Demand) -> anyhow::Result<Usd> {
    ensure!(
        network(demand).is_some(),
        "the notary asks for a token that is not USDC as we know it: {} on {}",
        demand.network.token,
        demand.network.name
    );
    let atomic = u64::try_from(demand.amount).context("the notary asks for more money than there is")?;
    Ok(Usd::from_atomic(atomic))
}

fn is_token_of(demand: &Demand, network: &Network) -> bool {
    (demand.network.chain_id, demand.network.token) == (network.chain_id, network.token)
}
