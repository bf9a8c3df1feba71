//! The table itself: of each item the tags of us-gaap and dei that give it, in order of preference.
//!
//! Names and signs are those of the taxonomies that FASB and the SEC publish. A line that a balance sheet does not have is
//! missing, not zero; only the terms marked optional may be absent from a sum.

use distress::Item;

use super::{Derivation, ItemRule, Kind, Source, Term};

/// A term that must be there.
const fn of(sign: i8, tags: &'static [&'static str]) -> Term {
    Term { sign, optional: false, source: Source::Tags(tags) }
}

/// A term that may be absent.
const fn if_any(sign: i8, tags: &'static [&'static str]) -> Term {
    Term { sign, optional: true, source: Source::Tags(tags) }
}

/// Another item.
const fn item(sign: i8, item: Item) -> Term {
    Term { sign, optional: false, source: Source::Item(item) }
}

const fn sum(text: &'static str, terms: &'static [Term]) -> Derivation {
    Derivation { text, terms, differ: false }
}

/// The value of a tag as it is.
const fn reported(terms: &'static [Term]) -> Derivation {
    sum("reported", terms)
}

const fn flow(item: Item, derivations: &'static [Derivation]) -> ItemRule {
    ItemRule { item, kind: Kind::Flow, in_shares: false, derivations }
}

const fn stock(item: Item, derivations: &'static [Derivation]) -> ItemRule {
    ItemRule { item, kind: Kind::Stock, in_shares: false, derivations }
}

/// Where several stand in one filing, one is a part of another, such as sales under contracts beside all revenue with leases.
/// Sales with excise taxes are the last resort: others are without them.
const REVENUE: ItemRule = flow(
    Item::Revenue,
    &[
        reported(&[Term {
            sign: 1,
            optional: false,
            source: Source::Largest(&[
                "Revenues",
                "RevenueFromContractWithCustomerExcludingAssessedTax",
                "SalesRevenueNet",
            ]),
        }]),
        reported(&[of(1, &["RevenueFromContractWithCustomerIncludingAssessedTax"])]),
        sum(
            "sales of goods + sales of services",
            &[of(1, &["SalesRevenueGoodsNet"]), of(1, &["SalesRevenueServicesNet"])],
        ),
        reported(&[of(1, &["SalesRevenueGoodsNet", "SalesRevenueServicesNet"])]),
    ],
);

const COST_OF_REVENUE: ItemRule = flow(
    Item::CostOfRevenue,
    &[
        reported(&[Term {
            sign: 1,
            optional: false,
            source: Source::Largest(&["CostOfRevenue", "CostOfGoodsAndServicesSold"]),
        }]),
        sum("cost of goods + cost of services", &[of(1, &["CostOfGoodsSold"]), of(1, &["CostOfServices"])]),
        reported(&[of(1, &["CostOfGoodsSold", "CostOfServices"])]),
        sum("revenue - gross profit", &[item(1, Item::Revenue), of(-1, &["GrossProfit"])]),
    ],
);

const GROSS_PROFIT: ItemRule = flow(
    Item::GrossProfit,
    &[
        reported(&[of(1, &["GrossProfit"])]),
        sum("revenue - cost_of_revenue", &[item(1, Item::Revenue), item(-1, Item::CostOfRevenue)]),
    ],
);

const SGA_EXPENSE: ItemRule = flow(
    Item::SgaExpense,
    &[
        reported(&[of(1, &["SellingGeneralAndAdministrativeExpense"])]),
        sum(
            "selling expense + general and administrative expense",
            &[
                of(1, &["SellingAndMarketingExpense", "SellingExpense"]),
                of(1, &["GeneralAndAdministrativeExpense"]),
            ],
        ),
    ],
);

const INTEREST_EXPENSE: ItemRule = flow(
    Item::InterestExpense,
    &[
        reported(&[of(1, &["InterestExpense", "InterestExpenseNonoperating"])]),
        reported(&[of(1, &["InterestAndDebtExpense", "InterestExpenseDebt"])]),
    ],
);

/// The two long tags differ in the income of companies held by the equity method.
const PRETAX_INCOME: ItemRule = flow(
    Item::PretaxIncome,
    &[
        reported(&[of(
            1,
            &[
                "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
                "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
            ],
        )]),
        sum(
            "domestic income + foreign income",
            &[
                of(1, &["IncomeLossFromContinuingOperationsBeforeIncomeTaxesDomestic"]),
                of(1, &["IncomeLossFromContinuingOperationsBeforeIncomeTaxesForeign"]),
            ],
        ),
        sum(
            "income from continuing operations + income tax",
            &[
                of(
                    1,
                    &[
                        "IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest",
                        "IncomeLossFromContinuingOperations",
                    ],
                ),
                of(1, &["IncomeTaxExpenseBenefit"]),
            ],
        ),
    ],
);

