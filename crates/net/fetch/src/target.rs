//! A caller's text as a [`Target`]: a URL that is parsed once and checked.

use std::net::IpAddr;

use http::uri::PathAndQuery;
use url::{Host, Position, Url};

use crate::address::Denied;
use crate::name;
use crate::policy::Policy;

/// The most bytes of a URL, as given and as parsed (percent-encoding may triple the length).
pub const MAX_URL_BYTES: usize = 8192;

/// The reason why a redirect was not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedirectRefusal {
    /// The `Location` field is repeated or is not a URL.
    #[error("its location does not parse")]
    Location,
    /// The redirect leads to a scheme other than `http` and `https`.
    #[error("its scheme is neither http nor https")]
    Scheme,
    /// The redirect leads from `https` to `http`.
    #[error("it leads from https to http")]
    Downgrade,
    /// The redirect leads outside the domain of [`crate::PageAsk::below`].
    #[error("it leads to another site")]
    Elsewhere,
    /// The policy refuses the target of the redirect.
    #[error(transparent)]
    Policy(#[from] TargetRefusal),
}

/// The reason why a URL was not accepted. The first three are mistakes of the caller; [`UrlError::Refused`] is a
/// decision of the policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The URL is longer than [`MAX_URL_BYTES`].
    #[error("the URL is longer than {MAX_URL_BYTES} bytes")]
    TooLong,
    /// The text is not an absolute URL by the WHATWG URL standard.
    #[error("the URL does not parse: {0}")]
    Malformed(#[from] url::ParseError),
    /// The scheme is neither `http` nor `https`.
    #[error("the URL's scheme is neither http nor https")]
    Scheme,
    /// The URL is well formed, and the policy refuses it.
    #[error(transparent)]
    Refused(#[from] TargetRefusal),
}

impl UrlError {
    /// The stable code: `too_long`, `malformed`, `scheme`, or the code of the [`TargetRefusal`].
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            UrlError::TooLong => "too_long",
            UrlError::Malformed(_) => "malformed",
            UrlError::Scheme => "scheme",
            UrlError::Refused(refusal) => refusal.code(),
        }
    }

    /// The refusal of a URL that is well formed; `None` for the other errors.
    #[must_use]
    pub fn refusal(&self) -> Option<&TargetRefusal> {
        match self {
            UrlError::Refused(refusal) => Some(refusal),
            UrlError::TooLong | UrlError::Malformed(_) | UrlError::Scheme => None,
        }
    }
}

/// The reason why the policy refuses a URL that is well formed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetRefusal {
    /// The URL has a user name or a password.
    #[error("URLs with credentials are refused")]
    Credentials,
    /// The URL names this port, which may not be reached.
    #[error("port {0} is refused")]
    Port(u16),
    /// The host is a special-use domain name (RFC 6761), or has only one label.
    #[error("the host is not a name of the public DNS")]
    Name,
    /// The host is an address that may not be reached, or resolved to one.
    #[error(transparent)]
    Address(#[from] Denied),
}

impl TargetRefusal {
    /// The stable code: `address_denied` or `policy_refused`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            TargetRefusal::Address(_) => "address_denied",
            TargetRefusal::Credentials | TargetRefusal::Port(_) | TargetRefusal::Name => "policy_refused",
        }
    }
}

/// Parses a URL by the WHATWG URL standard, relative to `base` if it is given. The policy is not applied.
///
/// # Errors
///
/// [`UrlError::TooLong`] and [`UrlError::Malformed`].
pub fn parse(text: &str, base: Option<&Url>) -> Result<Url, UrlError> {
    if text.len() > MAX_URL_BYTES {
        return Err(UrlError::TooLong);
    }
    let url = Url::options().base_url(base).parse(text)?;
    if url.as_str().len() > MAX_URL_BYTES { Err(UrlError::TooLong) } else { Ok(url) }
}

/// A URL that a policy permits: `http` or `https`, with a host, without credentials, and with a permitted address if
/// the host is an address. The addresses of a host name are checked when the URL is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: Url,
    host: Host<String>,
    port: u16,
    path: PathAndQuery,
}

