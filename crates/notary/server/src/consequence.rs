//! The consequence of a ruling in the ledger: its effect, made ready for the transaction that logs the receipt.

use client_network::ClientNetwork;
use ledger::{DisputeEnd, Ledger, WatchStep};
use payment::Address;
use receipt::hash::ReceiptHash;
use verdict::{AgentName, Effect, EndDispute};

use crate::refusal::Refusal;
use crate::watch;

/// The change of the ledger that a receipt makes beside being logged.
#[derive(Debug)]
pub(crate) enum Consequence {
    /// None.
    None,
    /// A watch begins, or its verdict changes.
    Watch(WatchStep),
    /// A dispute ends.
    Dispute(EndedDispute),
}

/// The end of a dispute, and the receipt that was disputed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedDispute {
    /// The receipt that was disputed: the `ref` of the dispute's.
    pub(crate) disputed: ReceiptHash,
    /// The end, from which follows who is owed what.
    pub(crate) end: DisputeEnd,
}

/// The caller whose question was judged.
pub(crate) struct Caller<'a> {
    pub(crate) agent: &'a AgentName,
    /// The network of a caller who did not pay.
    pub(crate) network: Option<ClientNetwork>,
    /// The bond: the receipt that it disputes, and the account that it came from.
    pub(crate) bond: Option<(ReceiptHash, Address)>,
}

impl Consequence {
    /// The consequence of an effect for a caller.
    ///
    /// # Errors
    /// 503: the effect and the call do not belong together, or the disputed receipt cannot be read.
    pub(crate) async fn of(
        effect: Option<Effect>,
        caller: Caller<'_>,
        ledger: &dyn Ledger,
    ) -> Result<Self, Refusal> {
        let unsound =
            || Refusal::unavailable("ledger", 60, "the effect of the finding cannot be carried out");
        match (effect, caller.bond) {
            (None, None) => Ok(Self::None),
            (Some(Effect::OpenWatch(effect)), None) => {
                watch::opened(effect, caller.agent, caller.network).map(Self::Watch)
            }
            (Some(Effect::EndDispute(effect)), Some((disputed, payer))) => {
                let EndDispute { outcome, refund_to } = effect;
                let leaf = ledger.receipt(&disputed).await?.ok_or_else(unsound)?.leaf;
                let refund_to = refund_to.unwrap_or(payer.into_array());
                let end = DisputeEnd { outcome, disputed: leaf, refund_to };
                Ok(Self::Dispute(EndedDispute { disputed, end }))
            }
            (None, Some(_)) | (Some(Effect::OpenWatch(_)), Some(_)) | (Some(Effect::EndDispute(_)), None) => {
                Err(unsound())
            }
        }
    }
}
