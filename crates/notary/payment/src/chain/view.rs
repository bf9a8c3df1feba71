//! Reads from a chain if a payment can be made. Nothing here sends a transaction.

use std::num::NonZeroU64;

use alloy_primitives::{Address, B256, Bytes, U256};
use rpc::{Rpc, RpcError};
use tokio::sync::OnceCell;

use super::node::{At, ChainNode, ContractCall};
use super::token;
use super::transaction::Fees;
use crate::eip712::{Domain, recover};
use crate::evidence::refused;
use crate::{Authorization, Code, Network, SettleError, SignedAuthorization};

/// The most gas that a transfer may take. The token itself takes a tenth; the rest is for the signature check of a
/// contract wallet, which we pay for.
pub const MAX_GAS: u64 = 500_000;

/// The settings for reading a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChainViewSettings {
    /// The network and its token. The node must be of this network.
    pub network: Network,
    /// The number of blocks, including the transaction's own, after which a transaction is final. At most about 100:
    /// nodes that are not archives forget the state of older blocks.
    pub confirmations: NonZeroU64,
    /// The most blocks that the node allows in one query for events; at most 64 queries are made. A day of Base is
    /// 43,200 blocks, so 1,000 is enough to search the whole window of an authorization.
    pub log_span: NonZeroU64,
}

/// The sender, gas and fees of a transfer, which the called contracts can see: a wallet may answer a transaction
/// otherwise than a call without a gas price.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sending {
    /// The account that pays for the gas.
    pub(crate) from: Address,
    /// The gas limit.
    pub(crate) gas: u64,
    /// The price of each unit of gas.
    pub(crate) fees: Option<Fees>,
}

/// A chain, read through a node.
#[derive(Debug)]
pub struct ChainView {
    pub(crate) rpc: ChainNode,
    pub(crate) settings: ChainViewSettings,
    domain: Domain,
    checked: OnceCell<()>,
}

impl ChainView {
    /// Makes a view through this node. No request is made yet.
    #[must_use]
    pub fn new(rpc: Rpc, settings: ChainViewSettings) -> Self {
        let domain = Domain::new(&settings.network);
        Self { rpc: ChainNode(rpc), settings, domain, checked: OnceCell::new() }
    }

