//! The panels, title and description on one sheet.

use askama::Template;

use super::panels::{self, Panel, deepest};
use super::read::{Copying, Drawn, Heading};
use super::scale::{percent, short};
use super::shape::{Area, Shape};
use super::words::{self, cut};
use super::{figures, gates, months};

const WIDTH: f64 = 760.0;
/// The left edge of texts.
const TEXT_LEFT: f64 = 20.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 20.0;
/// The vertical position of the first line of text, and the distance to the next.
const FIRST_LINE: f64 = 62.0;
const LINE_HEIGHT: f64 = 19.0;
/// Height of a panel's axis below it, and of the title of the next.
const GAP: f64 = 78.0;
/// Width of an agent's name in the footer, in tenths of the font's size.
const NAME_TENTHS: u32 = 360;

#[derive(Template)]
#[template(path = "tear_sheet.svg")]
struct TearSheet<'a> {
    width: f64,
    height: f64,
    title: String,
    description: String,
    verdict: &'a str,
    tone: &'static str,
    reason: &'a str,
    lines: Vec<(f64, &'static str, String)>,
    panels: Vec<Panel>,
    signed: String,
    hash: &'a str,
}

/// Draws the sheet as SVG, as high as its content requires; `None` if the template cannot be rendered.
pub fn draw(heading: &Heading, drawn: &Drawn, copying: Option<&Copying>) -> Option<String> {
    let lines = lines(heading, drawn, copying);
    let under = lines.last().map_or(FIRST_LINE, |(y, ..)| *y);
    let (panels, bottom) = panels(drawn, copying, under + 18.0);
    let sheet = TearSheet {
        width: WIDTH,
        height: bottom + 104.0,
        title: format!(
            "{}: {} ({}), as the caller states it",
            heading.class, heading.verdict, heading.reason
        ),
        description: described(heading, drawn, copying),
        verdict: &heading.verdict,
        tone: tone(&heading.verdict),
        reason: &heading.reason,
        lines,
        panels,
        signed: signed(heading),
        hash: &heading.receipt_hash,
    };
    sheet.render().ok()
}

/// The lines of text under the verdict, from its scope down, each with its position and class.
fn lines(heading: &Heading, drawn: &Drawn, copying: Option<&Copying>) -> Vec<(f64, &'static str, String)> {
    let scope = words::scope(heading, drawn).map(|line| ("scope", line));
    let explained = words::wrapped(&heading.explanation).into_iter().map(|line| ("words", line));
    let facts = words::broken(&words::facts(heading, drawn, copying)).into_iter().map(|line| ("facts", line));
    let texts = scope.into_iter().chain(explained).chain(facts);
    let height = |at: u8| FIRST_LINE + LINE_HEIGHT * f64::from(at);
    (0..).zip(texts).map(|(at, (class, text))| (height(at), class, text)).collect()
}

/// The panels below a position, and where the last ends. A panel of figures that the receipt lacks is left out.
fn panels(drawn: &Drawn, copying: Option<&Copying>, top: f64) -> (Vec<Panel>, f64) {
    let area = |top: f64, height: f64| Area { left: LEFT, top, right: RIGHT, bottom: top + height };
    let mut panels: Vec<Panel> = Vec::new();
    let mut next = top;
    let of_copying = copying.and_then(|copying| figures::copying(copying, TEXT_LEFT, next));
    if let Some(strip) = of_copying.or_else(|| figures::strip(&drawn.performance, TEXT_LEFT, next)) {
        panels.push(strip);
        next += figures::HEIGHT;
    }
    if let Some(copying) = copying {
        let area = Area { left: TEXT_LEFT, ..area(next + 28.0, gates::height(copying, drawn)) };
        panels.push(gates::table(copying, drawn, area));
        next = area.bottom + 12.0;
    }
    let upper = area(next + 28.0, 180.0);
    let lower = area(upper.bottom + 32.0, 84.0);
    panels.extend([panels::equity(drawn, copying.is_some(), upper), panels::drawdown(drawn, lower)]);
    let mut next = lower.bottom + GAP;
    if !drawn.performance.rolling_sharpe.is_empty() {
        let area = area(next, 84.0);
        panels.push(panels::rolling(drawn, area));
        next = area.bottom + GAP;
    }
    if let Some(height) = months::height(&drawn.performance) {
        let area = area(next, height);
        panels.push(months::table(&drawn.performance, area));
        next = area.bottom + 46.0;
    }
    let last = area(next, 140.0);
    panels.push(panels::subperiods(drawn, Area { right: 374.0, ..last }));
    panels.push(panels::bootstrap(drawn, Area { left: 462.0, ..last }));
    (panels, last.bottom)
}

fn tone(verdict: &str) -> &'static str {
    match verdict {
        "REAL_EDGE" | "COPY" => "good",
        "NEGATIVE_EV" | "AVOID" => "bad",
        "REGIME_LUCK" | "CAUTION" => "wary",
        _ => "none",
    }
}

fn signed(heading: &Heading) -> String {
    let name = cut(&heading.agent, NAME_TENTHS);
    format!("{}, signed {}, for {name}", heading.class, heading.signed_at)
}

/// Describes the sheet in words, for readers who do not see the image.
fn described(heading: &Heading, drawn: &Drawn, copying: Option<&Copying>) -> String {
    let scope = words::scope(heading, drawn).join("; ");
    let facts = words::facts(heading, drawn, copying);
    let mut text = format!("{scope}. {} {facts}. ", heading.explanation);
    if let Some(copying) = copying {
        text += &format!("{} ", gates::described(copying, drawn));
    }
    if let Some(last) = drawn.curve.last() {
        let (equity, fall) = (short(last.equity), percent(-deepest(drawn)));
        text += &format!("The equity goes from 1 to {equity}; its deepest drawdown is {fall}. ");
    }
    let mean = |mean: f64| format!("{} %", short(100.0 * mean));
    let means: Vec<String> = drawn.subperiods.iter().map(|period| mean(period.mean)).collect();
    if !means.is_empty() {
        text += &format!("The mean alpha a day of the subperiods is {}. ", means.join(", "));
    }
    if let Some(bins) = &drawn.bootstrap {
        let [from, to, observed] = [bins.from, bins.to, bins.observed].map(short);
        text += &format!(
            "Without an edge the resampled Sharpe ratios a day lie from {from} to {to}; observed is {observed}."
        );
    }
    text.trim_end().to_owned()
}
