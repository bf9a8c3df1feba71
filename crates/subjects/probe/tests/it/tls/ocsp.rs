//! Stapled OCSP responses and key exchange groups.

use probe::tls::{MAX_OCSP_BYTES, OcspStaple, RevocationStatus, TlsObservation};
use proptest::prelude::*;
use rcgen::{KeyPair, SerialNumber};
use receipt::Timestamp;
use rustls::crypto::SupportedKxGroup;
use rustls::crypto::aws_lc_rs::kx_group;
use rustls::pki_types::CertificateDer;
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};

use super::servers::{MODERN, signing, tls_in_groups, tls_with};
use super::support::{Authority, look};

const SERIAL: &[u8] = &[0x91, 2, 3];
const GOOD: &[u8] = &[0x80, 0];
const UNKNOWN: &[u8] = &[0x82, 0];

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
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

fn time(text: &str) -> Vec<u8> {
    tlv(0x18, text.as_bytes())
}

/// The status of a certificate that was revoked in March for a compromised key.
fn revoked() -> Vec<u8> {
    tlv(0xA1, &[time("20260301000000Z"), tlv(0xA0, &[0x0A, 1, 1])].concat())
}

/// A statement about a certificate's serial number.
fn statement(serial: &[u8], status: &[u8]) -> Vec<u8> {
    let sha1 = sequence(&[&tlv(6, &[0x2B, 14, 3, 2, 26]), &[5, 0]]);
    let padding: &[u8] = if serial[0] >= 0x80 { &[0] } else { &[] };
    let number = tlv(2, &[padding, serial].concat());
    let id = sequence(&[&sha1, &tlv(4, &[1; 20]), &tlv(4, &[2; 20]), &number]);
    let next = tlv(0xA0, &time("20261127000000Z"));
    sequence(&[&id, status, &time("20261120000000Z"), &next])
}

/// A response with these statements.
fn response(statements: &[Vec<u8>]) -> Vec<u8> {
    let statements = tlv(0x30, &statements.concat());
    let responder = tlv(0xA2, &tlv(4, &[3; 20]));
    let data = sequence(&[&responder, &time("20261120000000Z"), &statements]);
    let algorithm = sequence(&[&tlv(6, &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])]);
    let basic = sequence(&[&data, &algorithm, &tlv(3, &[0, 1, 2, 3])]);
    let kind = tlv(6, &[0x2B, 6, 1, 5, 5, 7, 0x30, 1, 1]);
    let bytes = sequence(&[&kind, &tlv(4, &basic)]);
    sequence(&[&[0x0A, 1, 0], &tlv(0xA0, &bytes)])
}

fn certificate(authority: &Authority, key: &KeyPair) -> CertificateDer<'static> {
    authority.issue(key, |params| params.serial_number = Some(SerialNumber::from_slice(SERIAL)))
}

fn read(statements: &[Vec<u8>]) -> Option<OcspStaple> {
    let leaf = certificate(&Authority::root(), &KeyPair::generate().unwrap());
    OcspStaple::read(&response(statements), &leaf)
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn a_staple_tells_its_status_and_its_times() {
    let good = read(&[statement(SERIAL, GOOD)]).unwrap();
    assert_eq!(good.status, RevocationStatus::Good);
    assert_eq!(good.this_update, at("2026-11-20T00:00:00.000Z"));
    assert_eq!(good.next_update, Some(at("2026-11-27T00:00:00.000Z")));
    let status = |status: &[u8]| read(&[statement(SERIAL, status)]).unwrap().status;
    assert_eq!(status(UNKNOWN), RevocationStatus::Unknown);
    assert_eq!(status(&revoked()), RevocationStatus::Revoked(at("2026-03-01T00:00:00.000Z")));
}

#[test]
fn a_staple_about_another_certificate_says_nothing_and_of_several_statements_the_worst_counts() {
    assert_eq!(read(&[statement(&[7], &revoked())]), None);
    assert_eq!(read(&[]), None);
    let mixed = [statement(SERIAL, GOOD), statement(SERIAL, &revoked()), statement(SERIAL, UNKNOWN)];
    assert!(matches!(read(&mixed).unwrap().status, RevocationStatus::Revoked(_)));
    let others = [statement(&[7], &revoked()), statement(SERIAL, GOOD)];
    assert_eq!(read(&others).unwrap().status, RevocationStatus::Good);
    let leaf = certificate(&Authority::root(), &KeyPair::generate().unwrap());
    let try_later = sequence(&[&[0x0A, 1, 3]]);
    assert_eq!(OcspStaple::read(&try_later, &leaf), None, "an error is no statement");
}

async fn stapled(ocsp: Vec<u8>) -> TlsObservation {
    let (authority, key) = (Authority::root(), KeyPair::generate().unwrap());
    let mut certified = CertifiedKey::new(vec![certificate(&authority, &key)], signing(&key));
    certified.ocsp = Some(ocsp);
    let seen = look(tls_with(certified, MODERN).await, authority.roots()).await;
    assert!(seen.ocsp_stapled);
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<TlsObservation>(&json).unwrap(), seen);
    seen
}

#[tokio::test]
async fn a_stapled_response_is_kept_and_read_from_the_evidence() {
    let seen = stapled(response(&[statement(SERIAL, &revoked())])).await;
    assert!(matches!(seen.ocsp().unwrap().status, RevocationStatus::Revoked(_)));
    let seen = stapled(b"nonsense".to_vec()).await;
    assert_eq!((seen.ocsp_response.is_some(), seen.ocsp()), (true, None));
    let seen = stapled(vec![0; MAX_OCSP_BYTES + 1]).await;
    assert_eq!((seen.ocsp_response.is_some(), seen.ocsp()), (false, None), "too long to be kept");
}

#[tokio::test]
async fn the_key_exchange_group_is_the_one_that_the_server_takes() {
    let (authority, key) = (Authority::root(), KeyPair::generate().unwrap());
    let hybrid: &[&dyn SupportedKxGroup] = &[kx_group::X25519MLKEM768, kx_group::X25519];
    for (version, groups, name) in [
        (&TLS13, hybrid, "X25519MLKEM768"),
        (&TLS13, &[kx_group::X25519][..], "x25519"),
        (&TLS13, &[kx_group::SECP384R1][..], "secp384r1"),
        (&TLS12, &[kx_group::SECP256R1][..], "secp256r1"),
    ] {
        let port = tls_in_groups(vec![certificate(&authority, &key)], &key, version, groups).await;
        let seen = look(port, authority.roots()).await;
        assert_eq!(seen.key_exchange_group.as_deref(), Some(name));
    }
}

#[tokio::test]
async fn evidence_from_before_responses_were_kept_is_read() {
    let seen = stapled(response(&[statement(SERIAL, GOOD)])).await;
    let mut json = serde_json::to_value(&seen).unwrap();
    json.as_object_mut().unwrap().remove("ocsp_response");
    json.as_object_mut().unwrap().remove("key_exchange_group");
    let old: TlsObservation = serde_json::from_value(json.clone()).unwrap();
    assert_eq!((old.ocsp(), &old.key_exchange_group), (None, &None));
    assert_eq!(serde_json::to_value(&old).unwrap(), json, "and it is written as it was");
}

proptest! {
    #[test]
    fn no_response_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let leaf = certificate(&Authority::root(), &KeyPair::generate().unwrap());
        prop_assert_eq!(OcspStaple::read(&bytes, &leaf), None);
        let mut damaged = response(&[statement(SERIAL, &revoked())]);
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        let _staple = OcspStaple::read(&damaged, &leaf);
        let _staple = OcspStaple::read(&damaged, &bytes);
    }
}
