//! A client of one service that the operator configured, to which JSON is sent, or whose documents are asked for.
//!
//! The address comes from the configuration and never from a caller. It may be loopback or private, which the tables
//! deny, so it has a policy of its own that permits exactly the addresses that the operator named: the address or
//! `localhost` in the URL, and the networks given beside it for a name that resolves to a private address
//! (`http://node:8545` within `172.16.0.0/12`). Over `https` public addresses are permitted as well. Over plain `http`
//! only the named addresses are, so that nobody on the network path can answer in place of the service.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use http::{HeaderMap, HeaderValue};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use url::{Host, Url};

use crate::ask::{EndpointResponse, Post};
use crate::client::Fetcher;
use crate::error::{FetchError, SetupError};
use crate::exchange::Ask;
use crate::limits::Limits;
use crate::name;
use crate::nat64::Nat64Prefix;
use crate::policy::{Policy, Ports};
use crate::resolve::{NameServers, Resolve};
use crate::roots::Roots;
use crate::target::{self, Target, UrlError};

/// A service at one URL, with the secret for it if it requires one. A clone is cheap and shares the concurrency slots.
///
/// `Debug` shows scheme, host and port only: keys of services are often in their paths.
///
/// ```no_run
/// use fetch::{Endpoint, Limits};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let node = Endpoint::system("http://127.0.0.1:8545", &[], Limits::default())?;
/// let answer = node.post_json(r#"{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}"#.into()).await?;
/// println!("{}", answer.status);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Endpoint {
    fetcher: Fetcher,
    target: Target,
    /// The header fields of every request.
    headers: HeaderMap,
}

