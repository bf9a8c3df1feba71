//! The UK Sanctions List and OFSI's list, each in XML and in CSV.

use watchlist::{EntityKind, Gender, ListName, Quality};

use super::{births, list, names, numbers, table, texts};

pub(super) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Designations>
  <DateGenerated>04/03/2026</DateGenerated>
  <Designation>
    <UniqueID>TST0001</UniqueID>
    <OFSIGroupID>555</OFSIGroupID>
    <UNReferenceNumber>XXi.001</UNReferenceNumber>
    <Names>
      <Name><Name6>MUSTER</Name6><Name1>Janek</Name1><Name2>Maria</Name2><NameType>Primary Name</NameType></Name>
      <Name><Name6>MUSTERE</Name6><Name1>Janek</Name1><NameType>Primary Name Variation</NameType></Name>
      <Name><Name6>SAMPLE</Name6><NameType>Alias</NameType><AliasStrength>Low quality</AliasStrength></Name>
      <Name><Name6>MUSTER</Name6><Name1>Jan</Name1><NameType>Alias</NameType><AliasStrength>Good quality</AliasStrength></Name>
    </Names>
    <NonLatinNames><NonLatinName><NameNonLatinScript>Янек Мустер</NameNonLatinScript></NonLatinName></NonLatinNames>
    <Titles><Title>Dr</Title></Titles>
    <RegimeName>Test Regulations</RegimeName>
    <IndividualEntityShip>Individual</IndividualEntityShip>
    <OtherInformation>Remark
of the sample.</OtherInformation>
    <Addresses><Address><AddressLine1>1 Test Street</AddressLine1><AddressLine6>Sampleton</AddressLine6><AddressPostalCode>12345</AddressPostalCode><AddressCountry>Ruritania</AddressCountry></Address></Addresses>
    <IndividualDetails><Individual>
      <DOBs><DOB>02/03/1961</DOB><DOB>dd/05/1962</DOB><DOB>dd/mm/1963</DOB><DOB>00/00/1964</DOB></DOBs>
      <Nationalities><Nationality>Utopia</Nationality><Nationality>Ruritania</Nationality></Nationalities>
      <PassportDetails><Passport><PassportNumber>P1234</PassportNumber></Passport><Passport><PassportNumber>P5678</PassportNumber></Passport></PassportDetails>
      <NationalIdentifierDetails><NationalIdentifier><NationalIdentifierNumber>N-77</NationalIdentifierNumber></NationalIdentifier></NationalIdentifierDetails>
      <Genders><Gender>Male</Gender></Genders>
    </Individual></IndividualDetails>
  </Designation>
  <Designation>
    <UniqueID>TST0002</UniqueID>
    <Names><Name><Name6>SAMPLE TRADING</Name6><NameType>Primary Name</NameType></Name></Names>
    <RegimeName>Test Regulations</RegimeName>
    <IndividualEntityShip>Entity</IndividualEntityShip>
    <EntityDetails><Entity><BusinessRegistrationNumbers><BusinessRegistrationNumber>B-9</BusinessRegistrationNumber></BusinessRegistrationNumbers></Entity></EntityDetails>
  </Designation>
  <Designation>
    <UniqueID>TST0003</UniqueID>
    <Names><Name><Name6>SEA SAMPLE</Name6><NameType>Primary Name</NameType></Name></Names>
    <RegimeName>Test Regulations</RegimeName>
    <IndividualEntityShip>Ship</IndividualEntityShip>
    <ShipDetails><Ship>
      <IMONumbers><IMONumber>IMO7406784</IMONumber></IMONumbers>
      <CurrentBelievedFlagOfShips><CurrentBelievedFlagOfShip>Utopia</CurrentBelievedFlagOfShip></CurrentBelievedFlagOfShips>
    </Ship></ShipDetails>
  </Designation>
</Designations>
"#;

const COLUMNS: [&str; 28] = [
    "Last Updated",
    "Unique ID",
    "OFSI Group ID",
    "UN Reference Number",
    "Name 6",
    "Name 1",
    "Name 2",
    "Name 3",
    "Name 4",
    "Name 5",
    "Name type",
    "Alias strength",
    "Title",
    "Name non-latin script",
    "Regime Name",
    "Designation Type",
    "Other Information",
    "Address Line 1",
    "Address Line 6",
    "Address Postal Code",
    "Address Country",
    "D.O.B",
    "Nationality(/ies)",
    "National Identifier number",
    "Passport number",
    "Gender",
    "IMO number",
    "Current believed flag of ship",
];
const REGISTRATION: &str = "Business registration number (s)";

