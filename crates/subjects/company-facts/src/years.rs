//! The fiscal years of which a company filed an annual report.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::choice::Period;
use crate::extract::CompanyFacts;
use crate::fact::{ANNUAL_DAYS, Fact, days, is_annual_form, is_transition_form};
use crate::mapping::US_GAAP;

/// The most annual reports of a history; older ones are left out.
pub const MAX_REPORTS: usize = 64;

/// The most days between the end of a year and the start of the next. Filers write either day wrong by a few.
pub const MAX_GAP_DAYS: i32 = 7;

/// The flows of an income statement that tell the periods of a filing.
const FLOWS: &[&str] = &[
    "Revenues",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "SalesRevenueNet",
    "OperatingIncomeLoss",
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
    "NetIncomeLoss",
    "ProfitLoss",
    "NetIncomeLossAvailableToCommonStockholdersBasic",
];

/// The lines that tell the days of a filing's balance sheets.
const TOTALS: &[&str] = &["Assets", "LiabilitiesAndStockholdersEquity"];

/// A fiscal year, and the filing that first reported it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FiscalYear {
    pub(crate) start: Date,
    pub(crate) end: Date,
    pub(crate) filed: Date,
    pub(crate) accession: String,
    pub(crate) form: String,
    /// The currencies in which the year was reported, in any filing, sorted.
    pub(crate) currencies: Vec<String>,
}

impl FiscalYear {
    pub(crate) fn period(&self) -> Period {
        Period { end: self.end, start: Some(self.start) }
    }
}

/// The periods and balance sheets of one filing in one currency.
#[derive(Default)]
struct Filing<'a> {
    form: &'a str,
    filed: Date,
    /// Each annual period with the number of flows that have it.
    periods: BTreeMap<Period, usize>,
    balances: Vec<Date>,
}

impl Filing<'_> {
    /// The filing's own year: its newest annual period with a balance sheet at its end. A transition report has earlier years
    /// beside it, so that there the balance sheet must also be the newest.
    fn own_year(&self) -> Option<Period> {
        let has_balance = |period: &&Period| self.balances.contains(&period.end);
        let end = self.periods.keys().filter(has_balance).map(|period| period.end).max()?;
        if is_transition_form(self.form) && self.balances.iter().max() != Some(&end) {
            return None;
        }
        most_common(&self.periods, end)
    }
}

/// The period with an end that most flows have; of several the shortest.
fn most_common(periods: &BTreeMap<Period, usize>, end: Date) -> Option<Period> {
    let with_end = periods.iter().filter(|(period, _)| period.end == end);
    with_end.max_by_key(|(period, count)| (**count, period.start)).map(|(period, _)| *period)
}

/// True for three capital letters.
pub(crate) fn is_currency(unit: &str) -> bool {
    unit.len() == 3 && unit.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// True for a fact of an annual report that was filed by a day, after its period ended.
fn is_reported(fact: &Fact, as_of: Date) -> bool {
    fact.filed <= as_of && fact.filed >= fact.end && is_annual_form(&fact.form)
}

/// The annual period of a flow, if it has one.
fn annual(fact: &Fact) -> Option<Period> {
    let start = fact.start.filter(|start| ANNUAL_DAYS.contains(&days(*start, fact.end)))?;
    Some(Period { end: fact.end, start: Some(start) })
}

/// Every fact of some tags in any currency that an annual report filed by a day has.
fn reported<'a>(
    facts: &'a CompanyFacts,
    tags: &'static [&'static str],
    as_of: Date,
) -> impl Iterator<Item = (&'a str, &'a Fact)> {
    let units = tags.iter().flat_map(move |tag| facts.units_of(US_GAAP, tag));
    let in_currency = units.filter(|(unit, _)| is_currency(unit));
    let all = in_currency.flat_map(|(unit, facts)| facts.iter().map(move |fact| (unit, fact)));
    all.filter(move |(_, fact)| is_reported(fact, as_of))
}

