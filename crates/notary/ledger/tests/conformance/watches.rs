//! Watches: how they begin and end, who may say that a verdict has changed, and whose turn a webhook is.

use std::collections::BTreeSet;
use std::sync::Arc;

use ledger::{
    Alert, AlertWebhook, ClaimRef, ClaimState, ClientNetwork, CurrentEdition, DueClass, Grant, GrantId,
    LeaseRequest, Ledger, LedgerError, LedgerRecord, LiveWatches, MAX_WATCHES, MAX_WEBHOOKS_PER_AGENT,
    MAX_WEBHOOKS_PER_HOST, NewWatch, Owner, Screening, SharedVersion, Watch, WatchChange, WatchId, WatchKey,
    WatchStep, Webhook, WebhookOutcome, WebhookState, WebhookTask,
};
use receipt::time::Timestamp;

use super::Harness;
use super::payer::*;
use super::support::{DAY_MS, ManualClock, hash, new_grant, record, request};

const CLASS: &str = "screen-entity";

fn until() -> Timestamp {
    at(30 * DAY_MS)
}

/// A verdict on the lists of so manieth edition.
fn found(verdict: &str, edition: u8) -> Screening {
    Screening::new(verdict.to_owned(), &[format!("{edition:064x}")], at(0))
}

fn current(edition: u8) -> Vec<DueClass> {
    vec![current_of(CLASS, edition)]
}

fn current_of(class: &str, edition: u8) -> DueClass {
    let edition = found("", edition).edition;
    DueClass::OtherEdition(CurrentEdition { class: class.to_owned(), edition, day: 0, lists: None })
}

pub fn key(number: u64) -> WatchKey {
    WatchKey(word(number))
}

/// From where all watches here are asked for.
fn network() -> ClientNetwork {
    ClientNetwork { narrow: "192.0.2.1/32".parse().unwrap(), wide: "192.0.2.0/24".parse().unwrap() }
}

/// The record that opens a watch of this number on edition 1, on a grant.
async fn opening(ledger: &dyn Ledger, number: u64, agent: &str, host: Option<&str>) -> LedgerRecord {
    let webhook = host.map(|host| Webhook { url: format!("https://{host}/{number}"), host: host.to_owned() });
    let new = NewWatch {
        key: key(number),
        agent: agent.to_owned(),
        network: Some(network()),
        class: CLASS.to_owned(),
        until: until(),
        webhook,
        screened: found("NO_MATCH", 1),
    };
    let terms = new_grant(agent, 1_000_000, &ManualClock::start());
    let grant = Grant { id: GrantId(1), terms, revoked_at: None };
    let reservation = ledger.reserve_granted(&grant, 1, at(0)).await.unwrap();
    assert!(reservation.is_some(), "it is enough for all watches");
    LedgerRecord { class: "watch", watch: Some(WatchStep::Opened(new)), reservation, ..record(number) }
}

/// The record that says that a watch's verdict has changed.
fn change(number: u64, id: WatchId, owner: Owner, verdict: &str, edition: u8) -> LedgerRecord {
    let change = WatchChange { id, owner, screened: found(verdict, edition) };
    LedgerRecord { class: CLASS, watch: Some(WatchStep::Changed(change)), ..record(number) }
}

/// The record that says that a watch's verdict has changed with edition 2.
pub fn changed(number: u64, id: WatchId, owner: Owner) -> LedgerRecord {
    change(number, id, owner, "MATCH", 2)
}

/// Takes what is due on edition 2, at the clock's time.
pub async fn taken(ledger: &dyn Ledger, clock: &ManualClock, owner: Owner) -> Vec<WatchId> {
    let due = ledger.take_watches(take_over_now(clock, owner, 1000), current(2)).await.unwrap();
    due.into_iter().map(|watch| watch.id).collect()
}

