//! The UK Sanctions List and, until 28 January 2026, the consolidated list of OFSI, each in XML and in CSV.
//!
//! The tables have a row for each name of a party; the rows of one party have its Unique ID or Group ID. `Name 6` is a
//! person's family name or the whole name of another party, `Name 1` to `Name 5` are the given names. Only columns of names
//! are read as names: the statements of reasons speak of other people.

use jiff::civil::Date;

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::free_text;
use super::parties::Parties;
use super::table::{self, Header, Row, TableForm};
use super::text::{clean, last_first, line, marked, some};
use super::xml::{self, XmlElement};
use crate::model::{EntityKind, Entry, Identifier, ListName, Quality};

/// The root of the UK Sanctions List in XML.
pub(super) const ROOT: &str = "Designations";
/// The root of OFSI's list in XML.
pub(super) const OFSI_ROOT: &str = "ArrayOfFinancialSanctionsTarget";
/// Beginnings of the first line of the UK Sanctions List in CSV.
pub(super) const PREAMBLE: &str = "Report Date:";
/// Beginning of the first line of OFSI's list in CSV.
pub(super) const OFSI_PREAMBLE: &str = "Last Updated,";

const LINES: [&str; 6] =
    ["AddressLine1", "AddressLine2", "AddressLine3", "AddressLine4", "AddressLine5", "AddressLine6"];

/// Reads the UK Sanctions List in XML.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read_xml(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::UkXml, file, &list);
    xml::read(input, ROOT, &[], &mut |_, record| match &*record.name {
        "Designation" => fragment.add(designation(&record, &list), bounds),
        "DateGenerated" => {
            fragment.published = Some(dated(file, date::day_month_year(record.text()))?);
            Ok(())
        }
        other => Err(malformed(file, format!("it holds an element {other}"))),
    })?;
    fragment.published = Some(dated(file, fragment.published)?);
    fragment.end()
}

fn dated(file: &str, date: Option<Date>) -> Result<Date, ListError> {
    date.ok_or_else(|| malformed(file, "it does not say its date"))
}

fn designation(record: &XmlElement, list: &ListName) -> Entry {
    let kind = kind(record.text_of("IndividualEntityShip"));
    let mut entry = draft::nameless(&clean(record.text_of("UniqueID")), list, kind);
    for name in record.items("Names", "Name") {
        let parts = ["Name1", "Name2", "Name3", "Name4", "Name5", "Name6"].map(|part| name.text_of(part));
        add_name(&mut entry, parts, name.text_of("NameType"), name.text_of("AliasStrength"));
    }
    for name in record.items("NonLatinNames", "NonLatinName") {
        draft::alias(&mut entry, name.text_of("NameNonLatinScript"), Quality::Strong);
    }
    draft::make_one_primary(&mut entry);
    draft::reference(&mut entry, Identifier::OFSI_GROUP, record.text_of("OFSIGroupID"));
    draft::reference(&mut entry, Identifier::UN_REFERENCE, record.text_of("UNReferenceNumber"));
    entry.programs.extend(some(record.text_of("RegimeName")));
    entry.title = record.items("Titles", "Title").find_map(|title| some(title.text()));
    for address in record.items("Addresses", "Address") {
        let lines = LINES.map(|part| address.text_of(part));
        add_address(
            &mut entry,
            lines,
            address.text_of("AddressPostalCode"),
            address.text_of("AddressCountry"),
        );
    }
    for person in record.items("IndividualDetails", "Individual") {
        for born in person.items("DOBs", "DOB") {
            draft::birth(&mut entry, date::uk_birth(born.text()));
        }
        for country in person.items("Nationalities", "Nationality") {
            draft::country(&mut entry, country.text());
        }
        let gender = person.items("Genders", "Gender").next();
        entry.gender = gender.and_then(|gender| draft::gender(gender.text()));
        for passport in person.items("PassportDetails", "Passport") {
            draft::fact(&mut entry, "Passport", passport.text_of("PassportNumber"), None);
        }
        for number in person.items("NationalIdentifierDetails", "NationalIdentifier") {
            draft::fact(&mut entry, NATIONAL, number.text_of("NationalIdentifierNumber"), None);
        }
    }
    for firm in record.items("EntityDetails", "Entity") {
        for number in firm.items("BusinessRegistrationNumbers", "BusinessRegistrationNumber") {
            draft::fact(&mut entry, REGISTRATION, number.text(), None);
        }
    }
    for ship in record.items("ShipDetails", "Ship") {
        let imo = ship.items("IMONumbers", "IMONumber").find_map(|number| draft::imo(number.text()));
        entry.imo = entry.imo.or(imo);
        for flag in ship.items("CurrentBelievedFlagOfShips", "CurrentBelievedFlagOfShip") {
            draft::country(&mut entry, flag.text());
        }
    }
    let other = record.text_of("OtherInformation");
    entry.remarks = some(other);
    free_text::wallets(&mut entry, other);
    entry
}