impl Target {
    /// Parses a URL and checks it against `policy`.
    ///
    /// # Errors
    ///
    /// [`UrlError`]; [`UrlError::refusal`] distinguishes a refusal from a malformed URL.
    ///
    /// ```
    /// use fetch::{Policy, Target, UrlError};
    ///
    /// let policy = Policy::production();
    /// assert!(Target::parse("https://example.com/a.json", &policy).is_ok());
    /// assert!(matches!(Target::parse("ftp://example.com/", &policy), Err(UrlError::Scheme)));
    /// assert!(matches!(Target::parse("http://0x7f.1/", &policy), Err(UrlError::Refused(_))));
    /// ```
    pub fn parse(text: &str, policy: &Policy) -> Result<Self, UrlError> {
        Self::judged(parse(text, None)?, policy)
    }

    fn judged(mut url: Url, policy: &Policy) -> Result<Self, UrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme);
        }
        url.set_fragment(None);
        let host = match url.host().ok_or(url::ParseError::EmptyHost)? {
            Host::Domain(domain) => Host::Domain(domain.strip_suffix('.').unwrap_or(domain).to_owned()),
            Host::Ipv4(address) => Host::Ipv4(address),
            Host::Ipv6(address) => Host::Ipv6(address),
        };
        let port = url.port_or_known_default().expect("http and https have default ports");
        // The URL's serialization holds no byte that a request's target may not hold; should that ever cease
        // to be so, the URL is refused rather than the request altered.
        let path = PathAndQuery::try_from(&url[Position::BeforePath..Position::AfterQuery])
            .map_err(|_| url::ParseError::InvalidDomainCharacter)?;
        let target = Self { url, host, port, path };
        target.admitted_by(policy)?;
        Ok(target)
    }

    /// Judges the URL, without a lookup.
    pub(crate) fn admitted_by(&self, policy: &Policy) -> Result<(), TargetRefusal> {
        if !self.url.username().is_empty() || self.url.password().is_some() {
            return Err(TargetRefusal::Credentials);
        }
        if !policy.ports.contains(self.port) {
            return Err(TargetRefusal::Port(self.port));
        }
        match &self.host {
            Host::Domain(domain) if policy.allow_loopback && name::is_localhost(domain) => Ok(()),
            Host::Domain(_) if !policy.named.is_empty() => Ok(()),
            Host::Domain(domain) if name::is_public(domain) => Ok(()),
            Host::Domain(_) => Err(TargetRefusal::Name),
            Host::Ipv4(address) => Ok(policy.judge(IpAddr::V4(*address))?),
            Host::Ipv6(address) => Ok(policy.judge(IpAddr::V6(*address))?),
        }
    }

    /// The target that a `Location` field, as received, leads to.
    pub(crate) fn redirected(&self, location: &[u8], policy: &Policy) -> Result<Self, RedirectRefusal> {
        let text = std::str::from_utf8(location).map_err(|_| RedirectRefusal::Location)?;
        let url = parse(text, Some(&self.url)).map_err(|_| RedirectRefusal::Location)?;
        if self.is_https() && url.scheme() == "http" {
            return Err(RedirectRefusal::Downgrade);
        }
        Self::judged(url, policy).map_err(|error| match error {
            UrlError::Refused(refusal) => RedirectRefusal::Policy(refusal),
            UrlError::Scheme => RedirectRefusal::Scheme,
            UrlError::TooLong | UrlError::Malformed(_) => RedirectRefusal::Location,
        })
    }

    /// The URL as parsed, without its fragment.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Returns true if the scheme is `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host: a domain in lower-case ASCII form without a trailing dot, or an address.
    #[must_use]
    pub fn host(&self) -> &Host<String> {
        &self.host
    }

    /// Returns true if the host is this domain, in its ASCII form, or one below it.
    pub(crate) fn is_below(&self, name: &str) -> bool {
        let Host::Domain(domain) = &self.host else { return false };
        domain.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// The address, if the host is an address; `None` for a domain.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self.host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
        }
    }

    /// The port of the URL, or the default port of its scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The path and query to ask for.
    pub(crate) fn path(&self) -> &PathAndQuery {
        &self.path
    }

    /// The `Host` field's value: host and, where it is not the scheme's default, port (RFC 9110 section 7.2).
    pub(crate) fn authority(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }
}

#[cfg(test)]
mod tests;
