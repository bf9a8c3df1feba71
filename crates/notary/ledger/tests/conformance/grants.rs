//! Grants: calls that an operator has given, beside the open ledger, and that are reserved and used up as free ones are.

use std::sync::Arc;

use ledger::{
    Grant, GrantId, Ledger, LedgerError, MAX_GRANTS, NewGrant, OperatorStore, Period, QuotaKey,
    QuotaReservation,
};
use receipt::time::Timestamp;
use verdict::Clock as _;

use super::Harness;
use super::support::*;

/// Makes a grant, and finds it as the ledger does.
async fn granted(ledger: &dyn Ledger, operator_store: &mut dyn OperatorStore, new: NewGrant) -> Grant {
    let (agent, at) = (new.agent.clone(), new.at);
    let id = operator_store.grant(&[new]).unwrap()[0];
    let grants = ledger.grants_of(&agent, at).await.unwrap();
    grants.into_iter().find(|grant| grant.id == id).unwrap()
}

async fn take(ledger: &dyn Ledger, grant: &Grant, clock: &ManualClock) -> Option<QuotaReservation> {
    take_many(ledger, grant, 1, clock).await
}

async fn take_many(
    ledger: &dyn Ledger,
    grant: &Grant,
    units: u32,
    clock: &ManualClock,
) -> Option<QuotaReservation> {
    ledger.reserve_granted(grant, units, clock.now()).await.unwrap()
}

/// Has a receipt of today use a reservation up.
async fn use_up(ledger: &dyn Ledger, number: u64, reservation: QuotaReservation, clock: &ManualClock) {
    let mut given = record(number);
    given.reservation = Some(reservation);
    given.signed_at = clock.now();
    ledger.append(given).await.unwrap();
}

fn used(operator_store: &dyn OperatorStore, id: GrantId, at: Timestamp) -> u32 {
    let grants = operator_store.grants(at).unwrap();
    grants.into_iter().find(|(grant, _)| grant.id == id).unwrap().1
}

pub async fn a_granted_call_is_used_up_by_its_receipt_and_given_back_without_one<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 1, clock)).await;
    let other = granted(&*ledger, &mut *operator_store, new_grant("scout", 1, clock)).await;
    let reservation = take(&*ledger, &grant, clock).await.unwrap();
    let of =
        QuotaKey::Granted { grant: grant.id, period: Period::Month, start: Period::Month.start(clock.now()) };
    assert_eq!(reservation.parts()[0].of, of);
    assert!(take(&*ledger, &grant, clock).await.is_none(), "a reserved call is not free");
    drop(reservation);
    assert_eq!(used(&*operator_store, grant.id, clock.now()), 0);
    let reservation = take(&*ledger, &grant, clock).await.unwrap();
    use_up(&*ledger, 0, reservation, clock).await;
    assert!(take(&*ledger, &grant, clock).await.is_none());
    assert_eq!(used(&*operator_store, grant.id, clock.now()), 1);
    assert_eq!(used(&*operator_store, other.id, clock.now()), 0);
    assert!(take(&*ledger, &other, clock).await.is_some(), "each grant has calls of its own");
    assert!(reserve(&*ledger, "scout", clock, 1).await.is_some(), "the free calls are others");
}

pub async fn a_call_of_many_units_uses_up_all_of_them_or_none<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 1500, clock)).await;
    assert!(take_many(&*ledger, &grant, 1501, clock).await.is_none());
    let reservation = take_many(&*ledger, &grant, 1000, clock).await.unwrap();
    assert_eq!(reservation.parts()[0].units, 1000);
    assert!(take_many(&*ledger, &grant, 501, clock).await.is_none(), "what is reserved is not free");
    drop(reservation);
    let reservation = take_many(&*ledger, &grant, 1000, clock).await.unwrap();
    use_up(&*ledger, 0, reservation, clock).await;
    assert_eq!(used(&*operator_store, grant.id, clock.now()), 1000);
    let reservation = take_many(&*ledger, &grant, 499, clock).await.unwrap();
    use_up(&*ledger, 1, reservation, clock).await;
    let ledger = harness.reopen(ledger).await;
    assert_eq!(used(&*operator_store, grant.id, clock.now()), 1499);
    assert!(take_many(&*ledger, &grant, 2, clock).await.is_none());
    assert!(take(&*ledger, &grant, clock).await.is_some());
}

pub async fn of_fifty_tasks_for_three_granted_calls_exactly_three_get_one<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let mut operator_store = harness.operator_store();
    let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 3, harness.clock())).await;
    let tasks: Vec<_> = (0..50)
        .map(|number| {
            let (ledger, clock) = (Arc::clone(&ledger), Arc::clone(harness.clock()));
            tokio::spawn(async move {
                let grants = ledger.grants_of("scout", clock.now()).await.unwrap();
                let Some(reservation) = take(&*ledger, &grants[0], &clock).await else { return false };
                tokio::task::yield_now().await;
                use_up(&*ledger, number, reservation, &clock).await;
                true
            })
        })
        .collect();
    let mut served = 0;
    for task in tasks {
        served += u64::from(task.await.unwrap());
    }
    assert_eq!((served, ledger.head().size), (3, 3));
    assert_eq!(used(&*operator_store, grant.id, harness.clock().now()), 3);
    assert!(take(&*ledger, &grant, harness.clock()).await.is_none());
}

