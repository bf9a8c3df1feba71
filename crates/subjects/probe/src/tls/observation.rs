//! Observations of TLS, as they are stored as evidence.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::Timestamp;
use serde::{Deserialize, Serialize};

use super::ocsp::OcspStaple;

/// Maximum number of certificates of a chain that are kept.
pub const MAX_CHAIN_CERTIFICATES: usize = 8;
/// Maximum size of a chain that is kept, in bytes of DER; less than 60 kB in base64.
pub const MAX_CHAIN_BYTES: usize = 44_000;
/// Maximum size of a stapled OCSP response that is kept, in bytes of DER. Real ones have less than 3,000.
pub const MAX_OCSP_BYTES: usize = 16 << 10;

/// Observation of a host's TLS handshakes and certificates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TlsObservation {
    /// Time of the observation, at which validity was judged.
    pub observed_at: Timestamp,
    /// Result of the handshake.
    pub outcome: HandshakeOutcome,
    /// Number of the alert with which the server ended the handshake (RFC 8446, section 6); `None` without an alert.
    pub alert: Option<u8>,
    /// TLS version of the handshake; `None` without a session.
    pub version: Option<TlsVersion>,
    /// Cipher suite of the handshake, by its name in the IANA registry; `None` without a session.
    pub cipher_suite: Option<String>,
    /// Key exchange group of the handshake, by its name in the IANA registry of TLS supported groups, such as `x25519`
    /// or `X25519MLKEM768`; `None` without a session, and in older evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_exchange_group: Option<String>,
    /// The served certificates, the leaf first, each in base64 of its DER.
    pub chain: Vec<String>,
    /// Number of served certificates that are not kept. The verification uses all of them.
    pub chain_omitted: usize,
    /// Trust in the certificates; `None` if none were served.
    pub trust: Option<ChainTrust>,
    /// True if the server stapled an OCSP response.
    pub ocsp_stapled: bool,
    /// The stapled OCSP response, in base64 of its DER; `None` without one, if it has more than [`MAX_OCSP_BYTES`], and
    /// in older evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ocsp_response: Option<String>,
    /// The signed certificate timestamps (RFC 6962).
    pub scts: Scts,
    /// The TLS versions that the server accepts.
    pub versions: Versions,
    /// The trusted roots.
    pub roots: RootsUsed,
}

impl TlsObservation {
    /// Returns the kept certificates in DER, the leaf first.
    #[must_use]
    pub fn certificates(&self) -> Vec<Vec<u8>> {
        self.chain.iter().map_while(|text| STANDARD.decode(text).ok()).collect()
    }

    /// Returns the statement of the stapled OCSP response about the leaf; `None` if no response is kept, or if it cannot
    /// be read or is not about the leaf.
    #[must_use]
    pub fn ocsp(&self) -> Option<OcspStaple> {
        let response = STANDARD.decode(self.ocsp_response.as_ref()?).ok()?;
        let leaf = STANDARD.decode(self.chain.first()?).ok()?;
        OcspStaple::read(&response, &leaf)
    }

    /// Returns true if every part was observed. Otherwise a repetition may observe more, so the observation should not
    /// be cached for long.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let Versions { tls10, tls11, tls12, tls13 } = self.versions;
        match self.outcome {
            HandshakeOutcome::Answered | HandshakeOutcome::Alert | HandshakeOutcome::Incompatible => {
                ![tls10, tls11, tls12, tls13].contains(&Acceptance::Unknown)
            }
            HandshakeOutcome::NoAddress
            | HandshakeOutcome::ConnectionRefused
            | HandshakeOutcome::NotTls
            | HandshakeOutcome::Denied => true,
            HandshakeOutcome::DnsFailed
            | HandshakeOutcome::Busy
            | HandshakeOutcome::Unreachable
            | HandshakeOutcome::TimedOut
            | HandshakeOutcome::NeverSpoke
            | HandshakeOutcome::Closed
            | HandshakeOutcome::Broken => false,
        }
    }

    /// Keeps a stapled OCSP response, if it is not empty and has at most [`MAX_OCSP_BYTES`].
    pub fn keep_ocsp(&mut self, response: &[u8]) {
        let has_room = !response.is_empty() && response.len() <= MAX_OCSP_BYTES;
        self.ocsp_response = has_room.then(|| STANDARD.encode(response));
    }

    /// Keeps the certificates from the leaf on, up to [`MAX_CHAIN_CERTIFICATES`] and [`MAX_CHAIN_BYTES`].
    pub fn keep(&mut self, chain: &[impl AsRef<[u8]>]) {
        let mut bytes = 0;
        let kept = chain.iter().map(AsRef::as_ref).take(MAX_CHAIN_CERTIFICATES).take_while(|der| {
            bytes += der.len();
            bytes <= MAX_CHAIN_BYTES
        });
        self.chain = kept.map(|der| STANDARD.encode(der)).collect();
        self.chain_omitted = chain.len() - self.chain.len();
    }
}

