//! The rules for the claim that a transfer credits, for local money, and for the counted revenue.

use receipt::time::Timestamp;

use crate::claims::{ClaimName, transaction_name};
use crate::{Claim, ClaimId, LedgerError, LocalPayment, ProofKey, Settlement};

/// The way in which a settlement credits a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Credit {
    /// A known transfer credits the claim.
    Transfer {
        /// The key of the transfer.
        key: ProofKey,
        /// True if the claim must take the name of the transfer; false if it has that name already, as a claim by this
        /// transfer.
        binds: bool,
    },
    /// The claim's authorization credits it; it was used up in a transaction that was not read. The transaction may
    /// have used up others too, so the claim takes no transfer's name. It takes the name of the transaction and the
    /// payer, so that the transaction cannot later pay for another request.
    Unseen(ClaimName),
}

impl Credit {
    /// Decides how a settlement credits a claim.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the claim is for another transfer.
    pub fn of(claim: &Claim, settlement: &Settlement) -> Result<Self, LedgerError> {
        let transfer = settlement.log_index.map(|index| transfer(claim, settlement.transaction, index));
        match (claim.key, transfer) {
            (ProofKey::Authorization { .. }, None) => Ok(Self::Unseen(transaction_name(
                claim.key.chain_id(),
                &settlement.transaction,
                &claim.payer,
            ))),
            (ProofKey::Authorization { .. }, Some(key)) => Ok(Self::Transfer { key, binds: true }),
            (ProofKey::Transaction { .. }, Some(key)) if key == claim.key => {
                Ok(Self::Transfer { key, binds: false })
            }
            (ProofKey::Transaction { .. }, _) => {
                Err(LedgerError::Unfit("the transfer is not the one that the claim is by".to_owned()))
            }
        }
    }
}

/// The transfer at a log index of a transaction on the claim's chain.
fn transfer(claim: &Claim, transaction: [u8; 32], log_index: u64) -> ProofKey {
    ProofKey::Transaction { chain_id: claim.key.chain_id(), transaction, log_index }
}

/// The settlement of a claim by local money, and the key of its transfer.
pub fn local(claim: &Claim, payment: &LocalPayment) -> (Settlement, ProofKey) {
    let LocalPayment { transaction, at, .. } = *payment;
    let settlement = Settlement { transaction, log_index: Some(0), kind: "local", at };
    (settlement, transfer(claim, transaction, 0))
}

/// Checks that no other claim has the name of a transfer. `holder` is the claim that has it.
///
/// # Errors
/// [`LedgerError::AlreadyCredited`] where another claim has it.
pub fn check_uncredited(claim: ClaimId, holder: Option<ClaimId>) -> Result<(), LedgerError> {
    match holder {
        Some(other) if other != claim => Err(LedgerError::AlreadyCredited),
        Some(_) | None => Ok(()),
    }
}

/// Decides whether a claim with an unknown transfer takes the name of its transaction. `holder` is the claim that has
/// the name now.
///
/// # Errors
/// [`LedgerError::AlreadyCredited`]: the payer has used a transfer of the transaction for another request, and it may
/// be this one.
pub fn takes_unseen_name(holder: Option<&Claim>) -> Result<bool, LedgerError> {
    match holder.map(|other| other.key) {
        None => Ok(true),
        Some(ProofKey::Authorization { .. }) => Ok(false),
        Some(ProofKey::Transaction { .. }) => Err(LedgerError::AlreadyCredited),
    }
}

/// Checks that local money can move: no transfer has the name yet, and the payer's balance covers the amount, both in
/// atomic units.
///
/// # Errors
/// [`LedgerError::AlreadyCredited`], then [`LedgerError::InsufficientFunds`].
pub fn check_local_transfer(name_is_taken: bool, balance: u64, amount: u64) -> Result<(), LedgerError> {
    if name_is_taken {
        return Err(LedgerError::AlreadyCredited);
    }
    if balance < amount { Err(LedgerError::InsufficientFunds) } else { Ok(()) }
}

/// The amounts that are counted for a settled claim, in atomic units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Takings {
    /// The amount earned. It is also added to the amount that the claim's agent has settled.
    pub income: u64,
    /// The amount held as a bond.
    pub bonds: u64,
}

impl Takings {
    /// The amounts of a claim.
    pub fn of(claim: &Claim) -> Self {
        if claim.bond {
            Self { income: 0, bonds: claim.amount }
        } else {
            Self { income: claim.amount, bonds: 0 }
        }
    }
}

/// The day (in days since 1970-01-01 UTC) from whose sum a refunded fee is subtracted: the day on which it was settled,
/// or on which it was owed where the former is unknown.
pub fn day_given_back(settled_at: Option<Timestamp>, owed_at: Timestamp) -> u32 {
    settled_at.unwrap_or(owed_at).unix_days()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::fixtures::{authorization, claim, transaction};

    #[test]
    fn a_claim_is_credited_by_its_own_transfer_or_by_its_authorization() {
        let credit = |key, log_index| {
            let settlement =
                Settlement { transaction: [8; 32], log_index, kind: "chain", at: Timestamp::EPOCH };
            Credit::of(&claim(key), &settlement)
        };
        let by = |binds| Credit::Transfer { key: transaction(4), binds };
        assert_eq!(credit(authorization(), Some(4)).unwrap(), by(true));
        assert_eq!(credit(transaction(4), Some(4)).unwrap(), by(false));
        let unseen = Credit::Unseen(transaction_name(1, &[8; 32], &[3; 20]));
        assert_eq!(credit(authorization(), None).unwrap(), unseen);
        for log_index in [Some(5), None] {
            assert!(matches!(credit(transaction(4), log_index), Err(LedgerError::Unfit(_))));
        }
    }

    #[test]
    fn a_transfer_credits_one_claim() {
        check_uncredited(ClaimId(1), None).unwrap();
        check_uncredited(ClaimId(1), Some(ClaimId(1))).unwrap();
        let taken = check_uncredited(ClaimId(1), Some(ClaimId(2)));
        assert!(matches!(taken, Err(LedgerError::AlreadyCredited)));
        assert!(takes_unseen_name(None).unwrap());
        assert!(!takes_unseen_name(Some(&claim(authorization()))).unwrap());
        let shown = takes_unseen_name(Some(&claim(transaction(4))));
        assert!(matches!(shown, Err(LedgerError::AlreadyCredited)));
    }

    #[test]
    fn local_money_moves_once_and_as_far_as_it_goes() {
        check_local_transfer(false, 100, 100).unwrap();
        assert!(matches!(check_local_transfer(true, 0, 1), Err(LedgerError::AlreadyCredited)));
        assert!(matches!(check_local_transfer(false, 99, 100), Err(LedgerError::InsufficientFunds)));
    }

    #[test]
    fn a_bond_is_held_and_a_fee_is_earned_until_it_is_owed_back_on_its_day() {
        assert_eq!(Takings::of(&claim(authorization())), Takings { income: 100, bonds: 0 });
        let bond = Claim { bond: true, ..claim(authorization()) };
        assert_eq!(Takings::of(&bond), Takings { income: 0, bonds: 100 });
        let at = |day: i64| Timestamp::from_millis(day * 86_400_000 + 1).unwrap();
        assert_eq!(day_given_back(Some(at(3)), at(5)), 3);
        assert_eq!(day_given_back(None, at(5)), 5);
    }
}
