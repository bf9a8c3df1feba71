//! Senders that no domain means: what a record says of them, it says of everybody.
//!
//! Terms whose names macros make for each sender cannot be read without one, and a wildcard below such names lets in
//! whoever asks. So strangers are checked: their addresses are drawn from all that are given out, and what they call
//! themselves from what is usual and from nothing at all. The draw hangs on the time of the look, so that no zone can leave
//! them out beforehand, and on nothing else, so that a replay draws the same. What one of a family is told may be by chance,
//! or be said of a few; what two are told, everybody is told.

use std::net::{IpAddr, Ipv4Addr};

use dns::{Dns, Name};
use futures_util::future::{join, join_all};
use receipt::Timestamp;
use sha2::{Digest, Sha256};

use super::check::{Check, Problem, SpfResult};
use super::given_out;
use super::record::Qualifier;
use super::session::Session;

/// The strangers of a family.
pub const STRANGERS: usize = 4;
/// So many of them are everybody: of a record that is open to half of all addresses, two in three looks meet as many; of
/// one that is open to a hundredth, one in two thousand.
pub const ENOUGH: usize = 2;

/// What the names of strangers end in.
const TOPS: [&str; 8] = ["com", "net", "org", "de", "co.uk", "fr", "io", "com.br"];
/// What some of them write as.
const WRITERS: [&str; 8] = ["info", "admin", "sales", "contact", "support", "office", "news", "ceo"];
/// What `%{p}` is where an address has no name, or nobody asks for it (RFC 7208, 7.3).
const NAMELESS: &str = "unknown";

/// What everybody is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Told {
    /// Whoever has an IPv4 address.
    pub(super) v4: Qualifier,
    /// Whoever has an IPv6 address.
    pub(super) v6: Qualifier,
}

#[derive(Clone, Copy)]
enum Family {
    V4,
    V6,
}

/// Checks strangers of both families.
///
/// # Errors
/// What most of a family get instead of a result, or a look-up that failed before it was known.
pub(super) async fn told(dns: &dyn Dns, domain: &Name, at: Timestamp) -> Result<Told, Problem> {
    let (v4, v6) = join(family(dns, domain, at, Family::V4), family(dns, domain, at, Family::V6)).await;
    Ok(Told { v4: v4?, v6: v6? })
}

async fn family(dns: &dyn Dns, domain: &Name, at: Timestamp, family: Family) -> Result<Qualifier, Problem> {
    let strangers = (0..STRANGERS)
        .map(|nth| async move { Stranger::drawn(domain, at, family, nth).told(dns, domain).await });
    said(join_all(strangers).await)
}

/// The weakest that enough of them are told.
fn said(told: Vec<Result<Qualifier, Problem>>) -> Result<Qualifier, Problem> {
    let mut heard: Vec<Qualifier> = told.iter().filter_map(|told| told.as_ref().ok().copied()).collect();
    heard.sort_unstable_by_key(|qualifier| std::cmp::Reverse(qualifier.leaves()));
    let said = heard.get(ENOUGH - 1).copied();
    if said == Some(Qualifier::Pass) {
        return Ok(Qualifier::Pass);
    }
    let problems: Vec<Problem> = told.into_iter().filter_map(Result::err).collect();
    let failed = problems.iter().find(|problem| matches!(problem, Problem::LookUp { .. }));
    match (failed.or(problems.first()), said) {
        (Some(problem), None) => Err(problem.clone()),
        (Some(failed @ Problem::LookUp { .. }), Some(_)) => Err(failed.clone()),
        (_, said) => Ok(said.unwrap_or(Qualifier::Neutral)),
    }
}

struct Stranger {
    ip: IpAddr,
    /// What it calls itself.
    helo: String,
    /// What its address is called.
    name: String,
    mail_from: String,
}

