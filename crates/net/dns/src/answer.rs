//! Record types, resource records and answers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

use crate::{Exchange, Name, octets};

/// A record type that can be looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Kind {
    /// TXT: texts (RFC 1035, 3.3.14).
    Txt,
    /// A: IPv4 addresses (RFC 1035, 3.4.1).
    A,
    /// AAAA: IPv6 addresses (RFC 3596).
    Aaaa,
    /// MX: mail exchangers (RFC 1035, 3.3.9).
    Mx,
    /// PTR: names of an address (RFC 1035, 3.3.12).
    Ptr,
    /// CAA: certification authority authorization (RFC 8659).
    Caa,
    /// NS: name servers (RFC 1035, 3.3.11).
    Ns,
    /// TLSA: certificate associations (RFC 6698).
    Tlsa,
    /// CNAME: the target of an alias (RFC 1035, 3.3.1). Only the CNAME record itself is looked up, without the records
    /// of its target.
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
    /// The name of an address. The resolver leaves out a name that no query can be made for.
    Ptr(Name),
    /// A CAA property.
    Caa(Caa),
    /// The name of a name server. The resolver leaves out a name that no query can be made for.
    Ns(Name),
    /// A certificate association.
    Tlsa(Tlsa),
    /// The target of an alias. The resolver leaves out a name that no query can be made for.
    Cname(Name),
}

impl Record {
    /// The type of the record.
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
    /// The preference, 0 to 65535: the exchanger with the lowest preference is tried first.
    pub preference: u16,
    /// The host that accepts the mail.
    pub exchange: Exchange,
}

/// A CAA property (RFC 8659, 4.1), with the bytes of the answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Caa {
    /// The flags; the highest bit (128) marks a critical property.
    pub flags: u8,
    /// The tag of the property, with its letters' case unchanged.
    #[serde(with = "octets")]
    pub tag: Vec<u8>,
    /// The value of the property.
    #[serde(with = "octets")]
    pub value: Vec<u8>,
}

/// A TLSA record (RFC 6698, 2.1), with the bytes of the answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Tlsa {
    /// The certificate usage, 0 to 3 (RFC 6698, 2.1.1). Mail uses 2 and 3 (RFC 7672, 3.1).
    pub usage: u8,
    /// The selector: the part of the certificate that is matched (RFC 6698, 2.1.2).
    pub selector: u8,
    /// The matching type: the whole part, or its digest (RFC 6698, 2.1.3).
    pub matching: u8,
    /// The certificate association data.
    #[serde(with = "octets")]
    pub data: Vec<u8>,
}

/// The result of a look-up. `Found`, `NoData` and `NxDomain` are facts about the zone; `Failed` is not.
///
/// # Examples
///
/// A name that does not exist has no address. A failed look-up is an error, since the name may have one.
///
/// ```
/// use std::net::Ipv4Addr;
///
/// use dns::{Answer, Failure, Record};
///
/// fn has_address(answer: Answer<Record>) -> Result<bool, Failure> {
///     Ok(!answer.addresses().records()?.is_empty())
/// }
///
/// let found = Answer::Found { records: vec![Record::A(Ipv4Addr::new(192, 0, 2, 1))], ttl: 3600 };
/// assert_eq!(has_address(found), Ok(true));
/// assert_eq!(has_address(Answer::NxDomain), Ok(false));
/// assert_eq!(has_address(Answer::Failed(Failure::ServFail)), Err(Failure::ServFail));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer<T> {
    /// The response code NOERROR with at least one record of the type, in the order of the answer.
    Found {
        /// The records; at least one.
        records: Vec<T>,
        /// The least time to live of the records and of the CNAME records before them, in seconds.
        ttl: u32,
    },
    /// The response code NOERROR: the name exists and has no record of the type.
    NoData,
    /// The response code NXDOMAIN: neither the name nor any name below it exists (RFC 8020).
    NxDomain,
    /// The look-up failed, and says nothing about the zone.
    Failed(Failure),
}

/// The reason why a look-up failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The response code SERVFAIL. A validating resolver gives it also for data whose DNSSEC signatures are not valid.
    #[error("the server failed")]
    ServFail,
    /// A response code other than NOERROR, NXDOMAIN and SERVFAIL.
    #[error("the server refused")]
    Refused,
    /// The answer did not come in time.
    #[error("no answer in time")]
    TimedOut,
    /// No name server could be reached.
    #[error("no server can be asked")]
    Unreachable,
    /// The answer cannot be used: it is for another name, it is truncated over TCP too, or its chain of aliases is a
    /// loop or too long.
    #[error("the answer cannot be used")]
    Unusable,
}

impl Failure {
    /// The stable code of the failure, as evidence and reasons have it.
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
    /// The records; an empty vector where the name certainly has none.
    ///
    /// # Errors
    ///
    /// The [`Failure`] of the look-up.
    pub fn records(self) -> Result<Vec<T>, Failure> {
        match self {
            Self::Found { records, .. } => Ok(records),
            Self::NoData | Self::NxDomain => Ok(Vec::new()),
            Self::Failed(failure) => Err(failure),
        }
    }

    /// Returns true if there certainly is no such record, which is a void look-up (RFC 7208, 4.6.4).
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self, Self::NoData | Self::NxDomain)
    }

    /// The reason of a failed look-up; `None` where it succeeded.
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
    /// Keeps only the TXT records.
    #[must_use]
    pub fn texts(self) -> Answer<Vec<u8>> {
        self.filter_map(|record| if let Record::Txt(text) = record { Some(text) } else { None })
    }

    /// Keeps only the addresses, of both families.
    #[must_use]
    pub fn addresses(self) -> Answer<IpAddr> {
        self.filter_map(|record| match record {
            Record::A(address) => Some(address.into()),
            Record::Aaaa(address) => Some(address.into()),
            _ => None,
        })
    }

    /// Keeps only the mail exchangers.
    #[must_use]
    pub fn exchangers(self) -> Answer<Mx> {
        self.filter_map(|record| if let Record::Mx(mx) = record { Some(mx) } else { None })
    }

    /// Keeps only the names of an address (PTR).
    #[must_use]
    pub fn names(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ptr(name) = record { Some(name) } else { None })
    }

    /// Keeps only the name servers.
    #[must_use]
    pub fn servers(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Ns(name) = record { Some(name) } else { None })
    }

    /// Keeps only the TLSA records.
    #[must_use]
    pub fn certificates(self) -> Answer<Tlsa> {
        self.filter_map(|record| if let Record::Tlsa(tlsa) = record { Some(tlsa) } else { None })
    }

    /// Keeps only the targets of the CNAME records.
    #[must_use]
    pub fn targets(self) -> Answer<Name> {
        self.filter_map(|record| if let Record::Cname(name) = record { Some(name) } else { None })
    }

    /// Keeps only the CAA properties.
    #[must_use]
    pub fn properties(self) -> Answer<Caa> {
        self.filter_map(|record| if let Record::Caa(caa) = record { Some(caa) } else { None })
    }
}
