//! Targets of MX records (RFC 5321, RFC 7505).

use serde::{Deserialize, Serialize};

use crate::Name;

/// The root, as it is written.
const ROOT: &str = ".";

/// The target of an MX record. A record whose target cannot be queried is broken; it does not count as a null MX.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "Option<String>", into = "Option<String>")]
pub enum Exchange {
    /// The root, as a null MX has it: the domain accepts no mail (RFC 7505) if this is its only MX record and the
    /// preference is 0.
    Root,
    /// A name that no query can be made for.
    Unusable,
    /// A host.
    Host(Name),
}

impl Exchange {
    /// The host that accepts the mail; `None` for [`Root`](Self::Root) and [`Unusable`](Self::Unusable).
    #[must_use]
    pub fn host(&self) -> Option<&Name> {
        if let Self::Host(name) = self { Some(name) } else { None }
    }
}

impl From<Option<String>> for Exchange {
    fn from(text: Option<String>) -> Self {
        match text.as_deref() {
            Some(ROOT) => Self::Root,
            Some(text) => Name::parse(text).map_or(Self::Unusable, Self::Host),
            None => Self::Unusable,
        }
    }
}

impl From<Exchange> for Option<String> {
    fn from(exchange: Exchange) -> Self {
        match exchange {
            Exchange::Root => Some(ROOT.to_owned()),
            Exchange::Unusable => None,
            Exchange::Host(name) => Some(name.as_str().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_told_from_what_cannot_be_asked() {
        let host = Exchange::Host(Name::parse("mail.example.com").unwrap());
        for (exchange, json) in
            [(Exchange::Root, r#"".""#), (Exchange::Unusable, "null"), (host, r#""mail.example.com""#)]
        {
            assert_eq!(serde_json::to_string(&exchange).unwrap(), json);
            assert_eq!(serde_json::from_str::<Exchange>(json).unwrap(), exchange);
        }
        for json in [r#""""#, r#""..""#, r#""a..b""#] {
            assert_eq!(serde_json::from_str::<Exchange>(json).unwrap(), Exchange::Unusable, "{json}");
        }
    }
}
