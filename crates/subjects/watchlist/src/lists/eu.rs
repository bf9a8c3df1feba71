//! The European Union's consolidated list of financial sanctions in XML (FSF 1.0 and 1.1): `sanctionEntity` under
//! `export`.
//!
//! All that is said stands in attributes. Only dates of the Gregorian calendar are read as dates of birth.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::free_text;
use super::text::{clean, line, some};
use super::xml::{self, XmlElement};
use crate::model::{Birth, EntityKind, Entry, Identifier, ListName, Quality};

/// The root's name.
pub(super) const ROOT: &str = "export";

/// The calendar in which dates are read.
const GREGORIAN: &str = "GREGORIAN";

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::EuXml, file, &list);
    let mut delistings = HashMap::new();
    let root = xml::read(input, ROOT, &[], &mut |_, record| {
        if &*record.name != "sanctionEntity" {
            return Err(malformed(file, format!("it holds an element {}", record.name)));
        }
        let entry = entry(&record, &list);
        delistings.extend(delisting(&record).map(|day| (entry.uid.clone(), day)));
        fragment.add(entry, bounds)
    })?;
    let published = root.attribute("generationDate").and_then(date::of_time);
    let published = published.ok_or_else(|| malformed(file, "it does not say its date"))?;
    fragment.published = Some(published);
    fragment.entries.retain(|uid, _| delistings.get(uid).is_none_or(|day| *day > published));
    fragment.end()
}

/// "The date from which the entity should not be sanctioned anymore for the regulation" (schema of the export 1.0), which
/// has one regulation for each entity. Under several it is not certain that all have ended, and the entity stays.
fn delisting(record: &XmlElement) -> Option<Date> {
    let is_under_one = record.named("regulation").count() == 1;
    record.attribute("delistingDate").filter(|_| is_under_one).and_then(date::of_time)
}

fn entry(record: &XmlElement, list: &ListName) -> Entry {
    let says = |element: &XmlElement, name: &str| element.attribute(name).unwrap_or_default().to_owned();
    let subject = |name: &str| record.child("subjectType").and_then(|subject| kind(&says(subject, name)));
    let kind = subject("classificationCode").or(subject("code")).unwrap_or_default();
    let mut entry = draft::nameless(&clean(&says(record, "logicalId")), list, kind);
    for name in record.named("nameAlias") {
        let part = |part: &str| name.attribute(part).unwrap_or_default();
        let weak = part("strong") == "false" || name.named("remark").any(|remark| is_low(remark.text()));
        let given = [part("firstName"), part("middleName")];
        for text in names_of(entry.kind, part("lastName"), given, part("wholeName")) {
            draft::alias(&mut entry, &text, if weak { Quality::Weak } else { Quality::Strong });
        }
        entry.gender = entry.gender.or(draft::gender(part("gender")));
        entry.title = entry.title.take().or(some(part("title")));
    }
    draft::make_one_primary(&mut entry);
    references(&mut entry, &says(record, "euReferenceNumber"), &says(record, "unitedNationId"));
    for regulation in record.named("regulation") {
        entry.programs.extend(some(&says(regulation, "programme")));
    }
    for citizenship in record.named("citizenship") {
        country(&mut entry, &says(citizenship, "countryDescription"));
    }
    for born in record.named("birthdate") {
        let part = |part: &str| born.attribute(part).unwrap_or_default();
        let years = [part("yearRangeFrom"), part("yearRangeTo")];
        let parts = [part("year"), part("monthOfYear"), part("dayOfMonth")];
        let born = birth(part("calendarType"), part("birthdate"), parts, years, part("circa"));
        draft::birth(&mut entry, born);
    }
    for address in record.named("address") {
        let part = |part: &str| address.attribute(part).unwrap_or_default();
        let lines = ["street", "poBox", "zipCode", "city", "region", "place"].map(part);
        place(&mut entry, lines, part("countryDescription"));
    }
    for document in record.named("identification") {
        let part = |part: &str| document.attribute(part).unwrap_or_default();
        let kind = part("identificationTypeDescription");
        identification(&mut entry, kind, part("number"), part("latinNumber"), part("countryDescription"));
    }
    let remarks = remarks(record);
    free_text::wallets(&mut entry, &remarks);
    entry.remarks = some(&remarks);
    entry
}

