//! An address and its parts.

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use domain_name::{DomainName, PublicSuffixes};
use url::{Host, Url};

use crate::written::Origin;
use crate::{canonical, written};

/// The most bytes of a text that is read as an address.
pub const MAX_ADDRESS_BYTES: usize = 65_536;

/// The reason why a text is not an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddressError {
    /// The text has no letters but spaces and controls.
    #[error("must not be empty")]
    Empty,
    /// The text is longer than [`MAX_ADDRESS_BYTES`].
    #[error("must be at most {MAX_ADDRESS_BYTES} bytes long")]
    TooLong,
    /// The address of a web page has no host, such as `http://` or `/path`.
    #[error("must have a host, such as https://example.com/")]
    NoHost,
    /// The host is none that a browser would look up.
    #[error("must have a host that a browser can look up")]
    Host,
    /// The port is not a number from 0 to 65535.
    #[error("must have a port from 0 to 65535")]
    Port,
}

/// The host of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AddressHost {
    /// A host name by the rules of the DNS.
    Domain(DomainName),
    /// An IP address. An IPv6 address that stands for an IPv4 one is that IPv4 address.
    Ip(IpAddr),
    /// A name that browsers look up although it is not a host name, such as one with an underscore. Lower case, in
    /// A-labels, without a dot at its ends.
    Other(String),
}

/// An address, as a browser would open it.
///
/// # Examples
/// The host is the one that a browser connects to; the way in which it was written stays known.
///
/// ```
/// use web_address::WebAddress;
///
/// let address = WebAddress::parse("http://www.example.com@0x7f.1:80/a/../b%2541#top")?;
/// assert_eq!(address.canonical(), "http://127.0.0.1/bA");
/// assert_eq!(address.host_written(), Some("0x7f.1"));
/// assert_eq!(address.port_written(), Some("80"));
/// assert!(address.has_userinfo());
/// # Ok::<(), web_address::AddressError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebAddress {
    /// The text without what the parser drops, with a scheme.
    text: String,
    origin: Origin,
    is_scheme_written: bool,
    scheme: String,
    /// `None` where the scheme has no host and the parser refuses the rest.
    url: Option<Url>,
    host: Option<AddressHost>,
    host_written: Range<usize>,
    port_written: Option<Range<usize>>,
    canonical: String,
    canonical_host: Range<usize>,
    canonical_path: Range<usize>,
}