const NATIONAL: &str = "National Identifier";
const REGISTRATION: &str = "Business Registration Number";

fn kind(said: &str) -> EntityKind {
    match said {
        "Individual" => EntityKind::Person,
        "Entity" => EntityKind::Entity,
        "Ship" => EntityKind::Vessel,
        _ => EntityKind::Unknown,
    }
}

/// Adds a name of its parts, `Name 1` to `Name 6`. Several are called primary where a party has one name in several
/// spellings.
fn add_name(entry: &mut Entry, parts: [&str; 6], kind: &str, strength: &str) {
    let (given, last) = (clean(&parts[..5].join(" ")), parts[5]);
    let text = match entry.kind {
        EntityKind::Person => last_first(last, &given),
        _ => clean(&format!("{given} {last}")),
    };
    let primary = kind.trim().eq_ignore_ascii_case("primary name") || kind.trim() == "Prime Alias";
    let weak = strength.to_ascii_lowercase().contains("low");
    let quality = match (primary, weak) {
        (true, _) => Quality::Primary,
        (false, true) => Quality::Weak,
        (false, false) => Quality::Strong,
    };
    draft::alias(entry, &text, quality);
}

fn add_address(entry: &mut Entry, lines: [&str; 6], postal_code: &str, country: &str) {
    entry.addresses.extend(some(&line(lines.into_iter().chain([postal_code, country]))));
    draft::country(entry, country);
}

/// `(1) A-1234 (2) M45`: OFSI numbers the values of a cell.
fn numbered(cell: &str) -> impl Iterator<Item = &str> {
    marked(cell, |mark| mark.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What OFSI writes into its free text: `(UN Ref):QDi.001.`
fn labelled<'t>(text: &'t str, label: &str) -> &'t str {
    let Some((_, rest)) = text.split_once(label) else { return "" };
    let rest = rest.trim_start_matches([':', ' ']);
    let end = rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '.')).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.')
}

/// The names of the columns of one of the two tables, the key first.
struct Columns([Option<usize>; 28]);

