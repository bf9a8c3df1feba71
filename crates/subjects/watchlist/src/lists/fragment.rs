//! Fragment: the entries of one list from one file, or from one set of legacy files.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::doubt::Doubt;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use crate::model::{Coverage, Entry, ListName, PublicationBounds, Topic};

/// The entries of one list in one form.
pub(super) struct Fragment {
    pub(super) form: FileFormat,
    pub(super) file: String,
    pub(super) list: ListName,
    pub(super) published: Option<Date>,
    pub(super) coverage: Coverage,
    pub(super) topic: Topic,
    pub(super) entries: BTreeMap<Box<str>, Entry>,
    pub(super) declared: Option<u64>,
    pub(super) doubts: Vec<Doubt>,
    /// Set where the aliases are in a separate file, which is missing.
    pub(super) without_aliases: bool,
    /// Number of entries whose remarks are cut and should continue in another file.
    pub(super) cut_remarks: u64,
}

impl Fragment {
    pub(super) fn new(form: FileFormat, file: &str, list: &ListName) -> Self {
        let coverage = if form == FileFormat::WalletLines { Coverage::WalletsOnly } else { Coverage::Names };
        Self {
            form,
            file: file.to_owned(),
            list: list.clone(),
            published: None,
            coverage,
            topic: Topic::default(),
            entries: BTreeMap::new(),
            declared: None,
            doubts: Vec::new(),
            without_aliases: false,
            cut_remarks: 0,
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// [`ListError::Doubled`] where its key is there already, [`ListError::TooLarge`] past the bounds.
    pub(super) fn add(&mut self, mut entry: Entry, bounds: &PublicationBounds) -> Result<(), ListError> {
        draft::finish(&mut entry, &self.file, bounds)?;
        if self.entries.len() >= bounds.entries {
            let limit = bounds.entries as u64;
            return Err(ListError::TooLarge { file: self.file.clone(), what: "entries", limit });
        }
        let uid = entry.uid.clone();
        match self.entries.insert(uid, entry) {
            None => Ok(()),
            Some(first) => Err(ListError::Doubled { file: self.file.clone(), uid: first.uid.into_string() }),
        }
    }

    /// The entry of that key, to add to.
    pub(super) fn entry(&mut self, uid: &str) -> Option<&mut Entry> {
        self.entries.get_mut(uid)
    }

    /// Ends the file: it must have entries, and should have as many as it says.
    pub(super) fn end(mut self) -> Result<Self, ListError> {
        let parsed = self.entries.len() as u64;
        if parsed == 0 {
            return Err(ListError::Empty { file: self.file });
        }
        match self.declared {
            Some(declared) if declared != parsed => {
                self.doubts.push(Doubt::RecordCount { declared, parsed });
            }
            _ => {}
        }
        Ok(self)
    }
}
