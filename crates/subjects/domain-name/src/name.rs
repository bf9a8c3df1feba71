//! A domain name in the form in which the DNS carries it.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::DomainError;

/// The longest name (RFC 1035 section 3.1: 255 octets on the wire, less the root's and the first length octet).
pub const MAX_NAME_BYTES: usize = 253;
/// The longest text that is read, in bytes: every name of 253 bytes in A-labels is shorter than this in UTF-8.
pub const MAX_TEXT_BYTES: usize = 1024;

/// A host name in A-labels (RFC 5890): lower case, without a dot at the end.
///
/// # Examples
/// All spellings of a name give the same A-labels. An address is not a name.
///
/// ```
/// use domain_name::{DomainError, DomainName};
///
/// let name = DomainName::parse("WWW.Bücher.example.")?;
/// assert_eq!(name.as_str(), "www.xn--bcher-kva.example");
/// assert_eq!(name.to_unicode(), "www.bücher.example");
/// assert_eq!(DomainName::parse("www.xn--bcher-kva.example"), Ok(name.clone()));
/// assert!(name.is_within("xn--bcher-kva.example"));
/// assert_eq!(DomainName::parse("192.0.2.1"), Err(DomainError::Address));
/// # Ok::<(), DomainError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DomainName(String);

impl DomainName {
    /// Reads a name by UTS 46, non-transitional, with the rules of host names (STD3). One dot at the end is removed.
    /// Hyphens at the third and fourth position are allowed, because real names have them.
    ///
    /// # Errors
    /// [`DomainError`] for the first rule that the text breaks.
    pub fn parse(text: &str) -> Result<Self, DomainError> {
        if text.is_empty() || text == "." {
            return Err(DomainError::Empty);
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(DomainError::TooLong);
        }
        if is_ipv6(text) {
            return Err(DomainError::Address);
        }
        if text.split('.').any(|label| label == "*") {
            return Err(DomainError::Wildcard);
        }
        let ascii = Uts46::new()
            .to_ascii(text.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Ignore)
            .map_err(|_| if has_punycode(text) { DomainError::Punycode } else { DomainError::Malformed })?;
        let name = ascii.strip_suffix('.').unwrap_or(&ascii);
        if name.len() > MAX_NAME_BYTES {
            return Err(DomainError::TooLong);
        }
        if name.split('.').any(|label| label.is_empty() || label.len() > 63) {
            return Err(DomainError::Malformed);
        }
        if is_ipv4(name) {
            return Err(DomainError::Address);
        }
        let name = Self(name.to_owned());
        if name.stands_for_itself() { Ok(name) } else { Err(DomainError::Punycode) }
    }

    /// The name in A-labels.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name in U-labels, for people to read.
    #[must_use]
    pub fn to_unicode(&self) -> String {
        let (text, _) =
            Uts46::new().to_unicode(self.0.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        text.into_owned()
    }

    /// The labels, from that of the host to the top-level domain. There is at least one.
    pub fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }

    /// The top-level domain, which is the last label.
    #[must_use]
    pub fn top_level(&self) -> &str {
        self.0.rsplit('.').next().unwrap_or(&self.0)
    }

    /// Returns true if the name is `parent` or a name below it.
    #[must_use]
    pub fn is_within(&self, parent: &str) -> bool {
        self.0.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// The last so many bytes of the name, which must begin at a label.
    pub(crate) fn suffix_of(&self, bytes: usize) -> Option<Self> {
        let at = self.0.len().checked_sub(bytes)?;
        (at == 0 || self.0.as_bytes().get(at - 1) == Some(&b'.')).then(|| Self(self.0[at..].to_owned()))
    }

    /// True if the punycode, decoded and encoded again, is the same punycode.
    fn stands_for_itself(&self) -> bool {
        if !has_punycode(&self.0) {
            return true;
        }
        let uts46 = Uts46::new();
        let (unicode, sound) =
            uts46.to_unicode(self.0.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
        let again = uts46.to_ascii(
            unicode.as_bytes(),
            AsciiDenyList::STD3,
            Hyphens::CheckFirstLast,
            DnsLength::Ignore,
        );
        sound.is_ok() && again.is_ok_and(|again| again == self.0)
    }
}

impl From<&DomainName> for dns::Name {
    /// A host name is within all bounds of a name.
    fn from(host: &DomainName) -> Self {
        Self::parse(host.as_str()).expect("a host name is within all bounds of a name")
    }
}

impl Serialize for DomainName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DomainName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn has_punycode(text: &str) -> bool {
    text.split('.').any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("xn--")))
}

