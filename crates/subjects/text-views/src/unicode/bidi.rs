//! The order in which the text of bidi overrides is displayed.
//!
//! A right-to-left override (RLO) draws the characters up to its end (PDF) from right to left, a left-to-right override
//! (LRO) within it draws them from left to right again (UAX 9). An override without an end reaches to the end of the
//! text here, and line ends do not stop one: the order of lines then is that of the text that was reversed.

use super::class::{Invisible, invisible};
use crate::map::Mapped;
use crate::view::{Hidden, HiddenKind};
use crate::work::note;

/// Overrides within each other that are followed; those deeper are read as stored.
const MAX_NESTED: usize = 8;

/// An override, or a character within one.
enum Item<'t> {
    Text(&'t str),
    Override { right_to_left: bool, items: Vec<Item<'t>> },
}

/// The text with its overrides displayed, and the overrides as hidden text. `None` if there are none.
pub(crate) fn display(text: &str) -> Option<(Mapped, Vec<Hidden>)> {
    let mut out = Mapped::with_capacity(text.len());
    let mut hidden = Vec::new();
    let mut copied = 0;
    while let Some(start) = next_override(text, copied) {
        out.copy(text, copied..start);
        let end = override_end(text, start);
        let mut shown = String::with_capacity(end - start);
        show(&parse(&text[start..end]), false, &mut shown);
        out.push_block(&shown, start..end);
        if shown.chars().any(char::is_alphanumeric) {
            hidden.push(Hidden { kind: HiddenKind::BidiOverride, span: start..end, text: Some(shown) });
        }
        note(end - start);
        copied = end;
    }
    out.copy(text, copied..text.len());
    (copied > 0).then_some((out, hidden))
}

fn next_override(text: &str, from: usize) -> Option<usize> {
    text[from..].find(['\u{202d}', '\u{202e}']).map(|at| from + at)
}

/// End of the override that starts at a byte, behind its PDF.
fn override_end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, character) in text[start..].char_indices() {
        match character {
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => depth += 1,
            '\u{202c}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return start + at + character.len_utf8();
        }
    }
    text.len()
}

/// The overrides and the text between them; other bidi controls are left out.
fn parse(text: &str) -> Vec<Item<'_>> {
    let mut open: Vec<(bool, Vec<Item<'_>>)> = Vec::new();
    let mut items = Vec::new();
    // Embeddings, and overrides nested too deep, whose ends must not end another.
    let mut ignored = Vec::new();
    let mut from = 0;
    for (at, character) in text.char_indices() {
        if !matches!(invisible(character), Some(Invisible::Override | Invisible::Bidi)) {
            continue;
        }
        items.push(Item::Text(&text[from..at]));
        from = at + character.len_utf8();
        match character {
            '\u{202d}' | '\u{202e}' if open.len() < MAX_NESTED => {
                ignored.push(0_usize);
                open.push((character == '\u{202e}', std::mem::take(&mut items)));
            }
            '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => {
                if let Some(count) = ignored.last_mut() {
                    *count += 1;
                }
            }
            '\u{202c}' => match ignored.last_mut() {
                Some(count) if *count > 0 => *count -= 1,
                _ => {
                    ignored.pop();
                    close(&mut open, &mut items);
                }
            },
            _ => {}
        }
    }
    items.push(Item::Text(&text[from..]));
    while !open.is_empty() {
        close(&mut open, &mut items);
    }
    items
}

fn close<'t>(open: &mut Vec<(bool, Vec<Item<'t>>)>, items: &mut Vec<Item<'t>>) {
    if let Some((right_to_left, before)) = open.pop() {
        let inner = std::mem::replace(items, before);
        items.push(Item::Override { right_to_left, items: inner });
    }
}

/// Appends the items in the order in which they are drawn.
fn show(items: &[Item<'_>], right_to_left: bool, out: &mut String) {
    let mut append = |item: &Item<'_>| match item {
        Item::Text(text) if right_to_left => out.extend(text.chars().rev()),
        Item::Text(text) => out.push_str(text),
        Item::Override { right_to_left, items } => show(items, *right_to_left, out),
    };
    if right_to_left {
        items.iter().rev().for_each(&mut append);
    } else {
        items.iter().for_each(append);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        display(text).map(|(mapped, _)| mapped.text)
    }

    #[test]
    fn a_right_to_left_override_is_shown_in_reverse() {
        assert_eq!(shown("say \u{202e}erongi\u{202c} now").as_deref(), Some("say ignore now"));
        assert_eq!(shown("\u{202e}lla\nerongi").as_deref(), Some("ignore\nall"));
        assert_eq!(shown("\u{202e}c\u{202d}ab\u{202c}\u{202c}d").as_deref(), Some("abcd"));
        assert_eq!(shown("\u{202d}as it is\u{202c}").as_deref(), Some("as it is"));
        assert_eq!(shown("\u{2067}שלום\u{2069}"), None);
    }

    #[test]
    fn an_override_is_reported_with_the_text_that_is_shown() {
        let (mapped, hidden) = display("say \u{202e}erongi\u{202c} now").unwrap();
        assert_eq!(hidden.len(), 1);
        assert_eq!((hidden[0].span.clone(), hidden[0].text.as_deref()), (4..16, Some("ignore")));
        assert_eq!(mapped.map.origin(5..7), 4..16);
        assert!(display("a\u{202e}\u{202c}b").unwrap().1.is_empty());
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = "\u{202e}a".repeat(10_000);
        assert_eq!(shown(&deep).unwrap().chars().count(), 10_000);
        let closed = format!("{deep}{}", "\u{202c}".repeat(10_000));
        assert_eq!(shown(&closed).unwrap().chars().count(), 10_000);
    }
}
