//! Secrets with a shape of their own: a fixed prefix, or a form that nothing else has.
//!
//! The tables state shapes as the providers document them: prefix, alphabet and length. Nothing else is needed to find such a
//! secret, so its rule blocks.

mod cloud;
mod code;
mod models;
mod web;

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::{Kind, Rule, Severity, expression, filters};

/// A shape: the rule, the literals that lead to it, and the expression of the token.
pub(crate) struct Shape {
    /// The published rule.
    pub rule: Rule,
    /// Literals, in any case; the text around each occurrence is tried.
    pub anchors: &'static [&'static str],
    /// Expression of the token alone, without anything around it; `\w` is ASCII.
    pub token: &'static str,
    /// Bytes between the start of the token and the anchor, at least and at most; 0 = the anchor starts the token.
    back: (usize, usize),
    /// What must not follow the token.
    end: End,
    /// Samples to refuse.
    samples: Samples,
    /// Further condition, such as a checksum.
    check: fn(&str) -> bool,
    /// Text right before a token that shows it to be one for the public.
    open_behind: &'static str,
}

/// Bytes that may follow a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// No letter, digit, `_` or `-`: a longer word has another shape.
    Exact,
    /// Anything: the rest of the word belongs to the secret.
    Open,
}

/// Samples and placeholders that a rule refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Samples {
    /// None: the shape is not given out at random.
    Kept,
    /// Words such as `example`.
    Words,
    /// Words, series, and a Shannon entropy below this many tenths of bits a character.
    Below(u32),
}

/// A shape with an exact end that refuses samples below an entropy.
const fn shape(
    id: &'static str,
    provider: &'static str,
    anchors: &'static [&'static str],
    token: &'static str,
    entropy: u32,
) -> Shape {
    Shape {
        rule: Rule::new(id, Kind::ProviderSecret, provider, Severity::Block),
        anchors,
        token,
        back: (0, 0),
        end: End::Exact,
        samples: if entropy == 0 { Samples::Words } else { Samples::Below(entropy) },
        check: |_| true,
        open_behind: "",
    }
}

impl Shape {
    const fn back(self, least: usize, most: usize) -> Self {
        Self { back: (least, most), ..self }
    }

    const fn open(self) -> Self {
        Self { end: End::Open, ..self }
    }

    const fn check(self, check: fn(&str) -> bool) -> Self {
        Self { check, ..self }
    }

    const fn open_behind(self, text: &'static str) -> Self {
        Self { open_behind: text, ..self }
    }

    const fn samples_kept(self) -> Self {
        Self { samples: Samples::Kept, ..self }
    }

    const fn warn(self) -> Self {
        let Rule { id, kind, provider, .. } = self.rule;
        Self { rule: Rule::new(id, kind, provider, Severity::Warn), ..self }
    }

    /// The token that holds the anchor at `at`, if there is one, and whether it is one for the public.
    pub(crate) fn find(&self, expression: &Regex, text: &str, at: usize) -> Option<(Range<usize>, bool)> {
        let (least, most) = self.back;
        let span = if most == 0 {
            let room = begins_token(text, at, self.anchors[0].len());
            room.then(|| self.token_at(expression, text, at)).flatten()
        } else {
            let starts = at.checked_sub(least).filter(|_| word_before(text, at, least))?;
            let begins = |start: &usize| {
                text.is_char_boundary(*start)
                    && !text.as_bytes()[..*start].last().is_some_and(|b| is_word(*b))
            };
            (at.saturating_sub(most)..=starts)
                .filter(begins)
                .find_map(|start| self.token_at(expression, text, start).filter(|span| span.end > at))
        }?;
        let before = text[..span.start].trim_end_matches(['"', '\'']);
        let is_open = !self.open_behind.is_empty() && before.ends_with(self.open_behind);
        self.accepts(&text[span.clone()]).then_some((span, is_open))
    }

    /// The token that starts at `start`.
    fn token_at(&self, expression: &Regex, text: &str, start: usize) -> Option<Range<usize>> {
        let end = text.floor_char_boundary((start + LONGEST_TOKEN).min(text.len()));
        let span = start..start + expression.find(&text[start..end])?.end();
        let ends = self.end == End::Open || !text.as_bytes().get(span.end).is_some_and(|b| is_word(*b));
        ends.then_some(span)
    }

    pub(crate) fn accepts(&self, token: &str) -> bool {
        let random = match self.samples {
            Samples::Kept => true,
            Samples::Words => !filters::sample(token),
            Samples::Below(least) => {
                filters::entropy(token) >= least && !filters::sample(token) && !filters::series(token)
            }
        };
        random && (self.check)(token) && !filters::published(token)
    }
}

/// Longest token that a shape has, in bytes.
const LONGEST_TOKEN: usize = 4096;

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// True if at least so many bytes that a token may have stand before `at`.
fn word_before(text: &str, at: usize, least: usize) -> bool {
    let before = at.checked_sub(least).map(|from| &text.as_bytes()[from..at]);
    // The few before the mark of an Azure secret may be any.
    before.is_some_and(|before| before.iter().all(|b| is_word(*b) || least < 5 && b".~".contains(b)))
}

/// True if no word goes on at `at`. A short prefix needs more room, since it occurs in names of files and members.
fn begins_token(text: &str, at: usize, prefix: usize) -> bool {
    let bytes = text.as_bytes();
    let Some(left) = at.checked_sub(1).map(|i| bytes[i]) else { return true };
    if !bytes[at].is_ascii_alphanumeric() {
        return true;
    }
    // An escaped line break before the secret, `\n`, is no part of a word.
    let is_escape = at >= 2 && bytes[at - 2] == b'\\' && b"nrt".contains(&left);
    is_escape
        || !(left.is_ascii_alphanumeric()
            || prefix < 5 && b"._+".contains(&left)
            || prefix < 4 && left == b'/')
}

/// Every shape, with its compiled expression. The order is the order of preference where two findings have one span.
pub(crate) fn all() -> &'static [(&'static Shape, Regex)] {
    static ALL: LazyLock<Vec<(&'static Shape, Regex)>> = LazyLock::new(|| {
        let tables = [code::SHAPES, cloud::SHAPES, models::SHAPES, web::SHAPES];
        let compiled = |shape: &'static Shape| (shape, expression(&format!("^(?:{})", shape.token)));
        tables.into_iter().flatten().map(compiled).collect()
    });
    &ALL
}

/// The expression with `\w` and `\d` for ASCII.
pub(crate) fn ascii(token: &str) -> String {
    token.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]")
}
