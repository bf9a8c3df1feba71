//! The rules for the limits on watches, their owners, and the order of their screenings.

use ipnet::IpNet;
use receipt::time::Timestamp;

use crate::admission::short_hash;
use crate::{
    ClientNetwork, LedgerError, LedgerRecord, LiveWatches, MAX_FREE_WATCHES_PER_NETWORK,
    MAX_FREE_WATCHES_PER_WIDE_NETWORK, MAX_WATCHES, MAX_WATCHES_FOR_FREE, NewWatch, Owner, QuotaReservation,
};

/// The key that a live watch counts towards: that of a payer, or of a network where nobody paid.
pub type WatchHolder = [u8; 16];

/// The key of a network.
pub fn holder_at(network: IpNet) -> WatchHolder {
    short_hash(&["watches of", &network.to_string()])
}

/// The key of a payer.
pub fn holder_who_paid(payer: &[u8; 20]) -> WatchHolder {
    short_hash(&["watches paid by", &format!("{payer:?}")])
}

/// The key of the watch that a record opens: of `payer` if its claim was paid, and otherwise of the narrow network;
/// `None` where it has neither.
pub fn holder(record: &LedgerRecord, new: &NewWatch, payer: Option<&[u8; 20]>) -> Option<WatchHolder> {
    match record.claim {
        Some(_) => payer.map(holder_who_paid),
        None => new.network.map(|network| holder_at(network.narrow)),
    }
}

/// The key of the wide network that a watch counts towards; `None` where it was paid for.
pub fn wide_holder(record: &LedgerRecord, new: &NewWatch) -> Option<WatchHolder> {
    let unpaid = new.network.filter(|_| record.claim.is_none());
    unpaid.map(|network| holder_at(network.wide))
}

/// An unpaid watch that a record of the same batch opens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnpaidWatch {
    /// The name of the agent.
    pub agent: String,
    /// The networks of the client that opened it.
    pub network: ClientNetwork,
}

/// Makes the checks of opening a watch that need no counts, and returns the counts that limit it.
///
/// # Errors
/// [`LedgerError::Duplicate`] where the key is `known`; [`LedgerError::WatchLimit`] where nobody paid for it and its
/// network is absent.
pub fn check_opening(record: &LedgerRecord, new: &NewWatch, known: bool) -> Result<LimitedBy, LedgerError> {
    if known {
        return Err(LedgerError::Duplicate);
    }
    // A watch that was paid for exists, even if others were opened since it was admitted.
    if record.claim.is_some() {
        return Ok(LimitedBy::Nothing);
    }
    new.network.map(LimitedBy::Network).ok_or(LedgerError::WatchLimit)
}

/// The counts that limit a new watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitedBy {
    /// No counts, because the watch was paid for.
    Nothing,
    /// The counts of its agent, of these networks, and of all watches.
    Network(ClientNetwork),
}

/// Checks the limits on an unpaid watch from `network`. The counts are those of the live watches in the store and of
/// `opened`, which begin in the same transaction.
///
/// # Errors
/// [`LedgerError::WatchLimit`], then [`LedgerError::FreeWatchLimit`], then [`LedgerError::NetworkWatchLimit`]: see
/// [`WatchStep::Opened`](crate::WatchStep::Opened).
pub fn check_unpaid(
    record: &LedgerRecord,
    new: &NewWatch,
    network: ClientNetwork,
    live: LiveWatches,
    opened: &[UnpaidWatch],
) -> Result<(), LedgerError> {
    let with_opened = |live: u32, same: &dyn Fn(&UnpaidWatch) -> bool| {
        let opened = opened.iter().filter(|opened| same(opened)).count();
        live.saturating_add(u32::try_from(opened).unwrap_or(u32::MAX))
    };
    let of_agent = with_opened(live.of_agent, &|opened| {
        opened.agent == new.agent && opened.network.narrow == network.narrow
    });
    if of_agent >= MAX_WATCHES {
        return Err(LedgerError::WatchLimit);
    }
    if record.reservation.as_ref().is_some_and(QuotaReservation::is_granted) {
        return Ok(());
    }
    if live.in_all >= MAX_WATCHES_FOR_FREE {
        return Err(LedgerError::FreeWatchLimit);
    }
    // Without a count of free calls, the calls of a network are not counted either.
    if record.reservation.is_none() {
        return Ok(());
    }
    let of_network = with_opened(live.of_network, &|opened| opened.network.narrow == network.narrow);
    let of_wide = with_opened(live.of_wide_network, &|opened| opened.network.wide == network.wide);
    if of_network >= MAX_FREE_WATCHES_PER_NETWORK || of_wide >= MAX_FREE_WATCHES_PER_WIDE_NETWORK {
        return Err(LedgerError::NetworkWatchLimit);
    }
    Ok(())
}

