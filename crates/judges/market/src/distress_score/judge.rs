//! The judge of `/distress-score`.

use module::BlockingPool;
use receipt::json::Json;
use verdict::{
    EvidenceBlob, EvidenceMissing, EvidencedFinding, Judge, JudgeContext, Objection, Timestamp, Unavailable,
};

use super::edgar::Edgar;
use super::finding::{DistressFinding, find};
use super::page;
use super::question::DistressQuestion;
use crate::day::{day, refuse_future};
use crate::source::{Gathered, Services};
use crate::work::{self, unavailable};

/// The judge of `POST /distress-score`. Accounts that are sent are judged without a connection.
pub struct DistressJudge {
    /// `None` for replays, which ask nobody.
    edgar: Option<Edgar>,
    pool: BlockingPool,
}

impl DistressJudge {
    /// A judge that asks EDGAR; one that only replays where there is none.
    #[must_use]
    pub fn new(services: Option<&Services>) -> Self {
        Self { edgar: services.map(Edgar::new), pool: work::pool() }
    }

    fn edgar(&self) -> Result<&Edgar, Unavailable> {
        self.edgar.as_ref().ok_or_else(|| unavailable("nothing to ask with"))
    }
}

impl Judge for DistressJudge {
    type Question = DistressQuestion;
    type Finding = DistressFinding;

    async fn admit(&self, question: &DistressQuestion, at: Timestamp) -> Result<(), Objection> {
        let DistressQuestion::Filed(question) = question else { return Ok(()) };
        refuse_future("as_of", question.as_of, at)?;
        self.edgar()?.identify(question, at).await.map(drop)
    }

    async fn judge(
        &self,
        question: &DistressQuestion,
        context: JudgeContext,
    ) -> Result<EvidencedFinding<DistressFinding>, Unavailable> {
        let DistressQuestion::Filed(filed) = question else {
            let finding =
                find(question, &Gathered::default(), day(context.at)).map_err(|why| unavailable(&why))?;
            return Ok(EvidencedFinding { finding, evidence: Vec::new() });
        };
        let edgar = self.edgar()?;
        let known = edgar.identify(filed, context.at).await.map_err(|objection| match objection {
            Objection::Unavailable(unavailable) => unavailable,
            other => unavailable(&other.to_string()),
        })?;
        let gathered = edgar.gather(filed, known, context.at).await?;
        let evidence = gathered.evidence();
        let (question, today) = (question.clone(), day(context.at));
        let finding = work::run(&self.pool, move || find(&question, &gathered, today)).await?;
        Ok(EvidencedFinding { finding: finding.map_err(|why| unavailable(&why))?, evidence })
    }

    fn replay(
        &self,
        question: &DistressQuestion,
        evidence: &[EvidenceBlob],
        at: Timestamp,
    ) -> Result<DistressFinding, EvidenceMissing> {
        let gathered = match question {
            DistressQuestion::Sent(_) => Gathered::default(),
            DistressQuestion::Filed(_) => Gathered::from_evidence(evidence)?,
        };
        find(question, &gathered, day(at)).map_err(EvidenceMissing)
    }

    fn section(&self, receipt: &Json) -> Option<String> {
        page::section(receipt)
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
        let found = find(&question, &Gathered::default(), day(at)).unwrap();
        assert_eq!(DistressJudge::new(None).replay(&question, &[], at).unwrap(), found);
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
