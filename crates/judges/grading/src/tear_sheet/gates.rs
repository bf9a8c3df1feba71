//! The gates of copying: a row for each with its statistic and bound, and a line on the costs above them.

use super::panels::Panel;
use super::read::{Copying, Drawn, Gate};
use super::scale::{grouped, percent, short};
use super::shape::{Area, Shape};
use super::words::cut;
use crate::statistics::count;

const ROW_HEIGHT: f64 = 19.0;
/// Distances of the columns from the left edge: the statistic, its bound, and if the gate passes.
const STATISTIC: f64 = 330.0;
const BOUND: f64 = 440.0;
const PASSED: f64 = 580.0;
/// Width of a name that this rule does not have, in tenths of the font's size.
const NAME_TENTHS: u32 = 260;

/// The unit of a gate's statistic and bound.
#[derive(Clone, Copy)]
enum Unit {
    /// A fraction, shown in percent.
    Share,
    /// A number as it is.
    Plain,
}

impl Unit {
    fn shown(self, value: f64) -> String {
        match self {
            Self::Share => percent(value),
            Self::Plain => short(value),
        }
    }
}

/// The names of the gates in words, and the units of their statistics.
const NAMES: [(&str, &str, Unit); 10] = [
    ("net.real_edge", "an edge after costs", Unit::Plain),
    ("cost.share_of_edge", "costs, of the edge before them", Unit::Share),
    ("net.drawdown", "drawdown at the copier's leverage", Unit::Share),
    ("net.worst_day", "worst day to expect at the copier's leverage", Unit::Share),
    ("hold.latencies", "median hold, in latencies", Unit::Plain),
    ("size.share_of_adv", "order, of the average daily volume", Unit::Share),
    ("exposure.notional_over_equity", "notional over equity at the copier's leverage", Unit::Plain),
    ("size.correlation_with_prior_loss", "conduct: sizes that follow losses, correlation", Unit::Plain),
    ("size.largest_over_median", "conduct: largest position, in medians", Unit::Plain),
    ("size.added_to_losers", "conduct: positions that grow while they lose", Unit::Share),
];

/// A row of the table.
struct Row {
    name: String,
    statistic: String,
    bound: String,
    passed: bool,
}

impl Row {
    fn of(gate: &Gate) -> Self {
        let known = NAMES.iter().find(|(id, ..)| *id == gate.id);
        let (name, unit) = known.map_or_else(
            || (cut(&gate.id, NAME_TENTHS), Unit::Plain),
            |(_, name, unit)| ((*name).to_owned(), *unit),
        );
        let statistic = match gate.statistic {
            Some(statistic) => unit.shown(statistic),
            None if gate.threshold.is_none() => if gate.passed { "yes" } else { "no" }.to_owned(),
            // Every hold is long enough for a copier who fills at once.
            None if gate.passed => "no latency".to_owned(),
            None => "not known".to_owned(),
        };
        let bound = match gate.bound.as_str() {
            "at_least" => "at least ",
            "above" => "above ",
            "at_most" => "at most ",
            "below" => "below ",
            _ => "",
        };
        let bound = gate.threshold.map(|threshold| format!("{bound}{}", unit.shown(threshold)));
        Self { name, statistic, bound: bound.unwrap_or_default(), passed: gate.passed }
    }
}

/// The gates, and last the number of trials, which has to be declared too.
fn rows(copying: &Copying, drawn: &Drawn) -> Vec<Row> {
    let declared = copying.declares_trials();
    let trials = drawn.trials_source.as_ref().map(|_| Row {
        name: "traders that this one was picked from".to_owned(),
        statistic: if declared { grouped(drawn.trials) } else { "not declared".to_owned() },
        bound: "declared".to_owned(),
        passed: declared,
    });
    copying.gates.iter().map(Row::of).chain(trials).collect()
}

/// Returns the height of the table, without its title.
pub fn height(copying: &Copying, drawn: &Drawn) -> f64 {
    ROW_HEIGHT * (count(rows(copying, drawn).len()) + 1.0)
}

/// Draws the table: first what the costs consist of, then the gates.
pub fn table(copying: &Copying, drawn: &Drawn, area: Area) -> Panel {
    let mut panel = Panel::titled(area, "Gates of copying");
    let baseline = |row: usize| area.top + ROW_HEIGHT * count(row) + 13.0;
    panel.add(Shape::text("tick", area.left, baseline(0), costs(copying)));
    for (at, Row { name, statistic, bound, passed }) in rows(copying, drawn).into_iter().enumerate() {
        let y = baseline(at + 1);
        if at % 2 == 0 {
            panel.add(Shape::rectangle("band", Area { top: y - 13.0, bottom: y + 6.0, ..area }));
        }
        panel.add(Shape::text("row", area.left + 6.0, y, name));
        panel.add(Shape::text("row end name", area.left + STATISTIC + 90.0, y, statistic));
        panel.add(Shape::text("row", area.left + BOUND, y, bound));
        let (class, word) =
            if passed { ("row name good", "passes") } else { ("row name bad", "does not pass") };
        panel.add(Shape::text(class, area.left + PASSED, y, word));
    }
    panel
}

/// The parts of a round trip's cost in words, and if the trader's own fees come on top of them.
pub fn costs(copying: &Copying) -> String {
    let Some(cost) = copying.cost.filter(|_| !copying.lacks_costs()) else {
        return "Costs: not all are known".to_owned();
    };
    let [spread_and_fees, impact, delay] = [cost.spread_and_fees, cost.impact, cost.delay].map(percent);
    let fees = match copying.trader_fees.as_deref() {
        Some("taken_off") => "; the trader's own fees are taken off first",
        Some("partly") => "; the trader's own fees are taken off where prices confirm them",
        Some("not_known") => "; the trader's own fees are charged too",
        _ => "",
    };
    format!("Costs: spread and fees {spread_and_fees}, impact {impact}, delay {delay}{fees}")
}

/// Describes capacity and gates in words, for readers who do not see the image.
pub fn described(copying: &Copying, drawn: &Drawn) -> String {
    let held = rows(copying, drawn).into_iter().filter(|row| !row.passed);
    let failed: Vec<String> = held.map(|row| format!("{} ({})", row.name, row.statistic)).collect();
    let gates = match failed.as_slice() {
        [] => "All gates pass.".to_owned(),
        failed => format!("These gates do not pass: {}.", failed.join(", ")),
    };
    format!("{}. {gates}", costs(copying))
}