/// Takes what is due on an edition of some version of the lists and some day, and lets go of it.
#[allow(dead_code, reason = "for back ends that several processes may open at once")]
pub async fn due_on(
    ledger: &dyn Ledger,
    clock: &ManualClock,
    edition: u8,
    day: u32,
    lists: SharedVersion,
) -> usize {
    let edition = found("", edition).edition;
    let current = CurrentEdition { class: CLASS.to_owned(), edition, day, lists: Some(lists) };
    let wish = take_over_now(clock, OWNER, 1000);
    let due = ledger.take_watches(wish, vec![DueClass::OtherEdition(current)]).await.unwrap();
    let ids: Vec<WatchId> = due.iter().map(|watch| watch.id).collect();
    ledger.postpone_watches(OWNER, ids, wish.now).await.unwrap();
    due.len()
}

pub async fn opened(ledger: &dyn Ledger, number: u64, host: Option<&str>) -> WatchId {
    ledger.append(opening(ledger, number, "a", host).await).await.unwrap();
    seen(ledger, number).await.id
}

async fn seen(ledger: &dyn Ledger, number: u64) -> Watch {
    ledger.watch(&key(number)).await.unwrap().expect("the watch is there")
}

/// Takes what is due on an edition.
async fn take(ledger: &dyn Ledger, clock: &ManualClock, now: i64, edition: u8) -> BTreeSet<WatchId> {
    let due = ledger.take_watches(take_over(clock, now, OWNER, 1000), current(edition)).await.unwrap();
    due.into_iter().map(|watch| watch.id).collect()
}

async fn live(ledger: &dyn Ledger, agent: &str, now: i64) -> LiveWatches {
    ledger.live_watches(agent, network(), at(now)).await.unwrap()
}

pub async fn a_watch_begins_with_its_receipt_or_not_at_all<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    opened(&*ledger, 1, Some("hooks.example")).await;
    let watch = seen(&*ledger, 1).await;
    let url = "https://hooks.example/1".to_owned();
    assert_eq!((watch.agent.as_str(), watch.class.as_str(), watch.opened_by), ("a", CLASS, hash(1)));
    assert_eq!(ledger.watch_opened_by(&hash(1)).await.unwrap().as_ref(), Some(&watch));
    assert_eq!(ledger.watch_opened_by(&hash(2)).await.unwrap(), None);
    assert_eq!(watch.webhook, Some(Webhook { url, host: "hooks.example".to_owned() }));
    assert_eq!((watch.until, watch.ended_at, watch.gone_at), (until(), None, None));
    assert_eq!((watch.screened, watch.alerts), (found("NO_MATCH", 1), Vec::new()));
    assert_eq!(ledger.watch(&key(2)).await.unwrap(), None);
    // A receipt that is not logged opens nothing, and a second of the same key is not logged.
    let again = LedgerRecord { hash: hash(1), ..opening(&*ledger, 2, "a", None).await };
    assert!(matches!(ledger.append(again).await, Err(LedgerError::Duplicate)));
    assert_eq!(ledger.watch(&key(2)).await.unwrap(), None);
    let Some(WatchStep::Opened(same_key)) = opening(&*ledger, 1, "a", None).await.watch else {
        unreachable!()
    };
    let same_key = LedgerRecord { watch: Some(WatchStep::Opened(same_key)), ..record(3) };
    assert!(matches!(ledger.append(same_key).await, Err(LedgerError::Duplicate)));
    assert_eq!(ledger.head().size, 1);
}

