//! A name as text, read into words that can be compared.
//!
//! The words keep their place in the text. What a reader does not see (zero-width and control characters, marks of
//! direction) is taken out, letters that only look like Latin ones are read as these, and both are noted.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::look_alike;
use super::romanise::{other_customs, romanise};
use super::script::{Script, arabic, han};
use super::word::{FORMS, Span, Word};

/// Maximum number of characters of a text; the rest is ignored.
pub const MOST_CHARACTERS: usize = 1_024;
/// Maximum number of words of a text; the rest is ignored.
pub const MOST_WORDS: usize = 32;
/// The most bytes of a word's romanisation.
const MOST_BYTES: usize = 48;

/// Fewest letters of a word that another was joined to.
const FEWEST_JOINED: usize = 4;

/// Fewest spaced single letters in a row that are read as one word and not as initials.
const FEWEST_SPACED: usize = 4;

/// Notes on how a text was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextNotes {
    /// True if invisible characters were removed.
    pub invisible: bool,
    /// True if letters of one script were used in place of similar letters of another, or digits in place of letters of
    /// a listed word.
    pub look_alike: bool,
    /// True if the text was longer than the bound and only its beginning was read.
    pub truncated: bool,
    /// True if escapes of HTML or of a URL were decoded.
    pub escapes: bool,
}

/// A text that is segmented into words. Its buffers are reused between texts.
#[derive(Debug, Default)]
pub struct SegmentedText {
    source: String,
    letters: Vec<u8>,
    words: Vec<Word>,
    /// Number of words before the first comma; `None` without a comma.
    pub comma: Option<usize>,
    /// Notes about the text.
    pub notes: TextNotes,
    word: Vec<char>,
    word_start: usize,
    brackets: u32,
    scratch: Vec<u8>,
    /// Set for a name that is asked for, which may be written by other customs of romanisation than lists write names.
    pub is_question: bool,
    /// Set where words are cut at a capital within them, as people join the words of a name: `OlegDeripaska`.
    pub cuts_at_capitals: bool,
    /// True if the text has a word that is, or would be, cut so.
    pub has_joined: bool,
}

impl SegmentedText {
    /// Returns the words.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Returns the letters of a form.
    pub fn letters(&self, form: Span) -> &[u8] {
        &self.letters[form.range()]
    }

    /// Returns a word as it is written in the text.
    pub fn source(&self, word: &Word) -> &str {
        self.source.get(word.source.range()).unwrap_or("")
    }

    /// Reads a text, which replaces the text before.
    pub fn read(&mut self, text: &str) {
        self.source.clear();
        self.letters.clear();
        self.words.clear();
        self.word.clear();
        (self.comma, self.notes, self.brackets) = (None, TextNotes::default(), 0);
        self.has_joined = false;
        let text = unescaped(text);
        self.notes.escapes = matches!(text, Cow::Owned(_));
        let text = &*text;
        if is_nfc_quick(text.chars()) == IsNormalized::Yes {
            self.source.extend(text.chars().take(MOST_CHARACTERS));
        } else {
            self.source.extend(text.nfc().take(MOST_CHARACTERS));
        }
        self.notes.truncated = text.len() > MOST_CHARACTERS && text.chars().nth(MOST_CHARACTERS).is_some();
        let source = std::mem::take(&mut self.source);
        for (at, character) in source.char_indices() {
            self.character(at, character);
        }
        self.end_word(source.len());
        self.source = source;
        if self.is_question {
            self.read_wade_giles();
        }
        self.join_letters();
        self.notes.look_alike |=
            look_alike::fold_whole_words(&mut self.words, &mut self.letters, &self.source);
    }

    fn character(&mut self, at: usize, character: char) {
        if is_unseen(character) {
            self.notes.invisible = true;
        } else if is_apostrophe(character) || is_mark(character) {
            // Left out: what it is written with stays one word.
        } else if character.is_alphanumeric() {
            self.letter(at, character);
        } else {
            self.end_word(at);
            match character {
                '(' | '[' | '（' => self.brackets += 1,
                ')' | ']' | '）' => self.brackets = self.brackets.saturating_sub(1),
                ',' | '،' if self.comma.is_none() => self.comma = Some(self.words.len()),
                '&' => self.ampersand(at),
                _ => {}
            }
        }
    }

