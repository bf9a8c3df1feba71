//! The seed of the bootstrap's random numbers.

use sha2::{Digest as _, Sha256};

use crate::record::{SettlementUnit, TrackRecord};

/// The seed of the bootstrap.
///
/// It depends only on the graded record and the rule's version, so that nobody gets another seed by renaming an agent
/// or by reordering the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed(pub [u8; 32]);

impl Seed {
    /// Computes the SHA-256 of the rule's version, the declared trials, and the units in order of day. Numbers are
    /// little-endian; an optional value follows a byte that states its presence.
    #[must_use]
    pub fn of(record: &TrackRecord, rule: &str) -> Self {
        let mut units: Vec<&SettlementUnit> = record.units.iter().collect();
        units.sort_by(|a, b| a.day.cmp(&b.day).then(a.x.total_cmp(&b.x)));
        let mut hash = Sha256::new();
        hash.update(rule.as_bytes());
        hash.update([0]);
        hash.update([u8::from(record.declared_trials.is_some())]);
        hash.update(record.declared_trials.unwrap_or_default().to_le_bytes());
        for unit in units {
            hash.update(unit.day.to_le_bytes());
            hash.update(unit.x.to_le_bytes());
            for number in [unit.b, unit.max_loss] {
                hash.update([u8::from(number.is_some())]);
                hash.update(number.unwrap_or_default().to_le_bytes());
            }
        }
        Self(hash.finalize().into())
    }

    /// Returns the seed in lowercase hex.
    #[must_use]
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Benchmark, PossibleLosses, Reservations};

    #[test]
    fn a_seed_follows_from_the_units_and_the_trials_in_any_order() {
        let unit = |day: i32| SettlementUnit { day, x: f64::from(day) * 0.1, b: None, max_loss: Some(0.5) };
        let record = TrackRecord {
            units: (0..5).map(unit).collect(),
            declared_trials: None,
            periods_per_year: 252.0,
            benchmark: Benchmark::Cash,
            reservations: Reservations::default(),
            open_losses: Vec::new(),
            unreconciled_equity: Vec::new(),
            alternatives: Vec::new(),
            lacks_risk_free: false,
            possible: PossibleLosses::default(),
            cash: Vec::new(),
        };
        let seed = |record: &TrackRecord| Seed::of(record, "rule/1");
        let mut turned = record.clone();
        turned.units.reverse();
        turned.periods_per_year = 12.0;
        assert_eq!(seed(&record), seed(&turned));
        let declared = TrackRecord { declared_trials: Some(0), ..record.clone() };
        let mut changed = record.clone();
        changed.units[2].max_loss = None;
        assert_ne!(seed(&record), seed(&declared));
        assert_ne!(seed(&record), seed(&changed));
        assert_ne!(seed(&record), Seed::of(&record, "rule/2"));
    }
}