pub async fn an_agent_has_a_bounded_number_of_live_watches_but_what_was_paid_for_is_there<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    // At once, so that many come into one transaction.
    let bound = u64::from(MAX_WATCHES);
    let opened = all(&ledger, 0..bound + 20, |ledger, number| async move {
        ledger.append(opening(&*ledger, number, "a", None).await).await.map(|_| number)
    });
    let (opened, refused): (Vec<_>, Vec<_>) = opened.await.into_iter().partition(Result::is_ok);
    assert_eq!((opened.len() as u64, refused.len()), (bound, 20));
    assert!(refused.iter().all(|refused| matches!(refused, Err(LedgerError::WatchLimit))), "{refused:?}");
    let all = MAX_WATCHES;
    let expected = LiveWatches { of_agent: all, of_network: all, of_wide_network: all, in_all: all };
    assert_eq!(live(&*ledger, "a", 0).await, expected);
    ledger.append(opening(&*ledger, 500, "b", None).await).await.unwrap();
    let claim = claim_in(&*ledger, 7, ClaimState::Settled).await;
    let paid = LedgerRecord {
        claim: Some(ClaimRef { id: claim, owner: OWNER }),
        reservation: None,
        ..opening(&*ledger, 501, "a", None).await
    };
    ledger.append(paid).await.unwrap();
    let expected = LiveWatches { of_network: all + 1, of_wide_network: all + 1, in_all: all + 2, ..expected };
    assert_eq!(live(&*ledger, "a", 0).await, expected, "what was paid for is of its payer");
    // Those that end make room.
    let first = *opened[0].as_ref().unwrap();
    for number in [first, 501] {
        assert!(ledger.end_watch(&key(number), at(1)).await.unwrap());
    }
    ledger.append(opening(&*ledger, 502, "a", None).await).await.unwrap();
    assert!(matches!(
        ledger.append(opening(&*ledger, 503, "a", None).await).await,
        Err(LedgerError::WatchLimit)
    ));
    assert_eq!(live(&*ledger, "a", 30 * DAY_MS).await.of_agent, 0, "all are over by then");
}

pub async fn a_watch_is_due_while_it_was_screened_on_another_edition<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let (one, two) = (opened(&*ledger, 1, None).await, opened(&*ledger, 2, None).await);
    assert!(take(&*ledger, clock, 0, 1).await.is_empty(), "nothing has changed");
    assert!(
        ledger.take_watches(take_over(clock, 0, OWNER, 10), Vec::new()).await.unwrap().is_empty(),
        "nobody can look"
    );
    let due = ledger.take_watches(take_over(clock, 0, OWNER, 1), current(2)).await.unwrap();
    assert_eq!((due.len(), due[0].screened.verdict.as_str(), due[0].agent.as_str()), (1, "NO_MATCH", "a"));
    let number = if due[0].id == one { 1 } else { 2 };
    assert_eq!((due[0].key, &due[0].request), (key(number), &Some(request(number))));
    assert_eq!(
        take(&*ledger, clock, 0, 2).await,
        BTreeSet::from([one, two]).into_iter().filter(|id| *id != due[0].id).collect()
    );
    assert!(take(&*ledger, clock, LEASE_MS - 1, 2).await.is_empty(), "somebody works on both");
    assert_eq!(take(&*ledger, clock, LEASE_MS, 2).await, [one, two].into());
    ledger.screened(OTHER, vec![(one, found("NO_MATCH", 2))]).await.unwrap();
    ledger.screened(OWNER, vec![(two, found("NO_MATCH", 2))]).await.unwrap();
    assert_eq!(seen(&*ledger, 1).await.screened, found("NO_MATCH", 1), "another's word counts for nothing");
    assert_eq!(seen(&*ledger, 2).await.screened, found("NO_MATCH", 2));
    assert_eq!(take(&*ledger, clock, 2 * LEASE_MS, 2).await, [one].into());
    assert_eq!(take(&*ledger, clock, 2 * LEASE_MS, 1).await, [two].into(), "an older list may come back");
}

