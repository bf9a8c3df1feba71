//! The table of growth by month: a row for each year, coloured by gain and loss.

use super::panels::Panel;
use super::scale::one_place;
use super::shape::{Area, Shape};
use crate::performance::{MonthGrowth, Performance};
use crate::statistics::count;

/// Maximum number of years of the table: the last ones.
const MOST_ROWS: usize = 10;
const ROW_HEIGHT: f64 = 19.0;
/// Twelve months and the year.
const COLUMNS: f64 = 13.0;
const NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A month of the table.
struct Cell {
    year: i16,
    /// From 0 for January.
    month: usize,
    growth: f64,
}

/// Returns the height of the table, without its title; `None` if the receipt has no months.
pub fn height(performance: &Performance) -> Option<f64> {
    let rows = years(&cells(performance)).len();
    (rows > 0).then(|| ROW_HEIGHT * (count(rows) + 1.0))
}

/// Draws the table.
pub fn table(performance: &Performance, area: Area) -> Panel {
    let cells = cells(performance);
    let years = years(&cells);
    let all = performance.years.len();
    let title = if all > years.len() {
        format!("Growth by month, %, of the last {} years", years.len())
    } else {
        "Growth by month, %".to_owned()
    };
    let mut panel = Panel::titled(area, &title);
    let width = (area.right - area.left) / COLUMNS;
    let middle = |column: usize| area.left + (count(column) + 0.5) * width;
    let baseline = |row: usize| area.top + ROW_HEIGHT * count(row + 1) + 13.0;
    for (column, name) in NAMES.into_iter().chain(["year"]).enumerate() {
        panel.add(Shape::text("tick middle", middle(column), area.top + 12.0, name));
    }
    for (row, year) in years.iter().enumerate() {
        panel.add(Shape::text("tick end", area.left - 6.0, baseline(row), year.to_string()));
        if let Some(of) = performance.years.iter().find(|of| of.year == *year) {
            panel.add(Shape::text(
                "cell middle name",
                middle(NAMES.len()),
                baseline(row),
                one_place(of.growth),
            ));
        }
    }
    let most = cells.iter().map(|cell| cell.growth.abs()).fold(0.0, f64::max);
    for cell in &cells {
        let Some(row) = years.iter().position(|year| *year == cell.year) else { continue };
        let (top, left) = (baseline(row) - 13.0, middle(cell.month) - 0.5 * width);
        let place = Area {
            left: left + 0.5,
            right: left + width - 0.5,
            top: top + 0.5,
            bottom: top + ROW_HEIGHT - 0.5,
        };
        panel.add(Shape::rectangle(shade(cell.growth, most), place));
        panel.add(Shape::text("cell middle", middle(cell.month), baseline(row), one_place(cell.growth)));
    }
    panel
}

/// The class of a cell: three shades of a gain or of a loss, by the greatest of the table.
fn shade(growth: f64, most: f64) -> &'static str {
    let share = if most > 0.0 { growth / most } else { 0.0 };
    match share {
        0.0 => "band",
        share if share > 0.66 => "gain",
        share if share > 0.33 => "gain pale",
        share if share > 0.0 => "gain paler",
        share if share < -0.66 => "loss",
        share if share < -0.33 => "loss pale",
        _ => "loss paler",
    }
}

/// The months of the last years; a month that is not written as `2024-01` is left out.
fn cells(performance: &Performance) -> Vec<Cell> {
    let cell = |MonthGrowth { month, growth }: &MonthGrowth| {
        let (year, month) = month.rsplit_once('-')?;
        let month = month.parse::<usize>().ok()?.checked_sub(1).filter(|month| *month < NAMES.len())?;
        Some(Cell { year: year.parse().ok()?, month, growth: *growth })
    };
    let mut cells: Vec<Cell> = performance.months.iter().filter_map(cell).collect();
    let last = years(&cells);
    cells.retain(|cell| last.contains(&cell.year));
    cells
}

/// The last years of the cells, the earliest first.
fn years(cells: &[Cell]) -> Vec<i16> {
    let mut years: Vec<i16> = cells.iter().map(|cell| cell.year).collect();
    years.sort_unstable();
    years.dedup();
    years.split_off(years.len().saturating_sub(MOST_ROWS))
}
