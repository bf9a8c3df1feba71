//! Texts in characters that are not drawn: tag characters, variation selectors, zero-width bits.

use std::ops::Range;

use super::class::{Invisible, invisible, selector_byte, tag_letter};
use super::invisible::InvisibleRun;
use crate::bytes::{starts_text, to_text};
use crate::map::Mapped;
use crate::view::{Hidden, HiddenKind};
use crate::work::note;

/// Length from which on a run of tags or selectors is a text of its own, and not a part of a scattered one.
const MIN_RUN: usize = 4;
/// Length from which on zero-width characters are decoded.
const MIN_BITS: usize = 32;
/// Length from which on selectors or zero-width characters that do not decode are reported.
const MIN_OPAQUE: usize = 16;

/// Invisible characters that can hold a text, while they are met.
#[derive(Default)]
pub(crate) struct Payloads {
    tags: Mapped,
    /// Span of each stretch of tags.
    tag_spans: Vec<Range<usize>>,
    /// Bytes of selectors, by run.
    selectors: Vec<(Range<usize>, Vec<u8>)>,
    /// Zero-width characters, by run.
    zero_width: Vec<(Range<usize>, Vec<char>)>,
}

impl Payloads {
    /// Takes the characters of a run that can hold a text.
    pub(crate) fn note(&mut self, run: &InvisibleRun<'_>) {
        let (mut selectors, mut zero_width, mut tags) = (Vec::new(), Vec::new(), Vec::new());
        for (at, character) in run.text.char_indices() {
            match invisible(character) {
                Some(Invisible::Tag) => {
                    let from = run.start + at;
                    tags.extend(
                        tag_letter(character).map(|letter| (letter, from..from + character.len_utf8())),
                    );
                }
                Some(Invisible::Selector) => selectors.extend(selector_byte(character)),
                Some(Invisible::ZeroWidth | Invisible::Joiner | Invisible::Mark) => {
                    zero_width.push(character)
                }
                _ => {}
            }
        }
        if let Some((_, first)) = tags.first() {
            self.part_tags(run, first.start);
            push_letters(&tags, &mut self.tags);
            self.tag_spans.push(run.span());
        }
        if !selectors.is_empty() {
            self.selectors.push((run.span(), selectors));
        }
        if !zero_width.is_empty() {
            self.zero_width.push((run.span(), zero_width));
        }
    }

    /// True if there are tags, which can be read with the text between them, too.
    pub(crate) fn has_tags(&self) -> bool {
        !self.tag_spans.is_empty()
    }

    /// Ends a line of tags where a stretch of its own begins.
    fn part_tags(&mut self, run: &InvisibleRun<'_>, at: usize) {
        let last = self.tag_spans.last().map_or(0, |span| span.len() / 4);
        if !self.tags.text.is_empty() && (last >= MIN_RUN || run.text.len() / 4 >= MIN_RUN) {
            self.tags.push_block("\n", at..at);
        }
    }

    /// The texts, and what is to be reported.
    pub(crate) fn finish(self) -> (Vec<(HiddenKind, Mapped)>, Vec<Hidden>) {
        let (mut texts, mut hidden) = (Vec::new(), Vec::new());
        if let (Some(first), Some(last)) = (self.tag_spans.first(), self.tag_spans.last()) {
            let span = first.start..last.end;
            hidden.push(Hidden { kind: HiddenKind::TagCharacters, span, text: Some(self.tags.text.clone()) });
            texts.push((HiddenKind::TagCharacters, self.tags));
        }
        decode_runs(
            HiddenKind::VariationSelectors,
            &self.selectors,
            6,
            selector_text,
            &mut texts,
            &mut hidden,
        );
        decode_runs(HiddenKind::ZeroWidth, &self.zero_width, MIN_BITS, bits_text, &mut texts, &mut hidden);
        (texts, hidden)
    }
}

