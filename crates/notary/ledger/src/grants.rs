//! Grants: calls that an operator gives to an agent, for a trial or a plan.

use std::net::IpAddr;

use async_trait::async_trait;
use ipnet::IpNet;
use receipt::time::Timestamp;

use verdict::AgentName;

use crate::{GrantId, LedgerError, Period, QuotaKey, QuotaRequest, QuotaReservation};

/// The most calls of a grant in a period: more than the rate limit of any route permits in a month.
pub const MAX_GRANT_CALLS: u32 = 1_000_000_000;

/// The most grants in force of one agent.
pub const MAX_GRANTS: u32 = 64;

/// The most networks of one grant.
pub const MAX_GRANT_NETWORKS: usize = 64;

/// The most characters of a grant's name, of its class and of its request id.
pub const MAX_GRANT_TEXT: usize = 64;

/// The class of a grant of audit exports: who signs with this wallet may fetch the archive of the agent's receipts. A name is
/// nobody's property, so the operator who makes the grant says whose wallet it is.
#[must_use]
pub fn export_class(wallet: &[u8; 20]) -> String {
    let digits: String = wallet.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("export/0x{digits}")
}

/// A new grant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGrant {
    /// The name of the grant: the name of a plan, or `trial`.
    pub name: String,
    /// The name of the agent that may use the grant.
    pub agent: String,
    /// The class of the calls; `None` for every class that has a price and takes no bond. Or an [`export_class`].
    pub class: Option<String>,
    /// The number of calls in a period. Each entity of a batch counts as a call.
    pub calls: u32,
    /// The period over which the calls are counted.
    pub period: Period,
    /// The end of the grant.
    pub until: Timestamp,
    /// The networks from which the calls may come; all networks if this is empty. Names are public, so without networks
    /// anybody who knows the agent's name can use its grant.
    pub networks: Vec<IpNet>,
    /// True if the calls may use the capacity that is reserved for paid work.
    pub priority: bool,
    /// The id of the request for a trial that the grant answers; `None` where there is none.
    pub request_id: Option<String>,
    /// The time of the grant.
    pub at: Timestamp,
}

impl NewGrant {
    /// Checks that the grant has bounds and can be used.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Unfit`] with the reason.
    pub fn check(&self) -> Result<(), LedgerError> {
        let unfit = |why: String| Err(LedgerError::Unfit(why));
        match AgentName::parse(&self.agent) {
            Ok(agent) if agent.as_str() == self.agent => {}
            Ok(_) => return unfit("the agent's name begins or ends with white space".to_owned()),
            Err((_, why)) => return unfit(format!("the agent's name {why}")),
        }
        check_text("the grant's name", &self.name)?;
        self.class.iter().try_for_each(|class| check_text("the class", class))?;
        self.request_id.iter().try_for_each(|id| check_text("the request's id", id))?;
        if !(1..=MAX_GRANT_CALLS).contains(&self.calls) {
            return unfit(format!(
                "{} calls a {}, not 1 to {MAX_GRANT_CALLS}",
                self.calls,
                self.period.as_str()
            ));
        }
        if self.until <= self.at {
            return unfit("it would be over before it begins".to_owned());
        }
        if self.networks.len() > MAX_GRANT_NETWORKS {
            return unfit(format!("{} networks, more than {MAX_GRANT_NETWORKS}", self.networks.len()));
        }
        match self.networks.iter().find(|net| net.addr().to_canonical() != net.addr()) {
            Some(net) => unfit(format!("{net} is IPv4 written as IPv6, which no caller's address is")),
            None => Ok(()),
        }
    }

    /// Checks that an agent with `in_force` grants may have another one.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Unfit`] where it has [`MAX_GRANTS`] already.
    pub fn check_room(&self, in_force: usize) -> Result<(), LedgerError> {
        if in_force >= MAX_GRANTS as usize {
            return Err(LedgerError::Unfit(format!("the agent has {MAX_GRANTS} grants in force already")));
        }
        Ok(())
    }
}