pub async fn classes_share_what_is_taken_and_what_cannot_be_screened_is_left_alone<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for number in 1..=12 {
        let mut record = opening(&*ledger, number, "a", None).await;
        if number > 8 {
            let Some(WatchStep::Opened(new)) = &mut record.watch else { unreachable!() };
            new.class = "screen-wallet".to_owned();
        }
        ledger.append(record).await.unwrap();
    }
    let both = [current(2), vec![current_of("screen-wallet", 2)]].concat();
    let taken = async |now: i64, owner| {
        let due = ledger.take_watches(take_over(clock, now, owner, 6), both.clone()).await.unwrap();
        let wallets = due.iter().filter(|due| due.class == "screen-wallet").count();
        (due.len() - wallets, wallets, due.into_iter().map(|due| due.id).collect::<Vec<_>>())
    };
    let (entities, wallets, first) = taken(0, OWNER).await;
    assert_eq!((entities, wallets), (3, 3));
    ledger.postpone_watches(OTHER, first[1..].to_vec(), at(10 * LEASE_MS)).await.unwrap();
    ledger.postpone_watches(OWNER, first[..2].to_vec(), at(5 * LEASE_MS)).await.unwrap();
    let (entities, wallets, second) = taken(0, OTHER).await;
    assert_eq!((entities, wallets), (5, 1), "what one class does not need is another's");
    ledger.postpone_watches(OTHER, second, at(9 * LEASE_MS)).await.unwrap();
    let (.., third) = taken(LEASE_MS, OWNER).await;
    assert_eq!(BTreeSet::from_iter(third), BTreeSet::from_iter(first[2..].iter().copied()));
    let (.., fourth) = taken(5 * LEASE_MS, OWNER).await;
    assert_eq!(BTreeSet::from_iter(fourth), BTreeSet::from_iter(first));
}

pub async fn a_watch_is_due_by_the_time_of_its_last_screening_the_oldest_first<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for (number, screened_ms) in [(1, 30), (2, 10), (3, 20)] {
        let mut record = opening(&*ledger, number, "a", None).await;
        let Some(WatchStep::Opened(new)) = &mut record.watch else { unreachable!() };
        new.screened.at = at(screened_ms);
        ledger.append(record).await.unwrap();
    }
    let taken = async |now: i64, time: i64| {
        let due = vec![DueClass::ScreenedBy { class: CLASS.to_owned(), time: at(time) }];
        let due = ledger.take_watches(take_over(clock, now, OWNER, 2), due).await.unwrap();
        due.into_iter().map(|due| (due.id, due.screened.at)).collect::<Vec<_>>()
    };
    assert_eq!(taken(0, 9).await, []);
    let first = taken(0, 20).await;
    assert_eq!(first.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [at(10), at(20)]);
    let (id, _) = first[0];
    ledger.screened(OWNER, vec![(id, Screening { at: at(100), ..found("NO_MATCH", 1) })]).await.unwrap();
    let later = taken(LEASE_MS, 50).await;
    assert_eq!(later.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [at(20), at(30)], "its lease is over");
    assert_eq!(taken(2 * LEASE_MS, 1000).await.len(), 2, "so many at a time");
    let other = vec![DueClass::ScreenedBy { class: "screen-wallet".to_owned(), time: at(1000) }];
    assert!(ledger.take_watches(take_over(clock, 9 * LEASE_MS, OWNER, 9), other).await.unwrap().is_empty());
}

pub async fn a_change_is_logged_once_by_who_has_screened<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let id = opened(&*ledger, 1, None).await;
    let refused = |record| async { matches!(ledger.append(record).await, Err(LedgerError::NotOwner)) };
    assert!(refused(change(10, id, OWNER, "MATCH", 2)).await, "nobody has taken it");
    assert_eq!(take(&*ledger, clock, 0, 2).await, [id].into());
    assert!(refused(change(11, id, OTHER, "MATCH", 2)).await);
    assert!(refused(change(12, WatchId(u64::MAX), OWNER, "MATCH", 2)).await);
    let said = all(&ledger, 20..28, |ledger, number| async move {
        ledger.append(change(number, id, OWNER, "MATCH", 2)).await.map(|_| number)
    });
    let (said, refused): (Vec<_>, Vec<_>) = said.await.into_iter().partition(Result::is_ok);
    assert_eq!((said.len(), refused.len()), (1, 7), "once");
    assert!(refused.iter().all(|refused| matches!(refused, Err(LedgerError::NotOwner))), "{refused:?}");
    let watch = seen(&*ledger, 1).await;
    let number = *said[0].as_ref().unwrap();
    let alert = Alert { receipt: hash(number), verdict: "MATCH".to_owned(), at: at(0), webhook: None };
    assert_eq!((watch.screened, watch.alerts), (found("MATCH", 2), vec![alert]));
    assert!(take(&*ledger, clock, LEASE_MS, 2).await.is_empty(), "it is up to date");
    assert_eq!(ledger.head().size, 2);
}

