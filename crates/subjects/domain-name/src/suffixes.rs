//! The public suffix list, which gives the registrable part of a name.
//!
//! The list is compiled into the crate `psl`, whose look-up costs next to nothing. A newer one is read by the crate
//! `publicsuffix`; both speak the same trait.

use psl::{Psl as _, Type};

use crate::DomainName;

/// The most bytes of a `public_suffix_list.dat`; the list of 2026 has about 330,000.
pub const MAX_LIST_BYTES: usize = 4 << 20;
/// Fewer rules than any list since 2015: less is a torn file.
const MIN_RULES: usize = 5_000;

/// The public suffix list, either the compiled-in one or one that was read from a file.
#[derive(Clone, Debug)]
pub struct PublicSuffixes(ListSource);

#[derive(Clone, Debug)]
enum ListSource {
    Bundled,
    Read(publicsuffix::List),
}

/// The reason why a file is not a public suffix list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SuffixListError {
    /// The list is larger than [`MAX_LIST_BYTES`].
    #[error("the list is larger than {MAX_LIST_BYTES} bytes")]
    TooLarge,
    /// The file is not text, or is not in the format of the list.
    #[error("the list cannot be read")]
    Malformed,
    /// The file has too few rules, so it must be truncated.
    #[error("the list has fewer than {MIN_RULES} rules")]
    TooFewRules,
}

impl PublicSuffixes {
    /// The compiled-in list.
    #[must_use]
    pub fn bundled() -> Self {
        Self(ListSource::Bundled)
    }

    /// Reads `public_suffix_list.dat` as <https://publicsuffix.org/list/> publishes it.
    ///
    /// # Errors
    /// [`SuffixListError`]: the file is too large, malformed or truncated.
    pub fn read(bytes: &[u8]) -> Result<Self, SuffixListError> {
        if bytes.len() > MAX_LIST_BYTES {
            return Err(SuffixListError::TooLarge);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| SuffixListError::Malformed)?;
        let rules = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//")).count();
        if rules < MIN_RULES {
            return Err(SuffixListError::TooFewRules);
        }
        let list = text.parse().map_err(|_| SuffixListError::Malformed)?;
        Ok(Self(ListSource::Read(list)))
    }

    /// The public suffix and one more label, by the whole list; `None` for a suffix itself.
    #[must_use]
    pub fn registrable(&self, name: &DomainName) -> Option<DomainName> {
        let domain = self.domain(name.as_str())?;
        name.suffix_of(domain)
    }

    /// The name that was registered with a registry: as [`PublicSuffixes::registrable`], but by the list's ICANN part
    /// alone. This is what RDAP knows (`b.github.io` is not registered, `github.io` is).
    #[must_use]
    pub fn registered(&self, name: &DomainName) -> Option<DomainName> {
        let name = name.as_str();
        let (mut suffix, mut kind) = self.suffix(name)?;
        while kind == Some(Type::Private) {
            let (_, parent) = suffix.split_once('.')?;
            (suffix, kind) = self.suffix(parent)?;
        }
        let own = name.strip_suffix(suffix)?.strip_suffix('.')?;
        let label = own.rsplit('.').next().unwrap_or(own);
        DomainName::parse(&format!("{label}.{suffix}")).ok()
    }

    /// True for a public suffix, below which anybody can register names: `co.uk`, `github.io`. `name` has no dot at
    /// either end.
    #[must_use]
    pub fn is_suffix(&self, name: &str) -> bool {
        self.suffix(name).is_some_and(|(suffix, _)| suffix == name)
    }

    /// True if the list has the name's top-level domain, so that it can be a name of the public DNS.
    #[must_use]
    pub fn has_top_level_of(&self, name: &str) -> bool {
        self.suffix(name).is_some_and(|(_, kind)| kind.is_some())
    }

    /// The length of the registrable name at the end of `name`.
    fn domain(&self, name: &str) -> Option<usize> {
        let domain = match &self.0 {
            ListSource::Bundled => psl::List.domain(name.as_bytes()),
            ListSource::Read(list) => list.domain(name.as_bytes()),
        };
        Some(domain?.as_bytes().len())
    }

