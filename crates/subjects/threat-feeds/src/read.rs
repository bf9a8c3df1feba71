//! Reading a feed.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::SystemTime;

use domain_name::{PublicSuffixes, Subject};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use web_address::WebAddress;

use crate::entries::Entries;
use crate::look_up::{FeedEntry, FeedLookUp};
use crate::row::{JsonRow, Rows};
use crate::{document, is_shared_host, stated};

/// The most bytes of a feed's file. A file with a million names has about 25 million bytes.
pub const MAX_FEED_BYTES: u64 = 128 << 20;
/// The most entries of a feed.
pub const MAX_ENTRIES: usize = 5_000_000;
/// The most bytes of a line.
pub(crate) const MAX_LINE_BYTES: u64 = 16 << 10;
/// The bytes by which the format is recognised.
const HEAD_BYTES: u64 = 64 << 10;

/// The reason why a file is not a feed.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is larger than [`MAX_FEED_BYTES`].
    #[error("the feed is larger than {MAX_FEED_BYTES} bytes")]
    TooLarge,
    /// The feed has more entries than [`MAX_ENTRIES`].
    #[error("the feed has more than {MAX_ENTRIES} entries")]
    TooManyEntries,
    /// The feed has no entries. It could not show that a domain is not bad.
    #[error("the feed names no domain")]
    Empty,
    /// A JSON document, or the last row of JSON Lines, has no end.
    #[error("the feed is cut off in the middle")]
    Cut,
    /// The file begins as a JSON document and is not one.
    #[error("the feed is no JSON at line {line}, column {column}")]
    Json {
        /// The line, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
    },
    /// The file was changed or replaced while it was read.
    #[error("the feed was changed while it was read")]
    Changed,
    /// Most lines of the file are not names: it is a web page, for example, or another kind of list.
    #[error("the feed has {malformed} lines that name no domain, and {named} that do")]
    NoFeed {
        /// The number of lines with a name.
        named: u64,
        /// The number of lines that are neither empty, nor a comment, nor a name or an address.
        malformed: u64,
    },
}

/// A feed as it was read: the names and addresses of one file.
pub struct Feed {
    sha256: [u8; 32],
    entries: Entries,
    /// Names that are never blocked whole, by the feed's word or the operator's.
    allowed: Entries,
    pub(crate) malformed: u64,
    /// Rows that named a shared host whole, and are no entries.
    pub(crate) ignored: u64,
    pub(crate) format: FeedFormat,
    /// The date that the file states.
    pub(crate) stated: Option<SystemTime>,
}

/// The way in which a file is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedFormat {
    /// Lines of text: names, hosts files, addresses, CSV, and the syntax of ad blockers.
    Text,
    /// A JSON object on each line.
    JsonLines,
    /// One JSON document.
    Json,
}

impl fmt::Display for FeedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::JsonLines => "json_lines",
            Self::Json => "json",
        })
    }
}

impl Feed {
    /// A feed without entries, in place of one that is not there yet.
    pub(crate) fn empty() -> Self {
        Self {
            sha256: Sha256::digest(b"").into(),
            entries: Entries::default(),
            allowed: Entries::default(),
            malformed: 0,
            ignored: 0,
            format: FeedFormat::Text,
            stated: None,
        }
    }

