//! The panels, title and description on one sheet.

use askama::Template;

use super::panels::{self, Panel, deepest};
use super::read::{Drawn, Heading};
use super::scale::{date, grouped, percent, short};
use super::shape::{Area, Shape};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 20.0;
/// The vertical position of the first line of text, and the distance to the next.
const FIRST_LINE: f64 = 64.0;
const LINE_HEIGHT: f64 = 20.0;
/// Characters of a line of text, and how many lines are shown.
const LINE: usize = 104;
const LINES: usize = 4;
/// Characters of an agent's name that are shown.
const NAME: usize = 60;

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
    panels: [Panel; 4],
    signed: String,
    hash: &'a str,
}

/// Draws the sheet as SVG, as high as its text requires; `None` if the template cannot be rendered.
pub fn draw(heading: &Heading, drawn: &Drawn) -> Option<String> {
    let texts = wrapped(&heading.explanation).into_iter().map(|line| ("words", line));
    let texts = texts.chain(std::iter::once(("facts", facts(drawn))));
    let height = |at: u8| FIRST_LINE + LINE_HEIGHT * f64::from(at);
    let lines: Vec<_> = (0..).zip(texts).map(|(at, (class, text))| (height(at), class, text)).collect();
    let under = lines.last().map_or(FIRST_LINE, |(y, ..)| *y);
    let area = |top: f64, height: f64| Area { left: LEFT, top, right: RIGHT, bottom: top + height };
    let (upper, lower) = (area(under + 48.0, 180.0), area(under + 260.0, 84.0));
    let last = area(lower.bottom + 82.0, 140.0);
    let sheet = TearSheet {
        width: WIDTH,
        height: last.bottom + 104.0,
        title: format!("{}: {} ({})", heading.class, heading.verdict, heading.reason),
        description: described(heading, drawn),
        verdict: &heading.verdict,
        tone: tone(&heading.verdict),
        reason: &heading.reason,
        lines,
        panels: [
            panels::equity(drawn, upper),
            panels::drawdown(drawn, lower),
            panels::subperiods(drawn, Area { right: 374.0, ..last }),
            panels::bootstrap(drawn, Area { left: 462.0, ..last }),
        ],
        signed: signed(heading),
        hash: &heading.receipt_hash,
    };
    sheet.render().ok()
}

fn tone(verdict: &str) -> &'static str {
    match verdict {
        "REAL_EDGE" | "COPY" => "good",
        "NEGATIVE_EV" | "AVOID" => "bad",
        "REGIME_LUCK" | "CAUTION" => "wary",
        _ => "none",
    }
}

fn facts(drawn: &Drawn) -> String {
    let days = drawn.curve.first().zip(drawn.curve.last());
    let days =
        days.map_or_else(String::new, |(first, last)| format!(", {} to {}", date(first.day), date(last.day)));
    let plural =
        |number: u32, one: &str| format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" });
    let (units, trials) = (plural(drawn.units, "settlement day"), plural(drawn.trials, "trial"));
    format!("{units}{days} · corrected for {trials} · {} resamples", grouped(drawn.resamples))
}

fn signed(heading: &Heading) -> String {
    let mut name: String =
        heading.agent.chars().map(|char| if is_shown(char) { char } else { '\u{fffd}' }).collect();
    if let Some((end, _)) = name.char_indices().nth(NAME) {
        name.truncate(end);
        name.push('…');
    }
    format!("{}, signed {}, for {name}", heading.class, heading.signed_at)
}

/// Returns true if XML allows the character, and it does not change the direction of others.
fn is_shown(char: char) -> bool {
    let turns = matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(char.is_control() || turns || matches!(char, '\u{fffe}' | '\u{ffff}'))
}

/// Broken into lines between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the start");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + word.chars().count() < LINE {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines
}

/// Describes the sheet in words, for readers who do not see the image.
fn described(heading: &Heading, drawn: &Drawn) -> String {
    let mut text = format!("{} {}. ", heading.explanation, facts(drawn));
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
