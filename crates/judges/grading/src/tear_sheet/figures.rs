//! The strip of key figures above the panels.

use super::panels::Panel;
use super::scale::{chance, percent, short};
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

/// Draws the figures from this position down; `None` if the receipt has none of them.
pub fn strip(performance: &Performance, left: f64, top: f64) -> Option<Panel> {
    let figures = figures(performance);
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

fn figures(of: &Performance) -> [Figure; 6] {
    let interval = of.sharpe_low.zip(of.sharpe_high);
    let deepest = of.drawdowns.first();
    let figure = |name, value, remark, width| Figure { name, value, remark, width };
    [
        figure("growth a year", of.growth.map(percent), None, 112.0),
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
