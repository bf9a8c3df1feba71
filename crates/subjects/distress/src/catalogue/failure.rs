//! The models of failure by Ohlson, Springate, Zmijewski, Merton, and Campbell, Hilscher and Szilagyi.

use super::{
    CURRENT_ASSETS, CURRENT_LIABILITIES, EBIT, MARKET_VALUE, NET_INCOME, REVENUE, TOTAL_ASSETS,
    TOTAL_LIABILITIES, WORKING_CAPITAL, over, ratio, weigh,
};
use crate::formula::{Formula, Sum};
use crate::item::Item;
use crate::model::{Coefficient, Link, Measure, Model, ModelId, Paper, Threshold};

const GNP_INDEX: Sum = &[(1.0, Item::GnpIndex)];
const PRETAX_INCOME: Sum = &[(1.0, Item::PretaxIncome)];
const FUNDS: Sum = &[(1.0, Item::PretaxIncome), (1.0, Item::DepreciationAmortization)];
const MARKET_ASSETS: Sum = &[(1.0, Item::MarketValue), (1.0, Item::TotalLiabilities)];
const CASH: Sum = &[(1.0, Item::Cash)];
const SHARES: Sum = &[(1.0, Item::SharesOutstanding)];
const ADJUSTED_BOOK_EQUITY: Sum = &[(0.9, Item::Equity), (0.1, Item::MarketValue)];

/// The share price in US dollars at which [`CAMPBELL`]'s price is capped.
const PRICE_CAP: f64 = 15.0;

pub(super) const OHLSON: Model = Model {
    id: ModelId::OhlsonO,
    paper: Paper {
        authors: "Ohlson, J. A.",
        title: "Financial Ratios and the Probabilistic Prediction of Bankruptcy",
        journal: "Journal of Accounting Research 18(1), 109-131",
        year: 1980,
        place: "table 4, model 1; variables on pp. 118-119",
    },
    constant: -1.32,
    coefficients: &[
        weigh("size", -0.407, Formula::LogOfDollars(over(TOTAL_ASSETS, GNP_INDEX), None)),
        ratio("tlta", 6.03, TOTAL_LIABILITIES, TOTAL_ASSETS),
        ratio("wcta", -1.43, WORKING_CAPITAL, TOTAL_ASSETS),
        ratio("clca", 0.0757, CURRENT_LIABILITIES, CURRENT_ASSETS),
        weigh("oeneg", -1.72, Formula::Exceeds(Item::TotalLiabilities, Item::TotalAssets)),
        ratio("nita", -2.37, NET_INCOME, TOTAL_ASSETS),
        ratio("futl", -1.83, FUNDS, TOTAL_LIABILITIES),
        weigh("intwo", 0.285, Formula::NegativeTwice(Item::NetIncome)),
        weigh("chin", -0.521, Formula::ScaledChange(Item::NetIncome)),
    ],
    zones: None,
    emerging_markets: None,
    link: Some(Link::Logistic),
    threshold: Some(Threshold { measure: Measure::Probability, is_above: true, value: 0.5 }),
    note: "Total assets in US dollars over the GNP price-level index, 1968 = 100. Funds from operations are pretax income and \
           depreciation. 0.0757 is also quoted as 0.076.",
};

pub(super) const SPRINGATE: Model = Model {
    id: ModelId::SpringateS,
    paper: Paper {
        authors: "Springate, G. L. V.",
        title: "Predicting the Possibility of Failure in a Canadian Firm",
        journal: "MBA research project, Simon Fraser University",
        year: 1978,
        place: "unpublished; function as later works cite it",
    },
    constant: 0.0,
    coefficients: &[
        named(ratio("a", 1.03, WORKING_CAPITAL, TOTAL_ASSETS), &["x1", "wcta"]),
        named(ratio("b", 3.07, EBIT, TOTAL_ASSETS), &["x2", "ebitta"]),
        named(ratio("c", 0.66, PRETAX_INCOME, CURRENT_LIABILITIES), &["x3", "ebtcl"]),
        named(ratio("d", 0.4, REVENUE, TOTAL_ASSETS), &["x4", "sata"]),
    ],
    zones: None,
    emerging_markets: None,
    link: None,
    threshold: Some(Threshold { measure: Measure::Score, is_above: false, value: 0.862 }),
    note: "Fitted to 40 firms.",
};