/// Returns the years whose annual reports were filed by a day, oldest first. A year that stands only beside a later one, for
/// comparison, is none of them.
pub(crate) fn fiscal_years(facts: &CompanyFacts, as_of: Date) -> Vec<FiscalYear> {
    let mut filings: BTreeMap<(&str, &str), Filing<'_>> = BTreeMap::new();
    for (unit, fact) in reported(facts, FLOWS, as_of) {
        if let Some(period) = annual(fact) {
            let filing = filings.entry((&fact.accession, unit)).or_default();
            (filing.form, filing.filed) = (&fact.form, fact.filed);
            *filing.periods.entry(period).or_default() += 1;
        }
    }
    for (unit, fact) in reported(facts, TOTALS, as_of) {
        if let Some(filing) = filings.get_mut(&(&*fact.accession, unit)) {
            filing.balances.push(fact.end);
        }
    }
    let mut years: BTreeMap<Date, FiscalYear> = BTreeMap::new();
    for ((accession, unit), filing) in &filings {
        let Some(Period { end, start: Some(start) }) = filing.own_year() else { continue };
        let year = years.entry(end).or_insert_with(|| FiscalYear {
            start,
            end,
            filed: filing.filed,
            accession: (*accession).to_owned(),
            form: filing.form.to_owned(),
            currencies: Vec::new(),
        });
        if (filing.filed, *accession) < (year.filed, &*year.accession) {
            (year.start, year.filed) = (start, filing.filed);
            (*accession).clone_into(&mut year.accession);
            filing.form.clone_into(&mut year.form);
        }
        year.currencies.push((*unit).to_owned());
    }
    let mut years: Vec<FiscalYear> = years.into_values().collect();
    for year in &mut years {
        year.currencies.sort_unstable();
        year.currencies.dedup();
    }
    let surplus = years.len().saturating_sub(MAX_REPORTS);
    years.split_off(surplus)
}

/// The year before another: the period, and its own annual report if there is one.
pub(crate) struct YearBefore<'a> {
    pub(crate) period: Period,
    pub(crate) report: Option<&'a FiscalYear>,
}

/// Finds the year before: one that ended within [`MAX_GAP_DAYS`] of the day before the year's start. After a change of the
/// fiscal year there is none. A year of which only the balance sheet is there has no start.
pub(crate) fn year_before<'a>(
    facts: &CompanyFacts,
    years: &'a [FiscalYear],
    year: &FiscalYear,
    as_of: Date,
) -> Option<YearBefore<'a>> {
    let last_day = year.start.yesterday().ok()?;
    let gap = |end: Date| (end - last_day).get_days().abs();
    let is_near = |end: Date| gap(end) <= MAX_GAP_DAYS && end < year.end;
    if let Some(report) = years.iter().filter(|other| is_near(other.end)).min_by_key(|other| gap(other.end)) {
        return Some(YearBefore { period: report.period(), report: Some(report) });
    }
    let mut periods: BTreeMap<Period, usize> = BTreeMap::new();
    for (_, fact) in reported(facts, FLOWS, as_of) {
        if let Some(period) = annual(fact).filter(|period| is_near(period.end)) {
            *periods.entry(period).or_default() += 1;
        }
    }
    let nearest = periods.keys().map(|period| period.end).min_by_key(|end| (gap(*end), *end));
    if let Some(period) = nearest.and_then(|end| most_common(&periods, end)) {
        return Some(YearBefore { period, report: None });
    }
    let balances = reported(facts, TOTALS, as_of).map(|(_, fact)| fact.end).filter(|end| is_near(*end));
    let end = balances.min_by_key(|end| (gap(*end), *end))?;
    Some(YearBefore { period: Period { end, start: None }, report: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::find;

    #[test]
    fn the_tags_that_tell_the_years_are_kept() {
        assert!(FLOWS.iter().chain(TOTALS).all(|tag| find(US_GAAP, tag).is_some()));
    }
}
