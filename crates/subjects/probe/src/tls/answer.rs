//! Answers to a ClientHello, read as far as needed.

use super::hello::SCT;
use super::observation::TlsVersion;

/// The most bytes that are read before an answer must have been understood.
pub(super) const MAX_ANSWER_BYTES: usize = 16 << 10;

/// The most warnings that may come before an answer.
const MAX_WARNINGS: usize = 4;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const SERVER_HELLO: u8 = 2;
const WARNING: u8 = 1;
const CLOSE_NOTIFY: u8 = 0;

/// A server's answer to a ClientHello, as far as it has been read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HelloAnswer {
    /// The answer is incomplete.
    Partial,
    /// The server answered with a ServerHello.
    Hello {
        /// Version number, as on the wire.
        version: u16,
        /// The list of signed certificate timestamps in it; empty where there is none.
        scts: Vec<u8>,
    },
    /// The server ended the handshake with an alert of this number (RFC 8446, section 6).
    Alert(u8),
    /// The bytes are not TLS records.
    NotTls,
}

/// Parses the bytes received so far in answer to a ClientHello of TLS 1.0 to 1.2. The last record may be incomplete.
#[must_use]
pub fn read_answer(mut bytes: &[u8]) -> HelloAnswer {
    let (mut handshake, mut warnings) = (Vec::new(), 0);
    while let Some((kind, payload, is_whole, rest)) = record(bytes) {
        match (kind, payload) {
            (HANDSHAKE, payload) => {
                handshake.extend_from_slice(payload);
                if let Some(answer) = server_hello(&handshake) {
                    return answer;
                }
            }
            (ALERT, [WARNING, description, ..])
                if *description != CLOSE_NOTIFY && warnings < MAX_WARNINGS =>
            {
                warnings += 1;
            }
            (ALERT, [_, description, ..]) => return HelloAnswer::Alert(*description),
            (ALERT, _) if !is_whole => {}
            _ => return HelloAnswer::NotTls,
        }
        bytes = rest;
    }
    let is_header = bytes.iter().zip([ALERT..=HANDSHAKE, 3..=3]).all(|(byte, range)| range.contains(byte));
    if is_header { HelloAnswer::Partial } else { HelloAnswer::NotTls }
}

/// The first record: its kind, what has come of its payload, whether that is all, and what comes after it. None where
/// its header has not come or is none.
fn record(bytes: &[u8]) -> Option<(u8, &[u8], bool, &[u8])> {
    let (&[kind, major, _, high, low], rest) = bytes.split_first_chunk()?;
    let length = usize::from(u16::from_be_bytes([high, low]));
    if major != 3 || !(ALERT..=HANDSHAKE).contains(&kind) {
        return None;
    }
    let (payload, rest) = rest.split_at(length.min(rest.len()));
    Some((kind, payload, payload.len() == length, rest))
}

/// A ServerHello (RFC 5246 section 7.4.1.3); none as long as it is not there whole.
fn server_hello(handshake: &[u8]) -> Option<HelloAnswer> {
    let (&[kind, high, middle, low], rest) = handshake.split_first_chunk()?;
    if kind != SERVER_HELLO {
        return Some(HelloAnswer::NotTls);
    }
    let length = usize::from_be_bytes([0, 0, 0, 0, 0, high, middle, low]);
    let body = rest.get(..length)?;
    let (version, rest) = body.split_first_chunk()?;
    Some(HelloAnswer::Hello {
        version: u16::from_be_bytes(*version),
        scts: timestamps(rest).unwrap_or_default(),
    })
}

/// The timestamps in what follows the version: random, session, suite, compression, extensions.
fn timestamps(rest: &[u8]) -> Option<Vec<u8>> {
    let (session, rest) = rest.get(32..)?.split_first()?;
    let extensions = rest.get(usize::from(*session) + 3..)?;
    let (length, extensions) = extensions.split_first_chunk()?;
    let mut extensions = extensions.get(..usize::from(u16::from_be_bytes(*length)))?;
    while let Some((&[kind_high, kind_low, high, low], rest)) = extensions.split_first_chunk() {
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes([high, low])))?;
        if u16::from_be_bytes([kind_high, kind_low]) == SCT {
            return Some(data.to_vec());
        }
        extensions = rest;
    }
    None
}

