//! Everything that can keep a fetch from succeeding.
//!
//! Two audiences: the text (`Display`) and the [code](FetchError::code) go to the caller and name no address,
//! no port of ours and no configuration; `Debug` goes to the log and has the cause.

use std::io;

use crate::address::Denied;
use crate::resolve::ResolveError;
use crate::target::{RedirectRefusal, TargetRefusal};

/// The part of a response that was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponsePart {
    /// Status line and fields.
    Head,
    /// The body as transferred.
    Wire,
    /// The body after decoding.
    Decoded,
}

/// The reason why a gzip body was not decoded.
#[derive(Debug, thiserror::Error)]
pub enum GunzipError {
    /// It decodes to more bytes than are permitted.
    #[error("the decoded body is too large")]
    TooLarge,
    /// It is not gzip, fails its checksum, is cut short, or is followed by something that is not gzip.
    #[error("the gzip body is corrupt or cut short")]
    Corrupt(#[source] io::Error),
}

/// The reason why a fetch gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// Policy refuses the URL or an address of its host. No connection was opened.
    #[error(transparent)]
    Refused(#[from] TargetRefusal),
    /// The source redirects to where policy does not follow.
    #[error("the redirect was refused: {0}")]
    RedirectRefused(#[from] RedirectRefusal),
    /// The source redirects more often than [`crate::Limits::redirects`].
    #[error("more redirects than are followed")]
    TooManyRedirects,
    /// The host's name has no addresses, or they could not be looked up.
    #[error("the host's name could not be resolved")]
    Dns(ResolveError),
    /// No address of the host took the connection.
    #[error("the connection could not be opened")]
    Connect(io::Error),
    /// Connection and handshake took longer than [`crate::Limits::connect`].
    #[error("the connection was not open in time")]
    ConnectTimeout,
    /// The TLS handshake failed, or the certificate does not hold for the host.
    #[error("the TLS handshake failed")]
    Tls(io::Error),
    /// The fetch took longer than [`crate::Limits::total`].
    #[error("the source did not answer in time")]
    Timeout,
    /// The response exceeds a limit on its size.
    #[error("the response is too large")]
    TooLarge(ResponsePart),
    /// The body is in a content coding other than gzip, or its gzip is corrupt or cut short.
    #[error("the response's content coding is not readable")]
    Encoding(#[source] Option<GunzipError>),
    /// The response is not HTTP/1.1, or contradicts itself.
    #[error("the response is not well-formed HTTP")]
    Malformed(#[source] Option<hyper::Error>),
    /// The connection ended before the response did.
    #[error("the connection ended before the response was complete")]
    Interrupted(#[source] hyper::Error),
    /// The received bytes could not be written to their destination.
    #[error("the response could not be written")]
    Sink(#[source] io::Error),
    /// No place was free within [`crate::Limits::wait`]. Worth another attempt shortly.
    #[error("too many fetches are under way")]
    Busy,
}

impl FetchError {
    /// A stable reason in snake case.
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

    /// Returns true if the host spoke TLS and its certificate is not valid.
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
    /// The network interfaces could not be listed.
    #[error("failed to list the network interfaces")]
    Interfaces(#[source] io::Error),
    /// The resolver's configuration was not accepted.
    #[error("failed to set up the resolver")]
    Resolver(#[source] ResolveError),
}
