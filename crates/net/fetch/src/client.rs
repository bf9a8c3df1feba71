//! The client that fetches a URL and follows redirects; the guard checks each hop from the start.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::io::AsyncWrite;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use url::Host;

use crate::ask::{EndpointResponse, Post, Validators};
use crate::channel::Channel;
use crate::connect::{self, Connection, TlsInfo};
use crate::error::{FetchError, SetupError};
use crate::exchange::{Ask, Reply, exchange};
use crate::limits::Limits;
use crate::name;
use crate::policy::{Cleared, Policy};
use crate::resolve::{self, NameServers, Resolve, ResolveError};
use crate::roots::Roots;
use crate::slots::{HostPlace, Priority, Slots};
use crate::target::{Target, UrlError};

/// A redirect that was followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The URL that redirected.
    pub url: String,
    /// The HTTP status: 301, 302, 303, 307 or 308.
    pub status: u16,
    /// The remote address of the connection.
    pub peer: SocketAddr,
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that gave the answer, without a fragment.
    pub final_url: String,
    /// The redirects that were followed, in order; empty where there were none.
    pub hops: Vec<Hop>,
    /// The remote address of the connection that gave the answer.
    pub peer: SocketAddr,
    /// The TLS session of the connection; `None` for `http`.
    pub tls: Option<TlsInfo>,
    /// The HTTP status, 200 to 999. The caller decides which statuses are errors.
    pub status: u16,
    /// The value of the `Content-Type` field; `None` where it is absent, longer than 256 bytes or not visible ASCII.
    pub content_type: Option<String>,
    /// The body after content decoding.
    pub body: Bytes,
    /// The length of the body as transferred, in bytes: before gzip decoding, without the chunked framing.
    pub wire_bytes: u64,
    /// The validators of this version of the document.
    pub validators: Validators,
    /// The time from the call to the last byte, including the wait for concurrency slots.
    pub elapsed: Duration,
}

/// A client that fetches within a policy and limits. A clone is cheap and shares the concurrency slots.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
    priority: Priority,
}

struct Inner {
    policy: Policy,
    limits: Limits,
    resolver: Box<dyn Resolve>,
    connector: TlsConnector,
    slots: Arc<Slots>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner { policy, limits, .. } = &*self.inner;
        formatter
            .debug_struct("Fetcher")
            .field("policy", policy)
            .field("limits", limits)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Makes a fetcher from its parts.
    #[must_use]
    pub fn new(policy: Policy, limits: Limits, resolver: impl Resolve, roots: Roots) -> Self {
        let (connector, slots) = (connect::tls(roots), Slots::new(&limits));
        let inner = Arc::new(Inner { policy, limits, resolver: Box::new(resolver), connector, slots });
        Self { inner, priority: Priority::Ordinary }
    }

    /// Makes a fetcher with the system's name servers and Mozilla's roots. The addresses of this host's interfaces are
    /// added to [`Policy::own_addresses`].
    ///
    /// # Errors
    ///
    /// [`SetupError`] where the interfaces cannot be listed or the resolver cannot be set up.
    pub fn system(policy: Policy, limits: Limits) -> Result<Self, SetupError> {
        Self::system_with_roots(policy, limits, Roots::webpki())
    }

    /// Makes a fetcher as [`Fetcher::system`] does, with other roots, such as those of an operator's own certificate
    /// authority.
    ///
    /// # Errors
    ///
    /// As for [`Fetcher::system`].
    pub fn system_with_roots(policy: Policy, limits: Limits, roots: Roots) -> Result<Self, SetupError> {
        let policy = policy.with_interfaces().map_err(SetupError::Interfaces)?;
        let resolver = NameServers::from_system().map_err(SetupError::Resolver)?;
        Ok(Self::new(policy, limits, resolver, roots))
    }