/// The facts of [`XML`] in CSV, a record for each name.
pub(super) fn csv() -> String {
    const PERSON: [(&str, &str); 17] = [
        ("Last Updated", "01/02/2026"),
        ("Unique ID", "TST0001"),
        ("OFSI Group ID", "555"),
        ("UN Reference Number", "XXi.001"),
        ("Title", "Dr"),
        ("Name non-latin script", "Янек Мустер"),
        ("Regime Name", "Test Regulations"),
        ("Designation Type", "Individual"),
        ("Other Information", "Remark\nof the sample."),
        ("Address Line 1", "1 Test Street"),
        ("Address Line 6", "Sampleton"),
        ("Address Postal Code", "12345"),
        ("Address Country", "Ruritania"),
        ("Nationality(/ies)", "(1) Utopia (2) Ruritania"),
        ("National Identifier number", "N-77"),
        ("Passport number", "(1) P1234 (2) P5678"),
        ("Gender", "Male"),
    ];
    let said: [&[(&str, &str)]; 4] = [
        &[
            ("Name 6", "MUSTER"),
            ("Name 1", "Janek"),
            ("Name 2", "Maria"),
            ("Name type", "Primary Name"),
            ("D.O.B", "02/03/1961"),
        ],
        &[
            ("Name 6", "MUSTERE"),
            ("Name 1", "Janek"),
            ("Name type", "Primary Name Variation"),
            ("D.O.B", "dd/05/1962"),
        ],
        &[
            ("Name 6", "SAMPLE"),
            ("Name type", "Alias"),
            ("Alias strength", "Low quality"),
            ("D.O.B", "dd/mm/1963"),
        ],
        &[
            ("Name 6", "MUSTER"),
            ("Name 1", "Jan"),
            ("Name type", "Alias"),
            ("Alias strength", "Good quality"),
            ("D.O.B", "00/00/1964"),
        ],
    ];
    let mut records: Vec<Vec<(&str, &str)>> =
        said.into_iter().map(|said| PERSON.iter().chain(said).copied().collect()).collect();
    let other = |uid, name, kind| {
        vec![
            ("Last Updated", "01/02/2026"),
            ("Unique ID", uid),
            ("Name 6", name),
            ("Name type", "Primary Name"),
            ("Regime Name", "Test Regulations"),
            ("Designation Type", kind),
        ]
    };
    let mut entity = other("TST0002", "SAMPLE TRADING", "Entity");
    entity.push((REGISTRATION, "B-9"));
    let mut ship = other("TST0003", "SEA SAMPLE", "Ship");
    ship.extend([("IMO number", "IMO7406784"), ("Current believed flag of ship", "Utopia")]);
    records.extend([entity, ship]);
    let records: Vec<&[(&str, &str)]> = records.iter().map(Vec::as_slice).collect();
    let columns: Vec<&str> = COLUMNS.into_iter().chain([REGISTRATION]).collect();
    format!("Report Date: 04-Mar-2026\n{}", table(',', &columns, &records))
}

pub(super) const OFSI_XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<ArrayOfFinancialSanctionsTarget>
  <FinancialSanctionsTarget>
    <GroupID>555</GroupID><Name6>MUSTER</Name6><name1>Janek</name1><name2>Maria</name2><AliasType>Primary name</AliasType>
    <NameNonLatinScript>Янек Мустер</NameNonLatinScript><GroupTypeDescription>Individual</GroupTypeDescription>
    <RegimeName>Test Regime</RegimeName><Individual_DateOfBirth>02/03/1961</Individual_DateOfBirth>
    <Individual_Nationality>(1) Utopia (2) Ruritania</Individual_Nationality><Individual_PassportNumber>(1) P1234 (2) P5678</Individual_PassportNumber>
    <UNRef>XXi.001</UNRef><UKSanctionsListRef>TST0001</UKSanctionsListRef><Individual_Gender>Female</Individual_Gender>
    <OtherInformation>(UK Sanctions List Ref):TST0001. (UN Ref):XXi.001. (Gender):Female</OtherInformation>
  </FinancialSanctionsTarget>
  <FinancialSanctionsTarget>
    <GroupID>555</GroupID><Name6>SAMPLE</Name6><AliasType>AKA</AliasType><AliasQuality>Low quality</AliasQuality>
    <GroupTypeDescription>Individual</GroupTypeDescription><RegimeName>Test Regime</RegimeName>
    <Individual_DateOfBirth>1962</Individual_DateOfBirth>
    <OtherInformation>(UK Sanctions List Ref):TST0001. (UN Ref):XXi.001. (Gender):Female</OtherInformation>
  </FinancialSanctionsTarget>
  <FinancialSanctionsTarget>
    <GroupID>556</GroupID><Name6>SEA SAMPLE</Name6><AliasType>Primary name</AliasType><GroupTypeDescription>Ship</GroupTypeDescription>
    <RegimeName>Test Regime</RegimeName><OtherInformation>(IMO number):7406784 (Ship type):Tug</OtherInformation>
  </FinancialSanctionsTarget>
