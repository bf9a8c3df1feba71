//! Reading a feed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::IpAddr;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use url::{Host, Url};

use super::entries::Entries;
use super::look_up::FeedLookUp;
use crate::{DomainError, DomainName, Subject};

/// The most bytes of a feed's file; those with a million names have some 25 million.
pub const MAX_FEED_BYTES: u64 = 128 << 20;
/// The most bytes of a feed's file. A file with a million names has about 25 million bytes.
pub const MAX_ENTRIES: usize = 5_000_000;
/// The most bytes of a line.
const MAX_LINE_BYTES: u64 = 16 << 10;

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
    /// Most lines of the file are not names: it is a web page, for example, or another kind of list.
    #[error("the feed has {malformed} lines that name no domain, and {named} that do")]
    NoFeed {
        /// The number of lines with a name.
        named: u64,
        /// The number of lines that are neither empty, nor a comment, nor a name or an address.
        malformed: u64,
    },
}

/// A feed as it was read: the domains that one file names.
pub struct Feed {
    sha256: [u8; 32],
    entries: Entries,
    /// Lines that were passed over.
    pub(super) malformed: u64,
}

/// Content of a line.
enum FeedLine<'l> {
    /// No name: the line is empty, a comment, or an address without a domain.
    Nothing,
    /// Names, of which some may be none.
    Names(Vec<&'l str>),
    /// The address of a page, or of a whole host.
    Url(Url),
    /// A line that cannot be read.
    Malformed,
}

impl Feed {
    /// Reads a feed from a file.
    pub(super) fn open(path: &Path) -> Result<Self, FeedError> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Self::read(file, bytes)
    }

    /// Reads a feed, a line at a time. Room is made at once for as many bytes as it is likely to have.
    ///
    /// # Errors
    /// [`FeedError`]: what is no feed, or more than its bounds.
    pub fn read(source: impl Read, bytes: u64) -> Result<Self, FeedError> {
        let entries = Entries::with_room(bytes.min(MAX_FEED_BYTES));
        let mut hashed =
            HashingReader { source: source.take(MAX_FEED_BYTES + 1), hash: Sha256::new(), bytes: 0 };
        let mut lines = BufReader::new(&mut hashed);
        let (mut reader, mut line) = (FeedReader { entries, named: 0, malformed: 0 }, Vec::new());
        while next_line(&mut lines, &mut line)? {
            reader.take(&line)?;
        }
        if hashed.bytes > MAX_FEED_BYTES {
            return Err(FeedError::TooLarge);
        }
        let FeedReader { mut entries, named, malformed } = reader;
        if malformed > named {
            return Err(FeedError::NoFeed { named, malformed });
        }
        entries.sort();
        match entries.count() {
            0 => Err(FeedError::Empty),
            _ => Ok(Self { sha256: hashed.hash.finalize().into(), entries, malformed }),
        }
    }

    /// Number of entries.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.count()
    }

    /// Looks a domain up, and names the feed.
    #[must_use]
    pub fn look(&self, name: &str, subject: &Subject) -> FeedLookUp {
        FeedLookUp {
            name: name.to_owned(),
            sha256: hex::encode(self.sha256),
            entries: self.count() as u64,
            entry: self.entries.of(subject),
        }
    }
}

/// A feed as far as it has been read.
struct FeedReader {
    entries: Entries,
    /// Lines with a name.
    named: u64,
    malformed: u64,
}

impl FeedReader {
    fn take(&mut self, line: &[u8]) -> Result<(), FeedError> {
        let before = self.entries.count();
        let is_sound = match read(line) {
            FeedLine::Nothing => true,
            FeedLine::Malformed => false,
            FeedLine::Url(url) => self.add_url(&url)?,
            FeedLine::Names(names) => {
                let mut all_sound = true;
                for name in names {
                    all_sound &= self.add_name(name)?;
                }
                all_sound
            }
        };
        self.named += u64::from(self.entries.count() > before);
        self.malformed += u64::from(!is_sound);
        Ok(())
    }

    /// Adds a name; true if the text is a name, or at least an address. A name of one label, as hosts files have for
    /// the machine itself, is nobody's domain.
    fn add_name(&mut self, text: &str) -> Result<bool, FeedError> {
        let text = text.strip_prefix("*.").or_else(|| text.strip_prefix('.')).unwrap_or(text);
        match DomainName::parse(text) {
            Ok(name) if name.labels().nth(1).is_none() => {}
            Ok(name) => self.entries.add_name(&name, MAX_ENTRIES).ok_or(FeedError::TooManyEntries)?,
            Err(error) => return Ok(error == DomainError::Address),
        }
        Ok(true)
    }

    fn add_url(&mut self, url: &Url) -> Result<bool, FeedError> {
        let Some(Host::Domain(host)) = url.host() else { return Ok(url.host().is_some()) };
        if matches!(url.path(), "" | "/") && url.query().is_none() {
            return self.add_name(host);
        }
        let Ok(host) = DomainName::parse(host) else { return Ok(false) };
        self.entries.add_page(&host, MAX_ENTRIES).ok_or(FeedError::TooManyEntries)?;
        Ok(true)
    }
}

/// Reads a line.
fn read(line: &[u8]) -> FeedLine<'_> {
    if line.len() as u64 > MAX_LINE_BYTES {
        return FeedLine::Malformed;
    }
    let Ok(text) = str::from_utf8(line) else { return FeedLine::Malformed };
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_url = text
        .split_once("://")
        .is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if is_url {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        return url.map_or(FeedLine::Malformed, FeedLine::Url);
    }
    let text = text.split('#').next().unwrap_or(text);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        [] => FeedLine::Nothing,
        [_] => FeedLine::Names(words),
        [address, names @ ..] if address.parse::<IpAddr>().is_ok() => FeedLine::Names(names.to_vec()),
        _ => FeedLine::Malformed,
    }
}

/// The next line, cut off just past the most bytes of one; whether there was one.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = lines.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', line)?;
    if line.pop_if(|last| *last == b'\n').is_none() && read as u64 > MAX_LINE_BYTES {
        lines.skip_until(b'\n')?;
    }
    Ok(read > 0)
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
