//! The strip of key figures above the panels.

use super::panels::Panel;
use super::read::Copying;
use super::scale::{amount, chance, percent, short};
use super::shape::Shape;
use crate::performance::Performance;

/// Height of the strip.
pub const HEIGHT: f64 = 58.0;

/// A figure with its name above it, and a remark below.
struct Figure {
    name: &'static str,
    value: Option<String>,
    remark: Option<String>,
    width: f64,
}

/// Draws the figures of a record from this position down; `None` if the receipt has none of them.
pub fn strip(performance: &Performance, left: f64, top: f64) -> Option<Panel> {
    drawn(figures(performance), left, top)
}

/// Draws the figures of copying a record; `None` if the receipt has none of them.
pub fn copying(copying: &Copying, left: f64, top: f64) -> Option<Panel> {
    drawn(of_copying(copying), left, top)
}

fn drawn<const N: usize>(figures: [Figure; N], left: f64, top: f64) -> Option<Panel> {
    if figures.iter().all(|figure| figure.value.is_none()) {
        return None;
    }
    let mut panel = Panel::default();
    let mut x = left;
    for Figure { name, value, remark, width } in figures {
        panel.add(Shape::text("tick", x, top + 10.0, name));
        panel.add(Shape::text("figure", x, top + 30.0, value.unwrap_or_else(|| "–".to_owned())));
        if let Some(remark) = remark {
            panel.add(Shape::text("tick", x, top + 47.0, remark));
        }
        x += width;
    }
    Some(panel)
}

/// The growth in excess of cash, beside that of the returns as they are.
fn over_cash(total: Option<f64>, in_excess: Option<f64>, rate: Option<f64>) -> Option<String> {
    total?;
    rate.filter(|rate| *rate != 0.0)?;
    Some(format!("over cash: {}", percent(in_excess?)))
}

fn of_copying(of: &Copying) -> [Figure; 5] {
    let figure = |name, value, remark, width| Figure { name, value, remark, width };
    let growth = &of.growth;
    let remark = |text: &str, is_there: bool| is_there.then(|| text.to_owned());
    let capacity = of.capacity.as_deref().map(amount);
    // Of an edge that no order takes whole there is a capacity all the same.
    let break_even = of.break_even_size.as_deref().map(amount);
    let break_even = break_even.or_else(|| capacity.as_ref().map(|_| "no limit".to_owned()));
    [
        figure(
            "growth a year, copied",
            growth.copy.map(percent),
            over_cash(growth.copy, growth.copy_in_excess, growth.risk_free),
            140.0,
        ),
        figure(
            "growth a year, record",
            growth.record.map(percent),
            over_cash(growth.record, growth.record_in_excess, growth.risk_free),
            140.0,
        ),
        figure(
            "cost of a round trip",
            of.cost.filter(|_| !of.lacks_costs()).map(|cost| percent(cost.total)),
            of.break_even_cost.map(|cost| format!("nothing left at {}", percent(cost))),
            148.0,
        ),
        figure(
            "capacity of an order",
            capacity.clone(),
            remark("half of the edge is left", capacity.is_some()),
            150.0,
        ),
        figure(
            "order that breaks even",
            break_even,
            remark("no edge is left", of.break_even_size.is_some()),
            140.0,
        ),
    ]
}

fn figures(of: &Performance) -> [Figure; 6] {
    let interval = of.sharpe_low.zip(of.sharpe_high);
    let deepest = of.drawdowns.first();
    let figure = |name, value, remark, width| Figure { name, value, remark, width };
    [
        figure(
            "growth a year",
            of.total_growth.or(of.growth).map(percent),
            over_cash(of.total_growth, of.growth, of.risk_free),
            112.0,
        ),
        figure("volatility a year", of.volatility.map(percent), None, 118.0),
        figure(
            "Sharpe ratio a year",
            of.sharpe.map(short),
            interval.map(|(low, high)| format!("95 %: {} to {}", short(low), short(high))),
            158.0,
        ),
        figure(
            "Sortino ratio",
            of.sortino.map(short),
            of.calmar.map(|calmar| format!("Calmar {}", short(calmar))),
            100.0,
        ),
        figure(
            "max drawdown",
            of.max_drawdown.map(percent),
            deepest.map(|fall| fall.trough.to_string()),
            108.0,
        ),
        figure(
            "P(Sharpe > 0)",
            of.probabilistic_sharpe.map(chance),
            of.deflated_sharpe.map(|share| format!("deflated: {}", chance(share))),
            124.0,
        ),
    ]
}
