//! The judge of `/scan-text`.

use receipt::json::{Json, Object};
use schemars::JsonSchema;
use serde::Serialize;
use threat_feeds::Feeds;
use verdict::{EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Timestamp, Unavailable};

use super::question::{CONTEXT, TEXT, TextContext, TextQuestion};
use super::scan::TextScan;
use crate::finding::ScanResult;
use crate::observations::Observations;
use crate::page;

/// The finding of `/scan-text`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct TextFinding {
    /// Where the text comes from, in the caller's words; absent where they did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<TextContext>,
    /// Length of the text in bytes of UTF-8.
    pub bytes: usize,
    /// Length of the text in Unicode characters.
    pub characters: usize,
    /// The members that all scans have.
    #[serde(flatten)]
    pub result: ScanResult,
}

/// The judge of `POST /scan-text`. It opens no connection.
#[derive(Clone, Default)]
pub struct TextJudge {
    feeds: Feeds,
}

impl TextJudge {
    /// Builds a judge that looks addresses up in these feeds.
    #[must_use]
    pub fn new(feeds: Feeds) -> Self {
        Self { feeds }
    }
}

impl Judge for TextJudge {
    type Question = TextQuestion;
    type Finding = TextFinding;

    async fn judge(
        &self,
        question: &TextQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<TextFinding>, Unavailable> {
        let scan = TextScan::of(&question.text);
        let seen = Observations::of_feeds(&self.feeds, scan.links(), context.at);
        let blob = seen.blob();
        let finding = find(question, scan, &seen, blob.sha256());
        Ok(EvidencedFinding { finding, evidence: vec![blob] })
    }

    fn replay(
        &self,
        question: &TextQuestion,
        evidence: &[EvidenceBlob],
        _: Timestamp,
    ) -> Result<TextFinding, EvidenceMissing> {
        let (seen, observations) = Observations::of_blobs(evidence)?;
        Ok(find(question, TextScan::of(&question.text), &seen, observations))
    }

    const REDACTS: bool = true;

    fn kept_request(&self, question: &TextQuestion, request: &Object) -> Object {
        let text = Json::from(crate::redacted(&question.text));
        crate::kept(request, &[CONTEXT.name], TEXT.name, text)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

fn find(
    question: &TextQuestion,
    scan: TextScan<'_>,
    seen: &Observations,
    observations: [u8; 32],
) -> TextFinding {
    TextFinding {
        context: question.context,
        bytes: question.text.len(),
        characters: question.text.chars().count(),
        result: scan.with(seen, observations),
    }
}
