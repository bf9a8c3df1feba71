//! The sums that give the items.

use company_facts::{Basis, LeftOutReason};
use distress::{Item, Year};

use crate::bodies::{Body, FIRST, YEAR, amount, parts};

const END: &str = "2023-12-31";

/// The amount and the derivation of an item, of facts of the year (with `/`) and of its end.
fn derived(item: Item, facts: &[(&str, &str)]) -> Option<(String, String)> {
    let flow = [
        "Income",
        "Revenue",
        "Cost",
        "Gross",
        "Expense",
        "Depreciation",
        "Amortization",
        "Profit",
        "NetCash",
    ];
    let base = Body::default().year(YEAR, FIRST);
    let body = facts.iter().fold(base, |body, (tag, value)| {
        let is_flow = flow.iter().any(|word| tag.contains(word)) && !tag.contains("Accumulated");
        body.fact(tag, if is_flow { YEAR } else { END }, value, FIRST)
    });
    let report = body.report("2024-12-31", Basis::Latest);
    let input = report.inputs.iter().find(|input| input.item == item && input.year == Year::Current)?;
    assert_eq!(amount(&report, item, Year::Current), Some(input.amount.as_str()));
    Some((input.amount.clone(), input.derivation.clone()))
}

fn assert_derived(item: Item, facts: &[(&str, &str)], value: &str, text: &str) {
    let (amount, derivation) = derived(item, facts).unwrap();
    assert_eq!(amount, value, "{facts:?}");
    assert!(derivation.contains(text), "{derivation}");
}

#[test]
fn liabilities_that_are_not_reported_are_a_difference() {
    let equity = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest";
    let item = Item::TotalLiabilities;
    let whole = ("LiabilitiesAndStockholdersEquity", "1000");
    assert_derived(item, &[whole, ("Liabilities", "610"), (equity, "400")], "610", "reported");
    assert_derived(
        item,
        &[("LiabilitiesCurrent", "200"), ("LiabilitiesNoncurrent", "400.5")],
        "600.5",
        "noncurrent",
    );
    assert_derived(item, &[whole, (equity, "400")], "600", "with minority");
    assert_derived(
        item,
        &[whole, (equity, "400"), ("TemporaryEquityCarryingAmountAttributableToParent", "150")],
        "450",
        "temporary equity",
    );
    assert_derived(
        item,
        &[whole, ("StockholdersEquity", "-50"), ("MinorityInterest", "20")],
        "1030",
        "minority",
    );
    assert_eq!(derived(item, &[whole]), None);
}

#[test]
fn each_amount_is_the_signed_sum_of_its_parts() {
    let body = Body::default().year(YEAR, FIRST).fact("Revenues", YEAR, "1.5E9", FIRST).fact(
        "CostOfRevenue",
        YEAR,
        "400000000.25",
        FIRST,
    );
    let report = body.report("2024-12-31", Basis::Latest);
    assert_eq!(amount(&report, Item::GrossProfit, Year::Current), Some("1099999999.75"));
    let parts: Vec<(i8, String, String)> =
        parts(&report, Item::GrossProfit).into_iter().map(|part| (part.sign, part.tag, part.value)).collect();
    let expected = [(1, "Revenues", "1.5E9"), (-1, "CostOfRevenue", "400000000.25")];
    assert_eq!(parts, expected.map(|(sign, tag, value)| (sign, tag.to_owned(), value.to_owned())));
}

#[test]
fn revenue_is_the_largest_of_its_tags_in_one_filing() {
    let contracts = "RevenueFromContractWithCustomerExcludingAssessedTax";
    for (total, part) in [("Revenues", contracts), (contracts, "Revenues")] {
        assert_derived(Item::Revenue, &[(total, "120"), (part, "100")], "120", "reported");
    }
}

