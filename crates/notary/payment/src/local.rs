//! The settlement back end of the development profile: an embedded ledger instead of a chain.
//!
//! All signatures are checked as on a chain, balances are finite and run out, and each nonce works once. Only the token
//! has no value, and its address belongs to nobody ([`Network::local`]). There are no contracts, so every signature is
//! an account's.
//!
//! The ledger itself moves the money, in the transaction by which a claim becomes settled, so there is nothing to
//! broadcast: this back end only checks before that transaction, and afterwards reports if it has happened.

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use async_trait::async_trait;
use verdict::Usd;

use crate::eip712::{Domain, recover};
use crate::evidence::refused;
use crate::network::named_address;
use crate::{
    Authorization, Code, Network, Outcome, Prepared, SettleError, SettlementKind, Settler,
    SignedAuthorization, Transfer, Wallet, Wanted,
};

/// The initial balance of the faucet wallet.
pub const INITIAL_BALANCE: Usd = Usd::from_cents(100_000_000);

/// The key of the faucet wallet: the first that every Ethereum development tool comes with. The whole world has it,
/// so whatever is sent to its account on a real chain is taken at once.
pub const FAUCET_KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// The wallet that the development profile's money starts in. Its key is public and protects nothing.
#[must_use]
pub fn faucet_wallet() -> Wallet {
    Wallet::from_hex(FAUCET_KEY).expect("the key is 64 digits of a number below the order")
}

/// The account that the development profile is paid to. Nobody has its key.
#[must_use]
pub fn payee() -> Address {
    named_address("Touchstone local payee")
}

/// A transfer in the embedded ledger, with its payee and time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// The payer, the amount and the hash of the transfer.
    pub transfer: Transfer,
    /// The account that was paid.
    pub pay_to: Address,
    /// The time of the transfer, in Unix seconds.
    pub at: u64,
}

/// The operations of the embedded ledger that its settlement back end needs.
#[async_trait]
pub trait LocalBook: Send + Sync + 'static {
    /// The balance of an account, in atomic units; 0 for an unknown account.
    async fn balance(&self, account: Address) -> Result<U256, SettleError>;

    /// Returns true if a payer's nonce was used.
    async fn is_used(&self, payer: Address, nonce: B256) -> Result<bool, SettleError>;

    /// The transfer with this hash; `None` before it has happened.
    async fn entry(&self, transaction: B256) -> Result<Option<BookEntry>, SettleError>;
}

/// A settlement back end that settles in a [`LocalBook`].
#[derive(Debug)]
pub struct LocalSettler<B> {
    network: Network,
    domain: Domain,
    book: B,
}

impl<B: LocalBook> LocalSettler<B> {
    /// Makes the back end of a book, on a network that is [`Network::local`] except in tests.
    #[must_use]
    pub fn new(network: Network, book: B) -> Self {
        Self { domain: Domain::new(&network), network, book }
    }

    /// The hash of the transfer that an authorization becomes. It is the same for each attempt, and different for each
    /// authorization.
    #[must_use]
    pub fn transaction(&self, authorization: &Authorization) -> B256 {
        keccak256(
            [
                b"touchstone/local-transfer/1".as_slice(),
                &self.network.chain_id.to_be_bytes(),
                self.network.token.as_slice(),
                authorization.from.as_slice(),
                authorization.nonce.as_slice(),
            ]
            .concat(),
        )
    }
}

#[async_trait]
impl<B: LocalBook> Settler for LocalSettler<B> {
    fn kind(&self) -> SettlementKind {
        SettlementKind::Local
    }

    async fn verify(&self, signed: &SignedAuthorization) -> Result<Option<U256>, SettleError> {
        let SignedAuthorization { authorization, signature } = signed;
        let digest = self.domain.authorization_digest(authorization);
        if !self.is_signed_by(authorization.from, digest, signature).await? {
            return Err(refused(Code::InvalidSignature, "the signature is not the payer's").into());
        }
        if self.book.is_used(authorization.from, authorization.nonce).await? {
            return Err(refused(Code::NonceUsed, "the authorization's nonce was used").into());
        }
        let balance = self.book.balance(authorization.from).await?;
        if balance < authorization.value {
            return Err(refused(Code::InsufficientFunds, "the payer has less than the price").into());
        }
        Ok(Some(balance))
    }

    async fn prepare(&self, signed: &SignedAuthorization) -> Result<Prepared, SettleError> {
        let transaction = self.transaction(&signed.authorization);
        Ok(Prepared { raw: Vec::new(), transaction: Some(transaction) })
    }

    async fn broadcast(&self, _: &SignedAuthorization, _: &Prepared) -> Result<(), SettleError> {
        Ok(())
    }

    async fn outcome(&self, signed: &SignedAuthorization, _: &Prepared) -> Result<Outcome, SettleError> {
        let entry = self.book.entry(self.transaction(&signed.authorization)).await?;
        Ok(entry.map_or(Outcome::Unknown, |entry| Outcome::Settled(entry.transfer)))
    }

    async fn find(&self, wanted: &Wanted) -> Result<Transfer, SettleError> {
        let entry = self.book.entry(wanted.transaction).await?;
        let fits = |entry: &BookEntry| {
            let BookEntry { transfer, pay_to, .. } = entry;
            wanted.log_index.is_none_or(|index| Some(index) == transfer.log_index)
                && (transfer.payer, *pay_to) == (wanted.payer, wanted.pay_to)
                && wanted.values.contains(&transfer.value)
        };
        let Some(entry) = entry.filter(fits) else {
            return Err(refused(Code::InvalidTransaction, "there is no such transfer").into());
        };
        if entry.at < wanted.not_before {
            return Err(refused(Code::TransactionTooOld, "the transaction is too old").into());
        }
        Ok(entry.transfer)
    }

    async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError> {
        Ok(recover(&digest, signature) == Ok(account))
    }
}
