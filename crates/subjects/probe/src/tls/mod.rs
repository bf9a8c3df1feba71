//! TLS of a host, and its certificate.
//!
//! A [`TlsProbe`] looks: a whole handshake, and beside it a hello for each older version that is read as far as the
//! server's answer. What it saw is a [`TlsObservation`], plain data that is kept as evidence.
//!
//! The handshake takes any certificate, since one that does not hold is evidence too. Nothing is ever sent over a
//! session that was made that way, and whether the certificate holds is decided by [`verify`], beside it.
//!
//! What never happens: a connection past `fetch`'s guard, a panic on whatever a server sends, a wait beyond
//! [`MAX_LOOK`], a part that could not be seen taken for one that is good.
//!
//! | module | holds |
//! |---|---|
//! | [`TlsProbe`] | the connections, all at once |
//! | `handshake` | the whole handshake, by rustls |
//! | `hello`, `answer` | one version's ClientHello, and what a server answers to it (RFC 5246, RFC 4346, RFC 2246) |
//! | [`verify`] | whether a chain holds for a name (RFC 5280, RFC 9525), pure |
//! | [`CertificateFacts`] | what is read from a certificate |
//!
//! ```no_run
//! use fetch::{Fetcher, Limits, Policy, Roots};
//! use domain_name::DomainName;
//! use probe::tls::TlsProbe;
//!
//! # async fn example(at: receipt::Timestamp) -> Result<(), Box<dyn std::error::Error>> {
//! let probe = TlsProbe::new(Fetcher::system(Policy::production(), Limits::default())?, Roots::webpki(), 443);
//! let name = DomainName::parse("example.com")?;
//! let seen = probe.look(&name, at).await;
//! println!("{:?}: {:?}", seen.outcome, seen.trust);
//! # Ok(())
//! # }
//! ```

mod answer;
mod certificate;
mod handshake;
mod hello;
mod observation;
mod probe;
mod verify;

pub use answer::{HelloAnswer, read_answer};
pub use certificate::{CertificateFacts, CertificateKey, KeyAlgorithm, sct_logs};
pub use observation::{
    Acceptance, ChainTrust, HandshakeOutcome, MAX_CHAIN_BYTES, MAX_CHAIN_CERTIFICATES, RootsUsed, Scts,
    TlsObservation, TlsVersion, Verification, Versions,
};
pub use probe::{CONNECTIONS, MAX_LOOK, TlsProbe};
pub use verify::verify;
