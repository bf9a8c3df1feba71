//! The transactions of the admission sequencer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use ledger::back_end::QuotaId;
use ledger::rules::limits::admit;
use ledger::{Admission, LedgerError, QuotaKey, QuotaRequest, RateLimitHit};

use super::epoch::{self, OwnEpoch};
use super::hits::{BatchHits, HITS, KeyCounts};
use super::job::AdmissionJob;
use super::taken::{self, TAKEN, Taken};
use super::unreleased::Unreleased;
use crate::connection::{Connection, Result};
use crate::log::quota_rows::{Epoch, PartKey, give_back};
use crate::replica_rows::OwnRow;
use crate::sequencer::{Outcome, Sequence, Written};
use crate::together::together;

/// The time between two removals of what is over.
const SWEEP: Duration = Duration::from_secs(2);
/// The time after which the row of a writer that has not written is removed, in milliseconds.
const FORGOTTEN_MS: i64 = 30 * 86_400_000;

const LOCK: &str = "SELECT name FROM locks WHERE name = 'admission' FOR UPDATE";
/// Rows that were not written for so long are of connections and processes that have ended. The row of a commit in doubt is
/// younger by far, or it has not landed.
const FORGET_WRITERS: &str =
    "DELETE FROM writers WHERE at < (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1";

/// The decision about one job, before its transaction is committed.
enum Decision {
    Admission(Admission),
    Reservation(std::result::Result<Epoch, usize>),
    GivenBack,
}

/// The admission sequencer.
pub(crate) struct AdmissionWriter {
    /// The row in which this process describes itself.
    own_row: OwnRow,
    epoch: OwnEpoch,
    swept_at: Option<Instant>,
    key_counts: KeyCounts,
    decisions: Vec<Decision>,
    unreleased: Unreleased,
    /// The amounts that the present transaction gives back.
    released: BTreeMap<PartKey, u64>,
}

impl AdmissionWriter {
    pub(crate) fn new(unreleased: Unreleased, own_row: OwnRow) -> Self {
        Self {
            own_row,
            epoch: OwnEpoch::default(),
            swept_at: None,
            key_counts: KeyCounts::default(),
            decisions: Vec::new(),
            unreleased,
            released: BTreeMap::new(),
        }
    }

    /// Removes epochs, reservations and hits that are over, every few seconds. Returns the epochs that have ended.
    async fn sweep(&mut self, connection: Connection<'_>, now: i64) -> Result<Vec<Epoch>> {
        if self.swept_at.is_some_and(|at| at.elapsed() < SWEEP) {
            return Ok(Vec::new());
        }
        let ended = epoch::sweep(connection).await?;
        connection.run(FORGET_WRITERS, &[&FORGOTTEN_MS]).await?;
        self.key_counts.sweep(connection, now).await?;
        self.swept_at = Some(Instant::now());
        Ok(ended)
    }

    async fn decide(&mut self, connection: Connection<'_>, now: i64, jobs: &[AdmissionJob]) -> Result<()> {
        self.decisions.clear();
        let mut epoch = self.epoch.renew(connection).await?;
        if self.sweep(connection, now).await?.contains(&epoch) {
            epoch = self.epoch.renew_ended(connection).await?;
        }
        self.own_row.renew(connection).await?;
        // Before the amounts are read: the rows say how much of it the store still holds.
        self.released = self.unreleased.all();
        give_back(connection, &self.released).await?;
        let requested = jobs.iter().filter_map(|job| match job {
            AdmissionJob::Reserve { requests, .. } => Some(requests.iter().map(|request| &request.of)),
            AdmissionJob::Admit { .. } | AdmissionJob::GiveBack { .. } => None,
        });
        let keys: Vec<&QuotaKey> = requested.flatten().collect();
        let (mut hits, mut taken) =
            together!(BatchHits::read(connection, now, jobs), Taken::read(connection, &keys))?;
        let mut reserved: BTreeMap<(i64, QuotaId), u64> = BTreeMap::new();
        for job in jobs {
            let decision = match job {
                AdmissionJob::Admit { hits: wanted, .. } => {
                    Decision::Admission(self.admit(connection, now, wanted, &mut hits).await?)
                }
                AdmissionJob::Reserve { requests, .. } => {
                    let decided = taken.reserve(requests).map(|()| epoch);
                    for QuotaRequest { of, units, .. } in requests.iter().filter(|_| decided.is_ok()) {
                        *reserved.entry((i64::from(of.period().1), of.id())).or_insert(0) += units;
                    }
                    Decision::Reservation(decided)
                }
                AdmissionJob::GiveBack { .. } => Decision::GivenBack,
            };
            self.decisions.push(decision);
        }
        hits.write(connection).await?;
        taken::reserve(connection, &epoch, &reserved).await
    }

    /// Counts the hits of a job.
    async fn admit(
        &mut self,
        connection: Connection<'_>,
        now: i64,
        wanted: &[RateLimitHit],
        hits: &mut BatchHits,
    ) -> Result<Admission> {
        let mut is_full = false;
        for hit in wanted {
            is_full |= self.key_counts.is_full_for(connection, hit, hits).await?;
        }
        Ok(if is_full { Admission::Full } else { admit(wanted, now, hits) })
    }
}

impl Sequence for AdmissionWriter {
    type Job = AdmissionJob;

    fn name(&self) -> &'static str {
        "admission"
    }

    fn begin(&self) -> &'static str {
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off"
    }

    fn idle(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }

    fn prepare<'a>(&'a self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            for statement in [LOCK, HITS, TAKEN] {
                connection.prepare(statement).await?;
            }
            Ok(())
        })
    }

    fn lock<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move { connection.one(LOCK, &[]).await.map(drop) })
    }

    fn write<'a>(
        &'a mut self,
        connection: Connection<'a>,
        now: i64,
        jobs: &'a mut Vec<Self::Job>,
    ) -> BoxFuture<'a, Result<Written>> {
        Box::pin(async move {
            self.decide(connection, now, jobs).await?;
            Ok(Written::Something)
        })
    }

    fn answer(&mut self, jobs: Vec<Self::Job>, outcome: Outcome) {
        let is_durable = matches!(outcome, Outcome::Durable);
        let released = std::mem::take(&mut self.released);
        if !matches!(outcome, Outcome::RolledBack) {
            self.unreleased.remove(&released);
        }
        self.epoch.end_transaction(outcome);
        let mut decisions = std::mem::take(&mut self.decisions).into_iter();
        for job in jobs {
            let decision = if is_durable { decisions.next() } else { None };
            match (job, decision) {
                (AdmissionJob::Admit { reply: Some(reply), .. }, Some(Decision::Admission(admission))) => {
                    drop(reply.send(Ok(admission)));
                }
                (AdmissionJob::Admit { reply, .. }, _) => {
                    drop(reply.map(|reply| reply.send(Err(LedgerError::Busy))));
                }
                (AdmissionJob::Reserve { requests, reply }, Some(Decision::Reservation(decided))) => {
                    let held = decided.map(|epoch| self.unreleased.reservation(requests, epoch));
                    drop(reply.send(Ok(held)));
                }
                (AdmissionJob::Reserve { reply, .. }, _) => drop(reply.send(Err(LedgerError::Busy))),
                (AdmissionJob::GiveBack { reply }, Some(Decision::GivenBack)) => drop(reply.send(Ok(()))),
                (AdmissionJob::GiveBack { reply }, _) => drop(reply.send(Err(LedgerError::Busy))),
            }
        }
    }

    fn close<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.own_row.remove(connection).await?;
            self.epoch.end(connection).await
        })
    }
}
