//! A signer in a PKCS#11 token: a device, or SoftHSM. PKCS#11 v3.0, section 2.3.14 (CKM_EDDSA); Ed25519 without parameters.
//!
//! There is one session. After a failure it is opened anew and logged in again, and where that does not help, the module is
//! initialised anew. A call into the module cannot be stopped: one that hangs keeps this signer away until it returns.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::mechanism::eddsa::{EddsaParams, EddsaSignatureScheme};
use cryptoki::object::{Attribute, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::Slot;
use cryptoki::types::AuthPin;
use tlog::SIGNATURE_BYTES;
use zeroize::Zeroizing;

use crate::remote::{Backend, Failure};

/// The most bytes of a PIN. No token takes as many.
const MAX_PIN_BYTES: u64 = 256;

/// The place of a token's PIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// A file that its owner alone can read, with the PIN, and perhaps a newline after it.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
}

/// A private key in a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenKey {
    /// The path of the PKCS#11 module, a library.
    pub module: PathBuf,
    /// The label of the token.
    pub token: String,
    /// The label of the private key.
    pub key: String,
    /// The PIN of the token's user.
    pub pin: Pin,
}

/// A signer in a token.
pub struct Pkcs11Signer {
    place: TokenKey,
    /// The module, once it is loaded. It stays loaded.
    module: Option<Pkcs11>,
    is_initialised: bool,
    session: Option<(Session, ObjectHandle)>,
    /// The token has refused the PIN. It locks itself after a few wrong ones.
    is_pin_refused: bool,
}

impl Pkcs11Signer {
    /// Makes a signer of a key in a token. Nothing is loaded yet.
    #[must_use]
    pub fn new(place: TokenKey) -> Self {
        Self { place, module: None, is_initialised: false, session: None, is_pin_refused: false }
    }

    /// The session, which is opened where there is none.
    fn session(&mut self) -> Result<&(Session, ObjectHandle), Failure> {
        if self.session.is_none() {
            let opened = match self.open() {
                // A module may have to look for its tokens anew.
                Err(failure) if self.is_initialised && !self.is_pin_refused => {
                    tracing::debug!(?failure, "the PKCS#11 module is initialised anew");
                    self.finalise();
                    self.open()
                }
                opened => opened,
            };
            self.session = Some(opened?);
        }
        self.session.as_ref().ok_or(Failure::Late)
    }

    fn finalise(&mut self) {
        self.session = None;
        self.is_initialised = false;
        if let Some(module) = &self.module
            && let Err(error) = module.clone().finalize()
        {
            tracing::debug!(%error, "the PKCS#11 module does not finalise");
        }
    }

    fn open(&mut self) -> Result<(Session, ObjectHandle), Failure> {
        if self.is_pin_refused {
            let why = "the token has refused the PIN, which is not tried again before a restart: tokens lock themselves";
            return Err(Failure::Other(why.to_owned()));
        }
        let module = self.module()?;
        let slot = slot(&module, &self.place.token)?;
        let session = module.open_ro_session(slot).map_err(failed)?;
        let pin = self.place.pin.read()?;
        match session.login(UserType::User, Some(&pin)) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {}
            Err(error) => {
                self.is_pin_refused = matches!(
                    error,
                    Error::Pkcs11(
                        RvError::PinIncorrect
                            | RvError::PinInvalid
                            | RvError::PinLenRange
                            | RvError::PinLocked,
                        _
                    )
                );
                return Err(failed(error));
            }
        }
        let key = key(&session, &self.place.key)?;
        Ok((session, key))
    }

    fn module(&mut self) -> Result<Pkcs11, Failure> {
        let module = match &self.module {
            Some(module) => module.clone(),
            None => {
                let loaded = Pkcs11::new(&self.place.module).map_err(failed)?;
                self.module.insert(loaded).clone()
            }
        };
        if !self.is_initialised {
            match module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
                Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
                Err(error) => return Err(failed(error)),
            }
            self.is_initialised = true;
        }
        Ok(module)
    }

    fn sign_once(&mut self, message: &[u8]) -> Result<[u8; SIGNATURE_BYTES], Failure> {
        let (session, key) = self.session()?;
        let mechanism = Mechanism::Eddsa(EddsaParams::new(EddsaSignatureScheme::Ed25519));
        let signature = session.sign(&mechanism, *key, message).map_err(failed)?;
        let length = signature.len();
        signature.try_into().map_err(|_| Failure::Other(format!("the token's signature has {length} bytes")))
    }
}

