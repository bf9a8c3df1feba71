//! The European Union's list, in XML and in CSV.

use watchlist::{EntityKind, Gender, ListName, Quality};

use super::{births, has_name, list, names, numbers, table, texts};

pub(super) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<export xmlns="http://eu.europa.ec/fpi/fsd/export" generationDate="2026-03-04T15:29:22.497+02:00" globalFileId="1">
  <sanctionEntity euReferenceNumber="EU.1.2" unitedNationId="XXi.001" logicalId="71">
    <remark>Remark of the sample.</remark>
    <regulation programme="TEST"><publicationUrl>https://publisher.example/</publicationUrl></regulation>
    <subjectType code="person" classificationCode="P"/>
    <nameAlias wholeName="Янек Мустер" strong="true"/>
    <nameAlias firstName="Janek" middleName="Maria" lastName="Muster" wholeName="Janek Maria Muster" gender="M" title="Dr" strong="true"/>
    <nameAlias firstName="" middleName="" lastName="" wholeName="The Sample" strong="false"/>
    <nameAlias firstName="Jan" lastName="Muster" wholeName="Jan Muster the Younger" strong="true"/>
    <citizenship countryDescription="UTOPIA"/>
    <birthdate circa="false" calendarType="GREGORIAN" birthdate="1961-03-02" dayOfMonth="2" monthOfYear="3" year="1961"/>
    <birthdate circa="false" calendarType="GREGORIAN" year="1962" monthOfYear="5"/>
    <birthdate circa="true" calendarType="GREGORIAN" year="1963"/>
    <birthdate circa="false" calendarType="GREGORIAN" yearRangeFrom="1964" yearRangeTo="1966"/>
    <birthdate circa="false" calendarType="GREGORIAN" year="1967" monthOfYear="4" dayOfMonth="5"/>
    <birthdate circa="false" calendarType="ISLAMIC" year="1970"/>
    <address street="1 Test Street" zipCode="12345" city="Sampleton" countryDescription="RURITANIA"/>
    <address city="Nowhere" countryDescription="UNKNOWN"/>
    <identification identificationTypeDescription="Passport" number="P 12 34" countryDescription="UTOPIA"/>
    <identification identificationTypeDescription="National identification card" number="" latinNumber="L-5" countryDescription="UNKNOWN"/>
  </sanctionEntity>
  <sanctionEntity euReferenceNumber="EU.3.4" unitedNationId="" logicalId="72">
    <regulation programme="TEST"/>
    <subjectType code="enterprise" classificationCode="E"/>
    <nameAlias lastName="Sample Trading" wholeName="Sample Trading" strong="true"/>
  </sanctionEntity>
</export>
"#;

const COLUMNS: [&str; 31] = [
    "fileGenerationDate",
    "Entity_LogicalId",
    "Entity_EU_ReferenceNumber",
    "Entity_UnitedNationId",
    "Entity_Remark",
    "Entity_SubjectType",
    "Entity_SubjectType_ClassificationCode",
    "Entity_Regulation_Programme",
    "NameAlias_LastName",
    "NameAlias_FirstName",
    "NameAlias_MiddleName",
    "NameAlias_WholeName",
    "NameAlias_Gender",
    "NameAlias_Title",
    "NameAlias_Strong",
    "Address_Street",
    "Address_ZipCode",
    "Address_City",
    "Address_CountryDescription",
    "BirthDate_BirthDate",
    "BirthDate_Year",
    "BirthDate_Month",
    "BirthDate_Day",
    "BirthDate_YearRangeFrom",
    "BirthDate_YearRangeTo",
    "BirthDate_Circa",
    "BirthDate_CalendarType",
    "Identification_Number",
    "Identification_LatinNumber",
    "Identification_TypeDescription",
    "Identification_CountryDescription",
];
const CITIZENSHIP: &str = "Citizenship_CountryDescription";

