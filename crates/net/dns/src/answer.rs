//! What a look-up may ask for and what may come back.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::{Exchange, Name, octets};

/// A record type that the evaluators ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Kind {
    /// Text.
    Txt,
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Mail exchangers.
    Mx,
    /// Names of an address.
    Ptr,
    /// Certification authority authorization.
    Caa,
    /// Name servers.
    Ns,
    /// Certificates by name (RFC 6698).
    Tlsa,
    /// What the name is an alias of: that alone, without what it leads to.
    Cname,
}

/// One record of an answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Record {
    /// The character strings of one TXT record, joined without anything between (RFC 7208, 3.3; RFC 9989, 4.5).
    Txt(#[serde(with = "octets")] Vec<u8>),
    /// An IPv4 address.
    A(Ipv4Addr),
    /// An IPv6 address.
    Aaaa(Ipv6Addr),
    /// A mail exchanger.
    Mx(Mx),
    /// A name; one that no query can be made for is left out by the resolver.
    Ptr(Name),
    /// A CAA property.
    Caa(Caa),
    /// A name server; one that no query can be made for is left out by the resolver.
    Ns(Name),
    /// A certificate, or what it is told by.
    Tlsa(Tlsa),
    /// What a name is an alias of; one that no query can be made for is left out by the resolver.
    Cname(Name),
}

impl Record {
    /// The record's type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Txt(_) => Kind::Txt,
            Self::A(_) => Kind::A,
            Self::Aaaa(_) => Kind::Aaaa,
            Self::Mx(_) => Kind::Mx,
            Self::Ptr(_) => Kind::Ptr,
            Self::Caa(_) => Kind::Caa,
            Self::Ns(_) => Kind::Ns,
            Self::Tlsa(_) => Kind::Tlsa,
            Self::Cname(_) => Kind::Cname,
        }
    }
}

/// A mail exchanger.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Mx {
    /// The lower, the sooner it is tried.
    pub preference: u16,
    /// Whom it names.
    pub exchange: Exchange,
}

/// A CAA property (RFC 8659, 4.1), as it came.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Caa {
    /// The flags byte.
    pub flags: u8,
    /// The property's tag.
    #[serde(with = "octets")]
    pub tag: Vec<u8>,
    /// The property's value.
    #[serde(with = "octets")]
    pub value: Vec<u8>,
}

/// A TLSA record (RFC 6698, 2.1), as it came.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Tlsa {
    /// The certificate's usage: 2 and 3 are those of mail (RFC 7672, 3.1).
    pub usage: u8,
    /// Which part of the certificate.
    pub selector: u8,
    /// How that is told.
    pub matching: u8,
    /// What it is told by.
    #[serde(with = "octets")]
    pub data: Vec<u8>,
}

/// What a look-up found out. Only the first three are facts about the zone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer<T> {
    /// NOERROR with at least one record of the kind, in the order in which they came.
    Found {
        /// The records, never none.
        records: Vec<T>,
        /// The least time to live among them and the CNAME records on the way, in seconds.
        ttl: u32,
    },
    /// NOERROR, the name is there and has none of the kind.
    NoData,
    /// NXDOMAIN: the name is not there, and nothing is below it (RFC 8020).
    NxDomain,
    /// Nothing was found out.
    Failed(Failure),
}

/// Why nothing was found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// SERVFAIL, which a validating resolver says of bogus data, too.
    #[error("the server failed")]
    ServFail,
    /// Another response code than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// No answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// No server that could be asked.
    #[error("no server can be asked")]
    Unreachable,
    /// An answer that cannot be used: of another name, truncated for good, a loop or over-long chain of aliases.
    #[error("the answer cannot be used")]
    Unusable,
}

impl Failure {
    /// A stable code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ServFail => "dns_servfail",
            Self::Refused => "dns_refused",
            Self::TimedOut => "dns_timed_out",
            Self::Unreachable => "dns_unreachable",
            Self::Unusable => "dns_unusable",
        }
    }
}

impl<T> Answer<T> {
    /// The records; none where there are none for sure.
    ///
    /// # Errors
    /// Nothing was found out.
    pub fn records(self) -> Result<Vec<T>, Failure> {
        match self {
            Self::Found { records, .. } => Ok(records),
            Self::NoData | Self::NxDomain => Ok(Vec::new()),
            Self::Failed(failure) => Err(failure),
        }
    }

    /// Whether there is no such record for sure: a void look-up, as RFC 7208 (4.6.4) has it.
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self, Self::NoData | Self::NxDomain)
    }

    /// Why nothing was found out.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        if let Self::Failed(failure) = self { Some(*failure) } else { None }
    }

    /// The answer with those records only for which `keep` gives something.
    fn filter_map<U>(self, keep: impl FnMut(T) -> Option<U>) -> Answer<U> {
        match self {
            Self::Found { records, ttl } => {
                let records: Vec<U> = records.into_iter().filter_map(keep).collect();
                if records.is_empty() { Answer::NoData } else { Answer::Found { records, ttl } }
            }
            Self::NoData => Answer::NoData,
            Self::NxDomain => Answer::NxDomain,
            Self::Failed(failure) => Answer::Failed(failure),
        }
    }
}

impl Answer<Record> {
    /// The TXT records.
    #[must_use]
    pub fn texts(self) -> Answer<Vec<u8>> {
        self.filter_map(|record| if let Record::Txt(text) = record { Some(text) } else { None })
    }

    /// The addresses, of both families.
    #[must_use]
    pub fn addresses(self) -> Answer<IpAddr> {
        self.filter_map(|record| match record {
            Record::A(address) => Some(address.into()),
            Record::Aaaa(address) => Some(address.into()),
            _ => None,
        })
    }

    /// The mail exchangers.
    #[must_use]
    pub fn exchangers(self) -> Answer<Mx> {
        self.filter_map(|record| if let Record::Mx(mx) = record { Some(mx) } else { None })
    }

    /// The names of an address.
    #[must_use]
    pub fn names(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ptr(name) = record { Some(name) } else { None })
    }

    /// The name servers.
    #[must_use]
    pub fn servers(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ns(name) = record { Some(name) } else { None })
    }

    /// The TLSA records.
    #[must_use]
    pub fn certificates(self) -> Answer<Tlsa> {
        self.filter_map(|record| if let Record::Tlsa(tlsa) = record { Some(tlsa) } else { None })
    }

    /// What the name is an alias of.
    #[must_use]
    pub fn targets(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Cname(name) = record { Some(name) } else { None })
    }

    /// The CAA properties.
    #[must_use]
    pub fn properties(self) -> Answer<Caa> {
        self.filter_map(|record| if let Record::Caa(caa) = record { Some(caa) } else { None })
    }
}