impl HelloAnswer {
    /// True if the answer accepts `version`.
    pub(super) fn takes(&self, version: TlsVersion) -> bool {
        matches!(self, Self::Hello { version: own, .. } if *own == version.wire())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::hello::client_hello;
    use super::*;

    /// A ServerHello of `version` with `extensions`, split into records of at most `piece` bytes.
    fn hello(version: u16, extensions: &[u8], piece: usize) -> Vec<u8> {
        let mut body = version.to_be_bytes().to_vec();
        body.extend([7; 32]);
        body.extend([2, 9, 9, 0x00, 0x2F, 0]);
        if !extensions.is_empty() {
            body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
            body.extend(extensions);
        }
        let length = u8::try_from(body.len()).unwrap();
        let message = [&[2, 0, 0, length][..], &body].concat();
        message
            .chunks(piece)
            .flat_map(|part| [&[22, 3, 1, 0, u8::try_from(part.len()).unwrap()][..], part].concat())
            .collect()
    }

    #[test]
    fn a_server_hello_is_read_whatever_records_it_comes_in() {
        let extensions = [0xFF, 1, 0, 1, 0, 0, 18, 0, 4, 0, 2, 5, 6];
        let expected = HelloAnswer::Hello { version: 0x0302, scts: vec![0, 2, 5, 6] };
        for piece in [1, 3, 200] {
            let bytes = hello(0x0302, &extensions, piece);
            assert_eq!(read_answer(&bytes), expected);
            for end in 0..bytes.len() {
                assert_eq!(read_answer(&bytes[..end]), HelloAnswer::Partial, "{piece} {end}");
            }
        }
        assert_eq!(
            read_answer(&hello(0x0301, &[], 200)),
            HelloAnswer::Hello { version: 0x0301, scts: vec![] }
        );
    }

    #[test]
    fn an_alert_ends_it_and_a_warning_does_not() {
        assert_eq!(read_answer(&[21, 3, 1, 0, 2, 2, 70]), HelloAnswer::Alert(70));
        assert_eq!(read_answer(&[21, 3, 1, 0, 2, 2]), HelloAnswer::Partial);
        assert_eq!(read_answer(&[21, 3, 1, 0, 2, 1, 0]), HelloAnswer::Alert(0));
        let warned = [&[21, 3, 1, 0, 2, 1, 112][..], &hello(0x0303, &[], 200)].concat();
        assert_eq!(read_answer(&warned), HelloAnswer::Hello { version: 0x0303, scts: vec![] });
        assert_eq!(read_answer(&[21, 3, 1, 0, 2, 1, 112].repeat(5)), HelloAnswer::Alert(112));
    }

    #[test]
    fn what_is_no_tls_is_told_from_what_has_not_come() {
        for bytes in [
            &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
            b"220 mail",
            b"\x16\x02",
            b"\x15\x03\x01\0\0",
            b"\x17\x03\x03\0\x01x",
        ] {
            assert_eq!(read_answer(bytes), HelloAnswer::NotTls, "{bytes:?}");
        }
        assert_eq!(
            read_answer(&[22, 3, 3, 0, 4, 11, 0, 0, 0]),
            HelloAnswer::NotTls,
            "a certificate without a hello"
        );
        assert_eq!(read_answer(b""), HelloAnswer::Partial);
        assert_eq!(read_answer(b"\x16"), HelloAnswer::Partial);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _answer = read_answer(&bytes);
            let _answer = read_answer(&[&[22, 3, 3, 0, 200, 2, 0, 0, 90, 3, 3][..], &bytes].concat());
        }

        #[test]
        fn more_bytes_never_unsay_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..120), more in any::<u8>()) {
            let bytes = [&[22, 3, 3, 0, 200, 2, 0, 0, 40][..], &bytes].concat();
            let said = read_answer(&bytes);
            if said != HelloAnswer::Partial {
                prop_assert_eq!(read_answer(&[&bytes[..], &[more]].concat()), said);
            }
        }

        #[test]
        fn a_hello_of_the_longest_name_is_one_record(name in "[a-z0-9.-]{1,253}") {
            for version in [TlsVersion::Tls10, TlsVersion::Tls11, TlsVersion::Tls12] {
                let hello = client_hello(&name, version);
                let length = usize::from(u16::from_be_bytes([hello[3], hello[4]]));
                prop_assert_eq!(length + 5, hello.len());
                prop_assert_eq!(u16::from_be_bytes([hello[9], hello[10]]), version.wire());
            }
        }
    }
}