    /// The network of the chain.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.settings.network
    }

    /// Checks that the node is of the network's chain and the token is of its EIP-712 domain. After one success the
    /// check is not repeated; all other methods make it first.
    ///
    /// # Errors
    ///
    /// [`SettleError::Unavailable`]: it is another chain or another domain, or the node cannot be asked.
    pub async fn check(&self) -> Result<(), SettleError> {
        self.checked.get_or_try_init(|| self.ask_who_it_is()).await.map(|_| ())
    }

    async fn ask_who_it_is(&self) -> Result<(), SettleError> {
        let Network { chain_id, token, .. } = self.settings.network;
        let found = self.rpc.chain_id().await?;
        if found != chain_id {
            return Err(unavailable(format!("the node is of chain {found}, not {chain_id}")));
        }
        // Tokens need not tell; one that tells another domain would take no signature that is made for ours.
        let separator = self.ask(token, token::domain_separator(), At::Latest).await;
        match separator {
            Ok(separator) if separator.as_ref() == self.domain.token_separator().as_slice() => Ok(()),
            Ok(_) => Err(unavailable(format!("{token} is no token of the configured name and version"))),
            Err(RpcError::Reverted { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Checks if the authorization could settle now: its signature, its nonce's state and the payer's balance, which it
    /// returns. `admit` gets the payer's code, and may refuse it, before the code is called.
    pub(crate) async fn verify(
        &self,
        signed: &SignedAuthorization,
        admit: impl Fn(&Bytes) -> Result<(), SettleError>,
    ) -> Result<U256, SettleError> {
        self.check().await?;
        let SignedAuthorization { authorization, signature } = signed;
        let digest = self.domain.authorization_digest(authorization);
        let by_account = recover(&digest, signature) == Ok(authorization.from);
        let looks =
            async { tokio::join!(self.balance(authorization.from), self.is_used(authorization, At::Latest)) };
        let (balance, used) = if by_account {
            let (code, looks) = tokio::join!(self.rpc.code(authorization.from), looks);
            let code = code?;
            admit(&code)?;
            // The token asks whatever has code, a delegated account (EIP-7702) too, and takes no key's signature for it.
            if !code.is_empty() {
                self.require_consent(authorization.from, digest, signature).await?;
            }
            looks
        } else {
            // A signature by nobody costs one call.
            let code = self.require_code(authorization.from).await?;
            admit(&code)?;
            self.require_consent(authorization.from, digest, signature).await?;
            looks.await
        };
        if used? {
            return Err(refused(Code::NonceUsed, "the authorization's nonce was used or cancelled").into());
        }
        let balance = balance?;
        if balance < authorization.value {
            return Err(refused(Code::InsufficientFunds, "the payer has less than the price").into());
        }
        Ok(balance)
    }

    /// Checks if an account signed a digest: by its key, or by EIP-1271 where the account has code.
    pub(crate) async fn is_signed_by(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<bool, SettleError> {
        if recover(&digest, signature) == Ok(account) {
            return Ok(true);
        }
        let asked = async {
            self.check().await?;
            self.require_code(account).await?;
            self.require_consent(account, digest, signature).await
        };
        match asked.await {
            Ok(()) => Ok(true),
            Err(SettleError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The code of an account that must have some, since no key of its own made its signature.
    async fn require_code(&self, account: Address) -> Result<Bytes, SettleError> {
        let code = self.rpc.code(account).await?;
        if code.is_empty() {
            let detail =
                "the signature is not the payer's, which is no contract wallet, or none that is deployed yet";
            return Err(refused(Code::InvalidSignature, detail).into());
        }
        Ok(code)
    }

    /// Requires that an account with code takes the signature (EIP-1271).
    async fn require_consent(
        &self,
        account: Address,
        digest: B256,
        signature: &Bytes,
    ) -> Result<(), SettleError> {
        let question = token::is_valid_signature(digest, token::plain_signature(signature));
        match self.ask(account, question, At::Latest).await {
            Ok(answer) if token::is_magic(&answer) => Ok(()),
            Ok(_) | Err(RpcError::Reverted { .. }) => {
                Err(refused(Code::InvalidSignature, "the payer's wallet does not take the signature").into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the transfer in the block to come as if it had been sent so.
    pub(crate) async fn simulate(
        &self,
        signed: &SignedAuthorization,
        sending: &Sending,
    ) -> Result<(), SettleError> {
        self.check().await?;
        let call = self.transfer(signed, sending);
        self.rpc.ask(&call, sending.gas, At::Pending).await.map(|_| ()).map_err(token::refusal)
    }

    /// The call that settles.
    pub(crate) fn transfer(&self, signed: &SignedAuthorization, sending: &Sending) -> ContractCall {
        let data = token::transfer_with_authorization(signed);
        ContractCall { from: sending.from, to: self.settings.network.token, data, fees: sending.fees }
    }

    async fn balance(&self, account: Address) -> Result<U256, SettleError> {
        let answer = self.ask(self.settings.network.token, token::balance_of(account), At::Latest).await?;
        token::number(&answer).ok_or_else(|| self.no_token())
    }

    pub(crate) async fn is_used(&self, authorization: &Authorization, at: At) -> Result<bool, SettleError> {
        let question = token::authorization_state(authorization);
        let answer = self.ask(self.settings.network.token, question, at).await?;
        token::truth(&answer).ok_or_else(|| self.no_token())
    }

    /// Returns true if the authorization is unused in the newest block.
    pub(crate) async fn is_unused(&self, authorization: &Authorization) -> Result<bool, SettleError> {
        self.check().await?;
        Ok(!self.is_used(authorization, At::Latest).await?)
    }

    fn no_token(&self) -> SettleError {
        unavailable(format!("{} is no token with authorizations", self.settings.network.token))
    }

    async fn ask(&self, contract: Address, data: Bytes, at: At) -> Result<Bytes, RpcError> {
        let call = ContractCall { from: Address::ZERO, to: contract, data, fees: None };
        self.rpc.ask(&call, MAX_GAS, at).await
    }
}

pub(crate) fn unavailable(why: String) -> SettleError {
    SettleError::Unavailable(why)
}
