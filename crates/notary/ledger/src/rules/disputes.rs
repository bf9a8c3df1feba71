//! The limits on disputes of a receipt, and the debts at the end of a dispute.

use receipt::hash::ReceiptHash;

use crate::{
    Claim, ClaimOutcome, Dispute, DisputeEnd, DisputeOutcome, LedgerError, MAX_DISPUTES, RefundKind,
};

/// The numbers of settled bonds about a receipt, without [late](Claim::is_late) and failed ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DisputeCounts {
    /// The number of all these bonds.
    pub all: u32,
    /// The number of these bonds that are not delivered yet.
    pub open: u32,
}

/// The reason why a receipt can have no further dispute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DisputeRefusal {
    /// Another dispute of the receipt is open.
    Open,
    /// The receipt has had [`MAX_DISPUTES`] disputes.
    Limit,
}

impl DisputeCounts {
    /// The reason why no further dispute may be opened; `None` where one may.
    pub fn refusal(self) -> Option<DisputeRefusal> {
        match (self.all, self.open) {
            (_, 1..) => Some(DisputeRefusal::Open),
            (MAX_DISPUTES.., 0) => Some(DisputeRefusal::Limit),
            (0..MAX_DISPUTES, 0) => None,
        }
    }
}

impl From<DisputeRefusal> for ClaimOutcome {
    fn from(refusal: DisputeRefusal) -> Self {
        match refusal {
            DisputeRefusal::Open => Self::DisputeOpen,
            DisputeRefusal::Limit => Self::DisputeLimit,
        }
    }
}

impl From<DisputeRefusal> for LedgerError {
    fn from(refusal: DisputeRefusal) -> Self {
        match refusal {
            DisputeRefusal::Open => Self::DisputeOpen,
            DisputeRefusal::Limit => Self::DisputeLimit,
        }
    }
}

/// The kind of a claim with respect to disputes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BondKind {
    /// The claim is not a bond.
    None,
    /// The claim is a bond that can be a dispute.
    Bond,
    /// The claim is a bond that settled too late to be a dispute.
    Late,
}

/// Checks that a claim may be delivered with this end of a dispute, or without one. A bond may not be delivered without
/// one, because nobody would have decided on it. `disputed` is the receipt at the leaf that the end names.
///
/// # Errors
/// [`LedgerError::Unfit`] where the end and the claim do not fit.
pub fn check_end(
    bond: BondKind,
    about: Option<ReceiptHash>,
    end: Option<&DisputeEnd>,
    disputed: Option<ReceiptHash>,
) -> Result<(), LedgerError> {
    let unfit = |why: &str| Err(LedgerError::Unfit(why.to_owned()));
    match (end, bond) {
        (None, BondKind::None) => Ok(()),
        (None, BondKind::Bond | BondKind::Late) => {
            unfit("a bond's receipt that does not say how the dispute has ended")
        }
        (Some(_), BondKind::None) => unfit("the end of a dispute that no bond was paid for"),
        (Some(end), BondKind::Late) if end.outcome != DisputeOutcome::Inconclusive => {
            unfit("a verdict for a bond that settled too late to be a dispute")
        }
        (Some(_), BondKind::Bond | BondKind::Late) if about.is_none() || disputed != about => {
            unfit("the disputed leaf is not the one of the receipt that the bond is about")
        }
        (Some(_), BondKind::Bond | BondKind::Late) => Ok(()),
    }
}

/// A debt at the end of a dispute, never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Debt<'a> {
    /// The claim whose payment is refunded.
    pub claim: &'a Claim,
    /// The kind of the refund.
    pub kind: RefundKind,
    /// The account that receives the money.
    pub payee: [u8; 20],
    /// The amount, in atomic units of the claim's token.
    pub amount: u64,
}

/// The consequences of the end of a dispute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Consequences<'a> {
    /// The amount of the bond, in atomic units, that goes to the bounty reserve; `None` where the bond is refunded.
    pub forfeited: Option<u64>,
    /// The amount that is paid from the bounty reserve, in atomic units.
    pub taken: u64,
    /// The debts, in the order of the refunds' numbers. A fee that is already owed is not a new debt. A bond or a
    /// bounty cannot be owed before, because a claim is delivered once.
    pub debts: Vec<Debt<'a>>,
}

/// Decides the consequences of the end of a dispute, by the table in the module of [`crate::Refunds`].
///
/// `original` is the claim that paid for the disputed receipt, or `None`; `reserve` is the amount of the bond's token
/// in the bounty reserve, in atomic units. Both matter only for an overturned verdict.
pub fn consequences<'a>(
    end: &DisputeEnd,
    bond: &'a Claim,
    original: Option<&'a Claim>,
    reserve: u64,
) -> Consequences<'a> {
    let bond_debt = Debt { claim: bond, kind: RefundKind::Bond, payee: end.refund_to, amount: bond.amount };
    let (forfeited, taken, debts) = match end.outcome {
        DisputeOutcome::Upheld => (Some(bond.amount), 0, Vec::new()),
        DisputeOutcome::Inconclusive => (None, 0, vec![bond_debt]),
        DisputeOutcome::Overturned => {
            let fee = original.filter(|claim| !claim.bond).map(|claim| Debt {
                claim,
                kind: RefundKind::Fee,
                payee: claim.payer,
                amount: claim.amount,
            });
            let taken = bond.amount.min(reserve);
            let bounty = Debt { kind: RefundKind::Bounty, amount: taken, ..bond_debt };
            (None, taken, fee.into_iter().chain([bounty, bond_debt]).collect())
        }
    };
    let debts = debts.into_iter().filter(|debt| debt.amount > 0).collect();
    Consequences { forfeited, taken, debts }
}

