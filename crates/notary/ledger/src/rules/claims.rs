//! The rules for the steps of a claim, the limits on new claims, and the names of claims.

use super::disputes::DisputeCounts;
use crate::claims::{ClaimName, transaction_name};
use crate::{
    Claim, ClaimOutcome, ClaimState, LedgerError, MAX_UNFINISHED_CLAIMS, NewClaim, Owner, PaymentIdentifier,
    ProofKey,
};

/// The fields of a claim's row that decide its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimFacts {
    /// The state of the claim.
    pub state: ClaimState,
    /// The task that owns the claim, or owned it last.
    pub owner: Owner,
    /// True for a bond.
    pub bond: bool,
    /// True if the proof is an earlier transfer, and not an authorization.
    pub is_by_transaction: bool,
}

/// A step of a claim that a task requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimStep {
    /// Stores a finding.
    Judge {
        /// True if the claim has a finding already.
        is_judged: bool,
    },
    /// Stores a prepared transaction.
    Broadcast {
        /// True if it replaces an earlier broadcast.
        replaces: bool,
    },
    /// Settles the claim by an observed transfer.
    Settle,
    /// Settles the claim by local money.
    SettleLocally,
    /// Logs the receipt of the claim.
    Deliver,
    /// Removes the claim, which has no broadcast, and makes its proof free.
    Free,
    /// Gives the claim up after a broadcast, because its money can never move.
    Fail,
    /// Extends the lease of the claim.
    Renew,
}

impl ClaimFacts {
    /// Decides a step that `owner` requests, and returns the new state, which may be the same as before; `None` where
    /// the claim is to be removed.
    ///
    /// # Errors
    /// [`LedgerError::NotOwner`], then [`LedgerError::WrongState`], then [`LedgerError::Unfit`] for a broadcast, or local
    /// money, of a transfer that has happened already.
    pub fn step(&self, step: ClaimStep, owner: Owner) -> Result<Option<ClaimState>, LedgerError> {
        use ClaimState::{Broadcast, Claimed, Delivered, Failed, Judged, Settled};
        if self.owner != owner {
            return Err(LedgerError::NotOwner);
        }
        let next = match (step, self.state) {
            (ClaimStep::Judge { .. }, Claimed) if !self.bond => Some(Judged),
            (ClaimStep::Judge { is_judged: false }, Settled) if self.bond => Some(Settled),
            (ClaimStep::Broadcast { replaces: true }, Broadcast) => Some(Broadcast),
            (ClaimStep::Broadcast { replaces: false }, state) if state == self.ready() => Some(Broadcast),
            (ClaimStep::Settle, Broadcast) => Some(Settled),
            (ClaimStep::Settle, state) if self.is_by_transaction && state == self.ready() => Some(Settled),
            (ClaimStep::SettleLocally, state) if state == self.ready() => Some(Settled),
            (ClaimStep::Deliver, Settled) => Some(Delivered),
            (ClaimStep::Free, Claimed | Judged) => None,
            (ClaimStep::Fail, Broadcast) => Some(Failed),
            (ClaimStep::Renew, Claimed | Judged | Broadcast | Settled) => Some(self.state),
            (
                ClaimStep::Judge { .. }
                | ClaimStep::Broadcast { .. }
                | ClaimStep::Settle
                | ClaimStep::SettleLocally
                | ClaimStep::Deliver
                | ClaimStep::Free
                | ClaimStep::Fail
                | ClaimStep::Renew,
                Claimed | Judged | Broadcast | Settled | Delivered | Failed,
            ) => return Err(LedgerError::WrongState(self.state)),
        };
        match step {
            ClaimStep::Broadcast { .. } if self.is_by_transaction => {
                Err(LedgerError::Unfit("a transfer that has happened is not broadcast".to_owned()))
            }
            ClaimStep::SettleLocally if self.is_by_transaction => {
                Err(LedgerError::Unfit("a transfer that has happened does not move local money".to_owned()))
            }
            _ => Ok(next),
        }
    }

    /// The state from which a claim's money may move: when it is judged, or for a bond at once.
    fn ready(&self) -> ClaimState {
        if self.bond { ClaimState::Claimed } else { ClaimState::Judged }
    }
}

