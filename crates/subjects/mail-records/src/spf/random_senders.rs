//! Random senders: the result that a record gives to everybody if its terms depend on the sender.
//!
//! A term whose name contains macros about the sender (RFC 7208, 7) cannot be evaluated without a sender, and a
//! wildcard record below such names permits everybody. So the record is evaluated for senders that no domain intends to
//! permit: [`RANDOM_SENDERS`] of each address family, with addresses drawn from all that are allocated, and names drawn
//! from usual ones and from nothing. If [`OPEN_THRESHOLD`] of a family get a result, it counts as the result for any
//! sender of that family. One result may be chance, or hold for a few networks alone.
//!
//! The draw depends on the domain and on the time of the look. A zone cannot exclude the senders in advance, and a
//! replay draws the same senders.

use std::net::{IpAddr, Ipv4Addr};

use dns::{Dns, Name};
use futures_util::future::{join, join_all};
use receipt::Timestamp;
use sha2::{Digest, Sha256};

use super::allocated_ipv6;
use super::check::{Evaluation, Problem, SpfResult};
use super::record::Qualifier;
use super::session::Session;

/// Number of random senders of each address family.
pub const RANDOM_SENDERS: usize = 4;
/// Number of random senders of a family that must pass before the record counts as open to the whole family. A record
/// that is open to half of all addresses reaches this number in two of three look-ups, and one that is open to a
/// hundredth in one of two thousand.
pub const OPEN_THRESHOLD: usize = 2;

/// Public suffixes of the random senders' names.
const TOPS: [&str; 8] = ["com", "net", "org", "de", "co.uk", "fr", "io", "com.br"];
/// Local parts of some of the random senders' mailboxes.
const WRITERS: [&str; 8] = ["info", "admin", "sales", "contact", "support", "office", "news", "ceo"];
/// Value of `%{p}` where an address has no validated name (RFC 7208, 7.3).
const NAMELESS: &str = "unknown";

/// Results that count for any sender, by address family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RandomSenderResults {
    /// Result for senders with an IPv4 address.
    pub(super) v4: Qualifier,
    /// Result for senders with an IPv6 address.
    pub(super) v6: Qualifier,
}

#[derive(Clone, Copy)]
enum IpFamily {
    V4,
    V6,
}

/// Evaluates the record of a domain for random senders of both address families.
///
/// # Errors
/// The problem that a family's senders get instead of a result, or a look-up that failed before the result was certain.
pub(super) async fn check(
    dns: &dyn Dns,
    domain: &Name,
    at: Timestamp,
) -> Result<RandomSenderResults, Problem> {
    let (v4, v6) = join(family(dns, domain, at, IpFamily::V4), family(dns, domain, at, IpFamily::V6)).await;
    Ok(RandomSenderResults { v4: v4?, v6: v6? })
}

async fn family(dns: &dyn Dns, domain: &Name, at: Timestamp, family: IpFamily) -> Result<Qualifier, Problem> {
    let random_senders = (0..RANDOM_SENDERS)
        .map(|nth| async move { RandomSender::drawn(domain, at, family, nth).result(dns, domain).await });
    result_of_family(join_all(random_senders).await)
}

/// The weakest qualifier that [`OPEN_THRESHOLD`] of a family's senders get.
fn result_of_family(results: Vec<Result<Qualifier, Problem>>) -> Result<Qualifier, Problem> {
    let mut qualifiers: Vec<Qualifier> =
        results.iter().filter_map(|result| result.as_ref().ok().copied()).collect();
    qualifiers.sort_unstable_by_key(|qualifier| std::cmp::Reverse(qualifier.leaves()));
    let common = qualifiers.get(OPEN_THRESHOLD - 1).copied();
    if common == Some(Qualifier::Pass) {
        return Ok(Qualifier::Pass);
    }
    let problems: Vec<Problem> = results.into_iter().filter_map(Result::err).collect();
    let failed = problems.iter().find(|problem| matches!(problem, Problem::LookUp { .. }));
    match (failed.or(problems.first()), common) {
        (Some(problem), None) => Err(problem.clone()),
        (Some(failed @ Problem::LookUp { .. }), Some(_)) => Err(failed.clone()),
        (_, common) => Ok(common.unwrap_or(Qualifier::Neutral)),
    }
}

/// A sender that no domain means.
struct RandomSender {
    ip: IpAddr,
    /// Name in HELO.
    helo: String,
    /// Validated name of the address.
    name: String,
    mail_from: String,
}

impl RandomSender {
    fn drawn(domain: &Name, at: Timestamp, family: IpFamily, nth: usize) -> Self {
        let bits = |what: &str| {
            let family = if let IpFamily::V4 = family { 4 } else { 6 };
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

    /// The qualifier that this sender gets; neutral where the record says nothing.
    async fn result(&self, dns: &dyn Dns, domain: &Name) -> Result<Qualifier, Problem> {
        let session =
            Session { ip: self.ip, helo: &self.helo, mail_from: &self.mail_from, receiver: "", at: 0 };
        let decision = Evaluation::of_random_sender(dns, &session, &self.name).decide(domain).await?;
        Ok(match decision.result {
            SpfResult::Pass => Qualifier::Pass,
            SpfResult::SoftFail => Qualifier::SoftFail,
            SpfResult::Fail => Qualifier::Fail,
            // `None` cannot occur, since there is a record; errors are returned as problems.
            SpfResult::Neutral | SpfResult::None | SpfResult::TempError | SpfResult::PermError => {
                Qualifier::Neutral
            }
        })
    }
}

/// An allocated address; some lie in ranges of special use.
fn address(family: IpFamily, bits: u128) -> IpAddr {
    match family {
        IpFamily::V4 => Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap_or_default()).into(),
        IpFamily::V6 => allocated_ipv6::drawn(bits).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use dns::Failure;

    use super::*;

    #[test]
    fn no_two_random_senders_are_alike_and_a_replay_draws_the_same() {
        let domain = Name::parse("example.com").unwrap();
        let (mut addresses, mut helos, mut names) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for at in 0..100 {
            let at = Timestamp::from_millis(at).unwrap();
            for (family, nth) in
                (0..RANDOM_SENDERS).flat_map(|nth| [(IpFamily::V4, nth), (IpFamily::V6, nth)])
            {
                let drawn = RandomSender::drawn(&domain, at, family, nth);
                assert_eq!(drawn.ip.is_ipv4(), matches!(family, IpFamily::V4));
                assert_eq!(fetch::address::judge(drawn.ip), Ok(()));
                let again = RandomSender::drawn(&domain, at, family, nth);
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
    fn the_result_of_two_senders_counts_for_their_family() {
        use Qualifier::{Fail, Neutral, Pass, SoftFail};
        let failed =
            || Problem::LookUp { name: Name::parse("a.example").unwrap(), failure: Failure::ServFail };
        let error = || Problem::TooManyVoidLookUps;
        for (results, expected) in [
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
            assert_eq!(result_of_family(results.clone()), expected, "{results:?}");
        }
    }
}
