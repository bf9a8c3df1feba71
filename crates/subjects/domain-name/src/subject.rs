//! A domain to be examined: the given name, and the name that somebody registered.

use crate::{DomainError, DomainName, PublicSuffixes};

/// The rules for accepted names, beyond those of the public DNS.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// The suffixes of a laboratory, without a leading dot. Names below them are accepted although they are special-use
    /// names. It must be empty in production.
    pub allowed_suffixes: Vec<String>,
}

/// A domain that can be examined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The given name.
    pub name: DomainName,
    /// The name that was registered: one label below the public suffix. For a suffix of the list's private part itself,
    /// such as `github.io`, it is the name that the owner of the suffix registered.
    pub registrable: DomainName,
    /// The name that a registry knows, by the ICANN part of the list alone.
    pub registered: DomainName,
}

impl Subject {
    /// Reads a name and finds the registrable one above it.
    ///
    /// # Errors
    /// [`DomainError`]: the text is not a host name, or nobody can have registered it in the public DNS.
    pub fn parse(text: &str, suffixes: &PublicSuffixes, rules: &Rules) -> Result<Self, DomainError> {
        Self::of(DomainName::parse(text)?, suffixes, rules)
    }

    /// Finds the registrable name above a name that has been read; see [`Subject::parse`].
    ///
    /// # Errors
    /// [`DomainError`]: nobody can have registered the name in the public DNS.
    pub fn of(name: DomainName, suffixes: &PublicSuffixes, rules: &Rules) -> Result<Self, DomainError> {
        let is_of_laboratory = rules.allowed_suffixes.iter().any(|suffix| name.is_within(suffix));
        if !is_of_laboratory && !fetch::is_public_name(name.as_str()) {
            return Err(DomainError::SpecialUse);
        }
        let registered = suffixes.registered(&name).ok_or(DomainError::PublicSuffix)?;
        let registrable = suffixes.registrable(&name).unwrap_or_else(|| registered.clone());
        Ok(Self { name, registrable, registered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, String), DomainError> {
        let subject = Subject::parse(text, &PublicSuffixes::bundled(), &Rules::default())?;
        Ok((subject.name.to_string(), subject.registrable.to_string()))
    }

    #[test]
    fn names_of_special_use_are_refused() {
        for text in [
            "localhost",
            "a.localhost",
            "x.test",
            "x.example",
            "x.invalid",
            "printer.local",
            "facebookcorewwwi.onion",
            "a.internal",
            "1.0.0.127.in-addr.arpa",
            "home.arpa",
            "x.alt",
            "intranet",
            "com",
        ] {
            assert_eq!(read(text), Err(DomainError::SpecialUse), "{text}");
        }
    }

    #[test]
    fn a_public_suffix_is_nobody_s_name_unless_its_owner_registered_it() {
        for text in ["co.uk", "kyoto.jp", "公司.cn"] {
            assert_eq!(read(text), Err(DomainError::PublicSuffix), "{text}");
        }
        assert_eq!(read("github.io"), Ok(("github.io".to_owned(), "github.io".to_owned())));
        assert_eq!(read("a.b.github.io"), Ok(("a.b.github.io".to_owned(), "b.github.io".to_owned())));
        assert_eq!(
            read("www.example.co.uk"),
            Ok(("www.example.co.uk".to_owned(), "example.co.uk".to_owned()))
        );
    }

    #[test]
    fn a_laboratory_s_names_pass_where_they_are_allowed_and_nowhere_else() {
        let rules = Rules { allowed_suffixes: vec!["test".to_owned()] };
        let read = |text| Subject::parse(text, &PublicSuffixes::bundled(), &rules);
        assert_eq!(
            read("www.signed.test").map(|subject| subject.registrable.to_string()).as_deref(),
            Ok("signed.test")
        );
        assert_eq!(read("test"), Err(DomainError::PublicSuffix));
        assert_eq!(read("contest"), Err(DomainError::SpecialUse));
        assert_eq!(read("a.localhost"), Err(DomainError::SpecialUse));
    }
}