    fn letter(&mut self, at: usize, character: char) {
        let script = Script::of(character);
        let before = self.word.last().map(|letter| Script::of(*letter));
        if script.is_syllabic() || before.is_some_and(Script::is_syllabic) {
            self.end_word(at);
        }
        if self.is_joined_before(character) {
            self.has_joined = true;
            if self.cuts_at_capitals {
                self.end_word(at);
            }
        }
        if self.word.is_empty() {
            self.word_start = at;
        }
        if self.word.len() < MOST_BYTES {
            self.word.push(character);
        } else {
            self.notes.truncated = true;
        }
    }

    /// Tests that a capital begins another word that was joined to the last. Shorter beginnings are parts of a name
    /// (`McDonald`, `DeSantis`, `VanDyke`).
    fn is_joined_before(&self, letter: char) -> bool {
        self.word.len() >= FEWEST_JOINED
            && letter.is_uppercase()
            && self.word.last().is_some_and(|before| before.is_lowercase())
    }

    fn ampersand(&mut self, at: usize) {
        self.word.extend("and".chars());
        self.word_start = at;
        self.end_word(at + 1);
    }

    fn end_word(&mut self, end: usize) {
        if self.word.is_empty() {
            return;
        }
        let mut word = std::mem::take(&mut self.word);
        if self.words.len() >= MOST_WORDS {
            self.notes.truncated = true;
        } else {
            self.notes.look_alike |= look_alike::fold_mixed_word(&mut word);
            self.push(&word, end);
        }
        word.clear();
        self.word = word;
    }

    fn push(&mut self, word: &[char], end: usize) {
        let script = word.iter().map(|letter| Script::of(*letter)).find(|script| *script != Script::Latin);
        let script = script.unwrap_or(Script::Latin);
        let source = Span::new(self.word_start, end);
        if script == Script::Arabic
            && let Some(rest) = arabic::without_article(word)
        {
            let article = [
                self.write(|out| out.extend_from_slice(b"AL")),
                self.write(|out| out.extend_from_slice(b"al")),
            ];
            let [first, second] = article;
            let source = Span::new(self.word_start, self.word_start + arabic::ARTICLE_BYTES);
            self.finish([first, second, first], script, source);
            let first = self.write(|out| arabic::letters(rest, out));
            let second = self.write(|out| arabic::with_article(word, rest, out));
            let source = Span::new(self.word_start + arabic::ARTICLE_BYTES, end);
            self.finish([first, second, first], script, source);
            return;
        }
        let is_surname = self.words.is_empty();
        let first = self.write(|out| romanise(word, script, is_surname, false, out));
        let second = self.write(|out| romanise(word, script, is_surname, true, out));
        let second = if self.letters[second.range()].is_empty() { first } else { second };
        let third =
            if self.is_question && script == Script::Latin { self.write_other_customs(first) } else { first };
        self.finish([first, second, third], script, source);
    }

    fn finish(&mut self, mut forms: [Span; FORMS], script: Script, source: Span) {
        if self.letters[forms[0].range()].is_empty() {
            return;
        }
        let letters = forms[0].range();
        let disguised = look_alike::may_hide_letters(&self.letters[letters.clone()]);
        if disguised {
            for (form, one) in forms[1..].iter_mut().zip(look_alike::ONES) {
                let start = self.letters.len();
                self.letters.extend_from_within(letters.clone());
                self.letters[start..]
                    .iter_mut()
                    .for_each(|byte| *byte = look_alike::letter_of_digit(*byte, one));
                *form = Span::new(start, self.letters.len());
            }
        }
        self.words.push(Word { source, forms, disguised, script, bracketed: self.brackets > 0 });
    }

