//! The settlement back end that the settings name: our own transactions, or a facilitator's.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use dispute::payouts::RefundSource;
use fetch::{Endpoint, Limits, Nat64Prefix};
use ipnet::IpNet;
use payment::chain::gas::{self, parse_coin};
use payment::chain::{ChainSettler, ChainView, ChainViewSettings, MAX_GAS, Rpc, waits};
use payment::facilitator::Facilitator;
use payment::{Address, Network, Settler, Terms, Version, Wallet};
use serde_json::{Value, json};
use verdict::{Clock, Usd};

/// Wei in a gwei.
const GWEI: u128 = 1_000_000_000;
/// The most blocks that public nodes let one query for events span.
const LOG_SPAN: NonZeroU64 = NonZeroU64::new(1000).expect("1000 is not zero");

/// The settings of payments.
#[derive(Clone, Debug)]
pub struct SettlementSettings {
    /// `base` or `base-sepolia`.
    pub network: String,
    /// The payee.
    pub pay_to: Option<Address>,
    /// The JSON-RPC address of a node.
    pub rpc: Option<String>,
    /// The file of the key that pays for gas.
    pub gas_key: Option<PathBuf>,
    /// The file of the key that refunds are paid by.
    pub payout_key: Option<PathBuf>,
    /// Blocks, that of the transaction included, after which it is final.
    pub confirmations: NonZeroU64,
    /// The most that a unit of gas may cost.
    pub max_fee_gwei: u64,
    /// The address of an x402 facilitator.
    pub facilitator: Option<String>,
    /// The most gas that may be paid for in a UTC day, in the chain's own coin.
    pub gas_per_day: String,
    /// Private networks that the names of the node and of the facilitator may lead into.
    pub networks: Vec<IpNet>,
    /// Prefixes by which this network translates IPv6 to IPv4.
    pub nat64: Vec<Nat64Prefix>,
    /// The most that is paid out on one UTC day.
    pub payout_per_day: Usd,
}

/// The settler of payments, and the source of refunds.
pub struct BackEnd {
    /// The payment terms.
    pub terms: Terms,
    /// The settler of payments.
    pub settler: Arc<dyn Settler>,
    /// The source of refunds; without one, refunds are listed for the operator.
    pub refund_source: Option<RefundSource>,
}

impl SettlementSettings {
    /// The network and its token.
    pub fn network(&self) -> anyhow::Result<Network> {
        match self.network.as_str() {
            "base" => Ok(Network::base()),
            "base-sepolia" => Ok(Network::base_sepolia()),
            other => bail!("network must be base or base-sepolia, and is {other}"),
        }
    }

    /// Returns the payment terms; `None` without a payee.
    pub fn terms(&self) -> anyhow::Result<Option<Terms>> {
        let network = self.network()?;
        Ok(self.pay_to.map(|pay_to| Terms::new(network, pay_to)))
    }

    /// The back end; `None` where none is configured. Nothing is asked yet.
    pub fn back_end(&self, base_url: &str, clock: Arc<dyn Clock>) -> anyhow::Result<Option<BackEnd>> {
        let gas_per_day = parse_coin(&self.gas_per_day).context("gas_per_day")?;
        if self.payout_key.is_some() && self.gas_key.is_none() {
            bail!("payout_key needs gas_key: payouts are our own transactions");
        }
        let terms = match (&self.gas_key, &self.facilitator) {
            (None, None) => {
                anyhow::ensure!(
                    self.rpc.is_none(),
                    "rpc settles nothing by itself: set gas_key or facilitator"
                );
                return Ok(None);
            }
            (Some(_), Some(_)) => bail!("gas_key and facilitator are two back ends: set one of them"),
            _ => self.terms()?.context("pay_to must be set, or a back end has nobody to pay")?,
        };
        let settler: Arc<dyn Settler> = match (&self.gas_key, &self.facilitator) {
            (Some(gas_key), _) => {
                let view = self.view()?.context("gas_key needs rpc, the address of a node")?;
                let gas = Wallet::load(gas_key)?;
                let max_fee = u128::from(self.max_fee_gwei) * GWEI;
                let settler = ChainSettler::new(view, gas, terms.pay_to(), max_fee)
                    .spending_at_most(gas_per_day, clock);
                return Ok(Some(self.with_purse(terms, settler)?));
            }
            (None, facilitator) => {
                let address = facilitator.as_deref().unwrap_or_default();
                let endpoint = || self.endpoint("facilitator", address, Facilitator::limits());
                let endpoints = [&endpoint()?, &endpoint()?];
                let resource = base_url.to_owned();
                Arc::new(Facilitator::new(endpoints, Version::V2, terms.clone(), resource, self.view()?)?)
            }
        };
        Ok(Some(BackEnd { terms, settler, refund_source: None }))
    }

    /// The account that pays for gas, with the id of its chain; `None` where this service sends no transactions.
    pub fn gas_account(&self) -> anyhow::Result<Option<(u64, Address)>> {
        let Some(gas_key) = &self.gas_key else { return Ok(None) };
        Ok(Some((self.network()?.chain_id, Wallet::load(gas_key)?.address())))
    }

    /// Our own transactions, and the wallet that they pay refunds from.
    fn with_purse(&self, terms: Terms, settler: ChainSettler) -> anyhow::Result<BackEnd> {
        let Some(path) = &self.payout_key else {
            return Ok(BackEnd { terms, settler: Arc::new(settler), refund_source: None });
        };
        let wallet = Wallet::load(path)?;
        let settler: Arc<dyn Settler> = Arc::new(settler.paying_from(wallet.address()));
        let refund_source =
            RefundSource::Hot { network: self.network()?, wallet, settler: Arc::clone(&settler) };
        Ok(BackEnd { terms, settler, refund_source: Some(refund_source) })
    }

    /// Returns the bounds on the notary's own transactions, as `/catalog` publishes them.
    pub fn bounds(&self) -> Value {
        json!({
            "gas_per_day": self.gas_per_day,
            "kept_for_refunds_one_part_in": gas::RESERVED_PART,
            "gas_per_transfer": MAX_GAS,
            "fee_gwei": self.max_fee_gwei,
            "first_wait_after_a_failure_ms": millis(waits::FIRST_WAIT),
            "longest_wait_after_failures_ms": millis(waits::LONGEST_WAIT),
            "longest_wait_of_a_wallets_code_ms": millis(waits::LONGEST_CODE_WAIT),
            "failures_forgotten_after_ms": millis(waits::FORGOTTEN_AFTER),
            "payers_waiting": waits::MAX_WAITING.get(),
        })
    }

    fn view(&self) -> anyhow::Result<Option<ChainView>> {
        let Some(rpc) = &self.rpc else { return Ok(None) };
        let settings = ChainViewSettings {
            network: self.network()?,
            confirmations: self.confirmations,
            log_span: LOG_SPAN,
        };
        let endpoint = self.endpoint("rpc", rpc, Rpc::limits())?;
        Ok(Some(ChainView::new(Rpc::new(endpoint), settings)))
    }

    fn endpoint(&self, name: &str, url: &str, limits: Limits) -> anyhow::Result<Endpoint> {
        // Keys of services are often in their paths, so the address is not repeated.
        Endpoint::system_through(url, &self.networks, &self.nat64, limits)
            .with_context(|| format!("{name} is no address to call"))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
