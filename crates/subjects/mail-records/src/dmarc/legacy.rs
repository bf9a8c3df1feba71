//! The same record under RFC 7489, which receivers may still follow.

use dns::Name;
use serde::Serialize;

use super::discover::{ApplicableRecord, Role};
use super::record::{DmarcPolicy, Psd};

/// A record as a receiver of RFC 7489 reads it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Legacy {
    /// The policy for the name; `None` where no record applies.
    pub policy: Option<DmarcPolicy>,
    /// The share of failing mail that it is for, of a hundred.
    pub percent: u8,
    /// Differences from RFC 9989 for this record.
    pub differences: Vec<Difference>,
}

/// Something that the two read differently.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The record is found by the walk only: RFC 7489 asks the name and its organization by the public suffix list.
    FoundByTreeWalk,
    /// `p` is required (6.3) and not there.
    PolicyMissing,
    /// `p` must follow `v` (6.3) and does not; strict readers take such a record for none.
    PolicyNotSecond,
    /// `pct` counts (6.6.4).
    Percent,
    /// `t` does not count: the policy applies though it is only tried out.
    Testing,
    /// `np` does not count: names that do not exist are subdomains as others.
    NonexistentPolicy,
    /// `psd` does not count.
    Psd,
}

/// Reads the record that applies to a name as RFC 7489 would. `registrable` is the organization's name by the public
/// suffix list.
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
