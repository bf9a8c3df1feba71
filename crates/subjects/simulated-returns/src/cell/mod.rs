//! Cells: a generator, a length, and the statements of the records' owner.

mod generate;
mod generator;
mod table;
#[cfg(test)]
mod tests;

pub use generator::{Generator, Label, Part};
pub use table::cells;

use crate::random::Random;
use crate::record::{Record, Rows};

/// One kind of record, and the part of the rule that it tests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cell {
    /// The part of the rule.
    pub part: Part,
    /// The process that makes the records.
    pub generator: Generator,
    /// Their length in trading days. A position of 120 slices has its own length; a cut record is shorter.
    pub days: usize,
    /// The number of trials that their owner declares.
    pub declared: Option<u32>,
    /// True if their owner states the greatest possible loss.
    pub max_loss: bool,
}

impl Cell {
    /// Returns the cell's name: generator, length, and statements.
    #[must_use]
    pub fn name(&self) -> String {
        let declared = self.declared.map_or_else(|| "undeclared".to_owned(), |n| format!("{n} declared"));
        let tail = if self.max_loss { ", max_loss" } else { "" };
        format!("{}, {} days, {declared}{tail}", self.generator.name(), self.days)
    }

    /// The truth about the cell's records.
    #[must_use]
    pub fn label(&self) -> Label {
        self.generator.label()
    }
}

/// Simulates a record of a cell. The same arguments give the same record on any computer; `seed` selects one of many.
/// Cells that differ in their owner's statements alone share their records.
///
/// ```
/// use simulated_returns::{Label, Rows, cells, record};
///
/// let cell = cells().into_iter().find(|cell| cell.name().starts_with("index swing")).expect("a cell");
/// assert_eq!(cell.label(), Label::NoEdge);
/// let made = record(&cell, 7);
/// assert_eq!(made, record(&cell, 7));
/// let Rows::Trades { trades, marks } = made.rows else { panic!("trades") };
/// assert!(trades.len() > 100 && marks.len() == cell.days);
/// ```
#[must_use]
pub fn record(cell: &Cell, seed: u64) -> Record {
    let name = format!("cell/{}/{}", cell.generator.name(), cell.days);
    let mut record = generate::generate(cell.generator, cell.days, &mut Random::new(&name, seed));
    record.declared_trials = cell.declared;
    if !cell.max_loss {
        match &mut record.rows {
            Rows::Days(days) => days.iter_mut().for_each(|day| day.max_loss = None),
            Rows::Trades { trades, .. } => trades.iter_mut().for_each(|trade| trade.max_loss = None),
        }
    }
    record
}
