//! Chooses the account nonce of the gas key's next transaction.
//!
//! An account's transactions land in the order of their nonces: one that is missing holds up all that follow. So a nonce
//! that was issued is held for a while, for whoever is about to store and broadcast with it; then, where the chain's
//! nodes still wait for it, it is issued again. Two transactions may then have the same nonce, of which at most one lands;
//! the other is dead, which its outcome shows. Nothing here can cause a payment to be taken twice: the token sees
//! to that, by the authorization's own nonce. This is about not being stuck.
//!
//! The table is of this process; after a restart it begins empty, from what the chain says.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

/// The time for which a nonce is held for a transaction that the node does not have. It is far longer than storing and
/// broadcasting take, and longer than the answers with the counts may be late.
pub(crate) const HOLD: Duration = Duration::from_secs(60);

/// The most pending transactions of the gas key at once.
pub(crate) const MAX_UNDER_WAY: usize = 64;

/// The transaction counts of the gas key's account, as a node reports them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransactionCounts {
    /// Transactions in blocks: the first nonce that is not taken for good.
    pub(crate) landed: u64,
    /// These and what the node holds to follow them: the first nonce that the node waits for.
    pub(crate) awaited: u64,
}

/// The nonces that were issued.
#[derive(Debug, Default)]
pub(crate) struct Nonces {
    issued: BTreeMap<u64, Issued>,
}

#[derive(Clone, Copy, Debug)]
struct Issued {
    /// When it was issued or last sent.
    at: Instant,
    sent: bool,
}

impl Nonces {
    /// Issues the lowest nonce that nobody holds, or none where too many transactions are under way.
    pub(crate) fn issue(&mut self, counts: TransactionCounts, now: Instant) -> Option<u64> {
        self.forget(counts, now);
        let under_way = self.issued.range(counts.landed..).count() as u64;
        let queued = counts.awaited.saturating_sub(counts.landed);
        if under_way.max(queued) >= MAX_UNDER_WAY as u64 {
            return None;
        }
        let nonce = (counts.awaited..=u64::MAX).find(|nonce| !self.is_held(*nonce, counts, now))?;
        self.issued.insert(nonce, Issued { at: now, sent: false });
        Some(nonce)
    }

    /// Notes that a transaction with this nonce was sent.
    pub(crate) fn sent(&mut self, nonce: u64, now: Instant) {
        self.issued.insert(nonce, Issued { at: now, sent: true });
    }

    /// The nonce that the node waits for, where a transaction with `nonce` waits behind it and nobody holds it. One
    /// that is not known here is held from now on: after a restart its transaction may be stored and on its way.
    pub(crate) fn gap_before(&mut self, nonce: u64, counts: TransactionCounts, now: Instant) -> Option<u64> {
        if counts.awaited >= nonce {
            return None;
        }
        let gap = self.issued.entry(counts.awaited).or_insert(Issued { at: now, sent: false });
        (now.duration_since(gap.at) >= HOLD).then_some(counts.awaited)
    }

    /// The node waits for `awaited`, so whatever was sent with it is lost, unless it was sent a moment ago.
    fn is_held(&self, nonce: u64, counts: TransactionCounts, now: Instant) -> bool {
        self.issued.get(&nonce).is_some_and(|issued| {
            now.duration_since(issued.at) < HOLD || (issued.sent && nonce > counts.awaited)
        })
    }

