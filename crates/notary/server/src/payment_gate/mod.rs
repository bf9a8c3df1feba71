//! The payment gate: takes the money for a call, once, and for exactly that call.
//!
//! ```text
//! claimed -> judged -> broadcast -> settled -> delivered
//!    |          |          |
//!    +--freed---+          +-> failed
//! ```
//!
//! A bond has another order: claimed with its request -> broadcast -> settled -> judged -> delivered. Its money is a
//! stake, which must be settled before the judging, and holds the receipt's one open dispute from then on.
//!
//! A claim binds a proof to one request before anybody judges; the finding is stored before any money moves; the
//! transaction is stored before it is broadcast; the receipt is signed after it has settled. Each arrow is a
//! transaction of the ledger, so whatever process finds a claim knows how to go on (`finish`): past the broadcast
//! without the caller, and without judging anew.
//!
//! | module | contents |
//! |---|---|
//! | `paying` | reads the proof that a request brings |
//! | `known` | answers a proof that was used before |
//! | `paid_call` | handles a new proof: claims it, has the question judged, stores the finding |
//! | `failure` | the reasons why a proof bought nothing |
//! | `finish` | from the stored finding to the delivered receipt |
//! | `recovery` | the same for claims that another process or task left behind |
//! | `answer` | the answer to a paid call |
//! | `priced` | the data of a quote |
//! | `stored_ruling` | a finding and its effect, as a claim keeps them |
//! | `quoted` | the requests that were answered 402 lately |
//! | `book` | the development profile's money |

mod answer;
mod book;
mod failure;
mod finish;
mod known;
mod paid_call;
mod paying;
mod priced;
mod quoted;
mod recovery;
mod stored_ruling;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use std::time::Duration;

use ledger::{Ledger, Owner};
use notary::Notary;
use payment::mpp::Challenger;
use payment::{GasToday, LocalSettler, Network, RequestIdentity, Settler, Terms, local_payee};
use receipt::time::Timestamp;
use tokio::sync::Semaphore;
use verdict::{Clock as _, Repeats, SystemClock, Usd};

use crate::refusal::Refusal;

pub use book::{LocalMoney, open_faucet};
pub use recovery::recover;

pub(crate) use failure::PaymentFailure;
pub(crate) use paid_call::{PaidCall, handle};
pub(crate) use paying::{PaymentAttempt, check_proof, has_proof, identity, wants_v1};
pub(crate) use priced::{Priced, offer};

use quoted::Quoted;

/// The time for which an old price is accepted after a change, in milliseconds.
pub(crate) const PRICE_HOLDS_MS: i64 = 300_000;
/// The lease of a claim, in milliseconds.
pub(crate) const LEASE_MS: i64 = 30_000;
/// The longest time that a caller waits for a settlement, and for another call with the same proof.
pub(crate) const SETTLE_WAIT: Duration = Duration::from_secs(10);
/// The time after the first answer for which the identical request is answered again to any sender of its
/// authorization, in milliseconds.
pub(crate) const ANSWERED_AGAIN_MS: i64 = 600_000;
/// The most unfinished payments of one payer: a payer who pays late, or never, uses no more of the capacity and of the
/// gas.
pub(crate) const MAX_UNFINISHED_PER_PAYER: u32 = 24;
/// The shortest and the longest pause between two tries to judge a bond's question, in milliseconds.
pub(crate) const HEARING_PAUSE_MS: (i64, i64) = (5_000, 60_000);
/// The most settlements at once.
pub(crate) const MAX_SETTLING: usize = 256;
/// The greatest age of a transaction that is sent as a proof of settlement for the first time, in seconds.
pub(crate) const OLDEST_TRANSACTION_SECONDS: u64 = 3600;

/// The payment gate: the terms of payment and the settlement back end.
pub struct PaymentGate {
    /// The network and the payee.
    pub terms: Terms,
    settler: Arc<dyn Settler>,
    owner: Owner,
    quoted: Quoted,
    settling: Semaphore,
    challenger: RwLock<Option<Arc<Challenger>>>,
}

