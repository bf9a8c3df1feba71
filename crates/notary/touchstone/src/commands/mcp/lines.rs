//! Standard input and output, line by line, and the calls that are being answered.

use std::io::{self, BufRead as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use anyhow::{Context as _, ensure};

/// Calls that are answered at once; a further line waits.
const AT_ONCE: usize = 16;
/// Maximum length of a line: more than any route takes.
const MAX_LINE_BYTES: usize = 8 << 20;

/// A line without its end; `None` at the end of the input.
pub(super) fn read_line(lines: &mut impl io::BufRead) -> anyhow::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let limit = u64::try_from(MAX_LINE_BYTES)? + 1;
    io::Read::take(&mut *lines, limit).read_until(b'\n', &mut line).context("read standard input")?;
    ensure!(line.len() <= MAX_LINE_BYTES, "a message has more than {MAX_LINE_BYTES} bytes");
    Ok((!line.is_empty()).then_some(line))
}

pub(super) fn say(answer: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(answer.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// The calls that are being answered.
#[derive(Default)]
pub(super) struct Places {
    taken: Mutex<usize>,
    changed: Condvar,
}

/// A call's place. Dropping it gives it back.
pub(super) struct Place(Arc<Places>);

impl Places {
    /// Waits for a place.
    pub(super) fn take(places: &Arc<Self>) -> Place {
        let mut taken = places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken >= AT_ONCE {
            taken = places.changed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += 1;
        Place(Arc::clone(places))
    }

    pub(super) fn wait_for_all(&self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 {
            taken = self.changed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.changed.notify_all();
    }
}