fn check_text(what: &str, text: &str) -> Result<(), LedgerError> {
    let is_bounded = (1..=MAX_GRANT_TEXT).contains(&text.chars().count());
    if is_bounded && !text.chars().any(char::is_control) && text.trim() == text {
        return Ok(());
    }
    Err(LedgerError::Unfit(format!("{what} has not 1 to {MAX_GRANT_TEXT} printable characters")))
}

/// A stored grant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// The number of the grant.
    pub id: GrantId,
    /// The terms of the grant.
    pub terms: NewGrant,
    /// The time of the revocation; `None` where the grant is not revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Grant {
    /// Returns true if the grant covers a call of this class, from this address, at this time.
    #[must_use]
    pub fn serves(&self, class: &str, from: IpAddr, at: Timestamp) -> bool {
        self.revoked_at.is_none()
            && at < self.terms.until
            && self.terms.class.as_deref().is_none_or(|granted| granted == class)
            && self.is_for(from)
    }

    /// Returns true if the grant lets this wallet fetch the archive of the agent's receipts, from this address, at this time.
    #[must_use]
    pub fn exports_to(&self, wallet: &[u8; 20], from: IpAddr, at: Timestamp) -> bool {
        // A grant of calls of all classes is none of exports.
        self.terms.class.as_deref() == Some(&*export_class(wallet))
            && self.revoked_at.is_none()
            && at < self.terms.until
            && self.is_for(from)
    }

    /// Returns true if the calls may come from this address.
    #[must_use]
    pub fn is_for(&self, from: IpAddr) -> bool {
        let networks = &self.terms.networks;
        networks.is_empty() || networks.iter().any(|net| net.contains(&from.to_canonical()))
    }

    /// The request for `units` of the grant's calls in the period of `at`.
    pub fn quota(&self, units: u32, at: Timestamp) -> QuotaRequest {
        let NewGrant { calls, period, .. } = self.terms;
        let of = QuotaKey::Granted { grant: self.id, period, start: period.start(at) };
        QuotaRequest { of, units: u64::from(units), allowance: u64::from(calls) }
    }
}