impl PaymentGate {
    /// Makes a gate that settles by this back end. `owner` identifies this process by random bits.
    #[must_use]
    pub fn new(terms: Terms, settler: Arc<dyn Settler>, owner: Owner) -> Self {
        Self {
            terms,
            settler,
            owner,
            quoted: Quoted::new(),
            settling: Semaphore::new(MAX_SETTLING),
            challenger: RwLock::default(),
        }
    }

    /// Makes the development profile's gate, whose money is in the ledger itself.
    #[must_use]
    pub fn local(ledger: Arc<dyn Ledger>, owner: Owner) -> Self {
        let network = Network::local();
        let terms = Terms::new(network.clone(), local_payee());
        Self::new(terms, Arc::new(LocalSettler::new(network, LocalMoney::new(ledger))), owner)
    }

    /// The cost of gas today; `None` where it has no bound.
    pub(crate) fn gas_today(&self) -> Option<GasToday> {
        self.settler.gas_today()
    }

    /// The challenges of the scheme `Payment`, for a notary whose receipt key may be about to change.
    pub(crate) fn challenger(&self, notary: &Notary) -> Arc<Challenger> {
        let (signer, next) = (notary.keys.signer(), notary.keys.next());
        let next = next.as_ref().map(|next| &*next.signer);
        let known = self.challenger.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.is_of(&signer, next)) {
            return known;
        }
        let mut known = self.challenger.write().unwrap_or_else(PoisonError::into_inner);
        let host = notary.iss.split_once("://").map_or(&*notary.iss, |(_, host)| host);
        let before = known.as_deref().cloned().unwrap_or_else(|| Challenger::new(notary.keys.first(), host));
        Arc::clone(known.insert(Arc::new(before.followed_by(&signer, next))))
    }

    fn is_local(&self) -> bool {
        self.settler.kind() == payment::SettlementKind::Local
    }

    /// Remembers that a request was answered 402.
    pub(crate) fn remember(&self, request: &RequestIdentity<'_>, now: Duration) {
        self.quoted.remember(request.fingerprint().0, now);
    }

    /// Returns true if a request is the paid retry of one that was answered 402.
    pub(crate) fn was_quoted(&self, request: &RequestIdentity<'_>, now: Duration) -> bool {
        self.quoted.take(&request.fingerprint().0, now)
    }
}

/// All prices that a call of a class may be paid with at a time.
async fn good_prices(
    ledger: &dyn Ledger,
    class: &str,
    price: Usd,
    at: Timestamp,
) -> Result<Vec<Usd>, ledger::LedgerError> {
    let since = at.saturating_add_millis(-PRICE_HOLDS_MS);
    let mut good = vec![price];
    good.extend(ledger.prices_in_force(class, since).await?.into_iter().map(Usd::from_atomic));
    Ok(good)
}

/// The refusal for a payment that cannot go on. The log states the cause, and the caller is told when to try again.
fn unavailable(why: &str) -> Refusal {
    tracing::error!(why, "a payment cannot go on");
    unreachable()
}

/// The refusal for a settlement back end that has failed. It is counted, and logged with the id of its request.
fn back_end_failed(why: &str) -> Refusal {
    count_failure();
    tracing::error!(why, "the settlement back end failed");
    unreachable()
}

/// Counts a failure of the settlement back end.
fn count_failure() {
    metrics::counter!("touchstone_settlement_failures_total").increment(1);
}

/// Returns the number of times that a failure was left out of the log, if a line about it is due. It is for what tries
/// again by itself: a request's own failure is always logged, since its caller has the id of that line.
fn untold(failure: &str) -> Option<u64> {
    /// One for the process: a failure of the back end concerns all claims.
    static REPEATS: LazyLock<(Repeats, SystemClock)> =
        LazyLock::new(|| (Repeats::default(), SystemClock::start()));
    let (repeats, clock) = &*REPEATS;
    repeats.due(failure, clock.monotonic())
}

fn unreachable() -> Refusal {
    Refusal::unavailable("payment", 10, "the settlement back end cannot be reached at the moment")
}