pub async fn used_granted_calls_count_after_a_restart_and_reserved_ones_do_not<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    for period in [Period::Day, Period::Month] {
        operator_store.grant(&[NewGrant { period, ..new_grant("scout", 3, clock) }]).unwrap();
    }
    let grants = ledger.grants_of("scout", clock.now()).await.unwrap();
    let mut in_flight = Vec::new();
    for (number, grant) in (0..).zip(&grants) {
        for number in [2 * number, 2 * number + 1] {
            let reservation = take(&*ledger, grant, clock).await.unwrap();
            use_up(&*ledger, number, reservation, clock).await;
        }
        in_flight.extend(take(&*ledger, grant, clock).await);
    }
    assert_eq!(in_flight.len(), 2);
    let ledger = harness.reopen(ledger).await;
    drop(in_flight);
    for grant in &grants {
        let third = take(&*ledger, grant, clock).await.unwrap();
        assert!(take(&*ledger, grant, clock).await.is_none());
        drop(third);
    }
}

pub async fn a_month_has_calls_of_its_own_whatever_the_days_do<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 2, clock)).await;
    let reservation = take(&*ledger, &grant, clock).await.unwrap();
    use_up(&*ledger, 0, reservation, clock).await;
    let late = take(&*ledger, &grant, clock).await.unwrap();
    // To the last day of November, a day at a time, and a free call on each.
    for number in 1..10 {
        clock.advance(DAY_MS);
        let free = reserve(&*ledger, "scout", clock, 1).await.unwrap();
        use_up(&*ledger, number, free, clock).await;
        assert!(take(&*ledger, &grant, clock).await.is_none());
    }
    let ledger = harness.reopen(ledger).await;
    let (november, last) = (clock.now(), take(&*ledger, &grant, clock).await.unwrap());
    assert!(take(&*ledger, &grant, clock).await.is_none(), "one call of November was in flight at the end");
    drop(late);
    clock.advance(DAY_MS);
    assert!(clock.now().to_string().starts_with("2026-12-01T02:"));
    // A call that began in November is one of November's, by a receipt of December.
    use_up(&*ledger, 10, last, clock).await;
    let first = take(&*ledger, &grant, clock).await.unwrap();
    use_up(&*ledger, 11, first, clock).await;
    assert_eq!(
        (used(&*operator_store, grant.id, november), used(&*operator_store, grant.id, clock.now())),
        (2, 1)
    );
    assert!(take(&*ledger, &grant, clock).await.is_some());
}

pub async fn a_day_has_calls_of_its_own<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let daily = NewGrant { period: Period::Day, ..new_grant("scout", 1, clock) };
    let grant = granted(&*ledger, &mut *operator_store, daily).await;
    for number in 0..3 {
        let reservation = take(&*ledger, &grant, clock).await.unwrap();
        use_up(&*ledger, number, reservation, clock).await;
        assert!(take(&*ledger, &grant, clock).await.is_none());
        clock.advance(DAY_MS);
    }
}

pub async fn uses_of_long_ago_are_forgotten_and_those_of_this_month_are_not<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 1, clock)).await;
    let reservation = take(&*ledger, &grant, clock).await.unwrap();
    use_up(&*ledger, 0, reservation, clock).await;
    let november = clock.now();
    // The 31st of January is the last day of the month after the next one.
    for (number, days) in [(1, 40), (2, 31)] {
        clock.advance(days * DAY_MS);
        let mut given = record(number);
        given.signed_at = clock.now();
        ledger.append(given).await.unwrap();
        assert_eq!(used(&*operator_store, grant.id, november), u32::from(number == 1), "{}", clock.now());
        let reservation = take(&*ledger, &grant, clock).await.unwrap();
        use_up(&*ledger, number + 10, reservation, clock).await;
    }
    let ledger = harness.reopen(ledger).await;
    assert_eq!(used(&*operator_store, grant.id, clock.now()), 1);
    assert!(take(&*ledger, &grant, clock).await.is_none());
}

pub async fn a_grant_made_or_revoked_beside_the_open_ledger_is_seen_at_once<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let at = clock.now();
    let mut operator_store = harness.operator_store();
    assert_eq!(ledger.grants_of("scout", at).await.unwrap(), []);
    for number in 0..3 {
        let grant = granted(&*ledger, &mut *operator_store, new_grant("scout", 1, clock)).await;
        assert_eq!(ledger.grants_of("scout", at).await.unwrap(), std::slice::from_ref(&grant));
        assert_eq!(ledger.grants_of("other", at).await.unwrap(), []);
        // The writer goes on beside the operator's store.
        ledger.append(record(number)).await.unwrap();
        operator_store.revoke(grant.id, at).unwrap();
        assert_eq!(ledger.grants_of("scout", at).await.unwrap(), []);
    }
    let over = NewGrant { until: at.saturating_add_millis(1), ..new_grant("scout", 1, clock) };
    granted(&*ledger, &mut *operator_store, over).await;
    clock.advance(1);
    assert_eq!(ledger.grants_of("scout", clock.now()).await.unwrap(), []);
}

