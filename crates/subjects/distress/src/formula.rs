//! Ratios as data: each is a formula over named items, which is evaluated, printed and traced to its inputs.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use crate::checks::{FaultReason, InputFault, Refused};
use crate::financials::{Currency, Financials};
use crate::item::{Item, Year, name_in};
use crate::number::Finite;

/// The largest absolute value that a ratio may have.
pub const MAX_RATIO: f64 = 1e9;

/// A sum of weighted items.
pub(crate) type Sum = &'static [(f64, Item)];

/// A sum over a sum, both of the same year.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quotient {
    pub(crate) top: Sum,
    pub(crate) bottom: Sum,
}

/// The way from items to a ratio.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Formula {
    /// An item as it stands.
    Plain(Item),
    /// A sum of this year.
    Sum(Sum),
    /// A quotient of this year.
    Quotient(Quotient),
    /// A quotient of this year over that of the year before.
    Index(Quotient),
    /// A quotient of the year before over that of this year.
    InverseIndex(Quotient),
    /// One less a quotient, of this year over the year before.
    RemainderIndex(Quotient),
    /// A quotient of this year less that of the year before.
    Change(Quotient),
    /// An item of this year over that of the year before.
    ItemIndex(Item),
    /// An item of this year less that of the year before, over that of the year before.
    Growth(Item),
    /// The natural logarithm of a quotient in US dollars, or of the cap where that is smaller.
    LogOfDollars(Quotient, Option<f64>),
    /// 1 if the first item is above the second, else 0.
    Exceeds(Item, Item),
    /// 1 if the item is negative in both years, else 0.
    NegativeTwice(Item),
    /// The change of an item over the sum of its absolute values.
    ScaledChange(Item),
}

/// An item that a ratio was computed from.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct UsedItem {
    /// The name, `prior.` before it for one of the year before.
    pub name: String,
    /// The value.
    pub value: Finite,
    /// The text of the amount as it came; absent for a derived item.
    pub text: Option<String>,
    /// The sum that gave it, if the item was not given itself; the parts follow in the list.
    pub derived: Option<&'static str>,
}

/// Reads items for one ratio, and keeps those that it read and the faults that it met.
pub(crate) struct Reader<'a> {
    pub(crate) financials: &'a Financials,
    pub(crate) refused: &'a [Refused],
    pub(crate) used: Vec<UsedItem>,
    pub(crate) faults: Vec<InputFault>,
}

/// The sum of two items that stands in for an item which was not given.
fn derivation(item: Item) -> Option<(&'static str, [(f64, Item); 2])> {
    Some(match item {
        Item::Ebit => {
            ("pretax_income + interest_expense", [(1.0, Item::PretaxIncome), (1.0, Item::InterestExpense)])
        }
        Item::GrossProfit => {
            ("revenue - cost_of_revenue", [(1.0, Item::Revenue), (-1.0, Item::CostOfRevenue)])
        }
        Item::TotalLiabilities => ("total_assets - equity", [(1.0, Item::TotalAssets), (-1.0, Item::Equity)]),
        Item::Equity => {
            ("total_assets - total_liabilities", [(1.0, Item::TotalAssets), (-1.0, Item::TotalLiabilities)])
        }
        _ => return None,
    })
}

impl<'a> Reader<'a> {
    pub(crate) fn new(financials: &'a Financials, refused: &'a [Refused]) -> Self {
        Self { financials, refused, used: Vec::new(), faults: Vec::new() }
    }