/// The models were estimated on Compustat, whose earnings before interest and taxes are operating income after depreciation.
const EBIT: ItemRule = flow(
    Item::Ebit,
    &[
        reported(&[of(1, &["OperatingIncomeLoss"])]),
        sum(
            "pretax_income + interest_expense",
            &[item(1, Item::PretaxIncome), item(1, Item::InterestExpense)],
        ),
    ],
);

const NET_INCOME: ItemRule = flow(
    Item::NetIncome,
    &[
        reported(&[of(1, &["NetIncomeLoss"])]),
        reported(&[of(1, &["ProfitLoss"])]),
        reported(&[of(1, &["NetIncomeLossAvailableToCommonStockholdersBasic"])]),
    ],
);

/// `Depreciation` alone lacks amortization, and is not taken.
const DEPRECIATION: ItemRule = flow(
    Item::DepreciationAmortization,
    &[
        reported(&[of(
            1,
            &[
                "DepreciationDepletionAndAmortization",
                "DepreciationAmortizationAndAccretionNet",
                "DepreciationAndAmortization",
            ],
        )]),
        sum(
            "depreciation + amortization of intangible assets",
            &[of(1, &["Depreciation"]), of(1, &["AmortizationOfIntangibleAssets"])],
        ),
    ],
);

const OPERATING_CASH_FLOW: ItemRule = flow(
    Item::OperatingCashFlow,
    &[
        reported(&[of(1, &["NetCashProvidedByUsedInOperatingActivities"])]),
        sum(
            "cash flow of continuing operations + of discontinued operations",
            &[
                of(1, &["NetCashProvidedByUsedInOperatingActivitiesContinuingOperations"]),
                if_any(1, &["CashProvidedByUsedInOperatingActivitiesDiscontinuedOperations"]),
            ],
        ),
    ],
);

/// The tag with restricted cash is the last resort: it is the total of the cash flow statement.
const CASH: ItemRule = stock(
    Item::Cash,
    &[
        reported(&[of(1, &["CashAndCashEquivalentsAtCarryingValue"])]),
        reported(&[of(1, &["Cash"])]),
        reported(&[of(1, &["CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"])]),
    ],
);

const RECEIVABLES: ItemRule = stock(
    Item::Receivables,
    &[
        reported(&[of(1, &["AccountsReceivableNetCurrent"])]),
        reported(&[of(1, &["ReceivablesNetCurrent", "AccountsNotesAndLoansReceivableNetCurrent"])]),
    ],
);

const INVENTORY: ItemRule = stock(
    Item::Inventory,
    &[reported(&[of(1, &["InventoryNet", "InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings"])])],
);

const PPE_NET: ItemRule = stock(
    Item::PpeNet,
    &[reported(&[of(
        1,
        &[
            "PropertyPlantAndEquipmentNet",
            "PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization",
        ],
    )])],
);

const CURRENT_ASSETS: ItemRule = stock(Item::CurrentAssets, &[reported(&[of(1, &["AssetsCurrent"])])]);

const TOTAL_ASSETS: ItemRule = stock(
    Item::TotalAssets,
    &[reported(&[of(1, &["Assets"])]), reported(&[of(1, &["LiabilitiesAndStockholdersEquity"])])],
);

const CURRENT_LIABILITIES: ItemRule =
    stock(Item::CurrentLiabilities, &[reported(&[of(1, &["LiabilitiesCurrent"])])]);

const WHOLE_SIDE: &[&str] = &["LiabilitiesAndStockholdersEquity"];
const EQUITY_WITH_MINORITY: &[&str] =
    &["StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"];
const TEMPORARY_WITH_MINORITY: &[&str] =
    &["TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests"];
const TEMPORARY_OF_PARENT: &[&str] = &["TemporaryEquityCarryingAmountAttributableToParent"];
const REDEEMABLE_MINORITY: &[&str] = &[
    "RedeemableNoncontrollingInterestEquityCarryingAmount",
    "RedeemableNoncontrollingInterestEquityCommonCarryingAmount",
];

/// Temporary equity stands between liabilities and equity. Its total, where it is reported, has the redeemable minority in it.
const TOTAL_LIABILITIES: ItemRule = stock(
    Item::TotalLiabilities,
    &[
        reported(&[of(1, &["Liabilities"])]),
        sum(
            "current liabilities + noncurrent liabilities",
            &[of(1, &["LiabilitiesCurrent"]), of(1, &["LiabilitiesNoncurrent"])],
        ),
        sum(
            "liabilities and equity - equity with minority interest - temporary equity",
            &[of(1, WHOLE_SIDE), of(-1, EQUITY_WITH_MINORITY), of(-1, TEMPORARY_WITH_MINORITY)],
        ),
        sum(
            "liabilities and equity - equity with minority interest - temporary equity - redeemable minority",
            &[
                of(1, WHOLE_SIDE),
                of(-1, EQUITY_WITH_MINORITY),
                if_any(-1, TEMPORARY_OF_PARENT),
                if_any(-1, REDEEMABLE_MINORITY),
            ],
        ),
        sum(
            "liabilities and equity - equity - minority interest - temporary equity - redeemable minority",
            &[
                of(1, WHOLE_SIDE),
                of(-1, &["StockholdersEquity"]),
                if_any(-1, &["MinorityInterest"]),
                if_any(-1, TEMPORARY_OF_PARENT),
                if_any(-1, REDEEMABLE_MINORITY),
            ],
        ),
    ],
);

