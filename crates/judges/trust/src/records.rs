//! The DNS records of a domain, looked up concurrently.
//!
//! The same code runs twice: over name servers, whose answers a [`RecordingResolver`](dns::RecordingResolver) keeps, and
//! then over the [`DnsTranscript`](dns::DnsTranscript) of these, from which alone a finding is made.

use std::net::IpAddr;

use dns::{Answer, Dns, Exchange, Kind, MAX_ALIASES, Mx, Name, Tlsa};
use domain_name::Subject;
use futures_util::future::{join, join_all};
use mail_records::caa::{self, RelevantSet};
use mail_records::dmarc::{self, Discovery};
use mail_records::spf::{self, SpfAssessment};
use verdict::Timestamp;

/// Maximum number of mail exchangers whose TLSA records are looked up.
pub const MAX_EXCHANGERS: usize = 8;
/// Maximum number of name servers whose addresses are looked up.
pub const MAX_SERVERS: usize = 13;

/// Records of a domain in the DNS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    /// Target of the name's alias (CNAME).
    pub alias: Alias,
    /// The addresses of the name.
    pub addresses: Addresses,
    /// Assessment of the name's SPF.
    pub spf: SpfAssessment,
    /// Policy discovery of the name's DMARC.
    pub dmarc: Discovery,
    /// The relevant CAA record set of the name (RFC 8659, section 3).
    pub caa: RelevantSet,
    /// The mail exchangers of the name, and their TLSA records.
    pub mail: Mail,
    /// The TXT records at `_mta-sts` (RFC 8461, 3.1).
    pub mta_sts: Answer<Vec<u8>>,
    /// The TXT records at `_smtp._tls` (RFC 8460, 3).
    pub tls_rpt: Answer<Vec<u8>>,
    /// The TXT records at `default._bimi`, BIMI's default selector.
    pub bimi: Answer<Vec<u8>>,
    /// The name servers of the registrable name, and their addresses.
    pub servers: NameServerRecords,
}

/// Target of a name's alias (CNAME). A name with an alias has no other records (RFC 1034, 3.6.2).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Alias {
    /// The name is no alias.
    None,
    /// The name is an alias of this name, at the end of the chain.
    Of(Name),
    /// The alias could not be looked up.
    Unknown,
}

/// The addresses of a name, by family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// IPv4 addresses.
    pub v4: Answer<IpAddr>,
    /// IPv6 addresses.
    pub v6: Answer<IpAddr>,
}

/// The mail exchangers of a name, and the TLSA records of their port 25.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mail {
    /// Mail exchangers (MX).
    pub exchangers: Answer<Mx>,
    /// The TLSA records of port 25 by exchanger; those of the name itself if it has no MX record (RFC 5321, 5.1).
    pub certificates: Vec<(Name, Answer<Tlsa>)>,
}

/// Name servers and their addresses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameServerRecords {
    /// Names of the servers (NS).
    pub names: Answer<Name>,
    /// Addresses of the servers, by name.
    pub addresses: Vec<(Name, Addresses)>,
}

/// Looks all records of a domain up through `dns`, concurrently. `at` is the time of the evaluation.
pub async fn read(dns: &dyn Dns, subject: &Subject, at: Timestamp) -> Records {
    let name = Name::from(&subject.name);
    let registrable = Name::from(&subject.registrable);
    let of_alias = join(alias(dns, &name), addresses(dns, &name));
    let of_name = join(of_alias, join(spf::assess(dns, &name, at), dmarc::discover(dns, &name)));
    let of_texts =
        join_all(["_mta-sts", "_smtp._tls", "default._bimi"].map(|label| texts(dns, &name, label)));
    let of_others = join(caa::relevant_set(dns, &name), join(mail(dns, &name), servers(dns, &registrable)));
    let (((alias, addresses), (spf, dmarc)), (texts, (caa, (mail, servers)))) =
        join(of_name, join(of_texts, of_others)).await;
    let mut texts = texts.into_iter();
    let [mta_sts, tls_rpt, bimi] = std::array::from_fn(|_| texts.next().expect("an answer for each label"));
    Records { alias, addresses, spf, dmarc, caa, mail, mta_sts, tls_rpt, bimi, servers }
}

/// Follows a name's chain of aliases to its end.
async fn alias(dns: &dyn Dns, name: &Name) -> Alias {
    let mut end: Option<Name> = None;
    for _ in 0..MAX_ALIASES {
        match dns.look_up(end.as_ref().unwrap_or(name), Kind::Cname).await.targets() {
            Answer::Found { records, .. } => end = records.into_iter().next(),
            Answer::NoData | Answer::NxDomain => return end.map_or(Alias::None, Alias::Of),
            Answer::Failed(_) => return Alias::Unknown,
        }
    }
    Alias::Unknown
}

/// The addresses of a name.
async fn addresses(dns: &dyn Dns, name: &Name) -> Addresses {
    let (v4, v6) = join(dns.look_up(name, Kind::A), dns.look_up(name, Kind::Aaaa)).await;
    Addresses { v4: v4.addresses(), v6: v6.addresses() }
}

/// The texts below a name; none below one that is too long to have them.
async fn texts(dns: &dyn Dns, name: &Name, label: &str) -> Answer<Vec<u8>> {
    match name.below(label) {
        Ok(name) => dns.look_up(&name, Kind::Txt).await.texts(),
        Err(_) => Answer::NoData,
    }
}

