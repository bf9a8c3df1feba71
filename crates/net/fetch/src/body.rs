//! Reading of a response's body: its content coding is checked and decoded within bounds.

use std::io::{self, Read};

use flate2::bufread::GzDecoder;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING};

use crate::error::{FetchError, GunzipError};

/// The content coding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

/// The coding that the fields state (RFC 9110 section 8.4). Anything but one gzip is refused: a list of
/// codings is how a small body becomes a large one twice.
pub(crate) fn coding(headers: &HeaderMap) -> Result<Coding, FetchError> {
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let Some(value) = values.next() else { return Ok(Coding::Identity) };
    if values.next().is_some() {
        return Err(FetchError::Encoding(None));
    }
    match value.as_bytes().trim_ascii().to_ascii_lowercase().as_slice() {
        b"" | b"identity" => Ok(Coding::Identity),
        b"gzip" | b"x-gzip" => Ok(Coding::Gzip),
        _ => Err(FetchError::Encoding(None)),
    }
}

/// Refuses a head whose framing is ambiguous (RFC 9112 section 6.3) or uses a transfer coding other than
/// `chunked`, which would leave the body coded.
pub(crate) fn framing(headers: &HeaderMap) -> Result<(), FetchError> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let Some(coding) = codings.next() else { return Ok(()) };
    let chunked = coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked");
    if !chunked || codings.next().is_some() || headers.contains_key(CONTENT_LENGTH) {
        return Err(FetchError::Malformed(None));
    }
    Ok(())
}

/// The most gzip members in one body. Block-compressed files have one for each 64 KiB; thousands of empty ones
/// would each cost a decoder's set-up.
const MAX_MEMBERS: usize = 1024;

/// Decodes gzip (RFC 1952): all members, to the last byte of `coded`, into at most `limit` bytes.
///
/// # Errors
///
/// [`GunzipError`]. A part of the decoded bytes is never returned.
pub fn gunzip(coded: &[u8], limit: usize) -> Result<Vec<u8>, GunzipError> {
    let mut decoded = Vec::new();
    members(coded, limit, &mut decoded)?;
    Ok(decoded)
}

/// Undoes gzip as far as `limit`, or as far as `coded` goes where that was cut short; and whether there is more.
pub(crate) fn gunzip_beginning(
    coded: &[u8],
    coded_is_cut: bool,
    limit: usize,
) -> Result<(Vec<u8>, bool), GunzipError> {
    let mut decoded = Vec::new();
    let is_cut = match members(coded, limit, &mut decoded) {
        Ok(()) => coded_is_cut,
        Err(GunzipError::TooLarge) => true,
        // At the end of the bytes, the decoder must fail.
        Err(GunzipError::Corrupt(_)) if coded_is_cut => true,
        Err(error) => return Err(error),
    };
    decoded.truncate(limit);
    Ok((decoded, is_cut))
}