/// Result of a handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandshakeOutcome {
    /// The handshake completed with a session.
    Answered,
    /// The name certainly has no address (RFC 2308).
    NoAddress,
    /// The name's addresses could not be looked up.
    DnsFailed,
    /// The guard refused the name, the port or an address.
    Denied,
    /// There was no free connection within the limits of the fetcher.
    Busy,
    /// Every address refused the connection.
    ConnectionRefused,
    /// The connection could not be opened for another reason.
    Unreachable,
    /// The connection or the handshake did not complete in time.
    TimedOut,
    /// The connection was accepted, and the server sent nothing.
    NeverSpoke,
    /// The server closed the connection during the handshake.
    Closed,
    /// The server answered with bytes that are not TLS.
    NotTls,
    /// The server ended the handshake with an alert.
    Alert,
    /// The server answered with a version or parameters that a client of TLS 1.2 and 1.3 does not support.
    Incompatible,
    /// The server's handshake messages violate the protocol.
    Broken,
}

impl HandshakeOutcome {
    /// Returns the stable code of the result, as it is serialized.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NoAddress => "no_address",
            Self::DnsFailed => "dns_failed",
            Self::Denied => "denied",
            Self::Busy => "busy",
            Self::ConnectionRefused => "connection_refused",
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::NeverSpoke => "never_spoke",
            Self::Closed => "closed",
            Self::NotTls => "not_tls",
            Self::Alert => "alert",
            Self::Incompatible => "incompatible",
            Self::Broken => "broken",
        }
    }
}

/// A version of TLS.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum TlsVersion {
    /// TLS 1.0 (RFC 2246), deprecated by RFC 8996.
    #[serde(rename = "TLSv1.0")]
    Tls10,
    /// TLS 1.1 (RFC 4346), deprecated by RFC 8996.
    #[serde(rename = "TLSv1.1")]
    Tls11,
    /// TLS 1.2 (RFC 5246).
    #[serde(rename = "TLSv1.2")]
    Tls12,
    /// TLS 1.3 (RFC 8446).
    #[serde(rename = "TLSv1.3")]
    Tls13,
}

impl TlsVersion {
    /// Returns the version's number in the protocol.
    #[must_use]
    pub const fn wire(self) -> u16 {
        match self {
            Self::Tls10 => 0x0301,
            Self::Tls11 => 0x0302,
            Self::Tls12 => 0x0303,
            Self::Tls13 => 0x0304,
        }
    }
}

/// Acceptance of a TLS version by a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// The server accepts it.
    Accepted,
    /// The server refuses it.
    Refused,
    /// The acceptance could not be observed.
    Unknown,
}

/// Acceptance of each TLS version by a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Versions {
    /// Acceptance of TLS 1.0.
    pub tls10: Acceptance,
    /// Acceptance of TLS 1.1.
    pub tls11: Acceptance,
    /// Acceptance of TLS 1.2.
    pub tls12: Acceptance,
    /// Acceptance of TLS 1.3.
    pub tls13: Acceptance,
}

/// Trust in the served certificates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChainTrust {
    /// Result of the verification for the name.
    pub verification: Verification,
    /// True if the chain also verifies with Mozilla's roots, so that it is publicly trusted.
    pub is_public: bool,
    /// True if the server proved with its signature in the handshake that it has the leaf's private key.
    pub key_is_proven: bool,
}

/// Result of the verification of a chain for a name at a time. If there are several faults, it is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The chain is valid.
    Valid,
    /// The validity has ended.
    Expired,
    /// The validity has not started.
    NotYetValid,
    /// The leaf is valid for other names only.
    WrongHost,
    /// The chain ends at no trusted root: its root is private, the leaf is self-signed, or an intermediate was not
    /// served.
    UnknownIssuer,
    /// A signature in the chain is invalid.
    BadSignature,
    /// Any other fault, such as a malformed certificate, a wrong key usage or an unsupported algorithm.
    Other,
}

/// The signed certificate timestamps (SCTs, RFC 6962) of a leaf. They are counted, not verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scts {
    /// Number of SCTs in the leaf.
    pub embedded: usize,
    /// Number of SCTs in the answer to a TLS 1.2 ClientHello; `None` if there was no such answer.
    pub in_handshake: Option<usize>,
    /// Number of different logs of these SCTs.
    pub logs: usize,
}

/// The roots that were trusted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RootsUsed {
    /// True if the roots are Mozilla's, as compiled in; false if the operator configured others.
    pub is_mozilla: bool,
    /// SHA-256 over the names and keys of the roots, in hex, which identifies the set.
    pub sha256: String,
}
