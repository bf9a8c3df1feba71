//! Checks of a proof that need no look at a chain.
//!
//! A new proof goes through [`new_proof`]: the terms, the price, the window of time and the signature. A known one is
//! held to its signature alone ([`signature`]): what it bought stays bought when its window is over, its nonce is used
//! or the price has changed.

use alloy_primitives::{B256, U256};
use verdict::Usd;

use crate::eip712::{SettlementStatement, recover};
use crate::evidence::refused;
use crate::{Authorization, Code, PaymentEvidence, Refused, RequestIdentity, SettlementProof, Terms, Wanted};

/// The shortest time that a window must still be open, in seconds, exclusive: settling takes a few blocks.
pub const MIN_SECONDS_LEFT: u64 = 6;

/// The longest time that a window may still be open, in seconds. Clients sign for as long as the terms say (minutes)
/// or, where they ignore the terms, for an hour; a signature that is valid for longer than a day is a risk to its
/// payer.
pub const MAX_SECONDS_LEFT: u64 = 24 * 3600;

/// The signer of a proof, as far as its bytes show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum ProofSigner {
    /// The key of the payer's account made the signature.
    ByAccount,
    /// No account's key made the signature. It may be a contract wallet's; a back end that reads the chain must decide
    /// whether this digest is signed ([`Settler::is_signed_by`](crate::Settler::is_signed_by)), and until then it
    /// counts as unsigned.
    Undecided(B256),
}

/// Checks a proof that was not seen before, at a time in Unix seconds and against these prices, any of which may be
/// paid.
///
/// The signature is checked last: it costs a hundred times as much as the rest. A back end must still check the
/// balance, the nonce's state, the transaction, and a contract wallet's signature.
///
/// # Errors
/// The proof does not pay for this request on these terms at this time.
pub fn new_proof(
    evidence: &PaymentEvidence,
    terms: &Terms,
    prices: &[Usd],
    now: u64,
    request: &RequestIdentity<'_>,
) -> Result<ProofSigner, Refused> {
    if evidence.payer() == terms.pay_to() {
        return Err(refused(Code::InvalidPayee, "the payee cannot pay itself"));
    }
    if let PaymentEvidence::Authorization(signed) = evidence {
        check_transfer(&signed.authorization, terms, prices)?;
        check_window(&signed.authorization, now)?;
    }
    Ok(signature(evidence, terms, request))
}

/// Finds the signer of a proof. It is the only check of a known proof.
pub fn signature(evidence: &PaymentEvidence, terms: &Terms, request: &RequestIdentity<'_>) -> ProofSigner {
    let digest = match evidence {
        PaymentEvidence::Authorization(signed) => terms.domain().authorization_digest(&signed.authorization),
        PaymentEvidence::Settlement(proof) => terms.domain().settlement_digest(&SettlementStatement {
            transaction: proof.transaction,
            method: request.method.to_owned(),
            target: request.target(),
            body_hash: B256::new(request.body_hash),
            pay_to: terms.pay_to(),
        }),
    };
    match recover(&digest, evidence.signature()) {
        Ok(account) if account == evidence.payer() => ProofSigner::ByAccount,
        _ => ProofSigner::Undecided(digest),
    }
}

impl SettlementProof {
    /// The transfer that the proof claims, to be [found](crate::Settler::find) in a block that is not older than
    /// `not_before`, in Unix seconds.
    #[must_use]
    pub fn wanted(&self, terms: &Terms, prices: &[Usd], not_before: u64) -> Wanted {
        Wanted {
            transaction: self.transaction,
            log_index: self.log_index,
            payer: self.payer,
            pay_to: terms.pay_to(),
            values: prices.iter().copied().map(atomic).collect(),
            not_before,
        }
    }
}

fn check_transfer(authorization: &Authorization, terms: &Terms, prices: &[Usd]) -> Result<(), Refused> {
    if authorization.to != terms.pay_to() {
        return Err(refused(Code::InvalidPayee, format!("the payee is {}", terms.pay_to())));
    }
    if !prices.iter().any(|price| atomic(*price) == authorization.value) {
        return Err(refused(Code::InvalidAmount, "the amount is not exactly the price"));
    }
    Ok(())
}

/// Checks the window of an authorization. As in the token, both ends are excluded.
fn check_window(authorization: &Authorization, now: u64) -> Result<(), Refused> {
    let left = authorization.valid_before.saturating_sub(U256::from(now));
    if left <= U256::from(MIN_SECONDS_LEFT) {
        return Err(refused(Code::Expired, "the authorization is over, or within 6 seconds of it"));
    }
    if left > U256::from(MAX_SECONDS_LEFT) {
        return Err(refused(Code::ValidTooLong, "the authorization is good for longer than a day"));
    }
    if authorization.valid_after >= U256::from(now) {
        return Err(refused(Code::NotYetValid, "the authorization is not valid yet"));
    }
    Ok(())
}

/// A price in the token's units, which has six places as [`Usd`] has.
pub(crate) fn atomic(price: Usd) -> U256 {
    U256::from(price.atomic())
}