/// Decodes member after member; what was decoded before an error stays in `decoded`, and may be a byte over the limit.
fn members(coded: &[u8], limit: usize, decoded: &mut Vec<u8>) -> Result<(), GunzipError> {
    let mut rest = coded;
    for _ in 0..MAX_MEMBERS {
        // One byte over the limit tells "too large" from "exactly as large as permitted".
        let room = (limit - decoded.len()).saturating_add(1);
        let mut member = GzDecoder::new(&mut rest).take(u64::try_from(room).unwrap_or(u64::MAX));
        member.read_to_end(decoded).map_err(GunzipError::Corrupt)?;
        if decoded.len() > limit {
            return Err(GunzipError::TooLarge);
        }
        if rest.is_empty() {
            return Ok(());
        }
    }
    Err(GunzipError::Corrupt(io::Error::new(io::ErrorKind::InvalidData, "more members than are read")))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn fields(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn one_gzip_or_none_is_read_and_nothing_else() {
        assert_eq!(coding(&HeaderMap::new()).unwrap(), Coding::Identity);
        for (value, expected) in [
            ("gzip", Coding::Gzip),
            (" GZIP ", Coding::Gzip),
            ("x-gzip", Coding::Gzip),
            ("identity", Coding::Identity),
        ] {
            assert_eq!(coding(&fields(&[(CONTENT_ENCODING, value)])).unwrap(), expected, "{value}");
        }
        for value in ["br", "deflate", "zstd", "compress", "gzip, gzip", "gzip,identity", "gz"] {
            assert!(coding(&fields(&[(CONTENT_ENCODING, value)])).is_err(), "{value}");
        }
        let mut twice = fields(&[(CONTENT_ENCODING, "gzip")]);
        twice.append(CONTENT_ENCODING, "gzip".parse().unwrap());
        assert!(coding(&twice).is_err());
    }

    #[test]
    fn framing_is_chunked_alone_or_none() {
        assert!(framing(&fields(&[(CONTENT_LENGTH, "3")])).is_ok());
        assert!(framing(&fields(&[(TRANSFER_ENCODING, "Chunked")])).is_ok());
        assert!(framing(&fields(&[(TRANSFER_ENCODING, "gzip, chunked")])).is_err());
        assert!(framing(&fields(&[(TRANSFER_ENCODING, "chunked"), (CONTENT_LENGTH, "3")])).is_err());
    }

    #[test]
    fn all_members_are_decoded() {
        let coded = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
        assert_eq!(gunzip(&coded, 7).unwrap(), b"one two");
        assert!(matches!(gunzip(&coded, 6), Err(GunzipError::TooLarge)));
        assert_eq!(gunzip(&gzip(b"").repeat(MAX_MEMBERS), 0).unwrap(), b"");
        assert!(matches!(gunzip(&gzip(b"").repeat(MAX_MEMBERS + 1), 0), Err(GunzipError::Corrupt(_))));
    }

    #[test]
    fn what_follows_the_last_member_must_be_gzip() {
        for tail in [&b"\0"[..], b"garbage", b"\x1f", b"\x1f\x8b\x08"] {
            let coded = [gzip(b"whole").as_slice(), tail].concat();
            assert!(matches!(gunzip(&coded, 100), Err(GunzipError::Corrupt(_))), "{tail:?}");
        }
    }

    #[test]
    fn a_body_cut_anywhere_is_corrupt() {
        let coded = gzip(b"the whole truth and nothing but the truth");
        for length in 0..coded.len() {
            assert!(matches!(gunzip(&coded[..length], 100), Err(GunzipError::Corrupt(_))), "{length}");
        }
    }

    #[test]
    fn the_beginning_is_what_comes_before_the_cut() {
        let plain: Vec<u8> =
            (0..20_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        let coded = gzip(&plain);
        let (decoded, is_cut) = gunzip_beginning(&coded[..coded.len() / 2], true, plain.len()).unwrap();
        assert!(is_cut && !decoded.is_empty() && plain.starts_with(&decoded));
        assert_eq!(gunzip_beginning(&coded, false, 7).unwrap(), (plain[..7].to_vec(), true));
        assert_eq!(gunzip_beginning(&coded, false, plain.len()).unwrap(), (plain, false));
        assert!(
            gunzip_beginning(&coded[..coded.len() / 2], false, 1 << 20).is_err(),
            "nobody said it was cut"
        );
    }

    #[test]
    fn a_wrong_checksum_or_length_is_corrupt() {
        let coded = gzip(b"the whole truth");
        for index in coded.len() - 8..coded.len() {
            let mut wrong = coded.clone();
            wrong[index] ^= 1;
            assert!(matches!(gunzip(&wrong, 100), Err(GunzipError::Corrupt(_))), "{index}");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let coded = gzip(&vec![0; 64 << 20]);
        assert!(coded.len() < 1 << 20);
        assert!(matches!(gunzip(&coded, 4 << 20), Err(GunzipError::TooLarge)));
        // A body of exactly the limit is whole, its trailer checked.
        assert_eq!(gunzip(&gzip(&vec![7; 4096]), 4096).unwrap().len(), 4096);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_decoder_panic_or_exceed_its_limit(mut bytes: Vec<u8>, head: bool, limit in 0usize..5000) {
            if head {
                bytes.splice(0..0, gzip(b"member"));
            }
            if let Ok(decoded) = gunzip(&bytes, limit) {
                prop_assert!(decoded.len() <= limit);
            }
        }

        #[test]
        fn gzip_round_trips(plain: Vec<u8>) {
            prop_assert_eq!(gunzip(&gzip(&plain), plain.len()).unwrap(), plain);
        }
    }
}