/// The facts of [`XML`] in CSV, a record for each, with the mark of UTF-8 before them.
pub(super) fn csv() -> String {
    const PERSON: [(&str, &str); 8] = [
        ("fileGenerationDate", "04/03/2026"),
        ("Entity_LogicalId", "71"),
        ("Entity_EU_ReferenceNumber", "EU.1.2"),
        ("Entity_UnitedNationId", "XXi.001"),
        ("Entity_Remark", "Remark of the sample."),
        ("Entity_SubjectType", "P"),
        ("Entity_SubjectType_ClassificationCode", "person"),
        ("Entity_Regulation_Programme", "TEST"),
    ];
    let said: [&[(&str, &str)]; 15] = [
        &[("NameAlias_WholeName", "Янек Мустер"), ("NameAlias_Strong", "true")],
        &[
            ("NameAlias_LastName", "Muster"),
            ("NameAlias_FirstName", "Janek"),
            ("NameAlias_MiddleName", "Maria"),
            ("NameAlias_WholeName", "Janek Maria Muster"),
            ("NameAlias_Gender", "M"),
            ("NameAlias_Title", "Dr"),
            ("NameAlias_Strong", "true"),
        ],
        &[(CITIZENSHIP, "UTOPIA")],
        &[
            ("BirthDate_BirthDate", "1961-03-02"),
            ("BirthDate_Circa", "false"),
            ("BirthDate_CalendarType", "GREGORIAN"),
        ],
        &[("BirthDate_Year", "1962"), ("BirthDate_Month", "5")],
        &[("BirthDate_Year", "1963"), ("BirthDate_Circa", "true")],
        &[("BirthDate_YearRangeFrom", "1964"), ("BirthDate_YearRangeTo", "1966")],
        &[("BirthDate_Year", "1967"), ("BirthDate_Month", "4"), ("BirthDate_Day", "5")],
        &[("BirthDate_Year", "1970"), ("BirthDate_CalendarType", "ISLAMIC")],
        &[
            ("Address_Street", "1 Test Street"),
            ("Address_ZipCode", "12345"),
            ("Address_City", "Sampleton"),
            ("Address_CountryDescription", "RURITANIA"),
        ],
        &[("Address_City", "Nowhere"), ("Address_CountryDescription", "UNKNOWN")],
        &[
            ("Identification_Number", "P 12 34"),
            ("Identification_TypeDescription", "Passport"),
            ("Identification_CountryDescription", "UTOPIA"),
        ],
        &[
            ("Identification_LatinNumber", "L-5"),
            ("Identification_TypeDescription", "National identification card"),
            ("Identification_CountryDescription", "UNKNOWN"),
        ],
        &[("NameAlias_WholeName", "The Sample"), ("NameAlias_Strong", "false")],
        &[
            ("NameAlias_LastName", "Muster"),
            ("NameAlias_FirstName", "Jan"),
            ("NameAlias_WholeName", "Jan Muster the Younger"),
        ],
    ];
    let mut records: Vec<Vec<(&str, &str)>> =
        said.into_iter().map(|said| PERSON.iter().chain(said).copied().collect()).collect();
    records.push(vec![
        ("fileGenerationDate", "04/03/2026"),
        ("Entity_LogicalId", "72"),
        ("Entity_EU_ReferenceNumber", "EU.3.4"),
        ("Entity_SubjectType", "E"),
        ("Entity_Regulation_Programme", "TEST"),
        ("NameAlias_LastName", "Sample Trading"),
        ("NameAlias_WholeName", "Sample Trading"),
    ]);
    let records: Vec<&[(&str, &str)]> = records.iter().map(Vec::as_slice).collect();
    let columns: Vec<&str> = COLUMNS.into_iter().chain([CITIZENSHIP]).collect();
    format!("\u{feff}{}", table(';', &columns, &records))
}

#[test]
fn a_person_is_named_last_first_where_the_parts_are_all_of_the_name() {
    let list = list("eu.xml", XML);
    assert_eq!(list.name.as_str(), ListName::EU);
    assert_eq!(list.published, Some(jiff::civil::date(2026, 3, 4)));
    let entry = list.entry("71").unwrap();
    let expected = [
        ("Muster, Janek Maria", Quality::Primary, false),
        ("Jan Muster the Younger", Quality::Strong, false),
        ("Янек Мустер", Quality::Strong, true),
        ("The Sample", Quality::Weak, false),
    ];
    assert_eq!(names(entry), expected);
    assert_eq!((entry.kind, entry.gender), (EntityKind::Person, Some(Gender::Male)));
    let entity = list.entry("72").unwrap();
    assert_eq!((entity.primary(), entity.kind), ("Sample Trading", EntityKind::Entity));
}

#[test]
fn a_whole_name_that_differs_from_its_parts_is_kept_beside_them() {
    let text = XML.replace("wholeName=\"Janek Maria Muster\"", "wholeName=\"Янко Мастер\"");
    assert_ne!(text, XML);
    let list = list("eu.xml", &text);
    let entry = list.entry("71").unwrap();
    assert!(has_name(entry, "Muster, Janek Maria"), "{:?}", names(entry));
    assert!(has_name(entry, "Янко Мастер"), "{:?}", names(entry));
}

#[test]
fn parts_whose_letters_stand_in_another_whole_name_are_kept_beside_it() {
    let text = XML.replace("wholeName=\"Janek Maria Muster\"", "wholeName=\"Majarek Sternmaria Jusmunk\"");
    let list = list("eu.xml", &text);
    let entry = list.entry("71").unwrap();
    for name in ["Muster, Janek Maria", "Majarek Sternmaria Jusmunk"] {
        assert!(has_name(entry, name), "{name}: {:?}", names(entry));
    }
}

