//! The facts of the ledger that a judge is told before it judges: earlier receipts that were counted, receipts that the
//! question names, and the memory of its subject.

use std::sync::Arc;

use ledger::{CounterKey, Ledger, LedgerError, MemoryKey};
use receipt::time::Timestamp;
use verdict::{
    AgentName, Case, EffectKind, JudgeContext, JudgedBefore, Memory, NamedReceipts, WantedReceipts,
};

use crate::{Notary, NotaryError};

impl Notary {
    /// The context in which a question of an agent is judged, without priority. `effect` is the kind of effect of the judge's
    /// rulings, and `class` their class.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub async fn judge_context(
        &self,
        effect: EffectKind,
        class: &str,
        agent: &AgentName,
        case: &dyn Case,
        at: Timestamp,
    ) -> Result<JudgeContext, NotaryError> {
        let judged_before = match effect {
            EffectKind::Count => Some(self.judged_before(class, agent, case).await?),
            EffectKind::None | EffectKind::OpenWatch | EffectKind::EndDispute | EffectKind::Remember => None,
        };
        let named_receipts = match case.wanted_receipts() {
            Some(wanted) => Some(Arc::new(self.named_receipts(wanted, agent).await?)),
            None => None,
        };
        let memory = memory(&*self.ledger, effect, class, case).await?;
        Ok(JudgeContext { judged_before, memory, named_receipts, ..JudgeContext::from(at) })
    }

    /// The receipts of a class that the ledger has counted for an agent, and for the subject of a question. Calls that are
    /// judged at the same time do not see one another.
    async fn judged_before(
        &self,
        class: &str,
        agent: &AgentName,
        case: &dyn Case,
    ) -> Result<JudgedBefore, NotaryError> {
        let keys = counters(class, agent, case.subject_sha256().as_ref());
        let mut counts = self.ledger.counted(&keys).await?.into_iter();
        Ok(JudgedBefore { agent: counts.next().unwrap_or(0), subject: counts.next() })
    }

    async fn named_receipts(
        &self,
        WantedReceipts { class, hashes }: WantedReceipts<'_>,
        agent: &AgentName,
    ) -> Result<NamedReceipts, NotaryError> {
        let found = self.ledger.short_receipts(hashes).await?;
        // Read later, so that the number has all that were found.
        let counts = self.ledger.counted(&counters(class, agent, None)).await?;
        Ok(NamedReceipts {
            agent: agent.clone(),
            payloads: found.into_iter().map(|receipt| Some(receipt?.payload)).collect(),
            of_agent: counts.first().copied().unwrap_or(0),
        })
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