pub async fn an_ended_watch_is_shown_and_does_nothing_more<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    let (ended, over) = (opened(&*ledger, 1, Some("h")).await, opened(&*ledger, 2, Some("h")).await);
    assert!(!ledger.end_watch(&key(3), at(1)).await.unwrap());
    assert_eq!(take(&*ledger, clock, 0, 2).await, [ended, over].into());
    ledger.append(change(10, over, OWNER, "MATCH", 2)).await.unwrap();
    for millis in [5, 9] {
        assert!(ledger.end_watch(&key(1), at(millis)).await.unwrap());
        assert_eq!(seen(&*ledger, 1).await.ended_at, Some(at(5)), "the first end counts");
    }
    let late = ledger.append(change(11, ended, OWNER, "MATCH", 2)).await;
    assert!(matches!(late, Err(LedgerError::NotOwner)), "it was ended while it was screened");
    assert!(take(&*ledger, clock, 30 * DAY_MS, 3).await.is_empty());
    let watch = seen(&*ledger, 2).await;
    assert_eq!((watch.ended_at, watch.alerts.len()), (None, 1), "the clock alone ends nothing");
    let late = LedgerRecord { signed_at: until(), ..record(12) };
    ledger.append(late).await.unwrap();
    assert!(take(&*ledger, clock, 30 * DAY_MS, 3).await.is_empty());
    assert_eq!(seen(&*ledger, 2).await.ended_at, Some(until()), "the log has come to its time");
    assert_eq!(
        watch.alerts[0].webhook.as_ref().unwrap().state,
        WebhookState::Waiting,
        "what is over is still told"
    );
    ledger.end_watch(&key(2), at(31 * DAY_MS)).await.unwrap();
    let watch = seen(&*ledger, 2).await;
    assert_eq!(watch.ended_at, Some(until()));
    assert_eq!(watch.alerts[0].webhook.as_ref().unwrap().state, WebhookState::Dropped);
    assert!(ledger.take_webhooks(take_over(clock, 32 * DAY_MS, OWNER, 10)).await.unwrap().is_empty());
}

/// Opens a watch at a host, and has it alerted.
async fn alerted(ledger: &dyn Ledger, clock: &ManualClock, number: u64, host: &str) {
    alerted_of(ledger, clock, "a", number, host).await;
}

async fn alerted_of(ledger: &dyn Ledger, clock: &ManualClock, agent: &str, number: u64, host: &str) {
    ledger.append(opening(ledger, number, agent, Some(host)).await).await.unwrap();
    let id = seen(ledger, number).await.id;
    assert!(take(ledger, clock, 0, 2).await.contains(&id));
    ledger.append(change(number + 1000, id, OWNER, "MATCH", 2)).await.unwrap();
}

/// Watch 1 with an alert whose webhook was delivered.
pub async fn one_delivered_alert(ledger: &dyn Ledger, clock: &ManualClock) {
    alerted(ledger, clock, 1, "h").await;
    let sent = due(ledger, clock, 0).await;
    ledger.webhook_sent(sent[0].id, OWNER, WebhookOutcome::Delivered, at(5)).await.unwrap();
}

