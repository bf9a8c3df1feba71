//! A wallet, and what may be spent from it.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use payment::local::faucet_wallet;
use payment::payer::Demand;
use payment::terms::MAX_TIMEOUT_SECONDS;
use payment::{B256, Network, Wallet};
use verdict::Usd;

use super::http::Server;

/// The name of the faucet wallet.
const DEV: &str = "dev";

pub struct Purse {
    wallet: Wallet,
    /// Whether the wallet is the faucet's, whose key the whole world has.
    is_faucet: bool,
    max_amount: Usd,
}

impl Purse {
    /// The wallet of a file, or `dev`.
    pub fn open(wallet: &Path, max_amount: Usd) -> anyhow::Result<Self> {
        let is_faucet = wallet == Path::new(DEV);
        let wallet = if is_faucet { faucet_wallet() } else { Wallet::load(wallet)? };
        Ok(Self { wallet, is_faucet, max_amount })
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

/// What a demand is in dollars. Only of tokens that we know can that be said: another's unit may be worth anything.
pub fn price(demand: &Demand) -> anyhow::Result<Usd> {
    let known = [Network::local(), Network::base(), Network::base_sepolia()];
    ensure!(
        known.iter().any(|network| is_token_of(demand, network)),
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