    fn refusal(&self, item: Item, year: Year) -> Option<&'a InputFault> {
        self.refused.iter().find(|one| (one.item, one.year) == (item, year)).map(|one| &one.fault)
    }

    fn given(&self, item: Item, year: Year) -> Option<UsedItem> {
        let amount = self.financials.get(item, year).filter(|_| self.refusal(item, year).is_none())?;
        let value = Finite::new(amount.value())?;
        Some(UsedItem {
            name: name_in(item, year),
            value,
            text: Some(amount.text().to_owned()),
            derived: None,
        })
    }

    /// Reads an item, or derives one that was not given; a fault is kept where neither can be. An item that was refused is not
    /// derived: the company states something that cannot be.
    pub(crate) fn read(&mut self, item: Item, year: Year) -> Option<f64> {
        if let Some(fault) = self.refusal(item, year) {
            self.fault(fault.clone());
            return None;
        }
        if let Some(used) = self.given(item, year) {
            let value = used.value.get();
            self.keep(used);
            return Some(value);
        }
        let derived = derivation(item).and_then(|(sum, [(a, first), (b, second)])| {
            let parts = [self.given(first, year)?, self.given(second, year)?];
            let value = Finite::new(a * parts[0].value.get() + b * parts[1].value.get())?;
            let is_possible = item != Item::TotalLiabilities || value.get() >= 0.0;
            is_possible.then_some((
                UsedItem { name: name_in(item, year), value, text: None, derived: Some(sum) },
                parts,
            ))
        });
        let Some((used, parts)) = derived else {
            let mut fault = InputFault::new(name_in(item, year), FaultReason::Missing);
            fault.detail =
                derivation(item).map(|(sum, _)| format!("nor can it be computed as {sum} of the same year"));
            self.fault(fault);
            return None;
        };
        let value = used.value.get();
        self.keep(used);
        parts.into_iter().for_each(|part| self.keep(part));
        Some(value)
    }

    fn keep(&mut self, used: UsedItem) {
        if self.used.iter().all(|other| other.name != used.name) {
            self.used.push(used);
        }
    }

    pub(crate) fn fault(&mut self, fault: InputFault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    fn sum(&mut self, sum: Sum, year: Year) -> Option<f64> {
        // Every item is read before the sum is given up, so that all faults are named.
        let values: Vec<Option<f64>> = sum.iter().map(|(_, item)| self.read(*item, year)).collect();
        let mut total = 0.0;
        for ((weight, _), value) in sum.iter().zip(values) {
            total += weight * value?;
        }
        Some(total)
    }

    fn quotient(&mut self, quotient: Quotient, year: Year) -> Option<f64> {
        let (top, bottom) = (self.sum(quotient.top, year), self.sum(quotient.bottom, year));
        let (top, bottom) = (top?, bottom?);
        self.divide(top, bottom, || sum_text(quotient.bottom, year))
    }

    fn divide(&mut self, top: f64, bottom: f64, divisor: impl Fn() -> String) -> Option<f64> {
        if bottom > 0.0 {
            return Some(top / bottom);
        }
        let reason = if bottom == 0.0 { FaultReason::ZeroDivisor } else { FaultReason::NegativeDivisor };
        self.fault(InputFault::new(divisor(), reason));
        None
    }

    fn quotient_in_two_years(&mut self, quotient: Quotient) -> Option<(f64, f64)> {
        let (current, prior) = (self.quotient(quotient, Year::Current), self.quotient(quotient, Year::Prior));
        Some((current?, prior?))
    }

    fn item_in_two_years(&mut self, item: Item) -> Option<(f64, f64)> {
        let (current, prior) = (self.read(item, Year::Current), self.read(item, Year::Prior));
        Some((current?, prior?))
    }

    /// Evaluates a formula. `None` leaves at least one fault.
    pub(crate) fn evaluate(&mut self, name: &str, formula: &Formula) -> Option<f64> {
        let value = self.value_of(formula)?;
        if value.is_finite() && value.abs() <= MAX_RATIO {
            return Some(value);
        }
        self.fault(InputFault::new(name, FaultReason::RatioOutOfRange));
        None
    }

    /// Evaluates a formula without a bound on its value.
    pub(crate) fn value_of(&mut self, formula: &Formula) -> Option<f64> {
        match *formula {
            Formula::Plain(item) => self.read(item, Year::Current),
            Formula::Sum(sum) => self.sum(sum, Year::Current),
            Formula::Quotient(quotient) => self.quotient(quotient, Year::Current),
            Formula::Index(quotient) => {
                let (current, prior) = self.quotient_in_two_years(quotient)?;
                self.divide(current, prior, || quotient_text(quotient, Year::Prior))
            }
            Formula::InverseIndex(quotient) => {
                let (current, prior) = self.quotient_in_two_years(quotient)?;
                self.divide(prior, current, || quotient_text(quotient, Year::Current))
            }
            Formula::RemainderIndex(quotient) => {
                let (current, prior) = self.quotient_in_two_years(quotient)?;
                self.divide(1.0 - current, 1.0 - prior, || {
                    format!("1 - {}", quotient_text(quotient, Year::Prior))
                })
            }
            Formula::Change(quotient) => {
                let (current, prior) = self.quotient_in_two_years(quotient)?;
                Some(current - prior)
            }
            Formula::ItemIndex(item) => {
                let (current, prior) = self.item_in_two_years(item)?;
                self.divide(current, prior, || name_in(item, Year::Prior))
            }
            Formula::Growth(item) => {
                let (current, prior) = self.item_in_two_years(item)?;
                self.divide(current - prior, prior, || name_in(item, Year::Prior))
            }
            Formula::LogOfDollars(quotient, cap) => {
                let is_dollars = self.financials.currency == Currency::USD;
                if !is_dollars {
                    self.fault(InputFault::new("currency", FaultReason::NotDollars));
                }
                let value = self.quotient(quotient, Year::Current).filter(|_| is_dollars)?;
                self.log(cap.map_or(value, |cap| value.min(cap)), quotient)
            }
            Formula::Exceeds(one, other) => {
                let (one, other) = (self.read(one, Year::Current), self.read(other, Year::Current));
                Some(indicator(one? > other?))
            }
            Formula::NegativeTwice(item) => {
                let (current, prior) = self.item_in_two_years(item)?;
                Some(indicator(current < 0.0 && prior < 0.0))
            }
            Formula::ScaledChange(item) => {
                let (current, prior) = self.item_in_two_years(item)?;
                let name = item.name();
                self.divide(current - prior, current.abs() + prior.abs(), || {
                    format!("|{name}| + |prior.{name}|")
                })
            }
        }
    }

    fn log(&mut self, value: f64, quotient: Quotient) -> Option<f64> {
        if value > 0.0 {
            return Some(libm::log(value));
        }
        self.fault(InputFault::new(quotient_text(quotient, Year::Current), FaultReason::NotPositive));
        None
    }
}

