//! Texts of the sheet: the scope of the verdict, names that fit, lines that are broken between words.

use super::read::{Copying, Drawn, Heading};
use super::scale::{grouped, percent};

/// Characters of a line of text, and how many lines are shown.
const LINE: usize = 100;
const LINES: usize = 5;
/// Width of a name that is shown, in tenths of the font's size.
const NAME_TENTHS: u32 = 280;

/// Returns the scope of the verdict in two lines: who states the record, and the trials and benchmark that it was held against.
/// No sheet is without it, since an image travels alone.
pub fn scope(heading: &Heading, drawn: &Drawn) -> [String; 2] {
    let name = cut(&heading.agent, NAME_TENTHS);
    // In quotation marks: a name may read like a part of the sentence.
    let who = if name.is_empty() { "the caller".to_owned() } else { format!("“{name}”") };
    let stated = format!("As {who} states it: the caller's word, not checked");
    let trials = trials(drawn);
    let held = benchmark(drawn).map_or_else(|| trials.clone(), |benchmark| format!("{trials} · {benchmark}"));
    [stated, held]
}

fn trials(drawn: &Drawn) -> String {
    let trials = plural(drawn.trials, "trial");
    match drawn.trials_source.as_deref() {
        Some("declared") => format!("{trials}, declared by the caller"),
        Some("variants") => format!("{trials}, the variants that the caller gives"),
        Some("assumed") => format!("{trials}, assumed since the caller declares none"),
        _ => format!("corrected for {trials}"),
    }
}

/// Receipts of the first rules do not say it of a copier's grade.
fn benchmark(drawn: &Drawn) -> Option<&'static str> {
    match drawn.benchmark.as_deref()? {
        "series" => Some("benchmark: the caller's series"),
        "cash" => Some("benchmark: cash (the caller's word)"),
        "partial" => Some("benchmark: the caller's series, for a part of the days"),
        _ => Some("benchmark: none"),
    }
}

/// The sign between two facts.
const BETWEEN: &str = " · ";

/// Returns the days, the resamples and the rule, with a sign between them.
pub fn facts(heading: &Heading, drawn: &Drawn, copying: Option<&Copying>) -> String {
    let days = drawn.curve.first().zip(drawn.curve.last());
    let days = days.map_or_else(String::new, |(first, last)| format!(", {} to {}", first.date, last.date));
    let mut text = plural(drawn.units, "settlement day") + &days;
    let rate = drawn.performance.risk_free.or_else(|| copying?.growth.risk_free);
    if let Some(rate) = rate.filter(|rate| *rate != 0.0) {
        text += &format!("{BETWEEN}less cash at {} a year", percent(rate));
    }
    text += &format!("{BETWEEN}{} resamples", grouped(drawn.resamples));
    if let Some(method) = &heading.method {
        text += &format!("{BETWEEN}{method}");
    }
    text
}

/// Breaks facts into lines between two of them.
pub fn broken(facts: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.split(BETWEEN) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + fact.chars().count() < LINE => {
                line.push_str(BETWEEN);
                line.push_str(fact);
            }
            _ => lines.push(fact.to_owned()),
        }
    }
    lines
}

fn plural(number: u32, one: &str) -> String {
    format!("{} {one}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Returns the text, cut with an ellipsis where it is wider than that many tenths of the font's size. Characters that XML does
/// not allow, or that change the direction of others, are replaced.
pub fn cut(text: &str, most_tenths: u32) -> String {
    let mut shown = String::new();
    let mut width = 0;
    for char in text.chars() {
        width += tenths(char);
        if width > most_tenths {
            shown.push('…');
            break;
        }
        shown.push(if is_shown(char) { char } else { '\u{fffd}' });
    }
    shown
}

/// Width of a character, at most, in tenths of the font's size.
fn tenths(char: char) -> u32 {
    match char {
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 10,
        'a'..='z' | '0'..='9' | ' '..='/' | ':'..=';' => 7,
        '\u{20}'..='\u{2ff}' => 8,
        _ => 11,
    }
}

/// Returns true if XML allows the character, and it does not change the direction of others.
fn is_shown(char: char) -> bool {
    let turns = matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(char.is_control() || turns || matches!(char, '\u{fffe}' | '\u{ffff}'))
}

/// Broken into lines between words.
pub fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
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
