//! An archive is handed on while it is written: the same one, and the store is not held by who reads slowly.

use std::io::{self, Write};

use audit_archive::{ExportError, Filter, PublishedHead, export_to};

use crate::fixture::{Store, members, published, streamed, verified};

#[test]
fn what_is_streamed_is_the_archive_that_a_file_would_be() {
    for size in [0, 1, 300, 2100] {
        let store = Store::of(size);
        let filters = [Filter::default(), Filter { agent: Some("a".to_owned()), ..Filter::default() }];
        for filter in filters {
            let mut bytes = Vec::new();
            let exported = streamed(&mut store.reader(), &filter, &mut bytes).unwrap();
            assert_eq!(exported.bytes, bytes.len() as u64);
            assert!(bytes == store.exported(&filter), "{size} leaves, {filter:?}");
            assert!(verified(&bytes).holds());
        }
    }
}

#[test]
fn an_agents_archive_has_nothing_of_another_agent() {
    let store = Store::of(300);
    let mut bytes = Vec::new();
    let filter = Filter { agent: Some("a".to_owned()), ..Filter::default() };
    streamed(&mut store.reader(), &filter, &mut bytes).unwrap();
    let members = members(&bytes);
    let all: Vec<u8> = members.iter().flat_map(|(_, content)| content).copied().collect();
    let has = |text: &str| memchr::memmem::find(&all, text.as_bytes()).is_some();
    // Receipt 4 is of agent a, 5 of agent b; both have evidence or a request of their own.
    assert!(has(r#"{"content":4}"#) && has(r#""agent":"a""#) && has("page 10"));
    assert!(!has(r#"{"content":5}"#) && !has(r#""agent":"b""#) && !has("page 295"));
}

/// Looks at each write whether somebody reads the store: then its WAL could not be begun anew.
struct Looking<'s> {
    store: &'s Store,
    writes: u64,
}

impl Write for Looking<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if self.writes.is_multiple_of(50) {
            let connection = rusqlite::Connection::open(self.store.path()).unwrap();
            connection.execute_batch("UPDATE head SET only = only").unwrap();
            let busy: i64 =
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
            assert_eq!(busy, 0, "the store is read while the reader takes bytes");
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_store_is_not_held_while_the_reader_takes_bytes() {
    let store = Store::of(1300);
    let mut looking = Looking { store: &store, writes: 0 };
    streamed(&mut store.reader(), &Filter::default(), &mut looking).unwrap();
    assert!(looking.writes > 1000);
}

/// Takes so many bytes and then no more.
struct Gone(usize);

impl Write for Gone {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_and_a_store_that_is_behind_gives_none() {
    let store = Store::of(300);
    for taken in [0, 100, 5_000, 100_000] {
        let written = streamed(&mut store.reader(), &Filter::default(), &mut Gone(taken));
        assert!(matches!(written, Err(ExportError::Reader(_))), "{taken}");
    }
    let mut reader = store.reader();
    let head = PublishedHead { size: 301, checkpoint: reader.head().checkpoint.clone() };
    let written = export_to(&mut reader, &published(), &Filter::default(), &head, &mut Vec::new());
    assert!(matches!(written, Err(ExportError::Unsound(_))));
}

#[test]
fn it_is_the_archive_of_an_earlier_head_though_the_log_has_grown() {
    let mut store = Store::of(700);
    let head = {
        let reader = store.reader();
        PublishedHead { size: reader.head().size, checkpoint: reader.head().checkpoint.clone() }
    };
    let before = store.exported(&Filter::default());
    store.grow(600);
    let mut bytes = Vec::new();
    export_to(&mut store.reader(), &published(), &Filter::default(), &head, &mut bytes).unwrap();
    assert!(bytes == before);
}
