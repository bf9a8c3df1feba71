//! Figures against their targets, as a Markdown table.

use std::fmt;

use verdict::{Clock as _, SystemClock};

use crate::usage;

/// The target of a figure.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// Nothing: it explains another figure.
    None,
}

/// A measured figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of the measured quantity.
    pub name: &'static str,
    /// The subcommand that measures it.
    pub command: &'static str,
    /// The median of the rounds.
    pub value: f64,
    /// The unit of the figure.
    pub unit: &'static str,
    /// The target of the figure.
    pub target: Target,
    /// Further information: the spread, processor time, noise.
    pub note: String,
}

/// All figures of a run.
pub struct Report {
    heading: String,
    load_at_start: f64,
    figures: Vec<Figure>,
}

impl Report {
    /// An empty report of now and here.
    pub fn start(commit: Option<&str>) -> Self {
        let day = SystemClock::start().now().day();
        let commit = commit.map_or_else(String::new, |commit| format!(", commit {commit}"));
        let heading = format!("{day}{commit}, {}", usage::processor());
        Self { heading, load_at_start: usage::load_average(), figures: Vec::new() }
    }

    /// Adds a figure, and shows it to who waits.
    pub fn add(&mut self, figure: Figure) {
        eprintln!("  {}: {} {} ({})", figure.name, number(figure.value), figure.unit, figure.note);
        self.figures.push(figure);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}; load average before the run {:.2}.\n", self.heading, self.load_at_start)?;
        writeln!(f, "| figure | measured | target | measured / target | met | `bench/run.sh` | notes |")?;
        writeln!(f, "|---|--:|--:|--:|---|---|---|")?;
        self.figures.iter().try_for_each(|figure| writeln!(f, "{figure}"))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, command, value, unit, target, note } = self;
        let (wanted, ratio, met) = match *target {
            Target::AtLeast(limit) => (format!("≥ {}", number(limit)), Some(value / limit), *value >= limit),
            Target::AtMost(limit) => (format!("≤ {}", number(limit)), Some(value / limit), *value <= limit),
            Target::None => (String::new(), None, true),
        };
        let met = if ratio.is_none() {
            ""
        } else if met {
            "yes"
        } else {
            "no"
        };
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        write!(
            f,
            "| {name} | {} {unit} | {wanted} | {ratio} | {met} | `{command}` | {note} |",
            number(*value)
        )
    }
}

/// Three significant digits or more, thousands apart.
pub fn number(value: f64) -> String {
    match value {
        value if value >= 1000.0 => {
            let digits = format!("{value:.0}");
            let groups: Vec<&str> = digits
                .as_bytes()
                .rchunks(3)
                .rev()
                .filter_map(|group| std::str::from_utf8(group).ok())
                .collect();
            groups.join(",")
        }
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// The median of rounds, and their spread as text.
pub fn median(mut rounds: Vec<f64>) -> (f64, String) {
    rounds.sort_by(f64::total_cmp);
    let middle = rounds.len() / 2;
    let median = match rounds.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => rounds[middle],
        _ => f64::midpoint(rounds[middle - 1], rounds[middle]),
    };
    let spread = match (rounds.first(), rounds.last()) {
        (Some(least), Some(most)) => format!("{} to {}", number(*least), number(*most)),
        _ => String::new(),
    };
    (median, spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_a_row_with_its_ratio() {
        let figure = Figure {
            name: "receipts",
            command: "receipts",
            value: 12_345.6,
            unit: "/s",
            target: Target::AtLeast(8000.0),
            note: "n".to_owned(),
        };
        assert_eq!(figure.to_string(), "| receipts | 12,346 /s | ≥ 8,000 | 1.54 | yes | `receipts` | n |");
    }

    #[test]
    fn the_median_of_an_even_count_is_the_mean_of_the_middle_two() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), (2.5, "1.00 to 4.00".to_owned()));
    }
}
