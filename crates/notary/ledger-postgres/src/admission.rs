//! The admission sequencer: rate limits and reservations of quotas, for all requests in flight in one transaction.
//!
//! Its transactions are committed without waiting for the disk or a standby: they hold leases, and no promises. After a
//! failure of the server the newest of them may be lost. A rate limit then admits some hits again, and a receipt whose
//! reservation was lost is refused.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use ledger::back_end::QuotaId;
use ledger::rules::limits::{HitLog, HitTimes, WINDOW_MS, admit};
use ledger::{
    Admission, LedgerError, QuotaKey, QuotaRequest, QuotaReservation, RateLimitHit, RateLimitTable,
};

use tokio_postgres::Row;

use crate::columns::Columns;
use crate::connection::{Connection, Result};
use crate::log::head::number;
use crate::log::quota_rows::{Epoch, PartKey, give_back, parts_of};
use crate::replica_rows::OwnRow;
use crate::sequencer::{Outcome, Sequence, Weight, Written};
use crate::step::Reply;
use crate::together::together;

/// The time for which an epoch lives after it was renewed, in milliseconds.
const EPOCH_MS: i64 = 10_000;
/// The time after which an epoch is renewed.
const RENEWAL: Duration = Duration::from_secs(2);
/// The time between two removals of what is over.
const SWEEP: Duration = Duration::from_secs(2);
/// The time after which the row of a writer that has not written is removed, in milliseconds.
const FORGOTTEN_MS: i64 = 30 * 86_400_000;

/// A job of the admission sequencer.
pub(crate) enum AdmissionJob {
    /// Counts hits against their limits.
    Admit { hits: Vec<RateLimitHit>, reply: Option<Reply<Admission>> },
    /// Reserves a part of each quota. A caller that goes away at any moment, even after the answer was sent, gives all
    /// parts back, since the answer is the reservation itself.
    Reserve { requests: Vec<QuotaRequest>, reply: Reply<std::result::Result<QuotaReservation, usize>> },
}

/// The amounts that are to be given back with the next transaction.
#[derive(Clone, Default)]
pub(crate) struct Unreleased(Arc<Mutex<BTreeMap<PartKey, u64>>>);

impl Unreleased {
    pub(crate) fn add(&self, parts: &BTreeMap<PartKey, u64>) {
        let mut unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.iter().for_each(|(key, amount)| *unreleased.entry(*key).or_insert(0) += amount);
    }

    fn all(&self) -> BTreeMap<PartKey, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remove(&self, released: &BTreeMap<PartKey, u64>) {
        let mut unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, amount) in released {
            if let Some(left) = unreleased.get_mut(key) {
                *left = left.saturating_sub(*amount);
            }
        }
        unreleased.retain(|_, amount| *amount > 0);
    }

    /// The amounts of these quotas that are about to be given back.
    pub(crate) fn of(&self, keys: &[QuotaKey]) -> Vec<u64> {
        let unreleased = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_key = |key: &QuotaKey| {
            let quota = (key.period().1, key.id());
            let parts = unreleased.iter().filter(|((start, id, _), _)| (*start, *id) == quota);
            parts.map(|(_, amount)| *amount).sum()
        };
        keys.iter().map(of_key).collect()
    }
}

impl Weight for AdmissionJob {
    fn bytes(&self) -> usize {
        match self {
            Self::Admit { hits, .. } => hits.len() * 64,
            Self::Reserve { requests, .. } => requests.len() * 256,
        }
    }
}

/// The decision about one job, before its transaction is committed.
enum Decision {
    Admission(Admission),
    Reservation(std::result::Result<Epoch, usize>),
}

/// The admission sequencer.
pub(crate) struct AdmissionWriter {
    /// The row in which this process describes itself.
    own_row: OwnRow,
    epoch: Option<Epoch>,
    renewed_at: Option<Instant>,
    /// The epoch that the present transaction has begun or renewed, and when. It counts once that is committed: nobody
    /// could use up what is held under an epoch that is not in the store.
    drafted: Option<(Epoch, Instant)>,
    swept_at: Option<Instant>,
    /// The number of keys in each table of hits, as last counted.
    keys: [u64; 2],
    decisions: Vec<Decision>,
    unreleased: Unreleased,
    /// The amounts that the present transaction gives back.
    released: BTreeMap<PartKey, u64>,
}