    fn suffix<'n>(&self, name: &'n str) -> Option<(&'n str, Option<Type>)> {
        let suffix = match &self.0 {
            ListSource::Bundled => psl::List.suffix(name.as_bytes()),
            ListSource::Read(list) => list.suffix(name.as_bytes()),
        }?;
        let at = name.len().checked_sub(suffix.as_bytes().len())?;
        Some((name.get(at..)?, suffix.typ()))
    }
}

impl Default for PublicSuffixes {
    fn default() -> Self {
        Self::bundled()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(text: &str) -> DomainName {
        DomainName::parse(text).unwrap()
    }

    #[test]
    fn the_registrable_name_is_one_label_below_the_suffix() {
        let suffixes = PublicSuffixes::bundled();
        for (text, registrable, registered) in [
            ("a.b.example.com", Some("example.com"), Some("example.com")),
            ("a.b.github.io", Some("b.github.io"), Some("github.io")),
            ("github.io", None, Some("github.io")),
            ("example.uk.com", Some("example.uk.com"), Some("uk.com")),
            ("www.city.kobe.jp", Some("city.kobe.jp"), Some("city.kobe.jp")),
            ("co.uk", None, None),
            ("x.y.unlisted", Some("y.unlisted"), Some("y.unlisted")),
        ] {
            let found = suffixes.registrable(&name(text)).map(|name| name.to_string());
            assert_eq!(found.as_deref(), registrable, "{text}");
            let found = suffixes.registered(&name(text)).map(|name| name.to_string());
            assert_eq!(found.as_deref(), registered, "{text}");
        }
    }

    #[test]
    fn a_list_that_was_cut_short_is_refused() {
        assert_eq!(PublicSuffixes::read(b"com\nnet\n").unwrap_err(), SuffixListError::TooFewRules);
        assert_eq!(PublicSuffixes::read(&[0xff; 9]).unwrap_err(), SuffixListError::Malformed);
        assert_eq!(
            PublicSuffixes::read(&vec![b' '; MAX_LIST_BYTES + 1]).unwrap_err(),
            SuffixListError::TooLarge
        );
    }

    #[test]
    fn a_list_that_was_read_answers_as_the_bundled_one_does() {
        let rules: String = (0..MIN_RULES).map(|n| format!("s{n}\n")).collect();
        let text = format!(
            "// ===BEGIN ICANN DOMAINS===\n{rules}*.ck\n!www.ck\n// ===END ICANN DOMAINS===\n\
            // ===BEGIN PRIVATE DOMAINS===\nblog.s1\n// ===END PRIVATE DOMAINS===\n"
        );
        let suffixes = PublicSuffixes::read(text.as_bytes()).unwrap();
        let found = |text| suffixes.registrable(&name(text)).map(|name| name.to_string());
        assert_eq!(found("a.b.s7").as_deref(), Some("b.s7"));
        assert_eq!(found("a.b.test.ck").as_deref(), Some("b.test.ck"));
        assert_eq!(found("www.www.ck").as_deref(), Some("www.ck"));
        assert_eq!(found("a.blog.s1").as_deref(), Some("a.blog.s1"));
        assert_eq!(suffixes.registered(&name("a.blog.s1")), Some(name("blog.s1")));
    }

    proptest! {
        #[test]
        fn a_registrable_name_ends_its_name_and_is_its_own(text in "([a-z0-9]{1,5}\\.){0,4}(com|co\\.uk|github\\.io|ck|kobe\\.jp|zz)") {
            let suffixes = PublicSuffixes::bundled();
            let name = name(&text);
            for found in [suffixes.registrable(&name), suffixes.registered(&name)].into_iter().flatten() {
                prop_assert!(name.is_within(found.as_str()));
            }
            if let Some(found) = suffixes.registrable(&name) {
                prop_assert_eq!(suffixes.registrable(&found), Some(found));
            }
        }
    }
}
