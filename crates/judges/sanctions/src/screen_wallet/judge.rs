//! The judge: it looks an address up in the live lists.

use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};
use watchlist::snapshot::SnapshotId;

use super::finding::{WalletFinding, WalletVerdict, find};
use super::question::{WalletQuestion, refused};
use crate::live::{Lists, LiveLists};
use crate::page;
use crate::screen::{evidence_of, lists_of, refuse_stale, refuse_without_sdn_wallets, wallet_lists};

/// The judge of `POST /screen-wallet`.
#[derive(Clone, Debug)]
pub struct ScreenWalletJudge {
    lists: Lists,
}

impl ScreenWalletJudge {
    /// Builds a judge over these lists.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        Self { lists }
    }

    fn look(
        &self,
        question: &WalletQuestion,
        live: &LiveLists,
        at: Timestamp,
    ) -> Result<EvidencedFinding<WalletFinding>, Unavailable> {
        let asked = wallet_lists(live)?;
        let finding = find(question, live, at).expect("there is a list with wallets");
        if finding.verdict == WalletVerdict::NoMatch {
            refuse_without_sdn_wallets(asked)?;
            refuse_stale(&self.lists, asked, at)?;
        }
        Ok(EvidencedFinding { finding, evidence: evidence_of(asked) })
    }
}

impl Judge for ScreenWalletJudge {
    type Question = WalletQuestion;
    type Finding = WalletFinding;

    /// A mistyped address is told here: it takes the lists to know that it is not one of theirs. Once taken it is looked
    /// up whatever becomes of the lists, since some listed addresses could not be right.
    async fn admit(&self, question: &WalletQuestion, at: Timestamp) -> Result<(), Objection> {
        let live = self.lists.now();
        wallet_lists(&live)?;
        live.wallet_index().find(&question.wallet).map_err(refused)?;
        self.look(question, &live, at)?;
        Ok(())
    }

    async fn judge(
        &self,
        question: &WalletQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<WalletFinding>, Unavailable> {
        self.look(question, &self.lists.now(), context.at)
    }

    fn replay(
        &self,
        question: &WalletQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<WalletFinding, EvidenceMissing> {
        let lists = lists_of(&self.lists, evidence)?;
        find(question, &lists, at).ok_or_else(|| EvidenceMissing("a list that has wallets".to_owned()))
    }

    fn kept(&self, sha256: &[u8; 32]) -> Option<Vec<u8>> {
        self.lists.content(&SnapshotId::new(*sha256))
    }

    fn keeps(&self, sha256: &[u8; 32]) -> bool {
        self.lists.has_content(&SnapshotId::new(*sha256))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}
