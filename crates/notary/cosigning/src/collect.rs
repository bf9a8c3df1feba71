//! The loop that submits checkpoints to the witnesses, and stores what a quorum has cosigned.
//!
//! All witnesses are asked about the same checkpoint: a round. The next round begins when this one has its quorum and the
//! log has grown, or when the witnesses have had [`ROUND_PATIENCE`]. A witness that is slow, or waits after a failure,
//! joins the round that is open when it is ready; its late answer to the round before still counts there.

mod submit;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use fetch::{Endpoint, Limits};
use ledger::{CosignedCheckpoint, Head, Inclusion, Ledger, LedgerError, Owner};
use receipt::time::Timestamp;
use tlog::policy::PolicyReport;
use tlog::{Note, NoteSignature, VerifierKey};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use verdict::Clock;
pub use witness::client::LONGEST_WAIT;
use witness::client::MAX_ANSWER_BYTES;
use witness::{ClientError, WitnessClient};

use crate::policy::LogPolicy;
use crate::round::Round;
use crate::standing::{CosignedStanding, FirstCosigned, WitnessStanding};

/// The interval at which the log is looked at for a new head.
pub const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The interval at which a process reads from the store: the newest cosigned checkpoint, and its lease.
pub const REFRESH_EVERY: Duration = Duration::from_secs(1);
/// The longest time for which one checkpoint is submitted while the log grows: as long as an answer may take.
pub const ROUND_PATIENCE: Duration = Duration::from_secs(5);
/// The time after which the service is degraded if no quorum has cosigned what is in the log.
pub const LATE_AFTER: Duration = Duration::from_secs(60);
/// The name of the lease under which one process collects.
const LEASE: &str = "witnesses";
/// Duration of the lease in milliseconds: several refreshes, and longer than a request takes.
const LEASE_MS: i64 = 10_000;
/// The limits of a request to a witness.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        total: ROUND_PATIENCE,
        wire_bytes: MAX_ANSWER_BYTES,
        decoded_bytes: MAX_ANSWER_BYTES,
        redirects: 0,
        ..Limits::default()
    }
}

/// A witness, as the service reaches it.
#[derive(Clone, Debug)]
pub struct WitnessEndpoint(pub Endpoint);

/// The cosigning of a notary's checkpoints.
pub struct Cosigning {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    policy: RwLock<Arc<LogPolicy>>,
    links: Vec<Link>,
    newest: RwLock<Option<Arc<CosignedCheckpoint>>>,
    progress: Mutex<Progress>,
}

/// The connection to one witness. Its client outlives a loop that is started again, and so does its knowledge of the
/// sizes that the witness has told.
struct Link {
    endpoint: Endpoint,
    client: Arc<tokio::sync::Mutex<WitnessClient>>,
    standing: Mutex<WitnessStanding>,
}

/// What `/health` says of the loop.
#[derive(Default)]
struct Progress {
    collects: bool,
    /// Since when the log has been larger than the newest cosigned tree, by the monotonic clock.
    behind_since: Option<Duration>,
}

/// Verified cosignatures of a witness over a checkpoint of this size.
struct Answered {
    witness: usize,
    size: u64,
    cosignatures: Vec<NoteSignature>,
}

impl Cosigning {
    /// Makes the cosigning of a log under its policy. `endpoints` are those of the policy's
    /// [witnesses](LogPolicy::witnesses), in their order.
    ///
    /// # Errors
    /// [`ClientError::Keys`]: a witness has no key that makes cosignatures, which no policy allows.
    pub fn new(
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        policy: LogPolicy,
        endpoints: Vec<WitnessEndpoint>,
    ) -> Result<Self, ClientError> {
        let link = |(witness, WitnessEndpoint(endpoint)): (&crate::PolicyWitness, WitnessEndpoint)| {
            let client = WitnessClient::new(witness.keys.clone())?;
            let standing = WitnessStanding { name: witness.name.clone(), ..WitnessStanding::default() };
            let client = Arc::new(tokio::sync::Mutex::new(client));
            Ok(Link { endpoint, client, standing: Mutex::new(standing) })
        };
        let links = policy.witnesses().iter().zip(endpoints).map(link).collect::<Result<_, ClientError>>()?;
        let policy = RwLock::new(Arc::new(policy));
        Ok(Self { ledger, clock, policy, links, newest: RwLock::default(), progress: Mutex::default() })
    }

