//! The request to an authority.

use der::Encode as _;
use der::asn1::{Int, ObjectIdentifier, OctetString};

use crate::asn1::{AlgorithmIdentifier, MessageImprint, TimeStampReq};
use crate::oid;

/// A random number of a request. The token repeats it, so that it cannot be an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// Makes a nonce of random bytes. Two bits are set: it is a positive number of 16 bytes.
    #[must_use]
    pub fn new(mut random: [u8; 16]) -> Self {
        random[0] = random[0] & 0x7f | 0x40;
        Self(random)
    }

    pub(crate) fn to_int(self) -> Option<Int> {
        Int::new(&self.0).ok()
    }
}

/// A request for a token over bytes, by their SHA-256.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampRequest {
    /// The SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The nonce.
    pub nonce: Nonce,
    /// The wanted policy.
    pub policy: Option<ObjectIdentifier>,
}

impl StampRequest {
    /// The body of the request, in DER. The certificate of the signer is asked for.
    #[must_use]
    pub fn to_der(&self) -> Vec<u8> {
        let request = || {
            TimeStampReq {
                version: 1,
                message_imprint: imprint(&self.sha256)?,
                req_policy: self.policy,
                nonce: self.nonce.to_int(),
                cert_req: true,
            }
            .to_der()
        };
        request().expect("a request of fixed sizes has a DER form")
    }
}

/// The imprint of a SHA-256. Its algorithm has no parameters (RFC 5754, section 2).
pub(crate) fn imprint(sha256: &[u8; 32]) -> der::Result<MessageImprint> {
    let hash_algorithm = AlgorithmIdentifier { oid: oid::SHA_256, parameters: None };
    Ok(MessageImprint { hash_algorithm, hashed_message: OctetString::new(sha256.as_slice())? })
}
