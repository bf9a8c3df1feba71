//! Parties and documents past a bound.

use watchlist::{Import, ListError, PublicationBounds};

use super::{columns, csl, eu, forms, has_name, lists, read_by, read_bytes, seco, table, uk, un, xml_forms};
use crate::common::{only, read};

const MANY: usize = 100_000;

/// Tests that a file is refused by a bound that the error names.
fn is_too_large(name: &str, import: Result<Import, ListError>) {
    match super::refused(name, import) {
        ListError::TooLarge { what, .. } => assert!(!what.is_empty()),
        other => panic!("{other}"),
    }
}

/// The document with so many times what `of` writes before `place`.
fn with_many(text: &str, place: &str, of: &dyn Fn(usize) -> String) -> String {
    assert!(text.contains(place), "{place}");
    let many: String = (0..MANY).map(of).collect();
    text.replacen(place, &(many + place), 1)
}

#[test]
fn a_hundred_thousand_aliases_of_one_party_are_refused() {
    let in_cell = |n: usize| format!("A{n};");
    let of_un = |n: usize| format!("<INDIVIDUAL_ALIAS><ALIAS_NAME>A{n}</ALIAS_NAME></INDIVIDUAL_ALIAS>");
    let of_eu = |n: usize| format!("<nameAlias wholeName=\"A{n}\"/>");
    let of_uk = |n: usize| format!("<Name><Name6>A{n}</Name6></Name>");
    let of_ofsi = |n: usize| {
        let names = format!("<GroupID>555</GroupID><Name6>A{n}</Name6>");
        format!("<FinancialSanctionsTarget>{names}</FinancialSanctionsTarget>")
    };
    let of_seco =
        |n| format!("<name><name-part name-part-type=\"whole-name\"><value>A{n}</value></name-part></name>");
    let documents = [
        ("un.xml", with_many(un::XML, "<INDIVIDUAL_ADDRESS>", &of_un)),
        ("un.xml", with_many(un::XML, "Jan  Muster", &in_cell)),
        ("eu.xml", with_many(eu::XML, "<citizenship ", &of_eu)),
        ("uk.xml", with_many(uk::XML, "</Names>", &of_uk)),
        ("ofsi.xml", with_many(uk::OFSI_XML, "</ArrayOfFinancialSanctionsTarget>", &of_ofsi)),
        ("seco.xml", with_many(seco::XML, "<day-month-year day", &of_seco)),
        ("csl.csv", with_many(&csl::csv(), "Jan Muster;", &in_cell)),
    ];
    for (name, text) in documents {
        is_too_large(name, read(&[(name, &text)]));
    }
    let house = with_many(columns::CSV, "Jan Muster;", &in_cell);
    is_too_large("house.csv", read_by(columns::MAP, "house.csv", &house));
}

#[test]
fn a_hundred_thousand_records_of_names_of_one_party_are_refused() {
    let uk_columns = [
        "Unique ID",
        "Name 6",
        "Name 1",
        "Name 2",
        "Name 3",
        "Name 4",
        "Name 5",
        "Name type",
        "Designation Type",
    ];
    let ofsi_columns =
        ["Group ID", "Name 6", "Name 1", "Name 2", "Name 3", "Name 4", "Name 5", "Alias Type", "Group Type"];
    let rows = |delimiter: char, empty: usize| -> String {
        let cells = delimiter.to_string().repeat(empty);
        (0..MANY).map(|n| format!("1{delimiter}A{n}{cells}\n")).collect()
    };
    let eu_columns = ["Entity_LogicalId", "NameAlias_WholeName", "Entity_SubjectType"];
    let documents = [
        ("uk.csv", format!("Report Date: 04-Mar-2026\n{}{}", table(',', &uk_columns, &[]), rows(',', 7))),
        ("ofsi.csv", format!("Last Updated,04/03/2026\n{}{}", table(',', &ofsi_columns, &[]), rows(',', 7))),
        ("eu.csv", table(';', &eu_columns, &[]) + &rows(';', 1)),
    ];
    for (name, text) in documents {
        is_too_large(name, read(&[(name, &text)]));
    }
}

#[test]
fn a_hundred_thousand_variants_of_one_part_are_refused() {
    let variant = "<spelling-variant script=\"LATN\">Mustre</spelling-variant>";
    let text =
        with_many(seco::XML, variant, &|n: usize| format!("<spelling-variant>M{n}</spelling-variant>"));
    is_too_large("seco.xml", read(&[("seco.xml", &text)]));
}

