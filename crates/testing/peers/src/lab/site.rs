//! The content that is served at a name over HTTP and TLS.

use std::net::Ipv4Addr;

use super::certificate_kind::Kind;

/// The versions of TLS that are spoken at an address: nginx has them by address, not by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// 1.2 and 1.3.
    Modern,
    /// 1.0 and 1.1 only.
    Old,
    /// 1.2 only.
    Tls12,
    /// 1.3 only.
    Tls13,
    /// 1.0 to 1.3.
    Everything,
    /// Nothing: only HTTP is served.
    NoTls,
}

impl Speaks {
    /// Each with its address.
    pub(super) const ALL: [Self; 6] =
        [Self::Modern, Self::NoTls, Self::Old, Self::Tls12, Self::Tls13, Self::Everything];

    /// The address at which these versions are spoken.
    #[must_use]
    pub fn address(self) -> Ipv4Addr {
        let last = match self {
            Self::Modern => 1,
            Self::NoTls => 3,
            Self::Old => 4,
            Self::Tls12 => 5,
            Self::Tls13 => 6,
            Self::Everything => 7,
        };
        Ipv4Addr::new(127, 0, 0, last)
    }

    /// As nginx names them; `None` without TLS.
    pub(super) fn protocols(self) -> Option<&'static str> {
        match self {
            Self::Modern => Some("TLSv1.2 TLSv1.3"),
            Self::Old => Some("TLSv1 TLSv1.1"),
            Self::Tls12 => Some("TLSv1.2"),
            Self::Tls13 => Some("TLSv1.3"),
            Self::Everything => Some("TLSv1 TLSv1.1 TLSv1.2 TLSv1.3"),
            Self::NoTls => None,
        }
    }
}

/// The content that is served without TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// A redirect to the same name with TLS.
    Redirect,
    /// The same as with TLS.
    Same,
}

/// A site. By default, the page at `/` says `ok`.
#[derive(Clone, Debug)]
pub struct Site {
    pub(super) names: Vec<String>,
    pub(super) certificate: Kind,
    pub(super) speaks: Speaks,
    pub(super) plain: Plain,
    pub(super) headers: Vec<(String, String)>,
    pub(super) pages: Vec<(String, String)>,
    pub(super) redirects: Vec<(String, String)>,
    pub(super) statuses: Vec<(String, u16)>,
    pub(super) slow: Vec<String>,
}

impl Site {
    /// A site with a good certificate, whose plain HTTP redirects to it.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            names: vec![name.to_owned()],
            certificate: Kind::Good,
            speaks: Speaks::Modern,
            plain: Plain::Redirect,
            headers: Vec::new(),
            pages: vec![("/index.html".to_owned(), "<!doctype html><title>ok</title>ok\n".to_owned())],
            redirects: Vec::new(),
            statuses: Vec::new(),
            slow: Vec::new(),
        }
    }

    /// At this name too, with the same certificate.
    #[must_use]
    pub fn also(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// With such a certificate.
    #[must_use]
    pub fn certificate(mut self, kind: Kind) -> Self {
        self.certificate = kind;
        self
    }

    /// With these versions of TLS.
    #[must_use]
    pub fn speaks(mut self, versions: Speaks) -> Self {
        self.speaks = versions;
        self
    }

    /// With this in place of TLS.
    #[must_use]
    pub fn plain(mut self, plain: Plain) -> Self {
        self.plain = plain;
        self
    }

    /// With a field in the head of each answer with TLS.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a document: the path begins with a slash.
    #[must_use]
    pub fn page(mut self, path: &str, text: &str) -> Self {
        let path = if path == "/" { "/index.html" } else { path };
        self.pages.retain(|(known, _)| known != path);
        self.pages.push((path.to_owned(), text.to_owned()));
        self
    }

    /// With a redirect (302) of one path, also where there is a document; `{https}` and `{http}` are the lab's ports.
    #[must_use]
    pub fn redirect(mut self, path: &str, to: &str) -> Self {
        self.redirects.push((path.to_owned(), to.to_owned()));
        self
    }

    /// With one path that answers with this status.
    #[must_use]
    pub fn status(mut self, path: &str, code: u16) -> Self {
        self.statuses.push((path.to_owned(), code));
        self
    }

    /// With one path that comes at a few bytes a second.
    #[must_use]
    pub fn slow(mut self, path: &str) -> Self {
        self.slow.push(path.to_owned());
        self
    }
}
