//! The payment gate: takes the money for a call, once, and for exactly that call.
//!
//! ```text
//! claimed -> judged -> broadcast -> settled -> delivered
//!    |          |          |
//!    +--freed---+          +-> failed
//! ```
//!
//! Of a bond the order is another: claimed with its request -> broadcast -> settled -> judged -> delivered. Its money is
//! a stake, which is there before anybody works for it, and holds the receipt's one open dispute from then on.
//!
//! A claim binds a proof to one request before anybody judges; the finding is stored before any money moves; the
//! transaction is stored before it is broadcast; the receipt is signed after it has settled. Each arrow is a
//! transaction of the ledger, so whatever process finds a claim knows how to go on (`finish`): past the broadcast
//! without the caller, and without judging anew.
//!
//! | module | what it does |
//! |---|---|
//! | `paying` | reads the proof that a request brings |
//! | `known` | answers a proof that has come before |
//! | `paid_call` | a new proof: claims it, has the question judged, keeps the finding |
//! | `failure` | why a proof bought nothing |
//! | `finish` | from the stored finding to the delivered receipt |
//! | `recovery` | the same for claims that somebody left behind |
//! | `answer` | what a paid call is answered |
//! | `priced` | what a quote is made from |
//! | `stored_ruling` | a finding and its effect, as a claim keeps them |
//! | `quoted` | which requests were told a price lately |
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

use std::sync::Arc;
use std::time::Duration;

use ledger::{Ledger, Owner};
use payment::{GasToday, LocalSettler, Network, RequestIdentity, Settler, Terms, local_payee};
use receipt::time::Timestamp;
use tokio::sync::Semaphore;
use verdict::Usd;

use crate::refusal::Refusal;

pub use book::{LocalMoney, open_faucet};
pub use recovery::recover;

pub(crate) use failure::PaymentFailure;
pub(crate) use paid_call::{PaidCall, handle};
pub(crate) use paying::{Paying, has_proof, identity, read_proof, wants_v1};
pub(crate) use priced::{Priced, offer};

use quoted::Quoted;

/// How long a price is good for after it was changed, in milliseconds.
pub(crate) const PRICE_HOLDS_MS: i64 = 300_000;
/// How long a claim is its owner's alone without being renewed, in milliseconds.
pub(crate) const LEASE_MS: i64 = 60_000;
/// How long a caller waits for a settlement, and for another call with the same proof.
pub(crate) const SETTLE_WAIT: Duration = Duration::from_secs(10);
/// For how long after the first answer the identical request is answered again to whoever brings its authorization, in
/// milliseconds.
pub(crate) const ANSWERED_AGAIN_MS: i64 = 600_000;
/// Payments that one payer may have under way: who pays late, or never, takes no more of the places and of the gas.
pub(crate) const MAX_UNFINISHED_PER_PAYER: u32 = 24;
/// The least and the most between two tries to judge what a bond was paid for, in milliseconds.
pub(crate) const HEARING_PAUSE_MS: (i64, i64) = (5_000, 60_000);
/// Settlements at once.
pub(crate) const MAX_SETTLING: usize = 256;
/// How old a transaction may be that is brought as a proof of settlement for the first time, in seconds.
pub(crate) const OLDEST_TRANSACTION_SECONDS: u64 = 3600;

/// Who takes payments, where to, and by which back end.
pub struct PaymentGate {
    /// The network and the payee.
    pub terms: Terms,
    settler: Arc<dyn Settler>,
    owner: Owner,
    quoted: Quoted,
    settling: Semaphore,
}

impl PaymentGate {
    /// A gate that settles by this back end. `owner` is this process, by random bits.
    #[must_use]
    pub fn new(terms: Terms, settler: Arc<dyn Settler>, owner: Owner) -> Self {
        Self { terms, settler, owner, quoted: Quoted::new(), settling: Semaphore::new(MAX_SETTLING) }
    }

    /// The development profile's gate, whose money lies in the ledger itself.
    #[must_use]
    pub fn local(ledger: Arc<dyn Ledger>, owner: Owner) -> Self {
        let network = Network::local();
        let terms = Terms::new(network.clone(), local_payee());
        Self::new(terms, Arc::new(LocalSettler::new(network, LocalMoney::new(ledger))), owner)
    }

    /// What gas has cost today, where it has a bound.
    pub(crate) fn gas_today(&self) -> Option<GasToday> {
        self.settler.gas_today()
    }

    fn is_local(&self) -> bool {
        self.settler.kind() == payment::SettlementKind::Local
    }

    /// Remembers that a request was answered 402.
    pub(crate) fn remember(&self, request: &RequestIdentity<'_>, now: Duration) {
        self.quoted.remember(request.fingerprint().0, now);
    }

    /// Whether a request is the paid retry of one that was answered 402.
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

/// A settlement back end that cannot be reached: the log says why, the caller is told when to come again.
fn unavailable(why: &str) -> Refusal {
    tracing::error!(why, "the settlement back end failed");
    Refusal::unavailable("payment", 10, "the settlement back end cannot be reached at the moment")
}