/// The dispute as it appears under a log of `size` leaves: a receipt at a leaf beyond that size is removed.
pub fn as_published(dispute: Dispute, leaf: Option<u64>, size: u64) -> Dispute {
    Dispute { receipt: dispute.receipt.filter(|_| leaf.is_some_and(|leaf| leaf < size)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::fixtures::{self, transaction};
    use crate::{ClaimId, ClaimState};

    #[test]
    fn one_dispute_at_a_time_and_no_more_than_the_limit() {
        let refusal = |all, open| DisputeCounts { all, open }.refusal();
        assert_eq!(refusal(0, 0), None);
        assert_eq!(refusal(1, 1), Some(DisputeRefusal::Open));
        assert_eq!(refusal(1, 0), None);
        assert_eq!(refusal(2, 1), Some(DisputeRefusal::Open), "the open one is named first");
        assert_eq!(refusal(2, 0), Some(DisputeRefusal::Limit));
        assert_eq!(refusal(3, 0), Some(DisputeRefusal::Limit));
    }

    fn end(outcome: DisputeOutcome) -> DisputeEnd {
        DisputeEnd { outcome, disputed: 3, refund_to: [7; 20] }
    }

    #[test]
    fn an_end_fits_a_bond_about_that_receipt_and_a_late_bond_gets_no_verdict() {
        let about = Some(ReceiptHash([1; 32]));
        let fits = |bond, about, end: Option<DisputeOutcome>, disputed| {
            check_end(bond, about, end.map(self::end).as_ref(), disputed).is_ok()
        };
        use DisputeOutcome::{Inconclusive, Overturned, Upheld};
        assert!(fits(BondKind::None, None, None, None) && fits(BondKind::None, about, None, None));
        assert!(!fits(BondKind::Bond, about, None, None) && !fits(BondKind::Late, about, None, None));
        assert!(!fits(BondKind::None, about, Some(Upheld), about));
        for outcome in [Upheld, Overturned, Inconclusive] {
            assert!(fits(BondKind::Bond, about, Some(outcome), about));
            assert_eq!(fits(BondKind::Late, about, Some(outcome), about), outcome == Inconclusive);
            let other = Some(ReceiptHash([2; 32]));
            assert!(!fits(BondKind::Bond, about, Some(outcome), other));
            assert!(!fits(BondKind::Bond, about, Some(outcome), None));
            assert!(!fits(BondKind::Bond, None, Some(outcome), None));
        }
    }

    fn claim(id: u64, bond: bool, amount: u64) -> Claim {
        let state = ClaimState::Settled;
        Claim {
            id: ClaimId(id),
            state,
            payer: [id as u8; 20],
            amount,
            bond,
            ..fixtures::claim(transaction(id))
        }
    }

    /// Forfeited, taken, and the kind, payee and amount of each debt.
    type Row = (Option<u64>, u64, Vec<(RefundKind, u8, u64)>);

    fn row(outcome: DisputeOutcome, original: Option<&Claim>, reserve: u64) -> Row {
        let bond = claim(2, true, 1000);
        let end = end(outcome);
        let Consequences { forfeited, taken, debts } = consequences(&end, &bond, original, reserve);
        (forfeited, taken, debts.iter().map(|debt| (debt.kind, debt.payee[0], debt.amount)).collect())
    }

    #[test]
    fn each_outcome_leaves_owed_what_its_row_of_the_table_says() {
        use RefundKind::{Bond, Bounty, Fee};
        let paid = claim(1, false, 10);
        assert_eq!(row(DisputeOutcome::Upheld, Some(&paid), 500), (Some(1000), 0, vec![]));
        assert_eq!(row(DisputeOutcome::Inconclusive, Some(&paid), 500), (None, 0, vec![(Bond, 7, 1000)]));
        let overturned = |original, reserve| row(DisputeOutcome::Overturned, original, reserve);
        let all = vec![(Fee, 1, 10), (Bounty, 7, 500), (Bond, 7, 1000)];
        assert_eq!(overturned(Some(&paid), 500), (None, 500, all));
        assert_eq!(overturned(None, 5000), (None, 1000, vec![(Bounty, 7, 1000), (Bond, 7, 1000)]));
        assert_eq!(overturned(None, 0), (None, 0, vec![(Bond, 7, 1000)]));
        let other_bond = claim(1, true, 10);
        assert_eq!(overturned(Some(&other_bond), 0).2, vec![(Bond, 7, 1000)], "a bond is never a fee");
        let free = claim(1, false, 0);
        assert_eq!(overturned(Some(&free), 0).2, vec![(Bond, 7, 1000)], "nothing is never owed");
    }
}