/// The reason why a configured address was not accepted. No message contains the URL, because it may contain a key.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The URL is malformed, or the policy refuses it.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The URL is plain `http` with a host name, and no network is named to which the name may resolve.
    #[error("plain http is only for an address, localhost, or a name within networks that are given")]
    Plain,
    /// The value of `Authorization` is not visible ASCII.
    #[error("the authorization is not a header's value")]
    Authorization,
    /// The value of `User-Agent` is not visible ASCII.
    #[error("the user agent is not a header's value")]
    UserAgent,
    /// The resolver could not be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Endpoint {
    /// Makes a client of the service at `url`, whose host may also resolve to addresses within `networks`.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Url`] and [`EndpointError::Plain`]; no name is looked up and no connection is opened.
    pub fn new(
        url: &str,
        networks: &[IpNet],
        limits: Limits,
        resolver: impl Resolve,
        roots: Roots,
    ) -> Result<Self, EndpointError> {
        Self::through(url, networks, &[], limits, resolver, roots)
    }

    /// Makes a client as [`Endpoint::new`] does, in a network that translates IPv6 to IPv4 with these prefixes (RFC
    /// 6052).
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::new`].
    pub fn through(
        url: &str,
        networks: &[IpNet],
        nat64: &[Nat64Prefix],
        limits: Limits,
        resolver: impl Resolve,
        roots: Roots,
    ) -> Result<Self, EndpointError> {
        let policy = policy(&target::parse(url, None)?, networks, nat64)?;
        let target = Target::parse(url, &policy)?;
        Ok(Self { fetcher: Fetcher::new(policy, limits, resolver, roots), target, headers: HeaderMap::new() })
    }

    /// Makes a client as [`Endpoint::new`] does, with the system's name servers and Mozilla's roots.
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::new`], and [`EndpointError::Setup`].
    pub fn system(url: &str, networks: &[IpNet], limits: Limits) -> Result<Self, EndpointError> {
        Self::system_through(url, networks, &[], limits)
    }

    /// Makes a client as [`Endpoint::system`] does, in a network that translates IPv6 to IPv4 with these prefixes (RFC
    /// 6052).
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::system`].
    pub fn system_through(
        url: &str,
        networks: &[IpNet],
        nat64: &[Nat64Prefix],
        limits: Limits,
    ) -> Result<Self, EndpointError> {
        let resolver = NameServers::from_system().map_err(SetupError::Resolver)?;
        Self::through(url, networks, nat64, limits, resolver, Roots::webpki())
    }

    /// Adds this `Authorization` field to every request.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Authorization`] where it is not visible ASCII.
    pub fn with_authorization(mut self, value: &str) -> Result<Self, EndpointError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| EndpointError::Authorization)?;
        value.set_sensitive(true);
        self.headers.insert(AUTHORIZATION, value);
        Ok(self)
    }

    /// Names who asks in the `User-Agent` field of every request, as some public services demand.
    ///
    /// # Errors
    ///
    /// [`EndpointError::UserAgent`] where it is not visible ASCII.
    pub fn with_user_agent(mut self, value: &str) -> Result<Self, EndpointError> {
        let value = HeaderValue::from_str(value).map_err(|_| EndpointError::UserAgent)?;
        self.headers.insert(USER_AGENT, value);
        Ok(self)
    }

    /// The same service below its path: `https://example.com/x402` and `settle` give `https://example.com/x402/settle`.
    ///
    /// # Errors
    ///
    /// [`EndpointError::Url`] where the result is longer than [`MAX_URL_BYTES`](crate::target::MAX_URL_BYTES).
    pub fn below(&self, segment: &str) -> Result<Self, EndpointError> {
        let mut url = Url::parse(self.target.url()).map_err(UrlError::Malformed)?;
        let mut path = url.path_segments_mut().expect("an http or https URL has a path");
        path.pop_if_empty().push(segment);
        drop(path);
        let target = Target::parse(url.as_str(), self.fetcher.policy())?;
        Ok(Self { target, ..self.clone() })
    }

    /// Sends JSON and reads the answer, within the limits. No redirect is followed.
    ///
    /// # Errors
    ///
    /// [`FetchError`]; a redirect is [`FetchError::TooManyRedirects`]. After an error, it is unknown whether the
    /// service acted on the request.
    pub async fn post_json(&self, json: Bytes) -> Result<EndpointResponse, FetchError> {
        self.fetcher.post(&self.target, Post { json, headers: self.headers.clone() }).await
    }

    /// Asks for the document at a path below the service's own, with a query, and reads the answer, within the limits. No
    /// redirect is followed. `path` has its segments escaped, and begins with no slash.
    ///
    /// # Errors
    ///
    /// [`FetchError`]; a redirect is [`FetchError::TooManyRedirects`].
    pub async fn get(&self, path: &str, query: Option<&str>) -> Result<EndpointResponse, FetchError> {
        let target = self.document(path, query)?;
        self.fetcher.ask(&target, Ask::Document(self.headers.clone())).await
    }

    /// Sends JSON to a path below the service's own, as [`Endpoint::post_json`] does to the service's own.
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::post_json`].
    pub async fn post_json_to(&self, path: &str, json: Bytes) -> Result<EndpointResponse, FetchError> {
        let target = self.document(path, None)?;
        self.fetcher.post(&target, Post { json, headers: self.headers.clone() }).await
    }

    /// Sends a text to a path below the service's own, and reads the answer, which may be of any type, within the limits. No
    /// redirect is followed. `path` has its segments escaped, and begins with no slash.
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::post_json`].
    pub async fn post_text_to(&self, path: &str, text: Bytes) -> Result<EndpointResponse, FetchError> {
        let target = self.document(path, None)?;
        let mut headers = self.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        self.fetcher.post(&target, Post { json: text, headers }).await
    }

    /// Sends bytes of a type, and reads the answer, which should be of another type, within the limits. No redirect is followed.
    ///
    /// # Errors
    ///
    /// Those of [`Endpoint::post_json`].
    pub async fn post_typed(
        &self,
        bytes: Bytes,
        content_type: &'static str,
        accept: &'static str,
    ) -> Result<EndpointResponse, FetchError> {
        let mut headers = self.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        self.fetcher.post(&self.target, Post { json: bytes, headers }).await
    }

    fn document(&self, path: &str, query: Option<&str>) -> Result<Target, FetchError> {
        let mut url = Url::parse(self.target.url()).expect("a target's URL is one");
        url.set_path(&format!("{}/{path}", url.path().trim_end_matches('/')));
        url.set_query(query);
        Target::parse(url.as_str(), self.fetcher.policy()).map_err(|error| match error {
            UrlError::Refused(refusal) => refusal.into(),
            UrlError::TooLong | UrlError::Malformed(_) | UrlError::Scheme => FetchError::Malformed(None),
        })
    }

    /// The scheme, the host and the port of the URL, as `https://example.com:8443`.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = if self.target.is_https() { "https" } else { "http" };
        format!("{scheme}://{}:{}", self.target.host(), self.target.port())
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Endpoint").field(&self.origin()).finish()
    }
}

/// The policy that clears `url` and nothing else.
pub(crate) fn policy(url: &Url, networks: &[IpNet], nat64: &[Nat64Prefix]) -> Result<Policy, EndpointError> {
    let (mut named, nat64) = (networks.to_vec(), nat64.to_vec());
    match url.host() {
        Some(Host::Ipv4(address)) => named.push(IpAddr::V4(address).into()),
        Some(Host::Ipv6(address)) => named.push(IpAddr::V6(address).into()),
        Some(Host::Domain(domain)) if name::is_localhost(domain) => {
            named.push(IpAddr::V4(Ipv4Addr::LOCALHOST).into());
            named.push(IpAddr::V6(Ipv6Addr::LOCALHOST).into());
        }
        Some(Host::Domain(_)) | None => {}
    }
    let ports = Ports::Only(url.port_or_known_default().into_iter().collect());
    if url.scheme() != "http" {
        return Ok(Policy { ports, named, nat64, ..Policy::production() });
    }
    if named.is_empty() {
        return Err(EndpointError::Plain);
    }
    let own_addresses = vec![Ipv4Net::default().into(), Ipv6Net::default().into()]; // every other
    Ok(Policy { ports, own_addresses, named, nat64, ..Policy::production() })
}
