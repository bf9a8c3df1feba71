//! Counters of receipts by agent and by subject, which later receipts of the same class report.

use crate::admission::short_hash;

/// The key of a counter of receipts: the first half of a SHA-256, so that no name stands in the table, and each row is
/// equally small.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CounterKey(pub [u8; 16]);

impl CounterKey {
    /// The counter of an agent's receipts of a class.
    #[must_use]
    pub fn of_agent(class: &str, agent: &str) -> Self {
        Self(short_hash(&["agent", class, agent]))
    }

    /// The counter of the receipts of a class, by any agent, about a subject. The SHA-256 identifies the subject.
    #[must_use]
    pub fn of_subject(class: &str, sha256: &[u8; 32]) -> Self {
        Self(short_hash(&["subject", class, &format!("{sha256:?}")]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn agents_subjects_and_classes_have_counters_of_their_own() {
        let subject = [7; 32];
        let name = format!("{subject:?}");
        let keys = ["grade-strategy", "copy-trade-score"].map(|class| {
            [
                CounterKey::of_agent(class, "scout"),
                CounterKey::of_agent(class, &name),
                CounterKey::of_subject(class, &subject),
                CounterKey::of_subject(class, &[8; 32]),
            ]
        });
        let distinct: HashSet<CounterKey> = keys.into_iter().flatten().collect();
        assert_eq!(distinct.len(), 8);
    }
}
