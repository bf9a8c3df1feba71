//! The counts and the memory that a judge is told of before it judges, and the counters that its receipt then adds to.

use ledger::{CounterKey, Ledger, LedgerError, MemoryKey};
use verdict::{AgentName, Case, EffectKind, JudgedBefore, Memory};

use crate::{Notary, NotaryError};

impl Notary {
    /// The receipts of a class that the ledger has counted for an agent, and for the subject of a question; `None` for
    /// judges whose rulings are not counted. Calls that are judged at the same time do not see one another.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub async fn judged_before(
        &self,
        effect: EffectKind,
        class: &str,
        agent: &AgentName,
        case: &dyn Case,
    ) -> Result<Option<JudgedBefore>, NotaryError> {
        if effect != EffectKind::Count {
            return Ok(None);
        }
        let keys = counters(class, agent, case.subject_sha256().as_ref());
        let mut counts = self.ledger.counted(&keys).await?.into_iter();
        Ok(Some(JudgedBefore { agent: counts.next().unwrap_or(0), subject: counts.next() }))
    }
}

/// The memory that the ledger has of the subject of a question, stored by an earlier ruling of the class; `None` for
/// judges without memories.
///
/// # Errors
/// The ledger cannot be read.
pub async fn memory(
    ledger: &dyn Ledger,
    effect: EffectKind,
    class: &str,
    case: &dyn Case,
) -> Result<Option<Memory>, LedgerError> {
    match case.subject_sha256() {
        Some(subject) if effect == EffectKind::Remember => {
            ledger.memory(MemoryKey::new(class, &subject)).await
        }
        _ => Ok(None),
    }
}

/// The counter of the agent, and then that of the subject where there is one.
pub(crate) fn counters(class: &str, agent: &AgentName, subject: Option<&[u8; 32]>) -> Vec<CounterKey> {
    let of_subject = subject.map(|sha256| CounterKey::of_subject(class, sha256));
    [CounterKey::of_agent(class, agent.as_str())].into_iter().chain(of_subject).collect()
}
