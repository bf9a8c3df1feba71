//! The hits of rate limits.

use std::collections::{BTreeMap, HashMap};

use ledger::rules::limits::{HitLog, HitTimes, WINDOW_MS};
use ledger::{LedgerError, RateLimitHit, RateLimitTable};

use super::job::AdmissionJob;
use crate::columns::Columns as _;
use crate::connection::{Connection, Result};

pub(super) const HITS: &str = "SELECT key, times FROM hits WHERE key = ANY($1::BYTEA[])";
const COUNT: &str = "INSERT INTO hits (key, kind, grp, newest, times)
    SELECT * FROM unnest($1::BYTEA[], $2::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BYTEA[])
    ON CONFLICT (key) DO UPDATE SET newest = excluded.newest, times = excluded.times";

/// The hits of the keys of a batch.
#[derive(Default)]
pub(super) struct BatchHits {
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

impl BatchHits {
    /// Reads the hits of all keys. One that is later than `now`, since the store's clock was set back, counts as now.
    pub(super) async fn read(connection: Connection<'_>, now: i64, jobs: &[AdmissionJob]) -> Result<Self> {
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

    pub(super) async fn write(&self, connection: Connection<'_>) -> Result<()> {
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

fn kind(table: RateLimitTable) -> usize {
    match table {
        RateLimitTable::Agents => 0,
        RateLimitTable::Addresses => 1,
    }
}

/// The number of keys in each table of hits, as last counted.
#[derive(Default)]
pub(super) struct KeyCounts {
    counts: [u64; 2],
    /// The group of agents that had most keys when the table was full, until some are removed.
    largest: Option<i64>,
}

impl KeyCounts {
    /// Removes hits that are over, and counts the keys that are left.
    pub(super) async fn sweep(&mut self, connection: Connection<'_>, now: i64) -> Result<()> {
        connection.run("DELETE FROM hits WHERE newest <= $1", &[&(now - WINDOW_MS)]).await?;
        *self = Self::default();
        for row in connection.rows("SELECT kind, count(*) FROM hits GROUP BY kind", &[]).await? {
            let kind = usize::try_from(row.unsigned(0)?).unwrap_or(0).min(1);
            self.counts[kind] = row.unsigned(1)?;
        }
        Ok(())
    }

    /// Returns true if a new key finds no room. If the table of agents is full, the group that has most keys makes room for
    /// all others, so it is the group that is refused.
    pub(super) async fn is_full_for(
        &mut self,
        connection: Connection<'_>,
        hit: &RateLimitHit,
        known: &BatchHits,
    ) -> Result<bool> {
        let kind = kind(hit.table);
        if known.keys.contains_key(&hit.key) {
            return Ok(false);
        }
        if self.counts[kind] < ledger::MAX_KEYS as u64 {
            self.counts[kind] += 1;
            return Ok(false);
        }
        if hit.table == RateLimitTable::Addresses {
            return Ok(true);
        }
        // Once for all that are refused: it reads the whole table.
        if self.largest.is_none() {
            let most =
                "SELECT grp FROM hits WHERE kind = 0 GROUP BY grp ORDER BY count(*) DESC, grp DESC LIMIT 1";
            self.largest = connection.maybe(most, &[]).await?.map(|row| row.try_get(0)).transpose()?;
        }
        if self.largest == Some(hit.group.cast_signed()) {
            return Ok(true);
        }
        let most = self.largest.take();
        let removed = connection.run("DELETE FROM hits WHERE kind = 0 AND grp = $1", &[&most]).await?;
        self.counts[kind] = self.counts[kind].saturating_sub(removed);
        Ok(false)
    }
}
