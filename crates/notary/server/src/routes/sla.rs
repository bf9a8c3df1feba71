//! GET /sla: availability and response time of each verdict route by month, from what was measured.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use verdict::Timestamp;

use crate::app::App;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;
use crate::service_levels::{self, ClassLevel, month_of};

pub(crate) const PATH: &str = "/sla";

/// The number of months that are shown, this one too: a year, and the same month of the year before.
const MONTHS: usize = 13;

const MEASURED: &str = "calls of verdict routes at this notary's processes: answered with a receipt, or failed with 500 to 599 but \
    for 501; refusals of a caller's own making (400, 402, 429) are neither, and calls that never arrived are not seen; counts are \
    at most a minute old";

/// Answers with the report.
pub async fn show(State(app): State<Arc<App>>, client: Client) -> Result<Response, Refusal> {
    let quota = routes::hit(&app, &client, PATH).await?;
    let mut months = Vec::new();
    for month in last_months(app.notary.clock.now()) {
        let levels = service_levels::stored(&*app.notary.ledger, &month).await?;
        let line = |(class, level): (&String, &ClassLevel)| {
            let terms = &app.route_table.route(class)?.terms;
            Some(json!({
                "class": terms.class,
                "path": terms.path(),
                "answered": level.answered(),
                "failed": level.failed,
                "availability": level.availability_millionths() as f64 / 1e6,
                "p95_ms": level.p95_ms(),
                "p95_target_ms": terms.p95_target_ms,
            }))
        };
        let routes: Vec<Value> = levels.iter().filter_map(line).collect();
        if !routes.is_empty() {
            months.push(json!({"month": month, "routes": routes}));
        }
    }
    Ok(routes::json(&json!({"measured": MEASURED, "months": months}), quota))
}

/// The months that are shown, the newest first.
fn last_months(now: Timestamp) -> Vec<String> {
    let before = |month_start: Timestamp| month_start.saturating_add_millis(-1);
    let start = |at: Timestamp| {
        Timestamp::from_millis(i64::from(at.unix_days_of_month_start()) * 86_400_000).unwrap_or(at)
    };
    let earlier = std::iter::successors(Some(now), |at| Some(before(start(*at))));
    earlier.take(MONTHS).map(month_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_months_go_back_a_year_whatever_the_day() {
        let months = last_months("2026-03-31T12:00:00.000Z".parse().unwrap());
        assert_eq!((months.len(), &*months[0], &*months[1]), (13, "2026-03", "2026-02"));
        assert_eq!((&*months[3], &*months[12]), ("2025-12", "2025-03"));
    }
}
