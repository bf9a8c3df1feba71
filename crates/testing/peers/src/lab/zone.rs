//! Zones, written line by line.

use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

/// The chain of trust of a zone: its signatures, and the parent's record of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Signed, and the parent has its key's digest.
    Signed,
    /// Not signed, and the parent says so.
    Plain,
    /// Signed, and the parent has the digest of another key.
    Bogus,
    /// Not signed, and the parent has the digest of a key.
    Broken,
    /// Signed two months ago for two weeks, and the parent has its key's digest.
    Lapsed,
    /// Not signed, and the parent has the digest of a key whose algorithm nobody knows: as good as plain.
    UnknownAlgorithm,
    /// Not knot's: the server there answers for it, without signatures.
    Elsewhere(SocketAddr),
}

/// The digest of no key: what is wrong with `bogus.test` and `broken.test`.
const WRONG_DIGEST: &str = "12345 13 2 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A digest for an algorithm that no one has been given yet.
const UNKNOWN_ALGORITHM: &str =
    "12345 200 2 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A zone under the lab's root.
#[derive(Clone, Debug)]
pub struct Zone {
    name: String,
    pub(super) trust: Trust,
    pub(super) policy: Policy,
    servers: Vec<String>,
    records: String,
}

/// The policy by which knot signs a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Policy {
    /// As knot names it; keymgr leaves the hyphens out.
    pub(super) algorithm: &'static str,
    /// NSEC3 records instead of NSEC.
    pub(super) is_hashed: bool,
}

impl Policy {
    pub(super) fn id(self) -> String {
        format!("{}-{}", self.algorithm, if self.is_hashed { "nsec3" } else { "nsec" })
    }
}

impl Zone {
    fn new(name: &str, trust: Trust) -> Self {
        let name = name.trim_end_matches('.').to_owned();
        let policy = Policy { algorithm: "ecdsap256sha256", is_hashed: false };
        Self { name, trust, policy, servers: vec!["ns.test.".to_owned()], records: String::new() }
    }

    /// Signed, with its key's digest in the parent.
    #[must_use]
    pub fn signed(name: &str) -> Self {
        Self::new(name, Trust::Signed)
    }

    /// Not signed.
    #[must_use]
    pub fn plain(name: &str) -> Self {
        Self::new(name, Trust::Plain)
    }

    /// Signed, with another key's digest in the parent.
    #[must_use]
    pub fn bogus(name: &str) -> Self {
        Self::new(name, Trust::Bogus)
    }

    /// Not signed, though the parent has a key's digest.
    #[must_use]
    pub fn broken(name: &str) -> Self {
        Self::new(name, Trust::Broken)
    }

    /// Signed by the right key, but the signatures have ended.
    #[must_use]
    pub fn lapsed(name: &str) -> Self {
        Self::new(name, Trust::Lapsed)
    }

    /// Not signed, under a digest for an algorithm that no validator knows: insecure, not bogus (RFC 4035, 5.2).
    #[must_use]
    pub fn unknown_algorithm(name: &str) -> Self {
        Self::new(name, Trust::UnknownAlgorithm)
    }

    /// Not served by knot but by whatever is at this address.
    #[must_use]
    pub fn elsewhere(name: &str, server: SocketAddr) -> Self {
        Self::new(name, Trust::Elsewhere(server))
    }

    /// With keys of this algorithm, as knot names it, and NSEC3 records instead of NSEC or not.
    #[must_use]
    pub fn signed_by(mut self, algorithm: &'static str, is_hashed: bool) -> Self {
        self.policy = Policy { algorithm, is_hashed };
        self
    }

    /// With one more line of the zone file, without its TTL: `@ MX 10 mail`, `_dmarc TXT "v=DMARC1; p=reject"`. A
    /// name that does not end in a dot is under the zone.
    #[must_use]
    pub fn with(mut self, line: &str) -> Self {
        self.add(line);
        self
    }

