//! The items of one year: each the first derivation of its rule for which the facts are there.

use distress::{Currency, Item, Year};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::choice::{Basis, Chosen, Period, choose, exact};
use crate::decimal::Decimal;
use crate::extract::CompanyFacts;
use crate::fact::{Fact, is_annual_form};
use crate::mapping::{DEI, Derivation, ItemRule, Kind, MAPPING, Source, Term, US_GAAP};
use crate::report::{Part, ReportInput};
use crate::years::{FiscalYear, is_currency};

/// The unit of counts of shares.
const SHARES: &str = "shares";

/// An item that filings report and that could not be used.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct LeftOut {
    /// The item.
    pub item: Item,
    /// The year.
    pub year: Year,
    /// The tag at fault.
    pub tag: String,
    /// The reason.
    pub reason: LeftOutReason,
}

/// The reason why a reported item could not be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// One filing has several values for the period, of which none is the exact one of the others.
    ConflictingValues,
    /// It is reported in another currency than the report's.
    OtherCurrency,
    /// The number, or the sum, has more digits than an amount.
    TooManyDigits,
}

/// A year whose items are asked for.
pub(crate) struct YearInputs<'a> {
    facts: &'a CompanyFacts,
    year: Year,
    period: Period,
    report: Option<&'a FiscalYear>,
    currency: Currency,
    basis: Basis,
    as_of: Date,
}

impl<'a> YearInputs<'a> {
    pub(crate) fn of(
        facts: &'a CompanyFacts,
        year: Year,
        period: Period,
        report: Option<&'a FiscalYear>,
        currency: Currency,
        basis: Basis,
        as_of: Date,
    ) -> Self {
        Self { facts, year, period, report, currency, basis, as_of }
    }

    /// The days up to which facts count, one after another. The first filing of a year is asked before all later ones where the
    /// basis is its first values: else a tag that only later filings have would hide what was reported at first.
    fn horizons(&self) -> Vec<Date> {
        match (self.basis, self.report) {
            (Basis::AsFirstFiled, Some(report)) => vec![report.filed.min(self.as_of), self.as_of],
            _ => vec![self.as_of],
        }
    }
}

/// The items of a year that the facts give, in the order of the table, and those that could not be used.
pub(crate) fn inputs_of(asked: &YearInputs<'_>) -> (Vec<ReportInput>, Vec<LeftOut>) {
    let mut inputs = Vec::new();
    let mut left_out = Vec::new();
    for rule in MAPPING {
        match resolve(asked, rule, &inputs) {
            Ok(Some(input)) => inputs.push(input),
            Ok(None) => {}
            Err((tag, reason)) => {
                left_out.push(LeftOut { item: rule.item, year: asked.year, tag: tag.to_owned(), reason });
            }
        }
    }
    (inputs, left_out)
}

