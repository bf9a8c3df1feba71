//! The rules for the steps of a refund.

use crate::{LedgerError, Owner, PayoutCap, RefundState};

/// The fields of a refund's row that decide its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefundFacts {
    /// The state of the refund.
    pub state: RefundState,
    /// The task that owns the refund, or owned it last; `None` before the first.
    pub owner: Option<Owner>,
}

/// A step of a refund that a task requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefundStep {
    /// Stores a prepared transaction.
    Send {
        /// True if it replaces an earlier broadcast.
        replaces: bool,
    },
    /// Records that the sent money has moved.
    Pay,
    /// Records that the sent money can never move.
    Fail,
    /// Pays the refund by local money.
    PayLocally,
    /// Extends the lease of the refund.
    Renew,
}

impl RefundFacts {
    /// Decides a step that `owner` requests, and returns the new state.
    ///
    /// # Errors
    /// [`LedgerError::NotOwner`], then [`LedgerError::RefundState`].
    pub fn step(&self, step: RefundStep, owner: Owner) -> Result<RefundState, LedgerError> {
        use RefundState::{Owed, Paid, Sending};
        if self.owner != Some(owner) {
            return Err(LedgerError::NotOwner);
        }
        match (step, self.state) {
            (RefundStep::Send { replaces: false }, Owed) | (RefundStep::Send { replaces: true }, Sending) => {
                Ok(Sending)
            }
            (RefundStep::Pay, Sending) | (RefundStep::PayLocally, Owed) => Ok(Paid),
            (RefundStep::Fail, Sending) => Ok(Owed),
            (RefundStep::Renew, Owed | Sending) => Ok(self.state),
            (RefundStep::Send { replaces: false } | RefundStep::PayLocally, Sending | Paid)
            | (RefundStep::Send { replaces: true } | RefundStep::Pay | RefundStep::Fail, Owed | Paid)
            | (RefundStep::Renew, Paid) => Err(LedgerError::RefundState(self.state)),
        }
    }
}

/// Checks that an operator may record a refund as paid: either nothing was sent for it, or `is_over` says that the
/// `proof` that was sent can no longer be used.
///
/// # Errors
/// [`LedgerError::RefundState`] where the operator may not.
pub fn check_paid_by_hand(
    state: RefundState,
    proof: Option<&[u8]>,
    is_over: &dyn Fn(&[u8]) -> bool,
) -> Result<(), LedgerError> {
    let is_open = match state {
        RefundState::Owed => true,
        RefundState::Sending => proof.is_some_and(is_over),
        RefundState::Paid => false,
    };
    if is_open { Ok(()) } else { Err(LedgerError::RefundState(state)) }
}

/// Checks that another payout is within the cap, where `paid` is paid out or on its way.
///
/// # Errors
/// [`LedgerError::PayoutCap`]
pub fn check_cap(cap: PayoutCap, paid: u64, amount: u64) -> Result<(), LedgerError> {
    let most = cap.most;
    if paid.saturating_add(amount) > most { Err(LedgerError::PayoutCap { paid, most }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [RefundStep; 6] = [
        RefundStep::Send { replaces: false },
        RefundStep::Send { replaces: true },
        RefundStep::Pay,
        RefundStep::Fail,
        RefundStep::PayLocally,
        RefundStep::Renew,
    ];

    #[test]
    fn each_step_leads_on_from_its_own_states_alone() {
        use RefundState::{Owed, Paid, Sending};
        let owner = Owner([1; 16]);
        let row = |state| {
            let facts = RefundFacts { state, owner: Some(owner) };
            STEPS.map(|step| match facts.step(step, owner) {
                Ok(next) => Some(next),
                Err(LedgerError::RefundState(of)) if of == state => None,
                Err(other) => panic!("{other}"),
            })
        };
        assert_eq!(row(Owed), [Some(Sending), None, None, None, Some(Paid), Some(Owed)]);
        assert_eq!(row(Sending), [None, Some(Sending), Some(Paid), Some(Owed), None, Some(Sending)]);
        assert_eq!(row(Paid), [None; 6]);
    }

    #[test]
    fn no_step_is_taken_by_who_does_not_own_it() {
        for state in RefundState::ALL {
            for step in STEPS {
                for owner in [None, Some(Owner([2; 16]))] {
                    let refused = RefundFacts { state, owner }.step(step, Owner([1; 16]));
                    assert!(matches!(refused, Err(LedgerError::NotOwner)));
                }
            }
        }
    }

    #[test]
    fn a_refund_is_paid_by_hand_where_nothing_sent_can_still_pay_it() {
        let may = |state, proof| check_paid_by_hand(state, proof, &|proof| proof == b"over").is_ok();
        assert!(may(RefundState::Owed, None));
        assert!(may(RefundState::Sending, Some(b"over".as_slice())));
        assert!(!may(RefundState::Sending, Some(b"in force".as_slice())));
        assert!(!may(RefundState::Sending, None) && !may(RefundState::Paid, Some(b"over".as_slice())));
    }
}