</ArrayOfFinancialSanctionsTarget>
"#;

/// The facts of [`OFSI_XML`] in CSV.
pub(super) fn ofsi_csv() -> String {
    const COLUMNS: [&str; 18] = [
        "Name 6",
        "Name 1",
        "Name 2",
        "Name 3",
        "Name 4",
        "Name 5",
        "Title",
        "Name Non-Latin Script",
        "DOB",
        "Nationality",
        "Passport Number",
        "Other Information",
        "Group Type",
        "Alias Type",
        "Alias Quality",
        "Regime",
        "Last Updated",
        "Group ID",
    ];
    const PERSON: [(&str, &str); 4] = [
        ("Group ID", "555"),
        ("Group Type", "Individual"),
        ("Regime", "Test Regime"),
        ("Other Information", "(UK Sanctions List Ref):TST0001. (UN Ref):XXi.001. (Gender):Female"),
    ];
    let said: [&[(&str, &str)]; 2] = [
        &[
            ("Name 6", "MUSTER"),
            ("Name 1", "Janek"),
            ("Name 2", "Maria"),
            ("Alias Type", "Primary name"),
            ("Name Non-Latin Script", "Янек Мустер"),
            ("DOB", "02/03/1961"),
            ("Nationality", "(1) Utopia (2) Ruritania"),
            ("Passport Number", "(1) P1234 (2) P5678"),
        ],
        &[("Name 6", "SAMPLE"), ("Alias Type", "AKA"), ("Alias Quality", "Low quality"), ("DOB", "1962")],
    ];
    let mut records: Vec<Vec<(&str, &str)>> =
        said.into_iter().map(|said| PERSON.iter().chain(said).copied().collect()).collect();
    records.push(vec![
        ("Group ID", "556"),
        ("Name 6", "SEA SAMPLE"),
        ("Alias Type", "Primary name"),
        ("Group Type", "Ship"),
        ("Regime", "Test Regime"),
        ("Other Information", "(IMO number):7406784 (Ship type):Tug"),
    ]);
    let records: Vec<&[(&str, &str)]> = records.iter().map(Vec::as_slice).collect();
    format!("Last Updated,04/03/2026,,,,\n{}", table(',', &COLUMNS, &records))
}

#[test]
fn name_6_comes_first_and_the_strength_of_an_alias_is_its_quality() {
    let list = list("uk.csv", &csv());
    assert_eq!(list.name.as_str(), ListName::UK);
    assert_eq!(list.published, Some(jiff::civil::date(2026, 3, 4)));
    let expected = [
        ("MUSTER, Janek Maria", Quality::Primary, false),
        ("MUSTER, Jan", Quality::Strong, false),
        ("MUSTERE, Janek", Quality::Strong, false),
        ("Янек Мустер", Quality::Strong, true),
        ("SAMPLE", Quality::Weak, false),
    ];
    assert_eq!(names(list.entry("TST0001").unwrap()), expected);
    let kinds: Vec<EntityKind> = list.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntityKind::Person, EntityKind::Entity, EntityKind::Vessel]);
}

#[test]
fn an_unknown_day_or_month_of_birth_is_letters_or_zeros() {
    let list = list("uk.csv", &csv());
    assert_eq!(births(list.entry("TST0001").unwrap()), ["1961-03-02", "1962-05", "1963", "1964"]);
}

