//! Assignments: a name, an operator and a value.

use std::ops::Range;

/// A name with its value, both as byte spans of the text.
pub(crate) struct Assignment {
    /// The whole name, as far as its letters, digits, `_`, `-` and `.` go.
    pub name: Range<usize>,
    /// The value up to its quote or its white space.
    pub value: Range<usize>,
}

/// Reads values, and remembers the last run of their characters, so that a text of many names is read once.
pub(crate) struct Reader<'a> {
    text: &'a str,
    run: Range<usize>,
    /// End of the last operator within the run.
    joined: usize,
}

/// Longest value, in bytes; a longer one is a document.
const LONGEST_VALUE: usize = 4096;

/// Longest value in quotes that is read to its end whatever it holds, in bytes.
const LONGEST_QUOTED: usize = 100;

/// Longest name, before and behind its keyword, in bytes.
const NAME_REACH: usize = 40;

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, run: 0..0, joined: 0 }
    }

    /// Reads the assignment to the name that holds `keyword`. Quotes, brackets and spaces may stand around one operator; `--name value`
    /// and `set NAME "value"` need none.
    pub(crate) fn read(&mut self, keyword: Range<usize>) -> Option<Assignment> {
        let bytes = self.text.as_bytes();
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
        let least = keyword.start.saturating_sub(NAME_REACH);
        let mut start = keyword.start;
        while start > least && is_name(bytes[start - 1]) {
            start -= 1;
        }
        let most = (keyword.end + NAME_REACH).min(bytes.len());
        let mut end = keyword.end;
        // One space is of a name in prose, as in `facebook access token: ...`.
        while end < most
            && (is_name(bytes[end])
                || bytes[end] == b' ' && bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase))
        {
            end += 1;
        }
        let closed = skip(bytes, end, 4, b"\"'`] \t\\");
        let operator = skip(bytes, closed, 3, b":=>|");
        let is_option = self.text[start..].starts_with("--")
            || quoted_after_space(bytes, end)
            || self.text[start..end].ends_with(" is");
        if operator == closed && !(is_option && closed > end) {
            return None;
        }
        let from = skip(bytes, operator, 6, b"\"'`= \t\\(");
        let value = match self.quoted(operator, from) {
            Some(value) => value,
            None => self.value(from)?,
        };
        // `name: Type = value` declares a type.
        let behind = skip(bytes, value.end, 1, b" ");
        if bytes[closed..operator].starts_with(b":") && behind > value.end && bytes.get(behind) == Some(&b'=')
        {
            return None;
        }
        Some(Assignment { name: start..end, value })
    }

    /// The value between quotes, if a sign in it would end a value without quotes.
    fn quoted(&self, operator: usize, from: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let quote = bytes[operator..from].iter().rev().find(|b| b"\"'".contains(b))?;
        let inner =
            bytes[from..].iter().take(LONGEST_QUOTED).take_while(|b| b.is_ascii_graphic() && *b != quote);
        let end = from + inner.count();
        let has_signs = bytes[from..end].iter().any(|b| b"()[]{},;<>".contains(b));
        (bytes.get(end) == Some(quote) && end > from && has_signs).then_some(from..end)
    }

    /// The value without what follows it in the query of an address; `None` if it holds a further assignment.
    pub(crate) fn single(&self, value: Range<usize>) -> Option<Range<usize>> {
        let is_run = value.end == self.run.end || value.end + 1 == self.run.end;
        if value.len() <= LONGEST_VALUE && (value.start >= self.joined || !is_run) {
            return Some(value);
        }
        let reach = self.text.floor_char_boundary((value.start + LONGEST_VALUE).min(value.end));
        let query = self.text[value.start..reach].find(['&', '=', ':', '|'])?;
        let end = value.start + query;
        (self.text.as_bytes()[end] == b'&' && end > value.start).then_some(value.start..end)
    }

    /// The value at `from`, if what follows it ends a value.
    fn value(&mut self, from: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        if !(self.run.start..self.run.end).contains(&from) {
            let is_value = |b: &u8| b.is_ascii_alphanumeric() || b"_=.+/~-|!@%^*&:$#?".contains(b);
            let length = bytes[from..].iter().take_while(|b| is_value(b)).count();
            self.run = from..from + length;
            // Signs of equality at the end are padding.
            let body = self.text[self.run.clone()].trim_end_matches(['=', '.', ':', '?', '!']);
            self.joined = from + body.rfind(['=', ':', '|']).map_or(0, |i| i + 1);
        }
        let mut end = self.run.end;
        // A full stop or a colon ends a sentence.
        if end > from
            && b".:?!".contains(&bytes[end - 1])
            && bytes.get(end).is_none_or(u8::is_ascii_whitespace)
        {
            end -= 1;
        }
        let closed = bytes.get(end).is_none_or(|b| b"\"'`\r\n \t;,<\\)}].:?!".contains(b));
        (closed && end > from).then_some(from..end)
    }
}

