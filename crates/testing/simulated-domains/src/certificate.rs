//! Certificates, and OCSP responses that revoke them.

use std::sync::LazyLock;

use rcgen::{CertificateParams, CertifiedIssuer, DnType, KeyPair, SerialNumber};

/// Serial number of every certificate here.
const SERIAL: &[u8] = &[1, 2, 3];

static KEY: LazyLock<KeyPair> = LazyLock::new(|| KeyPair::generate().expect("a key"));

static AUTHORITY: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(|| {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.distinguished_name.push(DnType::OrganizationName, "Let's Encrypt");
    params.distinguished_name.push(DnType::CommonName, "R99");
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
});

/// Returns a certificate in DER for a name, with validity as days since the epoch.
pub(crate) fn leaf(name: &str, from_day: i64, to_day: i64) -> Vec<u8> {
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    let epoch = rcgen::date_time_ymd(1970, 1, 1);
    let at = |day: i64| epoch + std::time::Duration::from_secs(u64::try_from(day).unwrap_or(0) * 86_400);
    (params.not_before, params.not_after) = (at(from_day), at(to_day));
    params.serial_number = Some(SerialNumber::from_slice(SERIAL));
    params.signed_by(&*KEY, &AUTHORITY).expect("a certificate").der().to_vec()
}

/// Returns an OCSP response (RFC 6960) in DER by which that certificate is revoked.
pub(crate) fn revocation() -> Vec<u8> {
    let sha1 = sequence(&[&tlv(6, &[0x2B, 14, 3, 2, 26]), &[5, 0]]);
    let id = sequence(&[&sha1, &tlv(4, &[1; 20]), &tlv(4, &[2; 20]), &tlv(2, SERIAL)]);
    let revoked = tlv(0xA1, &tlv(0x18, b"20261101000000Z"));
    let statement = sequence(&[&id, &revoked, &tlv(0x18, b"20261120000000Z")]);
    let responder = tlv(0xA2, &tlv(4, &[3; 20]));
    let data = sequence(&[&responder, &tlv(0x18, b"20261120000000Z"), &tlv(0x30, &statement)]);
    let algorithm = sequence(&[&tlv(6, &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])]);
    let basic = sequence(&[&data, &algorithm, &tlv(3, &[0, 1, 2, 3])]);
    let kind = tlv(6, &[0x2B, 6, 1, 5, 5, 7, 0x30, 1, 1]);
    let bytes = sequence(&[&kind, &tlv(4, &basic)]);
    sequence(&[&[0x0A, 1, 0], &tlv(0xA0, &bytes)])
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).expect("short").to_be_bytes();
    let length = match content.len() {
        0..=127 => vec![length[1]],
        128..=255 => vec![0x81, length[1]],
        _ => vec![0x82, length[0], length[1]],
    };
    [&[tag][..], &length, content].concat()
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}