impl Stranger {
    fn drawn(domain: &Name, at: Timestamp, family: Family, nth: usize) -> Self {
        let bits = |what: &str| {
            let family = if let Family::V4 = family { 4 } else { 6 };
            let digest = Sha256::digest(format!("{domain} {} {family} {nth} {what}", at.as_millis()));
            u128::from_be_bytes(std::array::from_fn(|at| digest[at]))
        };
        let one_of =
            |words: &[&'static str; 8], what| words[usize::try_from(bits(what) & 7).unwrap_or_default()];
        let ip = (0..u8::MAX)
            .map(|turn| address(family, bits(&format!("address {turn}"))))
            .find(|ip| fetch::address::judge(*ip).is_ok())
            .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let helo = format!("{:x}.{}", bits("host") >> 64, one_of(&TOPS, "top"));
        let is_even = nth.is_multiple_of(2);
        let name = if is_even { helo.clone() } else { NAMELESS.to_owned() };
        let writer = if is_even {
            format!("{:x}", bits("writer") >> 64)
        } else {
            one_of(&WRITERS, "writer").to_owned()
        };
        Self { ip, helo, name, mail_from: format!("{writer}@{domain}") }
    }

    async fn told(&self, dns: &dyn Dns, domain: &Name) -> Result<Qualifier, Problem> {
        let session =
            Session { ip: self.ip, helo: &self.helo, mail_from: &self.mail_from, receiver: "", at: 0 };
        let decision = Check::of_stranger(dns, &session, &self.name).decide(domain).await?;
        Ok(match decision.result {
            SpfResult::Pass => Qualifier::Pass,
            SpfResult::SoftFail => Qualifier::SoftFail,
            SpfResult::Fail => Qualifier::Fail,
            // There is a record, and errors are errors.
            SpfResult::Neutral | SpfResult::None | SpfResult::TempError | SpfResult::PermError => {
                Qualifier::Neutral
            }
        })
    }
}

/// An address of those that are given out, of which some lie in ranges of special use.
fn address(family: Family, bits: u128) -> IpAddr {
    match family {
        Family::V4 => Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap_or_default()).into(),
        Family::V6 => given_out::drawn(bits).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dns::Failure;

    use super::*;

    #[test]
    fn no_two_strangers_are_alike_and_a_replay_draws_the_same() {
        let domain = Name::parse("example.com").unwrap();
        let (mut addresses, mut helos, mut names) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for at in 0..100 {
            let at = Timestamp::from_millis(at).unwrap();
            for (family, nth) in (0..STRANGERS).flat_map(|nth| [(Family::V4, nth), (Family::V6, nth)]) {
                let drawn = Stranger::drawn(&domain, at, family, nth);
                assert_eq!(drawn.ip.is_ipv4(), matches!(family, Family::V4));
                assert_eq!(fetch::address::judge(drawn.ip), Ok(()));
                let again = Stranger::drawn(&domain, at, family, nth);
                assert_eq!(
                    (drawn.ip, &drawn.helo, &drawn.mail_from),
                    (again.ip, &again.helo, &again.mail_from)
                );
                addresses.insert(drawn.ip);
                names.insert(drawn.name);
                helos.insert(drawn.helo);
            }
        }
        assert_eq!((addresses.len(), helos.len(), names.len()), (800, 800, 401));
        for top in TOPS {
            assert!(helos.iter().any(|helo| helo.ends_with(&format!(".{top}"))), "{top}");
        }
    }

    #[test]
    fn what_two_are_told_everybody_is_told() {
        use Qualifier::{Fail, Neutral, Pass, SoftFail};
        let failed =
            || Problem::LookUp { name: Name::parse("a.example").unwrap(), failure: Failure::ServFail };
        let error = || Problem::TooManyVoidLookUps;
        for (told, expected) in [
            (vec![Ok(Fail), Ok(Fail), Ok(Fail), Ok(Fail)], Ok(Fail)),
            (vec![Ok(Pass), Ok(Fail), Ok(Fail), Ok(Fail)], Ok(Fail)),
            (vec![Ok(Pass), Ok(Fail), Ok(Pass), Ok(Fail)], Ok(Pass)),
            (vec![Ok(Pass), Ok(SoftFail), Ok(Fail), Ok(Neutral)], Ok(Neutral)),
            // Open to some is open, whatever else could not be asked.
            (vec![Ok(Pass), Ok(Pass), Err(failed()), Err(error())], Ok(Pass)),
            (vec![Ok(Pass), Ok(Fail), Err(failed()), Ok(Fail)], Err(failed())),
            (vec![Ok(Fail), Err(error()), Err(error()), Ok(Fail)], Ok(Fail)),
            (vec![Ok(Pass), Err(error()), Err(error()), Err(error())], Err(error())),
            (vec![Err(error()), Err(error()), Err(failed()), Err(error())], Err(failed())),
            (vec![Err(error()); 4], Err(error())),
        ] {
            assert_eq!(said(told.clone()), expected, "{told:?}");
        }
    }
}
