//! The judge of `/distress-score`.

use std::borrow::Cow;
use std::sync::LazyLock;

use distress::Assessment;
use receipt::hash::sha256;
use receipt::json::Json;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::{EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Timestamp, Unavailable};

use super::page;
use super::question::DistressQuestion;
use crate::day::day;

const SCOPE: &str = "What published models say of the accounts that were sent, computed as their papers state them. Whether the \
    accounts are true, and what will become of the company, was not looked at; the models were fitted to companies of other times.";
const METHOD: &str = "distress-score/1";

/// The SHA-256 of the models' constants and code.
static MODELS: LazyLock<String> = LazyLock::new(|| hex::encode(sha256(&distress::canonical_rules())));

/// The finding of `/distress-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct DistressFinding {
    /// The verdict and the models that it rests on.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// What the finding rests on, beside the request.
    pub evidence: DistressEvidence,
    /// Scope of the verdict: the statements that it makes and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the method.
    pub method: Cow<'static, str>,
}

/// What a finding of `/distress-score` rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct DistressEvidence {
    /// The source of the accounts: the request.
    pub accounts: &'static str,
    /// The day, in UTC, against which the age of the accounts was held.
    pub judged_on: String,
    /// The SHA-256 of the models' constants and code.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub models_sha256: String,
}

/// The judge of `POST /distress-score`. It opens no connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct DistressJudge;

impl Judge for DistressJudge {
    type Question = DistressQuestion;
    type Finding = DistressFinding;

    async fn judge(
        &self,
        question: &DistressQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<DistressFinding>, Unavailable> {
        Ok(EvidencedFinding { finding: find(question, context.at), evidence: Vec::new() })
    }

    fn replay(
        &self,
        question: &DistressQuestion,
        _: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<DistressFinding, EvidenceMissing> {
        Ok(find(question, at))
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
    }
}

fn find(question: &DistressQuestion, at: Timestamp) -> DistressFinding {
    let judged_on = day(at);
    DistressFinding {
        assessment: distress::assess(&question.financials, judged_on),
        evidence: DistressEvidence {
            accounts: "request",
            judged_on: judged_on.to_string(),
            models_sha256: MODELS.clone(),
        },
        scope: SCOPE.into(),
        method: METHOD.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use verdict::{Fields, Question as _};

    use super::*;

    fn judged(financials: Value) -> Value {
        let request = receipt::json::parse(json!({"financials": financials}).to_string().as_bytes()).unwrap();
        let question = DistressQuestion::read(&Fields::root(request.as_object().unwrap())).unwrap();
        let at: Timestamp = "2026-06-30T12:00:00.000Z".parse().unwrap();
        let found = find(&question, at);
        assert_eq!(DistressJudge.replay(&question, &[], at).unwrap(), found);
        serde_json::to_value(found).unwrap()
    }

    /// A manufacturer without debts, and the same deep in debt and losses.
    fn accounts(is_sound: bool) -> Value {
        let (liabilities, ebit, retained, income) =
            if is_sound { ("200", "250", "500", "180") } else { ("990", "-120", "-400", "-150") };
        json!({
            "currency": "USD", "period_end": "2025-12-31", "sic": "3571", "market_value": if is_sound { "2500" } else { "10" },
            "total_assets": "1000", "current_assets": "600", "current_liabilities": if is_sound { "150" } else { "900" },
            "total_liabilities": liabilities, "retained_earnings": retained, "ebit": ebit, "pretax_income": ebit,
            "net_income": income, "revenue": "1200", "gnp_index": "900", "depreciation_amortization": "40",
            "prior": {"net_income": if is_sound { "170" } else { "-90" }}
        })
    }

    #[test]
    fn sound_accounts_are_safe_and_broken_ones_are_distress() {
        let sound = judged(accounts(true));
        assert_eq!(
            (&sound["verdict"], &sound["altman_model"]),
            (&json!("SAFE"), &json!("altman_z")),
            "{sound:#}"
        );
        let broken = judged(accounts(false));
        assert_eq!(broken["verdict"], "DISTRESS", "{broken:#}");
        assert_eq!(broken["evidence"]["judged_on"], "2026-06-30");
    }

    #[test]
    fn old_financial_and_empty_accounts_are_insufficient() {
        let mut old = accounts(true);
        old["period_end"] = json!("2024-11-30");
        assert_eq!(judged(old)["reasons"], json!(["report_too_old"]));
        let mut bank = accounts(true);
        bank["sic"] = json!("6021");
        assert_eq!(judged(bank)["reasons"], json!(["financial_firm"]));
        let empty = judged(json!({"currency": "USD", "period_end": "2025-12-31"}));
        assert_eq!(
            (&empty["verdict"], &empty["reasons"]),
            (&json!("INSUFFICIENT_DATA"), &json!(["too_few_models"]))
        );
    }
}