/// An IPv6 address, in brackets or not, with a zone or not.
fn is_ipv6(text: &str) -> bool {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let bare = bare.split('%').next().unwrap_or(bare);
    bare.parse::<Ipv6Addr>().is_ok()
}

/// A name that ends in a number is an IPv4 address, however it is written (WHATWG URL: "ends in a number").
fn is_ipv4(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_hex = last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    is_hex || last.bytes().all(|byte| byte.is_ascii_digit()) || name.parse::<Ipv4Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<String, DomainError> {
        DomainName::parse(text).map(|name| name.0)
    }

    #[test]
    fn a_name_is_lowercase_in_a_labels_without_its_last_dot() {
        for (text, name) in [
            ("Example.COM.", "example.com"),
            ("bücher.de", "xn--bcher-kva.de"),
            ("XN--BCHER-KVA.de", "xn--bcher-kva.de"),
            ("faß.de", "xn--fa-hia.de"),
            ("食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
            ("。example。com".trim_start_matches('。'), "example.com"),
            ("ｅｘａｍｐｌｅ.com", "example.com"),
            ("r3---sn-abc.example.com", "r3---sn-abc.example.com"),
            ("مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(name), "{text}");
        }
    }

    #[test]
    fn what_is_no_host_name_is_refused() {
        for text in [
            "exa mple.com",
            " example.com",
            "a..b",
            ".example.com",
            "example.com..",
            "..",
            "-a.com",
            "a-.com",
            "a_b.com",
            "https://example.com",
            "example.com:443",
            "example.com/x",
            "user@example.com",
            "a\0b.com",
            "a\u{2028}b.com",
        ] {
            assert_eq!(read(text), Err(DomainError::Malformed), "{text:?}");
        }
        assert_eq!(read(""), Err(DomainError::Empty));
        assert_eq!(read("."), Err(DomainError::Empty));
        for text in ["*.example.com", "a.*.com", "*"] {
            assert_eq!(read(text), Err(DomainError::Wildcard), "{text}");
        }
    }

    #[test]
    fn an_address_is_refused_in_every_notation() {
        for text in
            ["127.0.0.1", "1.2.3.4.", "0x7f.1", "2130706433", "0x7f000001", "::1", "[::1]", "fe80::1%eth0"]
        {
            assert_eq!(read(text), Err(DomainError::Address), "{text}");
        }
        assert_eq!(read("１.２.３.４"), Err(DomainError::Address));
    }

    #[test]
    fn punycode_that_does_not_round_trip_is_refused() {
        for text in [
            "xn--a",
            "xn--",
            "xn--abc-.com",
            "xn--example-.com",
            "a.xn--0.com",
            "xn--zn7c.com",
            "xn--ls8h\u{301}.com",
        ] {
            assert!(
                matches!(read(text), Err(DomainError::Punycode | DomainError::Malformed)),
                "{text}: {:?}",
                read(text)
            );
        }
        assert_eq!(read("xn--example-.com"), Err(DomainError::Punycode));
    }

    #[test]
    fn a_name_has_at_most_253_bytes_and_a_label_at_most_63() {
        let label = "a".repeat(63);
        let long = format!("{label}.{label}.{label}.{}", "a".repeat(61));
        assert_eq!(long.len(), 253);
        assert_eq!(read(&long), Ok(long.clone()));
        assert_eq!(read(&format!("{long}.")), Ok(long.clone()));
        assert_eq!(read(&format!("{label}.{label}.{label}.{}", "a".repeat(62))), Err(DomainError::TooLong));
        assert_eq!(read(&format!("{}.com", "a".repeat(64))), Err(DomainError::Malformed));
        assert_eq!(read(&"a".repeat(MAX_TEXT_BYTES + 1)), Err(DomainError::TooLong));
    }

    proptest! {
        #[test]
        fn no_text_panics_and_a_name_is_read_as_itself(text in r"\PC{0,80}|[a-z0-9.-]{0,300}|xn--[a-z0-9-]{0,20}\.[a-zé食]{1,4}") {
            if let Ok(name) = DomainName::parse(&text) {
                prop_assert_eq!(DomainName::parse(name.as_str()), Ok(name.clone()));
                prop_assert_eq!(DomainName::parse(&name.to_unicode()), Ok(name));
            }
        }
    }
}
