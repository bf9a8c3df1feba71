//! Observations of TLS, as they are stored as evidence.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::Timestamp;
use serde::{Deserialize, Serialize};

/// The most certificates of a chain that are kept.
pub const MAX_CHAIN_CERTIFICATES: usize = 8;
/// The most bytes of a chain that are kept, in DER. In base64 that is under 60 kB.
pub const MAX_CHAIN_BYTES: usize = 44_000;

/// Observation of how a host speaks TLS.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TlsObservation {
    /// Time of the look, at which validity was judged.
    pub observed_at: Timestamp,
    /// End of the handshake.
    pub outcome: HandshakeOutcome,
    /// The alert's number, where the server ended the handshake with one (RFC 8446 section 6).
    pub alert: Option<u8>,
    /// The version of the handshake.
    pub version: Option<TlsVersion>,
    /// The cipher suite of the handshake, by its name in the IANA registry.
    pub cipher_suite: Option<String>,
    /// The certificates as they were served, the leaf first, each in base64 of its DER.
    pub chain: Vec<String>,
    /// Number of further certificates that were served and are not kept. The verdict on the chain counts them all.
    pub chain_omitted: usize,
    /// Trust in the certificates; absent where none were served.
    pub trust: Option<ChainTrust>,
    /// True if an OCSP response came with them.
    pub ocsp_stapled: bool,
    /// The timestamps of certificate transparency logs.
    pub scts: Scts,
    /// Versions that the server accepts.
    pub versions: Versions,
    /// Roots that were trusted.
    pub roots: RootsUsed,
}

impl TlsObservation {
    /// The certificates that were kept, in DER, the leaf first.
    #[must_use]
    pub fn certificates(&self) -> Vec<Vec<u8>> {
        self.chain.iter().map_while(|text| STANDARD.decode(text).ok()).collect()
    }

    /// True if all was seen that can be seen. What was not may be seen in a moment, so this look should not be kept for
    /// long.
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

    /// Keeps as many certificates as fit, from the leaf on.
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

/// End of a handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandshakeOutcome {
    /// The handshake ended with a session.
    Answered,
    /// The name has no address for sure.
    NoAddress,
    /// The name's addresses could not be looked up.
    DnsFailed,
    /// The guard refused the name, the port or an address.
    Denied,
    /// There was no place for the connection.
    Busy,
    /// Every address refused the connection.
    ConnectionRefused,
    /// The connection could not be opened for another reason.
    Unreachable,
    /// There was no connection, or no end of the handshake, in time.
    TimedOut,
    /// The connection was taken, and nothing ever came.
    NeverSpoke,
    /// The server ended the connection.
    Closed,
    /// The server answered, and not in TLS.
    NotTls,
    /// The server ended the handshake with an alert.
    Alert,
    /// The server answered with what a client of TLS 1.2 and 1.3 cannot take.
    Incompatible,
    /// The server's messages were not in order.
    Broken,
}

impl HandshakeOutcome {
    /// A stable code, as it is serialized.
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
    /// RFC 2246; not to be used (RFC 8996).
    #[serde(rename = "TLSv1.0")]
    Tls10,
    /// RFC 4346; not to be used (RFC 8996).
    #[serde(rename = "TLSv1.1")]
    Tls11,
    /// RFC 5246.
    #[serde(rename = "TLSv1.2")]
    Tls12,
    /// RFC 8446.
    #[serde(rename = "TLSv1.3")]
    Tls13,
}

impl TlsVersion {
    /// The number on the wire.
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

/// Acceptance of a version by a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// The server accepts it.
    Accepted,
    /// The server refuses it.
    Refused,
    /// The acceptance could not be seen.
    Unknown,
}

/// Acceptance of each version of TLS.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Versions {
    /// TLS 1.0.
    pub tls10: Acceptance,
    /// TLS 1.1.
    pub tls11: Acceptance,
    /// TLS 1.2.
    pub tls12: Acceptance,
    /// TLS 1.3.
    pub tls13: Acceptance,
}

/// Trust in the certificates that were served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChainTrust {
    /// Result of the verification for the name.
    pub verification: Verification,
    /// True if they also verify with the roots that Mozilla trusts, so that the public relies on them.
    pub is_public: bool,
    /// True if the server proved, with its signature on the handshake, that it has the leaf's key.
    pub key_is_proven: bool,
}

/// Result of the verification of a chain for a name at a time: the first fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The chain holds.
    Valid,
    /// The validity is over.
    Expired,
    /// The validity has not begun.
    NotYetValid,
    /// The leaf is for other names.
    WrongHost,
    /// The chain ends at no trusted root: an own root, a certificate that signs itself, a link that was not served.
    UnknownIssuer,
    /// A signature in it does not hold.
    BadSignature,
    /// Anything else: not to be read, not for servers, an algorithm that is not taken.
    Other,
}

/// The signed certificate timestamps (RFC 6962) that came with a leaf. They are counted, not verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scts {
    /// Timestamps in the leaf.
    pub embedded: usize,
    /// Timestamps in the answer to a TLS 1.2 hello; `None` where there was none to look in.
    pub in_handshake: Option<usize>,
    /// The logs that they are from, each counted once.
    pub logs: usize,
}

/// Roots that were trusted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RootsUsed {
    /// True if they are those that Mozilla trusts, as compiled in; an operator's own otherwise.
    pub is_mozilla: bool,
    /// The SHA-256 over their names and keys, in hex: which set it was.
    pub sha256: String,
}
