//! Wallets with local money, and what paid routes ask for.

use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use ledger::Payments as _;
use ledger_sqlite::SqliteLedger;
use payment::payer::Demand;
use payment::{B256, Wallet};
use verdict::{Clock, SystemClock};

use super::client::{Request, ask_once};
use crate::identity::Identity;
use crate::questions::{Random, asked_by};

/// A dollar in atomic units.
const DOLLAR: u64 = 1_000_000;

/// The group of owners of a wallet, by the first of its numbers. Honest clients and attackers never share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalletGroup {
    /// Customers that pay for claims.
    Customer,
    /// Customers that pay for commits.
    Committer,
    /// Customers that pay for grades and for disputes.
    Grader,
    /// Attackers with money.
    Rich,
    /// Attackers with one dollar each.
    OneDollar,
    /// Attackers without money.
    Empty,
}

/// The number of wallets of each kind that have money.
const FUNDED: u32 = 100;

impl WalletGroup {
    const WITH_MONEY: [(Self, u64); 5] = [
        (Self::Customer, 10_000 * DOLLAR),
        (Self::Committer, 10_000 * DOLLAR),
        (Self::Grader, 10_000 * DOLLAR),
        (Self::Rich, 10_000 * DOLLAR),
        (Self::OneDollar, DOLLAR),
    ];

    /// The wallet of this number; the same in each run.
    pub fn wallet(self, number: u32) -> Wallet {
        let seed = (self as u64 + 1) * 1_000_000 + u64::from(number);
        Wallet::from_bytes(Random::new(seed).bytes()).expect("a random number is a key of the curve")
    }
}

/// Makes the store of a data folder, with its keys, and gives the wallets their money, as a faucet would.
pub fn fund(data_folder: &Path) -> anyhow::Result<()> {
    let identity = Identity::of(data_folder)?;
    let binding = identity.binding();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let ledger = SqliteLedger::open(&data_folder.join("store.sqlite"), identity.log, &binding, clock)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (group, amount) in WalletGroup::WITH_MONEY {
        for number in 0..FUNDED {
            let account = group.wallet(number).address().into_array();
            runtime.block_on(ledger.local_open(account, amount)).context("fund a wallet")?;
        }
    }
    Ok(())
}

/// The prices of each paid route.
#[derive(Clone, Debug)]
pub struct Prices {
    /// `/claim-verdict`.
    pub claim: Demand,
    /// `/commit`.
    pub commit: Demand,
    /// `/grade-strategy`.
    pub grade: Demand,
    /// `/dispute`.
    pub bond: Demand,
}

/// The free calls of one agent on `/claim-verdict` and `/grade-strategy`, at most; past them there are terms.
const MOST_FREE_CALLS: u32 = 20;

impl Prices {
    /// Asks each route until it answers 402.
    pub async fn of(address: SocketAddr) -> anyhow::Result<Self> {
        let claim = |number| Request::post("/claim-verdict", &asked_by("terms", number));
        let grade = r#"{"agent":"terms","trades":[{"pnl":1}]}"#;
        Ok(Self {
            claim: demand(address, claim).await?,
            commit: demand(address, |_| Request::post("/commit", "{}")).await?,
            grade: demand(address, |_| Request::post("/grade-strategy", grade)).await?,
            bond: demand(address, |_| Request::post("/dispute", "{}")).await?,
        })
    }
}

async fn demand(address: SocketAddr, request: impl Fn(u32) -> Request) -> anyhow::Result<Demand> {
    for number in 0..MOST_FREE_CALLS {
        let answer = ask_once(TERMS_READER, address, &request(number)).await;
        let answer = answer.map_err(|failure| anyhow::anyhow!("read a route's terms: {failure}"))?;
        if answer.status == 402 {
            let terms = answer.header("payment-required").context("a 402 has its terms in a header")?;
            return Ok(Demand::decode(terms.as_bytes())?);
        }
        ensure!(answer.status == 200, "read a route's terms: {}", String::from_utf8_lossy(&answer.body));
    }
    anyhow::bail!("a route that has a price gave {MOST_FREE_CALLS} free answers to one agent")
}

/// The client address from which terms are read; no other client uses it.
const TERMS_READER: Ipv4Addr = Ipv4Addr::new(127, 99, 1, 1);

/// A request with a fresh proof of payment.
pub fn paid(request: Request, demand: &Demand, wallet: &Wallet, random: &mut Random) -> Request {
    let proof = demand.pay(wallet, now(), B256::new(random.bytes()), None);
    request.with_header(&format!("payment-signature: {proof}"))
}

/// Now, in Unix seconds.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_purses_share_a_wallet() {
        let groups = WalletGroup::WITH_MONEY.map(|(group, _)| group).into_iter().chain([WalletGroup::Empty]);
        let mut seen = std::collections::BTreeSet::new();
        for group in groups {
            for number in [0, 1, FUNDED - 1] {
                assert!(seen.insert(group.wallet(number).address()));
            }
        }
    }
}
