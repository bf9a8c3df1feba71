//! What was seen: the evidence.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::Timestamp;
use serde::{Deserialize, Serialize};

/// The most certificates of a chain that are kept.
pub const MAX_CHAIN_CERTIFICATES: usize = 8;
/// The most bytes of a chain that are kept, in DER. In base64 that is under 60 kB.
pub const MAX_CHAIN_BYTES: usize = 44_000;

/// How a host was seen to speak TLS.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TlsObservation {
    /// When it was looked at; validity was judged at this time.
    pub observed_at: Timestamp,
    /// How the handshake ended.
    pub outcome: HandshakeOutcome,
    /// The alert's number, where the server ended the handshake with one (RFC 8446 section 6).
    pub alert: Option<u8>,
    /// The version of the handshake.
    pub version: Option<TlsVersion>,
    /// The cipher suite of the handshake, by its name in the IANA registry.
    pub cipher_suite: Option<String>,
    /// The certificates as they were served, the leaf first, each in base64 of its DER.
    pub chain: Vec<String>,
    /// How many more were served than are kept. The verdict on the chain counts them all.
    pub chain_omitted: usize,
    /// What the certificates are worth; absent where none were served.
    pub trust: Option<ChainTrust>,
    /// Whether an OCSP response came with them.
    pub ocsp_stapled: bool,
    /// The timestamps of certificate transparency logs.
    pub scts: Scts,
    /// Which versions the server takes.
    pub versions: Versions,
    /// Which roots were trusted.
    pub roots: RootsUsed,
}

impl TlsObservation {
    /// The certificates that were kept, in DER, the leaf first.
    #[must_use]
    pub fn certificates(&self) -> Vec<Vec<u8>> {
        self.chain.iter().map_while(|text| STANDARD.decode(text).ok()).collect()
    }

    /// Whether all was seen that there is to see. What was not may be seen in a moment, so this look should not be kept
    /// for long.
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

/// How the handshake ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandshakeOutcome {
    /// With a session.
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

/// Whether a server takes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// It does.
    Accepted,
    /// It does not.
    Refused,
    /// It could not be seen.
    Unknown,
}

/// Which versions a server takes.
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

/// What the certificates that were served are worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ChainTrust {
    /// Whether they hold for the name.
    pub verification: Verification,
    /// Whether they hold by the roots that Mozilla trusts as well: whether the public relies on them.
    pub is_public: bool,
    /// Whether the server showed, with its signature on the handshake, that it has the leaf's key.
    pub key_is_proven: bool,
}

/// Whether a chain holds for a name at a time: the first that is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// It holds.
    Valid,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// The leaf is for other names.
    WrongHost,
    /// No trusted root is at its end: an own root, a certificate that signs itself, a link that was not served.
    UnknownIssuer,
    /// A signature in it does not hold.
    BadSignature,
    /// Anything else: not to be read, not for servers, an algorithm that is not taken.
    Other,
}

/// The signed certificate timestamps (RFC 6962) that came with a leaf. They are counted, not verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Scts {
    /// In the leaf.
    pub embedded: usize,
    /// In the answer to a TLS 1.2 hello; `None` where there was none to look in.
    pub in_handshake: Option<usize>,
    /// The logs that they are from, each counted once.
    pub logs: usize,
}

/// Which roots were trusted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RootsUsed {
    /// Whether they are those that Mozilla trusts, as compiled in; an operator's own otherwise.
    pub is_mozilla: bool,
    /// The SHA-256 over their names and keys, in hex: which set it was.
    pub sha256: String,
}
