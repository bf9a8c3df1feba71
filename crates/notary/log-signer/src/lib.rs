//! The log's key where it is not in a file of ours: in a PKCS#11 token, or behind a command that asks a key service.
//!
//! A signer elsewhere may be late, die, or answer with anything. The notary must then issue nothing, lose nothing, and above
//! all not fork: it signs one tree for each size of its log.
//!
//! | module | content |
//! |---|---|
//! | [`settings`] | the table `[log_signer]`, and the public key |
//! | [`remote`] | one thread that asks the signer, and the limit of time for each answer |
//! | [`command`] | a signer behind a command |
//! | [`pkcs11`] | a signer in a PKCS#11 token |
//!
//! # Invariants
//!
//! - An answer is used only if it verifies over the very message that was asked about, and came within the limit. A later one is
//!   thrown away: the next message is asked about anew.
//! - At most one message is with the signer at a time, and at most [`remote::MAX_WAITING`] wait.
//! - A PIN is never printed or logged, and a refused one is not tried again: tokens lock themselves after a few wrong ones.

pub mod command;
pub mod pkcs11;
pub mod remote;
pub mod settings;

pub use remote::{RemoteSigner, SignerState};
pub use settings::{LogSignerSettings, SettingsError};
