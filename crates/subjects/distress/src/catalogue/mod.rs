//! The published models.
//!
//! Coefficients were held against public restatements of the papers; the README names what differs between those.

mod accounts;
mod altman;
mod failure;

use crate::formula::{Formula, Quotient, Sum};
use crate::item::Item;
use crate::model::{Coefficient, Model, ModelId};

/// Returns the description of a model.
#[must_use]
pub fn model(id: ModelId) -> &'static Model {
    match id {
        ModelId::AltmanZ => &altman::Z,
        ModelId::AltmanZPrime => &altman::Z_PRIME,
        ModelId::AltmanZDoublePrime => &altman::Z_DOUBLE_PRIME,
        ModelId::OhlsonO => &failure::OHLSON,
        ModelId::SpringateS => &failure::SPRINGATE,
        ModelId::ZmijewskiX => &failure::ZMIJEWSKI,
        ModelId::MertonDd => &failure::MERTON,
        ModelId::BeneishM8 => &accounts::BENEISH,
        ModelId::PiotroskiF => &accounts::PIOTROSKI,
        ModelId::CampbellHilscherSzilagyi12m => &failure::CAMPBELL,
    }
}

/// The ratios of Merton's model, in the order of its arguments: equity, its volatility, debt and the riskless rate. The horizon is
/// [`crate::merton::YEARS`].
pub(crate) const MERTON_INPUTS: [(&str, Formula); 4] = [
    ("equity", Formula::Plain(Item::MarketValue)),
    ("equity_vol", Formula::Plain(Item::EquityVolatility)),
    ("debt", Formula::Sum(&[(1.0, Item::ShortTermDebt), (0.5, Item::LongTermDebt)])),
    ("r", Formula::Plain(Item::RiskFreeRate)),
];

/// Returns the names of a model's ratios with their formulas over named items, in the order of the model.
#[must_use]
pub fn ratios(id: ModelId) -> Vec<(&'static str, String)> {
    if id == ModelId::MertonDd {
        return MERTON_INPUTS.iter().map(|(name, formula)| (*name, formula.text())).collect();
    }
    model(id).coefficients.iter().map(|coefficient| (coefficient.name, coefficient.formula())).collect()
}

const WORKING_CAPITAL: Sum = &[(1.0, Item::CurrentAssets), (-1.0, Item::CurrentLiabilities)];
const TOTAL_ASSETS: Sum = &[(1.0, Item::TotalAssets)];
const TOTAL_LIABILITIES: Sum = &[(1.0, Item::TotalLiabilities)];
const CURRENT_ASSETS: Sum = &[(1.0, Item::CurrentAssets)];
const CURRENT_LIABILITIES: Sum = &[(1.0, Item::CurrentLiabilities)];
const NET_INCOME: Sum = &[(1.0, Item::NetIncome)];
const EBIT: Sum = &[(1.0, Item::Ebit)];
const REVENUE: Sum = &[(1.0, Item::Revenue)];
const EQUITY: Sum = &[(1.0, Item::Equity)];
const MARKET_VALUE: Sum = &[(1.0, Item::MarketValue)];

const fn over(top: Sum, bottom: Sum) -> Quotient {
    Quotient { top, bottom }
}

const fn weigh(name: &'static str, value: f64, formula: Formula) -> Coefficient {
    Coefficient { name, other_names: &[], value, formula, signal: None }
}

const fn ratio(name: &'static str, value: f64, top: Sum, bottom: Sum) -> Coefficient {
    weigh(name, value, Formula::Quotient(over(top, bottom)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_its_identifier_and_no_name_of_a_ratio_twice() {
        for id in ModelId::ALL {
            let model = model(id);
            assert_eq!(model.id, id);
            assert_eq!(serde_json::to_value(id).unwrap(), id.as_str());
            assert_eq!(ModelId::from_name(id.as_str()), Some(id));
            let mut names: Vec<&str> = model
                .coefficients
                .iter()
                .flat_map(|one| one.other_names.iter().copied().chain([one.name]))
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{id:?}");
        }
    }

    #[test]
    fn a_formula_is_printed_as_it_is_computed() {
        let text = |id, at: usize| ratios(id)[at].1.clone();
        assert_eq!(text(ModelId::MertonDd, 2), "short_term_debt + 0.5 long_term_debt");
        assert_eq!(text(ModelId::AltmanZ, 0), "(current_assets - current_liabilities) / total_assets");
        assert_eq!(text(ModelId::OhlsonO, 0), "ln(total_assets / gnp_index)");
        assert_eq!(
            text(ModelId::OhlsonO, 8),
            "(net_income - prior.net_income) / (|net_income| + |prior.net_income|)"
        );
        assert_eq!(
            text(ModelId::BeneishM8, 2),
            "(1 - (current_assets + ppe_net) / total_assets) / \
             (1 - (prior.current_assets + prior.ppe_net) / prior.total_assets)"
        );
        assert_eq!(
            text(ModelId::CampbellHilscherSzilagyi12m, 6),
            "market_value / (0.9 equity + 0.1 market_value)"
        );
    }
}
