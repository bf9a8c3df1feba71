//! The features that the model weighs.
//!
//! Nothing depends on the scheme, on a leading `www.` or on a slash at the end: they tell where a list of addresses was
//! collected rather than what the addresses are.

use linear_model::feature;

use crate::facts::{Facts, path_words};
use crate::scanner::Signal;

/// The most bytes of each part of which n-grams are made.
const MAX_NGRAM_BYTES: usize = 512;
/// The most words of the path, and the longest.
const MAX_WORDS: usize = 40;
const MAX_WORD_BYTES: usize = 40;

/// The values of features: the higher, the faster is learnt from them, and the more they count against the others. Rules and
/// words of paths hold on all lists of addresses alike; suffixes and lengths tell the lists apart too.
const RULE: f32 = 2.0;
const PATH_NGRAMS: f32 = 2.0;
const SUFFIX: f32 = 0.7;
const SHAPE: f32 = 0.5;

/// The features of an address: buckets with their values.
pub(crate) fn features(facts: &Facts<'_>, signals: &[Signal], bits: u8) -> Vec<(u32, f32)> {
    let mut all = Features { bits, found: Vec::with_capacity(512), name: Vec::with_capacity(96) };
    let path = facts.path.trim_end_matches('/');
    if facts.ip.is_some() {
        all.add(b'i', b"ip", 1.0);
    } else {
        all.ngrams(b'L', facts.label, 2..=5, 1.0);
        all.ngrams(b'S', facts.subdomain, 2..=5, 1.0);
        all.add(b'T', facts.top_level().as_bytes(), SUFFIX);
        all.add(b'X', facts.suffix.as_bytes(), SUFFIX);
        if let Some(shared) = facts.shared_host {
            all.add(b'H', shared.as_bytes(), 1.0);
        }
    }
    all.ngrams(b'P', path, 2..=5, PATH_NGRAMS);
    all.ngrams(b'Q', &facts.query, 2..=4, 1.0);
    for word in path_words(path).take(MAX_WORDS).filter(|word| word.len() <= MAX_WORD_BYTES) {
        all.add(b'p', word.as_bytes(), 1.0);
    }
    all.shape(facts, path);
    for signal in signals {
        all.add(b'R', signal.rule.id.as_bytes(), RULE);
    }
    all.found
}

struct Features {
    bits: u8,
    found: Vec<(u32, f32)>,
    name: Vec<u8>,
}

impl Features {
    /// Adds a feature of a field.
    fn add(&mut self, field: u8, name: &[u8], value: f32) {
        self.name.clear();
        self.name.push(field);
        self.name.extend_from_slice(name);
        self.found.push((feature(&self.name, self.bits), value));
    }

    /// Adds the n-grams of a part, with a mark at each end. The value of each falls with the square root of the length. Digits
    /// of the path and the query are alike, since they are mostly numbers of things.
    fn ngrams(&mut self, field: u8, text: &str, lengths: std::ops::RangeInclusive<usize>, factor: f32) {
        if text.is_empty() {
            self.add(field, b"none", 1.0);
            return;
        }
        let mut bytes = vec![b'^'];
        bytes.extend(text.bytes().take(MAX_NGRAM_BYTES).map(|byte| match byte {
            b'0'..=b'9' if matches!(field, b'P' | b'Q') => b'0',
            byte => byte,
        }));
        bytes.push(b'$');
        let value = factor / (bytes.len() as f32).sqrt();
        for length in lengths {
            for ngram in bytes.windows(length) {
                self.add(field, ngram, value);
            }
        }
    }

    /// Adds lengths, counts and shares of characters.
    fn shape(&mut self, facts: &Facts<'_>, path: &str) {
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
        let count = |text: &str, wanted: u8| text.bytes().filter(|byte| *byte == wanted).count();
        let last = path.rsplit('/').next().unwrap_or_default();
        let extension = last.rsplit_once('.').map_or("", |(_, extension)| extension);
        let label = facts.label;
        let consonants = label.bytes().fold((0usize, 0usize), |(run, most), byte| {
            let is_consonant =
                byte.is_ascii_alphabetic() && !matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
            let run = if is_consonant { run + 1 } else { 0 };
            (run, most.max(run))
        });
        let changes = |text: &str| {
            let bytes = text.as_bytes();
            bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
        };
        for (name, number) in [
            ("label length", size(label.len())),
            ("label digits", digits(label).min(5)),
            ("label hyphens", count(label, b'-').min(4)),
            ("label consonants", consonants.1.min(7)),
            ("label changes", changes(label).min(6)),
            ("subdomain length", size(facts.subdomain.len())),
            ("subdomain labels", facts.subdomain.split('.').filter(|label| !label.is_empty()).count().min(5)),
            ("subdomain digits", digits(facts.subdomain).min(6)),
            ("subdomain hyphens", count(facts.subdomain, b'-').min(4)),
            ("path length", size(path.len())),
            ("path depth", count(path, b'/').min(8)),
            ("path digits", share(digits(path), path.len())),
            ("path hyphens", count(path, b'-').min(6)),
            ("path last length", size(last.len())),
            ("path last digits", share(digits(last), last.len())),
            ("path changes", size(changes(last))),
            ("path escapes", count(path, b'%').min(3)),
            ("query length", size(facts.query.len())),
            ("query parameters", count(&facts.query, b'=').min(6)),
            ("query digits", share(digits(&facts.query), facts.query.len())),
        ] {
            self.add(b'#', format!("{name} {number}").as_bytes(), SHAPE);
        }
        self.add(b'E', extension.get(..8).unwrap_or(extension).as_bytes(), 1.0);
        let fragment = if facts.parts.fragment.is_empty() { "no" } else { "yes" };
        self.add(b'F', fragment.as_bytes(), 1.0);
    }
}

/// A length as one of a few sizes: about two a doubling.
fn size(length: usize) -> usize {
    match length {
        0..=4 => length,
        _ => {
            let doublings = length.ilog2() as usize;
            let is_upper_half = length >> (doublings - 1) & 1;
            2 * doublings + is_upper_half
        }
    }
}

/// A share in tenths; 11 where there is nothing to share.
fn share(part: usize, all: usize) -> usize {
    (10 * part).checked_div(all).unwrap_or(11)
}
