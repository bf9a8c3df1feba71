//! The module `market`.

use std::sync::Arc;

use module::Module;
use serde_json::json;

use crate::distress_score::DistressJudge;

/// A manufacturer's accounts.
const DISTRESS_EXAMPLE: &str = r#"{"agent":"my-agent","financials":{"currency":"USD","period_end":"2026-06-30","sic":"3571","market_value":"2500","total_assets":"1000","current_assets":"600","current_liabilities":"150","total_liabilities":"200","retained_earnings":"500","ebit":"250","pretax_income":"250","net_income":"180","revenue":"1200"}}"#;

/// Builds the module.
#[must_use]
pub fn module() -> Module {
    Module::new(crate::MODULE).route("distress-score", Arc::new(DistressJudge), DISTRESS_EXAMPLE).with_bounds(
        json!({
            "members": distress::MAX_MEMBERS,
            "report_age_months": distress::MAX_AGE_MONTHS,
        }),
    )
}
