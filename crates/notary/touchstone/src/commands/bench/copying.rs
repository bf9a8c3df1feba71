//! A study of `/copy-trade-score`: records that nobody should copy, one that anybody may, and the verdicts on them; and how often the
//! conduct of trades is called a martingale.
//!
//! A record is judged from the request that its owner would send, so that the study covers what the request may leave out.

use std::collections::BTreeSet;

use anyhow::Context as _;
use grading::copy_trade::{CopyQuestion, CopyTradeJudge, CopyVerdict};
use grading::grade_strategy::GradeQuestion;
use grading::{GradeReason, Reservation};
use rayon::prelude::*;
use serde_json::{Value, json};
use simulated_returns::{Cell, Generator, Part, Rows, cells, record, request};
use verdict::{Judge as _, Timestamp};

use super::records::read;
use super::study::Study;

/// The part of the costs that the request leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Said {
    /// Nothing.
    All,
    /// The costs of the instruments: those of one liquid instrument are given for all.
    OneCost,
    /// The drift within the latency.
    NoDrift,
}

impl Said {
    const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::OneCost => "one set of costs",
            Self::NoDrift => "no drift",
        }
    }

    /// Takes out of a request what is not said.
    fn apply(self, body: &mut Value) {
        let Some(costs) = body.get_mut("costs").and_then(Value::as_object_mut) else { return };
        match self {
            Self::All => {}
            Self::OneCost => drop(costs.remove("by_instrument")),
            Self::NoDrift => {
                costs.remove("measured_drift");
                let named = costs.get_mut("by_instrument").and_then(Value::as_object_mut);
                for own in named.into_iter().flat_map(|named| named.values_mut()) {
                    own["measured_drift"] = json!(null);
                }
            }
        }
    }
}

/// The numbers of records that got each verdict: copy, caution, avoid, insufficient data.
type Verdicts = [u32; 4];

/// One line a cell, rates in percent.
///
/// # Errors
/// Where a simulated record is no request, which a test excludes.
pub fn table(study: &Study, mut line: impl FnMut(String)) -> anyhow::Result<()> {
    line("| record | said of costs | records | COPY | CAUTION | AVOID | INSUFFICIENT_DATA |".to_owned());
    line("|---|---|--:|--:|--:|--:|--:|".to_owned());
    for (cell, said) in studied() {
        let counts = counted(study, &cell, said)?;
        let all = counts.iter().sum::<u32>().max(1);
        let rates = counts.map(|count| format!("{:.1}", 100.0 * f64::from(count) / f64::from(all)));
        line(format!("| {} | {} | {all} | {} |", cell.name(), said.name(), rates.join(" | ")));
    }
    line(String::new());
    line("| trades | records | called a martingale |".to_owned());
    line("|---|--:|--:|".to_owned());
    for cell in with_trades() {
        let called = called(study, &cell)?;
        let rate = 100.0 * f64::from(called) / f64::from(study.records.max(1));
        line(format!("| {}, {} days | {} | {rate:.1} |", cell.generator.name(), cell.days, study.records));
    }
    Ok(())
}

/// The cells of trades, one for each generator and length, but for those whose search takes long and whose sizes are constant.
fn with_trades() -> Vec<Cell> {
    let mut seen = BTreeSet::new();
    let is_new = |cell: &Cell| seen.insert((cell.generator.name(), cell.days));
    let found = cells().into_iter().filter(|cell| cell.max_loss && has_trades(cell));
    found.filter(is_new).collect()
}

fn has_trades(cell: &Cell) -> bool {
    !matches!(cell.generator, Generator::CopiedBest { .. } | Generator::BestOf { .. })
        && matches!(record(cell, 0).rows, Rows::Trades { .. })
}

/// The number of a cell's records whose sizes or positions are said to grow with losses.
fn called(study: &Study, cell: &Cell) -> anyhow::Result<u32> {
    let called = |number| -> anyhow::Result<bool> {
        let body = request(&record(cell, study.number(number)));
        let question: GradeQuestion = read(&body)?;
        let reservation = Reservation::NeverRealEdge(GradeReason::Martingale);
        Ok(question.settled.record.reservations.0.contains(&reservation))
    };
    let called: Vec<bool> = (0..study.records).into_par_iter().map(called).collect::<anyhow::Result<_>>()?;
    Ok(called.into_iter().map(u32::from).sum())
}

/// The cells, with what their requests say.
fn studied() -> Vec<(Cell, Said)> {
    let mut studied = Vec::new();
    for cell in cells().into_iter().filter(|cell| cell.part == Part::Copy) {
        studied.push((cell, Said::All));
        match cell.generator {
            Generator::CopiedMixed => studied.push((cell, Said::OneCost)),
            Generator::CopiedScalper => studied.push((cell, Said::NoDrift)),
            _ => {}
        }
    }
    studied
}

fn counted(study: &Study, cell: &Cell, said: Said) -> anyhow::Result<Verdicts> {
    let verdicts: Vec<CopyVerdict> = (0..study.records)
        .into_par_iter()
        .map(|number| judged(cell, study.number(number), said))
        .collect::<anyhow::Result<_>>()?;
    let mut counts = Verdicts::default();
    for verdict in verdicts {
        let [copy, caution, avoid, insufficient] = &mut counts;
        *match verdict {
            CopyVerdict::Copy => copy,
            CopyVerdict::Caution => caution,
            CopyVerdict::Avoid => avoid,
            CopyVerdict::InsufficientData => insufficient,
        } += 1;
    }
    Ok(counts)
}

fn judged(cell: &Cell, number: u64, said: Said) -> anyhow::Result<CopyVerdict> {
    let mut body = request(&record(cell, number));
    said.apply(&mut body);
    let question: CopyQuestion = read(&body)?;
    let at: Timestamp = "2026-01-01T00:00:00.000Z".parse().context("a time")?;
    Ok(CopyTradeJudge.replay(&question, &[], at)?.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_record_is_a_request_and_the_table_is_the_same_every_time() {
        let cheap = |cell: &Cell| !matches!(cell.generator, Generator::CopiedBest { .. });
        for (cell, said) in studied().into_iter().filter(|(cell, _)| cheap(cell)) {
            let study = &Study { records: 2, seed: 0 };
            let counts = counted(study, &cell, said).expect("requests");
            assert_eq!(counts.iter().sum::<u32>(), 2);
            assert_eq!(counted(study, &cell, said).expect("requests"), counts, "{}", cell.name());
        }
    }
}