/// The counts for the limits on a new claim, read in its own transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimCounts {
    /// The disputes of the receipt that a bond is about; `None` for a claim that is not a bond.
    pub disputes: Option<DisputeCounts>,
    /// The payer's claims that are neither delivered nor failed.
    pub of_payer: u32,
    /// The sum of the payer's claims by authorization that have not settled, on the new claim's chain, in atomic units.
    /// Settled amounts, and transfers that the payer has made, are no longer part of the balance.
    pub unsettled: u64,
    /// The number of all claims that are neither delivered nor failed; a count of more than [`MAX_UNFINISHED_CLAIMS`]
    /// is not needed.
    pub in_all: usize,
}

/// The reason why a new claim is refused; `None` where it is not refused.
pub fn refusal(new: &NewClaim, counts: &ClaimCounts) -> Option<ClaimOutcome> {
    if let Some(refusal) = counts.disputes.and_then(DisputeCounts::refusal) {
        return Some(refusal.into());
    }
    if counts.of_payer >= new.most_of_payer {
        return Some(ClaimOutcome::PayerLimit);
    }
    let needed = counts.unsettled.saturating_add(new.amount);
    let is_uncovered = match (&new.key, new.balance) {
        (ProofKey::Authorization { .. }, Some(balance)) => balance < needed,
        (ProofKey::Authorization { .. }, None) | (ProofKey::Transaction { .. }, _) => false,
    };
    if is_uncovered {
        return Some(ClaimOutcome::Uncovered);
    }
    (counts.in_all >= MAX_UNFINISHED_CLAIMS).then_some(ClaimOutcome::Full)
}

/// The unique names of a claim before it is settled: those of its proof and of its payment identifier.
pub fn unique_names(key: &ProofKey, identifier: Option<&PaymentIdentifier>) -> Vec<ClaimName> {
    [Some(key.name()), identifier.map(PaymentIdentifier::name)].into_iter().flatten().collect()
}

/// The name under which a claim by a transaction can be found without its log index, unless another claim has that
/// name; `None` for a claim by an authorization.
pub fn shared_name(key: &ProofKey, payer: &[u8; 20]) -> Option<ClaimName> {
    match key {
        ProofKey::Transaction { chain_id, transaction, .. } => {
            Some(transaction_name(*chain_id, transaction, payer))
        }
        ProofKey::Authorization { .. } => None,
    }
}

/// A name for finding an earlier claim of the same payer that was settled in the transaction of a new claim while its
/// transfer was unknown. The transfer of the new claim may be the one that paid for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnseenSettlement {
    /// The transaction and its payer.
    Transaction(ClaimName),
    /// The log index 0, under which older stores have such claims that a facilitator settled. No authorization has it,
    /// because the token emits another event before its transfer.
    FirstEvent(ClaimName),
}

impl UnseenSettlement {
    /// The names to be searched, in this order; none for a claim by an authorization.
    pub fn of(new: &NewClaim) -> Vec<Self> {
        let ProofKey::Transaction { chain_id, transaction, .. } = new.key else { return Vec::new() };
        let first = ProofKey::Transaction { chain_id, transaction, log_index: 0 };
        vec![
            Self::Transaction(transaction_name(chain_id, &transaction, &new.payer)),
            Self::FirstEvent(first.name()),
        ]
    }

    /// The name.
    pub fn name(&self) -> &ClaimName {
        match self {
            Self::Transaction(name) | Self::FirstEvent(name) => name,
        }
    }

    /// Returns true if the claim under the name is such a claim of the new one's payer.
    pub fn is(&self, new: &NewClaim, found: &Claim) -> bool {
        let is_payers = found.payer == new.payer && matches!(found.key, ProofKey::Authorization { .. });
        match self {
            Self::Transaction(_) => is_payers,
            Self::FirstEvent(_) => {
                is_payers && found.transfer.as_ref().is_some_and(|transfer| transfer.kind == "facilitator")
            }
        }
    }
}

