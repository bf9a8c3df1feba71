//! Local money, revenue and prices.

use ledger::{
    ClaimState, DisputeOutcome, LedgerError, LedgerRecord, LocalTransfer, MAX_CLAIM_AMOUNT, NewClaim,
    Revenue, Settlement, TransferId,
};
use receipt::time::Timestamp;

use super::Harness;
use super::disputer::*;
use super::payer::*;
use super::support::*;

pub async fn local_money_moves_with_the_settlement_or_not_at_all<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYER, 150_000).await.unwrap();
    let first = claim_in(&*ledger, 1, ClaimState::Judged).await;
    let second = claim_in(&*ledger, 2, ClaimState::Judged).await;
    let wrong_hash = claim_in(&*ledger, 3, ClaimState::Judged).await;
    assert_eq!(ledger.local_transfer(CHAIN, &word(1)).await.unwrap(), None);
    ledger.settle_local(first, OWNER, local_payment(1)).await.unwrap();
    let moved = LocalTransfer { payer: PAYER, payee: PAYEE, amount: 100_000, at: at(10) };
    assert_eq!(ledger.local_transfer(CHAIN, &word(1)).await.unwrap(), Some(moved));
    let claim = found(&*ledger, first).await;
    assert_eq!((claim.state, claim.transaction), (ClaimState::Settled, Some(word(1))));
    assert_eq!(
        claim.transfer.map(|transfer| (transfer.id, transfer.kind)),
        Some((TransferId::LogIndex(0), "local".into()))
    );

    let before = ledger.claim_work(second).await.unwrap();
    let refused = ledger.settle_local(second, OWNER, local_payment(2)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::InsufficientFunds), "{refused}");
    assert_eq!(ledger.claim_work(second).await.unwrap(), before);
    assert_eq!(ledger.local_transfer(CHAIN, &word(2)).await.unwrap(), None);
    ledger.local_credit(PAYER, 100_000).await.unwrap();
    let refused = ledger.settle_local(wrong_hash, OWNER, local_payment(1)).await.unwrap_err();
    assert!(matches!(refused, LedgerError::AlreadyCredited), "{refused}");
    for payment in [local_payment(1), local_payment(7)] {
        let again = ledger.settle_local(first, OWNER, payment).await.unwrap_err();
        assert!(matches!(again, LedgerError::WrongState(ClaimState::Settled)), "{again}");
    }
    assert!(matches!(ledger.settle_local(second, OTHER, local_payment(2)).await, Err(LedgerError::NotOwner)));
    let balances = (ledger.local_balance(&PAYER).await.unwrap(), ledger.local_balance(&PAYEE).await.unwrap());
    assert_eq!(balances, (150_000, 100_000));
    ledger.settle_local(second, OWNER, local_payment(2)).await.unwrap();
    assert_eq!(known(&*ledger, new_claim(authorization(2))).await.id, second, "its nonce is used up");
}

pub async fn an_account_is_opened_once_and_credited_as_often_as_one_likes<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 0);
    for amount in [70, 90] {
        ledger.local_open(PAYER, amount).await.unwrap();
        ledger.local_credit(PAYEE, amount).await.unwrap();
    }
    let ledger = harness.reopen(ledger).await;
    ledger.local_open(PAYER, MAX_CLAIM_AMOUNT).await.unwrap();
    assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 70);
    assert_eq!(ledger.local_balance(&PAYEE).await.unwrap(), 160);
    assert!(matches!(ledger.local_open(PAYER, MAX_CLAIM_AMOUNT + 1).await, Err(LedgerError::Unfit(_))));
    assert!(matches!(ledger.local_credit(PAYER, u64::MAX).await, Err(LedgerError::Unfit(_))));
}

