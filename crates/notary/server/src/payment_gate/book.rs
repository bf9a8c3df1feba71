//! The development profile's money: accounts in the ledger itself.

use std::sync::Arc;

use async_trait::async_trait;
use ledger::{Ledger, LedgerError};
use payment::local::{BookEntry, INITIAL_BALANCE, LocalBook, faucet_wallet};
use payment::{Address, B256, Network, SettleError, Transfer, U256};

/// The local accounts in the ledger, for the local settlement back end.
pub struct LocalMoney {
    ledger: Arc<dyn Ledger>,
    chain_id: u64,
    token: Address,
}

impl LocalMoney {
    /// Builds the accounts of this ledger.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>) -> Self {
        let Network { chain_id, token, .. } = Network::local();
        Self { ledger, chain_id, token }
    }
}

/// Opens the faucet's account, if it is not open yet.
///
/// # Errors
/// [`LedgerError`] if the ledger cannot be written.
pub async fn open_faucet(ledger: &dyn Ledger) -> Result<(), LedgerError> {
    ledger.local_open(faucet_wallet().address().into_array(), INITIAL_BALANCE.atomic()).await
}

#[async_trait]
impl LocalBook for LocalMoney {
    async fn balance(&self, account: Address) -> Result<U256, SettleError> {
        let balance = self.ledger.local_balance(&account.into_array()).await.map_err(unavailable)?;
        Ok(U256::from(balance))
    }

    async fn is_used(&self, payer: Address, nonce: B256) -> Result<bool, SettleError> {
        // A nonce is used up by the claim that has it, and known claims are answered before anybody looks here.
        let key = ledger::ProofKey::Authorization {
            chain_id: self.chain_id,
            asset: self.token.into_array(),
            payer: payer.into_array(),
            nonce: nonce.0,
        };
        let claim = self.ledger.find_claim(&key, None).await.map_err(unavailable)?;
        Ok(claim.is_some_and(|claim| claim.transfer.is_some()))
    }

    async fn entry(&self, transaction: B256) -> Result<Option<BookEntry>, SettleError> {
        let found = self.ledger.local_transfer(self.chain_id, &transaction.0).await.map_err(unavailable)?;
        Ok(found.map(|found| BookEntry {
            transfer: Transfer {
                transaction,
                log_index: Some(0),
                payer: Address::new(found.payer),
                value: U256::from(found.amount),
            },
            pay_to: Address::new(found.payee),
            at: found.at.unix_seconds(),
        }))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is mapped over")]
fn unavailable(error: LedgerError) -> SettleError {
    SettleError::Unavailable(error.to_string())
}