pub(super) const ZMIJEWSKI: Model = Model {
    id: ModelId::ZmijewskiX,
    paper: Paper {
        authors: "Zmijewski, M. E.",
        title: "Methodological Issues Related to the Estimation of Financial Distress Prediction Models",
        journal: "Journal of Accounting Research 22, supplement, 59-82",
        year: 1984,
        place: "unweighted probit of 40 bankrupt and 800 other firms",
    },
    constant: -4.336,
    coefficients: &[
        ratio("roa", -4.513, NET_INCOME, TOTAL_ASSETS),
        ratio("finl", 5.679, TOTAL_LIABILITIES, TOTAL_ASSETS),
        ratio("liq", 0.004, CURRENT_ASSETS, CURRENT_LIABILITIES),
    ],
    zones: None,
    emerging_markets: None,
    link: Some(Link::Normal),
    threshold: Some(Threshold { measure: Measure::Score, is_above: true, value: 0.0 }),
    note: "Later works give the coefficient of liq with either sign; here it raises the score, as in the paper's probit.",
};

pub(super) const MERTON: Model = Model {
    id: ModelId::MertonDd,
    paper: Paper {
        authors: "Merton, R. C.",
        title: "On the Pricing of Corporate Debt: The Risk Structure of Interest Rates",
        journal: "Journal of Finance 29(2), 449-470",
        year: 1974,
        place: "equity as a call on the assets; the second equation by Ito's lemma",
    },
    constant: 0.0,
    coefficients: &[],
    zones: None,
    emerging_markets: None,
    link: Some(Link::NormalOfNegative),
    threshold: Some(Threshold { measure: Measure::Score, is_above: false, value: 1.5 }),
    note: "The probability is the risk-neutral one. From items, debt is short-term debt and half of long-term debt, due in one \
           year (Bharath and Shumway 2008).",
};

pub(super) const CAMPBELL: Model = Model {
    id: ModelId::CampbellHilscherSzilagyi12m,
    paper: Paper {
        authors: "Campbell, J. Y., Hilscher, J., Szilagyi, J.",
        title: "In Search of Distress Risk",
        journal: "Journal of Finance 63(6), 2899-2939",
        year: 2008,
        place: "table IV, lag of 12 months",
    },
    constant: -9.16,
    coefficients: &[
        weigh("nimtaavg", -20.26, Formula::Plain(Item::Nimtaavg)),
        ratio("tlmta", 1.42, TOTAL_LIABILITIES, MARKET_ASSETS),
        weigh("exretavg", -7.13, Formula::Plain(Item::Exretavg)),
        weigh("sigma", 1.41, Formula::Plain(Item::EquityVolatility)),
        weigh("rsize", -0.045, Formula::Plain(Item::Rsize)),
        ratio("cashmta", -2.13, CASH, MARKET_ASSETS),
        ratio("mb", 0.075, MARKET_VALUE, ADJUSTED_BOOK_EQUITY),
        weigh("price", -0.058, Formula::LogOfDollars(over(MARKET_VALUE, SHARES), Some(PRICE_CAP))),
    ],
    zones: None,
    emerging_markets: None,
    link: Some(Link::Logistic),
    threshold: None,
    note: "Rounded as the article prints them; its working papers have -9.164, -20.264, 1.416, -7.129, 1.411, -0.045, -2.132, \
           0.075 and -0.058. The paper winsorizes each ratio at 5 and 95 % of its sample, which is not done here. price is the logarithm of a price in \
           US dollars.",
};

const fn named(coefficient: Coefficient, other_names: &'static [&'static str]) -> Coefficient {
    Coefficient { other_names, ..coefficient }
}
