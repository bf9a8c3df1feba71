//! Altman's Z, Z' and Z''.

use super::{EBIT, EQUITY, MARKET_VALUE, REVENUE, TOTAL_ASSETS, TOTAL_LIABILITIES, WORKING_CAPITAL, ratio};
use crate::formula::Sum;
use crate::item::Item;
use crate::model::{Model, ModelId, Paper, Zones};

const RETAINED_EARNINGS: Sum = &[(1.0, Item::RetainedEarnings)];

const REVISITED: Paper = Paper {
    authors: "Altman, E. I.",
    title: "Predicting Financial Distress of Companies: Revisiting the Z-Score and ZETA Models",
    journal: "working paper, Stern School of Business, New York University",
    year: 2000,
    place: "section on private firms' application (Z')",
};

pub(super) const Z: Model = Model {
    id: ModelId::AltmanZ,
    paper: Paper {
        authors: "Altman, E. I.",
        title: "Financial Ratios, Discriminant Analysis and the Prediction of Corporate Bankruptcy",
        journal: "Journal of Finance 23(4), 589-609",
        year: 1968,
        place: "function on p. 594, zones on p. 606",
    },
    constant: 0.0,
    coefficients: &[
        ratio("x1", 1.2, WORKING_CAPITAL, TOTAL_ASSETS),
        ratio("x2", 1.4, RETAINED_EARNINGS, TOTAL_ASSETS),
        ratio("x3", 3.3, EBIT, TOTAL_ASSETS),
        ratio("x4", 0.6, MARKET_VALUE, TOTAL_LIABILITIES),
        ratio("x5", 0.999, REVENUE, TOTAL_ASSETS),
    ],
    zones: Some(Zones { distress_below: 1.81, safe_above: 2.99 }),
    emerging_markets: None,
    link: None,
    threshold: None,
    note: "The paper states x1 to x4 in percent, with a hundredth of these coefficients. Later texts round 0.999 to 1.0.",
};

pub(super) const Z_PRIME: Model = Model {
    id: ModelId::AltmanZPrime,
    paper: REVISITED,
    constant: 0.0,
    coefficients: &[
        ratio("x1", 0.717, WORKING_CAPITAL, TOTAL_ASSETS),
        ratio("x2", 0.847, RETAINED_EARNINGS, TOTAL_ASSETS),
        ratio("x3", 3.107, EBIT, TOTAL_ASSETS),
        ratio("x4", 0.420, EQUITY, TOTAL_LIABILITIES),
        ratio("x5", 0.998, REVENUE, TOTAL_ASSETS),
    ],
    zones: Some(Zones { distress_below: 1.23, safe_above: 2.90 }),
    emerging_markets: None,
    link: None,
    threshold: None,
    note: "x4 has the book value of equity. First published in Altman's book of 1983.",
};

pub(super) const Z_DOUBLE_PRIME: Model = Model {
    id: ModelId::AltmanZDoublePrime,
    paper: Paper { place: "sections on non-manufacturers (Z'') and emerging markets (+3.25)", ..REVISITED },
    constant: 0.0,
    coefficients: &[
        ratio("x1", 6.56, WORKING_CAPITAL, TOTAL_ASSETS),
        ratio("x2", 3.26, RETAINED_EARNINGS, TOTAL_ASSETS),
        ratio("x3", 6.72, EBIT, TOTAL_ASSETS),
        ratio("x4", 1.05, EQUITY, TOTAL_LIABILITIES),
    ],
    zones: Some(Zones { distress_below: 1.10, safe_above: 2.60 }),
    emerging_markets: Some((3.25, Zones { distress_below: 4.35, safe_above: 5.85 })),
    link: None,
    threshold: None,
    note: "x4 has the book value of equity. The zones of the variant for emerging markets are the same, moved by 3.25.",
};
