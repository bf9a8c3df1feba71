//! Guarded outbound HTTP: the only crate that opens a connection to an address that a caller named.
//!
//! A caller of the notary chooses the URL, so every URL is taken for an attempt to reach something that only
//! this host can reach: a cloud's metadata service, a database on the private network, the notary's own
//! ports. The guard therefore works on addresses, never on the look of a string:
//!
//! 1. [`target`]: the URL is parsed once, by the WHATWG algorithm; scheme, credentials, port and name are
//!    judged on the parsed value, and that same value is what the request is made from.
//! 2. [`resolve`]: the name is looked up once for each hop.
//! 3. [`address`]: every address of the answer is judged against the IANA special-purpose registries, the
//!    cloud metadata addresses and our own; one denied address denies the whole answer.
//! 4. The connection is opened to an address that was cleared, and to no other. There is no second
//!    lookup between the check and the connection, so an answer that changes in between changes nothing.
//! 5. A redirect begins again at 1. At most [`Limits::redirects`] are followed, none from `https` to `http`.
//!
//! What never happens here: a proxy, a cookie, a referrer, a reused connection, a body sent on to where a redirect
//! leads, a wait or a body without a bound ([`Limits`]), an answer that was cut short passed off as whole.
//!
//! A service that the operator configured (a chain's node, a payment facilitator) is an [`Endpoint`]: trusted, so
//! it may be a loopback or private address, and JSON may be sent to it; but each reaches that one address and no
//! other, by the same guard and within the same bounds.
//!
//! A [`PageFetch`] is what a visitor gets at a URL, for whoever judges a site by its redirects and header fields.
//!
//! A [`Source`] is such a service that large documents are downloaded from: its redirects are followed by the same
//! guard, and what comes is written out, not kept in memory.
//!
//! A [`Channel`] is a guarded connection with nothing spoken over it yet, for who looks at how a server speaks.
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
pub use policy::{Policy, Ports};
pub use resolve::{NameServers, Resolve, ResolveError, name_servers};
pub use roots::{Roots, RootsError};
pub use slots::Priority;
pub use source::Source;
pub use target::{RedirectRefusal, Target, TargetRefusal, UrlError};
