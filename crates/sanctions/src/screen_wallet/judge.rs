//! The judge: looks an address up in what is live.

use receipt::json::Json;
use verdict::{EvidenceBlob, EvidenceMissing, Judge, Judged, Objection, Sitting, Timestamp, Unavailable};

use super::finding::{WalletFinding, WalletVerdict, find};
use super::question::{WalletQuestion, refused};
use crate::live::{Lists, LiveLists};
use crate::page;
use crate::screen::{asked_of_wallets, evidence_of, lists_of, refuse_stale};
use crate::snapshot::SnapshotId;

/// The judge of `POST /screen-wallet`.
#[derive(Clone, Debug)]
pub struct ScreenWalletJudge {
    lists: Lists,
}

impl ScreenWalletJudge {
    /// A judge who looks at these lists.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        Self { lists }
    }

    fn look(
        &self,
        question: &WalletQuestion,
        live: &LiveLists,
        at: Timestamp,
    ) -> Result<Judged<WalletFinding>, Objection> {
        let asked = asked_of_wallets(live)?;
        let finding = find(question, live, at).map_err(refused)?.expect("there is a list with wallets");
        if finding.verdict == WalletVerdict::NoMatch {
            refuse_stale(&self.lists, asked, at)?;
        }
        Ok(Judged { finding, evidence: evidence_of(asked) })
    }
}

impl Judge for ScreenWalletJudge {
    type Question = WalletQuestion;
    type Finding = WalletFinding;

    /// A mistyped address is told here: it takes the lists to know that it is not one of theirs.
    async fn admit(&self, question: &WalletQuestion, at: Timestamp) -> Result<(), Objection> {
        self.look(question, &self.lists.now(), at).map(drop)
    }

    async fn judge(
        &self,
        question: &WalletQuestion,
        sitting: Sitting,
    ) -> Result<Judged<WalletFinding>, Unavailable> {
        self.look(question, &self.lists.now(), sitting.at).map_err(|objection| match objection {
            Objection::Unavailable(unavailable) => unavailable,
            // It was admitted, so it was listed a moment ago and is not any more.
            other => Unavailable { module: "sanctions", retry_after_s: 1, detail: other.to_string() },
        })
    }

    fn replay(
        &self,
        question: &WalletQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<WalletFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        let found = find(question, &lists, at).ok().flatten();
        found.ok_or_else(|| EvidenceMissing("a list that has wallets".to_owned()))
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        self.lists.content(&SnapshotId::new(*sha256))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}