pub async fn of_many_claims_on_the_last_money_as_many_settle_as_it_is_good_for<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYER, 799_999).await.unwrap();
    let settled = all(&ledger, 0..50, |ledger, number| async move {
        let id = claim_in(&*ledger, number, ClaimState::Judged).await;
        match ledger.settle_local(id, OWNER, local_payment(number)).await {
            Ok(()) => true,
            Err(refused) => {
                assert!(matches!(refused, LedgerError::InsufficientFunds), "{refused}");
                ledger.free(id, OWNER).await.unwrap();
                false
            }
        }
    });
    assert_eq!(settled.await.into_iter().filter(|is_settled| *is_settled).count(), 7);
    assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 99_999);
    assert_eq!(ledger.local_balance(&PAYEE).await.unwrap(), 700_000);
}

pub async fn who_pays_themselves_has_what_they_had<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    ledger.local_open(PAYER, 100_000).await.unwrap();
    let id = claim_in(&*ledger, 1, ClaimState::Judged).await;
    let payment = ledger::LocalPayment { payee: PAYER, ..local_payment(1) };
    ledger.settle_local(id, OWNER, payment).await.unwrap();
    assert_eq!(ledger.local_balance(&PAYER).await.unwrap(), 100_000);
}

pub async fn revenue_is_what_was_settled_by_token_and_class_and_bonds_are_apart<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let new = |number, class, symbol: &str, amount, bond| NewClaim {
        class,
        symbol: symbol.to_owned(),
        amount,
        bond,
        about: bond.then(|| hash(number)),
        deferred: bond.then(|| asked(number)),
        ..new_claim(authorization(number))
    };
    let claims = [
        (new(1, "commit", "USDC", 100_000, false), ClaimState::Delivered),
        (new(2, "commit", "USDC", 50_000, false), ClaimState::Settled),
        (new(3, "commit", "EURC", 7, false), ClaimState::Settled),
        (new(4, "dispute", "USDC", 1_000_000, true), ClaimState::Settled),
        (new(5, "dispute", "USDC", 3, false), ClaimState::Settled),
        (new(6, "commit", "USDC", 900_000, false), ClaimState::Broadcast),
        (new(7, "commit", "USDC", 900_000, false), ClaimState::Failed),
    ];
    for (number, (new, state)) in (1..).zip(claims) {
        let id = mine(&*ledger, new).await;
        bring(&*ledger, id, number, state).await;
    }
    let ledger = harness.reopen(ledger).await;
    let mut revenue = ledger.revenue().await.unwrap();
    revenue.sort_by(|a, b| (&a.symbol, &a.class).cmp(&(&b.symbol, &b.class)));
    let of = |symbol: &str, class: &str, income, bonds| Revenue {
        symbol: symbol.to_owned(),
        class: class.to_owned(),
        income,
        bonds,
    };
    let expected =
        [of("EURC", "commit", 7, 0), of("USDC", "commit", 150_000, 0), of("USDC", "dispute", 3, 1_000_000)];
    assert_eq!(revenue, expected);
}

pub async fn what_an_agent_has_settled_is_known_by_the_day_and_without_bonds<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let today = u32::try_from(START_MS / DAY_MS).unwrap();
    let payments = [
        (1, "scout", 0, false),
        (2, "scout", 0, false),
        (3, "scout", 40 * DAY_MS, false),
        (4, "scout", 0, true),
        (5, "other", 0, false),
    ];
    for (number, agent, after, bond) in payments {
        let about = bond.then(|| hash(number));
        let deferred = bond.then(|| asked(number));
        let new =
            NewClaim { agent: agent.to_owned(), bond, about, deferred, ..new_claim(authorization(number)) };
        let id = mine(&*ledger, new).await;
        bring(&*ledger, id, number, ClaimState::Broadcast).await;
        ledger.settled(id, OWNER, Settlement { at: at(after), ..settlement(number) }).await.unwrap();
    }
    let of = async |agent: &str, since| ledger.settled_by(agent, since).await.unwrap();
    assert_eq!(of("scout", today).await, 300_000);
    assert_eq!(of("scout", today + 1).await, 100_000);
    assert_eq!(of("scout", today + 40).await, 100_000);
    assert_eq!(of("scout", today + 41).await, 0);
    assert_eq!((of("other", 0).await, of("nobody", 0).await), (100_000, 0));
}

