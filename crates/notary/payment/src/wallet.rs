//! Wallets: the key of an account, with which a payer signs.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use alloy_primitives::{Address, B256, Bytes, Signature};
use secp256k1::{Message, SECP256K1, SecretKey};
use zeroize::{Zeroize as _, Zeroizing};

use crate::eip712::{Domain, SettlementStatement, text_digest};
use crate::{Authorization, SignedAuthorization};

/// An account with its secp256k1 key. It never prints the key, and clears its memory when it is dropped.
///
/// ```
/// use payment::Wallet;
///
/// let wallet = Wallet::from_bytes([7; 32]).unwrap();
/// assert!(!format!("{wallet:?}").contains("07"));
/// ```
pub struct Wallet {
    key: SecretKey,
    address: Address,
}

/// An error in making a wallet. No message contains the text that was read.
#[derive(Debug, thiserror::Error)]
pub enum WalletError {
    /// The file cannot be opened or read.
    #[error("failed to read the wallet {}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Users other than the owner may read the file.
    #[error("the wallet {} may be read by others than its owner: run `chmod 600 {}`", path.display(), path.display())]
    ReadableByOthers {
        /// The path of the file.
        path: PathBuf,
    },
    /// The text is not 64 hexadecimal digits, or is not a valid key of the curve.
    #[error(
        "a wallet's key is 64 hexadecimal digits, optionally after 0x, of a number below the curve's order"
    )]
    NotAKey,
}

impl Wallet {
    /// Makes the wallet of a 32-byte key.
    ///
    /// # Errors
    /// The number is zero or not below the curve's order.
    pub fn from_bytes(mut key: [u8; 32]) -> Result<Self, WalletError> {
        let secret = SecretKey::from_byte_array(key);
        key.zeroize();
        let key = secret.map_err(|_| WalletError::NotAKey)?;
        let address = Address::from_secp256k1_public_key(&key.public_key(SECP256K1));
        Ok(Self { key, address })
    }

    /// Makes the wallet of a key in hexadecimal, with or without `0x` before and white space around it.
    ///
    /// # Errors
    /// The text is not such a key.
    pub fn from_hex(text: &str) -> Result<Self, WalletError> {
        let text = text.trim();
        let mut key = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text.strip_prefix("0x").unwrap_or(text), key.as_mut())
            .map_err(|_| WalletError::NotAKey)?;
        Self::from_bytes(*key)
    }

    /// Makes the wallet of a file that holds a key in hexadecimal.
    ///
    /// # Errors
    /// The file cannot be read, is readable by users other than its owner, or holds no key.
    pub fn load(path: &Path) -> Result<Self, WalletError> {
        let failed = |source| WalletError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        // The open file is asked, not the path, which might be another file by now.
        if is_readable_by_others(&file).map_err(failed)? {
            return Err(WalletError::ReadableByOthers { path: path.to_owned() });
        }
        let mut text = Zeroizing::new(String::with_capacity(MAX_FILE_BYTES as usize));
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
        Self::from_hex(&text)
    }

    /// The address of the account.
    #[must_use]
    pub fn address(&self) -> Address {
        self.address
    }

    /// Signs an authorization, which must be from this account.
    #[must_use]
    pub fn authorize(&self, domain: &Domain, authorization: Authorization) -> SignedAuthorization {
        let signature = self.sign(&domain.authorization_digest(&authorization));
        SignedAuthorization { authorization, signature }
    }

    /// Signs a statement of the request that a transaction paid for.
    #[must_use]
    pub fn attest(&self, domain: &Domain, statement: &SettlementStatement) -> Bytes {
        self.sign(&domain.settlement_digest(statement))
    }

    /// Signs a text, as `personal_sign` of other wallets does.
    #[must_use]
    pub fn sign_text(&self, text: &str) -> Bytes {
        self.sign(&text_digest(text))
    }

    /// Signs a digest: 65 bytes, `s` in the lower half, `v` 27 or 28.
    #[must_use]
    pub fn sign(&self, digest: &B256) -> Bytes {
        let signature = SECP256K1.sign_ecdsa_recoverable(Message::from_digest(digest.0), &self.key);
        Bytes::from(Signature::from(signature).as_bytes().to_vec())
    }
}

/// `SecretKey` does not clear itself.
impl Drop for Wallet {
    fn drop(&mut self) {
        self.key.non_secure_erase();
    }
}

/// No key's file is near this long.
const MAX_FILE_BYTES: u64 = 256;

#[cfg(unix)]
fn is_readable_by_others(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_readable_by_others(_file: &File) -> io::Result<bool> {
    Ok(false)
}

impl fmt::Debug for Wallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wallet").field("address", &self.address).finish_non_exhaustive()
    }
}
