//! Drawdowns and growth by month, as the rows of tables.

use crate::performance::Performance;
use crate::tear_sheet::{one_place, percent};

/// A drawdown.
pub struct DrawdownRow {
    /// The day of the high before it.
    pub from: String,
    /// The day on which the equity is lowest.
    pub trough: String,
    /// The day of the recovery, or that there was none.
    pub to: String,
    /// The depth in percent.
    pub depth: String,
}

/// A year of growth by month.
pub struct YearRow {
    /// The year.
    pub year: i16,
    /// Growth of each month, in percent without the sign; empty where no unit is in it.
    pub months: [String; 12],
    /// Growth of the year.
    pub whole: String,
}

/// Returns the drawdowns, the deepest first.
pub fn drawdowns(of: &Performance) -> Vec<DrawdownRow> {
    let rows = of.drawdowns.iter().map(|fall| DrawdownRow {
        from: fall.from.to_string(),
        trough: fall.trough.to_string(),
        to: fall.to.map_or_else(|| "not yet".to_owned(), |to| to.to_string()),
        depth: percent(fall.depth),
    });
    rows.collect()
}

/// Returns a row for each year of the receipt, the last first.
pub fn years(of: &Performance) -> Vec<YearRow> {
    let rows = of.years.iter().rev().map(|year| YearRow {
        year: year.year,
        months: std::array::from_fn(|month| {
            let name = format!("{:04}-{:02}", year.year, month + 1);
            let found = of.months.iter().find(|of| of.month == name);
            found.map_or_else(String::new, |of| one_place(of.growth))
        }),
        whole: one_place(year.growth),
    });
    rows.collect()
}
