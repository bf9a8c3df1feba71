//! A snapshot's content: canonical lines, and their hash.

use std::io::{self, BufRead, Read, Write};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::id::SnapshotId;
use crate::model::{Coverage, Entry, List, ListName, PublicationBounds, Topic};

/// The form's name and version: content of another version has another id.
const FORM: &str = "touchstone-list/1";

#[derive(Serialize, Deserialize)]
struct ContentHead {
    form: String,
    list: ListName,
    published: Option<String>,
    coverage: Coverage,
    #[serde(default, skip_serializing_if = "Topic::is_sanctions")]
    topic: Topic,
    demo: bool,
}

/// The SHA-256 of the content.
pub(super) fn id(list: &List) -> SnapshotId {
    let mut hashed = HashingWriter { inner: io::sink(), sha256: Sha256::new() };
    write(list, &mut hashed).expect("a sink takes every byte, and an entry is plain data");
    SnapshotId::new(hashed.sha256.finalize().into())
}

/// Returns the SHA-256 of an entry as a snapshot's content has it: its line, without the line feed.
///
/// # Panics
/// Never: an entry is plain data.
pub fn entry_sha256(entry: &Entry) -> [u8; 32] {
    let line = serde_json::to_vec(entry).expect("an entry is plain data");
    Sha256::digest(line).into()
}

/// The SHA-256 of all that is read.
pub(super) fn hash(mut from: impl Read) -> io::Result<[u8; 32]> {
    let mut hashed = HashingWriter { inner: io::sink(), sha256: Sha256::new() };
    io::copy(&mut from, &mut hashed)?;
    Ok(hashed.sha256.finalize().into())
}

/// Writes the content.
pub(super) fn write(list: &List, to: &mut impl Write) -> io::Result<()> {
    let head = ContentHead {
        form: FORM.to_owned(),
        list: list.name.clone(),
        published: list.published.map(|date| date.to_string()),
        coverage: list.coverage,
        topic: list.topic,
        demo: list.demo,
    };
    let mut line = Vec::new();
    push_line(&mut line, &head, to)?;
    list.entries.iter().try_for_each(|entry| push_line(&mut line, entry, to))
}

fn push_line(line: &mut Vec<u8>, value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    line.clear();
    serde_json::to_writer(&mut *line, value)?;
    line.push(b'\n');
    to.write_all(line)
}

/// Reads content back, and gives its hash with it.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if a line is cut, over the bound or not of the form, or if the entries are out of order, without
/// a name or too many. JSON with other spacing than that of [`write()`] is taken, and has an id of its own.
pub(super) fn read(from: impl BufRead, bounds: &PublicationBounds) -> io::Result<(List, SnapshotId)> {
    let mut lines =
        LineReader { from, sha256: Sha256::new(), line: Vec::new(), limit: bounds.record_bytes as u64 };
    let head: ContentHead = serde_json::from_slice(lines.next()?.ok_or_else(|| invalid("it is empty"))?)?;
    if head.form != FORM {
        return Err(invalid("it is of another version"));
    }
    let published = head.published.map(|date| date.parse::<Date>()).transpose();
    let mut list = List {
        name: head.list,
        published: published.map_err(|_| invalid("its date is none"))?,
        coverage: head.coverage,
        topic: head.topic,
        demo: head.demo,
        entries: Vec::new(),
    };
    while let Some(line) = lines.next()? {
        let mut entry: Entry = serde_json::from_slice(line)?;
        if list.entries.last().is_some_and(|last| last.uid >= entry.uid) || entry.names.is_empty() {
            return Err(invalid("its entries are out of order"));
        }
        if list.entries.len() >= bounds.entries {
            return Err(invalid("it has too many entries"));
        }
        // One name in memory for all entries.
        let known = [Some(&list.name), list.entries.last().map(|last| &last.list)];
        if let Some(known) = known.into_iter().flatten().find(|known| **known == entry.list) {
            entry.list = known.clone();
        }
        list.entries.push(entry);
    }
    let id = SnapshotId::new(lines.sha256.finalize().into());
    list.entries.shrink_to_fit();
    Ok((list, id))
}

/// Hashes each line that it reads.
struct LineReader<R> {
    from: R,
    sha256: Sha256,
    line: Vec<u8>,
    limit: u64,
}

impl<R: BufRead> LineReader<R> {
    fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let read = (&mut self.from).take(self.limit + 1).read_until(b'\n', &mut self.line)?;
        self.sha256.update(&self.line);
        match self.line.last() {
            None if read == 0 => Ok(None),
            Some(b'\n') => Ok(Some(&self.line)),
            _ => Err(invalid("a line is cut or too long")),
        }
    }
}

/// Hashes what it passes on.
pub(super) struct HashingWriter<W> {
    inner: W,
    sha256: Sha256,
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sha256.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