/// The names that a claim gives up with a step, including names that it may not have.
pub fn freed_names(step: ClaimStep, claim: &Claim, identifier: Option<String>) -> Vec<ClaimName> {
    let identifier = identifier.map(|id| PaymentIdentifier { payer: claim.payer, id });
    match step {
        ClaimStep::Free => {
            let mut names = unique_names(&claim.key, identifier.as_ref());
            names.extend(shared_name(&claim.key, &claim.payer));
            names
        }
        // There is no answer that the identifier could stand for: the payer may try again under it.
        ClaimStep::Fail => identifier.iter().map(PaymentIdentifier::name).collect(),
        ClaimStep::Judge { .. }
        | ClaimStep::Broadcast { .. }
        | ClaimStep::Settle
        | ClaimStep::SettleLocally
        | ClaimStep::Deliver
        | ClaimStep::Renew => Vec::new(),
    }
}

/// The claim as it appears under a log of `size` leaves: a delivery beyond that size is removed.
pub fn as_published(mut claim: Claim, size: u64) -> Claim {
    if claim.receipt.as_ref().is_some_and(|receipt| receipt.leaf >= size) {
        claim.state = ClaimState::Settled;
        claim.receipt = None;
    }
    claim
}

#[cfg(test)]
mod tests {
    use receipt::time::Timestamp;

    use super::*;
    use crate::rules::fixtures::{OWNER, authorization, claim, transaction};

    fn facts(state: ClaimState, bond: bool, is_by_transaction: bool) -> ClaimFacts {
        ClaimFacts { state, owner: OWNER, bond, is_by_transaction }
    }

    const STEPS: [ClaimStep; 10] = [
        ClaimStep::Judge { is_judged: false },
        ClaimStep::Judge { is_judged: true },
        ClaimStep::Broadcast { replaces: false },
        ClaimStep::Broadcast { replaces: true },
        ClaimStep::Settle,
        ClaimStep::SettleLocally,
        ClaimStep::Deliver,
        ClaimStep::Free,
        ClaimStep::Fail,
        ClaimStep::Renew,
    ];

    /// The states that the steps lead to, in the order of [`STEPS`]: `-` where the state does not take the step, `!` where
    /// the proof does not, `x` where the claim is gone, else the state's first letter (`b` broadcast, `f` failed).
    fn row(state: ClaimState, bond: bool, is_by_transaction: bool) -> String {
        let facts = facts(state, bond, is_by_transaction);
        let cell = |step| match facts.step(step, OWNER) {
            Ok(Some(next)) => next.as_str().chars().next().unwrap(),
            Ok(None) => 'x',
            Err(LedgerError::WrongState(of)) if of == state => '-',
            Err(LedgerError::Unfit(_)) => '!',
            Err(other) => panic!("{other}"),
        };
        STEPS.map(cell).iter().collect()
    }

    #[test]
    fn each_step_leads_on_from_its_own_states_alone() {
        let rows = |bond, is_by_transaction| ClaimState::ALL.map(|state| row(state, bond, is_by_transaction));
        let authorized = ["jj-----x-c", "--b--s-x-j", "---bs---fb", "------d--s", "----------", "----------"];
        assert_eq!(rows(false, false), authorized);
        let transferred =
            ["jj-----x-c", "--!-s!-x-j", "---!s---fb", "------d--s", "----------", "----------"];
        assert_eq!(rows(false, true), transferred);
        let bond = ["--b--s-x-c", "-------x-j", "---bs---fb", "s-----d--s", "----------", "----------"];
        assert_eq!(rows(true, false), bond);
        let transferred_bond =
            ["--!-s!-x-c", "-------x-j", "---!s---fb", "s-----d--s", "----------", "----------"];
        assert_eq!(rows(true, true), transferred_bond);
    }

    #[test]
    fn no_step_is_another_owners_in_whatever_state() {
        for state in ClaimState::ALL {
            for step in STEPS {
                let refused = facts(state, false, false).step(step, Owner([2; 16]));
                assert!(matches!(refused, Err(LedgerError::NotOwner)), "{step:?} of {state:?}");
            }
        }
    }