/// The columns of both tables: of the UK Sanctions List, of OFSI's, and OFSI's elements in XML. Empty where one has none.
const COLUMNS: [[&str; 3]; 28] = [
    ["Unique ID", "Group ID", "GroupID"],
    ["Name 1", "Name 1", "name1"],
    ["Name 2", "Name 2", "name2"],
    ["Name 3", "Name 3", "name3"],
    ["Name 4", "Name 4", "name4"],
    ["Name 5", "Name 5", "name5"],
    ["Name 6", "Name 6", "Name6"],
    ["Name type", "Alias Type", "AliasType"],
    ["Alias strength", "Alias Quality", "AliasQuality"],
    ["Name non-latin script", "Name Non-Latin Script", "NameNonLatinScript"],
    ["Designation Type", "Group Type", "GroupTypeDescription"],
    ["Regime Name", "Regime", "RegimeName"],
    ["Title", "Title", "Title"],
    ["D.O.B", "DOB", "Individual_DateOfBirth"],
    ["Nationality(/ies)", "Nationality", "Individual_Nationality"],
    ["Passport number", "Passport Number", "Individual_PassportNumber"],
    ["National Identifier number", "National Identification Number", "Individual_NINumber"],
    ["Business registration number (s)", "", "Entity_BusinessRegNumber"],
    ["IMO number", "", "Ship_IMONumber"],
    ["Current believed flag of ship", "", "Ship_Flag"],
    ["Gender", "", "Individual_Gender"],
    ["Address Line 1", "Address 1", "Address1"],
    ["Address Line 2", "Address 2", "Address2"],
    ["Address Line 3", "Address 3", "Address3"],
    ["Address Line 4", "Address 4", "Address4"],
    ["Address Line 5", "Address 5", "Address5"],
    ["Address Line 6", "Address 6", "Address6"],
    ["Other Information", "Other Information", "OtherInformation"],
];
const POSTAL_CODE: [&str; 3] = ["Address Postal Code", "Post/Zip Code", "PostCode"];
const COUNTRY: [&str; 3] = ["Address Country", "Country", "Country"];
const UN_REFERENCE: [&str; 3] = ["UN Reference Number", "", "UNRef"];
const OFSI_GROUP: [&str; 3] = ["OFSI Group ID", "", ""];
const UK_REFERENCE: [&str; 3] = ["", "", "UKSanctionsListRef"];

/// What one row says of a party.
struct NameRow<'r> {
    cells: [&'r str; COLUMNS.len()],
    postal_code: &'r str,
    country: &'r str,
    un_reference: &'r str,
    ofsi_group: &'r str,
    uk_reference: &'r str,
}

impl NameRow<'_> {
    fn add(&self, parties: &mut Parties<'_>) -> Result<(), ListError> {
        let kind = kind(self.cells[10].trim());
        parties.add(&clean(self.cells[0]), kind, |entry| self.add_to(entry))
    }

    fn add_to(&self, entry: &mut Entry) {
        let [_, n1, n2, n3, n4, n5, n6, kind, strength, original, _, regime, title, rest @ ..] = self.cells;
        let [birth, nationality, passport, national, registration, imo, flag, gender, rest @ ..] = rest;
        let [a1, a2, a3, a4, a5, a6, other] = rest;
        add_name(entry, [n1, n2, n3, n4, n5, n6], kind, strength);
        draft::alias(entry, original, Quality::Strong);
        entry.programs.extend(some(regime));
        entry.title = entry.title.take().or(some(title));
        draft::birth(entry, date::uk_birth(birth));
        numbered(nationality).for_each(|country| draft::country(entry, country));
        numbered(passport).for_each(|number| draft::fact(entry, "Passport", number, None));
        numbered(national).for_each(|number| draft::fact(entry, NATIONAL, number, None));
        numbered(registration).for_each(|number| draft::fact(entry, REGISTRATION, number, None));
        entry.imo = entry.imo.or(draft::imo(imo.trim()));
        draft::country(entry, flag);
        entry.gender = entry.gender.or(draft::gender(gender));
        add_address(entry, [a1, a2, a3, a4, a5, a6], self.postal_code, self.country);
        // The free text is the same in all records of a party, as a rule.
        let text = if draft::remark(entry, other) { other } else { "" };
        let or = |one: &'_ str, label: &str| {
            if one.trim().is_empty() { labelled(text, label) } else { one }.to_owned()
        };
        draft::reference(entry, Identifier::UN_REFERENCE, &or(self.un_reference, "(UN Ref)"));
        draft::reference(entry, Identifier::UK_REFERENCE, &or(self.uk_reference, "(UK Sanctions List Ref)"));
        draft::reference(entry, Identifier::OFSI_GROUP, self.ofsi_group);
        entry.imo = entry.imo.or(draft::imo(labelled(text, "(IMO number)")));
        entry.gender = entry.gender.or(draft::gender(labelled(text, "(Gender)")));
        free_text::wallets(entry, text);
    }
}