    /// Forgets nonces that have landed or were never sent, but only after a while: counts that were asked for earlier
    /// may arrive later.
    fn forget(&mut self, counts: TransactionCounts, now: Instant) {
        self.issued.retain(|nonce, issued| {
            now.duration_since(issued.at) < HOLD || (issued.sent && *nonce >= counts.landed)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(landed: u64, awaited: u64) -> TransactionCounts {
        TransactionCounts { landed, awaited }
    }

    #[test]
    fn parallel_settlements_get_nonces_of_their_own() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        let issued: Vec<_> = (0..5).map(|_| nonces.issue(at(3, 3), now)).collect();
        assert_eq!(issued, [3, 4, 5, 6, 7].map(Some));
    }

    #[test]
    fn counts_that_arrive_late_do_not_issue_a_nonce_again() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        assert_eq!(nonces.issue(at(3, 3), now), Some(3));
        nonces.sent(3, now);
        assert_eq!(nonces.issue(at(4, 4), now), Some(4));
        assert_eq!(nonces.issue(at(3, 3), now), Some(5));
    }

    #[test]
    fn a_nonce_that_was_never_sent_is_issued_again_after_a_while() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        assert_eq!(nonces.issue(at(3, 3), now), Some(3));
        assert_eq!(nonces.issue(at(3, 3), now), Some(4));
        nonces.sent(4, now);
        assert_eq!(nonces.issue(at(3, 3), now + HOLD), Some(3));
        // The one that waits behind it keeps its own.
        assert_eq!(nonces.issue(at(3, 3), now + HOLD), Some(5));
    }

    #[test]
    fn a_transaction_that_the_node_has_dropped_loses_its_nonce() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        assert_eq!(nonces.issue(at(3, 3), now), Some(3));
        nonces.sent(3, now);
        assert_eq!(nonces.issue(at(3, 4), now + HOLD), Some(4));
        assert_eq!(nonces.issue(at(3, 3), now + HOLD), Some(3));
    }

    #[test]
    fn a_gap_is_filled_only_after_its_owner_had_time() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        nonces.sent(5, now);
        assert_eq!(nonces.gap_before(5, at(3, 3), now), None); // begins to hold 3
        assert_eq!(nonces.gap_before(5, at(3, 3), now + HOLD / 2), None);
        assert_eq!(nonces.gap_before(5, at(3, 3), now + HOLD), Some(3));
        nonces.sent(3, now + HOLD);
        assert_eq!(nonces.gap_before(5, at(3, 3), now + HOLD), None);
        assert_eq!(nonces.gap_before(5, at(3, 5), now + HOLD), None); // none left
        assert_eq!(nonces.gap_before(5, at(3, 6), now + HOLD * 9), None);
    }

    #[test]
    fn so_many_are_under_way_and_no_more() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        for nonce in 0..MAX_UNDER_WAY as u64 {
            assert_eq!(nonces.issue(at(0, nonce), now), Some(nonce));
            nonces.sent(nonce, now);
        }
        let full = MAX_UNDER_WAY as u64;
        assert_eq!(nonces.issue(at(0, full), now), None);
        assert_eq!(nonces.issue(at(1, full), now), Some(full));
        // A nonce that was never sent does not block others for ever.
        let mut unsent = Nonces::default();
        assert!((0..full).all(|nonce| unsent.issue(at(0, 0), now) == Some(nonce)));
        assert_eq!(unsent.issue(at(0, 0), now), None);
        assert_eq!(unsent.issue(at(0, 0), now + HOLD), Some(0));
        // After a restart, the node's own count bounds it.
        assert_eq!(Nonces::default().issue(at(0, full), now), None);
    }

    #[test]
    fn a_node_that_counts_to_the_end_of_numbers_does_no_harm() {
        let (mut nonces, now) = (Nonces::default(), Instant::now());
        let end = at(u64::MAX, u64::MAX);
        assert_eq!(nonces.issue(end, now), Some(u64::MAX));
        assert_eq!(nonces.issue(end, now), None);
    }

    #[test]
    fn the_table_does_not_grow() {
        let (mut nonces, mut now) = (Nonces::default(), Instant::now());
        for nonce in 0..1000 {
            assert_eq!(nonces.issue(at(nonce, nonce), now), Some(nonce));
            nonces.sent(nonce, now);
            now += HOLD;
        }
        assert!(nonces.issued.len() <= 2);
    }
}