    /// The policy of the log.
    #[must_use]
    pub fn policy(&self) -> Arc<LogPolicy> {
        Arc::clone(&self.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the keys of the log: those that sign now, and all that are known.
    pub fn set_log_keys(&self, in_use: &[VerifierKey], known: &[VerifierKey]) {
        let before = self.policy();
        let policy = before.with_log_keys(in_use, known);
        if policy != *before {
            *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
        }
    }

    /// The newest checkpoint that a quorum has cosigned; `None` before the first under this policy.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<CosignedCheckpoint>> {
        self.newest.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The proof of a leaf under the newest cosigned checkpoint; `None` while no cosigned tree contains the leaf.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    pub async fn proof(&self, leaf: u64) -> Result<Option<Inclusion>, LedgerError> {
        let Some(newest) = self.newest().filter(|newest| newest.size > leaf) else { return Ok(None) };
        let path = self.ledger.inclusion_at(leaf, newest.size).await?;
        Ok(Some(Inclusion { leaf, path, checkpoint: Arc::clone(&newest.note) }))
    }

    /// The smallest stored tree that contains a leaf, if a quorum of this policy has cosigned it; else the newest one. `None` where
    /// there is none.
    ///
    /// # Errors
    /// [`LedgerError`]: the store cannot be read.
    pub async fn first_with(&self, leaf: u64) -> Result<Option<FirstCosigned>, LedgerError> {
        let Some(first) = self.ledger.first_cosigned_with(leaf).await? else { return Ok(None) };
        let policy = self.policy();
        let met = |tree: CosignedCheckpoint| {
            let note = tree.note.parse::<Note>().ok()?;
            Some((policy.policy().evaluate(&note).ok().filter(PolicyReport::is_met)?, tree))
        };
        // The first one may be of an earlier policy.
        let newest = || self.newest().filter(|newest| newest.size > leaf).map(|newest| (*newest).clone());
        let Some((report, first)) = met(first).or_else(|| met(newest()?)) else { return Ok(None) };
        let millis = report.met_by().and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1000));
        let Some(at) = millis.and_then(|millis| Timestamp::from_millis(millis).ok()) else { return Ok(None) };
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let witnesses =
            report.cosignatures.iter().map(|cosignature| name(&cosignature.witness.name)).collect();
        // Another replica may have stored one over a head that is not known here yet.
        let path = match self.ledger.inclusion_at(leaf, first.size).await {
            Err(LedgerError::NoSuchLeaf(_)) => return Ok(None),
            path => path?,
        };
        let inclusion = Inclusion { leaf, path, checkpoint: first.note };
        Ok(Some(FirstCosigned { size: first.size, at, witnesses, inclusion }))
    }

    /// The state of the witnesses and of the newest cosigned checkpoint.
    #[must_use]
    pub fn standing(&self) -> CosignedStanding {
        let now = self.clock.monotonic();
        let Progress { collects, behind_since } = *self.progress();
        let is_late = behind_since.is_some_and(|since| now.saturating_sub(since) > LATE_AFTER);
        let newest = self.newest().map(|newest| (newest.size, newest.at));
        let witnesses = self.links.iter().map(|link| link.standing().clone()).collect();
        CosignedStanding { newest, is_late, collects, witnesses }
    }

    /// Reads the newest cosigned checkpoint from the store, before the service answers. A failure is left to the loop.
    pub async fn prepare(&self) {
        if let Err(error) = self.refresh().await {
            tracing::warn!(%error, "the newest cosigned checkpoint cannot be read");
        }
    }

    /// Collects cosignatures for as long as it is polled, while this process has the lease; else follows the process that
    /// has it.
    pub async fn keep(self: Arc<Self>, owner: Owner) {
        loop {
            match self.refresh().await {
                Ok(()) if self.has_lease(owner).await => self.collect(owner).await,
                Ok(()) => {}
                Err(error) => tracing::debug!(%error, "the newest cosigned checkpoint cannot be read"),
            }
            self.progress().collects = false;
            sleep(REFRESH_EVERY).await;
        }
    }

    /// Takes the lease, or extends it.
    async fn has_lease(&self, owner: Owner) -> bool {
        let now = self.clock.now();
        let until = now.saturating_add_millis(LEASE_MS);
        !self.ledger.is_away() && self.ledger.lease(LEASE, owner, now, until).await.unwrap_or(false)
    }

    /// Takes over a newer cosigned checkpoint that another process has stored. One that does not meet the policy, which may
    /// have been changed since, is left out.
    async fn refresh(&self) -> Result<(), LedgerError> {
        let stored = self.ledger.newest_cosigned().await?;
        let known = self.newest();
        if let Some(stored) = stored.filter(|stored| known.as_deref() != Some(stored)) {
            let report = stored.note.parse::<Note>().map_err(tlog::CheckpointError::from);
            let report = report.and_then(|note| Ok(self.policy().policy().evaluate(&note)?.is_met()));
            match report {
                Ok(true) => self.publish(stored),
                Ok(false) => {}
                Err(error) => tracing::debug!(%error, "the stored checkpoint is of another policy"),
            }
        }
        self.look_behind();
        Ok(())
    }