impl Backend for Pkcs11Signer {
    fn sign(&mut self, message: &[u8], _: Duration) -> Result<[u8; SIGNATURE_BYTES], Failure> {
        let had_session = self.session.is_some();
        let signed = self.sign_once(message);
        if signed.is_ok() {
            return signed;
        }
        // A session ends with its token. A token that is back has to be logged in again.
        self.session = None;
        if had_session { self.sign_once(message).inspect_err(|_| self.session = None) } else { signed }
    }
}

impl Pin {
    fn read(&self) -> Result<AuthPin, Failure> {
        let mut text = Zeroizing::new(String::new());
        match self {
            Self::File(path) => {
                let failed = |error| Failure::Other(format!("read the PIN {}: {error}", path.display()));
                let file = File::open(path).map_err(failed)?;
                refuse_if_readable_by_others(&file, path)?;
                file.take(MAX_PIN_BYTES).read_to_string(&mut text).map_err(failed)?;
            }
            Self::Environment(name) => {
                let value = std::env::var(name).map(Zeroizing::new);
                let value = value.map_err(|_| Failure::Other(format!("the variable {name} has no PIN")))?;
                text.push_str(&value);
            }
        }
        let pin = text.trim_end_matches(['\r', '\n']);
        if pin.is_empty() {
            Err(Failure::Other("the PIN is empty".to_owned()))
        } else {
            Ok(AuthPin::from(pin))
        }
    }
}

/// The open file is asked, not the path, which might be another file by now.
#[cfg(unix)]
fn refuse_if_readable_by_others(file: &File, path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata();
    let metadata =
        metadata.map_err(|error| Failure::Other(format!("read the PIN {}: {error}", path.display())))?;
    let mode = metadata.permissions().mode() & 0o7777;
    // A group may read it: secrets that are mounted belong to root and the group of the service.
    if mode & 0o027 == 0 {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "the PIN {} has the mode {mode:04o}, so others can read or change it: run `chmod 600` on it, or give the PIN by `pin_env`",
        path.display()
    )))
}

#[cfg(not(unix))]
fn refuse_if_readable_by_others(_file: &File, _path: &Path) -> Result<(), Failure> {
    Ok(())
}

/// The error for the operator. The text of a module's error has neither PIN nor key.
fn failed(error: Error) -> Failure {
    Failure::Other(error.to_string())
}

/// The slot of the one token with this label.
fn slot(module: &Pkcs11, label: &str) -> Result<Slot, Failure> {
    let slots = module.get_slots_with_token().map_err(failed)?;
    let is_named =
        |slot: &Slot| module.get_token_info(*slot).is_ok_and(|info| info.label().trim_end() == label);
    let named: Vec<Slot> = slots.into_iter().filter(is_named).collect();
    one(&named, "token", label)
}

/// The one private key with this label.
fn key(session: &Session, label: &str) -> Result<ObjectHandle, Failure> {
    let template = [Attribute::Class(ObjectClass::PRIVATE_KEY), Attribute::Label(label.as_bytes().to_vec())];
    let keys = session.find_objects(&template).map_err(failed)?;
    one(&keys, "private key", label)
}

fn one<T: Copy>(found: &[T], kind: &str, label: &str) -> Result<T, Failure> {
    match found {
        [one] => Ok(*one),
        _ => Err(Failure::Other(format!(
            "there are {} of a {kind} with the label {label:?}, not 1",
            found.len()
        ))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_pin_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pin");
        fs::write(&path, "1234\n").unwrap();
        for (mode, is_read) in [(0o600, true), (0o440, true), (0o660, false), (0o604, false), (0o644, false)]
        {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = Pin::File(path.clone()).read();
            assert_eq!(read.is_ok(), is_read, "{mode:o}");
            if let Err(Failure::Other(why)) = read {
                assert!(why.contains("chmod 600"), "{why}");
            }
        }
    }
}
