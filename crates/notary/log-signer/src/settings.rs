//! The settings of a signer elsewhere, and its public key.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use tlog::{KeyError, KeyKind, VerifierKey};

use crate::command::CommandSigner;
use crate::pkcs11::{Pin, Pkcs11Signer, TokenKey};
use crate::remote::{Backend, RemoteSigner};

/// The default limit for a signature.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest limit that may be set, in seconds. A transaction of PostgreSQL, in which the log's head is locked, has 20.
const MAX_LIMIT_S: u64 = 10;
/// The most bytes of a file with a public key.
const MAX_PEM_BYTES: u64 = 4096;
/// The DER bytes before the key in a SubjectPublicKeyInfo of Ed25519 (RFC 8410, section 4).
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The table `[log_signer]`: where the log's key is, if it is not `log.pem` in the keys folder.
#[derive(Deserialize, Serialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct LogSignerSettings {
    /// PEM file of the public key (`BEGIN PUBLIC KEY`, RFC 8410).
    pub public_key: Option<PathBuf>,
    /// A program and its arguments. It gets the message on its standard input and answers with the signature.
    pub command: Option<Vec<String>>,
    /// Path of a PKCS#11 module, such as `/usr/lib/softhsm/libsofthsm2.so`.
    pub module: Option<PathBuf>,
    /// The label of the token.
    pub token: Option<String>,
    /// The label of the private key in the token.
    pub key: Option<String>,
    /// The file (0600) of the token's PIN.
    pub pin_file: Option<PathBuf>,
    /// The environment variable of the token's PIN, in place of a file.
    pub pin_env: Option<String>,
    /// The longest time for a signature, in seconds: 1 to 10.
    pub limit_s: Option<u64>,
}

/// An error in the table `[log_signer]`.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The table has no member that it needs, or two that exclude each other, as the text says.
    #[error("log_signer: {0}")]
    Table(&'static str),
    /// The file of the public key cannot be read.
    #[error("log_signer.public_key: read {}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file does not hold a public key of Ed25519.
    #[error(
        "log_signer.public_key: {} is no PEM of an Ed25519 public key, as `openssl pkey -pubin -in FILE -pubout` writes it",
        .0.display()
    )]
    NotAKey(PathBuf),
    /// The key is not one to verify with.
    #[error("log_signer.public_key: {0}")]
    Key(#[from] KeyError),
    /// The thread that asks the signer cannot be started.
    #[error("log_signer: start its thread")]
    Thread(#[source] io::Error),
}

impl LogSignerSettings {
    /// Returns true if the log's key is elsewhere.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self != Self::default()
    }

    /// Checks that the table names one signer, whole.
    ///
    /// # Errors
    /// [`SettingsError::Table`].
    pub fn check(&self) -> Result<(), SettingsError> {
        if !self.is_set() {
            return Ok(());
        }
        let fault = |fault| Err(SettingsError::Table(fault));
        if self.public_key.is_none() {
            return fault("set public_key, the PEM file of the public key");
        }
        if self.limit_s.is_some_and(|limit| !(1..=MAX_LIMIT_S).contains(&limit)) {
            return fault("limit_s is a number from 1 to 10");
        }
        let of_token =
            [self.token.is_some(), self.key.is_some(), self.pin_file.is_some(), self.pin_env.is_some()];
        match (&self.command, &self.module) {
            (Some(_), Some(_)) => fault("set command or module, not both"),
            (None, None) => fault("set command, or module with token, key and pin_file"),
            (Some(command), None) if command.first().is_none_or(String::is_empty) => {
                fault("command is a list, such as [\"/usr/local/bin/sign-log\"]")
            }
            (Some(_), None) if of_token.contains(&true) => fault("token, key and PIN belong to a module"),
            (Some(_), None) => Ok(()),
            (None, Some(_)) => self.token_key().map(drop),
        }
    }

    fn token_key(&self) -> Result<TokenKey, SettingsError> {
        let Self { module: Some(module), token: Some(token), key: Some(key), .. } = self else {
            return Err(SettingsError::Table("a module needs token and key, which are labels"));
        };
        let pin = match (&self.pin_file, &self.pin_env) {
            (Some(path), None) => Pin::File(path.clone()),
            (None, Some(name)) => Pin::Environment(name.clone()),
            _ => return Err(SettingsError::Table("set pin_file or pin_env, one of the two")),
        };
        Ok(TokenKey { module: module.clone(), token: token.clone(), key: key.clone(), pin })
    }

    /// The public key, under this name.
    ///
    /// # Errors
    /// The file cannot be read, or has no public key of Ed25519.
    pub fn verifier(&self, origin: &str) -> Result<VerifierKey, SettingsError> {
        self.check()?;
        let path = self.public_key.as_deref().ok_or(SettingsError::Table("set public_key"))?;
        Ok(VerifierKey::new(origin, KeyKind::Ed25519, &public_key(path)?)?)
    }

    /// Makes the signer under this name. It asks nothing yet, so that commands which only read do not need it to answer.
    ///
    /// # Errors
    /// The settings are not whole, or the public key cannot be read.
    pub fn signer(&self, origin: &str) -> Result<RemoteSigner, SettingsError> {
        let verifier = self.verifier(origin)?;
        let backend: Box<dyn Backend> = match &self.command {
            Some(command) => Box::new(CommandSigner::new(command.clone()).map_err(SettingsError::Thread)?),
            None => Box::new(Pkcs11Signer::new(self.token_key()?)),
        };
        let limit = self.limit_s.map_or(LIMIT, Duration::from_secs);
        RemoteSigner::start(verifier, backend, limit).map_err(SettingsError::Thread)
    }
}