/// From the transaction on that owes it back, once however often its receipt is overturned, and on the day of the payment.
pub async fn a_fee_that_is_owed_back_was_never_earned<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let today = u32::try_from(START_MS / DAY_MS).unwrap();
    let new = |number| NewClaim { agent: "scout".to_owned(), ..new_claim(authorization(number)) };
    let mut leaves = Vec::new();
    for (number, after) in [(1, 0), (2, 0), (3, 2 * DAY_MS)] {
        let id = mine(&*ledger, new(number)).await;
        bring(&*ledger, id, number, ClaimState::Broadcast).await;
        ledger.settled(id, OWNER, Settlement { at: at(after), ..settlement(number) }).await.unwrap();
        leaves.push(ledger.append(paid_record(number, id)).await.unwrap().leaf);
    }
    let end = async |number: u64, outcome| {
        let id = open_dispute(&*ledger, number, hash(1)).await;
        let signed_at = at(3 * DAY_MS);
        let ended = LedgerRecord { signed_at, ..end_record(number, id, outcome, leaves[0]) };
        ledger.append(ended).await.unwrap();
    };
    let earned = async || {
        let revenue = ledger.revenue().await.unwrap();
        let of_class = |class: &str| revenue.iter().find(|line| line.class == class).map(|line| line.income);
        let mut settled = Vec::new();
        for since in [today, today + 1, today + 3] {
            settled.push(ledger.settled_by("scout", since).await.unwrap());
        }
        let days = ledger.days(0).await.unwrap();
        let income: i64 = days.iter().filter(|line| line.class == "commit").map(|line| line.income).sum();
        assert_eq!(u64::try_from(income).ok(), of_class("commit"), "the days add up to the revenue");
        (of_class("commit"), settled)
    };
    assert_eq!(earned().await, (Some(3 * FEE), vec![3 * FEE, FEE, 0]));
    end(11, DisputeOutcome::Overturned).await;
    let less = (Some(2 * FEE), vec![2 * FEE, FEE, 0]);
    assert_eq!(earned().await, less);
    end(12, DisputeOutcome::Overturned).await;
    assert_eq!(earned().await, less, "once");
    for refund in take(&*ledger, harness.clock(), OWNER).await {
        ledger.refund_sending(refund.id, OWNER, refund_proof(1), prepared(1), None).await.unwrap();
        ledger.refund_paid(refund.id, OWNER, word(1), at(4 * DAY_MS)).await.unwrap();
    }
    assert_eq!(earned().await, less, "and not again when it is paid");
}

pub async fn a_price_is_in_force_until_the_next_one_whatever_the_clock_does<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let note = async |minute: i64, price| {
        ledger.note_prices(at(minute * 60_000), &[("commit", price), ("dispute", 9)]).await.unwrap();
    };
    let at_minute = async |minute: i64| ledger.prices_in_force("commit", at(minute * 60_000)).await.unwrap();
    assert!(at_minute(0).await.is_empty());
    note(10, 100).await;
    note(20, 100).await;
    assert_eq!(at_minute(15).await, [100]);
    note(30, 200).await;
    assert_eq!(at_minute(29).await, [200, 100], "the old one was in force then");
    assert_eq!(at_minute(31).await, [200]);
    note(40, 100).await;
    assert_eq!(at_minute(35).await, [100, 200], "each once");
    assert_eq!(at_minute(0).await, [100, 200]);
    // The clock was set back: the newest price is the newest all the same.
    note(5, 300).await;
    assert_eq!(at_minute(41).await, [300]);
    assert_eq!(at_minute(40).await, [300, 100, 200]);
    assert_eq!(ledger.prices_in_force("dispute", Timestamp::EPOCH).await.unwrap(), [9]);
    let refused = ledger.note_prices(at(0), &[("commit", 1), ("watch", u64::MAX)]).await;
    assert!(matches!(refused, Err(LedgerError::Unfit(_))));
    assert_eq!(harness.reopen(ledger).await.prices_in_force("commit", at(41 * 60_000)).await.unwrap(), [300]);
}