    /// Reads a feed from a file, with the names that the operator never blocks whole.
    pub(crate) fn open(path: &Path, allowed: &Entries) -> Result<Self, FeedError> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Self::read_with(file, bytes, allowed.clone())
    }

    /// Reads a feed, a row at a time. Room is made at once for as many bytes as it is likely to have.
    ///
    /// # Errors
    /// [`FeedError`]: what is no feed, is cut off, or is more than its bounds.
    pub fn read(source: impl Read, bytes: u64) -> Result<Self, FeedError> {
        Self::read_with(source, bytes, Entries::default())
    }

    fn read_with(source: impl Read, bytes: u64, allowed: Entries) -> Result<Self, FeedError> {
        let mut rows = Rows::new(bytes.min(MAX_FEED_BYTES), allowed);
        let mut hashed =
            HashingReader { source: source.take(MAX_FEED_BYTES + 1), hash: Sha256::new(), bytes: 0 };
        let mut head = Vec::new();
        hashed.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        let format = format(head);
        let read = match format {
            FeedFormat::Json => document::read(BufReader::new(head.chain(&mut hashed)), &mut rows),
            format => read_lines(BufReader::new(head.chain(&mut hashed)), format, &mut rows),
        };
        if hashed.bytes > MAX_FEED_BYTES {
            return Err(FeedError::TooLarge);
        }
        read?;
        let Rows { mut entries, mut allowed, named, malformed, stated, .. } = rows;
        if malformed > named {
            return Err(FeedError::NoFeed { named, malformed });
        }
        entries.sort();
        allowed.sort();
        let ignored = entries.drop_names(|name| allowed.has(name) || is_shared_host(name)) as u64;
        if entries.count() == 0 {
            return Err(FeedError::Empty);
        }
        let stated = stated.and_then(stated::system);
        Ok(Self {
            sha256: hashed.hash.finalize().into(),
            entries,
            allowed,
            malformed,
            ignored,
            format,
            stated,
        })
    }

    /// Number of entries.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.count()
    }

    /// The SHA-256 of the file in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex::encode(self.sha256)
    }

    /// Looks a domain up, and names the feed.
    #[must_use]
    pub fn look(&self, name: &str, subject: &Subject) -> FeedLookUp {
        let is_shared = |name: &str| self.allowed.has(name) || is_shared_host(name);
        self.found(name, self.entries.of(subject, is_shared))
    }

    /// Looks an address up, and names the feed. Only the registered part of the host and what is below it count.
    #[must_use]
    pub fn look_address(&self, name: &str, address: &WebAddress) -> FeedLookUp {
        self.found(name, self.of_address(address))
    }

    fn of_address(&self, address: &WebAddress) -> Option<FeedEntry> {
        let host = address.host_str()?;
        let registrable = address.registrable(&PublicSuffixes::bundled()).unwrap_or(host);
        let is_shared = |name: &str| self.allowed.has(name) || is_shared_host(name);
        if let Some(name) = self.entries.name_of(host, registrable, is_shared) {
            return Some(FeedEntry::Name(name.to_owned()));
        }
        let is_of_owner = |page: &String| page.find('/').is_some_and(|host| host >= registrable.len());
        let page = address.expressions().into_iter().filter(is_of_owner).find(|page| self.entries.has(page));
        page.map(FeedEntry::Page)
    }

    fn found(&self, name: &str, entry: Option<FeedEntry>) -> FeedLookUp {
        FeedLookUp {
            name: name.to_owned(),
            sha256: self.sha256(),
            entries: self.count() as u64,
            entry,
            ..FeedLookUp::default()
        }
    }
}

/// Recognises the format by the first bytes of a file.
fn format(head: &[u8]) -> FeedFormat {
    let head = head.trim_ascii_start();
    match head.split_first() {
        Some((b'{', _)) => {
            let is_row =
                |line: &[u8]| serde_json::from_slice::<JsonRow>(line).is_ok_and(|row| row.text().is_some());
            if head.split(|byte| *byte == b'\n').any(is_row) {
                FeedFormat::JsonLines
            } else {
                FeedFormat::Json
            }
        }
        Some((b'[', rest)) => match rest.trim_ascii_start().first() {
            None | Some(b'"' | b'{' | b'[' | b']') => FeedFormat::Json,
            _ => FeedFormat::Text,
        },
        _ => FeedFormat::Text,
    }
}

fn read_lines(mut lines: impl BufRead, format: FeedFormat, rows: &mut Rows) -> Result<(), FeedError> {
    let mut line = Vec::new();
    while let Some(is_ended) = next_line(&mut lines, &mut line)? {
        match format {
            FeedFormat::JsonLines => rows.take_json_line(&line, is_ended)?,
            _ => rows.take_line(&line)?,
        }
    }
    Ok(())
}

/// The next line, cut off just past the most bytes of one; whether it ended in a line break. `None` at the end.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let read = lines.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', line)?;
    let mut is_ended = line.pop_if(|last| *last == b'\n').is_some();
    if !is_ended && read as u64 > MAX_LINE_BYTES {
        lines.skip_until(b'\n')?;
        is_ended = true;
    }
    Ok((read > 0).then_some(is_ended))
}

/// A source whose bytes are hashed and counted as they are read.
struct HashingReader<R> {
    source: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.hash.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