#[test]
fn an_alias_behind_many_records_of_one_name_is_kept_or_the_party_is_refused() {
    let bounds = PublicationBounds { names: 3, values: 8, ..PublicationBounds::default() };
    let uk = "Unique ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Designation Type\n";
    let ofsi = uk
        .replace("Unique ID", "Group ID")
        .replace("Name type", "Alias Type")
        .replace("Designation", "Group");
    let of_uk = |alias: &str| format!("1,{alias},,,,,,Alias,Entity\n");
    let repeated = of_uk("SAMPLE").repeat(10) + &of_uk("PATTERN");
    let eu = "Entity_LogicalId;NameAlias_WholeName;Entity_SubjectType\n".to_owned();
    let documents = [
        ("uk.csv", format!("Report Date: 04-Mar-2026\n{uk}{repeated}")),
        ("ofsi.csv", format!("Last Updated,04/03/2026\n{ofsi}{repeated}")),
        ("eu.csv", eu + &"1;SAMPLE;E\n".repeat(10) + "1;PATTERN;E\n"),
    ];
    for (name, text) in documents {
        match read_bytes(name, text.as_bytes(), bounds) {
            Ok(import) => {
                let list = only(Ok(import)).list;
                assert!(has_name(&list.entries[0], "PATTERN"), "{name} lost an alias: {:?}", list.entries[0]);
            }
            Err(error) => assert!(matches!(error, ListError::TooLarge { .. }), "{error}"),
        }
    }
}

/// Records of one party in three tables: the full product of its names and of so many other values.
fn products(others: usize) -> [(&'static str, String); 3] {
    let uk =
        "Unique ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Designation Type,Passport number\n";
    let ofsi = "Group ID,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Alias Type,Group Type,Passport Number\n";
    let eu = "Entity_LogicalId;NameAlias_WholeName;Entity_SubjectType;Identification_Number\n";
    let all = |of: &dyn Fn(usize, usize) -> String| -> String {
        (0..others).flat_map(|other| (0..10).map(move |name| (name, other))).map(|(n, o)| of(n, o)).collect()
    };
    let of_uk = all(&|name, other| format!("1,SAMPLE{name},,,,,,Alias,Entity,P-{other}\n"));
    let of_eu = all(&|name, other| format!("1;SAMPLE{name};E;P-{other}\n"));
    [
        ("uk.csv", format!("Report Date: 04-Mar-2026\n{uk}{of_uk}")),
        ("ofsi.csv", format!("Last Updated,04/03/2026\n{ofsi}{of_uk}")),
        ("eu.csv", format!("{eu}{of_eu}")),
    ]
}

#[test]
fn only_distinct_values_of_many_records_count_for_the_bounds() {
    let bounds = PublicationBounds { names: 10, values: 378, ..PublicationBounds::default() };
    for (name, text) in products(378) {
        let list = only(read_bytes(name, text.as_bytes(), bounds)).list;
        assert_eq!((list.entries[0].names.len(), list.entries[0].identifiers.len()), (10, 378), "{name}");
        let error = read_bytes(name, text.as_bytes(), PublicationBounds { names: 9, ..bounds });
        is_too_large(name, error);
        let error = read_bytes(name, text.as_bytes(), PublicationBounds { values: 377, ..bounds });
        is_too_large(name, error);
    }
}

#[test]
fn a_list_with_more_entries_than_its_bound_is_refused() {
    for (name, text) in forms() {
        let most = lists(read(&[(name, &text)]).unwrap()).iter().map(|list| list.entries.len()).max();
        let most = most.unwrap_or_default();
        let bounds = PublicationBounds { entries: most - 1, ..PublicationBounds::default() };
        is_too_large(name, read_bytes(name, text.as_bytes(), bounds));
    }
}

#[test]
fn elements_that_are_nested_a_hundred_thousand_times_are_refused() {
    for (name, text) in xml_forms() {
        let end = text.rfind("</").unwrap();
        let deep = format!("{}{}{}", &text[..end], "<a>".repeat(MANY), &text[end..]);
        match super::refused(name, read(&[(name, &deep)])) {
            ListError::TooLarge { what, .. } => assert_eq!(what, "levels of elements"),
            other => panic!("{other}"),
        }
    }
}
