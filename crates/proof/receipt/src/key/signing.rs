//! The private key that signs receipts.

use super::file::{self, KeyFileError};
use super::{KeyId, PublicKey};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use std::fmt;
use std::path::Path;
use zeroize::Zeroizing;

/// An Ed25519 private key. Its `Debug` output does not show the key, and its memory is cleared when it is dropped.
///
/// ```
/// use receipt::key::SigningKey;
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// assert!(!format!("{key:?}").contains("7, 7"));
/// assert_eq!(key.sign(b"message").len(), 64);
/// ```
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SigningKey {
    /// The key of a 32-byte seed (RFC 8032 section 5.1.5).
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("every 32 bytes are a seed");
        Self::of(pair)
    }

    fn of(pair: Ed25519KeyPair) -> Self {
        let public = pair.public_key().as_ref().try_into().expect("a public key has 32 bytes");
        Self { pair, public: PublicKey(public) }
    }

    /// A new key from the operating system's randomness.
    ///
    /// # Errors
    /// [`KeyFileError::Randomness`] where the system gives no random numbers.
    pub fn generate() -> Result<Self, KeyFileError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut()).map_err(KeyFileError::Randomness)?;
        Ok(Self::from_seed(&seed))
    }

    /// The key of an unencrypted PKCS#8 PEM text (RFC 8410 section 7), as `openssl genpkey -algorithm ed25519` writes
    /// it. `None` for any other text.
    pub fn from_pem(pem: &str) -> Option<Self> {
        let der = file::from_pem(pem)?;
        Ed25519KeyPair::from_pkcs8(&der).ok().map(Self::of)
    }

    /// The unencrypted PKCS#8 PEM text (RFC 8410, section 7). It is secret: write it to the key file and nowhere else.
    pub fn to_pem(&self) -> Zeroizing<String> {
        let der = self.pair.to_pkcs8v1().expect("a valid key pair has a PKCS#8 form");
        file::to_pem(der.as_ref())
    }

    /// Reads the key from its file.
    ///
    /// # Errors
    /// [`KeyFileError`] where the file cannot be read, holds no Ed25519 key, or is readable by users other than its
    /// owner.
    pub fn load(path: &Path) -> Result<Self, KeyFileError> {
        let pem = file::read(path)?;
        Self::from_pem(&pem).ok_or_else(|| KeyFileError::NotAKey { path: path.to_owned() })
    }

    /// Writes the key to a new file with mode 0600, and waits until it is on the disk. The file is written whole or not
    /// at all.
    ///
    /// # Errors
    ///
    /// [`KeyFileError::Exists`] where the file exists: a key is never overwritten. [`KeyFileError::Io`] where the file
    /// cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), KeyFileError> {
        file::create(path, self.to_pem().as_bytes())
    }

    /// Reads the key from its file, or generates a key and writes the file where it does not exist.
    ///
    /// # Errors
    /// [`KeyFileError`] as [`load`](Self::load) and [`save`](Self::save).
    pub fn load_or_create(path: &Path) -> Result<Self, KeyFileError> {
        match Self::load(path) {
            Err(error) if error.is_not_found() => {}
            loaded => return loaded,
        }
        let key = Self::generate()?;
        match key.save(path) {
            Ok(()) => Ok(key),
            // Another process was quicker: its key is the key.
            Err(KeyFileError::Exists { .. }) => Self::load(path),
            Err(error) => Err(error),
        }
    }

    /// The 32-byte seed (RFC 8032, section 5.1.5). It is secret: hand it to another signer, and never print it.
    pub fn seed(&self) -> Zeroizing<[u8; 32]> {
        let der = self.pair.to_pkcs8v1().expect("a valid key pair has a PKCS#8 form");
        // RFC 8410 section 7: version 1 of the form ends with the seed's own 32 bytes.
        let seed = der.as_ref().last_chunk().expect("an Ed25519 PKCS#8 document has 48 bytes");
        Zeroizing::new(*seed)
    }

    /// The public key of this private key.
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// The name of the key of the notary at this base address.
    ///
    /// # Errors
    /// [`BaseUrlError`](super::BaseUrlError) where the address has no `did:web` form.
    pub fn id(&self, base_url: &str) -> Result<KeyId, super::BaseUrlError> {
        KeyId::new(base_url, &self.public)
    }

    /// The Ed25519 signature of the message (RFC 8032, section 5.1.6).
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        let signature = self.pair.sign(message);
        signature.as_ref().try_into().expect("an Ed25519 signature has 64 bytes")
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
