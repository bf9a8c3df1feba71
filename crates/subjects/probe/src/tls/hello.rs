//! A ClientHello that offers one version of TLS and nothing newer.
//!
//! A library that speaks TLS well no longer speaks TLS 1.0 and 1.1, and nothing has to be spoken: the server's first
//! answer tells. So the hello is put together here (RFC 5246 section 7.4.1.2), with every cipher suite that servers of
//! that version were given, since it is the version that is asked about.

use sha2::{Digest, Sha256};

use super::observation::TlsVersion;

/// Cipher suites with authenticated encryption or SHA-2, for TLS 1.2 alone.
const SUITES_12: &[u16] = &[
    0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC023, 0xC027, 0xC024, 0xC028, 0x009E, 0x009F, 0xCCAA,
    0x0067, 0x006B, 0x009C, 0x009D, 0x003C, 0x003D,
];
/// Cipher suites of every version up to 1.2, the weakest last: ECDHE, DHE and RSA with AES, Camellia, SEED, 3DES and
/// RC4.
const SUITES: &[u16] = &[
    0xC009, 0xC013, 0xC00A, 0xC014, 0x0033, 0x0039, 0x0032, 0x0038, 0x002F, 0x0035, 0x0041, 0x0084, 0x0096,
    0xC008, 0xC012, 0x0016, 0x0013, 0x000A, 0xC007, 0xC011, 0x0005, 0x0004,
];
/// Secure renegotiation is understood (RFC 5746 section 3.3). The fallback's value (RFC 7507) must not be there: a server
/// would answer to it, not to the version.
const RENEGOTIATION: u16 = 0x00FF;
/// X25519, P-256, P-384, P-521.
const GROUPS: &[u16] = &[0x001D, 0x0017, 0x0018, 0x0019];
/// ECDSA, RSA-PSS and RSA, down to SHA-1.
const SIGNATURES: &[u16] =
    &[0x0403, 0x0503, 0x0603, 0x0807, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201, 0x0202];

const SERVER_NAME: u16 = 0;
const SUPPORTED_GROUPS: u16 = 10;
const POINT_FORMATS: u16 = 11;
const SIGNATURE_ALGORITHMS: u16 = 13;
/// RFC 7627; some servers insist on it.
const EXTENDED_MASTER_SECRET: u16 = 23;
/// RFC 6962 section 3.3.1.
pub(super) const SCT: u16 = 18;

/// A hello for `name` that offers `version`, which is not 1.3, as a record.
pub(super) fn client_hello(name: &str, version: TlsVersion) -> Vec<u8> {
    let is_12 = version == TlsVersion::Tls12;
    let mut body = version.wire().to_be_bytes().to_vec();
    body.extend(random(name, version));
    body.push(0); // No session to resume.
    let mut suites = if is_12 { SUITES_12.to_vec() } else { Vec::new() };
    suites.extend(SUITES);
    suites.push(RENEGOTIATION);
    body.extend(prefixed_16(&words(&suites)));
    body.extend([1, 0]); // No compression.
    let mut extensions = extension(SERVER_NAME, &server_name(name));
    extensions.extend(extension(SUPPORTED_GROUPS, &prefixed_16(&words(GROUPS))));
    extensions.extend(extension(POINT_FORMATS, &[1, 0])); // Uncompressed.
    if is_12 {
        extensions.extend(extension(SIGNATURE_ALGORITHMS, &prefixed_16(&words(SIGNATURES))));
        extensions.extend(extension(EXTENDED_MASTER_SECRET, &[]));
        extensions.extend(extension(SCT, &[]));
    }
    body.extend(prefixed_16(&extensions));
    // A ClientHello (type 1) in a handshake record, whose version is 1.0 whatever is offered (RFC 5246, E.1).
    let message = [&[1, 0][..], &prefixed_16(&body)].concat();
    [&[22, 3, 1][..], &prefixed_16(&message)].concat()
}

/// The hello's random bytes: the same for the same question. No key is ever made from them, so they need not be secret.
fn random(name: &str, version: TlsVersion) -> [u8; 32] {
    let hash = Sha256::new().chain_update(b"client hello").chain_update(version.wire().to_be_bytes());
    hash.chain_update(name).finalize().into()
}

/// A list of one host name (RFC 6066 section 3).
fn server_name(name: &str) -> Vec<u8> {
    let entry = [&[0][..], &prefixed_16(name.as_bytes())].concat();
    prefixed_16(&entry)
}

fn extension(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &prefixed_16(data)].concat()
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// `data` behind its length. All that is ever put here is shorter than a name and some hundred bytes.
fn prefixed_16(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).expect("a hello's parts are bounded by the longest name");
    [&length.to_be_bytes()[..], data].concat()
}
