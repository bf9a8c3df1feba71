//! `/status`: modules, lists and latencies against their targets, as people read them. `/health` is for programs.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use module::SourceStanding;

use crate::app::App;
use crate::pages;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes::stats::{self, Day};
use crate::routes::{self, health};

#[derive(Template)]
#[template(path = "status.html")]
struct Status<'a> {
    notice: Option<&'a str>,
    is_ok: bool,
    issues: bool,
    /// The parts that are down, each with its code and what that means.
    faults: Vec<(String, String, &'static str)>,
    sources: Vec<(&'static str, SourceStanding)>,
    latencies: Vec<LatencyLine>,
    days: Vec<DayBar>,
    most: u64,
}

/// A day of the chart: a bar whose upper part was paid for. Lengths are in the units of the drawing.
struct DayBar {
    day: Day,
    x: usize,
    height: u64,
    paid_height: u64,
}

impl DayBar {
    fn total(&self) -> u64 {
        self.day.free + self.day.paid
    }
}

/// What a fault's code means, in a sentence; empty where the code says enough.
fn told(code: &str) -> &'static str {
    match code {
        "name_server_denies" => {
            "A name server of this notary says that the root of the DNS does not exist: what looks at domains gives no verdict."
        }
        "name_servers_silent" => "No name server answers: what is looked up stays unknown.",
        "source_failing" => "A source of records has failed within five minutes and has not answered since.",
        "no_list" => "A list that is configured has not been fetched yet: nothing is said not to be on it.",
        "list_stale" | "feed_stale" => "A list is older than a day: nothing is said not to be on it.",
        "restarted" => {
            "A part that works beside the answers has failed within the last minutes, and was started again."
        }
        _ => "",
    }
}

/// The height of the chart, in the units of the drawing.
const HEIGHT: u64 = 100;

/// The bars of the days, and the number of receipts that the highest stands for.
fn bars(days: Vec<Day>) -> (Vec<DayBar>, u64) {
    let most = days.iter().map(|day| day.free + day.paid).max().unwrap_or_default();
    let scaled = |count: u64| (count * HEIGHT).div_ceil(most.max(1));
    let bar = |(number, day): (usize, Day)| DayBar {
        x: number * 10,
        height: scaled(day.free + day.paid),
        paid_height: scaled(day.paid),
        day,
    };
    (days.into_iter().enumerate().map(bar).collect(), most)
}

struct LatencyLine {
    path: String,
    p50_ms: String,
    p95_ms: String,
    target_ms: u32,
    is_met: bool,
}

/// Shows the page.
pub(super) async fn show(State(app): State<Arc<App>>, client: Client) -> Result<Response, Refusal> {
    let quota = routes::hit(&app, &client, pages::RATED_AS).await?;
    let health = health::observe(&app);
    let sources = app.standings().flat_map(|(module, standing)| {
        standing.sources.into_iter().map(move |source| (module, source)).collect::<Vec<_>>()
    });
    let latencies = app.route_table.routes().filter_map(|route| {
        let (p50, p95) = app.latencies.percentiles(route.terms.class)?;
        let target_ms = route.terms.p95_target_ms;
        Some(LatencyLine {
            path: route.terms.path(),
            p50_ms: format!("{p50:.0}"),
            p95_ms: format!("{p95:.0}"),
            target_ms,
            is_met: p95 <= f64::from(target_ms),
        })
    });
    let (days, most) = bars(stats::days(&app).await?);
    let page = Status {
        notice: pages::notice(&app),
        is_ok: health.faults.is_empty(),
        issues: health.can_issue,
        faults: health
            .faults
            .into_iter()
            .map(|(part, code)| {
                let means = told(&code);
                (part, code, means)
            })
            .collect(),
        sources: sources.collect(),
        latencies: latencies.collect(),
        days,
        most,
    };
    Ok(pages::page(page.render().map_err(|_| Refusal::Bug)?, quota))
}
