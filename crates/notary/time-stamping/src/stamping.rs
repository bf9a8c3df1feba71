//! One request to the authority, and what is served of the tokens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use fetch::{Endpoint, FetchError, Limits};
use ledger::{Head, Inclusion, LedgerError, LoggedStamp, StampedCheckpoint};
use notary::Notary;
use receipt::hash::{ReceiptHash, sha256};
use receipt::time::Timestamp;
use time_stamp::{
    Authority, MAX_REPLY_BYTES, Nonce, QUERY_TYPE, REPLY_TYPE, Stamp, StampError, StampRequest,
};
use tlog::Hash;

use crate::MAX_APART_MS;

/// The limits of a request to the authority.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        total: Duration::from_secs(10),
        wire_bytes: MAX_REPLY_BYTES,
        decoded_bytes: MAX_REPLY_BYTES,
        redirects: 0,
        ..Limits::default()
    }
}

/// The time-stamping of a notary's checkpoints.
pub struct Stamping {
    pub(crate) notary: Arc<Notary>,
    endpoint: Endpoint,
    authority: Authority,
    /// The certificates of the roots, in PEM, as they are configured.
    roots_pem: String,
    newest: RwLock<Option<Arc<StampedCheckpoint>>>,
    progress: Mutex<Progress>,
}

/// The state of the loop.
#[derive(Default)]
pub(crate) struct Progress {
    /// True if this process has asked last, as far as it knows.
    pub(crate) asks: bool,
    /// The error of the last request; `None` after a token.
    pub(crate) error: Option<String>,
    /// The monotonic time of the last token that came here; `None` before the first.
    pub(crate) stamped_at: Option<Duration>,
    /// The size of the newest stamped tree whose token is logged; `None` before the first.
    pub(crate) logged: Option<u64>,
    /// The size of a stamped tree whose token is logged, with the leaf and the hash of the receipt, while that is not noted.
    pub(crate) unnoted: Option<(u64, u64, ReceiptHash)>,
    /// The error of the last attempt to log a token; `None` after a success.
    pub(crate) log_error: Option<String>,
    /// The monotonic time of the next attempt after a failure.
    pub(crate) log_again_at: Option<Duration>,
    /// Since when the log has had leaves that no token is over, by the monotonic clock.
    pub(crate) behind_since: Option<Duration>,
}

/// The state of the newest token, for `/health` and `status`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StampStanding {
    /// The address of the authority, without a path.
    pub authority: String,
    /// The size of the newest stamped tree, and the time of its token; `None` before the first.
    pub newest: Option<(u64, Timestamp)>,
    /// True if the log has had leaves without a token for longer than [`LATE_AFTER`](crate::LATE_AFTER).
    pub is_late: bool,
    /// True if this process has asked the authority last, and not another replica.
    pub asks: bool,
    /// The error of the last request, or of logging the token that it brought; `None` where there is none.
    pub error: Option<String>,
}

/// The first token over a tree that contains a leaf: the leaf was in the log by its time.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The stored checkpoint and answer.
    pub checkpoint: StampedCheckpoint,
    /// What the token says.
    pub stamp: Stamp,
    /// The proof of the leaf under the checkpoint.
    pub inclusion: Inclusion,
}

/// The last token that was logged before a tree was made: the tree was made after its time.
#[derive(Clone, Debug)]
pub struct LowerBound {
    /// The stored checkpoint and answer.
    pub checkpoint: StampedCheckpoint,
    /// What the token says.
    pub stamp: Stamp,
    /// The canonical payload of the receipt that logs the token.
    pub payload: Vec<u8>,
    /// The leaf index of that receipt, counted from 0.
    pub leaf: u64,
    /// The inclusion path of that leaf in the tree.
    pub path: Vec<Hash>,
}

