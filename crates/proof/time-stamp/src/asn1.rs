//! The structures of RFC 3161 (section 2.4), of CMS (RFC 5652, section 5) and of RFC 5035 that a token has.
//!
//! Certificates are kept as the bytes that they are: their hash is in the signature.

use der::asn1::{Any, BitString, Int, ObjectIdentifier, OctetString, SetOfVec};
use der::{Sequence, ValueOrd};

use crate::gen_time::GenTime;

/// `AlgorithmIdentifier` (RFC 5280).
#[derive(Clone, Debug, PartialEq, Eq, Sequence, ValueOrd)]
pub struct AlgorithmIdentifier {
    /// The algorithm.
    pub oid: ObjectIdentifier,
    /// Its parameters.
    #[asn1(optional = "true")]
    pub parameters: Option<Any>,
}

/// `MessageImprint`: the hash of the stamped bytes.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct MessageImprint {
    /// The hash function.
    pub hash_algorithm: AlgorithmIdentifier,
    /// The hash.
    pub hashed_message: OctetString,
}

/// `TimeStampReq`, without extensions.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct TimeStampReq {
    /// 1.
    pub version: u8,
    /// What is to be stamped.
    pub message_imprint: MessageImprint,
    /// The policy that is wanted.
    #[asn1(optional = "true")]
    pub req_policy: Option<ObjectIdentifier>,
    /// A random number, which the token repeats.
    #[asn1(optional = "true")]
    pub nonce: Option<Int>,
    /// True if the token is to hold the certificate of its signer.
    #[asn1(default = "Default::default")]
    pub cert_req: bool,
}

/// `TimeStampResp`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct TimeStampResp {
    /// Says if the token is granted.
    pub status: PkiStatusInfo,
    /// The token.
    #[asn1(optional = "true")]
    pub time_stamp_token: Option<ContentInfo>,
}

/// `PKIStatusInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct PkiStatusInfo {
    /// 0 (granted) or 1 (granted with modifications); others are refusals.
    pub status: u8,
    /// The authority's words.
    #[asn1(optional = "true")]
    pub status_string: Option<Vec<String>>,
    /// The reason of a refusal.
    #[asn1(optional = "true")]
    pub fail_info: Option<BitString>,
}

/// `ContentInfo` of signed data.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct ContentInfo {
    /// `id-signedData`.
    pub content_type: ObjectIdentifier,
    /// The signed data.
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    pub content: SignedData,
}

/// `SignedData`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SignedData {
    /// 3 in tokens.
    pub version: u8,
    /// The hash functions of the signers.
    pub digest_algorithms: SetOfVec<AlgorithmIdentifier>,
    /// The token's content.
    pub encap_content_info: EncapsulatedContentInfo,
    /// The certificate of the signer, and those that lead to its root.
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub certificates: Option<SetOfVec<Any>>,
    /// Lists of revoked certificates, which are not read.
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub crls: Option<SetOfVec<Any>>,
    /// The signers; a token has one.
    pub signer_infos: SetOfVec<SignerInfo>,
}

/// `EncapsulatedContentInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct EncapsulatedContentInfo {
    /// `id-ct-TSTInfo`.
    pub content_type: ObjectIdentifier,
    /// The DER of a [`TstInfo`].
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub content: Option<OctetString>,
}

/// `SignerInfo`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence, ValueOrd)]
pub struct SignerInfo {
    /// 1, or 3 where the signer is named by its key.
    pub version: u8,
    /// The signer's certificate, by issuer and serial number, or by the identifier of its key.
    pub sid: Any,
    /// The hash function.
    pub digest_algorithm: AlgorithmIdentifier,
    /// What is signed, among it the hash of the content.
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub signed_attributes: Option<SetOfVec<Attribute>>,
    /// The algorithm of the signature.
    pub signature_algorithm: AlgorithmIdentifier,
    /// The signature over the DER of the signed attributes.
    pub signature: OctetString,
    /// Attributes without a signature, which are not read.
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub unsigned_attributes: Option<SetOfVec<Attribute>>,
}

/// `Attribute`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence, ValueOrd)]
pub struct Attribute {
    /// The type of the attribute.
    pub oid: ObjectIdentifier,
    /// The values.
    pub values: SetOfVec<Any>,
}

/// `SigningCertificateV2` (RFC 5035).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SigningCertificateV2 {
    /// The certificates; the first is the signer's.
    pub certificates: Vec<EssCertIdV2>,
    /// Policies, which are not read.
    #[asn1(optional = "true")]
    pub policies: Option<Any>,
}

/// `ESSCertIDv2`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct EssCertIdV2 {
    /// The hash function; SHA-256 if it is absent.
    #[asn1(optional = "true")]
    pub hash_algorithm: Option<AlgorithmIdentifier>,
    /// The hash of the certificate.
    pub hash: OctetString,
    /// Issuer and serial number, which the hash contains.
    #[asn1(optional = "true")]
    pub issuer_serial: Option<Any>,
}

/// `SigningCertificate` (RFC 2634), whose hashes are SHA-1.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct SigningCertificate {
    /// The certificates; the first is the signer's.
    pub certificates: Vec<EssCertId>,
    /// Policies, which are not read.
    #[asn1(optional = "true")]
    pub policies: Option<Any>,
}

/// `ESSCertID`.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct EssCertId {
    /// The SHA-1 of the certificate.
    pub hash: OctetString,
    /// Issuer and serial number, which the hash contains.
    #[asn1(optional = "true")]
    pub issuer_serial: Option<Any>,
}

/// `TSTInfo`: what an authority signs.
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct TstInfo {
    /// 1.
    pub version: u8,
    /// The policy under which the authority works.
    pub policy: ObjectIdentifier,
    /// What is stamped.
    pub message_imprint: MessageImprint,
    /// The number of the token, of one authority.
    pub serial_number: Int,
    /// The time.
    pub gen_time: GenTime,
    /// The error of the time.
    #[asn1(optional = "true")]
    pub accuracy: Option<Accuracy>,
    /// True if all tokens of the authority are in the order of their times.
    #[asn1(default = "Default::default")]
    pub ordering: bool,
    /// The nonce of the request.
    #[asn1(optional = "true")]
    pub nonce: Option<Int>,
    /// The authority's name.
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub tsa: Option<Any>,
    /// Extensions; none is known here.
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub extensions: Option<Vec<Extension>>,
}

/// `Accuracy`: the time is right within the sum of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Sequence)]
pub struct Accuracy {
    /// Seconds.
    #[asn1(optional = "true")]
    pub seconds: Option<u32>,
    /// Milliseconds.
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    pub millis: Option<u16>,
    /// Microseconds.
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    pub micros: Option<u16>,
}

impl Accuracy {
    /// The sum in milliseconds, rounded up.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        let micros = i64::from(self.micros.unwrap_or_default().div_ceil(1000));
        i64::from(self.seconds.unwrap_or_default()) * 1000
            + i64::from(self.millis.unwrap_or_default())
            + micros
    }
}

/// `Extension` (RFC 5280).
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct Extension {
    /// The type of the extension.
    pub oid: ObjectIdentifier,
    /// True if who does not know it must refuse the token.
    #[asn1(default = "Default::default")]
    pub critical: bool,
    /// The value.
    pub value: OctetString,
}