async fn due(ledger: &dyn Ledger, clock: &ManualClock, now: i64) -> Vec<WebhookTask> {
    ledger.take_webhooks(take_over(clock, now, OWNER, 10)).await.unwrap()
}

fn urls(due: &[WebhookTask]) -> Vec<&str> {
    due.iter().map(|due| due.url.as_str()).collect()
}

async fn standing(ledger: &dyn Ledger, number: u64) -> AlertWebhook {
    seen(ledger, number).await.alerts[0].webhook.clone().expect("it has a webhook")
}

pub async fn an_agent_is_sent_one_webhook_at_a_host_at_a_time_and_hosts_take_turns<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for (number, host) in [(1, "slow"), (2, "slow"), (3, "slow"), (4, "quick"), (5, "quick")] {
        alerted(&*ledger, clock, number, host).await;
    }
    let first = due(&*ledger, clock, 0).await;
    assert_eq!(urls(&first), ["https://quick/4", "https://slow/1"]);
    assert_eq!((first[1].receipt, first[1].attempts, first[1].since), (hash(1001), 0, at(0)));
    assert!(due(&*ledger, clock, LEASE_MS - 1).await.is_empty(), "both hosts have their turn");
    ledger.webhook_sent(first[0].id, OWNER, WebhookOutcome::Delivered, at(10)).await.unwrap();
    let second = due(&*ledger, clock, 10).await;
    assert_eq!(urls(&second), ["https://quick/5"], "the slow host keeps nobody waiting");
    let refused = ledger.webhook_sent(second[0].id, OTHER, WebhookOutcome::Delivered, at(11)).await;
    assert!(matches!(refused, Err(LedgerError::NotOwner)));
    let again = WebhookOutcome::Again { at: at(5000), error: "status_500".to_owned() };
    ledger.webhook_sent(second[0].id, OWNER, again, at(11)).await.unwrap();
    let waiting = AlertWebhook {
        state: WebhookState::Waiting,
        attempts: 1,
        at: at(5000),
        error: Some("status_500".to_owned()),
    };
    assert_eq!(standing(&*ledger, 5).await, waiting);
    assert!(due(&*ledger, clock, 4999).await.is_empty());
    let unsent = due(&*ledger, clock, 5000).await;
    ledger
        .webhook_sent(unsent[0].id, OWNER, WebhookOutcome::NotSent { at: at(5500) }, at(5000))
        .await
        .unwrap();
    assert_eq!(standing(&*ledger, 5).await, AlertWebhook { at: at(5500), ..waiting }, "it was no attempt");
    assert!(due(&*ledger, clock, 5499).await.is_empty());
    let third = due(&*ledger, clock, 5500).await;
    assert_eq!((urls(&third), third[0].attempts), (vec!["https://quick/5"], 1));
    ledger.webhook_sent(third[0].id, OWNER, WebhookOutcome::Delivered, at(5501)).await.unwrap();
    let delivered = AlertWebhook { state: WebhookState::Delivered, attempts: 2, at: at(5501), error: None };
    assert_eq!(standing(&*ledger, 5).await, delivered);
    // One that is tried again later lets the next of its host go first.
    let again = WebhookOutcome::Again { at: at(90_000), error: "timeout".to_owned() };
    ledger.webhook_sent(first[1].id, OWNER, again, at(20_000)).await.unwrap();
    let fourth = due(&*ledger, clock, 20_000).await;
    assert_eq!(urls(&fourth), ["https://slow/2"]);
    let failed = WebhookOutcome::Failed { error: "timeout".to_owned() };
    ledger.webhook_sent(fourth[0].id, OWNER, failed, at(20_001)).await.unwrap();
    assert_eq!(standing(&*ledger, 2).await.state, WebhookState::Failed);
    assert_eq!(urls(&due(&*ledger, clock, 20_001).await), ["https://slow/3"]);
}

