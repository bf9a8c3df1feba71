//! The object identifiers in tokens.

use der::asn1::ObjectIdentifier;

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

pub(crate) const SIGNED_DATA: ObjectIdentifier = oid("1.2.840.113549.1.7.2");
pub(crate) const TST_INFO: ObjectIdentifier = oid("1.2.840.113549.1.9.16.1.4");
pub(crate) const CONTENT_TYPE: ObjectIdentifier = oid("1.2.840.113549.1.9.3");
pub(crate) const MESSAGE_DIGEST: ObjectIdentifier = oid("1.2.840.113549.1.9.4");
/// The hash (SHA-1) of the signer's certificate (RFC 2634).
pub(crate) const SIGNING_CERTIFICATE: ObjectIdentifier = oid("1.2.840.113549.1.9.16.2.12");
/// The hash of the signer's certificate (RFC 5035).
pub(crate) const SIGNING_CERTIFICATE_V2: ObjectIdentifier = oid("1.2.840.113549.1.9.16.2.47");
pub(crate) const SHA_256: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.1");
pub(crate) const SHA_384: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.2");
pub(crate) const SHA_512: ObjectIdentifier = oid("2.16.840.1.101.3.4.2.3");
pub(crate) const RSA_ENCRYPTION: ObjectIdentifier = oid("1.2.840.113549.1.1.1");