/// Grants, as every back end of the [`Ledger`](crate::Ledger) keeps them.
#[async_trait]
pub trait Grants: Send + Sync + 'static {
    /// The grants of an agent that are neither revoked nor ended at a time. Those with priority come first, then those
    /// that end first. A grant that another process made is visible at once.
    async fn grants_of(&self, agent: &str, at: Timestamp) -> Result<Vec<Grant>, LedgerError>;

    /// Reserves `units` of the grant's calls in the period of `at`, or returns `None` where fewer are left. The
    /// receipt's transaction uses them up, as for a free call.
    async fn reserve_granted(
        &self,
        grant: &Grant,
        units: u32,
        at: Timestamp,
    ) -> Result<Option<QuotaReservation>, LedgerError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn new() -> NewGrant {
        NewGrant {
            name: "trial".to_owned(),
            agent: "scout-7".to_owned(),
            class: None,
            calls: 10,
            period: Period::Month,
            until: time("2026-12-22T00:00:00.000Z"),
            networks: Vec::new(),
            priority: false,
            request_id: None,
            at: time("2026-11-21T02:00:00.000Z"),
        }
    }

    fn made(new: NewGrant) -> Grant {
        Grant { id: GrantId(1), terms: new, revoked_at: None }
    }

    #[test]
    fn a_grant_serves_its_class_until_it_is_over_or_revoked() {
        let anywhere = IpAddr::from([192, 0, 2, 1]);
        let mut grant = made(new());
        let (at, until) = (grant.terms.at, grant.terms.until);
        assert!(grant.serves("commit", anywhere, at) && grant.serves("claim-verdict", anywhere, at));
        assert!(grant.serves("commit", anywhere, until.saturating_add_millis(-1)));
        assert!(!grant.serves("commit", anywhere, until));
        grant.terms.class = Some("claim-verdict".to_owned());
        assert!(grant.serves("claim-verdict", anywhere, at) && !grant.serves("commit", anywhere, at));
        grant.revoked_at = Some(at);
        assert!(!grant.serves("claim-verdict", anywhere, at));
    }

    #[test]
    fn a_grant_of_exports_is_for_its_wallet_alone_and_no_other_grant_is_one() {
        let (anywhere, at) = (IpAddr::from([192, 0, 2, 1]), new().at);
        let grant = made(NewGrant { class: Some(export_class(&[7; 20])), ..new() });
        grant.terms.check().unwrap();
        assert!(grant.exports_to(&[7; 20], anywhere, at) && !grant.exports_to(&[8; 20], anywhere, at));
        assert!(!grant.serves("commit", anywhere, at));
        assert!(!grant.exports_to(&[7; 20], anywhere, grant.terms.until));
        assert!(!Grant { revoked_at: Some(at), ..grant.clone() }.exports_to(&[7; 20], anywhere, at));
        let networks = vec!["198.51.100.0/24".parse().unwrap()];
        let bound = made(NewGrant { networks, ..grant.terms });
        assert!(!bound.exports_to(&[7; 20], anywhere, at));
        assert!(!made(new()).exports_to(&[7; 20], anywhere, at), "of all classes");
    }

    #[test]
    fn a_grant_serves_its_networks_alone_however_the_address_is_written() {
        let networks = ["192.0.2.0/24", "2001:db8::/32"].map(|net| net.parse().unwrap());
        let grant = made(NewGrant { networks: networks.into(), ..new() });
        let serves = |from: &str| grant.serves("commit", from.parse().unwrap(), grant.terms.at);
        assert!(serves("192.0.2.1") && serves("::ffff:192.0.2.1") && serves("2001:db8::1"));
        assert!(!serves("192.0.3.1") && !serves("::ffff:192.0.3.1") && !serves("2001:db9::1"));
        assert!(!serves("::192.0.2.1"), "not an IPv4-mapped address");
    }

    #[test]
    fn a_grant_without_a_bound_or_a_use_is_refused() {
        new().check().unwrap();
        let edge =
            NewGrant { calls: MAX_GRANT_CALLS, name: "n".repeat(64), agent: "ß".repeat(128), ..new() };
        edge.check().unwrap();
        let own = |text: &str| text.to_owned();
        let many = vec!["192.0.2.0/24".parse().unwrap(); MAX_GRANT_NETWORKS + 1];
        let mapped = vec!["::ffff:192.0.2.0/120".parse().unwrap()];
        for (bad, word) in [
            (NewGrant { agent: own(""), ..new() }, "agent"),
            (NewGrant { agent: own(" scout"), ..new() }, "agent"),
            (NewGrant { agent: "ß".repeat(129), ..new() }, "agent"),
            (NewGrant { agent: own("a\u{7}"), ..new() }, "agent"),
            (NewGrant { name: own(""), ..new() }, "name"),
            (NewGrant { name: own("a\n"), ..new() }, "name"),
            (NewGrant { name: "n".repeat(65), ..new() }, "name"),
            (NewGrant { class: Some(own("")), ..new() }, "class"),
            (NewGrant { request_id: Some("a".repeat(65)), ..new() }, "request"),
            (NewGrant { calls: 0, ..new() }, "calls"),
            (NewGrant { calls: MAX_GRANT_CALLS + 1, ..new() }, "calls"),
            (NewGrant { until: new().at, ..new() }, "over before"),
            (NewGrant { networks: many, ..new() }, "networks"),
            (NewGrant { networks: mapped, ..new() }, "IPv4 written as IPv6"),
        ] {
            let why = bad.check().unwrap_err().to_string();
            assert!(why.contains(word), "{word}: {why}");
        }
    }

    #[test]
    fn a_period_starts_on_its_day_or_on_the_first_of_its_month() {
        let at = time("2024-02-29T23:59:59.999Z");
        assert_eq!((Period::Day.start(at), Period::Month.start(at)), (19_782, 19_754));
    }
}
