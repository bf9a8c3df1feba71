//! The named items of a company's accounts and market.

use schemars::JsonSchema;
use serde::Serialize;

/// The largest absolute value that an amount may have, in units of its currency.
pub const MAX_AMOUNT: f64 = 1e18;

/// The values that an item may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Range {
    /// From -[`MAX_AMOUNT`] to [`MAX_AMOUNT`].
    Signed,
    /// From 0 to [`MAX_AMOUNT`].
    NotNegative,
    /// From the first to the second; those below are absurd, not negative.
    Between(f64, f64),
}

macro_rules! items {
    ($($(#[$doc:meta])* $variant:ident $name:literal $range:expr;)*) => {
        /// A named item. Flows are those of the year, stocks those at its end.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Item {
            $($(#[$doc])* $variant,)*
        }

        impl Item {
            /// Every item, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name, as it stands in JSON.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub(crate) fn range(self) -> Range {
                match self { $(Self::$variant => $range,)* }
            }
        }
    };
}

items! {
    /// Current assets.
    CurrentAssets "current_assets" Range::NotNegative;
    /// Current liabilities.
    CurrentLiabilities "current_liabilities" Range::NotNegative;
    /// Total assets.
    TotalAssets "total_assets" Range::NotNegative;
    /// Total liabilities, without equity.
    TotalLiabilities "total_liabilities" Range::NotNegative;
    /// Retained earnings; negative where a deficit was accumulated.
    RetainedEarnings "retained_earnings" Range::Signed;
    /// Earnings before interest and taxes.
    Ebit "ebit" Range::Signed;
    /// Income before taxes.
    PretaxIncome "pretax_income" Range::Signed;
    /// Interest expense; negative where interest income was netted against it.
    InterestExpense "interest_expense" Range::Signed;
    /// Net income.
    NetIncome "net_income" Range::Signed;
    /// Revenue.
    Revenue "revenue" Range::NotNegative;
    /// Cost of revenue.
    CostOfRevenue "cost_of_revenue" Range::NotNegative;
    /// Gross profit.
    GrossProfit "gross_profit" Range::Signed;
    /// Selling, general and administrative expense.
    SgaExpense "sga_expense" Range::NotNegative;
    /// Depreciation and amortization.
    DepreciationAmortization "depreciation_amortization" Range::NotNegative;
    /// Cash flow from operations.
    OperatingCashFlow "operating_cash_flow" Range::Signed;
    /// Cash and cash equivalents.
    Cash "cash" Range::NotNegative;
    /// Debt due within a year, with the current part of long-term debt.
    ShortTermDebt "short_term_debt" Range::NotNegative;
    /// Debt due after more than a year.
    LongTermDebt "long_term_debt" Range::NotNegative;
    /// Receivables, net.
    Receivables "receivables" Range::NotNegative;
    /// Inventory.
    Inventory "inventory" Range::NotNegative;
    /// Property, plant and equipment, net.
    PpeNet "ppe_net" Range::NotNegative;
    /// Book value of equity.
    Equity "equity" Range::Signed;
    /// Shares outstanding, in shares.
    SharesOutstanding "shares_outstanding" Range::NotNegative;
    /// Market value of equity; from the caller alone.
    MarketValue "market_value" Range::NotNegative;
    /// Annual standard deviation of the returns of the equity, as a fraction; from the caller alone.
    EquityVolatility "equity_volatility" Range::Between(0.0, 10.0);
    /// Annual riskless rate, as a fraction; from the caller alone.
    RiskFreeRate "risk_free_rate" Range::Between(-0.1, 1.0);
    /// GNP price-level index, 1968 = 100; from the caller alone.
    GnpIndex "gnp_index" Range::Between(1.0, 1e6);
    /// Geometrically declining mean of twelve months' net income over the market value of assets; from the caller alone.
    Nimtaavg "nimtaavg" Range::Between(-100.0, 100.0);
    /// Geometrically declining mean of twelve months' log returns in excess of the index; from the caller alone.
    Exretavg "exretavg" Range::Between(-100.0, 100.0);
    /// Logarithm of the market value of equity over that of the S&P 500; from the caller alone.
    Rsize "rsize" Range::Between(-100.0, 100.0);
}

impl Item {
    /// Returns the item of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|item| item.name() == name)
    }
}

/// The year of an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Year {
    /// The year that is judged.
    Current,
    /// The year before.
    Prior,
}

/// Returns the name of an item in a year: `total_assets` or `prior.total_assets`.
#[must_use]
pub fn name_in(item: Item, year: Year) -> String {
    match year {
        Year::Current => item.name().to_owned(),
        Year::Prior => format!("prior.{}", item.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json_and_differ() {
        for (at, item) in Item::ALL.iter().enumerate() {
            assert_eq!(serde_json::to_value(item).unwrap(), item.name());
            assert_eq!(Item::from_name(item.name()), Some(*item));
            assert_eq!(*item as usize, at);
        }
        assert_eq!(Item::from_name("Total_Assets"), None);
    }
}