#[test]
fn numbers_countries_and_the_rest_are_where_they_belong() {
    let list = list("uk.csv", &csv());
    let entry = list.entry("TST0001").unwrap();
    let expected = [
        ("National Identifier", "N-77", ""),
        ("OFSI Group ID", "555", ""),
        ("Passport", "P1234", ""),
        ("Passport", "P5678", ""),
        ("UN Reference Number", "XXi.001", ""),
    ];
    assert_eq!(numbers(entry), expected);
    assert_eq!(texts(&entry.countries), ["Ruritania", "Utopia"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, Sampleton, 12345, Ruritania"]);
    assert_eq!(texts(&entry.programs), ["Test Regulations"]);
    assert_eq!((entry.title.as_deref(), entry.gender), (Some("Dr"), Some(Gender::Male)));
    assert_eq!(entry.remarks.as_deref(), Some("Remark of the sample."));
    let firm = list.entry("TST0002").unwrap();
    assert_eq!(numbers(firm), [("Business Registration Number", "B-9", "")]);
    let ship = list.entry("TST0003").unwrap();
    assert_eq!((ship.imo, texts(&ship.countries)), (Some(7_406_784), vec!["Utopia"]));
}

#[test]
fn xml_and_csv_of_one_publication_give_one_list() {
    assert_eq!(list("uk.xml", XML), list("uk.csv", &csv()));
}

#[test]
fn a_row_that_ends_before_its_empty_cells_is_read_and_one_with_more_cells_is_refused() {
    let text = csv();
    let short = text.replace(&format!("{}\n\"", ",\"\"".repeat(3)), "\n\"");
    assert_ne!(short, text);
    assert_eq!(list("uk.csv", &short), list("uk.csv", &text));
    let long = text.replacen("\"B-9\"\n", "\"B-9\",\"\"\n", 1);
    assert_ne!(long, text);
    let why = super::malformed("uk.csv", crate::common::read(&[("uk.csv", &long)]));
    assert!(why.contains("columns"), "{why}");
}

#[test]
fn a_table_that_begins_with_its_last_update_is_told_by_the_key_of_its_header() {
    let text = csv().replacen("Report Date: 04-Mar-2026", "Last Updated,04/03/2026", 1);
    assert_eq!(list("uk.csv", &text), list("uk.csv", &csv()));
    assert_eq!(list("ofsi.csv", &ofsi_csv()).name.as_str(), ListName::UK_OFSI);
}

#[test]
fn ofsi_writes_references_gender_and_ships_into_the_free_text() {
    let list = list("ofsi.csv", &ofsi_csv());
    assert_eq!(list.published, Some(jiff::civil::date(2026, 3, 4)));
    let entry = list.entry("555").unwrap();
    let expected = [
        ("MUSTER, Janek Maria", Quality::Primary, false),
        ("Янек Мустер", Quality::Strong, true),
        ("SAMPLE", Quality::Weak, false),
    ];
    assert_eq!(names(entry), expected);
    let expected = [
        ("Passport", "P1234", ""),
        ("Passport", "P5678", ""),
        ("UK Sanctions List Ref", "TST0001", ""),
        ("UN Reference Number", "XXi.001", ""),
    ];
    assert_eq!(numbers(entry), expected);
    assert_eq!(births(entry), ["1961-03-02", "1962"]);
    assert_eq!(entry.gender, Some(Gender::Female));
    assert_eq!(list.entry("556").unwrap().imo, Some(7_406_784));
}

#[test]
fn a_gender_in_small_letters_is_read() {
    let list = list("ofsi.csv", &ofsi_csv().replace("(Gender):Female", "(Gender):female"));
    assert_eq!(list.entry("555").unwrap().gender, Some(Gender::Female));
}

#[test]
fn ofsi_in_xml_and_in_csv_have_the_same_entries() {
    let (xml, csv) = (list("ofsi.xml", OFSI_XML), list("ofsi.csv", &ofsi_csv()));
    assert_eq!(xml.entries, csv.entries);
    assert_eq!((xml.name, xml.published), (csv.name, None));
}

#[test]
fn a_wallet_in_the_free_text_is_a_wallet_of_the_party() {
    const WALLET: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    let documents = [
        ("uk.xml", XML.to_owned(), "TST0001"),
        ("uk.csv", csv(), "TST0001"),
        ("ofsi.xml", OFSI_XML.to_owned(), "555"),
        ("ofsi.csv", ofsi_csv(), "555"),
    ];
    for (name, text, key) in documents {
        let text = text.replace("of the sample.", WALLET).replace("(Gender):Female", WALLET);
        let list = list(name, &text);
        let wallets = &list.entry(key).unwrap().wallets;
        assert_eq!(wallets.len(), 1, "{name}");
        assert_eq!((&*wallets[0].address, &*wallets[0].currency), (WALLET, ""));
    }
}