async fn mail(dns: &dyn Dns, name: &Name) -> Mail {
    let exchangers = dns.look_up(name, Kind::Mx).await.exchangers();
    let hosts: Vec<Name> = match &exchangers {
        Answer::Found { records, .. } => {
            records.iter().filter_map(|mx| mx.exchange.host().cloned()).take(MAX_EXCHANGERS).collect()
        }
        Answer::NoData => vec![name.clone()],
        Answer::NxDomain | Answer::Failed(_) => Vec::new(),
    };
    let certificates = hosts.into_iter().map(async |host| {
        let answer = match host.below("_25._tcp") {
            Ok(place) => dns.look_up(&place, Kind::Tlsa).await.certificates(),
            Err(_) => Answer::NoData,
        };
        (host, answer)
    });
    Mail { exchangers, certificates: join_all(certificates).await }
}

async fn servers(dns: &dyn Dns, registrable: &Name) -> NameServerRecords {
    let names = dns.look_up(registrable, Kind::Ns).await.servers();
    let listed = match &names {
        Answer::Found { records, .. } => records.iter().take(MAX_SERVERS).cloned().collect(),
        _ => Vec::new(),
    };
    let addresses = listed.into_iter().map(async |name: Name| {
        let found = addresses(dns, &name).await;
        (name, found)
    });
    NameServerRecords { addresses: join_all(addresses).await, names }
}

impl Addresses {
    /// Returns true if both families were looked up and have no address.
    #[must_use]
    pub fn are_absent(&self) -> bool {
        self.v4.is_void() && self.v6.is_void()
    }
}

impl Mail {
    /// Returns true if the name has a null MX and so accepts no mail (RFC 7505).
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.exchangers, Answer::Found { records, .. }
            if matches!(records.as_slice(), [Mx { preference: 0, exchange: Exchange::Root }]))
    }

    /// Returns the number of exchangers that were not looked up: those beyond [`MAX_EXCHANGERS`], and those whose name
    /// is invalid for a look-up.
    #[must_use]
    pub fn left_out(&self) -> usize {
        match &self.exchangers {
            Answer::Found { records, .. } => {
                let named = records.iter().filter(|mx| mx.exchange != Exchange::Root).count();
                named.saturating_sub(self.certificates.len())
            }
            Answer::NoData | Answer::NxDomain | Answer::Failed(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use dns::{Failure, Record, Zone};
    use domain_name::{PublicSuffixes, Rules};
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_alias_is_followed_to_its_end() {
        let name = |text: &str| Name::parse(text).unwrap();
        let mut zone = Zone::default().with(&name("c.example.com"), Record::A([192, 0, 2, 1].into()));
        zone.alias(&name("a.example.com"), name("b.example.com"));
        zone.alias(&name("b.example.com"), name("c.example.com"));
        zone.alias(&name("gone.example.com"), name("nowhere.example.com"));
        zone.alias(&name("loop.example.com"), name("loop.example.com"));
        zone.alias(&name("half.example.com"), name("broken.example.com"));
        zone.fail(&name("broken.example.com"), Failure::ServFail);
        let of = |text: &str| alias(&zone, &name(text)).now_or_never().unwrap();
        assert_eq!(of("a.example.com"), Alias::Of(name("c.example.com")));
        assert_eq!(of("c.example.com"), Alias::None);
        assert_eq!(of("gone.example.com"), Alias::Of(name("nowhere.example.com")));
        assert_eq!([of("loop.example.com"), of("half.example.com")], [Alias::Unknown, Alias::Unknown]);
    }

    fn mail(exchangers: &[(u16, Exchange)]) -> Mail {
        let name = Name::parse("example.com").unwrap();
        let mut zone = Zone::default();
        for (preference, exchange) in exchangers {
            zone.add(&name, Record::Mx(Mx { preference: *preference, exchange: exchange.clone() }));
        }
        let subject = Subject::parse("example.com", &PublicSuffixes::bundled(), &Rules::default()).unwrap();
        read(&zone, &subject, Timestamp::EPOCH).now_or_never().unwrap().mail
    }

    #[test]
    fn only_the_root_alone_says_that_there_is_no_mail() {
        assert!(mail(&[(0, Exchange::Root)]).is_null());
        let host = Exchange::Host(Name::parse("mx.example.com").unwrap());
        for exchangers in [
            &[(0, Exchange::Unusable)][..],
            &[(10, Exchange::Root)],
            &[(0, Exchange::Root), (0, Exchange::Unusable)],
            &[(0, Exchange::Root), (10, host)],
        ] {
            assert!(!mail(exchangers).is_null(), "{exchangers:?}");
        }
    }

    #[test]
    fn exchangers_that_were_not_looked_at_are_counted() {
        let host = |n: usize| (10, Exchange::Host(Name::parse(&format!("mx{n}.example.com")).unwrap()));
        let many: Vec<(u16, Exchange)> = (0..MAX_EXCHANGERS + 2).map(host).collect();
        assert_eq!((mail(&many).certificates.len(), mail(&many).left_out()), (MAX_EXCHANGERS, 2));
        assert_eq!(mail(&[host(1), (20, Exchange::Unusable)]).left_out(), 1);
        assert_eq!(mail(&[(0, Exchange::Root)]).left_out(), 0);
        assert_eq!(mail(&[]).left_out(), 0);
    }
}