    /// Adds the form in Hanyu Pinyin where all words are syllables of Wade-Giles, and one has a sign that pinyin lacks:
    /// `Ch'en Ch'üan-kuo`.
    fn read_wade_giles(&mut self) {
        let is_sign = |sign: char| is_apostrophe(sign) || matches!(sign, 'ü' | 'Ü');
        if !self.source.contains(is_sign) || self.words.iter().any(|word| word.script != Script::Latin) {
            return;
        }
        let start = self.letters.len();
        let mut ends = [start; MOST_WORDS];
        for (word, end) in self.words.iter().zip(&mut ends) {
            let syllable = self.source.get(word.source.range()).unwrap_or("");
            if !han::from_wade_giles(syllable, &mut self.letters) {
                self.letters.truncate(start);
                return;
            }
            *end = self.letters.len();
        }
        let mut from = start;
        for (word, end) in self.words.iter_mut().zip(ends) {
            word.forms[2] = Span::new(from, end);
            from = end;
        }
    }

    /// Letters that stand alone, all with the same between them, are one word that was spaced out.
    fn join_letters(&mut self) {
        let mut from = 0;
        while from + FEWEST_SPACED <= self.words.len() {
            let length = self.spaced(from);
            if length < FEWEST_SPACED {
                from += length.max(1);
                continue;
            }
            let run = from..from + length;
            let start = self.letters.len();
            for word in &self.words[run.clone()] {
                self.letters.extend_from_within(word.forms[0].range());
            }
            let form = Span::new(start, self.letters.len());
            let source = self.words[from].source.through(self.words[run.end - 1].source);
            self.words[from] = Word { source, forms: [form; FORMS], ..self.words[from] };
            self.words.drain(from + 1..run.end);
            self.comma = self
                .comma
                .map(|comma| if comma <= from { comma } else { comma.saturating_sub(length - 1).max(from) });
            from += 1;
        }
    }

    /// Number of words, from `from` on, that are single letters with the same separator between them.
    fn spaced(&self, from: usize) -> usize {
        let single = |word: &&Word| {
            word.script == Script::Latin
                && matches!(self.letters(word.forms[0]), [letter] if letter.is_ascii_lowercase())
        };
        let words = &self.words[from..];
        let between =
            |pair: &[Word]| self.source.get(pair[0].source.range().end..pair[1].source.range().start);
        let first = words.get(..2).and_then(between);
        let singles = words.iter().take_while(single).count();
        let alike = words.windows(2).take_while(|pair| between(pair) == first).count() + 1;
        singles.min(alike)
    }

    /// The form of a word by other customs, or the first again.
    fn write_other_customs(&mut self, first: Span) -> Span {
        let mut word = std::mem::take(&mut self.scratch);
        word.clear();
        word.extend_from_slice(&self.letters[first.range()]);
        let third = self.write(|out| other_customs(&word, out));
        self.scratch = word;
        if self.letters[third.range()].is_empty() { first } else { third }
    }

    fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Span {
        let start = self.letters.len();
        write(&mut self.letters);
        self.letters.truncate(self.letters.len().min(start + MOST_BYTES));
        Span::new(start, self.letters.len())
    }
}

fn is_apostrophe(character: char) -> bool {
    matches!(
        character,
        '\'' | '’'
            | '‘'
            | '‛'
            | '`'
            | '´'
            | '′'
            | 'ʹ'
            | 'ʻ'
            | 'ʼ'
            | 'ʽ'
            | 'ʾ'
            | 'ʿ'
            | 'ˈ'
            | '׳'
            | '״'
            | '＇'
    )
}

/// Marks over and under letters, and the Arabic letter stretcher.
fn is_mark(character: char) -> bool {
    character == 'ـ' || unicode_normalization::char::is_combining_mark(character)
}

/// Characters that are not seen: of control, of zero width, of direction, and the tags.
fn is_unseen(character: char) -> bool {
    let code = u32::from(character);
    (character.is_control() && !character.is_whitespace())
        || matches!(code,
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
            | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_0fff)
}

/// The text with the escapes of HTML and of a URL decoded once; borrowed if it has none.
fn unescaped(text: &str) -> Cow<'_, str> {
    let text = if text.contains('&') { html_escape::decode_html_entities(text) } else { Cow::Borrowed(text) };
    match text {
        _ if !text.contains('%') => text,
        Cow::Borrowed(text) => percent_decode_str(text).decode_utf8().unwrap_or(Cow::Borrowed(text)),
        Cow::Owned(text) => {
            let decoded = percent_decode_str(&text).decode_utf8().map(Cow::into_owned);
            Cow::Owned(decoded.unwrap_or(text))
        }
    }
}
