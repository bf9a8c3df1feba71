//! Members of an archive that is being written, and the state of one that was interrupted.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::{ExportError, Result};
use crate::layout::{ABOUT, CHECKPOINT, Name, SUMS, sums_line};
use crate::output::{Output, write_member, write_padding};
use crate::tar::{self, BLOCK, TarError, TarReader};

/// The bytes of a document that are remembered.
const MAX_DOCUMENT: usize = 4 << 20;

/// The part of the archive that is there, as far as its members are whole.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The first member's content.
    pub(crate) about: Option<Vec<u8>>,
    /// The checkpoint's note.
    pub(crate) note: Option<String>,
    /// The names of the members before the log, and of the log's.
    pub(crate) names: HashSet<String>,
    /// The end of the last chunk that is whole.
    pub(crate) done: u64,
    /// The blobs that are there.
    pub(crate) blobs: HashSet<[u8; 32]>,
    /// True if the sums are there too.
    pub(crate) has_sums: bool,
}

impl Written {
    fn note(&mut self, name: &str) {
        match Name::read(name) {
            Some(Name::Receipts(_)) => {}
            Some(Name::Kept(leaves)) => self.done = leaves.end,
            Some(Name::Blob(sha256)) => drop(self.blobs.insert(sha256)),
            Some(Name::Sums) => self.has_sums = true,
            Some(_) | None => {
                self.names.insert(name.to_owned());
            }
        }
    }
}

/// Writes an archive beside its place.
pub(crate) struct ArchiveWriter {
    path: PathBuf,
    part: PathBuf,
    sums_path: PathBuf,
    out: BufWriter<File>,
    sums: BufWriter<File>,
    position: u64,
    sums_bytes: u64,
    pub(crate) written: Written,
}

/// The path with an ending added to its name.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A file that its owner alone may read: requests are in it.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.read(true).write(true)
}

impl ArchiveWriter {
    /// Begins an archive, or goes on with the half-made one after its last whole chunk.
    pub(crate) fn begin(path: &Path, resume: bool) -> Result<Self> {
        let (part, sums_path) = (with_ending(path, ".part"), with_ending(path, ".sums"));
        if path.exists() {
            return Err(ExportError::Exists(path.to_owned()));
        }
        if part.exists() && !resume {
            return Err(ExportError::HalfMade(part));
        }
        let file = private(OpenOptions::new().create(true).truncate(false)).open(&part);
        let file = file.map_err(ExportError::file(&part))?;
        // Two processes would write into one another's archive.
        file.try_lock().map_err(|error| ExportError::file(&part)(error.into()))?;
        let sums = private(OpenOptions::new().create(true).truncate(true)).open(&sums_path);
        let sums = sums.map_err(ExportError::file(&sums_path))?;
        let mut writer = Self {
            path: path.to_owned(),
            part,
            sums_path,
            out: BufWriter::with_capacity(1 << 20, file),
            sums: BufWriter::new(sums),
            position: 0,
            sums_bytes: 0,
            written: Written::default(),
        };
        writer.read_part()?;
        Ok(writer)
    }