/// The tag of the development stage is a deficit, so that its sign turns. The taxonomy dropped it after 2014.
const RETAINED_EARNINGS: ItemRule = stock(
    Item::RetainedEarnings,
    &[
        reported(&[of(1, &["RetainedEarningsAccumulatedDeficit"])]),
        sum(
            "appropriated + unappropriated retained earnings",
            &[of(1, &["RetainedEarningsAppropriated"]), of(1, &["RetainedEarningsUnappropriated"])],
        ),
        sum(
            "- deficit of the development stage",
            &[of(-1, &["DevelopmentStageEnterpriseDeficitAccumulatedDuringDevelopmentStage"])],
        ),
    ],
);

const EQUITY: ItemRule = stock(
    Item::Equity,
    &[
        reported(&[of(1, &["StockholdersEquity"])]),
        reported(&[of(1, EQUITY_WITH_MINORITY)]),
        reported(&[of(1, &["PartnersCapital", "MembersEquity"])]),
    ],
);

const CURRENT_PART: &[&str] = &["LongTermDebtCurrent", "LongTermDebtAndCapitalLeaseObligationsCurrent"];

/// Borrowings and the current part of long-term debt are two lines. Where both have one amount they are one line with two tags.
/// Where a balance sheet has one of the lines, that line is the item.
const SHORT_TERM_DEBT: ItemRule = stock(
    Item::ShortTermDebt,
    &[
        reported(&[of(1, &["DebtCurrent"])]),
        Derivation {
            text: "short-term borrowings + current part of long-term debt",
            terms: &[of(1, &["ShortTermBorrowings"]), of(1, CURRENT_PART)],
            differ: true,
        },
        reported(&[of(1, &["ShortTermBorrowings"])]),
        Derivation {
            text: "commercial paper + current part of long-term debt",
            terms: &[of(1, &["CommercialPaper"]), of(1, CURRENT_PART)],
            differ: true,
        },
        reported(&[of(1, CURRENT_PART)]),
        reported(&[of(1, &["CommercialPaper"])]),
    ],
);

const LONG_TERM_DEBT: ItemRule = stock(
    Item::LongTermDebt,
    &[
        reported(&[of(1, &["LongTermDebtNoncurrent"])]),
        reported(&[of(1, &["LongTermDebtAndCapitalLeaseObligations"])]),
        sum(
            "long-term debt with its current part - current part",
            &[of(1, &["LongTermDebt"]), of(-1, &["LongTermDebtCurrent"])],
        ),
    ],
);

/// The balance sheet's count comes first: a split restates it for both years, which the cover's count never is. Neither has the
/// classes of which a company reports each apart, since company facts have no dimensions.
const SHARES_OUTSTANDING: ItemRule = ItemRule {
    item: Item::SharesOutstanding,
    kind: Kind::Stock,
    in_shares: true,
    derivations: &[
        reported(&[of(1, &["CommonStockSharesOutstanding"])]),
        sum(
            "shares issued - treasury shares",
            &[
                of(1, &["CommonStockSharesIssued"]),
                of(-1, &["TreasuryStockCommonShares", "TreasuryStockShares"]),
            ],
        ),
        sum(
            "reported on the cover",
            &[Term {
                sign: 1,
                optional: false,
                source: Source::Cover(&["EntityCommonStockSharesOutstanding"]),
            }],
        ),
    ],
};

/// The rules of all items that are read from filings. An item that a sum refers to stands before it.
pub static MAPPING: &[ItemRule] = &[
    CURRENT_ASSETS,
    CURRENT_LIABILITIES,
    TOTAL_ASSETS,
    TOTAL_LIABILITIES,
    RETAINED_EARNINGS,
    REVENUE,
    COST_OF_REVENUE,
    GROSS_PROFIT,
    SGA_EXPENSE,
    INTEREST_EXPENSE,
    PRETAX_INCOME,
    EBIT,
    NET_INCOME,
    DEPRECIATION,
    OPERATING_CASH_FLOW,
    CASH,
    SHORT_TERM_DEBT,
    LONG_TERM_DEBT,
    RECEIVABLES,
    INVENTORY,
    PPE_NET,
    EQUITY,
    SHARES_OUTSTANDING,
];