/// All that is leased until nothing is left, by the last parts of the addresses.
async fn all_due(ledger: &dyn Ledger, clock: &ManualClock, now: i64) -> Vec<WebhookTask> {
    let mut all = Vec::new();
    loop {
        let more = due(ledger, clock, now).await;
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

pub async fn an_agent_whose_webhooks_are_slow_keeps_no_other_of_its_host_waiting<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for (number, agent) in [(1, "a"), (2, "a"), (3, "a"), (4, "b"), (5, "c"), (6, "d"), (7, "e")] {
        alerted_of(&*ledger, clock, agent, number, "shared").await;
    }
    let first = all_due(&*ledger, clock, 0).await;
    assert_eq!(
        urls(&first),
        ["https://shared/1", "https://shared/4", "https://shared/5", "https://shared/6"]
    );
    assert_eq!(first.len(), MAX_WEBHOOKS_PER_HOST as usize);
    ledger.webhook_sent(first[1].id, OWNER, WebhookOutcome::Delivered, at(10)).await.unwrap();
    let second = all_due(&*ledger, clock, 10).await;
    assert_eq!(urls(&second), ["https://shared/7"], "the slow one has its place, and no other");
    for sent in [&first[2], &first[3], &second[0]] {
        ledger.webhook_sent(sent.id, OWNER, WebhookOutcome::Delivered, at(20)).await.unwrap();
    }
    assert!(all_due(&*ledger, clock, 20).await.is_empty(), "one at a time, though nobody else waits");
    let again = WebhookOutcome::Again { at: at(90_000), error: "timeout".to_owned() };
    ledger.webhook_sent(first[0].id, OWNER, again, at(30)).await.unwrap();
    assert_eq!(urls(&all_due(&*ledger, clock, 30).await), ["https://shared/2"]);
    // Whoever does not say what became of one is late, and it is anybody's.
    assert_eq!(urls(&all_due(&*ledger, clock, LEASE_MS + 30).await), ["https://shared/2"]);
}

pub async fn an_agent_at_many_hosts_has_a_bounded_number_of_webhooks_sent_at_once<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for number in 0..60 {
        alerted_of(&*ledger, clock, "a", number, &format!("h{number:02}")).await;
    }
    // The host of the other is the last that is looked at.
    alerted_of(&*ledger, clock, "b", 60, "z").await;
    alerted_of(&*ledger, clock, "b", 61, "h07").await;
    let first = due(&*ledger, clock, 0).await;
    let of_a = MAX_WEBHOOKS_PER_AGENT as usize;
    assert_eq!(urls(&first)[..of_a], ["https://h00/0", "https://h01/1", "https://h02/2", "https://h03/3"]);
    assert_eq!(urls(&first)[of_a..], ["https://h07/61"], "whoever waits there behind it is not passed over");
    let (mut now, mut reached) = (0, Vec::new());
    while reached.is_empty() {
        now += 1000;
        assert!(now < 10_000, "the host of another is never reached");
        reached = due(&*ledger, clock, now).await;
    }
    assert_eq!(urls(&reached), ["https://z/60"]);
    ledger.webhook_sent(first[0].id, OWNER, WebhookOutcome::Delivered, at(now)).await.unwrap();
    let next = all_due(&*ledger, clock, now + 1000).await;
    assert_eq!(next.len(), 1, "one was taken, so one more is sent: {next:?}");
}

