//! The time of a token.

use der::{DecodeValue, EncodeValue, ErrorKind, FixedTag, Header, Length, Reader, Tag, Writer};
use receipt::time::Timestamp;

/// `genTime`: a `GeneralizedTime` in UTC, which may have fractions of a second (RFC 3161, section 2.4.2).
///
/// What is finer than a millisecond is rounded up: the time bounds what it stamps from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenTime(pub Timestamp);

/// The most characters: `YYYYMMDDhhmmss`, a point, nine digits and `Z`.
const MOST: usize = 25;

impl GenTime {
    /// Reads `YYYYMMDDhhmmss[.f]Z`.
    fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() != 14 || fraction.len() > 9 || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let part = |range: std::ops::Range<usize>| whole.get(range).unwrap_or_default();
        let (date, time) = ((part(0..4), part(4..6), part(6..8)), (part(8..10), part(10..12), part(12..14)));
        let written = format!("{}-{}-{}T{}:{}:{}.000Z", date.0, date.1, date.2, time.0, time.1, time.2);
        let at: Timestamp = written.parse().ok()?;
        let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
        Some(Self(at.saturating_add_millis(nanos.div_ceil(1_000_000).into())))
    }

    /// The text in DER: no fraction that ends in a zero.
    fn text(self) -> String {
        let written = self.0.to_string();
        let (whole, fraction) = written.split_once('.').unwrap_or((&written, "000Z"));
        let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
        match fraction.trim_end_matches('Z').trim_end_matches('0') {
            "" => format!("{whole}Z"),
            fraction => format!("{whole}.{fraction}Z"),
        }
    }
}

impl FixedTag for GenTime {
    const TAG: Tag = Tag::GeneralizedTime;
}

impl<'a> DecodeValue<'a> for GenTime {
    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        let length = usize::try_from(header.length)?;
        let mut bytes = [0; MOST];
        let malformed = || der::Error::from(ErrorKind::Value { tag: Self::TAG });
        let text = bytes.get_mut(..length).ok_or_else(malformed)?;
        reader.read_into(text)?;
        Self::read(text).ok_or_else(malformed)
    }
}

impl EncodeValue for GenTime {
    fn value_len(&self) -> der::Result<Length> {
        self.text().len().try_into()
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        writer.write(self.text().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use der::{Decode as _, Encode as _};

    use super::*;

    #[test]
    fn a_time_is_read_with_and_without_a_fraction_and_rounded_up() {
        for (text, read) in [
            ("20261127062134Z", "2026-11-27T06:21:34.000Z"),
            ("20261127062134.5Z", "2026-11-27T06:21:34.500Z"),
            ("20261127062134.1234Z", "2026-11-27T06:21:34.124Z"),
            ("20261231235959.9999Z", "2027-01-01T00:00:00.000Z"),
        ] {
            let time = GenTime::read(text.as_bytes()).unwrap();
            assert_eq!(time.0.to_string(), read);
            assert_eq!(GenTime::from_der(&time.to_der().unwrap()).unwrap(), time);
        }
    }

    #[test]
    fn what_is_no_time_in_utc_is_refused() {
        for text in [
            "",
            "Z",
            "20261127062134",
            "20261127062134+0100",
            "20261127062134.Z",
            "2026112706213Z",
            "20261327062134Z",
            "20260230062134Z",
            "20261127062134,5Z",
            "20261127062134.1234567890Z",
            "+0261127062134Z",
            "19691231235959Z",
            "2026112706213\u{0664}Z",
        ] {
            assert_eq!(GenTime::read(text.as_bytes()), None, "{text}");
        }
    }
}
