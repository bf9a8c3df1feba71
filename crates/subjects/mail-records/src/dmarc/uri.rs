//! Report addresses (RFC 9989, 4.6 and 4.8).

use dns::Name;
use serde::Serialize;

/// An address for reports.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReportUri {
    /// The address of the mailbox, `local@domain`.
    pub mailbox: String,
    /// The domain of the mailbox.
    pub domain: Name,
    /// The size limit by RFC 7489, which has no effect; `None` where there is none.
    pub size_limit: Option<String>,
}

/// The reason why no reports are sent to an element of an address list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UriError {
    /// The text is not a URI (RFC 3986).
    #[error("must be a URI")]
    Syntax,
    /// The URI is valid but has no mailbox. Only `mailto` must be supported (4.7).
    #[error("must name a mailbox")]
    NoMailbox,
    /// The mailbox of a `mailto` URI is invalid.
    #[error("must name a mailbox that can be")]
    Mailbox,
}

impl ReportUri {
    /// Reads one element of `rua` or `ruf`.
    ///
    /// # Errors
    /// [`UriError`]: no reports are sent to the element.
    pub fn parse(text: &str) -> Result<Self, UriError> {
        let (uri, size_limit) = match text.split_once('!') {
            Some((uri, limit)) if is_size(limit) => (uri, Some(limit.to_ascii_lowercase())),
            Some(_) => return Err(UriError::Syntax),
            None => (text, None),
        };
        let (scheme, rest) = uri.split_once(':').ok_or(UriError::Syntax)?;
        if !is_scheme(scheme) || !is_rest(rest) {
            return Err(UriError::Syntax);
        }
        if !scheme.eq_ignore_ascii_case("mailto") {
            return Err(UriError::NoMailbox);
        }
        let mailbox = rest.split(['?', '#']).next().unwrap_or_default();
        let (local, domain) = mailbox.rsplit_once('@').ok_or(UriError::Mailbox)?;
        let domain = Name::parse(domain).map_err(|_| UriError::Mailbox)?;
        if local.is_empty() || local.contains('@') || !is_host(&domain) {
            return Err(UriError::Mailbox);
        }
        Ok(Self { mailbox: mailbox.to_owned(), domain, size_limit })
    }
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// The characters of a URI, each percent sign followed by two hexadecimal digits.
fn is_rest(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    while let Some(byte) = bytes.next() {
        let allowed = match byte {
            b'%' => {
                let mut digit = || bytes.next().is_some_and(|byte| byte.is_ascii_hexdigit());
                digit() && digit()
            }
            byte => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@$&'()*+;=".contains(&byte),
        };
        if !allowed {
            return false;
        }
    }
    true
}

fn is_host(domain: &Name) -> bool {
    domain.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// Digits, and maybe a unit.
fn is_size(limit: &str) -> bool {
    let digits = limit.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G', 't', 'T']).unwrap_or(limit);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
