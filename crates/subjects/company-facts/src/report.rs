//! Annual reports: the accounts of a year, each amount with the facts that it is the sum of.

use distress::{Currency, Financials, Item, Year};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::choice::Basis;
use crate::extract::CompanyFacts;
use crate::inputs::{LeftOut, YearInputs, inputs_of};
use crate::mapping::US_GAAP;
use crate::years::{FiscalYear, fiscal_years, year_before};

/// The accounts of one fiscal year and of the year before, as far as they were reported.
#[derive(Clone, PartialEq, Debug)]
pub struct AnnualReport {
    /// The first day of the year.
    pub period_start: Date,
    /// The last day of the year.
    pub period_end: Date,
    /// The filing that first reported the year.
    pub accession: String,
    /// The form of that filing.
    pub form: String,
    /// The day of that filing.
    pub filed: Date,
    /// The currency of all amounts.
    pub currency: Currency,
    /// The items of both years. Industry, market value and what else comes from the caller alone are not set.
    pub financials: Financials,
    /// Each item that is set, with its facts: the year's, then those of the year before.
    pub inputs: Vec<ReportInput>,
    /// Items that filings report and that could not be used.
    pub left_out: Vec<LeftOut>,
}

/// An item of a report: its amount, and the sum that it is.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ReportInput {
    /// The item.
    pub item: Item,
    /// The year.
    pub year: Year,
    /// The exact amount, a decimal.
    pub amount: String,
    /// The sum in words, or `reported`.
    pub derivation: String,
    /// The facts, whose signed sum is the amount.
    pub parts: Vec<Part>,
}

/// A fact of a sum.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// +1 or -1.
    pub sign: i8,
    /// The taxonomy of the tag: `us-gaap` or `dei`.
    pub taxonomy: String,
    /// The tag.
    pub tag: String,
    /// The unit: a currency code, or `shares`.
    pub unit: String,
    /// The first day of the period; none for a stock.
    #[schemars(with = "Option<String>")]
    pub start: Option<Date>,
    /// The last day of the period, or the day of a stock.
    #[schemars(with = "String")]
    pub end: Date,
    /// The number, in the very characters of the body.
    pub value: String,
    /// The accession number of the filing.
    pub accession: String,
    /// The form.
    pub form: String,
    /// The day of filing.
    #[schemars(with = "String")]
    pub filed: Date,
}

/// The reason why there is no annual report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoReport {
    /// The company reports by the international standards, whose tags are not mapped.
    #[error("the company reports by IFRS, whose tags are not mapped")]
    IfrsNotMapped,
    /// The body has no tag of the taxonomy of US accounts.
    #[error("the facts have no account of us-gaap")]
    NoUsGaap,
    /// No annual form filed by the day has the flows of a year with a balance sheet at its end.
    #[error("no annual report was filed by the day")]
    NoAnnualReport,
    /// The newest year was reported in several currencies, of which none is the US dollar.
    #[error("the newest year is reported in several currencies: {}", .0.join(", "))]
    MixedCurrencies(Vec<String>),
}

impl NoReport {
    /// A stable name of the reason, in snake case.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::IfrsNotMapped => "ifrs_not_mapped",
            Self::NoUsGaap => "no_us_gaap",
            Self::NoAnnualReport => "no_annual_report",
            Self::MixedCurrencies(_) => "mixed_currencies",
        }
    }
}

impl CompanyFacts {
    /// Returns the accounts of the newest year whose annual report was filed by a day, from facts filed by that day.
    ///
    /// # Errors
    ///
    /// [`NoReport`]: there is no such year.
    pub fn latest(&self, as_of: Date, basis: Basis) -> Result<AnnualReport, NoReport> {
        if self.is_ifrs_only() {
            return Err(NoReport::IfrsNotMapped);
        }
        if !self.has_taxonomy(US_GAAP) {
            return Err(NoReport::NoUsGaap);
        }
        let years = fiscal_years(self, as_of);
        let newest = years.last().ok_or(NoReport::NoAnnualReport)?;
        self.report(&years, newest, basis, as_of)
    }

    /// Returns the accounts of each year whose annual report was filed by a day, oldest first, at most
    /// [`MAX_REPORTS`](crate::MAX_REPORTS). Each is as of its own first filing: no later fact counts. A year in several
    /// currencies without the US dollar is left out.
    #[must_use]
    pub fn history(&self, as_of: Date) -> Vec<AnnualReport> {
        let own_days = fiscal_years(self, as_of).into_iter().map(|year| (year.end, year.filed));
        let report = |(end, filed): (Date, Date)| {
            let years = fiscal_years(self, filed);
            let year = years.iter().find(|year| year.end == end)?;
            self.report(&years, year, Basis::Latest, filed).ok()
        };
        own_days.filter_map(report).collect()
    }

    fn report(
        &self,
        years: &[FiscalYear],
        year: &FiscalYear,
        basis: Basis,
        as_of: Date,
    ) -> Result<AnnualReport, NoReport> {
        let currency = currency_of(year)?;
        let before = year_before(self, years, year, as_of);
        let of_year = YearInputs::of(self, Year::Current, year.period(), Some(year), currency, basis, as_of);
        let (mut inputs, mut left_out) = inputs_of(&of_year);
        if let Some(before) = before {
            let of_year =
                YearInputs::of(self, Year::Prior, before.period, before.report, currency, basis, as_of);
            let (more, more_left_out) = inputs_of(&of_year);
            inputs.extend(more);
            left_out.extend(more_left_out);
        }
        let mut financials = Financials::new(currency, year.end);
        for input in &inputs {
            let amount = distress::Amount::parse(&input.amount);
            financials.set(input.item, input.year, amount.expect("an exact decimal has few enough digits"));
        }
        Ok(AnnualReport {
            period_start: year.start,
            period_end: year.end,
            accession: year.accession.clone(),
            form: year.form.clone(),
            filed: year.filed,
            currency,
            financials,
            inputs,
            left_out,
        })
    }
}

/// The currency of a year: the US dollar if it was reported in that, else the only one.
fn currency_of(year: &FiscalYear) -> Result<Currency, NoReport> {
    if year.currencies.iter().any(|code| code == Currency::USD.as_str()) {
        return Ok(Currency::USD);
    }
    match &*year.currencies {
        [code] => Ok(Currency::parse(code).expect("only codes of three capital letters are kept")),
        several => Err(NoReport::MixedCurrencies(several.to_vec())),
    }
}
