//! Test cases and recorded bodies, held to the rules of choice by a second computation that shares no code with the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use distress::{Item, Year};
use jiff::civil::Date;
use serde_json::Value;

use crate::choice::{Basis, Period, choose};
use crate::decimal::Decimal;
use crate::extract::CompanyFacts;
use crate::fact::{ANNUAL_DAYS, Fact, days, read_accession, read_day, read_form};
use crate::mapping::US_GAAP;
use crate::report::{AnnualReport, NoReport, ReportInput};

/// The most facts of a case.
pub const MAX_CASE_FACTS: usize = 500;

/// The share of total assets by which a balance sheet may fail to balance, beside what stands between its two sides.
const BALANCE: f64 = 0.01;

/// Lines between liabilities and the equity of the parent.
const BETWEEN: &[&str] = &[
    "MinorityInterest",
    "TemporaryEquityCarryingAmountAttributableToParent",
    "TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests",
    "RedeemableNoncontrollingInterestEquityCarryingAmount",
    "RedeemableNoncontrollingInterestEquityCommonCarryingAmount",
];

/// Checks a case `{"case", "tag", "unit", "facts", "days"?}`: for each period, each basis and each day on which a fact was filed, the
/// choice must equal a plain scan, and must be what the case's own words say. Returns the number of choices.
///
/// # Errors
///
/// The first difference in words, or a case of another shape.
pub fn check_case(case: &Value) -> Result<usize, String> {
    let rows = case["facts"].as_array().filter(|rows| !rows.is_empty()).ok_or("the case has no facts")?;
    if rows.len() > MAX_CASE_FACTS {
        return Err(format!("the case has more than {MAX_CASE_FACTS} facts"));
    }
    let facts: Result<Vec<Fact>, String> = rows.iter().map(read_row).collect();
    let mut facts = facts?;
    facts.sort_unstable();
    let periods: BTreeSet<Period> =
        facts.iter().map(|fact| Period { end: fact.end, start: fact.start }).collect();
    let filed: BTreeSet<Date> = facts.iter().map(|fact| fact.filed).collect();
    let mut choices = 0;
    for period in &periods {
        for (basis, as_of) in
            filed.iter().flat_map(|day| [(Basis::Latest, *day), (Basis::AsFirstFiled, *day)])
        {
            let chosen = choose(&facts, *period, basis, as_of);
            let expected = scan(&facts, *period, basis, as_of);
            let is_met = match (chosen, expected) {
                (Some(chosen), Some((accession, value))) => {
                    // Two values of one filing have no better one; the choice only says so.
                    chosen.fact.accession == accession && (chosen.conflicting || chosen.fact.value == value)
                }
                (chosen, expected) => chosen.is_none() && expected.is_none(),
            };
            if !is_met {
                let chosen = chosen.map(|chosen| chosen.fact);
                return Err(format!("{period:?} {basis:?} {as_of}: {chosen:?}, not {expected:?}"));
            }
            choices += 1;
        }
    }
    words(case, &facts, &periods)?;
    Ok(choices)
}

fn read_row(row: &Value) -> Result<Fact, String> {
    let text = |member: &'static str| row[member].as_str().ok_or(format!("a fact has no {member}"));
    let named = |error: crate::FactsError| error.to_string();
    Ok(Fact {
        end: read_day("end", text("end")?).map_err(named)?,
        start: row["start"].as_str().map(|start| read_day("start", start)).transpose().map_err(named)?,
        filed: read_day("filed", text("filed")?).map_err(named)?,
        accession: read_accession("accn", text("accn")?).map_err(named)?,
        form: read_form(text("form")?).map_err(named)?,
        value: row["val"].as_number().ok_or("a fact has no val")?.to_string(),
    })
}

