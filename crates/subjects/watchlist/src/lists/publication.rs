//! The files of one import.

use std::fs::{self, File};
use std::io::{self, BufRead, Cursor, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::bounded::{BoundedReader, read_error};
use super::columns::{BYTE_ORDER_MARK, ColumnMap};
use super::detect;
use super::error::ListError;
use super::file_format::FileFormat;
use crate::model::PublicationBounds;

/// The files of one import, recognised but not yet read.
pub struct Publication {
    pub(super) files: Vec<ListFile>,
    /// Files of a folder that are no list.
    pub(super) passed_over: Vec<String>,
    pub(super) bounds: PublicationBounds,
    /// What the columns of the files hold, where the operator says it.
    pub(super) columns: Option<ColumnMap>,
}

/// One file.
pub(super) struct ListFile {
    pub(super) name: String,
    pub(super) form: FileFormat,
    /// True where its first letter begins an object of JSON.
    pub(super) is_json: bool,
    content: FileContent,
}

enum FileContent {
    Path { path: PathBuf, seen: FileIdentity },
    Bytes(Vec<u8>),
}

/// Identity of a file on disk, which changes when another file takes its place.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
}

impl FileIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        })
    }
}

impl Publication {
    /// Opens files, and the files directly in folders. In a folder, files of other formats are skipped; a file that is
    /// named itself must be a list.
    ///
    /// # Errors
    /// [`ListError`] if a path cannot be read or is not a list, or there are too many files.
    pub fn open(paths: &[PathBuf], bounds: PublicationBounds) -> Result<Self, ListError> {
        Self::open_by(paths, bounds, None)
    }

    /// Opens files of any table or JSON Lines, to be read by a map of their columns, and the files directly in folders.
    ///
    /// # Errors
    /// [`ListError`] if a path cannot be read, or there are too many files.
    pub fn open_with(
        paths: &[PathBuf],
        columns: ColumnMap,
        bounds: PublicationBounds,
    ) -> Result<Self, ListError> {
        Self::open_by(paths, bounds, Some(columns))
    }

    fn open_by(
        paths: &[PathBuf],
        bounds: PublicationBounds,
        columns: Option<ColumnMap>,
    ) -> Result<Self, ListError> {
        let mut publication = Self { files: Vec::new(), passed_over: Vec::new(), bounds, columns };
        for path in paths {
            let io_error = |source| ListError::Io { file: path.display().to_string(), source };
            if path.is_dir() {
                let entries = fs::read_dir(path).map_err(io_error)?;
                for entry in entries {
                    let entry = entry.map_err(io_error)?;
                    if entry.path().is_file() && !publication.take(&entry.path())? {
                        publication.passed_over.push(file_name(&entry.path()));
                    }
                }
            } else if !publication.take(path)? {
                return Err(ListError::UnknownForm { file: file_name(path) });
            }
        }
        publication.passed_over.sort();
        publication.in_order()
    }

    /// Takes files from memory, by name.
    ///
    /// # Errors
    /// [`ListError`] if a file is not a list, or there are too many.
    pub fn from_bytes(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        bounds: PublicationBounds,
    ) -> Result<Self, ListError> {
        Self::from_bytes_by(files, None, bounds)
    }

    /// Takes files from memory, by name, to be read by a map of their columns.
    ///
    /// # Errors
    /// [`ListError`] if there are too many.
    pub fn from_bytes_with(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        columns: ColumnMap,
        bounds: PublicationBounds,
    ) -> Result<Self, ListError> {
        Self::from_bytes_by(files, Some(columns), bounds)
    }

    fn from_bytes_by(
        files: impl IntoIterator<Item = (String, Vec<u8>)>,
        columns: Option<ColumnMap>,
        bounds: PublicationBounds,
    ) -> Result<Self, ListError> {
        let mut publication = Self { files: Vec::new(), passed_over: Vec::new(), bounds, columns };
        for (name, bytes) in files {
            let content = FileContent::Bytes(bytes);
            let form = publication.recognise(&name, &content)?;
            let (form, is_json) = form.ok_or_else(|| ListError::UnknownForm { file: name.clone() })?;
            publication.files.push(ListFile { name, form, is_json, content });
        }
        publication.in_order()
    }

    fn take(&mut self, path: &Path) -> Result<bool, ListError> {
        let name = file_name(path);
        let io_error = |source| ListError::Io { file: name.clone(), source };
        let path = path.canonicalize().map_err(io_error)?;
        let content = FileContent::Path { seen: FileIdentity::of(&path).map_err(io_error)?, path };
        let Some((form, is_json)) = self.recognise(&name, &content)? else { return Ok(false) };
        if !self.files.iter().any(|known| known.is_at(&content)) {
            self.files.push(ListFile { name, form, is_json, content });
        }
        Ok(true)
    }

    /// The form of a file, and whether it begins as JSON does. With a map of columns every file is of these columns.
    fn recognise(&self, name: &str, content: &FileContent) -> Result<Option<(FileFormat, bool)>, ListError> {
        let mut bytes = open(content, &self.bounds).map_err(|source| read_error(name, source))?;
        let beginning = bytes.fill_buf().map_err(|source| read_error(name, source))?;
        let text = beginning.strip_prefix(BYTE_ORDER_MARK).unwrap_or(beginning);
        let is_json = text.trim_ascii_start().starts_with(b"{");
        let known =
            if self.columns.is_some() { Some(FileFormat::Columns) } else { detect::detect(name, beginning) };
        Ok(known.map(|form| (form, is_json)))
    }

    /// Sorts the files, so that their order of naming makes no difference.
    fn in_order(mut self) -> Result<Self, ListError> {
        if self.files.is_empty() {
            return Err(ListError::Nothing);
        }
        if self.files.len() > self.bounds.files {
            let file = "the import".to_owned();
            return Err(ListError::TooLarge { file, what: "files", limit: self.bounds.files as u64 });
        }
        self.files.sort_by(|one, other| (one.form, &one.name).cmp(&(other.form, &other.name)));
        Ok(self)
    }
}

impl ListFile {
    fn is_at(&self, other: &FileContent) -> bool {
        match (&self.content, other) {
            (FileContent::Path { path, .. }, FileContent::Path { path: other, .. }) => path == other,
            _ => false,
        }
    }

    /// Opens the file within the bounds.
    pub(super) fn bytes(&self, bounds: &PublicationBounds) -> Result<BoundedReader, ListError> {
        open(&self.content, bounds).map_err(|source| read_error(&self.name, source))
    }

    /// Checks that the file on disk is still the one that was recognised.
    pub(super) fn unchanged(&self) -> Result<(), ListError> {
        match &self.content {
            FileContent::Path { path, seen } if FileIdentity::of(path).ok() != Some(*seen) => {
                Err(ListError::Replaced { file: self.name.clone() })
            }
            _ => Ok(()),
        }
    }
}

fn open(content: &FileContent, bounds: &PublicationBounds) -> io::Result<BoundedReader> {
    let read: Box<dyn Read> = match content {
        FileContent::Path { path, .. } => Box::new(File::open(path)?),
        // One publication's bytes are held twice while they are parsed.
        FileContent::Bytes(bytes) => Box::new(Cursor::new(bytes.clone())),
    };
    BoundedReader::new(read, bounds)
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