pub(crate) fn indicator(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}

impl Formula {
    /// Returns the formula as a reader writes it: `(current_assets - current_liabilities) / total_assets`.
    pub(crate) fn text(&self) -> String {
        let (now, before) = (Year::Current, Year::Prior);
        match *self {
            Self::Plain(item) => item.name().to_owned(),
            Self::Sum(sum) => sum_text(sum, now),
            Self::Quotient(quotient) => quotient_text(quotient, now),
            Self::Index(quotient) => {
                format!("({}) / ({})", quotient_text(quotient, now), quotient_text(quotient, before))
            }
            Self::InverseIndex(quotient) => {
                format!("({}) / ({})", quotient_text(quotient, before), quotient_text(quotient, now))
            }
            Self::RemainderIndex(quotient) => {
                format!("(1 - {}) / (1 - {})", quotient_text(quotient, now), quotient_text(quotient, before))
            }
            Self::Change(quotient) => {
                format!("{} - {}", quotient_text(quotient, now), quotient_text(quotient, before))
            }
            Self::ItemIndex(item) => format!("{0} / prior.{0}", item.name()),
            Self::Growth(item) => format!("({0} - prior.{0}) / prior.{0}", item.name()),
            Self::LogOfDollars(quotient, None) => {
                format!("ln({})", quotient_text(quotient, now))
            }
            Self::LogOfDollars(quotient, Some(cap)) => {
                format!("ln(min({}, {cap}))", quotient_text(quotient, now))
            }
            Self::Exceeds(one, other) => format!("1 if {} > {}, else 0", one.name(), other.name()),
            Self::NegativeTwice(item) => format!("1 if {0} < 0 and prior.{0} < 0, else 0", item.name()),
            Self::ScaledChange(item) => format!("({0} - prior.{0}) / (|{0}| + |prior.{0}|)", item.name()),
        }
    }
}

fn quotient_text(quotient: Quotient, year: Year) -> String {
    let side = |sum: Sum| match sum {
        [_] => sum_text(sum, year),
        _ => format!("({})", sum_text(sum, year)),
    };
    format!("{} / {}", side(quotient.top), side(quotient.bottom))
}

/// Returns a sum as text: `0.9 equity + 0.1 market_value`.
pub(crate) fn sum_text(sum: Sum, year: Year) -> String {
    let mut text = String::new();
    for (at, (weight, item)) in sum.iter().enumerate() {
        text.push_str(match (at, *weight < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        if weight.abs() != 1.0 {
            let _ = write!(text, "{} ", weight.abs());
        }
        text.push_str(&name_in(*item, year));
    }
    text
}
