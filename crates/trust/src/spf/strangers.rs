//! Senders that no domain means: what a record says of them, it says of everybody.
//!
//! Terms whose names macros make for each sender cannot be read without one, and a wildcard below such names lets in
//! whoever asks. So strangers are checked: their addresses are drawn from all that are given out, their names and local
//! parts at random. The draw hangs on the time of the look, so that no zone can leave them out beforehand, and on nothing
//! else, so that a replay draws the same. Only what two strangers of a family are told counts: one may by chance send from
//! an address that a domain means.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use futures_util::future::join;
use sha2::{Digest, Sha256};
use verdict::Timestamp;

use super::check::{Check, Problem, SpfResult};
use super::record::Qualifier;
use super::session::Session;
use crate::dns::{Dns, Failure, Name};

/// What everybody is told; nothing where strangers get an error for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Told {
    /// Whoever has an IPv4 address.
    pub(super) v4: Option<Qualifier>,
    /// Whoever has an IPv6 address.
    pub(super) v6: Option<Qualifier>,
}

#[derive(Clone, Copy)]
enum Family {
    V4,
    V6,
}

/// Checks strangers of both families.
///
/// # Errors
/// A look-up that failed.
pub(super) async fn told(dns: &dyn Dns, domain: &Name, at: Timestamp) -> Result<Told, (Name, Failure)> {
    let (v4, v6) =
        join(one_and_other(dns, domain, at, Family::V4), one_and_other(dns, domain, at, Family::V6)).await;
    Ok(Told { v4: v4?, v6: v6? })
}

/// The stricter of what two strangers are told.
async fn one_and_other(
    dns: &dyn Dns,
    domain: &Name,
    at: Timestamp,
    family: Family,
) -> Result<Option<Qualifier>, (Name, Failure)> {
    let (one, other) = join(
        Stranger::drawn(domain, at, family, "one").told(dns, domain),
        Stranger::drawn(domain, at, family, "other").told(dns, domain),
    )
    .await;
    Ok(one?.zip(other?).map(|(one, other)| if one.weaker(other) == one { other } else { one }))
}

struct Stranger {
    ip: IpAddr,
    /// What it calls itself, and what its address is called.
    host: String,
    mail_from: String,
}

impl Stranger {
    fn drawn(domain: &Name, at: Timestamp, family: Family, which: &str) -> Self {
        let bits = |what: &str| {
            let digest = Sha256::digest(format!("{domain} {} {which} {what}", at.as_millis()));
            u128::from_be_bytes(std::array::from_fn(|at| digest[at]))
        };
        let ip = (0..u8::MAX)
            .map(|turn| address(family, bits(&format!("address {turn}"))))
            .find(|ip| fetch::address::judge(*ip).is_ok())
            .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let host = format!("{:x}.com", bits("host") >> 64);
        Self { ip, host, mail_from: format!("{:x}@{domain}", bits("local part") >> 64) }
    }

    async fn told(&self, dns: &dyn Dns, domain: &Name) -> Result<Option<Qualifier>, (Name, Failure)> {
        let session =
            Session { ip: self.ip, helo: &self.host, mail_from: &self.mail_from, receiver: "", at: 0 };
        let mut check = Check::of_client_named(dns, &session, &self.host);
        match check.decide(domain).await {
            Ok(decision) => Ok(match decision.result {
                SpfResult::Pass => Some(Qualifier::Pass),
                SpfResult::Neutral => Some(Qualifier::Neutral),
                SpfResult::SoftFail => Some(Qualifier::SoftFail),
                SpfResult::Fail => Some(Qualifier::Fail),
                SpfResult::None | SpfResult::TempError | SpfResult::PermError => None,
            }),
            Err(Problem::LookUp { name, failure }) => Err((name, failure)),
            Err(_) => Ok(None),
        }
    }
}

/// An address of those that are given out, of which some lie in ranges of special use.
fn address(family: Family, bits: u128) -> IpAddr {
    match family {
        Family::V4 => Ipv4Addr::from_bits(u32::try_from(bits >> 96).unwrap_or_default()).into(),
        // 2000::/3.
        Family::V6 => Ipv6Addr::from_bits((bits >> 3) | (1 << 125)).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_strangers_are_alike_and_a_replay_draws_the_same() {
        let domain = Name::parse("example.com").unwrap();
        let mut addresses = BTreeSet::new();
        for at in 0..200 {
            let at = Timestamp::from_millis(at).unwrap();
            for (family, which) in
                [(Family::V4, "one"), (Family::V4, "other"), (Family::V6, "one"), (Family::V6, "other")]
            {
                let drawn = Stranger::drawn(&domain, at, family, which);
                assert_eq!(drawn.ip.is_ipv4(), matches!(family, Family::V4));
                assert_eq!(fetch::address::judge(drawn.ip), Ok(()));
                let again = Stranger::drawn(&domain, at, family, which);
                assert_eq!((drawn.ip, drawn.host, drawn.mail_from), (again.ip, again.host, again.mail_from));
                addresses.insert(drawn.ip);
            }
        }
        assert_eq!(addresses.len(), 800);
    }
}