/// The remarks on a party, then those on its names, addresses, dates and documents; each text once.
fn remarks(record: &XmlElement) -> String {
    fn below<'e>(element: &'e XmlElement, texts: &mut Vec<&'e str>) {
        texts.extend(element.named("remark").map(XmlElement::text));
        element.children.iter().for_each(|child| below(child, texts));
    }
    let mut texts = Vec::new();
    below(record, &mut texts);
    let mut known = HashSet::new();
    texts.retain(|text| known.insert(*text));
    texts.join(" ")
}

/// Tests that the remark on a name calls it weak, which `strong` does not always say.
pub(super) fn is_low(remark: &str) -> bool {
    remark.to_ascii_lowercase().contains("low quality alias")
}

/// What the code of a subject means; the two columns of a code have changed places in some exports.
pub(super) fn kind(code: &str) -> Option<EntityKind> {
    match code {
        "P" | "person" => Some(EntityKind::Person),
        "E" | "enterprise" => Some(EntityKind::Entity),
        _ => None,
    }
}

/// `LAST, First Middle` of a person whose parts are all of the name, else the whole name; both where the whole lacks a
/// word of the parts, as it does in another script.
pub(super) fn names_of(kind: EntityKind, last: &str, given: [&str; 2], whole: &str) -> Vec<String> {
    let given = clean(&given.join(" "));
    let (last, whole) = (clean(last), clean(whole));
    let is_apart = kind == EntityKind::Person && !last.is_empty() && !given.is_empty();
    let parts = if is_apart { format!("{last}, {given}") } else { clean(&format!("{given} {last}")) };
    if letters(&parts) == letters(&whole) {
        vec![if is_apart { parts } else { whole }]
    } else if words(&parts).is_subset(&words(&whole)) {
        vec![whole]
    } else {
        vec![parts, whole]
    }
}

/// The small letters and digits of a name, in order of their code points.
fn letters(name: &str) -> Vec<char> {
    let mut letters: Vec<char> =
        name.chars().flat_map(char::to_lowercase).filter(|letter| letter.is_alphanumeric()).collect();
    letters.sort_unstable();
    letters
}

/// The words of a name in small letters.
fn words(name: &str) -> HashSet<String> {
    let words = name.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Adds the numbers under which the EU and the United Nations list the party.
pub(super) fn references(entry: &mut Entry, eu: &str, un: &str) {
    draft::reference(entry, Identifier::EU_REFERENCE, eu);
    draft::reference(entry, Identifier::UN_REFERENCE, un);
}

/// Adds a country; the EU's `UNKNOWN` is none.
pub(super) fn country(entry: &mut Entry, name: &str) {
    if !name.eq_ignore_ascii_case("unknown") {
        draft::country(entry, name);
    }
}

/// Adds an address and its country.
pub(super) fn place(entry: &mut Entry, lines: [&str; 6], of: &str) {
    let of = if of.eq_ignore_ascii_case("unknown") { "" } else { of };
    entry.addresses.extend(some(&line(lines.into_iter().chain([of]))));
    country(entry, of);
}

/// Adds a document.
pub(super) fn identification(entry: &mut Entry, kind: &str, number: &str, latin: &str, of: &str) {
    let issuer = Some(of).filter(|of| !of.eq_ignore_ascii_case("unknown"));
    draft::fact(entry, kind, if number.is_empty() { latin } else { number }, issuer);
}

/// A date of birth from its parts: the day, or year, month and day, or the first and the last year.
pub(super) fn birth(
    calendar: &str,
    day: &str,
    parts: [&str; 3],
    years: [&str; 2],
    circa: &str,
) -> Option<Birth> {
    if !calendar.is_empty() && calendar != GREGORIAN {
        return None;
    }
    let day = day.parse::<Date>().ok().map(Birth::on);
    let between = || Birth::between(in_year(years[0])?, in_year(years[1])?).ok();
    let birth = day.or_else(|| of_parts(parts)).or_else(between)?;
    Some(if circa == "true" { birth.circa() } else { birth })
}

/// A date from year, month and day, of which the last or the last two may be missing.
fn of_parts([year, month, day]: [&str; 3]) -> Option<Birth> {
    let whole = in_year(year)?;
    let number = |text: &str| text.trim().parse::<i8>().ok().filter(|number| *number > 0);
    let Some(month) = number(month) else { return Some(whole) };
    let in_month = Birth::in_month(whole.earliest.year(), month).ok()?;
    let Some(day) = number(day) else { return Some(in_month) };
    Date::new(whole.earliest.year(), month, day).ok().map(Birth::on)
}

fn in_year(text: &str) -> Option<Birth> {
    text.trim().parse().ok().and_then(|year| Birth::in_year(year).ok())
}
