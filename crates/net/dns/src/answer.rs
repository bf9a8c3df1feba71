//! Record types, resource records and answers.

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
    /// Target of an alias: the CNAME record alone, without the records that it leads to.
    Cname,
}

/// One resource record of an answer.
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
    /// Target of an alias; the resolver leaves out a name that no query can be made for.
    Cname(Name),
}

impl Record {
    /// Type of the record.
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

/// A mail exchanger (RFC 5321, 5.1).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Mx {
    /// Preference: the exchanger with the lowest is tried first.
    pub preference: u16,
    /// The host that takes the mail.
    pub exchange: Exchange,
}

/// A CAA property (RFC 8659, 4.1), as it came.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Caa {
    /// Flags; bit 7 marks a critical property.
    pub flags: u8,
    /// Tag of the property, as it came.
    #[serde(with = "octets")]
    pub tag: Vec<u8>,
    /// Value of the property, as it came.
    #[serde(with = "octets")]
    pub value: Vec<u8>,
}

/// A TLSA record (RFC 6698, 2.1), as it came.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Tlsa {
    /// The certificate's usage: 2 and 3 are those of mail (RFC 7672, 3.1).
    pub usage: u8,
    /// Selector: the part of the certificate that is matched (RFC 6698, 2.1.2).
    pub selector: u8,
    /// Matching type: the whole, or a digest (RFC 6698, 2.1.3).
    pub matching: u8,
    /// Certificate association data, as it came.
    #[serde(with = "octets")]
    pub data: Vec<u8>,
}

/// Result of a look-up. Only the first three are facts about the zone.
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
    /// The look-up failed, so that nothing is known of the zone.
    Failed(Failure),
}

/// Reason why a look-up failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// SERVFAIL, which a validating resolver says of bogus data, too.
    #[error("the server failed")]
    ServFail,
    /// A response code other than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// The answer did not come in time.
    #[error("no answer in time")]
    TimedOut,
    /// There is no server that could be asked.
    #[error("no server can be asked")]
    Unreachable,
    /// An answer that cannot be used: of another name, truncated for good, a loop or over-long chain of aliases.
    #[error("the answer cannot be used")]
    Unusable,
}

impl Failure {
    /// Stable code of the failure, as it stands in evidence and reasons.
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

    /// True if there certainly is no such record: a void look-up (RFC 7208, 4.6.4).
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self, Self::NoData | Self::NxDomain)
    }

    /// Reason of a failed look-up; `None` where it succeeded.
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
    /// Keeps the TXT records alone.
    #[must_use]
    pub fn texts(self) -> Answer<Vec<u8>> {
        self.filter_map(|record| if let Record::Txt(text) = record { Some(text) } else { None })
    }

    /// Keeps the addresses alone, of both families.
    #[must_use]
    pub fn addresses(self) -> Answer<IpAddr> {
        self.filter_map(|record| match record {
            Record::A(address) => Some(address.into()),
            Record::Aaaa(address) => Some(address.into()),
            _ => None,
        })
    }

    /// Keeps the mail exchangers alone.
    #[must_use]
    pub fn exchangers(self) -> Answer<Mx> {
        self.filter_map(|record| if let Record::Mx(mx) = record { Some(mx) } else { None })
    }

    /// Keeps the names of an address alone (PTR).
    #[must_use]
    pub fn names(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ptr(name) = record { Some(name) } else { None })
    }

    /// Keeps the name servers alone.
    #[must_use]
    pub fn servers(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ns(name) = record { Some(name) } else { None })
    }

    /// Keeps the TLSA records alone.
    #[must_use]
    pub fn certificates(self) -> Answer<Tlsa> {
        self.filter_map(|record| if let Record::Tlsa(tlsa) = record { Some(tlsa) } else { None })
    }

    /// Keeps the targets of the CNAME records alone.
    #[must_use]
    pub fn targets(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Cname(name) = record { Some(name) } else { None })
    }

    /// Keeps the CAA properties alone.
    #[must_use]
    pub fn properties(self) -> Answer<Caa> {
        self.filter_map(|record| if let Record::Caa(caa) = record { Some(caa) } else { None })
    }
}
