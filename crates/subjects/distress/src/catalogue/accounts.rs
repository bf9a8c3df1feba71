//! Models of the quality of accounts: Beneish's M and Piotroski's F. They are for information, and do not vote.

use super::{CURRENT_ASSETS, CURRENT_LIABILITIES, NET_INCOME, REVENUE, TOTAL_ASSETS, over, weigh};
use crate::formula::{Formula, Sum};
use crate::item::Item;
use crate::model::{Coefficient, Measure, Model, ModelId, Paper, Signal, Threshold};

const RECEIVABLES: Sum = &[(1.0, Item::Receivables)];
const GROSS_PROFIT: Sum = &[(1.0, Item::GrossProfit)];
const CURRENT_ASSETS_AND_PLANT: Sum = &[(1.0, Item::CurrentAssets), (1.0, Item::PpeNet)];
const DEPRECIATION: Sum = &[(1.0, Item::DepreciationAmortization)];
const DEPRECIATION_AND_PLANT: Sum = &[(1.0, Item::DepreciationAmortization), (1.0, Item::PpeNet)];
const SGA: Sum = &[(1.0, Item::SgaExpense)];
const LONG_TERM_DEBT: Sum = &[(1.0, Item::LongTermDebt)];
const LEVERAGE: Sum = &[(1.0, Item::LongTermDebt), (1.0, Item::CurrentLiabilities)];
const CASH_FLOW: Sum = &[(1.0, Item::OperatingCashFlow)];
const ACCRUALS: Sum = &[(1.0, Item::NetIncome), (-1.0, Item::OperatingCashFlow)];
const CASH_ABOVE_INCOME: Sum = &[(1.0, Item::OperatingCashFlow), (-1.0, Item::NetIncome)];

pub(super) const BENEISH: Model = Model {
    id: ModelId::BeneishM8,
    paper: Paper {
        authors: "Beneish, M. D.",
        title: "The Detection of Earnings Manipulation",
        journal: "Financial Analysts Journal 55(5), 24-36",
        year: 1999,
        place: "table 3, unweighted probit",
    },
    constant: -4.84,
    coefficients: &[
        weigh("dsri", 0.920, Formula::Index(over(RECEIVABLES, REVENUE))),
        weigh("gmi", 0.528, Formula::InverseIndex(over(GROSS_PROFIT, REVENUE))),
        weigh("aqi", 0.404, Formula::RemainderIndex(over(CURRENT_ASSETS_AND_PLANT, TOTAL_ASSETS))),
        weigh("sgi", 0.892, Formula::ItemIndex(Item::Revenue)),
        weigh("depi", 0.115, Formula::InverseIndex(over(DEPRECIATION, DEPRECIATION_AND_PLANT))),
        weigh("sgai", -0.172, Formula::Index(over(SGA, REVENUE))),
        weigh("tata", 4.679, Formula::Quotient(over(ACCRUALS, TOTAL_ASSETS))),
        weigh("lvgi", -0.327, Formula::Index(over(LEVERAGE, TOTAL_ASSETS))),
    ],
    zones: None,
    emerging_markets: None,
    link: None,
    threshold: Some(Threshold { measure: Measure::Score, is_above: true, value: -1.78 }),
    note: "tata is net income less cash flow from operations, over total assets, as in Beneish's later works; the paper takes \
           accruals from the balance sheet. Depreciation includes amortization.",
};

pub(super) const PIOTROSKI: Model = Model {
    id: ModelId::PiotroskiF,
    paper: Paper {
        authors: "Piotroski, J. D.",
        title: "Value Investing: The Use of Historical Financial Statement Information to Separate Winners from Losers",
        journal: "Journal of Accounting Research 38, supplement, 1-41",
        year: 2000,
        place: "section on the signals, pp. 7-9",
    },
    constant: 0.0,
    coefficients: &[
        signal("roa", Signal::Positive, Formula::Quotient(over(NET_INCOME, TOTAL_ASSETS))),
        signal("cfo", Signal::Positive, Formula::Quotient(over(CASH_FLOW, TOTAL_ASSETS))),
        signal("d_roa", Signal::Positive, Formula::Change(over(NET_INCOME, TOTAL_ASSETS))),
        signal("accrual", Signal::Positive, Formula::Quotient(over(CASH_ABOVE_INCOME, TOTAL_ASSETS))),
        signal("d_lever", Signal::Negative, Formula::Change(over(LONG_TERM_DEBT, TOTAL_ASSETS))),
        signal("d_liquid", Signal::Positive, Formula::Change(over(CURRENT_ASSETS, CURRENT_LIABILITIES))),
        signal("eq_offer", Signal::NotPositive, Formula::Growth(Item::SharesOutstanding)),
        signal("d_margin", Signal::Positive, Formula::Change(over(GROSS_PROFIT, REVENUE))),
        signal("d_turn", Signal::Positive, Formula::Change(over(REVENUE, TOTAL_ASSETS))),
    ],
    zones: None,
    emerging_markets: None,
    link: None,
    threshold: None,
    note: "0 to 9. Ratios are over total assets at the end of each year; the paper has those at its beginning (for d_lever the mean), \
           which needs a third balance sheet. eq_offer is the growth of shares outstanding.",
};

const fn signal(name: &'static str, signal: Signal, formula: Formula) -> Coefficient {
    Coefficient { name, other_names: &[], value: 1.0, formula, signal: Some(signal) }
}
