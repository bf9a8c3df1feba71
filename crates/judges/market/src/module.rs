//! The module `market`.

use std::sync::Arc;

use module::{Host, Module, ModuleError, Standing};
use serde_json::json;

use crate::awards::AwardsJudge;
use crate::composite::CompositeJudge;
use crate::distress_score::DistressJudge;
use crate::federal_register::{MAX_COUNT_CALLS, RegisterJudge};
use crate::records::MAX_KEPT_BYTES;
use crate::source::{Services, Settings};
use crate::sources_view::SourcesView;

/// A manufacturer's accounts.
const DISTRESS_EXAMPLE: &str = r#"{"agent":"my-agent","financials":{"currency":"USD","period_end":"2026-06-30","sic":"3571","market_value":"2500","total_assets":"1000","current_assets":"600","current_liabilities":"150","total_liabilities":"200","retained_earnings":"500","ebit":"250","pretax_income":"250","net_income":"180","revenue":"1200"}}"#;
const COMPOSITE_EXAMPLE: &str = r#"{"agent":"my-agent","as_of":"2024-12-31"}"#;
const REGISTER_EXAMPLE: &str =
    r#"{"agent":"my-agent","term":"artificial intelligence","types":"RULE","from":"2026-01-01"}"#;
const AWARDS_EXAMPLE: &str =
    r#"{"agent":"my-agent","group":"contracts","keywords":"quantum computing","limit":"10"}"#;

/// Builds the module.
///
/// # Errors
/// [`ModuleError`] names the setting that is wrong.
pub fn module(settings: &Settings, host: &Host) -> Result<Module, ModuleError> {
    let services = Services::new(settings, host)?;
    let (asked, observed) = (services.as_ref(), services.clone());
    Ok(Module::new(crate::MODULE)
        .route("distress-score", Arc::new(DistressJudge::new(asked)), DISTRESS_EXAMPLE)
        .route("composite", Arc::new(CompositeJudge::new(asked)), COMPOSITE_EXAMPLE)
        .route("federal-register", Arc::new(RegisterJudge::new(asked)), REGISTER_EXAMPLE)
        .route("awards", Arc::new(AwardsJudge::new(asked)), AWARDS_EXAMPLE)
        .view("/sources", Arc::new(SourcesView::new(services.clone())))
        .with_standing(move |at| {
            let is_failing = observed.iter().flat_map(Services::all).any(|source| source.is_failing(at));
            Standing { fault: is_failing.then_some("source_failing"), ..Standing::default() }
        })
        .with_bounds(json!({
            "members": distress::MAX_MEMBERS,
            "report_age_months": distress::MAX_AGE_MONTHS,
            "components": stress_composite::MAX_COMPONENTS,
            "component_observations": crate::composite::MAX_OBSERVATIONS,
            "input_age_business_days": stress_composite::MAX_AGE_BUSINESS_DAYS,
            "search_bytes": MAX_KEPT_BYTES,
            "search_counts": MAX_COUNT_CALLS,
            "source_bytes": crate::MAX_BODY_BYTES,
            "source_s": crate::source::LONGEST.as_secs(),
            "work_waiting": crate::work::MOST_WAITING,
        })))
}