/// Reads one of the lists in CSV: a line with the date, the header, and a row for each name.
///
/// # Errors
/// [`ListError`] where it is not such a table.
pub(super) fn read_csv(input: InputFile<'_>, format: FileFormat) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let at = usize::from(format == FileFormat::OfsiCsv);
    let mut fragment = Fragment::new(format, file, &list);
    let mut parties = Parties::new(file, bounds, &list);
    let mut published = None;
    // The publisher's rows end before their last cells where these are empty.
    let form = TableForm { preamble: 1, may_be_short: true, ..TableForm::CSV };
    let more = [POSTAL_CODE, COUNTRY, UN_REFERENCE, OFSI_GROUP, UK_REFERENCE];
    let on_header = |header: &Header, preamble: &str| {
        let day = preamble.trim().strip_prefix(PREAMBLE).or(preamble.trim().strip_prefix(OFSI_PREAMBLE));
        let day = day.map(|day| day.trim_matches([',', ' ', '"']));
        let day = day.and_then(|day| date::day_month_year(day).or_else(|| date::day_name_year(day)));
        published = Some(dated(file, day)?);
        // The key, every part of a name, the kind of name and the kind of party.
        for needed in [0, 1, 2, 3, 4, 5, 6, 7, 10].map(|column| COLUMNS[column][at]) {
            header.need(needed)?;
        }
        let more = more.map(|names| header.find(names[at]));
        Ok((Columns(COLUMNS.map(|names| header.find(names[at]))), more))
    };
    table::read(input, form, on_header, |(columns, more), row: &Row<'_>| {
        let [postal_code, country, un_reference, ofsi_group, uk_reference] =
            more.map(|column| row.of(column));
        let cells = columns.0.map(|column| row.of(column));
        let row = NameRow { cells, postal_code, country, un_reference, ofsi_group, uk_reference };
        row.add(&mut parties)
    })?;
    fragment.published = published;
    parties.end(fragment)
}

/// Reads OFSI's list in XML: an element for each name.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read_ofsi_xml(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let fragment = Fragment::new(FileFormat::OfsiXml, file, &list);
    let mut parties = Parties::new(file, bounds, &list);
    xml::read(input, OFSI_ROOT, &[], &mut |_, record| {
        if &*record.name != "FinancialSanctionsTarget" {
            return Err(malformed(file, format!("it holds an element {}", record.name)));
        }
        let [postal_code, country, un_reference, ofsi_group, uk_reference] =
            [POSTAL_CODE, COUNTRY, UN_REFERENCE, OFSI_GROUP, UK_REFERENCE]
                .map(|names| record.text_of(names[2]));
        let cells = COLUMNS.map(|names| record.text_of(names[2]));
        let row = NameRow { cells, postal_code, country, un_reference, ofsi_group, uk_reference };
        row.add(&mut parties)
    })?;
    parties.end(fragment)
}

#[cfg(test)]
mod tests {
    use super::{labelled, numbered};

    #[test]
    fn numbered_values_of_a_cell_are_taken_apart() {
        let parts = |cell| numbered(cell).filter(|part| !part.is_empty()).collect::<Vec<_>>();
        assert_eq!(parts("(1) A-123456 (2) M45"), ["A-123456", "M45"]);
        assert_eq!(parts("123 (Russia)"), ["123 (Russia)"]);
        assert_eq!(parts("(1) 12 (b) (2) 34"), ["12 (b)", "34"]);
        assert_eq!(parts("(12"), ["(12"]);
    }

    #[test]
    fn references_stand_in_the_free_text() {
        let text = "(UK Sanctions List Ref):GHR0086. (UN Ref): QDi.001. (Gender):Male";
        assert_eq!(labelled(text, "(UK Sanctions List Ref)"), "GHR0086");
        assert_eq!(labelled(text, "(UN Ref)"), "QDi.001");
        assert_eq!(labelled("nothing", "(UN Ref)"), "");
    }
}
