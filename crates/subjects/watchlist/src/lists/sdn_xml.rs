//! `SDN.XML` and `CONSOLIDATED.XML`: one `sdnEntry` a party.
//!
//! The only form that says how many entries it has, in `publshInformation` (OFAC's spelling).

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::identity;
use super::text::{clean, last_first, line, some};
use super::xml::{self, XmlElement};
use crate::model::{EntityKind, Entry, ListName, Quality};

/// The root's name.
pub(super) const ROOT: &str = "sdnList";

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::SdnXml, file, &list);
    let mut informed = false;
    xml::read(input, ROOT, &[], &mut |_, record| match &*record.name {
        "sdnEntry" => fragment.add(entry(&record, &list), bounds),
        "publshInformation" => {
            informed = true;
            let published = date::month_day_year(record.text_of("Publish_Date"));
            fragment.published =
                Some(published.ok_or_else(|| malformed(file, "it has no publication date"))?);
            let count = record.text_of("Record_Count").parse();
            fragment.declared = Some(count.map_err(|_| malformed(file, "it does not say its record count"))?);
            Ok(())
        }
        other => Err(malformed(file, format!("it holds an element {other}"))),
    })?;
    if !informed {
        return Err(malformed(file, "it has no publication information"));
    }
    fragment.identify(identity::held(fragment.entries.values()));
    fragment.end()
}

fn entry(record: &XmlElement, list: &ListName) -> Entry {
    let kind = match record.text_of("sdnType") {
        "Individual" => EntityKind::Person,
        "Entity" => EntityKind::Entity,
        "Vessel" => EntityKind::Vessel,
        "Aircraft" => EntityKind::Aircraft,
        _ => EntityKind::Unknown,
    };
    let mut entry = Entry::new(&clean(record.text_of("uid")), list, kind, &name(record));
    entry.title = some(record.text_of("title"));
    entry.programs.extend(record.items("programList", "program").filter_map(|program| some(program.text())));
    for alias in record.items("akaList", "aka") {
        let weak = alias.text_of("category").eq_ignore_ascii_case("weak");
        draft::alias(&mut entry, &name(alias), if weak { Quality::Weak } else { Quality::Strong });
    }
    for fact in record.items("idList", "id") {
        let issuer = fact.text_of("idCountry");
        draft::fact(&mut entry, fact.text_of("idType"), fact.text_of("idNumber"), Some(issuer));
    }
    for item in record.items("dateOfBirthList", "dateOfBirthItem") {
        draft::birth(&mut entry, date::birth(item.text_of("dateOfBirth")));
    }
    places(&mut entry, record);
    ship(&mut entry, record);
    entry.remarks = Some(record.text_of("remarks")).filter(|text| !text.is_empty()).map(Into::into);
    entry
}

/// `LAST, First`; an organisation has its whole name as its last one.
fn name(element: &XmlElement) -> String {
    last_first(element.text_of("lastName"), element.text_of("firstName"))
}

fn places(entry: &mut Entry, record: &XmlElement) {
    const PARTS: [&str; 7] =
        ["address1", "address2", "address3", "city", "stateOrProvince", "postalCode", "country"];
    for address in record.items("addressList", "address") {
        entry.addresses.extend(some(&line(PARTS.map(|part| address.text_of(part)))));
        draft::country(entry, address.text_of("country"));
    }
    for (list, item) in [("nationalityList", "nationality"), ("citizenshipList", "citizenship")] {
        for place in record.items(list, item) {
            draft::country(entry, place.text_of("country"));
        }
    }
}

fn ship(entry: &mut Entry, record: &XmlElement) {
    let Some(ship) = record.child("vesselInfo") else { return };
    entry.call_sign = some(ship.text_of("callSign"));
    draft::country(entry, ship.text_of("vesselFlag"));
}