impl WebAddress {
    /// Reads an address. Spaces and controls at both ends are dropped, and tabs and line breaks anywhere. A text without
    /// a scheme gets `http`, as in an address bar; `example.com:80` is a host and its port.
    ///
    /// The schemes `http`, `https`, `ws`, `wss` and `ftp` have a host. Every other scheme (`javascript`, `data`, `file`,
    /// `blob`, that of an app) gives an address without one, whatever follows.
    ///
    /// # Errors
    /// [`AddressError`]: the text is empty or too long, or no browser would open it.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAX_ADDRESS_BYTES {
            return Err(AddressError::TooLong);
        }
        let mut origin = Origin::of(text);
        let mut text = written::cleaned(text);
        if text.is_empty() {
            return Err(AddressError::Empty);
        }
        let given = written::scheme(&text);
        if given.is_none() {
            let is_relative = text.starts_with("//") || text.starts_with("\\\\");
            if !is_relative && text.starts_with(['/', '\\', '?', '#']) {
                return Err(AddressError::NoHost);
            }
            let scheme = if is_relative { "http:" } else { "http://" };
            text.insert_str(0, scheme);
            origin.inserted = scheme.len();
        }
        let colon = given.unwrap_or("http".len());
        let scheme = text[..colon].to_ascii_lowercase();
        if matches!(scheme.as_str(), "http" | "https" | "ws" | "wss" | "ftp") {
            Self::with_host(text, origin, scheme, given.is_some())
        } else {
            Ok(Self::without_host(text, origin, scheme))
        }
    }

    fn without_host(text: String, origin: Origin, scheme: String) -> Self {
        let url = Url::parse(&text).ok();
        let canonical = format!("{scheme}{}", &text[scheme.len()..]);
        Self {
            text,
            origin,
            is_scheme_written: true,
            scheme,
            url,
            host: None,
            host_written: 0..0,
            port_written: None,
            canonical_host: 0..0,
            canonical_path: 0..0,
            canonical,
        }
    }

    fn with_host(
        text: String,
        origin: Origin,
        scheme: String,
        is_scheme_written: bool,
    ) -> Result<Self, AddressError> {
        let url = Url::parse(&text).map_err(|error| match error {
            url::ParseError::EmptyHost => AddressError::NoHost,
            url::ParseError::InvalidPort => AddressError::Port,
            _ => AddressError::Host,
        })?;
        let host = match url.host().ok_or(AddressError::NoHost)? {
            Host::Ipv4(address) => AddressHost::Ip(address.into()),
            Host::Ipv6(address) => AddressHost::Ip(unmapped(address)),
            Host::Domain(name) => domain(name)?,
        };
        let authority = written::authority(&text, scheme.len());
        let mut canonical = format!("{scheme}://");
        let start = canonical.len();
        match &host {
            AddressHost::Domain(name) => canonical.push_str(name.as_str()),
            AddressHost::Ip(IpAddr::V4(address)) => canonical.push_str(&address.to_string()),
            AddressHost::Ip(IpAddr::V6(_)) => canonical.push_str(url.host_str().unwrap_or_default()),
            AddressHost::Other(name) => canonical.push_str(name),
        }
        let canonical_host = start..canonical.len();
        canonical::path_into(&mut canonical, url.path());
        let canonical_path = canonical_host.end..canonical.len();
        if let Some(query) = url.query() {
            canonical::query_into(&mut canonical, query);
        }
        Ok(Self {
            origin,
            is_scheme_written,
            scheme,
            host: Some(host),
            host_written: authority.host,
            port_written: authority.port,
            url: Some(url),
            text,
            canonical,
            canonical_host,
            canonical_path,
        })
    }

    /// The scheme in lower case, without its colon. It is `http` if none was written.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// True if the text had a scheme.
    #[must_use]
    pub fn is_scheme_written(&self) -> bool {
        self.is_scheme_written
    }

    /// True if a user name or a password stands before the host, even an empty one.
    #[must_use]
    pub fn has_userinfo(&self) -> bool {
        self.host_written.start.checked_sub(1).is_some_and(|at| self.text.as_bytes()[at] == b'@')
    }

    /// The bytes of [`WebAddress::text`] that hold the user name and the password, as they were written.
    #[must_use]
    pub fn userinfo_span(&self) -> Option<Range<usize>> {
        let behind = self.scheme.len() + 1;
        let rest = &self.text[behind..];
        let start = behind + rest.len() - rest.trim_start_matches(['/', '\\']).len();
        self.has_userinfo().then(|| start..(self.host_written.start - 1).max(start))
    }

    /// The bytes of [`WebAddress::text`] that hold the host; `None` if the scheme has none.
    #[must_use]
    pub fn host_span(&self) -> Option<Range<usize>> {
        self.host.as_ref().map(|_| self.host_written.clone())
    }

    /// The user name, percent-encoded; empty if there is none.
    #[must_use]
    pub fn username(&self) -> &str {
        self.url.as_ref().map_or("", Url::username)
    }

    /// The host; `None` if the scheme has none.
    #[must_use]
    pub fn host(&self) -> Option<&AddressHost> {
        self.host.as_ref()
    }

    /// The domain name of the host, if it is one.
    #[must_use]
    pub fn domain(&self) -> Option<&DomainName> {
        match &self.host {
            Some(AddressHost::Domain(name)) => Some(name),
            _ => None,
        }
    }

    /// The canonical text of the host: a name in A-labels, an IPv4 address of four decimal numbers, or an IPv6 address in
    /// brackets.
    #[must_use]
    pub fn host_str(&self) -> Option<&str> {
        self.host.as_ref().map(|_| &self.canonical[self.canonical_host.clone()])
    }

    /// The host as it was written, so that other spellings of an address can be named: `0x7f.1`, `2130706433`.
    #[must_use]
    pub fn host_written(&self) -> Option<&str> {
        self.host.as_ref().map(|_| &self.text[self.host_written.clone()])
    }

    /// The port as it was written, behind its colon, which may be empty.
    #[must_use]
    pub fn port_written(&self) -> Option<&str> {
        self.port_written.clone().map(|range| &self.text[range])
    }

    /// The port, if it is not the usual one of the scheme.
    #[must_use]
    pub fn port(&self) -> Option<u16> {
        self.url.as_ref().and_then(Url::port)
    }

    /// The path as a browser sends it. For a scheme without a host it is everything before the query and the fragment.
    #[must_use]
    pub fn path(&self) -> &str {
        self.url.as_ref().map_or(&self.text[self.scheme.len() + 1..], Url::path)
    }

    /// The query as a browser sends it, without its question mark.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.url.as_ref().and_then(Url::query)
    }

    /// The fragment, without its number sign. Servers never see it.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
        self.url.as_ref().and_then(Url::fragment)
    }

    /// The text that was read, without the characters that a parser drops, and with the scheme that was implied.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of the text as it was given that a part of [`WebAddress::text`] was read from; empty for a part of the
    /// implied scheme. `part` must lie within the text, on boundaries of characters.
    #[must_use]
    pub fn given_span(&self, part: Range<usize>) -> Range<usize> {
        let start = self.origin.given(part.start);
        if part.end <= part.start.max(self.origin.inserted) {
            return start..start;
        }
        let last = self.text[..part.end.min(self.text.len())].char_indices().next_back();
        let (at, character) = last.unwrap_or((0, ' '));
        start..(self.origin.given(at) + character.len_utf8()).max(start)
    }

    /// True if the parser dropped tabs or line breaks within the text.
    #[must_use]
    pub fn has_dropped_characters(&self) -> bool {
        self.origin.has_dropped(self.text.len())
    }

    /// The part of the host that somebody registered: the public suffix and one label. `None` for an IP address, a public
    /// suffix and a scheme without a host.
    #[must_use]
    pub fn registrable(&self, suffixes: &PublicSuffixes) -> Option<&str> {
        if matches!(self.host, None | Some(AddressHost::Ip(_))) {
            return None;
        }
        let mut name = self.host_str()?;
        if suffixes.is_suffix(name) {
            return None;
        }
        while let Some((_, above)) = name.split_once('.') {
            if suffixes.is_suffix(above) {
                return Some(name);
            }
            name = above;
        }
        None
    }

    /// The address in the canonical form of Safe Browsing: without user information, port and fragment. Where the scheme
    /// has no host, it is the text with the scheme in lower case.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The canonical address without its scheme: `host/path?query`. `None` if the scheme has no host.
    #[must_use]
    pub fn expression(&self) -> Option<&str> {
        self.host.as_ref().map(|_| &self.canonical[self.canonical_host.start..])
    }

    /// The path of the canonical address.
    #[must_use]
    pub fn canonical_path(&self) -> &str {
        &self.canonical[self.canonical_path.clone()]
    }

    /// The expressions of Safe Browsing, the exact one first: up to 5 hosts with up to 6 paths each, without a scheme
    /// (`example.com/a/`). An IP address stands only for itself. None where the scheme has no host.
    #[must_use]
    pub fn expressions(&self) -> Vec<String> {
        let Some(host) = self.host_str() else { return Vec::new() };
        let is_ip = matches!(self.host, Some(AddressHost::Ip(_)));
        let query = self.canonical[self.canonical_path.end..].strip_prefix('?');
        canonical::expressions(host, is_ip, self.canonical_path(), query)
    }
}

/// An IPv6 address that stands for an IPv4 one is that one: a connection to it goes there.
fn unmapped(address: Ipv6Addr) -> IpAddr {
    address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4)
}

/// A host that is a name. Without its needless dots it can be an IP address (`1..`).
fn domain(name: &str) -> Result<AddressHost, AddressError> {
    let short = canonical::host(name);
    if short.is_empty() {
        return Err(AddressError::NoHost);
    }
    if short.len() < name.len() {
        match Host::parse(&short) {
            Ok(Host::Ipv4(address)) => return Ok(AddressHost::Ip(address.into())),
            Ok(_) => {}
            Err(_) => return Err(AddressError::Host),
        }
    }
    Ok(DomainName::parse(&short).map_or(AddressHost::Other(short), AddressHost::Domain))
}
