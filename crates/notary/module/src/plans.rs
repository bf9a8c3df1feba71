//! The plans: named grants of calls, paid for by the month and outside the protocol.
//!
//! An operator makes the grants (`touchstone grant AGENT --plan NAME`); `/catalog` lists the plans. A grant stands in for
//! a route's price or free tier, within the route's rate.

use crate::terms::RouteTerms;

/// A plan: its name, its monthly price, and the grants that it consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The name of the plan and of its grants.
    pub name: &'static str,
    /// The price, in whole US dollars a month.
    pub usd_per_month: u32,
    /// The calls in a UTC month, counted over all classes that [grants cover](covers).
    pub calls_per_month: u32,
    /// The classes whose calls do not count towards `calls_per_month`. Only the rate limits them.
    pub unlimited: &'static [&'static str],
    /// True if the plan's calls go before all others that wait for their turn, and may use the reserved slots for look-ups.
    /// So do calls that its holder pays for.
    pub priority: bool,
    /// True if the operator stands by what [`/sla`](crate::terms::UNSIGNED) reports. A plan without says so.
    pub service_level_agreement: bool,
    /// Other services that the plan includes.
    pub includes: &'static [&'static str],
}

/// The service of a plan by which its holder may fetch [`/export`](crate::terms::UNSIGNED).
pub const AUDIT_EXPORT: &str = "audit export";

/// All plans, the cheapest first.
pub const PLANS: [Plan; 3] = [
    Plan {
        name: "evaluator",
        usd_per_month: 29,
        calls_per_month: 900,
        unlimited: &[],
        priority: false,
        service_level_agreement: false,
        includes: &[],
    },
    Plan {
        name: "operator",
        usd_per_month: 499,
        calls_per_month: 50_000,
        unlimited: &["commit"],
        priority: true,
        service_level_agreement: true,
        includes: &["service level agreement"],
    },
    Plan {
        name: "enterprise",
        usd_per_month: 2000,
        calls_per_month: 500_000,
        unlimited: &["commit"],
        priority: true,
        service_level_agreement: true,
        includes: &["service level agreement", "dedicated instance", AUDIT_EXPORT],
    },
];

/// Returns true if a grant can replace payment for a route. This is so if the route has a price that is not a bond; a
/// bond must be the caller's own money.
#[must_use]
pub fn covers(terms: &RouteTerms) -> bool {
    terms.price.is_some() && !terms.is_bond()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plans_are_those_of_the_interface_and_give_nothing_that_no_grant_covers() {
        let prices = PLANS.map(|plan| (plan.name, plan.usd_per_month));
        assert_eq!(prices, [("evaluator", 29), ("operator", 499), ("enterprise", 2000)]);
        let table = crate::terms::table();
        for class in PLANS.iter().flat_map(|plan| plan.unlimited) {
            assert!(table.iter().any(|terms| terms.class == *class && covers(terms)), "{class}");
        }
        for plan in PLANS {
            let named = plan.includes.contains(&"service level agreement");
            assert_eq!(named, plan.service_level_agreement, "{}", plan.name);
        }
        assert!(!PLANS[0].service_level_agreement, "the interface says so of the evaluator plan");
        let uncovered = table.iter().filter(|terms| !covers(terms)).map(|terms| terms.class);
        assert_eq!(uncovered.collect::<Vec<_>>(), ["dispute", "trust-score"]);
    }
}
