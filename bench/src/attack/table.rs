//! The results of each attack, compared with the goals, as a Markdown table.

use std::fmt;

use super::honest::{Route, Seen};
use super::peak::Peak;
use crate::report::number;
use crate::usage::{Usage, load_average, processor};

/// The most that the 99th percentile of any route may be, in milliseconds.
pub const MOST_P99_MS: f64 = 250.0;
/// The most that any honest grade may take, in milliseconds.
pub const MOST_GRADE_MS: f64 = 2000.0;

/// One attack's row.
pub struct Row {
    /// The attack.
    pub name: String,
    /// The results of the honest client's calls.
    pub seen: Seen,
    /// Other goals that were missed.
    pub missed: Vec<String>,
    /// The answers that the attackers got, and other notes.
    pub summary: String,
    /// The same, as short as a table needs it.
    pub short_summary: String,
    /// The most memory that was in use.
    pub peak: Peak,
    /// Processor seconds of the whole attack.
    pub usage: Usage,
}

impl Row {
    /// All goals that were missed.
    pub fn misses(&self) -> Vec<String> {
        let mut misses = Vec::new();
        for (route, series) in &self.seen {
            let path = route.path();
            if series.failed() > 0 {
                let mut why: Vec<_> = series.failures.iter().collect();
                why.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
                let why: Vec<String> =
                    why.iter().take(3).map(|(why, count)| format!("{why} ×{count}")).collect();
                misses.push(format!(
                    "{path} failed {} of {}: {}",
                    series.failed(),
                    series.asked,
                    why.join(", ")
                ));
            }
            let (percentile, most) = match route {
                Route::Grade => (100.0, MOST_GRADE_MS),
                Route::Health | Route::Claim | Route::Verify | Route::Commit => (99.0, MOST_P99_MS),
            };
            if series.ms(percentile) > most {
                let name = if percentile < 100.0 { "p99" } else { "slowest" };
                let measured = number(series.ms(percentile));
                misses.push(format!("{path} {name} {measured} ms of at most {most} ms"));
            }
        }
        misses.extend(self.missed.iter().cloned());
        misses
    }

    fn cell(&self, route: Route) -> String {
        let Some(series) = self.seen.get(&route) else { return String::new() };
        let [p50, p99, max] = [50.0, 99.0, 100.0].map(|percentile| number(series.ms(percentile)));
        format!("{p50} / {p99} / {max}")
    }

    /// Returns the attack and the results of the honest client, line by line, to be printed while the run goes on.
    pub fn told(&self) -> String {
        let mut lines = Vec::new();
        for (route, series) in &self.seen {
            let [p50, p99, max] = [50.0, 99.0, 100.0].map(|percentile| number(series.ms(percentile)));
            lines.push(format!(
                "  {:<16} asked {:>4}, failed {:>4}, p50 {p50} ms, p99 {p99} ms, max {max} ms",
                route.path(),
                series.asked,
                series.failed(),
            ));
        }
        if !self.summary.is_empty() {
            lines.push(format!("  attackers: {}", self.summary));
        }
        lines.extend(self.misses().iter().map(|miss| format!("  MISSED: {miss}")));
        lines.join("\n")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked: u64 = self.seen.values().map(|series| series.asked).sum();
        let failed: u64 = self.seen.values().map(super::honest::Series::failed).sum();
        write!(f, "| `{}` | {failed} of {asked} ", self.name)?;
        for route in [Route::Health, Route::Claim, Route::Verify, Route::Commit, Route::Grade] {
            write!(f, "| {} ", self.cell(route))?;
        }
        let misses = self.misses();
        let met = if misses.is_empty() { "yes".to_owned() } else { format!("no: {}", misses.join("; ")) };
        // Of one core.
        let share = |seconds: f64| seconds / self.usage.total.max(f64::EPSILON) * cores() * 100.0;
        write!(
            f,
            "| {met} | {}notary {:.0} % of a core, at most {:.0} MB, sockets {:.0} MB; clients {:.0} % of a core; others used {:.0} % |",
            if self.short_summary.is_empty() { String::new() } else { format!("{}; ", self.short_summary) },
            share(self.usage.server),
            self.peak.resident as f64 / 1e6,
            self.peak.sockets as f64 / 1e6,
            share(self.usage.generator),
            self.usage.others() * 100.0,
        )
    }
}

fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

/// The whole table.
pub struct Table {
    heading: String,
    rows: Vec<Row>,
}

impl Table {
    /// An empty table of now and here.
    pub fn start(commit: Option<&str>, seconds: f64) -> Self {
        use verdict::Clock as _;
        let day = verdict::SystemClock::start().now().day();
        let commit = commit.map_or_else(String::new, |commit| format!(", commit {commit}"));
        let heading = format!(
            "{day}{commit}, {}; {seconds} s an attack; load average before the run {:.2}. Latencies are p50 / p99 / max in ms.",
            processor(),
            load_average(),
        );
        Self { heading, rows: Vec::new() }
    }

    /// Adds an attack, and shows it to who waits.
    pub fn add(&mut self, row: Row) {
        eprintln!("{}", row.told());
        self.rows.push(row);
    }

    /// Returns true if every goal of every attack was met.
    pub fn is_met(&self) -> bool {
        self.rows.iter().all(|row| row.misses().is_empty())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.heading)?;
        writeln!(
            f,
            "| attack | failed | `/health` | `/claim-verdict` | `/verify` | `/commit` | `/grade-strategy` | goals met | what the attackers got |"
        )?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|--:|---|---|")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::honest::Series;
    use super::*;
    use std::collections::BTreeMap;

    fn row(route: Route, ms: &[u64], failures: &[(&str, u64)]) -> Row {
        let mut latencies = hdrhistogram::Histogram::new(3).unwrap();
        ms.iter().for_each(|ms| latencies.record(ms * 1000).unwrap());
        let failures: BTreeMap<String, u64> =
            failures.iter().map(|(why, count)| ((*why).to_owned(), *count)).collect();
        let series = Series { asked: ms.len() as u64, failures, latencies };
        Row {
            name: "test".to_owned(),
            seen: Seen::from([(route, series)]),
            missed: Vec::new(),
            summary: "400 ×9".to_owned(),
            short_summary: "400 ×9".to_owned(),
            peak: Peak::default(),
            usage: Usage::default(),
        }
    }

    #[test]
    fn a_goal_is_missed_by_a_failure_by_a_slow_percentile_and_by_a_slow_grade() {
        assert_eq!(row(Route::Health, &[1, 2, 249], &[]).misses(), [""; 0]);
        assert_eq!(row(Route::Health, &[1, 2, 300], &[]).misses().len(), 1);
        assert_eq!(row(Route::Grade, &[1, 1900], &[]).misses(), [""; 0]);
        assert_eq!(row(Route::Grade, &[1, 2100], &[]).misses().len(), 1);
        let failed = row(Route::Claim, &[1, 1], &[("429 rate_limited", 2)]);
        assert_eq!(failed.misses(), ["/claim-verdict failed 2 of 2: 429 rate_limited ×2"]);
        assert!(failed.to_string().starts_with("| `test` | 2 of 2 |  | 1.00 / 1.00 / 1.00 |"), "{failed}");
    }
}