/// The fields of a watch's row that decide who may change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchFacts {
    /// The task that owns the watch; `None` where there is none.
    pub owner: Option<Owner>,
    /// True if the watch has ended.
    pub is_ended: bool,
}

impl WatchFacts {
    /// Returns true if the watch is live and this task owns it.
    pub fn is_held_by(&self, owner: Owner) -> bool {
        !self.is_ended && self.owner == Some(owner)
    }
}

/// The time at which a watch ends if its agent ends it `at` a time: that time, or `until` if that is earlier.
pub fn end_time(until: Timestamp, at: Timestamp) -> Timestamp {
    until.min(at)
}

/// The time by which the end of watches is decided: the earlier of the clock and the newest receipt, because the clock
/// may be ahead.
pub fn over_at(now: Timestamp, latest_in_log: Timestamp) -> Timestamp {
    now.min(latest_in_log)
}

/// The watches to be screened next, at most `most`: the first of each class, then the second of each class, and so on.
pub fn by_turns<T>(of_classes: Vec<Vec<T>>, most: usize) -> Vec<T> {
    let mut of_classes: Vec<_> = of_classes.into_iter().map(Vec::into_iter).collect();
    let mut turns = Vec::new();
    while !of_classes.is_empty() {
        of_classes.retain_mut(|of_class| of_class.next().map(|watch| turns.push(watch)).is_some());
    }
    turns.truncate(most);
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::fixtures::{self, new_watch};
    use crate::{ClaimId, ClaimRef, FreeCallKey, GrantId, Period, QuotaKey, WatchStep};

    fn network(text: &str) -> ClientNetwork {
        ClientNetwork::of(text.parse().unwrap())
    }

    fn new() -> NewWatch {
        new_watch(0)
    }

    fn record(reservation: Option<QuotaKey>, claim: Option<ClaimRef>) -> LedgerRecord {
        let reservation = reservation.map(|of| QuotaReservation::new(of, 1, |_, _| ()));
        LedgerRecord { reservation, claim, watch: Some(WatchStep::Opened(new())), ..fixtures::record() }
    }

    fn free() -> QuotaKey {
        let network = network("192.0.2.1").narrow;
        QuotaKey::Free(FreeCallKey { day: 0, agent: "scout".to_owned(), network, class: "watch" })
    }

    fn granted() -> QuotaKey {
        QuotaKey::Granted { grant: GrantId(1), period: Period::Day, start: 0 }
    }

    const NONE: LiveWatches = LiveWatches { of_agent: 0, of_network: 0, of_wide_network: 0, in_all: 0 };

    fn check(
        reservation: Option<QuotaKey>,
        live: LiveWatches,
        opened: &[UnpaidWatch],
    ) -> Result<(), LedgerError> {
        check_unpaid(&record(reservation, None), &new(), network("192.0.2.1"), live, opened)
    }

    #[test]
    fn a_watch_that_was_paid_for_meets_no_limit_and_an_unpaid_one_names_its_network() {
        let claim = ClaimRef { id: ClaimId(1), owner: Owner([1; 16]) };
        let (paid, unpaid) = (record(None, Some(claim)), record(None, None));
        assert_eq!(check_opening(&paid, &new(), false).unwrap(), LimitedBy::Nothing);
        let limited = LimitedBy::Network(network("192.0.2.1"));
        assert_eq!(check_opening(&unpaid, &new(), false).unwrap(), limited);
        let nowhere = NewWatch { network: None, ..new() };
        assert!(matches!(check_opening(&unpaid, &nowhere, false), Err(LedgerError::WatchLimit)));
        assert!(matches!(check_opening(&paid, &new(), true), Err(LedgerError::Duplicate)));
    }

    #[test]
    fn an_agents_limit_holds_for_granted_watches_and_the_limits_on_free_ones_do_not() {
        let of_agent = LiveWatches { of_agent: MAX_WATCHES, ..NONE };
        let in_all = LiveWatches { in_all: MAX_WATCHES_FOR_FREE, ..NONE };
        let of_network = LiveWatches { of_network: MAX_FREE_WATCHES_PER_NETWORK, ..NONE };
        for reservation in [None, Some(free()), Some(granted())] {
            assert!(matches!(check(reservation, of_agent, &[]), Err(LedgerError::WatchLimit)));
        }
        for reservation in [None, Some(free())] {
            assert!(matches!(check(reservation, in_all, &[]), Err(LedgerError::FreeWatchLimit)));
        }
        check(Some(granted()), in_all, &[]).unwrap();
        check(Some(granted()), of_network, &[]).unwrap();
        check(None, of_network, &[]).unwrap();
        assert!(matches!(check(Some(free()), of_network, &[]), Err(LedgerError::NetworkWatchLimit)));
    }

    #[test]
    fn watches_that_begin_in_the_same_transaction_count() {
        let unpaid =
            |agent: &str, from: &str| UnpaidWatch { agent: agent.to_owned(), network: network(from) };
        let almost = LiveWatches { of_agent: MAX_WATCHES - 1, ..NONE };
        check(None, almost, &[unpaid("other", "192.0.2.1"), unpaid("scout", "192.0.2.2")]).unwrap();
        let one_more = check(None, almost, &[unpaid("scout", "192.0.2.1")]);
        assert!(matches!(one_more, Err(LedgerError::WatchLimit)));
        let almost = LiveWatches {
            of_network: MAX_FREE_WATCHES_PER_NETWORK - 1,
            of_wide_network: MAX_FREE_WATCHES_PER_WIDE_NETWORK - 1,
            ..NONE
        };
        check(Some(free()), almost, &[unpaid("other", "198.51.100.1")]).unwrap();
        for from in ["192.0.2.1", "192.0.2.2"] {
            let full = check(Some(free()), almost, &[unpaid("other", from)]);
            assert!(matches!(full, Err(LedgerError::NetworkWatchLimit)), "{from}");
        }
    }

    #[test]
    fn a_watch_is_held_by_its_payer_or_its_network() {
        let claim = ClaimRef { id: ClaimId(1), owner: Owner([1; 16]) };
        let (paid, unpaid) = (record(None, Some(claim)), record(None, None));
        assert_eq!(holder(&paid, &new(), Some(&[3; 20])), Some(holder_who_paid(&[3; 20])));
        assert_eq!(holder(&paid, &new(), None), None);
        assert_eq!(holder(&unpaid, &new(), None), Some(holder_at(network("192.0.2.1").narrow)));
        assert_eq!(wide_holder(&unpaid, &new()), Some(holder_at(network("192.0.2.9").wide)));
        assert_eq!(wide_holder(&paid, &new()), None);
    }

    #[test]
    fn a_watch_is_changed_while_it_is_live_and_by_who_works_on_it() {
        let (owner, other) = (Owner([1; 16]), Owner([2; 16]));
        let held = WatchFacts { owner: Some(owner), is_ended: false };
        assert!(held.is_held_by(owner) && !held.is_held_by(other));
        assert!(!WatchFacts { is_ended: true, ..held }.is_held_by(owner));
        assert!(!WatchFacts { owner: None, ..held }.is_held_by(owner));
    }

    #[test]
    fn classes_take_turns_and_a_watch_ends_no_later_than_by_itself() {
        let turns = |most| by_turns(vec![vec![1, 2, 3], vec![], vec![4]], most);
        assert_eq!(turns(9), [1, 4, 2, 3]);
        assert_eq!(turns(2), [1, 4]);
        assert_eq!(end_time(Timestamp::EPOCH, Timestamp::MAX), Timestamp::EPOCH);
        assert_eq!(over_at(Timestamp::MAX, Timestamp::EPOCH), Timestamp::EPOCH);
    }
}