#[test]
fn ebit_is_operating_income_or_else_pretax_income_with_interest() {
    let pretax =
        "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest";
    let interest = ("InterestExpense", "5");
    assert_derived(Item::Ebit, &[("OperatingIncomeLoss", "-7"), (pretax, "20"), interest], "-7", "reported");
    assert_derived(Item::Ebit, &[(pretax, "20"), interest], "25", "pretax_income + interest_expense");
    assert_eq!(derived(Item::Ebit, &[(pretax, "20")]), None);
    let domestic = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesDomestic";
    let foreign = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesForeign";
    assert_derived(Item::PretaxIncome, &[(domestic, "30"), (foreign, "-4")], "26", "foreign");
}

#[test]
fn one_line_of_debt_with_two_tags_is_counted_once() {
    let item = Item::ShortTermDebt;
    let (borrowings, current) = ("ShortTermBorrowings", "LongTermDebtCurrent");
    assert_derived(item, &[(borrowings, "30"), (current, "12")], "42", "current part");
    assert_derived(item, &[(borrowings, "199641000"), (current, "199641000")], "199641000", "reported");
    assert_derived(item, &[(borrowings, "199641000"), (current, "199600000")], "199641000", "reported");
    assert_derived(item, &[("CommercialPaper", "30"), (current, "12")], "42", "commercial paper");
    assert_derived(item, &[("DebtCurrent", "50"), (borrowings, "30"), (current, "12")], "50", "reported");
    let long = Item::LongTermDebt;
    assert_derived(long, &[("LongTermDebt", "100"), (current, "12")], "88", "current part");
    assert_eq!(derived(long, &[("LongTermDebt", "100")]), None);
}

#[test]
fn an_absent_line_is_missing_and_not_zero() {
    let body = Body::default().year(YEAR, FIRST);
    let report = body.report("2024-12-31", Basis::Latest);
    let given: Vec<Item> = report.financials.given().map(|(item, _, _)| item).collect();
    assert_eq!(given, [Item::TotalAssets, Item::NetIncome]);
    assert!(report.left_out.is_empty());
}

#[test]
fn a_deficit_of_the_development_stage_turns_its_sign() {
    let tag = "DevelopmentStageEnterpriseDeficitAccumulatedDuringDevelopmentStage";
    assert_derived(Item::RetainedEarnings, &[(tag, "80")], "-80", "development stage");
    assert_derived(
        Item::RetainedEarnings,
        &[("RetainedEarningsAccumulatedDeficit", "-9"), (tag, "80")],
        "-9",
        "reported",
    );
}

#[test]
fn shares_of_the_cover_are_those_of_the_years_own_filing() {
    let cover = |body: Body, end: &str, value: &str, filing| {
        body.fact_in("dei", "EntityCommonStockSharesOutstanding", "shares", end, value, filing)
    };
    let quarterly = ("0000000001-24-000005", "10-Q", "2024-05-01");
    let body = cover(Body::default().year(YEAR, FIRST), "2024-02-02", "990", FIRST);
    let body = cover(body, "2024-04-20", "950", quarterly);
    let report = body.report("2024-12-31", Basis::Latest);
    assert_eq!(amount(&report, Item::SharesOutstanding, Year::Current), Some("990"));
    let misdated = cover(body.clone(), "2024-02-09", "900", (FIRST.0, FIRST.1, "2026-01-01"));
    let report = misdated.report("2024-12-31", Basis::Latest);
    assert_eq!(amount(&report, Item::SharesOutstanding, Year::Current), Some("990"));
    let balance = body.fact_in("us-gaap", "CommonStockSharesOutstanding", "shares", END, "1000", FIRST);
    let report = balance.report("2024-12-31", Basis::Latest);
    assert_eq!(amount(&report, Item::SharesOutstanding, Year::Current), Some("1000"));
}

#[test]
fn numbers_past_an_amount_leave_the_item_out_by_name() {
    for value in ["1e300", "123456789012345678901234567890", "1e-40"] {
        let body = Body::default().year(YEAR, FIRST).fact("InventoryNet", END, value, FIRST);
        let report = body.report("2024-12-31", Basis::Latest);
        assert_eq!(amount(&report, Item::Inventory, Year::Current), None);
        let left_out = &report.left_out[0];
        assert_eq!(
            (left_out.item, left_out.reason),
            (Item::Inventory, LeftOutReason::TooManyDigits),
            "{value}"
        );
    }
}