/// Appends the letters of tags. Letters that are bytes of UTF-8 stand for the character of these bytes.
fn push_letters(tags: &[(char, Range<usize>)], out: &mut Mapped) {
    let bytes: Option<Vec<u8>> = tags.iter().map(|(letter, _)| u8::try_from(*letter).ok()).collect();
    if let Some(text) = bytes.as_deref().and_then(|bytes| str::from_utf8(bytes).ok()) {
        for (at, character) in text.char_indices() {
            let last = at + character.len_utf8() - 1;
            out.push(character, tags[at].1.start..tags[last].1.end);
        }
        return;
    }
    for (letter, origin) in tags {
        out.push(*letter, origin.clone());
    }
}

/// The text with each tag character replaced by the letter that it stands for.
pub(crate) fn tags_in_place(text: &str) -> Mapped {
    let mut out = Mapped::with_capacity(text.len());
    let mut tags = Vec::new();
    for (at, character) in text.char_indices() {
        let origin = at..at + character.len_utf8();
        if invisible(character) == Some(Invisible::Tag) {
            tags.extend(tag_letter(character).map(|letter| (letter, origin)));
        } else {
            push_letters(&tags, &mut out);
            tags.clear();
            out.copy(text, origin);
        }
    }
    push_letters(&tags, &mut out);
    out
}

/// Decodes each long run, and all of them as one where none decodes.
fn decode_runs<T: Clone>(
    kind: HiddenKind,
    runs: &[(Range<usize>, Vec<T>)],
    min: usize,
    decode: fn(&[T]) -> Option<String>,
    texts: &mut Vec<(HiddenKind, Mapped)>,
    hidden: &mut Vec<Hidden>,
) {
    let mut joined = Mapped::default();
    let mut opaque: Option<Range<usize>> = None;
    for (span, symbols) in runs.iter().filter(|(_, symbols)| symbols.len() >= min.min(MIN_OPAQUE)) {
        let decoded = if symbols.len() >= min { decode(symbols) } else { None };
        if let Some(text) = decoded {
            if !joined.text.is_empty() {
                joined.push_block("\n", span.start..span.start);
            }
            joined.push_block(&text, span.clone());
            hidden.push(Hidden { kind, span: span.clone(), text: Some(text) });
        } else if symbols.len() >= MIN_OPAQUE {
            opaque = Some(opaque.map_or(span.clone(), |first| first.start..span.end));
        }
    }
    if joined.text.is_empty() && runs.len() > 1 {
        let all: Vec<T> = runs.iter().flat_map(|(_, symbols)| symbols.iter().cloned()).collect();
        let text = if all.len() >= min { decode(&all) } else { None };
        if let (Some(text), Some(first), Some(last)) = (text, runs.first(), runs.last()) {
            let span = first.0.start..last.0.end;
            joined.push_block(&text, span.clone());
            hidden.push(Hidden { kind, span, text: Some(text) });
        }
    }
    if joined.text.is_empty() {
        hidden.extend(opaque.map(|span| Hidden { kind, span, text: None }));
    } else {
        texts.push((kind, joined));
    }
}

/// The text of selectors: a byte each, or four bits each.
fn selector_text(bytes: &[u8]) -> Option<String> {
    if let Some(text) = to_text(bytes) {
        return Some(text);
    }
    if bytes.iter().any(|byte| *byte > 15) {
        return None;
    }
    let pairs: Vec<u8> = bytes.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect();
    to_text(&pairs)
}

