//! Reasons why a probe got no answer.

use fetch::{FetchError, RedirectRefusal, ResolveError, TargetRefusal};
use serde::{Deserialize, Serialize};

/// The reason why a probe got no answer. Some are facts about the site, the others about the probe.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeFailure {
    /// The name has no address.
    NoAddress,
    /// The name could not be looked up.
    DnsFailed,
    /// An address of the name may not be reached: it is private, loopback, or one of this installation.
    AddressDenied,
    /// The policy of the fetcher refuses the port or the name.
    PolicyRefused,
    /// The site redirects to an address, or a name, that may not be reached.
    RedirectToPrivate,
    /// The site redirects from `https` to `http`.
    RedirectToHttp,
    /// The site redirects to a URL with a scheme other than `http` and `https`.
    RedirectRefused,
    /// The site redirects more often than the limit of the fetcher.
    TooManyRedirects,
    /// The host refuses the connection.
    ConnectionRefused,
    /// The connection could not be opened for another reason, which may be on this host.
    ConnectFailed,
    /// The connection was not accepted in time.
    ConnectTimeout,
    /// The certificate is invalid.
    InvalidCertificate,
    /// No TLS version or cipher suite is common to both sides.
    TlsFailed,
    /// The answer did not come in time.
    Timeout,
    /// The answer is larger than the limit.
    TooLarge,
    /// The body's content coding cannot be decoded.
    BadEncoding,
    /// The answer is not HTTP.
    HttpMalformed,
    /// The connection ended before the answer did.
    Interrupted,
    /// The probe was not started, because too many connections were open here.
    Busy,
}

impl ProbeFailure {
    /// Returns the stable code of the failure, as evidence and reasons have it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoAddress => "no_address",
            Self::DnsFailed => "dns_failed",
            Self::AddressDenied => "address_denied",
            Self::PolicyRefused => "policy_refused",
            Self::RedirectToPrivate => "redirect_to_private",
            Self::RedirectToHttp => "redirect_to_http",
            Self::RedirectRefused => "redirect_refused",
            Self::TooManyRedirects => "too_many_redirects",
            Self::ConnectionRefused => "connection_refused",
            Self::ConnectFailed => "connect_failed",
            Self::ConnectTimeout => "connect_timeout",
            Self::InvalidCertificate => "invalid_certificate",
            Self::TlsFailed => "tls_failed",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::BadEncoding => "bad_encoding",
            Self::HttpMalformed => "http_malformed",
            Self::Interrupted => "interrupted",
            Self::Busy => "busy",
        }
    }

    /// Returns true if it is certain that the site serves nothing: it has no address, or the address refuses the
    /// connection.
    #[must_use]
    pub fn is_absence(self) -> bool {
        matches!(self, Self::NoAddress | Self::ConnectionRefused)
    }

    /// Returns true if the site caused the failure, so that other visitors fail too.
    #[must_use]
    pub fn is_the_site_s(self) -> bool {
        match self {
            Self::NoAddress
            | Self::RedirectToPrivate
            | Self::RedirectToHttp
            | Self::RedirectRefused
            | Self::ConnectionRefused
            | Self::InvalidCertificate
            | Self::TlsFailed => true,
            Self::DnsFailed
            | Self::AddressDenied
            | Self::PolicyRefused
            | Self::TooManyRedirects
            | Self::ConnectFailed
            | Self::ConnectTimeout
            | Self::Timeout
            | Self::TooLarge
            | Self::BadEncoding
            | Self::HttpMalformed
            | Self::Interrupted
            | Self::Busy => false,
        }
    }
}

impl From<&FetchError> for ProbeFailure {
    fn from(error: &FetchError) -> Self {
        match error {
            FetchError::Refused(TargetRefusal::Address(_)) => Self::AddressDenied,
            FetchError::Refused(_) => Self::PolicyRefused,
            FetchError::RedirectRefused(refusal) => match refusal {
                RedirectRefusal::Policy(TargetRefusal::Address(_) | TargetRefusal::Name) => {
                    Self::RedirectToPrivate
                }
                RedirectRefusal::Downgrade => Self::RedirectToHttp,
                RedirectRefusal::Policy(_)
                | RedirectRefusal::Location
                | RedirectRefusal::Scheme
                | RedirectRefusal::Elsewhere => Self::RedirectRefused,
            },
            FetchError::TooManyRedirects => Self::TooManyRedirects,
            FetchError::Dns(ResolveError::NoAddress) => Self::NoAddress,
            FetchError::Dns(_) => Self::DnsFailed,
            FetchError::Connect(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                Self::ConnectionRefused
            }
            FetchError::Connect(_) => Self::ConnectFailed,
            FetchError::ConnectTimeout => Self::ConnectTimeout,
            error @ FetchError::Tls(_) if error.is_invalid_certificate() => Self::InvalidCertificate,
            FetchError::Tls(_) => Self::TlsFailed,
            FetchError::Timeout => Self::Timeout,
            FetchError::TooLarge(_) => Self::TooLarge,
            FetchError::Encoding(_) => Self::BadEncoding,
            FetchError::Malformed(_) => Self::HttpMalformed,
            FetchError::Interrupted(_) | FetchError::Sink(_) => Self::Interrupted,
            FetchError::Busy => Self::Busy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_what_is_stored() {
        for unseen in [
            ProbeFailure::NoAddress,
            ProbeFailure::RedirectToPrivate,
            ProbeFailure::InvalidCertificate,
            ProbeFailure::Busy,
        ] {
            assert_eq!(serde_json::to_value(unseen).unwrap(), unseen.code());
        }
    }
}