type Fault = (&'static str, LeftOutReason);

fn resolve(
    asked: &YearInputs<'_>,
    rule: &ItemRule,
    inputs: &[ReportInput],
) -> Result<Option<ReportInput>, Fault> {
    for as_of in asked.horizons() {
        for derivation in rule.derivations {
            let sum = Sum { asked, rule, as_of, inputs };
            if let Some((amount, parts)) = sum.of(derivation)? {
                let derivation = derivation.text.to_owned();
                let amount = amount.to_string();
                let input = ReportInput { item: rule.item, year: asked.year, amount, derivation, parts };
                return Ok(Some(input));
            }
        }
    }
    match in_other_currency(asked, rule) {
        Some(tag) => Err((tag, LeftOutReason::OtherCurrency)),
        None => Ok(None),
    }
}

/// The first tag of a rule that is reported for the period in another currency only.
fn in_other_currency(asked: &YearInputs<'_>, rule: &ItemRule) -> Option<&'static str> {
    let period = period_of(asked, rule)?;
    let terms = rule.derivations.iter().flat_map(|derivation| derivation.terms);
    let tags = terms.filter(|_| !rule.in_shares).flat_map(|term| term.source.tags().1).copied();
    tags.into_iter().find(|tag| {
        let units = asked.facts.units_of(US_GAAP, tag);
        let others = units.filter(|(unit, _)| is_currency(unit) && *unit != asked.currency.as_str());
        others.into_iter().any(|(_, facts)| choose(facts, period, asked.basis, asked.as_of).is_some())
    })
}

/// The period of a rule's facts; none for flows of a year whose start is not known.
fn period_of(asked: &YearInputs<'_>, rule: &ItemRule) -> Option<Period> {
    match rule.kind {
        Kind::Stock => Some(Period { end: asked.period.end, start: None }),
        Kind::Flow => asked.period.start.is_some().then_some(asked.period),
    }
}

/// The sums of one rule, from facts filed by one day.
struct Sum<'a> {
    asked: &'a YearInputs<'a>,
    rule: &'a ItemRule,
    as_of: Date,
    inputs: &'a [ReportInput],
}

/// True for one value, whether written once exactly and once rounded or not.
fn is_same(one: Decimal, other: Decimal) -> bool {
    one == other || one.is_rounding_of(other) || other.is_rounding_of(one)
}

/// A term's value and its facts.
type Value = (Decimal, Vec<Part>);

impl Sum<'_> {
    /// The sum, or `None` if a required term is not reported.
    fn of(&self, derivation: &Derivation) -> Result<Option<Value>, Fault> {
        let mut amount = Decimal::ZERO;
        let mut parts = Vec::new();
        let mut values = Vec::new();
        for term in derivation.terms {
            match self.term(term)? {
                Some((value, more)) => {
                    let tag = term.source.tags().1.first().copied().unwrap_or("");
                    let sum = amount.add(term.sign, value);
                    amount = sum.ok_or((tag, LeftOutReason::TooManyDigits))?;
                    parts.extend(more.into_iter().map(|part| Part { sign: part.sign * term.sign, ..part }));
                    values.push(value);
                }
                None if term.optional => {}
                None => return Ok(None),
            }
        }
        let is_one_line = derivation.differ && matches!(&*values, [one, other, ..] if is_same(*one, *other));
        Ok((!is_one_line).then_some((amount, parts)))
    }

    fn term(&self, term: &Term) -> Result<Option<Value>, Fault> {
        match &term.source {
            Source::Tags(tags) => self.tags(tags, false),
            Source::Largest(tags) => self.tags(tags, true),
            Source::Cover(tags) => self.cover(tags),
            Source::Item(item) => Ok(self.item(*item)),
        }
    }

    fn item(&self, item: Item) -> Option<Value> {
        let input = self.inputs.iter().find(|input| input.item == item)?;
        let amount = Decimal::parse(&input.amount).expect("an input's amount is an exact decimal");
        Some((amount, input.parts.clone()))
    }

    fn unit(&self) -> &str {
        if self.rule.in_shares { SHARES } else { self.asked.currency.as_str() }
    }

    /// The value of tags with one meaning: of the filing that the basis asks for, an annual report if there is one.
    fn tags(&self, tags: &'static [&'static str], largest: bool) -> Result<Option<Value>, Fault> {
        let Some(period) = period_of(self.asked, self.rule) else { return Ok(None) };
        let mut found: Option<(&'static str, Chosen<'_>)> = None;
        for tag in tags {
            let facts = self.asked.facts.facts_of(US_GAAP, tag, self.unit());
            let Some(chosen) = choose(facts, period, self.asked.basis, self.as_of) else { continue };
            let is_better = found.is_none_or(|(_, other)| self.is_better(chosen.fact, other.fact, largest));
            if is_better {
                found = Some((tag, chosen));
            }
        }
        found.map(|(tag, chosen)| self.value(US_GAAP, tag, chosen)).transpose()
    }

    fn is_better(&self, fact: &Fact, other: &Fact, largest: bool) -> bool {
        let (annual, other_annual) = (is_annual_form(&fact.form), is_annual_form(&other.form));
        if annual != other_annual {
            return annual;
        }
        let (filing, other_filing) = ((fact.filed, &fact.accession), (other.filed, &other.accession));
        if filing == other_filing {
            let values = (Decimal::parse(&fact.value), Decimal::parse(&other.value));
            return largest && matches!(values, (Some(value), Some(other)) if value.is_greater(other));
        }
        match self.asked.basis {
            Basis::Latest => filing > other_filing,
            Basis::AsFirstFiled => filing < other_filing,
        }
    }

    /// The value on the cover of the year's own annual report, of its latest day.
    fn cover(&self, tags: &'static [&'static str]) -> Result<Option<Value>, Fault> {
        let Some(report) = self.asked.report else { return Ok(None) };
        for tag in tags {
            let facts = self.asked.facts.facts_of(DEI, tag, self.unit());
            let is_of_cover = |fact: &&Fact| {
                fact.accession == report.accession
                    && fact.filed <= self.as_of
                    && (self.asked.period.end..=fact.filed).contains(&fact.end)
            };
            let last_day = facts.iter().filter(is_of_cover).map(|fact| fact.end).max();
            let of_day = facts.iter().filter(is_of_cover).filter(|fact| Some(fact.end) == last_day);
            if let Some(chosen) = exact(of_day) {
                return self.value(DEI, tag, chosen).map(Some);
            }
        }
        Ok(None)
    }

    fn value(&self, taxonomy: &str, tag: &'static str, chosen: Chosen<'_>) -> Result<Value, Fault> {
        if chosen.conflicting {
            return Err((tag, LeftOutReason::ConflictingValues));
        }
        let fact = chosen.fact;
        let amount = Decimal::parse(&fact.value).ok_or((tag, LeftOutReason::TooManyDigits))?;
        let part = Part {
            sign: 1,
            taxonomy: taxonomy.to_owned(),
            tag: tag.to_owned(),
            unit: self.unit().to_owned(),
            start: fact.start,
            end: fact.end,
            value: fact.value.clone(),
            accession: fact.accession.clone(),
            form: fact.form.clone(),
            filed: fact.filed,
        };
        Ok((amount, vec![part]))
    }
}
