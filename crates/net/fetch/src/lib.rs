//! Guarded outbound HTTP: the only crate that opens a connection to an address that a caller named.
//!
//! A caller of the notary chooses the URL, so every URL is treated as an attempt to reach something that only this host
//! can reach: a cloud's metadata service, a database on the private network, the notary's own ports. The guard
//! therefore works on addresses, and not on the text of the URL:
//!
//! 1. [`target`]: the URL is parsed once, by the WHATWG algorithm; scheme, credentials, port and name are checked on
//!    the parsed value, and the request is made from the same value.
//! 2. [`resolve`]: the name is looked up once for each hop.
//! 3. [`address`]: every address of the answer is judged against the IANA special-purpose registries, the cloud
//!    metadata addresses and the installation's own addresses; one denied address denies the whole answer.
//! 4. The connection is opened to a permitted address, and to no other. There is no second lookup between the check and
//!    the connection, so a DNS answer that changes in between has no effect.
//! 5. A redirect begins again at 1. At most [`Limits::redirects`] are followed, none from `https` to `http`.
//!
//! # Invariants
//!
//! - A connection goes directly to the permitted address and serves one request: no proxy, cookie or referrer, and no
//!   reuse.
//!
//! - The body of a request goes to its target alone, and never to the target of a redirect.
//!
//! - Every wait and every body has a bound ([`Limits`]).
//!
//! - An answer is complete: a truncated answer is an error.
//!
//! # Clients
//!
//! A service that the operator configured (a chain's node, a payment facilitator) is an [`Endpoint`]. It is trusted, so
//! it may be at a loopback or private address, and JSON may be sent to it. Each endpoint reaches that one address and
//! no other, with the same guard and bounds.
//!
//! A [`PageFetch`] is the answer that a visitor gets at a URL, with its redirects and header fields.
//!
//! A [`Source`] is a configured service from which large documents are downloaded. Its redirects are followed with the
//! same guard, and the documents are written to a sink as they arrive, and not kept in memory.
//!
//! A [`Channel`] is a guarded connection over which nothing has been sent, for a caller that examines a server's
//! protocol.
//!
//! # Example
//!
//! ```no_run
//! use fetch::{Fetcher, Limits, Policy};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::system(Policy::production(), Limits::default())?;
//! let target = fetcher.check_url("https://example.com/data.json")?;
//! let fetched = fetcher.get(target).await?;
//! println!("{} from {}", fetched.status, fetched.peer);
//! # Ok(())
//! # }
//! ```

pub mod address;
mod ask;
mod body;
mod channel;
mod client;
mod connect;
mod endpoint;
mod error;
mod exchange;
mod limits;
mod metered;
mod name;
mod nat64;
mod page;
mod pause;
mod policy;
pub mod resolve;
mod roots;
mod slots;
mod source;
pub mod target;

pub use address::Denied;
pub use ask::{EndpointResponse, PageAsk, Post, Validators};
pub use body::gunzip;
pub use channel::Channel;
pub use client::{Fetched, Fetcher, Hop};
pub use connect::TlsInfo;
pub use endpoint::{Endpoint, EndpointError};
pub use error::{FetchError, GunzipError, ResponsePart, SetupError};
pub use limits::Limits;
pub use name::is_public as is_public_name;
pub use nat64::{Nat64Error, Nat64Prefix};
pub use page::{PageAnswer, PageFetch, PageHop};
pub use pause::pause;
pub use policy::{Policy, Ports};
pub use resolve::{NameServers, Resolve, ResolveError, name_servers};
pub use roots::{Roots, RootsError};
pub use slots::Priority;
pub use source::Source;
pub use target::{RedirectRefusal, Target, TargetRefusal, UrlError};
