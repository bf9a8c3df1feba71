//! How often an agent, and a record that begins like this one, were graded before.
//!
//! Whoever grades a record again and again, with other days or other statements, finds some that pass by luck. So each receipt
//! says how many there were. No verdict depends on the numbers: names of agents are free, and a first day that is left out
//! makes another record. The numbers are evidence, so that a replay without a ledger finds the same bytes.

use receipt::hash::sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::{CountJudged, Effect, EvidenceBlob, EvidenceMissing, JudgedBefore};

use crate::record::SettlementUnit;

/// The settlement units that are the beginning of a record: as many as any edge needs.
pub const BEGINNING: usize = 60;

/// The role of the evidence.
const ROLE: &str = "graded_before";

/// The earlier receipts of this class that the notary's ledger has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GradedBefore {
    /// Earlier receipts of this class for the same name of an agent.
    pub agent: u64,
    /// Earlier receipts of this class, for any agent, of a record whose first 60 settlement units have the same days and
    /// returns; absent for a shorter record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
}

impl From<JudgedBefore> for GradedBefore {
    fn from(JudgedBefore { agent, subject }: JudgedBefore) -> Self {
        Self { agent, record: subject }
    }
}

impl GradedBefore {
    /// Returns the evidence of these numbers: their JSON text.
    pub(crate) fn to_blob(self) -> EvidenceBlob {
        let bytes = serde_json::to_vec(&self).expect("integers under string keys");
        EvidenceBlob::new(ROLE, bytes)
    }

    /// Reads the numbers again; `None` where a receipt was signed without them.
    ///
    /// # Errors
    /// The evidence was deleted, or cannot be read.
    pub(crate) fn read(evidence: &[EvidenceBlob]) -> Result<Option<Self>, EvidenceMissing> {
        let Some(blob) = evidence.iter().find(|blob| blob.role() == ROLE) else { return Ok(None) };
        let read = blob.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        let missing = || EvidenceMissing("the numbers of earlier grades".to_owned());
        read.map(Some).ok_or_else(missing)
    }

    /// Returns the SHA-256 of the evidence, lowercase hex.
    pub(crate) fn sha256(self) -> String {
        hex::encode(self.to_blob().sha256())
    }

    /// Adds a sentence to an explanation if a record that begins so was judged before. `done` is the verb: `graded`.
    pub(crate) fn explained(earlier: Option<Self>, explanation: String, done: &str) -> String {
        match earlier.and_then(|earlier| earlier.record) {
            None | Some(0) => explanation,
            Some(1) => format!("{explanation} A record that begins like this one was {done} once before."),
            Some(times) => {
                format!("{explanation} A record that begins like this one was {done} {times} times before.")
            }
        }
    }
}

/// The effect of a grade: it is counted for its agent, and for the beginning of its record.
pub(crate) fn counted(beginning: Option<[u8; 32]>) -> Effect {
    Effect::Count(CountJudged { subject: beginning.map(hex::encode) })
}

/// Returns the SHA-256 over the days and returns of the first [`BEGINNING`] units, as they are before cash is taken off:
/// each a day (4 bytes) and the bits of a double (8 bytes), big-endian. `None` for a shorter record.
pub(crate) fn beginning(units: &[SettlementUnit]) -> Option<[u8; 32]> {
    let first = units.get(..BEGINNING)?;
    // A zero of either sign is the same return.
    let bytes = first.iter().flat_map(|unit| {
        let (day, x) = (unit.day.to_be_bytes(), (unit.x + 0.0).to_bits().to_be_bytes());
        day.into_iter().chain(x)
    });
    Some(sha256(&bytes.collect::<Vec<u8>>()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unit(day: i32, x: f64) -> SettlementUnit {
        SettlementUnit { day, x, b: None, max_loss: None }
    }

    proptest! {
        #[test]
        fn the_first_sixty_days_and_returns_alone_make_the_beginning(
            returns in prop::collection::vec(-0.5_f64..0.5, BEGINNING..2 * BEGINNING),
            at in 0..BEGINNING,
            statement in 0.0..1.0_f64,
        ) {
            let units: Vec<_> = (0..).zip(&returns).map(|(day, x)| unit(day, *x)).collect();
            let hash = beginning(&units);
            prop_assert!(hash.is_some());
            prop_assert_eq!(beginning(&units[..BEGINNING]), hash);
            let stated = units.iter().map(|unit| SettlementUnit { b: Some(statement), max_loss: Some(statement), ..*unit });
            prop_assert_eq!(beginning(&stated.collect::<Vec<_>>()), hash);
            let with = |unit| {
                let mut other = units.clone();
                other[at] = unit;
                beginning(&other)
            };
            prop_assert_ne!(with(unit(units[at].day, units[at].x + 1e-9)), hash);
            prop_assert_ne!(with(unit(-1, units[at].x)), hash);
            prop_assert_eq!(beginning(&units[..BEGINNING - 1]), None);
        }

        #[test]
        fn numbers_are_read_as_they_were_kept(agent in 0..1_u64 << 53, record in prop::option::of(0..1_u64 << 53)) {
            let numbers = GradedBefore { agent, record };
            prop_assert_eq!(GradedBefore::read(&[numbers.to_blob()]), Ok(Some(numbers)));
        }
    }

    #[test]
    fn a_zero_of_either_sign_is_the_same_return() {
        let flat = |zero| (0..60).map(|day| unit(day, zero)).collect::<Vec<_>>();
        assert_eq!(beginning(&flat(-0.0)), beginning(&flat(0.0)));
    }

    #[test]
    fn evidence_that_is_gone_is_missing_and_a_receipt_without_any_has_no_numbers() {
        let blob = GradedBefore { agent: 3, record: Some(7) }.to_blob();
        assert_eq!(blob.bytes(), Some(&br#"{"agent":3,"record":7}"#[..]));
        assert_eq!(GradedBefore::read(&[]), Ok(None));
        assert!(GradedBefore::read(&[EvidenceBlob::kept(ROLE, blob.sha256())]).is_err());
        assert!(GradedBefore::read(&[EvidenceBlob::new(ROLE, br#"{"agent":-1}"#.to_vec())]).is_err());
    }

    #[test]
    fn only_a_beginning_that_was_graded_before_is_explained() {
        let explained = |record| {
            GradedBefore::explained(
                Some(GradedBefore { agent: 9, record }),
                "It is luck.".to_owned(),
                "graded",
            )
        };
        assert_eq!(explained(None), "It is luck.");
        assert_eq!(explained(Some(0)), "It is luck.");
        assert_eq!(
            explained(Some(1)),
            "It is luck. A record that begins like this one was graded once before."
        );
        assert_eq!(
            explained(Some(7)),
            "It is luck. A record that begins like this one was graded 7 times before."
        );
    }
}
