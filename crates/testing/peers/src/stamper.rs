//! A time-stamping authority (RFC 3161) that does what its script says.

mod certificates;
mod service;

use der::asn1::{Any, Int, ObjectIdentifier, OctetString, SetOfVec};
use der::{Decode as _, Encode as _, Tag};
use rcgen::SigningKey as _;
use receipt::time::Timestamp;
use sha2::{Digest as _, Sha256};
use time_stamp::GenTime;
use time_stamp::asn1::{
    Accuracy, AlgorithmIdentifier, Attribute, ContentInfo, EncapsulatedContentInfo, EssCertIdV2, Extension,
    PkiStatusInfo, SignedData, SignerInfo, SigningCertificateV2, TimeStampReq, TimeStampResp, TstInfo,
};

use certificates::Signer;
pub use service::{Behaviour, StamperService};

/// What is wrong with a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lie {
    /// Nothing.
    None,
    /// It is of another message.
    OtherMessage,
    /// It has another nonce.
    OtherNonce,
    /// It has no nonce.
    NoNonce,
    /// It is refused, with the status 2.
    Refused,
    /// It says granted, and has no token.
    NoToken,
    /// The certificate of its signer has expired.
    Expired,
    /// The certificate of its signer leads to a root of somebody else with the same names.
    Foreign,
    /// The certificate has no extended key usage.
    NoUsage,
    /// The certificate is for servers.
    ServerUsage,
    /// The certificate is for time-stamping and for servers.
    TwoUsages,
    /// The usage is not critical.
    UsageNotCritical,
    /// The signature has a wrong bit.
    Signature,
    /// The content was changed after it was signed.
    Content,
    /// It has no certificate.
    NoCertificate,
    /// The signed attributes name another certificate.
    OtherCertificate,
    /// The signer is named with another serial number.
    OtherSerial,
    /// The attribute with the hash of the content is missing.
    NoDigest,
    /// It has two signers.
    TwoSigners,
    /// It has a critical extension that nobody knows.
    CriticalExtension,
    /// Its time is a day ago.
    DayAgo,
    /// Its time is a day ahead.
    DayAhead,
}

/// An authority with its certificates.
#[derive(Debug)]
pub struct Stamper {
    honest: Signer,
    foreign: Signer,
}

/// The policy of the tokens.
pub const POLICY: &str = "1.2.3.4.1";

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

const SHA_256: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.1");

fn algorithm(oid: ObjectIdentifier) -> AlgorithmIdentifier {
    AlgorithmIdentifier { oid, parameters: None }
}

impl Default for Stamper {
    fn default() -> Self {
        Self::new()
    }
}

impl Stamper {
    /// Makes an authority with a root of its own.
    #[must_use]
    pub fn new() -> Self {
        Self { honest: Signer::new(), foreign: Signer::new() }
    }

    /// The certificate of the root, in PEM.
    #[must_use]
    pub fn root_pem(&self) -> String {
        self.honest.root_pem()
    }

    /// The answer to a request in DER, at this time.
    #[must_use]
    pub fn answer(&self, request: &[u8], at: Timestamp, lie: Lie) -> Vec<u8> {
        let request = TimeStampReq::from_der(request).unwrap();
        let status = PkiStatusInfo {
            status: if lie == Lie::Refused { 2 } else { 0 },
            status_string: (lie == Lie::Refused).then(|| vec!["no\u{1b}[1mwhere".to_owned()]),
            fail_info: None,
        };
        let is_granted = !matches!(lie, Lie::Refused | Lie::NoToken);
        let time_stamp_token = is_granted.then(|| self.token(&request, at, lie));
        TimeStampResp { status, time_stamp_token }.to_der().unwrap()
    }