fn skip(bytes: &[u8], from: usize, most: usize, of: &[u8]) -> usize {
    from + bytes[from..].iter().take(most).take_while(|b| of.contains(b)).count()
}

/// True for `NAME "value"`, as a shell sets a variable.
fn quoted_after_space(bytes: &[u8], end: usize) -> bool {
    bytes.get(end) == Some(&b' ') && bytes.get(end + 1).is_some_and(|b| b"\"'".contains(b))
}

/// Last words of a name of a secret, in lower case.
const SECRET_WORDS: &[&str] = &[
    "key",
    "keys",
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passw",
    "pwd",
    "pass",
    "passphrase",
    "passcode",
    "credential",
    "credentials",
    "creds",
    "cred",
    "auth",
    "apikey",
    "bearer",
];

/// Ends of words that are written as one.
const SECRET_ENDS: &[&str] = &[
    "apikey",
    "secretkey",
    "accesskey",
    "authkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "authtoken",
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
];

/// Ends of words for a password.
const PASSWORDS: [&str; 6] = ["password", "passwd", "passw", "pwd", "passphrase", "passcode"];

/// Words behind the secret word that change nothing.
const TRAILERS: &[&str] = &[
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "testing",
    "staging",
    "live",
    "sandbox",
    "value",
    "string",
    "str",
    "base",
    "b",
    "base64",
    "b64",
    "hex",
    "raw",
    "plain",
    "text",
    "default",
    "main",
    "primary",
    "secondary",
    "backup",
    "old",
    "new",
    "v",
    "is",
];

/// Words before `key` that make a key open or no key of a lock.
const OPEN_KEYS: &[&str] = &[
    "public",
    "pub",
    "foreign",
    "primary",
    "sort",
    "partition",
    "cache",
    "unique",
    "hot",
    "shortcut",
    "object",
    "map",
    "dict",
    "bucket",
    "sequence",
    "group",
    "row",
    "resource",
    "translation",
    "i18n",
    "message",
    "index",
    "storage",
    "record",
    "entity",
    "lookup",
    "order",
    "project",
    "issue",
    "routing",
    "hash",
    "license",
    "node",
    "query",
    "column",
    "property",
    "config",
    "context",
    "host",
    "known",
    "site",
    "publishable",
    "recv",
    "fetch",
    "refresh",
    "csrf",
    "next",
    "page",
    "continuation",
    "cancellation",
    "mime",
    "image",
    "model",
    "design",
];

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Its value is a secret.
    Secret,
    /// Its value is a password, which a person may have chosen.
    Password,
    /// Its value is a key, of a lock or of a table.
    Key,
    /// Its value is anything else, such as the secret's name, place or length.
    Other,
}

/// Tells what the name says of its value.
pub(crate) fn meaning(name: &str) -> Meaning {
    let words = words(name);
    let is_number = |w: &String| w.bytes().all(|b| b.is_ascii_digit());
    let last = words.iter().rposition(|w| !(TRAILERS.contains(&w.as_str()) || is_number(w)));
    let Some(last) = last else { return Meaning::Other };
    let word = words[last].as_str();
    let before = last.checked_sub(1).map(|i| words[i].as_str());
    let is_secret = SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end));
    let is_key = ["key", "keys", "token", "tokens"].contains(&word);
    match before {
        _ if !is_secret => Meaning::Other,
        Some(before) if is_key && OPEN_KEYS.contains(&before) => Meaning::Other,
        None if ["key", "keys", "pass"].contains(&word) => Meaning::Key,
        _ if PASSWORDS.iter().any(|end| word.ends_with(end)) => Meaning::Password,
        _ => Meaning::Secret,
    }
}

/// The words of a name, split at case, digits and signs, in lower case.
fn words(name: &str) -> Vec<String> {
    let bytes = name.as_bytes();
    let (mut words, mut word) = (Vec::new(), String::new());
    for (i, b) in bytes.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| bytes[j]);
        let is_start = b.is_ascii_uppercase()
            && (before.is_some_and(|a| a.is_ascii_lowercase())
                || bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase)
                    && before.is_some_and(|a| a.is_ascii_uppercase()))
            || before.is_some_and(|a| a.is_ascii_digit() != b.is_ascii_digit());
        if is_start || !b.is_ascii_alphanumeric() {
            words.push(std::mem::take(&mut word));
        }
        if b.is_ascii_alphanumeric() {
            word.push(char::from(b.to_ascii_lowercase()));
        }
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words
}