/// Reads an Ed25519 public key from a PEM file (RFC 8410, section 10).
fn public_key(path: &Path) -> Result<[u8; 32], SettingsError> {
    let mut pem = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_PEM_BYTES).read_to_string(&mut pem));
    read.map_err(|source| SettingsError::Read { path: path.to_owned(), source })?;
    parse(&pem).ok_or_else(|| SettingsError::NotAKey(path.to_owned()))
}

fn parse(pem: &str) -> Option<[u8; 32]> {
    let body = pem.trim().strip_prefix("-----BEGIN PUBLIC KEY-----")?;
    let body = body.strip_suffix("-----END PUBLIC KEY-----")?;
    let der = STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()?;
    der.strip_prefix(&SPKI_PREFIX)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As OpenSSL writes it; the key is the one of RFC 8410, section 10.1.
    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn a_public_key_is_read_from_pem_and_nothing_else_is() {
        assert_eq!(parse(PEM).unwrap()[..4], [0x19, 0xbf, 0x44, 0x09]);
        // An X25519 key, whose algorithm is 1.3.101.110; the words of a private key; a body cut short; nothing.
        for other in [
            PEM.replace("K2VwAyEA", "K2VuAyEA"),
            PEM.replace("PUBLIC", "PRIVATE"),
            PEM.replace("ZuE=", ""),
            String::new(),
        ] {
            assert_eq!(parse(&other), None, "{other}");
        }
    }

    #[test]
    fn a_table_names_one_signer_and_all_that_it_needs() {
        let command = || LogSignerSettings {
            public_key: Some("log.pub.pem".into()),
            command: Some(vec!["/bin/sign".to_owned()]),
            ..LogSignerSettings::default()
        };
        let token = || LogSignerSettings {
            public_key: Some("log.pub.pem".into()),
            module: Some("/lib/module.so".into()),
            token: Some("notary".to_owned()),
            key: Some("log".to_owned()),
            pin_file: Some("pin".into()),
            ..LogSignerSettings::default()
        };
        for sound in [LogSignerSettings::default(), command(), token()] {
            sound.check().unwrap();
        }
        for (faulty, said) in [
            (LogSignerSettings { public_key: None, ..command() }, "public_key"),
            (LogSignerSettings { command: None, ..command() }, "set command"),
            (LogSignerSettings { command: Some(Vec::new()), ..command() }, "is a list"),
            (LogSignerSettings { module: Some("m.so".into()), ..command() }, "not both"),
            (LogSignerSettings { pin_env: Some("PIN".to_owned()), ..command() }, "belong to a module"),
            (LogSignerSettings { limit_s: Some(11), ..command() }, "limit_s"),
            (LogSignerSettings { limit_s: Some(0), ..command() }, "limit_s"),
            (LogSignerSettings { key: None, ..token() }, "needs token and key"),
            (LogSignerSettings { pin_file: None, ..token() }, "pin_file or pin_env"),
            (LogSignerSettings { pin_env: Some("PIN".to_owned()), ..token() }, "pin_file or pin_env"),
        ] {
            let error = faulty.check().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