/// The plain scan: one fact after another, the better of two kept.
fn scan(facts: &[Fact], period: Period, basis: Basis, as_of: Date) -> Option<(&str, &str)> {
    let is_annual = |fact: &Fact| {
        matches!(fact.form.as_bytes(), [b'1', b'0', b'-', b'K', ..] | [b'2' | b'4', b'0', b'-', b'F', ..])
    };
    let mut best: Option<&Fact> = None;
    for fact in facts {
        let is_of_period = fact.end == period.end && fact.start == period.start;
        if !is_of_period || fact.filed > as_of || fact.filed < fact.end {
            continue;
        }
        let is_better = best.is_none_or(|best| {
            let newer = (fact.filed, &fact.accession) > (best.filed, &best.accession);
            let older = (fact.filed, &fact.accession) < (best.filed, &best.accession);
            match (is_annual(fact), is_annual(best)) {
                (true, false) => true,
                (false, true) => false,
                _ if !newer && !older => digits(&fact.value) > digits(&best.value),
                _ => newer == (basis == Basis::Latest),
            }
        });
        if is_better {
            best = Some(fact);
        }
    }
    best.map(|fact| (&*fact.accession, &*fact.value))
}

/// The significant digits of a number, by way of its shortest float.
fn digits(text: &str) -> usize {
    let float = format!("{:e}", text.parse::<f64>().unwrap_or(0.0));
    float.split('e').next().map_or(0, |mantissa| mantissa.bytes().filter(u8::is_ascii_digit).count())
}

/// Holds the facts to what the case says of itself.
fn words(case: &Value, facts: &[Fact], periods: &BTreeSet<Period>) -> Result<(), String> {
    let name = case["case"].as_str().ok_or("the case has no name")?;
    if let Some(expected) = case["days"].as_i64() {
        let lengths: Vec<i32> =
            periods.iter().filter_map(|period| Some(days(period.start?, period.end))).collect();
        if !lengths.iter().any(|length| i64::from(*length) == expected && ANNUAL_DAYS.contains(length)) {
            return Err(format!("{lengths:?} days, not {expected}"));
        }
    }
    let values = |period: &Period| {
        let of_period = facts.iter().filter(|fact| (fact.end, fact.start) == (period.end, period.start));
        of_period.map(|fact| fact.value.as_str()).collect::<BTreeSet<_>>().len()
    };
    let counts: Vec<usize> = periods.iter().map(values).collect();
    if name.starts_with("restated") && counts.iter().all(|count| *count < 2) {
        return Err("no period has two values".to_owned());
    }
    if name.starts_with("amended") && counts.iter().any(|count| *count != 1) {
        return Err("the amended value differs".to_owned());
    }
    Ok(())
}

/// Checks a whole body of company facts: its canonical form gives the same reports; each part of each report was filed by the
/// report's day; each amount is the sum of its parts; each year is of an annual length; each part is the newest value of its tag by a
/// plain scan; each balance sheet balances. Returns the figures in words.
///
/// # Errors
///
/// The first rule that is broken, in words; also a body that cannot be read. A body by IFRS alone is no error.
pub fn check_body(bytes: &[u8]) -> Result<String, String> {
    let facts = CompanyFacts::read_slice(bytes).map_err(|error| error.to_string())?;
    let again = CompanyFacts::from_canonical(&facts.to_canonical()).map_err(|error| error.to_string())?;
    let history = facts.history(Date::MAX);
    if again != facts || again.history(Date::MAX) != history {
        return Err("the canonical form gives other reports".to_owned());
    }
    let newest = match facts.latest(Date::MAX, Basis::Latest) {
        Err(NoReport::IfrsNotMapped) if history.is_empty() => {
            return Ok(format!("CIK {}: {}", facts.cik(), NoReport::IfrsNotMapped.code()));
        }
        Err(why) => return Err(format!("no report: {why}")),
        Ok(newest) => newest,
    };
    let mut inputs = 0;
    let mut items = BTreeMap::new();
    for report in &history {
        let checked = check_report(&facts, report, report.filed)
            .and_then(|()| check_scan(&facts, report, report.filed));
        checked.map_err(|why| format!("year to {}: {why}", report.period_end))?;
        inputs += report.inputs.len();
        for input in &report.inputs {
            *items.entry(input.item).or_insert(0) += 1;
        }
    }
    let checked =
        check_report(&facts, &newest, Date::MAX).and_then(|()| check_scan(&facts, &newest, Date::MAX));
    checked.map_err(|why| format!("newest: {why}"))?;
    let first_filed = facts.latest(Date::MAX, Basis::AsFirstFiled).map_err(|why| why.to_string())?;
    check_report(&facts, &first_filed, Date::MAX).map_err(|why| format!("as first filed: {why}"))?;
    let mut figures = format!("CIK {}: {} facts, {} reports", facts.cik(), facts.len(), history.len());
    let _ = write!(figures, " to {}, {inputs} inputs of {} items", newest.period_end, items.len());
    Ok(figures)
}

