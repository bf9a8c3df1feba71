//! The errors of a fetch.
//!
//! The `Display` text and the [code](FetchError::code) are for the caller, and contain no address, no port and no
//! configuration of this service. `Debug` is for the log and contains the cause.

use std::io;

use crate::address::Denied;
use crate::resolve::ResolveError;
use crate::target::{RedirectRefusal, TargetRefusal};

/// The part of a response that was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponsePart {
    /// The status line and the header fields.
    Head,
    /// The body as transferred, before content decoding.
    Wire,
    /// The body after content decoding.
    Decoded,
}

/// The reason why a gzip body was not decoded.
#[derive(Debug, thiserror::Error)]
pub enum GunzipError {
    /// The decoded body has more bytes than permitted.
    #[error("the decoded body is too large")]
    TooLarge,
    /// The body is not gzip, its checksum is wrong, it is truncated, or other bytes follow it.
    #[error("the gzip body is corrupt or cut short")]
    Corrupt(#[source] io::Error),
}

/// The reason why a fetch gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The policy refuses the URL or an address of its host. No connection was opened.
    #[error(transparent)]
    Refused(#[from] TargetRefusal),
    /// The source redirects to a URL that may not be followed.
    #[error("the redirect was refused: {0}")]
    RedirectRefused(#[from] RedirectRefusal),
    /// The source redirects more than [`crate::Limits::redirects`] times.
    #[error("more redirects than are followed")]
    TooManyRedirects,
    /// The host name has no addresses, or they could not be looked up.
    #[error("the host's name could not be resolved")]
    Dns(ResolveError),
    /// No address of the host accepted the connection.
    #[error("the connection could not be opened")]
    Connect(io::Error),
    /// The connection and the TLS handshake took longer than [`crate::Limits::connect`].
    #[error("the connection was not open in time")]
    ConnectTimeout,
    /// The TLS handshake failed, or the certificate is not valid for the host.
    #[error("the TLS handshake failed")]
    Tls(io::Error),
    /// The fetch took longer than [`crate::Limits::total`].
    #[error("the source did not answer in time")]
    Timeout,
    /// This part of the response exceeds its size limit.
    #[error("the response is too large")]
    TooLarge(ResponsePart),
    /// The body has a content coding other than gzip, or its gzip data is corrupt or truncated. The source is `None`
    /// for another coding.
    #[error("the response's content coding is not readable")]
    Encoding(#[source] Option<GunzipError>),
    /// The response is not HTTP/1.1, or contradicts itself. The source is `None` where this crate found the error.
    #[error("the response is not well-formed HTTP")]
    Malformed(#[source] Option<hyper::Error>),
    /// The connection ended before the end of the response.
    #[error("the connection ended before the response was complete")]
    Interrupted(#[source] hyper::Error),
    /// The received bytes could not be written to their destination.
    #[error("the response could not be written")]
    Sink(#[source] io::Error),
    /// No concurrency slot became free within [`crate::Limits::wait`]. A later attempt may succeed.
    #[error("too many fetches are under way")]
    Busy,
}

impl FetchError {
    /// The stable code of the error, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            FetchError::Refused(refusal) => refusal.code(),
            FetchError::RedirectRefused(_) => "redirect_refused",
            FetchError::TooManyRedirects => "too_many_redirects",
            FetchError::Dns(_) => "dns_failed",
            FetchError::Connect(_) => "connect_failed",
            FetchError::ConnectTimeout => "connect_timeout",
            FetchError::Tls(_) => "tls_failed",
            FetchError::Timeout => "timeout",
            FetchError::TooLarge(_) => "too_large",
            FetchError::Encoding(_) => "bad_encoding",
            FetchError::Malformed(_) => "http_malformed",
            FetchError::Interrupted(_) => "interrupted",
            FetchError::Sink(_) => "not_written",
            FetchError::Busy => "busy",
        }
    }

    /// Returns true if the host speaks TLS and its certificate is not valid.
    #[must_use]
    pub fn is_invalid_certificate(&self) -> bool {
        let FetchError::Tls(error) = self else { return false };
        let error = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        matches!(error, Some(rustls::Error::InvalidCertificate(_)))
    }

    /// The same error where the hop that met it was reached by a redirect.
    pub(crate) fn behind_redirect(self) -> Self {
        match self {
            FetchError::Refused(refusal) => RedirectRefusal::Policy(refusal).into(),
            other => other,
        }
    }
}

impl From<Denied> for FetchError {
    fn from(denied: Denied) -> Self {
        TargetRefusal::Address(denied).into()
    }
}

impl From<GunzipError> for FetchError {
    fn from(error: GunzipError) -> Self {
        match error {
            GunzipError::TooLarge => FetchError::TooLarge(ResponsePart::Decoded),
            GunzipError::Corrupt(_) => FetchError::Encoding(Some(error)),
        }
    }
}

/// The reason why a [`crate::Fetcher`] could not be set up from the system's configuration.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The network interfaces of this host could not be listed.
    #[error("failed to list the network interfaces")]
    Interfaces(#[source] io::Error),
    /// The configuration of the resolver was not accepted.
    #[error("failed to set up the resolver")]
    Resolver(#[source] ResolveError),
}