const LOCK: &str = "SELECT name FROM locks WHERE name = 'admission' FOR UPDATE";
const HITS: &str = "SELECT key, times FROM hits WHERE key = ANY($1::BYTEA[])";
/// Used and reserved amounts, in one statement and so of one moment: an amount moves from one to the other. Subqueries, so
/// that each key is looked up in the indexes, whatever the planner knows of the tables.
const TAKEN: &str = "SELECT asked.start, asked.id,
        coalesce((SELECT sum(amount) FROM reserved WHERE start = asked.start AND id = asked.id), 0)::BIGINT
        + coalesce((SELECT amount FROM uses WHERE day = asked.start AND id = asked.id), 0)
    FROM unnest($1::BIGINT[], $2::BYTEA[]) AS asked (start, id)";
const TAKEN_OF_GRANTS: &str = "SELECT asked.start, asked.id,
        coalesce((SELECT sum(amount) FROM reserved WHERE start = asked.start AND id = asked.id), 0)::BIGINT
        + coalesce((SELECT calls FROM grant_uses WHERE start = asked.start AND grant_id = asked.grant_id), 0)
    FROM unnest($1::BIGINT[], $2::BYTEA[], $3::BIGINT[]) AS asked (start, id, grant_id)";
const RENEW: &str =
    "UPDATE epochs SET alive_until = (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT + $2
    WHERE epoch = $1";
const BEGIN_EPOCH: &str = "INSERT INTO epochs (epoch, alive_until)
    VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT + $2)";
const END_EPOCHS: &str =
    "DELETE FROM epochs WHERE alive_until < (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT
    RETURNING epoch";
/// Reservations that are given back or used up, and those without an epoch: it has ended, or a failover has lost it.
const END_RESERVATIONS: &str = "DELETE FROM reserved
    WHERE amount <= 0 OR NOT EXISTS (SELECT 1 FROM epochs WHERE epochs.epoch = reserved.epoch)";
/// Rows that were not written for so long are of connections and processes that have ended. The row of a commit in doubt is
/// younger by far, or it has not landed.
const FORGET_WRITERS: &str =
    "DELETE FROM writers WHERE at < (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT - $1";
const RESERVE: &str = "INSERT INTO reserved (start, id, epoch, amount)
    SELECT start, id, $3, amount FROM unnest($1::BIGINT[], $2::BYTEA[], $4::BIGINT[]) AS new (start, id, amount)
    ON CONFLICT (start, id, epoch) DO UPDATE SET amount = reserved.amount + excluded.amount";
