//! SPF records (RFC 7208, 4.5 and 12).

use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Serialize;

use super::macros::DomainSpec;

/// The first word of a record.
pub const VERSION: &str = "v=spf1";

/// An SPF record without syntax errors.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SpfRecord {
    /// The mechanisms, in their order.
    pub directives: Vec<Directive>,
    /// The domain whose record is evaluated if no mechanism matches; `None` where there is none.
    pub redirect: Option<DomainSpec>,
    /// The domain whose TXT record explains a fail; `None` where there is none.
    pub explanation: Option<DomainSpec>,
}

/// A mechanism with the result of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// The result of a match.
    pub qualifier: Qualifier,
    /// The mechanism that senders are compared with.
    pub mechanism: Mechanism,
}

/// The qualifier: the result of a match (4.6.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Qualifier {
    /// `+`, or no qualifier: the sender is authorized.
    Pass,
    /// `-`: the sender is not authorized.
    Fail,
    /// `~`: the sender is probably not authorized.
    SoftFail,
    /// `?`: no statement about the sender.
    Neutral,
}

impl Qualifier {
    /// The weaker of two results, which permits more senders.
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

/// A mechanism (RFC 7208, 5). A target of `None` is the domain itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mechanism {
    /// `all`: every sender.
    All,
    /// `include`: the senders that pass for another domain.
    Include(DomainSpec),
    /// `a`: the addresses of the domain.
    A(Option<DomainSpec>, DualCidr),
    /// `mx`: the addresses of the domain's mail exchangers.
    Mx(Option<DomainSpec>, DualCidr),
    /// `ptr`: the senders with a validated name within the domain.
    Ptr(Option<DomainSpec>),
    /// `ip4`: a network, as its address and prefix length, 0 to 32.
    Ip4(Ipv4Addr, u8),
    /// `ip6`: a network, as its address and prefix length, 0 to 128.
    Ip6(Ipv6Addr, u8),
    /// `exists`: the senders for which the name that macros make has an address.
    Exists(DomainSpec),
}

/// The prefix lengths with which the addresses of a domain are compared (5.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DualCidr {
    /// The prefix length for IPv4 addresses, 0 to 32.
    pub v4: u8,
    /// The prefix length for IPv6 addresses, 0 to 128.
    pub v6: u8,
}

impl DualCidr {
    /// True if a hundred such networks, the most that a record can name by its exchangers, may be a large part of all.
    pub(super) fn is_wide(self) -> bool {
        self.v4 < 16 || self.v6 < 32
    }
}

impl Mechanism {
    /// The name of the target; `None` where it is the domain itself.
    #[must_use]
    pub fn target(&self) -> Option<&DomainSpec> {
        match self {
            Self::Include(target) | Self::Exists(target) => Some(target),
            Self::A(target, _) | Self::Mx(target, _) | Self::Ptr(target) => target.as_ref(),
            Self::All | Self::Ip4(..) | Self::Ip6(..) => None,
        }
    }

    /// Returns true if the mechanism counts towards the ten terms that cause look-ups (4.6.4).
    #[must_use]
    pub fn looks_up(&self) -> bool {
        !matches!(self, Self::All | Self::Ip4(..) | Self::Ip6(..))
    }
}

impl SpfRecord {
    /// The qualifier of the record's `all`; `None` where it has none. Terms after it, and a `redirect`, have no effect
    /// (5.1).
    #[must_use]
    pub fn all(&self) -> Option<Qualifier> {
        self.directives
            .iter()
            .find(|directive| directive.mechanism == Mechanism::All)
            .map(|directive| directive.qualifier)
    }

    /// The directives that have an effect: those up to and including `all`.
    pub fn reachable(&self) -> impl Iterator<Item = &Directive> {
        let end = self.directives.iter().position(|directive| directive.mechanism == Mechanism::All);
        self.directives.iter().take(end.map_or(usize::MAX, |at| at + 1))
    }
}

/// The selection of the SPF record among the TXT records of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select<'a> {
    /// No text is an SPF record.
    None,
    /// The text of the only SPF record.
    One(&'a [u8]),
    /// There are this many SPF records, which is a permanent error.
    Several(usize),
}

/// Picks the SPF record among a name's TXT records: it begins with the version in any case, followed by a space or the
/// end (4.5).
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