    /// The same fetcher, with the same concurrency slots, for requests of this priority.
    ///
    /// ```no_run
    /// # async fn example(fetcher: fetch::Fetcher, target: fetch::Target) -> Result<(), fetch::FetchError> {
    /// let fetched = fetcher.with_priority(fetch::Priority::High).get(target).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_priority(&self, priority: Priority) -> Self {
        Self { inner: Arc::clone(&self.inner), priority }
    }

    /// The policy of the fetcher.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.inner.policy
    }

    /// The limits of the fetcher.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Parses a URL and checks it against the policy. No connection is opened and no name is looked up.
    ///
    /// # Errors
    ///
    /// [`UrlError`]: [`UrlError::refusal`] distinguishes a URL that the policy refuses from a text that is not an
    /// `http` or `https` URL.
    pub fn check_url(&self, url: &str) -> Result<Target, UrlError> {
        Target::parse(url, &self.inner.policy)
    }

    /// Fetches `target`, following redirects.
    ///
    /// # Errors
    ///
    /// [`FetchError`]. A part of an answer is never returned.
    pub async fn get(&self, target: Target) -> Result<Fetched, FetchError> {
        let fetched = timeout(self.inner.limits.total, self.inner.follow(target, Ask::Get, self.priority));
        let fetched = fetched.await.unwrap_or(Err(FetchError::Timeout));
        count("document", &fetched);
        fetched.inspect_err(|error| tracing::debug!(?error, code = error.code(), "fetch failed"))
    }

    /// Fetches `target`, following redirects, and writes the body of a 200 to `sink`: for [`crate::Source`].
    pub(crate) async fn download(
        &self,
        target: Target,
        known: &Validators,
        sink: &mut (dyn AsyncWrite + Send + Unpin),
    ) -> Result<Fetched, FetchError> {
        let ask = Ask::Download { known, sink };
        let fetched = timeout(self.inner.limits.total, self.inner.follow(target, ask, self.priority));
        let fetched = fetched.await.unwrap_or(Err(FetchError::Timeout));
        count("download", &fetched);
        fetched
    }

    /// Sends `post` to `target` and returns the whole answer. No redirect is followed, because the body is meant for
    /// the target alone.
    ///
    /// # Errors
    ///
    /// [`FetchError`]; a redirect is [`FetchError::TooManyRedirects`]. After an error, it is unknown whether the target
    /// acted on the request.
    pub async fn post(&self, target: &Target, post: Post) -> Result<EndpointResponse, FetchError> {
        self.ask(target, Ask::Post(post)).await
    }

    /// Asks `target` alone, and follows no redirect.
    pub(crate) async fn ask(
        &self,
        target: &Target,
        mut ask: Ask<'_>,
    ) -> Result<EndpointResponse, FetchError> {
        let visit = timeout(self.inner.limits.total, self.inner.visit(target, &mut ask, self.priority));
        let visit = visit.await.unwrap_or(Err(FetchError::Timeout));
        count("service", &visit);
        EndpointResponse::of(visit?.reply)
    }

    /// Sends `post` to `target` and returns the status of the answer, also of a redirect, as soon as the header fields
    /// are received. The body is not read.
    ///
    /// # Errors
    ///
    /// [`FetchError`]. After an error, it is unknown whether the target acted on the request.
    pub async fn tell(&self, target: &Target, post: Post) -> Result<u16, FetchError> {
        let mut ask = Ask::Tell(post);
        let visit = timeout(self.inner.limits.total, self.inner.visit(target, &mut ask, self.priority));
        let visit = visit.await.unwrap_or(Err(FetchError::Timeout));
        count("webhook", &visit);
        match visit?.reply {
            Reply::Redirect { status, .. } | Reply::Answer { status, .. } => Ok(status),
        }
    }

    /// Opens a TCP connection to the host and port of `target`, with the same guard and concurrency slots as a fetch.
    /// Nothing is sent over it, so that the caller can speak TLS or another protocol itself. At most
    /// [`Limits::wire_bytes`] can be read from it.
    ///
    /// # Errors
    ///
    /// [`FetchError`]: the address is refused, the name was not resolved, the connection failed, or no slot is free.
    pub async fn connect(&self, target: &Target) -> Result<Channel, FetchError> {
        let opened = timeout(self.inner.limits.total, self.inner.connect(target, self.priority));
        let opened = opened.await.unwrap_or(Err(FetchError::Timeout));
        count("connection", &opened);
        opened
    }

    /// One hop: for [`Fetcher::page`].
    pub(crate) async fn visit(&self, target: &Target, ask: &mut Ask<'_>) -> Result<Visit, FetchError> {
        self.inner.visit(target, ask, self.priority).await
    }
}

/// Counts the outcome of a request by its purpose: `answered`, whatever the status, or the code of the error.
pub(crate) fn count<T>(purpose: &'static str, outcome: &Result<T, FetchError>) {
    let outcome = outcome.as_ref().map_or_else(FetchError::code, |_| "answered");
    metrics::counter!("touchstone_fetches_total", "purpose" => purpose, "outcome" => outcome).increment(1);
}