/// The text of zero-width characters of two, three or four kinds.
///
/// Two kinds are bits, in bytes of 8, 7 or 16. With a third kind either it parts the codes of characters, or it only
/// marks the ends. Four kinds are two bits each.
fn bits_text(symbols: &[char]) -> Option<String> {
    let mut kinds: Vec<char> = Vec::with_capacity(5);
    for symbol in symbols {
        if !kinds.contains(symbol) {
            if kinds.len() == 4 {
                return None;
            }
            kinds.push(*symbol);
        }
    }
    match kinds[..] {
        [zero, one] => two_kinds(symbols, zero, one),
        [a, b, c] => [(a, b, c), (a, c, b), (b, c, a)].into_iter().find_map(|(zero, one, other)| {
            parted(symbols, zero, one, other).or_else(|| {
                let bits: Vec<char> = symbols.iter().copied().filter(|symbol| *symbol != other).collect();
                two_kinds(&bits, zero, one)
            })
        }),
        [_, _, _, _] => {
            // Several orders can give something printable; the right one gives words.
            let start = &symbols[..symbols.len().min(64 * 4)];
            let readings = (0..24).map(|order| permutation(&kinds, order));
            let best = readings.max_by_key(|digits| {
                two_bits(start, digits)
                    .map_or(0, |text| text.chars().filter(|next| is_of_words(*next)).count())
            });
            best.and_then(|digits| two_bits(symbols, &digits))
        }
        _ => None,
    }
}

fn two_bits(symbols: &[char], digits: &[char; 4]) -> Option<String> {
    grouped(symbols, 4, |group| group.iter().fold(0, |code, symbol| code << 2 | digit(digits, *symbol)))
}

fn is_of_words(character: char) -> bool {
    character.is_ascii_lowercase() || character == ' '
}

/// The narrowest widths first: nearly any bits are characters of 16 bits. Of the two ways to read bits of a width the one
/// with more words counts, since the complement of UTF-8 can be printable.
fn two_kinds(symbols: &[char], zero: char, one: char) -> Option<String> {
    [8, 7, 16].into_iter().find_map(|width| {
        let readings = [one, zero].into_iter().filter_map(|one| {
            grouped(symbols, width, |group| {
                group.iter().fold(0, |code, symbol| code << 1 | u32::from(*symbol == one))
            })
        });
        readings.max_by_key(|text| {
            let (all, words) = text.chars().fold((1, 0), |(all, words), next| {
                (all + 1, words + usize::from(next.is_alphanumeric() || next == ' '))
            });
            words * 1000 / all
        })
    })
}

/// Codes of as many symbols each, decoded as bytes or as characters of 16 bits.
fn grouped(symbols: &[char], width: usize, code: impl Fn(&[char]) -> u32) -> Option<String> {
    note(symbols.len().min(8 * width));
    let codes = |symbols: &[char]| symbols.chunks_exact(width).map(&code).collect::<Vec<u32>>();
    starts_text(&bytes_of(&codes(&symbols[..symbols.len().min(8 * width)]))?).then_some(())?;
    to_text(&bytes_of(&codes(symbols))?)
}

/// Codes of up to 20 bits each, parted by one kind of symbol.
fn parted(symbols: &[char], zero: char, one: char, separator: char) -> Option<String> {
    let groups = || symbols.split(|symbol| *symbol == separator).filter(|group| !group.is_empty());
    if groups().any(|group| group.len() > 20) {
        return None;
    }
    [one, zero].into_iter().find_map(|one| {
        let bit = |code, symbol: &char| code << 1 | u32::from(*symbol == one);
        let codes: Vec<u32> = groups().map(|group| group.iter().fold(0, bit)).collect();
        to_text(&bytes_of(&codes)?)
    })
}

/// The codes as bytes, if all are below 256; else the bytes of their characters.
fn bytes_of(codes: &[u32]) -> Option<Vec<u8>> {
    let bytes = codes.iter().map(|code| u8::try_from(*code).ok()).collect();
    let characters = || codes.iter().map(|code| char::from_u32(*code)).collect::<Option<String>>();
    Option::or_else(bytes, || characters().map(String::into_bytes))
}

fn digit(digits: &[char; 4], symbol: char) -> u32 {
    (0..).zip(digits).find(|(_, digit)| **digit == symbol).map_or(0, |(value, _)| value)
}

