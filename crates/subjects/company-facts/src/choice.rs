//! The choice of one fact among all that report the same tag, unit and period.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;
use crate::fact::{Fact, is_annual_form};

/// The filing whose value is taken, where several report one period.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The newest filing: restatements count.
    #[default]
    Latest,
    /// The oldest filing: the value as it was first reported.
    AsFirstFiled,
}

impl Basis {
    /// The name, as it stands in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Latest => "latest",
            Self::AsFirstFiled => "as_first_filed",
        }
    }
}

/// A period: a day, or all days from `start` to `end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Period {
    pub(crate) end: Date,
    pub(crate) start: Option<Date>,
}

/// The fact that was chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Chosen<'a> {
    pub(crate) fact: &'a Fact,
    /// The filing has another value for the same period, of which neither is the other rounded.
    pub(crate) conflicting: bool,
}

/// Returns the facts of exactly a period, of a tag's facts in their order.
pub(crate) fn of_period(facts: &[Fact], period: Period) -> &[Fact] {
    let key = (period.end, period.start);
    let first = facts.partition_point(|fact| (fact.end, fact.start) < key);
    let count = facts[first..].partition_point(|fact| (fact.end, fact.start) == key);
    &facts[first..first + count]
}

/// Chooses among a tag's facts the one for a period:
///
/// 1. Facts filed after `as_of`, or before the period ended, do not count.
/// 2. If any stands in an annual report, only those in annual reports count.
/// 3. The newest or the oldest day of filing is taken; on one day the greatest or the least accession number.
/// 4. Of several values in that filing the one is taken of which all others are roundings. If there is none, the values conflict.
pub(crate) fn choose(facts: &[Fact], period: Period, basis: Basis, as_of: Date) -> Option<Chosen<'_>> {
    let facts = of_period(facts, period);
    let counts = |fact: &&Fact| fact.filed <= as_of && fact.filed >= fact.end;
    let has_annual = facts.iter().filter(counts).any(|fact| is_annual_form(&fact.form));
    let in_annual = |fact: &&Fact| !has_annual || is_annual_form(&fact.form);
    let filings = facts.iter().filter(counts).filter(in_annual).map(|fact| (fact.filed, &*fact.accession));
    let (filed, accession) = match basis {
        Basis::Latest => filings.max(),
        Basis::AsFirstFiled => filings.min(),
    }?;
    let is_of_filing = |fact: &&Fact| fact.filed == filed && fact.accession == accession;
    exact(facts.iter().filter(is_of_filing).filter(in_annual))
}

/// Of the values of one filing for one period, the one of which all others are roundings.
pub(crate) fn exact<'a>(facts: impl Iterator<Item = &'a Fact>) -> Option<Chosen<'a>> {
    let mut values: Vec<(&Fact, Option<Decimal>)> = Vec::new();
    for fact in facts {
        let value = Decimal::parse(&fact.value);
        let is_known = values.iter().any(|(known, other)| match (other, value) {
            (Some(other), Some(value)) => *other == value,
            _ => known.value == fact.value,
        });
        if !is_known {
            values.push((fact, value));
        }
    }
    let first = values.first()?.0;
    if values.len() == 1 {
        return Some(Chosen { fact: first, conflicting: false });
    }
    let is_exact = |exact: Decimal| {
        values
            .iter()
            .all(|(_, value)| value.is_some_and(|value| value == exact || value.is_rounding_of(exact)))
    };
    let found = values.iter().find(|(_, value)| value.is_some_and(is_exact));
    Some(
        found.map_or(Chosen { fact: first, conflicting: true }, |(fact, _)| Chosen {
            fact,
            conflicting: false,
        }),
    )
}