/// The reason why a request has brought no token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("no answer came: {0}")]
    Fetch(#[from] FetchError),
    #[error("the authority answered with status {0}")]
    Status(u16),
    #[error("the authority answered with the type {0}, and not {REPLY_TYPE}")]
    Type(String),
    #[error(transparent)]
    Token(#[from] StampError),
    #[error("the token says {token}, and the clock here says {clock}: one of them is wrong")]
    Apart { token: Timestamp, clock: Timestamp },
    #[error("the system has no randomness")]
    Randomness,
    #[error("the token cannot be stored: {0}")]
    Ledger(#[from] LedgerError),
}

impl Stamping {
    /// Makes the time-stamping of a notary's log. `roots_pem` is the text of which `authority` was read.
    #[must_use]
    pub fn new(notary: Arc<Notary>, endpoint: Endpoint, authority: Authority, roots_pem: String) -> Self {
        let (newest, progress) = (RwLock::default(), Mutex::default());
        Self { notary, endpoint, authority, roots_pem, newest, progress }
    }

    /// The roots of the authority's certificates, in PEM.
    #[must_use]
    pub fn roots_pem(&self) -> &str {
        &self.roots_pem
    }

    /// The newest stamped checkpoint; `None` before the first.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<StampedCheckpoint>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a stored token says; `None` where it is no token of the configured authority, which may have been changed since.
    #[must_use]
    pub fn read(&self, checkpoint: &StampedCheckpoint) -> Option<Stamp> {
        let stamp = self.authority.check(&checkpoint.answer, &sha256(checkpoint.note.as_bytes()), None);
        stamp.inspect_err(|error| tracing::debug!(%error, "a stored token does not hold")).ok()
    }

    /// The stored checkpoint of a size; `None` where none of this size is stamped.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    pub async fn of_size(&self, size: u64) -> Result<Option<StampedCheckpoint>, LedgerError> {
        let Some(leaf) = size.checked_sub(1) else { return Ok(None) };
        Ok(self.notary.ledger.first_stamped_with(leaf).await?.filter(|found| found.size == size))
    }

    /// The first token over a tree that contains a leaf; the newest one where that does not hold under the configured roots.
    /// `None` while there is none.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    pub async fn first_with(&self, leaf: u64) -> Result<Option<Bound>, LedgerError> {
        let Some(first) = self.notary.ledger.first_stamped_with(leaf).await? else { return Ok(None) };
        let newest = || self.newest().filter(|newest| newest.size > leaf).map(|newest| (*newest).clone());
        let held = |checkpoint| Some((self.read(&checkpoint)?, checkpoint));
        let Some((stamp, checkpoint)) = held(first).or_else(|| held(newest()?)) else { return Ok(None) };
        // Another replica may have stored one over a head that is not known here yet.
        let path = match self.notary.ledger.inclusion_at(leaf, checkpoint.size).await {
            Err(LedgerError::NoSuchLeaf(_)) => return Ok(None),
            path => path?,
        };
        let inclusion = Inclusion { leaf, path, checkpoint: Arc::clone(&checkpoint.note) };
        Ok(Some(Bound { checkpoint, stamp, inclusion }))
    }

    /// The last token that the tree of a size holds; `None` where it holds none that is still stored and holds under the
    /// configured roots.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    pub async fn last_before(&self, size: u64) -> Result<Option<LowerBound>, LedgerError> {
        let ledger = &self.notary.ledger;
        let Some(logged) = ledger.last_logged_stamp(size).await? else { return Ok(None) };
        let LoggedStamp { leaf, receipt, checkpoint } = logged;
        let Some(stamp) = self.read(&checkpoint) else { return Ok(None) };
        let Some(stored) = ledger.receipt(&receipt).await? else { return Ok(None) };
        let path = match ledger.inclusion_at(leaf, size).await {
            Err(LedgerError::NoSuchLeaf(_)) => return Ok(None),
            path => path?,
        };
        Ok(Some(LowerBound { checkpoint, stamp, payload: stored.payload, leaf, path }))
    }

    /// The state of the newest token.
    #[must_use]
    pub fn standing(&self) -> StampStanding {
        let now = self.notary.clock.monotonic();
        let newest = self.newest().map(|newest| (newest.size, newest.at));
        let progress = self.progress();
        let is_late =
            progress.behind_since.is_some_and(|since| now.saturating_sub(since) > crate::LATE_AFTER);
        let unlogged = || Some(format!("the newest token is not logged: {}", progress.log_error.as_ref()?));
        let (asks, error) = (progress.asks, progress.error.clone().or_else(unlogged));
        StampStanding { authority: self.endpoint.origin(), newest, is_late, asks, error }
    }

    /// Asks for a token over a head, checks it and stores it.
    pub(crate) async fn stamp(&self, head: &Head) -> Result<(), Failure> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|_| Failure::Randomness)?;
        let nonce = Nonce::new(random);
        let sha256 = sha256(head.checkpoint.as_bytes());
        let request = StampRequest { sha256, nonce, policy: self.authority.policy() };
        let before = self.notary.clock.now();
        let reply = self.endpoint.post_typed(request.to_der().into(), QUERY_TYPE, REPLY_TYPE).await?;
        let after = self.notary.clock.now();
        if reply.status != 200 {
            return Err(Failure::Status(reply.status));
        }
        let media_type = reply.content_type.unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case(REPLY_TYPE) {
            return Err(Failure::Type(essence.escape_debug().take(64).collect()));
        }
        let stamp = self.authority.check(&reply.body, &sha256, Some(nonce))?;
        let is_early = stamp.latest().millis_since(before) < -MAX_APART_MS;
        if is_early || stamp.at.millis_since(after) > MAX_APART_MS {
            return Err(Failure::Apart { token: stamp.at, clock: after });
        }
        let Head { size, root, .. } = *head;
        let note = Arc::clone(&head.checkpoint);
        let checkpoint = StampedCheckpoint { size, root, note, answer: reply.body.to_vec(), at: stamp.at };
        if self.notary.ledger.record_stamped(checkpoint.clone()).await? {
            self.publish(checkpoint);
        }
        Ok(())
    }

    /// Takes over a newer token that is stored.
    pub(crate) async fn refresh(&self) -> Result<(), LedgerError> {
        let stored = self.notary.ledger.newest_stamped().await?;
        let known = self.newest();
        if let Some(stored) = stored.filter(|stored| known.as_deref() != Some(stored))
            && self.read(&stored).is_some()
        {
            self.progress().asks = false;
            self.publish(stored);
        }
        Ok(())
    }

    fn publish(&self, checkpoint: StampedCheckpoint) {
        {
            let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
            if newest.as_ref().is_some_and(|known| known.size >= checkpoint.size) {
                return;
            }
            metrics::gauge!("touchstone_stamped_leaves").set(checkpoint.size as f64);
            *newest = Some(Arc::new(checkpoint));
        }
        self.progress().behind_since = None;
    }

    pub(crate) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
