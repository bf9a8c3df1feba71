//! The checks that refuse an item: its range, and items that contradict each other.

use schemars::JsonSchema;
use serde::Serialize;

use crate::financials::Financials;
use crate::item::{Item, MAX_AMOUNT, Range, Year, name_in};

/// The share by which a part may exceed its whole: filings round.
pub const PART_TOLERANCE: f64 = 0.005;

/// The share of total assets by which liabilities and equity may exceed total assets: `equity` may be that of the parent alone,
/// which a deficit of minority holders leaves above the whole.
pub const BALANCE_TOLERANCE: f64 = 0.05;

/// Each part with the whole that it lies within.
const PARTS: &[(Item, Item)] = &[
    (Item::CurrentAssets, Item::TotalAssets),
    (Item::Cash, Item::TotalAssets),
    (Item::Receivables, Item::TotalAssets),
    (Item::Inventory, Item::TotalAssets),
    (Item::PpeNet, Item::TotalAssets),
    (Item::CurrentLiabilities, Item::TotalLiabilities),
    (Item::ShortTermDebt, Item::TotalLiabilities),
    (Item::LongTermDebt, Item::TotalLiabilities),
    (Item::GrossProfit, Item::Revenue),
];

/// The reason why a model cannot use an input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultReason {
    /// It was not given, and no other items give it.
    Missing,
    /// It is no input of the model.
    Unknown,
    /// It is negative, and cannot be.
    Negative,
    /// It is beyond 10^18, or beyond the range of the item.
    OutOfRange,
    /// It contradicts another item.
    Contradiction,
    /// It divides, and is zero.
    ZeroDivisor,
    /// It divides, and is negative.
    NegativeDivisor,
    /// The logarithm of a number that is not positive.
    NotPositive,
    /// The ratio is beyond 10^9.
    RatioOutOfRange,
    /// The model needs US dollars.
    NotDollars,
    /// The equations were not solved within their bounds.
    NotSolved,
}

/// An input that a model lacks or refuses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct InputFault {
    /// The input: an item (`prior.` before one of the year before), a divisor made of items, or a ratio.
    pub input: String,
    /// The reason.
    pub reason: FaultReason,
    /// The comparison that failed, or the sum that could have given the input, in words.
    pub detail: Option<String>,
}

impl InputFault {
    pub(crate) fn new(input: impl Into<String>, reason: FaultReason) -> Self {
        Self { input: input.into(), reason, detail: None }
    }
}

/// An item that is refused: no model uses it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Refused {
    pub(crate) item: Item,
    pub(crate) year: Year,
    pub(crate) fault: InputFault,
}

/// Returns the items that no model may use: those out of their ranges, then both sides of each contradiction. Within a year, each
/// item is named once.
pub(crate) fn refused(financials: &Financials) -> Vec<Refused> {
    let mut refused: Vec<Refused> = Vec::new();
    for (item, year, amount) in financials.given() {
        if let Some(fault) = out_of_range(item, year, amount.value()) {
            refused.push(Refused { item, year, fault });
        }
    }
    for year in [Year::Current, Year::Prior] {
        for (items, detail) in contradictions(financials, year, &refused) {
            for item in items {
                if !is_refused(&refused, item, year) {
                    let mut fault = InputFault::new(name_in(item, year), FaultReason::Contradiction);
                    fault.detail = Some(detail.clone());
                    refused.push(Refused { item, year, fault });
                }
            }
        }
    }
    refused
}

impl Financials {
    /// Returns the items that no model uses: those out of their ranges, and both sides of each contradiction.
    #[must_use]
    pub fn refused_items(&self) -> Vec<InputFault> {
        refused(self).into_iter().map(|refused| refused.fault).collect()
    }
}

/// True if the item is among those refused.
pub(crate) fn is_refused(refused: &[Refused], item: Item, year: Year) -> bool {
    refused.iter().any(|refused| (refused.item, refused.year) == (item, year))
}

fn out_of_range(item: Item, year: Year, value: f64) -> Option<InputFault> {
    let reason = match item.range() {
        Range::NotNegative if value < 0.0 => FaultReason::Negative,
        Range::Between(least, most) if value < least || value > most => FaultReason::OutOfRange,
        _ if value.abs() > MAX_AMOUNT => FaultReason::OutOfRange,
        _ => return None,
    };
    let mut fault = InputFault::new(name_in(item, year), reason);
    fault.detail = Some(match item.range() {
        Range::Signed => "beyond 10^18".to_owned(),
        Range::NotNegative => "not from 0 to 10^18".to_owned(),
        Range::Between(least, most) => format!("not from {least} to {most}"),
    });
    Some(fault)
}

/// Returns the groups of items that contradict each other, with the comparison that failed. Items refused before are passed over.
fn contradictions(financials: &Financials, year: Year, refused: &[Refused]) -> Vec<(Vec<Item>, String)> {
    let value = |item| {
        let amount = financials.get(item, year).filter(|_| !is_refused(refused, item, year))?;
        Some(amount.value())
    };
    let mut found = Vec::new();
    for (part, whole) in PARTS {
        let (Some(of_part), Some(of_whole)) = (value(*part), value(*whole)) else { continue };
        if of_part - of_whole > of_whole * PART_TOLERANCE {
            let detail =
                format!("{} exceeds {} by more than 0.5 %", name_in(*part, year), name_in(*whole, year));
            found.push((vec![*part, *whole], detail));
        }
    }
    // Equity above the assets is as impossible where liabilities were not given.
    let liabilities = value(Item::TotalLiabilities);
    if let (Some(equity), Some(assets)) = (value(Item::Equity), value(Item::TotalAssets))
        && liabilities.unwrap_or(0.0) + equity > assets * (1.0 + BALANCE_TOLERANCE)
    {
        let detail = "total_liabilities and equity exceed total_assets by more than 5 %".to_owned();
        let given = liabilities.map(|_| Item::TotalLiabilities);
        found.push(([Item::Equity, Item::TotalAssets].into_iter().chain(given).collect(), detail));
    }
    let margin = (value(Item::Revenue), value(Item::CostOfRevenue), value(Item::GrossProfit));
    if let (Some(revenue), Some(cost), Some(gross)) = margin
        && (revenue - cost - gross).abs() > revenue * PART_TOLERANCE
    {
        let detail =
            "gross_profit is not revenue less cost_of_revenue, by more than 0.5 % of revenue".to_owned();
        found.push((vec![Item::CostOfRevenue, Item::GrossProfit], detail));
    }
    found
}