    /// Reads the half-made archive, and cuts off what is after its last whole chunk, or after the last whole member of the log: a
    /// receipt of a chunk that was only begun may have been erased since.
    fn read_part(&mut self) -> Result<()> {
        let file = File::open(&self.part).map_err(ExportError::file(&self.part))?;
        let mut reader = TarReader::new(BufReader::with_capacity(1 << 20, file));
        let (mut whole, mut sums_bytes, mut begun) = (0, 0, Vec::new());
        while !self.written.has_sums {
            match self.whole_member(&mut reader) {
                Ok(Some(name)) => match Name::read(&name) {
                    Some(Name::Receipts(_)) => {}
                    Some(Name::Blob(sha256)) => begun.push(sha256),
                    Some(_) | None => {
                        (whole, sums_bytes) = (reader.position(), self.sums_bytes);
                        begun.clear();
                    }
                },
                // A kill leaves a member that is cut.
                Ok(None) | Err(ExportError::Damaged { error: TarError::Cut, .. }) => break,
                Err(error) => return Err(error),
            }
        }
        for sha256 in begun {
            self.written.blobs.remove(&sha256);
        }
        if self.written.note.is_none() {
            // Without its checkpoint, it is of no size yet.
            self.written = Written::default();
            (whole, sums_bytes) = (0, 0);
        }
        let failed = ExportError::file(&self.sums_path);
        self.sums.seek(SeekFrom::Start(sums_bytes)).map_err(&failed)?;
        self.sums.get_ref().set_len(sums_bytes).map_err(&failed)?;
        drop(failed);
        (self.position, self.sums_bytes) = (whole, sums_bytes);
        let failed = ExportError::file(&self.part);
        let file = self.out.get_mut();
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::Start(whole))).map_err(failed)?;
        Ok(())
    }

    /// Reads a member of the half-made archive, and returns its name; `None` at its end.
    fn whole_member(&mut self, reader: &mut TarReader<BufReader<File>>) -> Result<Option<String>> {
        let failed = |part: &Path, error| match error {
            TarError::Io(error) => ExportError::file(part)(error),
            error => ExportError::Damaged { path: part.to_owned(), error },
        };
        let Some(member) = reader.next_member().map_err(|error| failed(&self.part, error))? else {
            return Ok(None);
        };
        let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
        let mut document = [ABOUT, CHECKPOINT].contains(&&*member.name).then(Vec::new);
        loop {
            let read = reader.read_content(&mut buffer).map_err(|error| failed(&self.part, error))?;
            if read == 0 {
                break;
            }
            hash.update(&buffer[..read]);
            if let Some(document) = document.as_mut().filter(|document| document.len() < MAX_DOCUMENT) {
                document.extend_from_slice(&buffer[..read]);
            }
        }
        match &*member.name {
            ABOUT => self.written.about = document,
            CHECKPOINT => self.written.note = document.and_then(|note| String::from_utf8(note).ok()),
            _ => {}
        }
        self.written.note(&member.name);
        if member.name != SUMS {
            self.note_sum(&hash.finalize().into(), &member.name)?;
        }
        Ok(Some(member.name))
    }

    fn note_sum(&mut self, sha256: &[u8; 32], name: &str) -> Result<()> {
        let line = sums_line(sha256, name);
        self.sums_bytes += line.len() as u64;
        self.sums.write_all(line.as_bytes()).map_err(ExportError::file(&self.sums_path))
    }

    /// Writes the sums and the end, and moves the archive to its place. It lasts when this returns.
    pub(crate) fn end(mut self) -> Result<u64> {
        let failed = ExportError::file(&self.part);
        if !self.written.has_sums {
            self.sums.flush().map_err(ExportError::file(&self.sums_path))?;
            let header = tar::header(SUMS, self.sums_bytes).map_err(&failed)?;
            self.out.write_all(&header).map_err(&failed)?;
            let sums = self.sums.get_mut();
            sums.seek(SeekFrom::Start(0)).map_err(ExportError::file(&self.sums_path))?;
            let copied = io::copy(&mut sums.take(self.sums_bytes), &mut self.out).map_err(&failed)?;
            self.position += BLOCK + copied + write_padding(&mut self.out, copied).map_err(&failed)?;
        }
        self.out.write_all(&[0; 1024]).and_then(|()| self.out.flush()).map_err(&failed)?;
        self.out.get_ref().sync_all().map_err(&failed)?;
        drop(failed);
        fs::rename(&self.part, &self.path).map_err(ExportError::file(&self.path))?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if cfg!(unix) {
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(ExportError::file(folder))?;
        }
        // Only a help to go on: another run would truncate it.
        let _left_over = fs::remove_file(&self.sums_path);
        Ok(self.position + 2 * BLOCK)
    }
}

impl Output for ArchiveWriter {
    fn done(&self) -> u64 {
        self.written.done
    }

    fn has_blob(&self, sha256: &[u8; 32]) -> bool {
        self.written.blobs.contains(sha256)
    }

    fn member(&mut self, name: &Name, content: &[u8]) -> Result<()> {
        let name = name.to_string();
        if self.written.names.contains(&name) {
            return Ok(());
        }
        let written = write_member(&mut self.out, &name, content);
        self.position += written.map_err(ExportError::file(&self.part))?;
        self.written.note(&name);
        self.note_sum(&Sha256::digest(content).into(), &name)
    }
}
