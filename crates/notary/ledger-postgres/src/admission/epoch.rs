//! The epoch under which this process holds its reservations, and the end of those of others.

use std::time::{Duration, Instant};

use ledger::LedgerError;

use crate::columns::Columns as _;
use crate::connection::{Connection, Result};
use crate::log::quota_rows::Epoch;
use crate::sequencer::Outcome;

/// The time for which an epoch lives after it was renewed, in milliseconds.
const EPOCH_MS: i64 = 10_000;
/// The time after which an epoch is renewed.
const RENEWAL: Duration = Duration::from_secs(2);

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

/// The epoch of this process.
#[derive(Default)]
pub(super) struct OwnEpoch {
    epoch: Option<Epoch>,
    renewed_at: Option<Instant>,
    /// The epoch that the present transaction has begun or renewed, and when. It counts once that is committed: nobody
    /// could use up what is held under an epoch that is not in the store.
    drafted: Option<(Epoch, Instant)>,
}

impl OwnEpoch {
    /// Renews the epoch within a new transaction, or begins one. An epoch that was ended by others, since this process stood
    /// still, is not resumed.
    pub(super) async fn renew(&mut self, connection: Connection<'_>) -> Result<Epoch> {
        self.drafted = None;
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

    /// Renews it, or begins one, after it was ended within this transaction: the store's clock was set ahead.
    pub(super) async fn renew_ended(&mut self, connection: Connection<'_>) -> Result<Epoch> {
        self.renewed_at = None;
        self.renew(connection).await
    }

    /// Takes note of the end of the transaction.
    pub(super) fn end_transaction(&mut self, outcome: Outcome) {
        match (outcome, self.drafted.take()) {
            (Outcome::Durable, Some((epoch, at))) => {
                (self.epoch, self.renewed_at) = (Some(epoch), Some(at));
            }
            // Nobody knows what is reserved under it: it ends by itself, and with it all of that.
            (Outcome::Unknown, _) => self.epoch = None,
            (Outcome::Durable | Outcome::RolledBack, _) => {}
        }
    }

    /// Ends it, with all that is reserved under it.
    pub(super) async fn end(&mut self, connection: Connection<'_>) -> Result<()> {
        let Some(epoch) = self.epoch.take() else { return Ok(()) };
        let epoch = epoch.as_slice();
        connection.run("DELETE FROM epochs WHERE epoch = $1", &[&epoch]).await?;
        connection.run("DELETE FROM reserved WHERE epoch = $1", &[&epoch]).await?;
        Ok(())
    }
}

/// Removes epochs and reservations that are over. Returns the epochs that have ended.
pub(super) async fn sweep(connection: Connection<'_>) -> Result<Vec<Epoch>> {
    let ended = connection.returning(END_EPOCHS, &[]).await?;
    let ended = ended.iter().map(|row| row.bytes(0)).collect::<std::result::Result<Vec<Epoch>, _>>()?;
    connection.run(END_RESERVATIONS, &[]).await?;
    Ok(ended)
}
