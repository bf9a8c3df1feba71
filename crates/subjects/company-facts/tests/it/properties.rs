//! Properties that hold for any body.

use company_facts::{AnnualReport, Basis, CompanyFacts, Submissions, Tickers, check_body};
use jiff::civil::Date;
use proptest::prelude::*;

use crate::bodies::day;

/// A fact: tag, period, value, filing.
type Row = (&'static str, &'static str, String, (usize, &'static str, String));

const FLOWS: &[&str] =
    &["NetIncomeLoss", "Revenues", "SalesRevenueNet", "OperatingIncomeLoss", "GrossProfit"];
const STOCKS: &[&str] = &[
    "Assets",
    "Liabilities",
    "LiabilitiesAndStockholdersEquity",
    "StockholdersEquity",
    "ShortTermBorrowings",
    "LongTermDebtCurrent",
];
const PERIODS: &[&str] = &[
    r#""start":"2022-01-01","end":"2022-12-31""#,
    r#""start":"2023-01-01","end":"2023-12-31""#,
    r#""start":"2023-10-01","end":"2023-12-31""#,
    r#""start":"2023-01-02","end":"2023-12-31""#,
    r#""start":"2024-01-01","end":"2024-12-31""#,
];
const ENDS: &[&str] = &[r#""end":"2022-12-31""#, r#""end":"2023-12-31""#, r#""end":"2024-12-31""#];
const FORMS: &[&str] = &["10-K", "10-K", "10-K/A", "10-Q", "8-K", "10-KT"];

fn row() -> impl Strategy<Value = Row> {
    let any_of = prop::sample::select::<&'static str>;
    let flow = (any_of(FLOWS), any_of(PERIODS));
    let stock = (any_of(STOCKS), any_of(ENDS));
    let value = prop_oneof![
        (-2000_i64..2000).prop_map(|value| value.to_string()),
        (1_u32..400).prop_map(|value| format!("{value}e3")),
        (1_u32..400).prop_map(|value| format!("{value}.50")),
        Just("1e300".to_owned()),
    ];
    let filed = (2023_i16..2027, 1_i8..4).prop_map(|(year, month)| format!("{year}-{month:02}-15"));
    let filing = (0_usize..3, any_of(FORMS), filed);
    (prop_oneof![flow, stock], value, filing)
        .prop_map(|((tag, period), value, filing)| (tag, period, value, filing))
}

fn body(rows: &[Row]) -> String {
    let mut tags: Vec<&str> = rows.iter().map(|row| row.0).collect();
    tags.dedup();
    let mut seen: Vec<&str> = Vec::new();
    for tag in tags {
        if !seen.contains(&tag) {
            seen.push(tag);
        }
    }
    let fact = |(_, period, value, (number, form, filed)): &Row| {
        let accession = format!(
            "0000000001-{}-{:02}000{number}",
            &filed[2..4],
            FORMS.iter().position(|known| known == form).unwrap()
        );
        format!(r#"{{{period},"val":{value},"accn":"{accession}","form":"{form}","filed":"{filed}"}}"#)
    };
    let tag = |tag: &&str| {
        let facts: Vec<String> = rows.iter().filter(|row| row.0 == *tag).map(fact).collect();
        format!(r#""{tag}":{{"units":{{"USD":[{}]}}}}"#, facts.join(","))
    };
    let tags: Vec<String> = seen.iter().map(tag).collect();
    format!(r#"{{"cik":1,"entityName":"E","facts":{{"us-gaap":{{{}}}}}}}"#, tags.join(","))
}

fn read(rows: &[Row]) -> CompanyFacts {
    CompanyFacts::read_slice(body(rows).as_bytes()).unwrap()
}

/// Every report that can be asked for on a day.
fn reports(facts: &CompanyFacts, as_of: Date) -> Vec<AnnualReport> {
    let latest = [Basis::Latest, Basis::AsFirstFiled].map(|basis| facts.latest(as_of, basis).ok());
    latest.into_iter().flatten().chain(facts.history(as_of)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_canonical_form_gives_the_same_facts(rows in prop::collection::vec(row(), 0..60)) {
        let facts = read(&rows);
        let bytes = facts.to_canonical();
        let again = CompanyFacts::from_canonical(&bytes).unwrap();
        prop_assert_eq!(again.to_canonical(), bytes);
        prop_assert_eq!(again, facts);
    }

    #[test]
    fn no_fact_filed_after_the_day_is_used_and_its_absence_changes_nothing(
        rows in prop::collection::vec(row(), 0..80), year in 2023_i16..2027, month in 1_i8..5
    ) {
        let as_of = Date::constant(year, month, 1);
        let facts = read(&rows);
        let with_all = reports(&facts, as_of);
        for part in with_all.iter().flat_map(|report| &report.inputs).flat_map(|input| &input.parts) {
            prop_assert!(part.filed <= as_of);
        }
        let known: Vec<Row> = rows.into_iter().filter(|row| day(&row.3.2) <= as_of).collect();
        if !known.is_empty() {
            prop_assert_eq!(reports(&read(&known), as_of), with_all);
        }
    }

    #[test]
    fn a_history_uses_nothing_after_its_own_filings(rows in prop::collection::vec(row(), 0..80)) {
        for report in read(&rows).history(day("2030-01-01")) {
            for part in report.inputs.iter().flat_map(|input| &input.parts) {
                prop_assert!(part.filed <= report.filed);
            }
        }
    }

    #[test]
    fn the_order_of_facts_changes_nothing(
        (rows, shuffled) in prop::collection::vec(row(), 0..60)
            .prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
    ) {
        prop_assert_eq!(read(&rows).to_canonical(), read(&shuffled).to_canonical());
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = CompanyFacts::read_slice(&bytes);
        let _ = CompanyFacts::from_canonical(&bytes);
        let _ = Submissions::read(&bytes);
        let _ = Tickers::read(&bytes).map(|tickers| tickers.nearest("AAPL").len());
    }

    #[test]
    fn no_damage_to_a_body_makes_a_reader_panic(
        rows in prop::collection::vec(row(), 1..10), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut bytes = body(&rows).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(facts) = CompanyFacts::read_slice(&bytes) {
            let _ = (reports(&facts, Date::MAX), facts.to_canonical());
        }
        let _ = check_body(&bytes);
    }
}
