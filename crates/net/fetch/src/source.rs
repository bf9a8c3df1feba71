//! The download of large documents from a service that the operator named.
//!
//! The address of the service is trusted in the same way as that of an [`Endpoint`](crate::Endpoint). Redirects are
//! followed, each checked from the start: to addresses that the operator named, and over `https` to public addresses. A
//! document is written to its destination as it arrives, without content decoding; it is never in memory as a whole.

use ipnet::IpNet;
use tokio::io::AsyncWrite;
use url::Url;

use crate::ask::Validators;
use crate::client::{Fetched, Fetcher};
use crate::endpoint::{self, EndpointError};
use crate::error::{FetchError, SetupError};
use crate::limits::Limits;
use crate::nat64::Nat64Prefix;
use crate::resolve::{NameServers, Resolve};
use crate::roots::Roots;
use crate::target::{self, Target, UrlError};

/// A service that has a folder of documents at one URL. A clone is cheap and shares the concurrency slots.
#[derive(Clone)]
pub struct Source {
    fetcher: Fetcher,
    folder: Target,
}

impl Source {
    /// Makes a source from the folder at `url`. A redirect to an address within `own` is refused.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Url`] and [`EndpointError::Plain`]; no name is looked up and no connection is opened.
    pub fn new(
        url: &str,
        own: &[IpNet],
        limits: Limits,
        resolver: impl Resolve,
        roots: Roots,
    ) -> Result<Self, EndpointError> {
        Self::through(url, own, &[], limits, resolver, roots)
    }

    fn through(
        url: &str,
        own: &[IpNet],
        nat64: &[Nat64Prefix],
        limits: Limits,
        resolver: impl Resolve,
        roots: Roots,
    ) -> Result<Self, EndpointError> {
        let mut policy = endpoint::policy(&target::parse(url, None)?, &[], nat64)?;
        policy.own_addresses.extend(own);
        let folder = Target::parse(url, &policy)?;
        Ok(Self { fetcher: Fetcher::new(policy, limits, resolver, roots), folder })
    }

    /// Makes a source as [`Source::new`] does, with the system's name servers.
    ///
    /// # Errors
    ///
    /// Those of [`Source::new`], and [`EndpointError::Setup`].
    pub fn system(url: &str, own: &[IpNet], limits: Limits, roots: Roots) -> Result<Self, EndpointError> {
        Self::system_through(url, own, &[], limits, roots)
    }

    /// Makes a source as [`Source::system`] does, in a network that translates IPv6 to IPv4 with these prefixes (RFC
    /// 6052).
    ///
    /// # Errors
    ///
    /// Those of [`Source::system`].
    pub fn system_through(
        url: &str,
        own: &[IpNet],
        nat64: &[Nat64Prefix],
        limits: Limits,
        roots: Roots,
    ) -> Result<Self, EndpointError> {
        let resolver = NameServers::from_system().map_err(SetupError::Resolver)?;
        Self::through(url, own, nat64, limits, resolver, roots)
    }

    /// Writes the document with this name to `sink` if the status of the answer is 200; for any other status the body
    /// is not read. With the validators of an earlier answer, the source may answer 304, which means that the document
    /// has not changed.
    ///
    /// # Errors
    ///
    /// [`FetchError`]. In this case `sink` may contain a part of the document.
    pub async fn download(
        &self,
        name: &str,
        known: &Validators,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
    ) -> Result<Fetched, FetchError> {
        self.fetcher.download(self.document(name)?, known, sink).await
    }

    /// Writes the document at the source's own URL to `sink`, as [`Source::download`] does with a document of the folder.
    ///
    /// # Errors
    ///
    /// Those of [`Source::download`].
    pub async fn download_url(
        &self,
        known: &Validators,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
    ) -> Result<Fetched, FetchError> {
        self.fetcher.download(self.folder.clone(), known, sink).await
    }

    fn document(&self, name: &str) -> Result<Target, FetchError> {
        let mut url = Url::parse(self.folder.url()).expect("a target's URL is one");
        let mut path = url.path_segments_mut().expect("an http or https URL has a path");
        path.pop_if_empty().push(name);
        drop(path);
        Target::parse(url.as_str(), self.fetcher.policy()).map_err(|error| match error {
            UrlError::Refused(refusal) => refusal.into(),
            UrlError::TooLong | UrlError::Malformed(_) | UrlError::Scheme => FetchError::Malformed(None),
        })
    }

    /// The scheme, the host and a port that is not the scheme's default. Unlike the whole URL it contains no key, so it
    /// can be published.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.folder.is_https() { "https" } else { "http" };
        format!("{scheme}://{}", self.folder.authority())
    }
}

/// No more than its [origin](Source::origin): the URL may hold a key.
impl std::fmt::Debug for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Source").field(&self.origin()).finish()
    }
}