fn check_report(facts: &CompanyFacts, report: &AnnualReport, as_of: Date) -> Result<(), String> {
    let length = days(report.period_start, report.period_end);
    if !ANNUAL_DAYS.contains(&length) {
        return Err(format!("a year of {length} days"));
    }
    if report.filed < report.period_end || report.filed > as_of {
        return Err(format!("filed on {}", report.filed));
    }
    for input in &report.inputs {
        check_input(report, input, as_of).map_err(|why| format!("{}: {why}", input.item.name()))?;
    }
    [Year::Current, Year::Prior].into_iter().try_for_each(|year| check_balance(facts, report, year))
}

/// Each part of a report by the newest values is what a plain scan finds for its tag and period.
fn check_scan(facts: &CompanyFacts, report: &AnnualReport, as_of: Date) -> Result<(), String> {
    for part in report.inputs.iter().flat_map(|input| &input.parts).filter(|part| part.taxonomy == US_GAAP) {
        let all = facts.facts_of(US_GAAP, &part.tag, &part.unit);
        let found = scan(all, Period { end: part.end, start: part.start }, Basis::Latest, as_of);
        let is_found = found.is_some_and(|(accession, value)| {
            accession == part.accession && Decimal::parse(value) == Decimal::parse(&part.value)
        });
        if !is_found {
            return Err(format!("{} is {}, and the scan finds {found:?}", part.tag, part.value));
        }
    }
    Ok(())
}

fn check_input(report: &AnnualReport, input: &ReportInput, as_of: Date) -> Result<(), String> {
    let given = report.financials.get(input.item, input.year).map(|amount| amount.text().to_owned());
    if given.as_deref() != Some(&*input.amount) {
        return Err(format!("{given:?} is not {}", input.amount));
    }
    let mut sum = Decimal::ZERO;
    for part in &input.parts {
        if part.filed > as_of || part.filed < part.end {
            return Err(format!("{} was filed on {}", part.tag, part.filed));
        }
        if part.start.is_some_and(|start| !ANNUAL_DAYS.contains(&days(start, part.end))) {
            return Err(format!("{} is of no year", part.tag));
        }
        let value = Decimal::parse(&part.value).ok_or("a part is no exact decimal")?;
        sum = sum.add(part.sign, value).ok_or("the parts have no exact sum")?;
    }
    if sum.to_string() == input.amount { Ok(()) } else { Err(format!("the parts give {sum}")) }
}

/// Total assets are liabilities and equity, and what stands between: minority interest and temporary equity. A body may lack the tag
/// of temporary equity; then total assets must equal the sum of that whole side, so that the line is there, only not in the body.
fn check_balance(facts: &CompanyFacts, report: &AnnualReport, year: Year) -> Result<(), String> {
    let input = |item: Item| {
        let mut inputs = report.inputs.iter();
        inputs.find(|input| input.item == item && input.year == year)
    };
    let items = (input(Item::TotalAssets), input(Item::TotalLiabilities), input(Item::Equity));
    let (Some(assets), Some(liabilities), Some(equity)) = items else { return Ok(()) };
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    let end = assets.parts.first().map(|part| part.end).ok_or("total assets have no part")?;
    let values = |tags: &[&str]| -> Vec<f64> {
        let facts = tags.iter().flat_map(|tag| facts.facts_of(US_GAAP, tag, report.currency.as_str()));
        let of_day = facts.filter(|fact| fact.end == end && fact.start.is_none());
        of_day.map(|fact| number(&fact.value)).collect()
    };
    let whole = number(&assets.amount);
    let is_whole = |side: &f64| (side - whole).abs() <= BALANCE * whole;
    let has_other_lines = values(&["LiabilitiesAndStockholdersEquity"]).iter().any(is_whole);
    let between: f64 = values(BETWEEN).iter().map(|value| value.abs()).sum();
    let gap = whole - number(&liabilities.amount) - number(&equity.amount);
    let allowed = BALANCE * whole + between;
    if gap.abs() <= allowed || (gap > 0.0 && has_other_lines) {
        Ok(())
    } else {
        Err(format!("the balance sheet of {end} is off by {gap}"))
    }
}