impl Inner {
    async fn follow(
        &self,
        mut target: Target,
        mut ask: Ask<'_>,
        priority: Priority,
    ) -> Result<Fetched, FetchError> {
        let started = Instant::now();
        let mut hops = Vec::new();
        loop {
            let visit = self.visit(&target, &mut ask, priority).await;
            let visit = if hops.is_empty() { visit } else { visit.map_err(FetchError::behind_redirect) };
            let Visit { reply, peer, tls } = visit?;
            let url = target.url().to_owned();
            match reply {
                Reply::Redirect { status, location, .. } => {
                    if hops.len() >= self.limits.redirects {
                        return Err(FetchError::TooManyRedirects);
                    }
                    target = target.redirected(location.as_bytes(), &self.policy)?;
                    hops.push(Hop { url, status, peer });
                }
                Reply::Answer { status, content_type, validators, body, wire_bytes, .. } => {
                    let elapsed = started.elapsed();
                    return Ok(Fetched {
                        final_url: url,
                        hops,
                        peer,
                        tls,
                        status,
                        content_type,
                        body,
                        wire_bytes,
                        validators,
                        elapsed,
                    });
                }
            }
        }
    }

    /// One hop. The connection places are released on return, before the next hop takes any.
    fn visit<'a>(
        &'a self,
        target: &'a Target,
        ask: &'a mut Ask<'_>,
        priority: Priority,
    ) -> BoxFuture<'a, Result<Visit, FetchError>> {
        async move {
            // A target is made under a policy, though not necessarily under this fetcher's.
            target.admitted_by(&self.policy)?;
            let mut host = self.slots.host(target.host().to_string(), priority).await?;
            let addresses = self.cleared(target, &mut host).await?;
            let within = ask.connect(&self.limits);
            let Connection { stream, peer, tls, place: _place } =
                connect::open(&addresses, target, &self.connector, within, &mut host).await?;
            tracing::debug!(host = %target.host(), %peer, "connected");
            let reply = exchange(stream, target, ask, &self.limits).await?;
            Ok(Visit { reply, peer, tls })
        }
        .boxed()
    }

    fn connect<'a>(
        &'a self,
        target: &'a Target,
        priority: Priority,
    ) -> BoxFuture<'a, Result<Channel, FetchError>> {
        async move {
            target.admitted_by(&self.policy)?;
            let mut host = self.slots.host(target.host().to_string(), priority).await?;
            let addresses = self.cleared(target, &mut host).await?;
            let mut budget = self.limits.connect;
            let (stream, peer, place) =
                connect::dial(&addresses, target.port(), &mut budget, &mut host).await?;
            Ok(Channel::new(stream, peer, self.limits.wire_bytes, (host, place)))
        }
        .boxed()
    }

    /// The addresses to connect to: looked up once, judged together, those tried first at the front.
    async fn cleared(&self, target: &Target, host: &mut HostPlace) -> Result<Vec<Cleared>, FetchError> {
        let addresses = match target.host() {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            // RFC 6761 section 6.3: no name server is asked about localhost. Policy has let it through.
            Host::Domain(domain) if name::is_localhost(domain) => {
                vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
            }
            Host::Domain(domain) => {
                let _place = host.lookup().await?;
                let answer = timeout(self.limits.resolve, self.resolver.resolve(domain)).await;
                let answer = answer.unwrap_or(Err(ResolveError::Timeout));
                resolve::count(&answer);
                answer.map_err(FetchError::Dns)?
            }
        };
        if addresses.is_empty() {
            return Err(FetchError::Dns(ResolveError::NoAddress));
        }
        let mut cleared = alternated(self.policy.clear(addresses)?);
        cleared.truncate(self.limits.addresses);
        Ok(cleared)
    }
}

/// The result of one hop.
pub(crate) struct Visit {
    pub(crate) reply: Reply,
    pub(crate) peer: SocketAddr,
    pub(crate) tls: Option<TlsInfo>,
}

/// The families by turns, each in its own order, beginning with that of the first address: a family that
/// does not work from here costs one attempt, not all of them.
fn alternated(addresses: Vec<Cleared>) -> Vec<Cleared> {
    let Some(first) = addresses.first().map(|address| address.get().is_ipv4()) else { return addresses };
    let (leading, following): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.get().is_ipv4() == first);
    let mut following = following.into_iter();
    let mut order = Vec::with_capacity(leading.len() + following.len());
    for address in leading {
        order.push(address);
        order.extend(following.next());
    }
    order.extend(following);
    order
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::alternated;
    use crate::policy::Policy;

    #[test]
    fn the_families_are_tried_by_turns() {
        let given = ["1.0.0.1", "1.0.0.2", "1.0.0.3", "2a00::1"].map(|text| text.parse::<IpAddr>().unwrap());
        let cleared = Policy::production().clear(given.to_vec()).unwrap();
        let order: Vec<_> =
            alternated(cleared).into_iter().map(|address| address.get().to_string()).collect();
        assert_eq!(order, ["1.0.0.1", "2a00::1", "1.0.0.2", "1.0.0.3"]);
    }
}