    /// Serves a cosigned checkpoint, which is stored, from now on.
    fn publish(&self, checkpoint: CosignedCheckpoint) {
        let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
        if newest.as_ref().is_none_or(|known| known.size <= checkpoint.size) {
            metrics::gauge!("touchstone_cosigned_leaves").set(checkpoint.size as f64);
            if newest.as_ref().is_none_or(|known| known.size < checkpoint.size) {
                self.progress().behind_since = None;
            }
            *newest = Some(Arc::new(checkpoint));
        }
    }

    /// Notes since when the log has been larger than the newest cosigned tree.
    fn look_behind(&self) {
        let is_behind = self.newest().map_or(0, |newest| newest.size) < self.ledger.head().size;
        let mut progress = self.progress();
        if !is_behind {
            progress.behind_since = None;
        } else if progress.behind_since.is_none() {
            progress.behind_since = Some(self.clock.monotonic());
        }
    }

    /// Collects for as long as this process keeps the lease.
    async fn collect(self: &Arc<Self>, owner: Owner) {
        self.progress().collects = true;
        let (target, targets) = watch::channel::<Option<Arc<Head>>>(None);
        let (answers, mut answered) = mpsc::channel(self.links.len().max(1));
        // Dropped with this future, and all of its tasks with it.
        let mut workers = JoinSet::new();
        for witness in 0..self.links.len() {
            workers.spawn(Arc::clone(self).ask(witness, targets.clone(), answers.clone()));
        }
        let mut rounds = Rounds { of: self, current: None, before: None, began: Instant::now() };
        let mut refresh_at = Instant::now() + REFRESH_EVERY;
        loop {
            if let Some(head) = rounds.next() {
                target.send_replace(Some(head));
            }
            if let Ok(Some(answer)) = timeout(LOOK_EVERY, answered.recv()).await {
                rounds.add(answer).await;
            }
            if Instant::now() >= refresh_at {
                refresh_at = Instant::now() + REFRESH_EVERY;
                if !self.has_lease(owner).await {
                    return;
                }
                self.see_other_heads().await;
                self.look_behind();
            }
        }
    }

    /// Reads the head that other processes have made, where there may be others: the one in memory may be older.
    async fn see_other_heads(&self) {
        if self.ledger.is_shared() {
            drop(self.ledger.root_at(0).await.inspect_err(|error| tracing::debug!(%error, "no newer head")));
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Link {
    fn standing(&self) -> MutexGuard<'_, WitnessStanding> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The open round, and the one before it, whose late answers still count.
struct Rounds<'c> {
    of: &'c Cosigning,
    current: Option<Round>,
    before: Option<Round>,
    began: Instant,
}

impl Rounds<'_> {
    /// Begins the next round, where it is time for one, and gives its head.
    fn next(&mut self) -> Option<Arc<Head>> {
        let head = self.of.ledger.head();
        if let Some(current) = &self.current {
            let is_met = self.of.newest().is_some_and(|newest| newest.size >= current.head().size);
            let has_grown = head.size > current.head().size;
            let may_end = is_met || self.began.elapsed() >= ROUND_PATIENCE;
            if !(has_grown && may_end) {
                return None;
            }
        }
        let round = Round::new(Arc::clone(&head), self.of.links.len());
        let round = round.inspect_err(|error| tracing::error!(%error, "the checkpoint is no note")).ok()?;
        self.before = self.current.replace(round);
        self.began = Instant::now();
        Some(head)
    }

    /// Takes an answer, and stores the checkpoint once a quorum has cosigned it.
    async fn add(&mut self, answer: Answered) {
        let Self { of, current, before, .. } = self;
        let mut rounds = current.iter_mut().chain(before.iter_mut());
        let Some(round) = rounds.find(|round| round.head().size == answer.size) else { return };
        round.add(answer.witness, answer.cosignatures);
        let note = match round.cosigned(of.policy().policy()) {
            Ok(Some(note)) => note,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "cosignatures that were verified do not meet the policy's keys");
                return;
            }
        };
        let Head { size, root, .. } = **round.head();
        let checkpoint = CosignedCheckpoint { size, root, note: note.to_string().into(), at: of.clock.now() };
        match of.ledger.record_cosigned(checkpoint.clone()).await {
            Ok(true) => of.publish(checkpoint),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, size, "a cosigned checkpoint cannot be stored"),
        }
    }
}