pub async fn a_webhook_that_is_gone_is_sent_nothing_more<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    alerted(&*ledger, clock, 1, "h").await;
    let id = seen(&*ledger, 1).await.id;
    assert_eq!(take(&*ledger, clock, 0, 3).await, [id].into());
    ledger.append(change(2000, id, OWNER, "NO_MATCH", 3)).await.unwrap();
    alerted(&*ledger, clock, 2, "h").await;
    let first = due(&*ledger, clock, 0).await;
    ledger.webhook_sent(first[0].id, OWNER, WebhookOutcome::Gone, at(5)).await.unwrap();
    let watch = seen(&*ledger, 1).await;
    let states = watch.alerts.iter().map(|alert| alert.webhook.as_ref().unwrap().state);
    assert_eq!(watch.gone_at, Some(at(5)));
    assert!(states.eq([WebhookState::Dropped, WebhookState::Dropped]));
    assert_eq!(
        urls(&due(&*ledger, clock, 5).await),
        ["https://h/2"],
        "another's webhook at the same host is not gone"
    );
    assert!(take(&*ledger, clock, LEASE_MS, 4).await.contains(&id), "the watch goes on");
    ledger.append(change(2001, id, OWNER, "MATCH", 4)).await.unwrap();
    assert_eq!(seen(&*ledger, 1).await.alerts[0].webhook, None);
}

pub async fn of_many_who_take_webhooks_at_once_each_host_goes_to_one<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for number in 0..30 {
        alerted_of(&*ledger, clock, &format!("a{}", number % 10), number, &format!("h{}", number % 10)).await;
    }
    let wish = take_over(clock, 0, OWNER, 3);
    let taken = all(&ledger, 1..9, move |ledger, task| async move {
        let owner = Owner([task as u8; 16]);
        ledger.take_webhooks(LeaseRequest { owner, ..wish }).await.unwrap()
    });
    let taken: Vec<WebhookTask> = taken.await.concat();
    let hosts: BTreeSet<_> = taken.iter().map(|due| due.url.rsplit_once('/').unwrap().0).collect();
    assert_eq!((taken.len(), hosts.len()), (10, 10));
}

pub async fn watches_that_ended_long_ago_are_forgotten_and_their_receipts_stay<H: Harness>() {
    let harness = H::new();
    let (ledger, clock) = (harness.open().await, harness.clock());
    for number in 1..=3 {
        alerted(&*ledger, clock, number, "h").await;
    }
    for (number, millis) in [(1, 10), (2, 20)] {
        ledger.end_watch(&key(number), at(millis)).await.unwrap();
    }
    assert_eq!(ledger.forget_watches(at(10), 10).await.unwrap(), 0);
    assert_eq!(ledger.forget_watches(at(21), 1).await.unwrap(), 1);
    assert_eq!(ledger.forget_watches(at(21), 10).await.unwrap(), 1);
    for number in [1, 2] {
        assert_eq!(ledger.watch(&key(number)).await.unwrap(), None);
        assert!(ledger.receipt(&hash(number)).await.unwrap().is_some());
        assert!(ledger.receipt(&hash(number + 1000)).await.unwrap().is_some());
    }
    assert_eq!(urls(&due(&*ledger, clock, 30).await), ["https://h/3"]);
}

/// Whatever way the process ends, watches, alerts and webhooks are as its last answered step has left them, and are gone
/// on with at once.
pub async fn after_any_end_watches_and_webhooks_stand_where_they_stood<H: Harness>() {
    for crashes in [false, true] {
        let mut harness = H::new();
        let (ledger, clock) = (harness.open().await, &*Arc::clone(harness.clock()));
        alerted(&*ledger, clock, 1, "h").await;
        opened(&*ledger, 2, None).await;
        let before = (seen(&*ledger, 1).await, seen(&*ledger, 2).await);
        assert_eq!(take(&*ledger, clock, 0, 3).await, [before.0.id, before.1.id].into());
        assert_eq!(due(&*ledger, clock, 0).await.len(), 1);
        if crashes {
            let after = harness.after_a_crash().await;
            drop(ledger);
            harness = after;
        } else {
            harness.close(ledger).await;
        }
        let (ledger, now) = (harness.open().await, clock.passed());
        assert_eq!((seen(&*ledger, 1).await, seen(&*ledger, 2).await), before);
        assert_eq!(take(&*ledger, clock, now, 3).await, [before.0.id, before.1.id].into());
        assert_eq!(urls(&due(&*ledger, clock, now).await), ["https://h/1"]);
    }
}
