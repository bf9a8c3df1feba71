//! Bodies of company facts, made row by row.

use std::collections::BTreeMap;

use company_facts::{AnnualReport, Basis, CompanyFacts, Part};
use distress::{Item, Year};
use jiff::civil::Date;

/// A body in the making: rows of facts by taxonomy, tag and unit.
#[derive(Clone, Default)]
pub(crate) struct Body {
    rows: BTreeMap<(String, String, String), Vec<String>>,
}

/// A filing: accession number, form, day.
pub(crate) type Filing<'a> = (&'a str, &'a str, &'a str);

pub(crate) const FIRST: Filing<'static> = ("0000000001-24-000001", "10-K", "2024-02-20");
pub(crate) const SECOND: Filing<'static> = ("0000000001-25-000001", "10-K", "2025-02-20");
pub(crate) const YEAR: &str = "2023-01-01/2023-12-31";
pub(crate) const NEXT: &str = "2024-01-01/2024-12-31";

pub(crate) fn day(text: &str) -> Date {
    text.parse().unwrap()
}

impl Body {
    /// Adds a fact of `us-gaap` in US dollars. The period is a day, or two with a slash.
    pub(crate) fn fact(self, tag: &str, period: &str, value: &str, filing: Filing<'_>) -> Self {
        self.fact_in("us-gaap", tag, "USD", period, value, filing)
    }

    pub(crate) fn fact_in(
        mut self,
        taxonomy: &str,
        tag: &str,
        unit: &str,
        period: &str,
        value: &str,
        (accession, form, filed): Filing<'_>,
    ) -> Self {
        let period = match period.split_once('/') {
            Some((start, end)) => format!(r#""start":"{start}","end":"{end}""#),
            None => format!(r#""end":"{period}""#),
        };
        // The year of the filing, which is not the fact's.
        let row = format!(
            r#"{{{period},"val":{value},"accn":"{accession}","fy":2031,"fp":"Q3","form":"{form}","filed":"{filed}"}}"#
        );
        self.rows.entry((taxonomy.into(), tag.into(), unit.into())).or_default().push(row);
        self
    }

    /// Adds a year that can be found: net income, total assets.
    pub(crate) fn year(self, period: &str, filing: Filing<'_>) -> Self {
        let end = period.split_once('/').unwrap().1.to_owned();
        self.fact("NetIncomeLoss", period, "10", filing).fact("Assets", &end, "1000", filing)
    }

    pub(crate) fn text(&self) -> String {
        let mut taxonomies: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
        for ((taxonomy, tag, unit), rows) in &self.rows {
            let unit = format!(r#""{unit}":[{}]"#, rows.join(","));
            taxonomies.entry(taxonomy).or_default().entry(tag).or_default().push(unit);
        }
        let tag = |(tag, units): (&&str, &Vec<String>)| {
            format!(r#""{tag}":{{"label":null,"description":"A \"line\"","units":{{{}}}}}"#, units.join(","))
        };
        let taxonomy = |(name, tags): (&&str, &BTreeMap<&str, Vec<String>>)| {
            format!(r#""{name}":{{{}}}"#, tags.iter().map(tag).collect::<Vec<_>>().join(","))
        };
        let facts: Vec<String> = taxonomies.iter().map(taxonomy).collect();
        format!(r#"{{"cik":1,"entityName":"Example","facts":{{{}}}}}"#, facts.join(","))
    }

    pub(crate) fn read(&self) -> CompanyFacts {
        CompanyFacts::read_slice(self.text().as_bytes()).unwrap()
    }

    pub(crate) fn report(&self, as_of: &str, basis: Basis) -> AnnualReport {
        self.read().latest(day(as_of), basis).unwrap()
    }
}

/// An item's amount.
pub(crate) fn amount(report: &AnnualReport, item: Item, year: Year) -> Option<&str> {
    report.financials.get(item, year).map(distress::Amount::text)
}

/// The parts of an item of the year.
pub(crate) fn parts(report: &AnnualReport, item: Item) -> Vec<Part> {
    let input = report.inputs.iter().find(|input| input.item == item && input.year == Year::Current);
    input.unwrap().parts.clone()
}