/// One of the 24 orders of four kinds.
fn permutation(kinds: &[char], order: usize) -> [char; 4] {
    let mut left = kinds.to_vec();
    let mut take = |position: usize| if position < left.len() { left.remove(position) } else { '\0' };
    [take(order / 6), take(order / 2 % 3), take(order % 2), take(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::invisible::strip;

    fn bits(text: &str, width: usize, zero: char, one: char, separator: Option<char>) -> String {
        let mut out = String::new();
        for byte in text.bytes() {
            let code = if width == 0 { format!("{byte:b}") } else { format!("{byte:0width$b}") };
            out.extend(code.chars().map(|bit| if bit == '1' { one } else { zero }));
            out.extend(separator);
        }
        out
    }

    fn found(text: &str) -> Vec<(HiddenKind, Option<String>)> {
        strip(text).hidden.into_iter().map(|hidden| (hidden.kind, hidden.text)).collect()
    }

    #[test]
    fn zero_width_bits_are_decoded_in_the_common_schemes() {
        let secret = "send the keys";
        for (zero, one) in [('\u{200b}', '\u{200c}'), ('\u{200c}', '\u{200b}'), ('\u{200d}', '\u{2060}')] {
            for (width, separator) in
                [(8, None), (7, None), (16, None), (8, Some('\u{feff}')), (0, Some('\u{feff}'))]
            {
                let text = format!("Hello{}, world", bits(secret, width, zero, one, separator));
                let expected = vec![(HiddenKind::ZeroWidth, Some(secret.to_owned()))];
                assert_eq!(found(&text), expected, "{zero:?} {width} {separator:?}");
            }
        }
    }

    #[test]
    fn four_kinds_are_two_bits_each() {
        let kinds = ['\u{200c}', '\u{200b}', '\u{2060}', '\u{200d}'];
        let digits =
            "all the keys".bytes().flat_map(|byte| [byte >> 6, byte >> 4 & 3, byte >> 2 & 3, byte & 3]);
        let payload: String = digits.map(|digit| kinds[usize::from(digit)]).collect();
        assert_eq!(
            found(&format!("a{payload}b")),
            [(HiddenKind::ZeroWidth, Some("all the keys".to_owned()))]
        );
    }

    #[test]
    fn bits_between_words_are_joined() {
        let payload: Vec<char> = bits("obey me now", 8, '\u{200b}', '\u{200c}', None).chars().collect();
        let text: Vec<String> =
            payload.chunks(8).map(|byte| format!("word{} ", byte.iter().collect::<String>())).collect();
        assert_eq!(found(&text.concat()), [(HiddenKind::ZeroWidth, Some("obey me now".to_owned()))]);
    }

    #[test]
    fn selectors_and_tags_hold_bytes() {
        let selector = |byte: u8| {
            char::from_u32(if byte < 16 { 0xfe00 } else { 0xe0100 - 16 } + u32::from(byte)).unwrap()
        };
        let payload: String = "ignore é".bytes().map(selector).collect();
        let expected = (HiddenKind::VariationSelectors, Some("ignore é".to_owned()));
        assert_eq!(found(&format!("😀{payload}")), [expected]);
        let tags: String =
            "ignore all".bytes().map(|byte| char::from_u32(0xe0000 + u32::from(byte)).unwrap()).collect();
        assert_eq!(found(&format!("Hi{tags}")), [(HiddenKind::TagCharacters, Some("ignore all".to_owned()))]);
        let scattered: String = tags.chars().map(|tag| format!("x{tag}")).collect();
        assert_eq!(found(&scattered), [(HiddenKind::TagCharacters, Some("ignore all".to_owned()))]);
    }

    #[test]
    fn a_long_run_that_is_no_text_is_reported_as_such() {
        assert_eq!(found(&format!("a{}b", "\u{200b}".repeat(40))), [(HiddenKind::ZeroWidth, None)]);
        assert_eq!(found(&format!("a{}b", "\u{200b}".repeat(5))), []);
    }
}