#[test]
fn only_dates_of_birth_of_the_gregorian_calendar_are_read() {
    let list = list("eu.xml", XML);
    let entry = list.entry("71").unwrap();
    assert_eq!(births(entry), ["1961-03-02", "1962-05", "1963~", "1964/1966", "1967-04-05"]);
}

#[test]
fn numbers_countries_and_the_rest_are_where_they_belong() {
    let list = list("eu.xml", XML);
    let entry = list.entry("71").unwrap();
    let expected = [
        ("EU Reference Number", "EU.1.2", ""),
        ("National identification card", "L-5", ""),
        ("Passport", "P 12 34", "UTOPIA"),
        ("UN Reference Number", "XXi.001", ""),
    ];
    assert_eq!(numbers(entry), expected);
    assert_eq!(numbers(list.entry("72").unwrap()), [("EU Reference Number", "EU.3.4", "")]);
    assert_eq!(texts(&entry.countries), ["RURITANIA", "UTOPIA"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, 12345, Sampleton, RURITANIA", "Nowhere"]);
    assert_eq!(texts(&entry.programs), ["TEST"]);
    assert_eq!(entry.title.as_deref(), Some("Dr"));
    assert_eq!(entry.remarks.as_deref(), Some("Remark of the sample."));
}

#[test]
fn xml_and_csv_of_one_publication_give_one_list() {
    let (xml, csv) = (list("eu.xml", XML), list("eu.csv", &csv()));
    assert_eq!(csv, xml);
}

#[test]
fn a_remark_on_a_name_or_on_another_fact_is_a_remark_on_the_party() {
    let text = XML
        .replace("wholeName=\"Янек Мустер\" strong=\"true\"/>", "wholeName=\"Янек Мустер\" strong=\"true\"><remark>Low Quality Alias</remark></nameAlias>")
        .replace("calendarType=\"ISLAMIC\" year=\"1970\"/>", "calendarType=\"ISLAMIC\" year=\"1970\"><remark>In another calendar.</remark><remark>Low Quality Alias</remark></birthdate>");
    let list = list("eu.xml", &text);
    let entry = list.entry("71").unwrap();
    assert_eq!(
        entry.remarks.as_deref(),
        Some("Remark of the sample. Low Quality Alias In another calendar.")
    );
    assert!(names(entry).contains(&("Янек Мустер", Quality::Weak, true)), "{:?}", names(entry));
}

#[test]
fn remarks_of_the_table_are_kept_and_say_which_name_is_weak() {
    let columns = [
        "Entity_LogicalId",
        "Entity_SubjectType",
        "NameAlias_WholeName",
        "NameAlias_Remark",
        "Address_Remark",
    ];
    let records: [&[(&str, &str)]; 3] = [
        &[("Entity_LogicalId", "1"), ("NameAlias_WholeName", "Janek Muster")],
        &[
            ("Entity_LogicalId", "1"),
            ("NameAlias_WholeName", "Sampler"),
            ("NameAlias_Remark", "(low quality alias)"),
        ],
        &[("Entity_LogicalId", "1"), ("Address_Remark", "Former address.")],
    ];
    let list = list("eu.csv", &table(';', &columns, &records));
    let entry = list.entry("1").unwrap();
    assert_eq!(names(entry), [("Janek Muster", Quality::Primary, false), ("Sampler", Quality::Weak, false)]);
    assert_eq!(entry.remarks.as_deref(), Some("(low quality alias) Former address."));
}

#[test]
fn a_party_whose_only_regulation_has_ended_is_not_listed() {
    let keys = |date: &str, regulation: &str| -> Vec<Box<str>> {
        let entity = format!("logicalId=\"72\" delistingDate=\"{date}\">{regulation}");
        let text = XML.replace("logicalId=\"72\">", &entity);
        list("eu.xml", &text).entries.iter().map(|entry| entry.uid.clone()).collect()
    };
    assert_eq!(keys("2026-03-04", ""), ["71".into()]);
    assert_eq!(keys("2020-01-01", ""), ["71".into()]);
    for (date, regulation) in [("2026-03-05", ""), ("", ""), ("soon", ""), ("2020-01-01", "<regulation/>")] {
        assert_eq!(keys(date, regulation), ["71".into(), "72".into()], "{date} {regulation}");
    }
}

#[test]
fn a_wallet_in_a_remark_is_a_wallet_of_the_party() {
    const WALLET: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let with_wallet = format!("Remark of the sample: {WALLET}.");
    for (name, text) in [("eu.xml", XML.to_owned()), ("eu.csv", csv())] {
        let list = list(name, &text.replace("Remark of the sample.", &with_wallet));
        let wallets = &list.entry("71").unwrap().wallets;
        assert_eq!(wallets.len(), 1, "{name}");
        assert_eq!((&*wallets[0].address, &*wallets[0].currency), (WALLET, ""));
    }
}