const COUNT: &str = "INSERT INTO hits (key, kind, grp, newest, times)
    SELECT * FROM unnest($1::BYTEA[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BYTEA[])
    ON CONFLICT (key) DO UPDATE SET newest = excluded.newest, times = excluded.times";

/// The amounts of quotas that are used up or reserved.
#[derive(Default)]
pub(crate) struct Taken(HashMap<(u32, QuotaId), u64>);

impl Taken {
    /// Reads the amounts of these quotas, in one statement for each kind.
    pub(crate) async fn read(connection: Connection<'_>, keys: &[&QuotaKey]) -> Result<Self> {
        let (mut days, mut granted) = (BTreeSet::new(), BTreeSet::new());
        for key in keys {
            let start = i64::from(key.period().1);
            match key {
                QuotaKey::Granted { grant, .. } => granted.insert((start, key.id(), number(grant.0)?)),
                _ => days.insert((start, key.id(), 0)),
            };
        }
        let mut taken = Self::default();
        if !days.is_empty() {
            let starts: Vec<i64> = days.iter().map(|key| key.0).collect();
            let ids: Vec<&[u8]> = days.iter().map(|key| key.1.as_slice()).collect();
            taken.add(&connection.rows(TAKEN, &[&starts, &ids]).await?)?;
        }
        if !granted.is_empty() {
            let starts: Vec<i64> = granted.iter().map(|key| key.0).collect();
            let ids: Vec<&[u8]> = granted.iter().map(|key| key.1.as_slice()).collect();
            let grants: Vec<i64> = granted.iter().map(|key| key.2).collect();
            taken.add(&connection.rows(TAKEN_OF_GRANTS, &[&starts, &ids, &grants]).await?)?;
        }
        Ok(taken)
    }

    fn add(&mut self, rows: &[Row]) -> Result<()> {
        for row in rows {
            let amount: i64 = row.try_get(2)?;
            self.0.insert((row.small(0)?, row.bytes(1)?), u64::try_from(amount).unwrap_or(0));
        }
        Ok(())
    }

    /// The amount of a quota.
    pub(crate) fn of(&self, key: &QuotaKey) -> u64 {
        self.0.get(&(key.period().1, key.id())).copied().unwrap_or(0)
    }

    /// Reserves all requested parts, or none if one would exceed its allowance: then the index of the first such.
    fn reserve(&mut self, requests: &[QuotaRequest]) -> std::result::Result<(), usize> {
        for (at, QuotaRequest { of, units, allowance }) in requests.iter().enumerate() {
            if self.of(of).checked_add(*units).is_none_or(|sum| sum > *allowance) {
                return Err(at);
            }
        }
        for QuotaRequest { of, units, .. } in requests {
            *self.0.entry((of.period().1, of.id())).or_default() += units;
        }
        Ok(())
    }

    fn release(&mut self, parts: &BTreeMap<PartKey, u64>) {
        for ((start, id, _), amount) in parts {
            if let Some(sum) = self.0.get_mut(&(*start, *id)) {
                *sum = sum.saturating_sub(*amount);
            }
        }
    }
}

/// The hits of the keys of a batch.
#[derive(Default)]
struct BatchHits {
    keys: HashMap<[u8; 16], HitTimes>,
    changed: HashMap<[u8; 16], RateLimitHit>,
}

impl HitLog for BatchHits {
    fn times(&self, hit: &RateLimitHit) -> Option<&HitTimes> {
        self.keys.get(&hit.key)
    }

    fn times_mut(&mut self, hit: &RateLimitHit) -> &mut HitTimes {
        self.changed.insert(hit.key, *hit);
        self.keys.entry(hit.key).or_default()
    }
}

fn kind(table: RateLimitTable) -> usize {
    match table {
        RateLimitTable::Agents => 0,
        RateLimitTable::Addresses => 1,
    }
}

impl BatchHits {
    /// Reads the hits of all keys. One that is later than `now`, since the store's clock was set back, counts as now.
    async fn read(connection: Connection<'_>, now: i64, jobs: &[AdmissionJob]) -> Result<Self> {
        let mut wanted: HashMap<[u8; 16], RateLimitHit> = HashMap::new();
        for job in jobs {
            if let AdmissionJob::Admit { hits, .. } = job {
                wanted.extend(hits.iter().map(|hit| (hit.key, *hit)));
            }
        }
        let mut read = Self::default();
        if wanted.is_empty() {
            return Ok(read);
        }
        let keys: Vec<&[u8]> = wanted.keys().map(<[u8; 16]>::as_slice).collect();
        for row in connection.rows(HITS, &[&keys]).await? {
            let times = HitTimes::from_bytes(row.try_get(1)?);
            let mut times =
                times.ok_or_else(|| LedgerError::Corrupt("the times of a rate limit".to_owned()))?;
            let key = row.bytes(0)?;
            if times.newest().is_some_and(|newest| newest > now) {
                times.end_at(now);
                read.changed.extend(wanted.get(&key).map(|hit| (key, *hit)));
            }
            read.keys.insert(key, times);
        }
        Ok(read)
    }

    async fn write(&self, connection: Connection<'_>) -> Result<()> {
        let (mut keys, mut kinds, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        let (mut newest, mut times) = (Vec::new(), Vec::new());
        let sorted: BTreeMap<_, _> = self.changed.iter().collect();
        for (key, hit) in sorted {
            let of_key = &self.keys[key];
            keys.push(key.as_slice());
            kinds.push(kind(hit.table) as i64);
            groups.push(hit.group.cast_signed());
            newest.push(of_key.newest().unwrap_or(0));
            times.push(of_key.to_bytes());
        }
        if !keys.is_empty() {
            connection.run(COUNT, &[&keys, &kinds, &groups, &newest, &times]).await?;
        }
        Ok(())
    }
}

/// A reservation that is held under an epoch. Its parts are given back unless it is used up, which the transaction of a receipt
/// does in the store.
fn reservation(requests: Vec<QuotaRequest>, epoch: Epoch, unreleased: Unreleased) -> QuotaReservation {
    QuotaReservation::of_parts(requests, epoch, move |parts, was_used| {
        if !was_used {
            unreleased.add(&parts_of(parts, epoch));
        }
    })
}

impl AdmissionWriter {
    pub(crate) fn new(unreleased: Unreleased, own_row: OwnRow) -> Self {
        Self {
            own_row,
            epoch: None,
            renewed_at: None,
            drafted: None,
            swept_at: None,
            keys: [0; 2],
            decisions: Vec::new(),
            unreleased,
            released: BTreeMap::new(),
        }
    }

    /// Renews the epoch, or begins one. An epoch that was ended by others, since this process stood still, is not resumed.
    async fn renew(&mut self, connection: Connection<'_>) -> Result<Epoch> {
        let now = Instant::now();
        if let Some(epoch) = self.epoch {
            if self.renewed_at.is_some_and(|at| now.duration_since(at) < RENEWAL) {
                return Ok(epoch);
            }
            if connection.run(RENEW, &[&epoch.as_slice(), &EPOCH_MS]).await? > 0 {
                self.drafted = Some((epoch, now));
                return Ok(epoch);
            }
            tracing::warn!("the reservations of this process have ended, since it was not heard of in time");
        }
        let mut epoch = [0; 16];
        getrandom::fill(&mut epoch).map_err(|error| LedgerError::Unfit(error.to_string()))?;
        connection.run(BEGIN_EPOCH, &[&epoch.as_slice(), &EPOCH_MS]).await?;
        self.drafted = Some((epoch, now));
        Ok(epoch)
    }

    /// Removes epochs, reservations and hits that are over, every few seconds. Returns the epochs that have ended.
    async fn sweep(&mut self, connection: Connection<'_>, now: i64) -> Result<Vec<Epoch>> {
        if self.swept_at.is_some_and(|at| at.elapsed() < SWEEP) {
            return Ok(Vec::new());
        }
        let ended = connection.returning(END_EPOCHS, &[]).await?;
        let ended = ended.iter().map(|row| row.bytes(0)).collect::<std::result::Result<Vec<Epoch>, _>>()?;
        connection.run(END_RESERVATIONS, &[]).await?;
        connection.run(FORGET_WRITERS, &[&FORGOTTEN_MS]).await?;
        connection.run("DELETE FROM hits WHERE newest <= $1", &[&(now - WINDOW_MS)]).await?;
        self.keys = [0; 2];
        for row in connection.rows("SELECT kind, count(*) FROM hits GROUP BY kind", &[]).await? {
            let kind = usize::try_from(row.unsigned(0)?).unwrap_or(0).min(1);
            self.keys[kind] = row.unsigned(1)?;
        }
        self.swept_at = Some(Instant::now());
        Ok(ended)
    }

    /// Returns true if a new key finds no room. If the table of agents is full, the group that has most keys makes room for
    /// all others, so it is the group that is refused.
    async fn is_full_for(
        &mut self,
        connection: Connection<'_>,
        hit: &RateLimitHit,
        known: &mut BatchHits,
    ) -> Result<bool> {
        let kind = kind(hit.table);
        if known.keys.contains_key(&hit.key) {
            return Ok(false);
        }
        if self.keys[kind] < ledger::MAX_KEYS as u64 {
            self.keys[kind] += 1;
            return Ok(false);
        }
        let most =
            "SELECT grp FROM hits WHERE kind = 0 GROUP BY grp ORDER BY count(*) DESC, grp DESC LIMIT 1";
        let most: Option<i64> = connection.maybe(most, &[]).await?.map(|row| row.try_get(0)).transpose()?;
        if hit.table == RateLimitTable::Addresses || most == Some(hit.group.cast_signed()) {
            return Ok(true);
        }
        let removed = connection.run("DELETE FROM hits WHERE kind = 0 AND grp = $1", &[&most]).await?;
        self.keys[kind] = self.keys[kind].saturating_sub(removed);
        Ok(false)
    }

    async fn decide(&mut self, connection: Connection<'_>, now: i64, jobs: &[AdmissionJob]) -> Result<()> {
        self.decisions.clear();
        self.drafted = None;
        let mut epoch = self.renew(connection).await?;
        if self.sweep(connection, now).await?.contains(&epoch) {
            // The store's clock was set ahead since the epoch was renewed.
            self.renewed_at = None;
            epoch = self.renew(connection).await?;
        }
        self.own_row.renew(connection).await?;
        let requested = jobs.iter().filter_map(|job| match job {
            AdmissionJob::Reserve { requests, .. } => Some(requests.iter().map(|request| &request.of)),
            AdmissionJob::Admit { .. } => None,
        });
        let keys: Vec<&QuotaKey> = requested.flatten().collect();
        let (mut hits, mut taken) =
            together!(BatchHits::read(connection, now, jobs), Taken::read(connection, &keys))?;
        self.released = self.unreleased.all();
        taken.release(&self.released);
        let mut reserved: BTreeMap<(i64, QuotaId), u64> = BTreeMap::new();
        for job in jobs {
            let decision = match job {
                AdmissionJob::Admit { hits: wanted, .. } => {
                    let mut is_full = false;
                    for hit in wanted {
                        is_full |= self.is_full_for(connection, hit, &mut hits).await?;
                    }
                    let admission = if is_full { Admission::Full } else { admit(wanted, now, &mut hits) };
                    Decision::Admission(admission)
                }
                AdmissionJob::Reserve { requests, .. } => {
                    let decided = taken.reserve(requests).map(|()| epoch);
                    for QuotaRequest { of, units, .. } in requests.iter().filter(|_| decided.is_ok()) {
                        *reserved.entry((i64::from(of.period().1), of.id())).or_insert(0) += units;
                    }
                    Decision::Reservation(decided)
                }
            };
            self.decisions.push(decision);
        }
        give_back(connection, &self.released).await?;
        hits.write(connection).await?;
        reserve(connection, &epoch, &reserved).await
    }
}

async fn reserve(
    connection: Connection<'_>,
    epoch: &Epoch,
    reserved: &BTreeMap<(i64, QuotaId), u64>,
) -> Result<()> {
    if reserved.is_empty() {
        return Ok(());
    }
    let starts: Vec<i64> = reserved.keys().map(|key| key.0).collect();
    let ids: Vec<&[u8]> = reserved.keys().map(|key| key.1.as_slice()).collect();
    let amounts = reserved.values().map(|amount| number(*amount)).collect::<Result<Vec<_>>>()?;
    connection.run(RESERVE, &[&starts, &ids, &epoch.as_slice(), &amounts]).await?;
    Ok(())
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
        match (outcome, self.drafted.take()) {
            (Outcome::Durable, Some((epoch, at))) => {
                (self.epoch, self.renewed_at) = (Some(epoch), Some(at));
            }
            // Nobody knows what is reserved under it: it ends by itself, and with it all of that.
            (Outcome::Unknown, _) => self.epoch = None,
            (Outcome::Durable | Outcome::RolledBack, _) => {}
        }
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
                    let held = decided.map(|epoch| reservation(requests, epoch, self.unreleased.clone()));
                    drop(reply.send(Ok(held)));
                }
                (AdmissionJob::Reserve { reply, .. }, _) => drop(reply.send(Err(LedgerError::Busy))),
            }
        }
    }

    fn close<'a>(&'a mut self, connection: Connection<'a>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.own_row.remove(connection).await?;
            let Some(epoch) = self.epoch.take() else { return Ok(()) };
            let epoch = epoch.as_slice();
            connection.run("DELETE FROM epochs WHERE epoch = $1", &[&epoch]).await?;
            connection.run("DELETE FROM reserved WHERE epoch = $1", &[&epoch]).await?;
            Ok(())
        })
    }
}