    pub(super) fn add(&mut self, line: &str) {
        self.records.push_str(line);
        self.records.push('\n');
    }

    /// An address of a name in it, unless its lines have the name already.
    pub(super) fn give_address(&mut self, name: &str, address: IpAddr) {
        let relative = name.strip_suffix(&self.name).map(|left| left.trim_end_matches('.')).unwrap_or(name);
        let owner = if relative.is_empty() { "@" } else { relative };
        let is_there = self.records.lines().any(|line| {
            let mut fields = line.split(' ');
            fields.next() == Some(owner) && matches!(fields.next(), Some("A" | "CNAME"))
        });
        if !is_there && self.is_here() {
            self.add(&format!("{owner} A {address}"));
        }
    }

    /// With a text of any length, in strings of 255 bytes.
    #[must_use]
    pub fn with_text(self, owner: &str, text: &str) -> Self {
        let strings: Vec<_> = text
            .as_bytes()
            .chunks(255)
            .map(|part| {
                format!("\"{}\"", str::from_utf8(part).unwrap().replace('\\', "\\\\").replace('"', "\\\""))
            })
            .collect();
        self.with(&format!("{owner} TXT {}", strings.join(" ")))
    }

    /// With these name servers instead of the lab's one.
    #[must_use]
    pub fn served_by(mut self, servers: &[&str]) -> Self {
        self.servers = servers.iter().map(|server| (*server).to_owned()).collect();
        self
    }

    /// The zone's name without the last dot; the root's is empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if knot signs the zone when it loads it.
    pub(super) fn is_signed(&self) -> bool {
        matches!(self.trust, Trust::Signed | Trust::Bogus)
    }

    /// Returns true if the zone has a key.
    pub(super) fn has_key(&self) -> bool {
        self.is_signed() || self.trust == Trust::Lapsed
    }

    /// The zone's own name, and those that have a record in it.
    pub(super) fn owners(&self) -> impl Iterator<Item = String> {
        let absolute = |owner: &str| match owner.strip_suffix('.') {
            Some(absolute) => absolute.to_owned(),
            None if owner == "@" => self.name.clone(),
            None => format!("{owner}.{}", self.name),
        };
        let owners = self.records.lines().filter_map(|line| Some(line.split_once(' ')?.0));
        std::iter::once("@").chain(owners).map(absolute)
    }

    /// Returns true if knot serves the zone.
    pub(super) fn is_here(&self) -> bool {
        !matches!(self.trust, Trust::Elsewhere(_))
    }

    /// Returns true if a name is in the zone, however deep.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.name.is_empty()
            || name.strip_suffix(&self.name).is_some_and(|left| left.is_empty() || left.ends_with('.'))
    }

    /// Adds the records in the parent zone that delegate a child zone. `digest` is that of the child's key.
    pub(super) fn delegate(&mut self, child: &Self, digest: Option<&str>) {
        for server in &child.servers {
            let server =
                if server.ends_with('.') { server.clone() } else { format!("{server}.{}.", child.name) };
            let _ = writeln!(self.records, "{}. NS {server}", child.name);
        }
        let digest = match child.trust {
            Trust::Signed | Trust::Lapsed => digest,
            Trust::Bogus | Trust::Broken => Some(WRONG_DIGEST),
            Trust::Plain | Trust::Elsewhere(_) => None,
            Trust::UnknownAlgorithm => Some(UNKNOWN_ALGORITHM),
        };
        if let Some(digest) = digest {
            let _ = writeln!(self.records, "{}. DS {digest}", child.name);
        }
    }

    /// The zone file.
    pub(super) fn text(&self) -> String {
        let mut text =
            format!("$ORIGIN {}.\n$TTL 300\n@ SOA ns.test. h.test. 1 600 300 86400 60\n", self.name);
        for server in &self.servers {
            let _ = writeln!(text, "@ NS {server}");
        }
        text + &self.records
    }
}
