//! The interpretation of a DMARC record by RFC 7489, which receivers may still follow.

use dns::Name;
use serde::Serialize;

use super::discover::{ApplicableRecord, Role};
use super::record::{DmarcPolicy, Psd};

/// A DMARC record as a receiver by RFC 7489 interprets it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Legacy {
    /// The policy for the name; `None` where no record applies.
    pub policy: Option<DmarcPolicy>,
    /// The share of failing mail to which the policy applies, in percent, 0 to 100.
    pub percent: u8,
    /// Differences from RFC 9989 for this record.
    pub differences: Vec<Difference>,
}

/// A difference between the interpretations of RFC 7489 and RFC 9989.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Only the tree walk finds the record: RFC 7489 looks at the name and at its organizational domain by the public
    /// suffix list.
    FoundByTreeWalk,
    /// The record lacks `p`, which is required (RFC 7489, 6.3).
    PolicyMissing,
    /// `p` does not follow `v`, as it must (RFC 7489, 6.3). Strict readers ignore such a record.
    PolicyNotSecond,
    /// `pct` has an effect (RFC 7489, 6.6.4).
    Percent,
    /// `t` has no effect: the policy applies although the record is in test mode.
    Testing,
    /// `np` has no effect: names that do not exist have the policy of subdomains.
    NonexistentPolicy,
    /// `psd` has no effect.
    Psd,
}

/// Reads the record that applies to a name by RFC 7489. `registrable` is the organizational domain by the public suffix
/// list, or `None`.
#[must_use]
pub fn rfc7489(applied: &ApplicableRecord, domain: &Name, registrable: Option<&Name>) -> Legacy {
    let ApplicableRecord { at, role, record, .. } = applied;
    let mut differences = Vec::new();
    let mut note = |differs: bool, difference| {
        if differs {
            differences.push(difference);
        }
    };
    let found = at == domain || Some(at) == registrable;
    note(!found, Difference::FoundByTreeWalk);
    // Both treat an invalid policy alike (6.6.3); RFC 7489 counts a missing one as invalid, too.
    let stands = record.policy.is_some() || !record.aggregate_reports.is_empty();
    note(record.policy.is_none() && record.overruled.is_none(), Difference::PolicyMissing);
    let second = record.tags.pairs.first().is_some_and(|(tag, _)| tag == "p");
    note(record.policy.is_some() && !second, Difference::PolicyNotSecond);
    let percent = record.tags.get("pct").and_then(percent).unwrap_or(100);
    note(percent < 100, Difference::Percent);
    let policy = if *role == Role::Author { record.own_policy() } else { record.subdomain_policy() };
    note(record.enforced(policy) != policy, Difference::Testing);
    note(record.nonexistent_policy() != record.subdomain_policy(), Difference::NonexistentPolicy);
    note(matches!(record.psd, Some(Psd::Yes | Psd::No)), Difference::Psd);
    Legacy { policy: (found && stands).then_some(policy), percent, differences }
}

/// A share of a hundred; another text counts as none.
fn percent(value: &str) -> Option<u8> {
    let digits = (1..=3).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|percent| digits && *percent <= 100)
}
