//! The account that pays for gas, which is one replica's alone: the numbers of its transactions are issued in its memory.
//!
//! Two replicas with one account would issue each number twice. At most one of two such transactions lands, so payments would
//! be slow, and none would be taken twice. So a replica takes a lease on its account in the store before it serves, and does
//! not start while another replica has it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use ledger::{Ledger, Owner};
use payment::Address;
use verdict::Clock;

/// The lease, in milliseconds.
const LEASE_MS: i64 = 30_000;
/// The interval at which the lease is extended, and at which a start asks for it.
const EVERY: Duration = Duration::from_secs(5);
/// The number of times that a start asks: for longer than the lease of a predecessor that was killed.
const ATTEMPTS: u32 = 8;

/// The lease on an account.
#[derive(Clone)]
pub struct GasAccount {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    owner: Owner,
    account: Address,
    /// The name of the lease.
    name: String,
}

impl GasAccount {
    /// Builds the lease on an account of a chain; `None` where this process is the only one of the store.
    pub fn of(
        ledger: &Arc<dyn Ledger>,
        clock: &Arc<dyn Clock>,
        owner: Owner,
        (chain_id, account): (u64, Address),
    ) -> Option<Self> {
        ledger.is_shared().then(|| Self {
            ledger: Arc::clone(ledger),
            clock: Arc::clone(clock),
            owner,
            account,
            name: format!("gas/{chain_id}/{account}"),
        })
    }

    /// Takes the lease, and waits for that of a predecessor to end.
    ///
    /// # Errors
    /// Another replica has the account, or the store cannot be asked.
    pub async fn take(&self) -> anyhow::Result<()> {
        self.take_within(ATTEMPTS, EVERY).await
    }

    async fn take_within(&self, attempts: u32, every: Duration) -> anyhow::Result<()> {
        for attempt in 1..=attempts {
            if self.lease(LEASE_MS).await.context("take the lease on the gas account")? {
                return Ok(());
            }
            if attempt == 1 {
                tracing::warn!(account = %self.account, "another replica has this gas account; waiting for its lease");
            }
            tokio::time::sleep(every).await;
        }
        bail!("another replica has the gas account {}: each replica needs a gas_key of its own", self.account)
    }

    /// Extends the lease for as long as it is polled.
    pub async fn keep(&self) {
        let mut was_ours = true;
        loop {
            tokio::time::sleep(EVERY).await;
            match self.lease(LEASE_MS).await {
                Ok(is_ours) => {
                    if was_ours && !is_ours {
                        tracing::error!(account = %self.account, "another replica has taken this gas account");
                    }
                    was_ours = is_ours;
                }
                Err(error) => tracing::warn!(%error, "the lease on the gas account was not extended"),
            }
        }
    }

    /// Gives the lease up, so that a successor need not wait for its end.
    pub async fn release(&self) {
        if let Err(error) = self.lease(0).await {
            tracing::warn!(%error, "the lease on the gas account was not given up");
        }
    }

    async fn lease(&self, millis: i64) -> Result<bool, ledger::LedgerError> {
        let now = self.clock.now();
        self.ledger.lease(&self.name, self.owner, now, now.saturating_add_millis(millis)).await
    }
}

#[cfg(test)]
mod tests {
    use ledger::Identity;
    use ledger_sqlite::SqliteLedger;
    use tlog::SigningKey;
    use verdict::SystemClock;

    use super::*;

    #[tokio::test]
    async fn an_account_is_one_replicas_until_it_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let log_key = SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap();
        let identity = Identity {
            receipt_kid: "notary-1".to_owned(),
            log_vkey: log_key.verifier().to_string(),
            ..Identity::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let path = folder.path().join("store.sqlite");
        let ledger = SqliteLedger::open(&path, log_key, &identity, Arc::clone(&clock)).unwrap();
        let ledger: Arc<dyn Ledger> = Arc::new(ledger);
        let account = Address::new([9; 20]);
        assert!(GasAccount::of(&ledger, &clock, Owner([1; 16]), (8453, account)).is_none(), "one process");
        let replica = |number, account| GasAccount {
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock),
            owner: Owner([number; 16]),
            account,
            name: format!("gas/8453/{account}"),
        };
        let take = async |replica: &GasAccount| replica.take_within(2, Duration::from_millis(1)).await;
        let (one, other) = (replica(1, account), replica(2, account));
        take(&one).await.unwrap();
        take(&one).await.unwrap();
        let refused = take(&other).await.unwrap_err().to_string();
        assert!(refused.contains(&account.to_string()) && refused.contains("gas_key"), "{refused}");
        take(&replica(2, Address::new([8; 20]))).await.unwrap();
        one.release().await;
        take(&other).await.unwrap();
    }
}
