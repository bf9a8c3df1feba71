//! The European Union's consolidated list of financial sanctions in XML (FSF 1.0 and 1.1): `sanctionEntity` under
//! `export`.
//!
//! All that is said stands in attributes. Only dates of the Gregorian calendar are read as dates of birth.

use jiff::civil::Date;

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
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
    let root = xml::read(input, ROOT, &[], &mut |_, record| match &*record.name {
        "sanctionEntity" => fragment.add(entry(&record, &list), bounds),
        other => Err(malformed(file, format!("it holds an element {other}"))),
    })?;
    let published = root.attribute("generationDate").and_then(date::of_time);
    fragment.published = Some(published.ok_or_else(|| malformed(file, "it does not say its date"))?);
    fragment.end()
}

fn entry(record: &XmlElement, list: &ListName) -> Entry {
    let says = |element: &XmlElement, name: &str| element.attribute(name).unwrap_or_default().to_owned();
    let subject = |name: &str| record.child("subjectType").and_then(|subject| kind(&says(subject, name)));
    let kind = subject("classificationCode").or(subject("code")).unwrap_or_default();
    let mut entry = draft::nameless(&clean(&says(record, "logicalId")), list, kind);
    for name in record.named("nameAlias") {
        let part = |part: &str| name.attribute(part).unwrap_or_default();
        let weak = part("strong") == "false";
        let text =
            name_of(entry.kind, part("lastName"), [part("firstName"), part("middleName")], part("wholeName"));
        draft::alias(&mut entry, &text, if weak { Quality::Weak } else { Quality::Strong });
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
    let remarks: Vec<&str> = record.named("remark").map(XmlElement::text).collect();
    entry.remarks = some(&remarks.join(" "));
    entry
}

/// What the code of a subject means; the two columns of a code have changed places in some exports.
pub(super) fn kind(code: &str) -> Option<EntityKind> {
    match code {
        "P" | "person" => Some(EntityKind::Person),
        "E" | "enterprise" => Some(EntityKind::Entity),
        _ => None,
    }
}

/// `LAST, First Middle` of a person whose parts are told apart, else the whole name.
pub(super) fn name_of(kind: EntityKind, last: &str, given: [&str; 2], whole: &str) -> String {
    let given = clean(&given.join(" "));
    let (last, whole) = (clean(last), clean(whole));
    let is_apart = kind == EntityKind::Person && !last.is_empty() && !given.is_empty();
    // Where the parts are not all of the name, the whole counts.
    let parts = last.chars().chain(given.chars()).filter(|letter| letter.is_alphanumeric()).count();
    let all = whole.chars().filter(|letter| letter.is_alphanumeric()).count();
    if is_apart && parts >= all {
        format!("{last}, {given}")
    } else if whole.is_empty() {
        clean(&format!("{given} {last}"))
    } else {
        whole
    }
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
