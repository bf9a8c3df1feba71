//! SPF records (RFC 7208, 4.5 and 12).

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Serialize;

use super::macros::DomainSpec;

/// The first word of a record.
pub const VERSION: &str = "v=spf1";

/// A record, free of syntax errors.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SpfRecord {
    /// The mechanisms, in their order.
    pub directives: Vec<Directive>,
    /// Domain whose record decides where no mechanism matches.
    pub redirect: Option<DomainSpec>,
    /// Domain whose TXT record explains a fail.
    pub explanation: Option<DomainSpec>,
}

/// A mechanism and what it means where it matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// Result of a match.
    pub qualifier: Qualifier,
    /// Mechanism that senders are matched with.
    pub mechanism: Mechanism,
}

/// Result of a match (4.6.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Qualifier {
    /// `+`, or none.
    Pass,
    /// `-`.
    Fail,
    /// `~`.
    SoftFail,
    /// `?`.
    Neutral,
}

impl Qualifier {
    /// The one that leaves senders more.
    #[must_use]
    pub fn weaker(self, other: Self) -> Self {
        if other.leaves() > self.leaves() { other } else { self }
    }

    /// Rank by freedom left to senders: 0 for fail, 3 for pass.
    pub(super) fn leaves(self) -> u8 {
        match self {
            Self::Fail => 0,
            Self::SoftFail => 1,
            Self::Neutral => 2,
            Self::Pass => 3,
        }
    }
}

/// A mechanism (RFC 7208, 5). A target that is `None` is the domain itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// Every sender.
    All,
    /// Senders that pass for another domain.
    Include(DomainSpec),
    /// The domain's own addresses.
    A(Option<DomainSpec>, DualCidr),
    /// Addresses of the domain's mail exchangers.
    Mx(Option<DomainSpec>, DualCidr),
    /// Senders whose validated name is within the domain.
    Ptr(Option<DomainSpec>),
    /// A network.
    Ip4(Ipv4Addr, u8),
    /// A network.
    Ip6(Ipv6Addr, u8),
    /// Senders for which a name exists that macros made.
    Exists(DomainSpec),
}

/// The lengths of the prefixes that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DualCidr {
    /// Prefix length for IPv4 addresses, at most 32.
    pub v4: u8,
    /// Prefix length for IPv6 addresses, at most 128.
    pub v6: u8,
}

impl DualCidr {
    /// True if a hundred such networks, the most that a record can name by its exchangers, may be a large part of all.
    pub(super) fn is_wide(self) -> bool {
        self.v4 < 16 || self.v6 < 32
    }
}

impl Mechanism {
    /// The name that a domain-spec makes; none where the domain itself is meant.
    #[must_use]
    pub fn target(&self) -> Option<&DomainSpec> {
        match self {
            Self::Include(target) | Self::Exists(target) => Some(target),
            Self::A(target, _) | Self::Mx(target, _) | Self::Ptr(target) => target.as_ref(),
            Self::All | Self::Ip4(..) | Self::Ip6(..) => None,
        }
    }

    /// True if the mechanism counts towards the ten terms that cause look-ups (4.6.4).
    #[must_use]
    pub fn looks_up(&self) -> bool {
        !matches!(self, Self::All | Self::Ip4(..) | Self::Ip6(..))
    }
}

impl SpfRecord {
    /// Qualifier of the record's `all`. A term after it is never reached, nor is a redirect (5.1).
    #[must_use]
    pub fn all(&self) -> Option<Qualifier> {
        self.directives
            .iter()
            .find(|directive| directive.mechanism == Mechanism::All)
            .map(|directive| directive.qualifier)
    }

    /// The directives that can be reached: those before `all`, and `all`.
    pub fn reachable(&self) -> impl Iterator<Item = &Directive> {
        let end = self.directives.iter().position(|directive| directive.mechanism == Mechanism::All);
        self.directives.iter().take(end.map_or(usize::MAX, |at| at + 1))
    }
}

/// Selection of the SPF record among a name's TXT records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select<'a> {
    /// There is none.
    None,
    /// The record.
    One(&'a [u8]),
    /// There are several, which is a permanent error.
    Several(usize),
}

/// Picks the SPF record among a name's TXT records: the version is a word of its own, in any case (4.5).
#[must_use]
pub fn select(texts: &[Vec<u8>]) -> Select<'_> {
    let mut records = texts.iter().filter(|text| is_spf(text));
    match (records.next(), records.count()) {
        (None, _) => Select::None,
        (Some(record), 0) => Select::One(record),
        (Some(_), others) => Select::Several(others + 1),
    }
}

fn is_spf(text: &[u8]) -> bool {
    text.split_at_checked(VERSION.len()).is_some_and(|(version, rest)| {
        version.eq_ignore_ascii_case(VERSION.as_bytes()) && rest.first().is_none_or(|byte| *byte == b' ')
    })
}
