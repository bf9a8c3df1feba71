//! The receipt that logs a token: from then on the tree holds what nobody could know before the token's time.

use ledger::{Owner, StampedCheckpoint};
use notary::{Consequence, NotaryError, OWN_AGENT, ReceiptDraft};
use receipt::envelope::LogHead;
use receipt::hash::sha256;
use receipt::json::{Json, Number, Object};
use time_stamp::{Stamp, StampRecord, TIME_STAMP_CLASS};
use verdict::{AgentName, KeptRequest, Unavailable};

use crate::stamping::Stamping;

impl Stamping {
    /// Logs the newest token, where it is not logged and this process has the lease; where another has it, that one does. A
    /// process that ends between the receipt and the note of it has another receipt of the same token made, which says the same.
    ///
    /// # Errors
    /// [`NotaryError`]: it is not logged, and is tried again in the next round.
    pub(crate) async fn log_stamp(
        &self,
        newest: &StampedCheckpoint,
        owner: Owner,
    ) -> Result<(), NotaryError> {
        let ledger = &self.notary.ledger;
        if !self.is_noted(newest).await? {
            let Some(stamp) = self.read(newest) else { return Ok(()) };
            if ledger.is_away() || !self.has_lease(owner).await {
                return Ok(());
            }
            // Another process may have had the lease until now.
            if !self.is_noted(newest).await? {
                let unnoted = self.progress().unnoted.filter(|(size, ..)| *size == newest.size);
                let (size, leaf, hash) = match unnoted {
                    Some(unnoted) => unnoted,
                    None => {
                        let logged = self.notary.notarize(self.draft(newest, stamp)?).await?.delivery();
                        (newest.size, logged.leaf, logged.hash)
                    }
                };
                self.progress().unnoted = Some((size, leaf, hash));
                ledger.note_logged_stamp(size, leaf, hash).await?;
                tracing::info!(size, leaf, "a time-stamp token is logged");
            }
        }
        let mut progress = self.progress();
        (progress.logged, progress.unnoted) = (Some(newest.size), None);
        Ok(())
    }

    /// Returns true if it is noted where the token, or a later one, is logged.
    async fn is_noted(&self, newest: &StampedCheckpoint) -> Result<bool, NotaryError> {
        let last = self.notary.ledger.last_logged_stamp(u64::MAX).await?;
        Ok(last.is_some_and(|last| last.checkpoint.size >= newest.size))
    }

    fn draft(&self, newest: &StampedCheckpoint, stamp: Stamp) -> Result<ReceiptDraft, NotaryError> {
        let unfit = || Unavailable {
            module: "timestamps",
            retry_after_s: 60,
            detail: "the receipt about a token cannot be made".to_owned(),
        };
        let mut request = Object::new();
        request.insert("agent", OWN_AGENT);
        request.insert("stamped", Number::from(newest.size));
        let record = StampRecord {
            tree: LogHead { size: newest.size, root: newest.root },
            answer_sha256: sha256(&newest.answer),
            at: stamp.at,
            authority: stamp.authority,
        };
        Ok(ReceiptDraft {
            class: TIME_STAMP_CLASS,
            agent: AgentName::parse(OWN_AGENT).map_err(|_| unfit())?,
            request: KeptRequest::as_sent(Json::Object(request).canonical()),
            finding: record.finding(),
            evidence: Vec::new(),
            judged_at: self.notary.now()?,
            place: None,
            paid: None,
            consequence: Consequence::None,
        })
    }
}
