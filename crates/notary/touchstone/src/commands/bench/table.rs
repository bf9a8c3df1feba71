//! A study as lines of Markdown: every cell's rates, then those that the rule is held to.

use simulated_returns::Process;

use super::study::{Study, StudyCell, StudyCounts};

/// One line a cell, rates in percent, then the rates that the rule is held to.
pub fn table(study: &Study, cells: &[StudyCell], mut line: impl FnMut(String)) {
    line("| process | units | Sharpe | declared | records | real edge | regime luck | negative | insufficient |".to_owned());
    line("|---|---|---|---|---|---|---|---|---|".to_owned());
    let mut found = Vec::new();
    for cell in cells {
        let counts = study.cell(cell);
        let rate = |of: u32| format!("{:.2}", percent(of, counts.records()));
        line(format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cell.process.name(),
            cell.units,
            cell.sharpe,
            cell.declared.map_or_else(|| "-".to_owned(), |n| n.to_string()),
            counts.records(),
            rate(counts.real_edge),
            rate(counts.regime_luck),
            rate(counts.negative_ev),
            rate(counts.insufficient_data),
        ));
        found.push((*cell, counts));
    }
    line(String::new());
    POOLED.iter().for_each(|rate| line(rate.pooled(&found)));
    WORST.iter().filter_map(|rate| rate.worst(&found)).for_each(line);
}

fn percent(part: u32, all: u32) -> f64 {
    if all == 0 { 0.0 } else { 100.0 * f64::from(part) / f64::from(all) }
}

/// A rate over some cells.
struct Rate {
    name: &'static str,
    /// Returns true if the rate counts that cell.
    is_of: fn(&StudyCell) -> bool,
    /// The verdict that is counted.
    counted: fn(&StudyCounts) -> u32,
}

const fn real_edge(name: &'static str, is_of: fn(&StudyCell) -> bool) -> Rate {
    Rate { name, is_of, counted: |counts| counts.real_edge }
}

const fn negative_ev(name: &'static str, is_of: fn(&StudyCell) -> bool) -> Rate {
    Rate { name, is_of, counted: |counts| counts.negative_ev }
}

const POOLED: [Rate; 11] = [
    real_edge("false REAL_EDGE, zero edge", is_null),
    real_edge("false REAL_EDGE, levered benchmark", |cell| cell.process == Process::LeveredBenchmark),
    real_edge("false REAL_EDGE, declared selection", |cell| is_selection(cell) && cell.declared.is_some()),
    real_edge("false REAL_EDGE, undeclared selection", |cell| is_selection(cell) && cell.declared.is_none()),
    real_edge("false REAL_EDGE, temporal luck", |cell| {
        matches!(cell.process, Process::OneQuarter | Process::Flip)
    }),
    real_edge("power, Sharpe 1, one trial declared", |cell| is_power(cell, 1.0, true)),
    real_edge("power, Sharpe 2, one trial declared", |cell| is_power(cell, 2.0, true)),
    real_edge("power, Sharpe 2, undeclared", |cell| is_power(cell, 2.0, false)),
    real_edge("power, Sharpe 3, one trial declared", |cell| is_power(cell, 3.0, true)),
    real_edge("power, Sharpe 3, undeclared", |cell| is_power(cell, 3.0, false)),
    negative_ev("NEGATIVE_EV, Sharpe 2 or more, 250 units", is_edge_of_a_year),
];

const WORST: [Rate; 2] = [
    real_edge("worst cell of zero edge", is_null),
    negative_ev("worst cell of NEGATIVE_EV, Sharpe 2 or more, 250 units", is_edge_of_a_year),
];

fn is_null(cell: &StudyCell) -> bool {
    cell.sharpe == 0.0
}

fn is_selection(cell: &StudyCell) -> bool {
    cell.process == Process::BestOfTen
}

/// Three years of an edge in Student's t or with clusters of variance.
fn is_power(cell: &StudyCell, sharpe: f64, declared: bool) -> bool {
    matches!(cell.process, Process::StudentT5 | Process::GarchWithBenchmark)
        && cell.units == 756
        && cell.sharpe.total_cmp(&sharpe).is_eq()
        && cell.declared.is_some() == declared
}

fn is_edge_of_a_year(cell: &StudyCell) -> bool {
    Process::EDGES.contains(&cell.process) && cell.sharpe >= 2.0 && cell.units == 250
}

impl Rate {
    fn pooled(&self, found: &[(StudyCell, StudyCounts)]) -> String {
        let of = found.iter().filter(|(cell, _)| (self.is_of)(cell));
        let (part, all) = of
            .fold((0, 0), |(part, all), (_, counts)| (part + (self.counted)(counts), all + counts.records()));
        format!("- {}: {:.2}% of {all}", self.name, percent(part, all))
    }

    /// The greatest rate of a single cell.
    fn worst(&self, found: &[(StudyCell, StudyCounts)]) -> Option<String> {
        let rate = |counts: &StudyCounts| percent((self.counted)(counts), counts.records());
        let of = found.iter().filter(|(cell, _)| (self.is_of)(cell));
        let (cell, counts) = of.max_by(|a, b| rate(&a.1).total_cmp(&rate(&b.1)))?;
        let StudyCell { process, units, sharpe, .. } = cell;
        Some(format!(
            "- {}: {:.2}% ({}, {units} units, Sharpe {sharpe})",
            self.name,
            rate(counts),
            process.name()
        ))
    }
}