    fn new(key: ProofKey) -> NewClaim {
        NewClaim {
            key,
            identifier: Some(PaymentIdentifier { payer: [3; 20], id: "order-1".to_owned() }),
            fingerprint: [6; 32],
            class: "commit",
            agent: "scout".to_owned(),
            payer: [3; 20],
            symbol: "USDC".to_owned(),
            amount: 100,
            bond: false,
            about: None,
            proof: Vec::new(),
            deferred: None,
            most_of_payer: 3,
            balance: Some(250),
            owner: OWNER,
            lease_until: Timestamp::MAX,
        }
    }

    #[test]
    fn a_new_claim_is_held_against_disputes_then_its_payer_then_its_balance_then_all() {
        let room = ClaimCounts { disputes: None, of_payer: 2, unsettled: 150, in_all: 1023 };
        assert_eq!(refusal(&new(authorization()), &room), None);
        let full = ClaimCounts { in_all: 1024, ..room };
        assert_eq!(refusal(&new(authorization()), &full), Some(ClaimOutcome::Full));
        let uncovered = ClaimCounts { unsettled: 151, ..full };
        assert_eq!(refusal(&new(authorization()), &uncovered), Some(ClaimOutcome::Uncovered));
        assert_eq!(
            refusal(&new(transaction(1)), &uncovered),
            Some(ClaimOutcome::Full),
            "its money has moved"
        );
        let unknown = NewClaim { balance: None, ..new(authorization()) };
        assert_eq!(refusal(&unknown, &uncovered), Some(ClaimOutcome::Full));
        let many = ClaimCounts { of_payer: 3, ..uncovered };
        assert_eq!(refusal(&new(authorization()), &many), Some(ClaimOutcome::PayerLimit));
        let disputed = ClaimCounts { disputes: Some(DisputeCounts { all: 1, open: 1 }), ..many };
        assert_eq!(refusal(&new(authorization()), &disputed), Some(ClaimOutcome::DisputeOpen));
    }

    fn delivered(key: ProofKey) -> Claim {
        let hash = receipt::hash::ReceiptHash([1; 32]);
        let receipt = Some(crate::Delivery { hash, leaf: 7, proof: String::new() });
        Claim { state: ClaimState::Delivered, receipt, ..claim(key) }
    }

    #[test]
    fn a_freed_claim_gives_up_all_its_names_and_a_failed_one_its_identifier_alone() {
        let identifier = || Some("order-1".to_owned());
        let by_transaction = delivered(transaction(4));
        let freed = freed_names(ClaimStep::Free, &by_transaction, identifier());
        assert_eq!(freed.len(), 3);
        assert_eq!(freed_names(ClaimStep::Free, &delivered(authorization()), None).len(), 1);
        let failed = freed_names(ClaimStep::Fail, &by_transaction, identifier());
        assert!(failed.len() == 1 && failed[0] == freed[1]);
        assert!(freed_names(ClaimStep::Renew, &by_transaction, identifier()).is_empty());
    }

    #[test]
    fn a_transfer_shown_later_is_found_to_be_what_an_unseen_settlement_was_paid_by() {
        assert!(UnseenSettlement::of(&new(authorization())).is_empty());
        let shown = new(transaction(4));
        let [by_payer, by_event] = UnseenSettlement::of(&shown)[..] else { panic!("two names") };
        assert_ne!(by_payer.name(), by_event.name());
        let mut found = delivered(authorization());
        assert!(by_payer.is(&shown, &found) && !by_event.is(&shown, &found));
        found.transfer = Some(crate::ClaimTransfer {
            transaction: [8; 32],
            id: crate::TransferId::LogIndex(0),
            kind: "facilitator".to_owned(),
        });
        assert!(by_event.is(&shown, &found));
        let others = Claim { payer: [4; 20], ..found };
        assert!(!by_payer.is(&shown, &others) && !by_event.is(&shown, &others));
        assert!(!by_payer.is(&shown, &delivered(transaction(0))));
    }

    #[test]
    fn a_delivery_shows_once_the_published_log_has_its_leaf() {
        let hidden = as_published(delivered(authorization()), 7);
        assert!(hidden.state == ClaimState::Settled && hidden.receipt.is_none());
        assert_eq!(as_published(delivered(authorization()), 8), delivered(authorization()));
    }
}