pub async fn an_agents_grants_come_in_the_order_in_which_they_are_used<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let soon = clock.now().saturating_add_millis(DAY_MS);
    let named = |name: &str| NewGrant { name: name.to_owned(), ..new_grant("scout", 1, clock) };
    for new in [
        named("fourth"),
        NewGrant { class: Some("commit".to_owned()), ..named("third") },
        NewGrant { until: soon, ..named("second") },
        NewGrant { priority: true, ..named("first") },
    ] {
        operator_store.grant(&[new]).unwrap();
    }
    let grants = ledger.grants_of("scout", clock.now()).await.unwrap();
    let names: Vec<_> = grants.iter().map(|grant| &*grant.terms.name).collect();
    assert_eq!(names, ["first", "second", "third", "fourth"]);
}

pub async fn a_grant_is_kept_as_it_was_made<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let whole = NewGrant {
        name: "operator".to_owned(),
        class: Some("claim-verdict".to_owned()),
        period: Period::Day,
        networks: ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7/32"].map(|net| net.parse().unwrap()).into(),
        priority: true,
        request_id: Some("0f".repeat(16)),
        ..new_grant("späher 7", u32::from(u16::MAX), clock)
    };
    let bare = new_grant("späher 7", 1, clock);
    for new in [whole, bare] {
        let grant = granted(&*ledger, &mut *operator_store, new.clone()).await;
        assert_eq!((&grant.terms, grant.revoked_at), (&new, None));
        assert_eq!(operator_store.grants(clock.now()).unwrap()[0], (grant, 0));
    }
    let [(newest, _), _] = &operator_store.grants(clock.now()).unwrap()[..] else { panic!("two were made") };
    let (first, later) = (clock.now(), clock.now().saturating_add_millis(1));
    operator_store.revoke(newest.id, first).unwrap();
    operator_store.revoke(newest.id, later).unwrap();
    assert_eq!(
        operator_store.grants(later).unwrap()[0].0.revoked_at,
        Some(first),
        "it stays revoked since when it was"
    );
}

pub async fn an_agent_has_a_bounded_number_of_grants_in_force<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let over = NewGrant { until: clock.now().saturating_add_millis(1), ..new_grant("scout", 1, clock) };
    operator_store.grant(&[over]).unwrap();
    clock.advance(1);
    let one = [new_grant("scout", 1, clock)];
    let made: Vec<_> = (0..MAX_GRANTS).map(|_| operator_store.grant(&one).unwrap()[0]).collect();
    assert!(matches!(operator_store.grant(&one), Err(LedgerError::Unfit(_))));
    operator_store.grant(&[new_grant("other", 1, clock)]).unwrap();
    operator_store.revoke(made[0], clock.now()).unwrap();
    operator_store.grant(&one).unwrap();
    assert_eq!(ledger.grants_of("scout", clock.now()).await.unwrap().len(), MAX_GRANTS as usize);
}

pub async fn grants_that_are_made_together_are_made_all_or_none<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let good = new_grant("scout", 1, clock);
    let bad = NewGrant { calls: 0, ..good.clone() };
    // One that is unfit, and one that is one too many.
    let too_many = vec![good.clone(); MAX_GRANTS as usize + 1];
    for new in [vec![good.clone(), bad], too_many] {
        assert!(matches!(operator_store.grant(&new), Err(LedgerError::Unfit(_))));
        assert_eq!(operator_store.grants(clock.now()).unwrap(), []);
    }
    let most = vec![good; MAX_GRANTS as usize];
    let ids = operator_store.grant(&most).unwrap();
    let found: Vec<_> =
        operator_store.grants(clock.now()).unwrap().iter().rev().map(|(grant, _)| grant.id).collect();
    assert_eq!((found.len(), ids), (most.len(), found), "in the order in which they were given");
    assert_eq!(ledger.grants_of("scout", clock.now()).await.unwrap().len(), most.len());
}

pub async fn what_cannot_be_done_to_grants_is_refused_by_name<H: Harness>() {
    let harness = H::new();
    let (_ledger, clock) = (harness.open().await, harness.clock());
    let mut operator_store = harness.operator_store();
    let bad = NewGrant { calls: 0, ..new_grant("scout", 1, clock) };
    assert!(matches!(operator_store.grant(&[bad]), Err(LedgerError::Unfit(_))));
    for id in [GrantId(1), GrantId(u64::MAX)] {
        let refused = operator_store.revoke(id, clock.now());
        assert!(matches!(refused, Err(LedgerError::NoSuchGrant(unknown)) if unknown == id));
    }
    assert_eq!(operator_store.grants(clock.now()).unwrap(), []);
}
