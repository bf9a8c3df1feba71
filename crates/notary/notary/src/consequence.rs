//! The consequence of a ruling in the ledger: its effect, made ready for the transaction that logs the receipt.

use client_network::ClientNetwork;
use ledger::{DisputeEnd, Erases, Ledger, NewWatch, Screening, WatchKey, WatchStep, Webhook};
use payment::Address;
use receipt::hash::ReceiptHash;
use url::Url;
use verdict::{
    AgentName, CountJudged, Effect, EndDispute, MAX_MEMORY_BYTES, OpenWatch, Remember, ScreeningResult,
    Unavailable,
};

/// The module that screens watched questions, as a 503 names it.
const SCREENS: &str = "sanctions";

use crate::NotaryError;

/// The change of the ledger in the transaction that logs a receipt.
#[derive(Debug)]
pub enum Consequence {
    /// No change.
    None,
    /// A watch begins, or its verdict changes.
    Watch(WatchStep),
    /// A dispute ends.
    Dispute(EndedDispute),
    /// An earlier receipt is erased, which the new one is about.
    Erase(Erases),
    /// The receipt is counted for its agent, and for the subject with this SHA-256 where there is one.
    Count(Option<[u8; 32]>),
    /// The receipt stores a memory of its subject.
    Remember {
        /// SHA-256 that identifies the subject.
        subject: [u8; 32],
        /// The text, of at most [`MAX_MEMORY_BYTES`] bytes.
        memory: String,
    },
}

/// The end of a dispute, and the receipt that was disputed.
#[derive(Clone, Copy, Debug)]
pub struct EndedDispute {
    /// The disputed receipt: the `ref` of the dispute's receipt.
    pub disputed: ReceiptHash,
    /// The end of the dispute, from which the ledger derives the payouts.
    pub end: DisputeEnd,
}

/// The caller whose question was judged.
pub struct Caller<'a> {
    /// The name of the caller's agent.
    pub agent: &'a AgentName,
    /// The networks of a caller who did not pay; `None` where the caller paid.
    pub network: Option<ClientNetwork>,
    /// The disputed receipt and the account that paid the bond; `None` for a call that is not a dispute.
    pub bond: Option<(ReceiptHash, Address)>,
}

impl Consequence {
    /// The consequence of an effect for a caller.
    ///
    /// # Errors
    /// 503: the effect and the call do not belong together, or the disputed receipt cannot be read.
    pub async fn of(
        effect: Option<Effect>,
        caller: Caller<'_>,
        ledger: &dyn Ledger,
    ) -> Result<Self, NotaryError> {
        let unsound = || crate::unavailable("ledger", 60, "the effect of the finding cannot be carried out");
        match (effect, caller.bond) {
            (None, None) => Ok(Self::None),
            (Some(Effect::OpenWatch(effect)), None) => {
                Ok(Self::Watch(opened(effect, caller.agent, caller.network)?))
            }
            (Some(Effect::EndDispute(effect)), Some((disputed, payer))) => {
                let EndDispute { outcome, refund_to } = effect;
                let leaf = ledger.receipt(&disputed).await?.ok_or_else(unsound)?.leaf;
                let refund_to = refund_to.unwrap_or(payer.into_array());
                let end = DisputeEnd { outcome, disputed: leaf, refund_to };
                Ok(Self::Dispute(EndedDispute { disputed, end }))
            }
            (Some(Effect::Count(CountJudged { subject: None })), None) => Ok(Self::Count(None)),
            (Some(Effect::Count(CountJudged { subject: Some(sha256) })), None) => {
                Ok(Self::Count(Some(parsed(&sha256).ok_or_else(unsound)?)))
            }
            (Some(Effect::Remember(remember)), None) => Ok(remembered(remember)),
            (None | Some(Effect::OpenWatch(_) | Effect::Count(_) | Effect::Remember(_)), Some(_))
            | (Some(Effect::EndDispute(_)), None) => Err(unsound().into()),
        }
    }
}

fn parsed(sha256: &str) -> Option<[u8; 32]> {
    hex::decode(sha256).ok()?.try_into().ok()
}

/// The memory that an effect stores. One that breaks the contract of [`Remember`] is an error of the judge, which must
/// not cost the caller an answer: nothing is stored.
fn remembered(Remember { subject, memory }: Remember) -> Consequence {
    match parsed(&subject) {
        Some(subject) if memory.len() <= MAX_MEMORY_BYTES => Consequence::Remember { subject, memory },
        _ => {
            tracing::error!(subject, bytes = memory.len(), "a memory is not sound, and is not stored");
            Consequence::None
        }
    }
}

/// The watch that the ledger opens for an effect. `network` is that of a caller who did not pay.
///
/// # Errors
/// 503: the effect is not sound.
fn opened(
    effect: OpenWatch,
    agent: &AgentName,
    network: Option<ClientNetwork>,
) -> Result<WatchStep, Unavailable> {
    let OpenWatch { sha256, until, webhook, class, screening } = effect;
    let new = || {
        let webhook = match webhook {
            None => None,
            Some(url) => {
                let host = Url::parse(&url).ok()?.host_str()?.to_owned();
                Some(Webhook { url, host })
            }
        };
        let ScreeningResult { verdict, snapshots, at } = screening;
        Some(NewWatch {
            key: WatchKey(hex::decode(sha256).ok()?.try_into().ok()?),
            agent: agent.as_str().to_owned(),
            network,
            class,
            until,
            webhook,
            screened: Screening::new(verdict, &snapshots, at),
        })
    };
    let unsound = || crate::unavailable(SCREENS, 60, "the watch cannot be opened");
    Ok(WatchStep::Opened(new().ok_or_else(unsound)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_that_is_too_long_or_of_no_subject_is_dropped_and_costs_no_answer() {
        let of = |subject: &str, bytes: usize| {
            remembered(Remember { subject: subject.to_owned(), memory: "a".repeat(bytes) })
        };
        let subject = "07".repeat(32);
        for bytes in [0, MAX_MEMORY_BYTES] {
            let Consequence::Remember { subject, memory } = of(&subject, bytes) else { panic!("{bytes}") };
            assert_eq!((subject, memory.len()), ([7; 32], bytes));
        }
        for unsound in [of(&subject, MAX_MEMORY_BYTES + 1), of("07", 1), of("", 1)] {
            assert!(matches!(unsound, Consequence::None), "{unsound:?}");
        }
    }
}