    fn token(&self, request: &TimeStampReq, at: Timestamp, lie: Lie) -> ContentInfo {
        let signer = if lie == Lie::Foreign { &self.foreign } else { &self.honest };
        let mut content = info(request, at, lie).to_der().unwrap();
        let certificate = signer.certificate(lie);
        let mut signers = vec![signer_info(signer, &certificate, &content, lie)];
        if lie == Lie::TwoSigners {
            signers.push(signer_info(&self.foreign, &certificate, &content, lie));
        }
        if lie == Lie::Content {
            // The serial number, which no other check is about.
            let at = content.windows(4).position(|bytes| bytes == [0x02, 0x02, 0x12, 0x34]).unwrap();
            content[at + 3] ^= 1;
        }
        let certificates = if lie == Lie::NoCertificate { vec![] } else { vec![certificate.der] };
        let certificates = certificates.iter().map(|der| Any::from_der(der).unwrap()).collect::<Vec<_>>();
        ContentInfo {
            content_type: oid("1.2.840.113549.1.7.2"),
            content: SignedData {
                version: 3,
                digest_algorithms: SetOfVec::try_from(vec![algorithm(SHA_256)]).unwrap(),
                encap_content_info: EncapsulatedContentInfo {
                    content_type: oid("1.2.840.113549.1.9.16.1.4"),
                    content: Some(OctetString::new(content).unwrap()),
                },
                certificates: Some(SetOfVec::try_from(certificates).unwrap()),
                crls: None,
                signer_infos: SetOfVec::try_from(signers).unwrap(),
            },
        }
    }
}

fn info(request: &TimeStampReq, at: Timestamp, lie: Lie) -> TstInfo {
    const DAY_MS: i64 = 86_400_000;
    let mut message_imprint = request.message_imprint.clone();
    if lie == Lie::OtherMessage {
        message_imprint.hashed_message = OctetString::new([7; 32]).unwrap();
    }
    let nonce = match lie {
        Lie::OtherNonce => Some(Int::new(&[7; 16]).unwrap()),
        Lie::NoNonce => None,
        _ => request.nonce.clone(),
    };
    let unknown =
        Extension { oid: oid("1.2.3.9"), critical: true, value: OctetString::new(*b"\x05\x00").unwrap() };
    let gen_time = match lie {
        Lie::DayAgo => at.saturating_add_millis(-DAY_MS),
        Lie::DayAhead => at.saturating_add_millis(DAY_MS),
        _ => at,
    };
    TstInfo {
        version: 1,
        policy: request.req_policy.unwrap_or(oid(POLICY)),
        message_imprint,
        serial_number: Int::new(&[0x12, 0x34]).unwrap(),
        gen_time: GenTime(gen_time),
        accuracy: Some(Accuracy { seconds: Some(1), millis: Some(500), micros: None }),
        ordering: true,
        nonce,
        tsa: None,
        extensions: (lie == Lie::CriticalExtension).then(|| vec![unknown]),
    }
}

fn attribute(name: &str, value: Any) -> Attribute {
    Attribute { oid: oid(name), values: SetOfVec::try_from(vec![value]).unwrap() }
}

fn signer_info(
    signer: &Signer,
    certificate: &certificates::Certificate,
    content: &[u8],
    lie: Lie,
) -> SignerInfo {
    let named = if lie == Lie::OtherCertificate { b"another".as_slice() } else { &certificate.der };
    let signing_certificate = SigningCertificateV2 {
        certificates: vec![EssCertIdV2 {
            hash_algorithm: None,
            hash: OctetString::new(Sha256::digest(named).to_vec()).unwrap(),
            issuer_serial: None,
        }],
        policies: None,
    };
    let tst_info = oid("1.2.840.113549.1.9.16.1.4");
    let digest = OctetString::new(Sha256::digest(content).to_vec()).unwrap();
    let mut attributes = vec![
        attribute("1.2.840.113549.1.9.3", Any::encode_from(&tst_info).unwrap()),
        attribute("1.2.840.113549.1.9.16.2.47", Any::encode_from(&signing_certificate).unwrap()),
    ];
    if lie != Lie::NoDigest {
        attributes.push(attribute("1.2.840.113549.1.9.4", Any::encode_from(&digest).unwrap()));
    }
    let attributes = SetOfVec::try_from(attributes).unwrap();
    let mut signature = signer.key.sign(&attributes.to_der().unwrap()).unwrap();
    if lie == Lie::Signature {
        *signature.last_mut().unwrap() ^= 1;
    }
    let mut serial = certificate.serial.clone();
    if lie == Lie::OtherSerial {
        serial[0] ^= 1;
    }
    let mut sid = certificate.issuer.clone();
    sid.extend(Any::new(Tag::Integer, serial).unwrap().to_der().unwrap());
    SignerInfo {
        version: 1,
        sid: Any::new(Tag::Sequence, sid).unwrap(),
        digest_algorithm: algorithm(SHA_256),
        signed_attributes: Some(attributes),
        signature_algorithm: algorithm(oid("1.2.840.10045.4.3.2")),
        signature: OctetString::new(signature).unwrap(),
        unsigned_attributes: None,
    }
}
