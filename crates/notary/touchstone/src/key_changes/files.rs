//! The files by which a change of a key is asked for, and those that it leaves behind.
//!
//! | file | content |
//! |---|---|
//! | `ROLE.next.pem` | the private key that is to take the place of `ROLE.pem` |
//! | `ROLE.revoke` | the name of the key that is to be revoked, and the reason: JSON |
//! | `log.finish` | the vkey of the log key that is to end, since its successor signs beside it |
//! | `retired.jwks` | former keys of receipts and of reruns, with the leaves at which each could sign |

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use receipt::history::{KeyHistory, KeyPeriod, KeyRole};
use receipt::key::file::{sync_folder_of, write_new};
use receipt::key::{PublicKey, PublishedKey, SigningKey, jwks};
use serde::{Deserialize, Serialize};

use crate::keys::{RETIRED, load};

/// The most bytes of a `.revoke` or `.finish` file.
const MAX_REVOCATION_BYTES: u64 = 4096;

/// What an operator has said about a key that must not be trusted any more.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Revocation {
    /// The key's name.
    pub kid: String,
    /// The reason, for people.
    pub reason: String,
}

/// The files of the key of one role.
#[derive(Clone, Copy, Debug)]
pub struct KeyFiles<'a> {
    folder: &'a Path,
    role: KeyRole,
}

impl<'a> KeyFiles<'a> {
    /// The files in a keys folder.
    pub fn new(folder: &'a Path, role: KeyRole) -> Self {
        Self { folder, role }
    }

    fn name(self, ending: &str) -> String {
        format!("{}.{ending}", self.role.as_str())
    }

    /// The path of the key that is to come.
    pub fn next_path(self) -> PathBuf {
        self.folder.join(self.name("next.pem"))
    }

    /// The key in use; `None` where there is none.
    pub fn current(self) -> anyhow::Result<Option<SigningKey>> {
        load(self.folder, &self.name("pem"))
    }

    /// The key that is to come; `None` where there is none.
    pub fn next(self) -> anyhow::Result<Option<SigningKey>> {
        load(self.folder, &self.name("next.pem"))
    }

    /// Refuses a key that is to come and that the log knows already, other than the one that has come into use just now.
    ///
    /// # Errors
    /// The sentence that says so: the log's records take no key twice, so it would never come.
    pub fn check_next(self, next: PublicKey, history: &KeyHistory) -> Result<(), String> {
        let of_next = |period: &&KeyPeriod| period.key.public() == next;
        match history.periods().iter().find(of_next) {
            Some(KeyPeriod { key, range }) if key.role() != self.role || range.until.is_some() => {
                Err(format!(
                    "{} holds the key {}, which the log has a record of already: no key comes into use twice. Delete the file, and \
                 a new key is made when one is asked for again",
                    self.next_path().display(),
                    key.name()
                ))
            }
            _ => Ok(()),
        }
    }

    fn revocation_path(self) -> PathBuf {
        self.folder.join(self.name("revoke"))
    }

    /// What is to be revoked; `None` where nothing is.
    pub fn revocation(self) -> anyhow::Result<Option<Revocation>> {
        let path = self.revocation_path();
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.with_context(|| format!("read {}", path.display()))?,
        };
        let read = serde_json::from_reader(io::Read::take(file, MAX_REVOCATION_BYTES));
        read.map(Some).with_context(|| format!("read {}", path.display()))
    }

    /// Asks for a revocation.
    pub fn ask_revocation(self, revocation: &Revocation) -> anyhow::Result<()> {
        let text = serde_json::to_vec(revocation)?;
        replace(&self.revocation_path(), &text)
    }

    /// Forgets the revocation of a key, which is in the log by now.
    pub fn forget_revocation(self, name: &str) -> anyhow::Result<()> {
        if self.revocation()?.is_some_and(|asked| asked.kid == name) {
            remove(&self.revocation_path())?;
        }
        Ok(())
    }

    fn end_path(self) -> PathBuf {
        self.folder.join(self.name("finish"))
    }

    /// The name of the key that is to end; `None` where none is.
    pub fn asked_end(self) -> anyhow::Result<Option<String>> {
        let path = self.end_path();
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.with_context(|| format!("read {}", path.display()))?,
        };
        let name = io::read_to_string(io::Read::take(file, MAX_REVOCATION_BYTES));
        let name = name.with_context(|| format!("read {}", path.display()))?;
        Ok(Some(name.trim().to_owned()))
    }

    /// Asks for the end of a key that another one signs beside.
    pub fn ask_end(self, name: &str) -> anyhow::Result<()> {
        replace(&self.end_path(), name.as_bytes())
    }

    /// Forgets that a key is to end.
    pub fn forget_end(self) -> anyhow::Result<()> {
        remove(&self.end_path())
    }

    /// Makes the key that was to come the key in use, if it is this one. Returns true if it was.
    pub fn take_over(self, key: PublicKey) -> anyhow::Result<bool> {
        if self.next()?.is_none_or(|next| next.public_key() != key) {
            return Ok(false);
        }
        let (from, to) = (self.next_path(), self.folder.join(self.name("pem")));
        match fs::rename(&from, &to) {
            // Another process with this folder was quicker.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            renamed => renamed.with_context(|| format!("rename {}", from.display()))?,
        }
        sync_folder_of(&to).context("write the keys folder")?;
        Ok(true)
    }
}

/// Writes the set of former keys, where it is another one by now.
pub fn write_retired(folder: &Path, former: &[PublishedKey]) -> anyhow::Result<()> {
    let path = folder.join(RETIRED);
    let text = format!("{:#}\n", jwks(former, &[]));
    let is_there = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => former.is_empty(),
        read => read.with_context(|| format!("read {}", path.display()))? == text.as_bytes(),
    };
    if is_there { Ok(()) } else { replace(&path, text.as_bytes()) }
}

/// Replaces a file as a whole. It lasts when this returns.
fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let number = getrandom::u64().context("no randomness")?;
    let beside = path.with_extension(format!("{number:016x}.new"));
    let written = write_new(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written.and_then(|()| sync_folder_of(path)).with_context(|| format!("write {}", path.display()))
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("remove {}", path.display())),
    }
}
