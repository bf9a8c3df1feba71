//! The list of Switzerland's State Secretariat for Economic Affairs: `target` under `swiss-sanctions-list`.
//!
//! The list keeps parties that are no longer on it: the first `modification` of a target is the newest, and one that is
//! `de-listed` takes it off. What stands within a modification is how the target was before, and is not read.

use std::collections::HashMap;

use super::context::{InputFile, malformed};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::text::{clean, last_first, line, some};
use super::xml::{self, XmlElement};
use crate::model::{Birth, EntityKind, Entry, Identifier, ListName, Quality};

/// The root's name.
pub(super) const ROOT: &str = "swiss-sanctions-list";

/// The most spellings that are made of one name by its variants.
const SPELLINGS: usize = 64;

/// What targets refer to.
#[derive(Default)]
struct References {
    /// Programme of each set of sanctions.
    programs: HashMap<String, String>,
    /// Country of each place.
    countries: HashMap<String, String>,
}

/// A target, and the places that are still to be looked up: they may come after it.
struct Target {
    entry: Entry,
    places: Vec<String>,
}

/// Reads the file.
///
/// # Errors
/// [`ListError`] where it is not such a document.
pub(super) fn read(input: InputFile<'_>) -> Result<Fragment, ListError> {
    let (file, bounds, list) = (input.file, input.bounds, input.list.clone());
    let mut fragment = Fragment::new(FileFormat::SecoXml, file, &list);
    let mut references = References::default();
    let mut targets = Vec::new();
    let root = xml::read(input, ROOT, &[], &mut |_, record| {
        match &*record.name {
            "sanctions-program" => references.add_program(&record),
            "place" => references.add_place(&record),
            "target" if targets.len() >= bounds.entries => {
                let limit = bounds.entries as u64;
                return Err(ListError::TooLarge { file: file.to_owned(), what: "entries", limit });
            }
            "target" if !is_delisted(&record) => targets.push(target(&record, &references, &list)),
            "target" => {}
            other => return Err(malformed(file, format!("it holds an element {other}"))),
        }
        Ok(())
    })?;
    let published = root.attribute("date").and_then(date::of_time);
    fragment.published = Some(published.ok_or_else(|| malformed(file, "it does not say its date"))?);
    for Target { mut entry, places } in targets {
        for place in places {
            draft::country(&mut entry, references.countries.get(&place).map_or("", String::as_str));
        }
        fragment.add(entry, bounds)?;
    }
    fragment.end()
}

impl References {
    fn add_program(&mut self, program: &XmlElement) {
        let key = in_english(program.named("program-key")).map_or("", XmlElement::text);
        for set in program.named("sanctions-set") {
            if let Some(id) = set.attribute("ssid") {
                self.programs.insert(id.to_owned(), clean(key));
            }
        }
    }

    fn add_place(&mut self, place: &XmlElement) {
        if let Some(id) = place.attribute("ssid") {
            self.countries.insert(id.to_owned(), clean(place.text_of("country")));
        }
    }
}

/// The English one of texts in several languages, or the first.
fn in_english<'e>(mut texts: impl Iterator<Item = &'e XmlElement> + Clone) -> Option<&'e XmlElement> {
    texts.clone().find(|text| text.attribute("lang") == Some("eng")).or_else(|| texts.next())
}

fn is_delisted(target: &XmlElement) -> bool {
    let newest = target.child("modification");
    newest.is_some_and(|newest| newest.attribute("modification-type") == Some("de-listed"))
}

fn target(record: &XmlElement, references: &References, list: &ListName) -> Target {
    let (party, kind) = party(record);
    let uid = record.attribute("ssid").unwrap_or_default();
    let mut target = Target { entry: draft::nameless(&clean(uid), list, kind), places: Vec::new() };
    for set in record.named("sanctions-set-id") {
        target.entry.programs.extend(references.programs.get(set.text()).and_then(|name| some(name)));
    }
    let foreign = record.text_of("foreign-identifier");
    if is_un_reference(foreign) {
        draft::reference(&mut target.entry, Identifier::UN_REFERENCE, foreign);
    }
    if let Some(party) = party {
        party.named("identity").for_each(|identity| target.add_identity(identity));
        let remarks: Vec<&str> = party.named("other-information").map(XmlElement::text).collect();
        if kind == EntityKind::Vessel {
            let after = |text: &str| text.split_once("IMO").and_then(|(_, rest)| digits(rest));
            target.entry.imo = remarks.iter().find_map(|text| after(text));
        }
        target.entry.remarks = some(&remarks.join(" "));
    }
    draft::make_one_primary(&mut target.entry);
    target
}

/// The party that a target is, and its kind.
fn party(record: &XmlElement) -> (Option<&XmlElement>, EntityKind) {
    let kinds = [("individual", EntityKind::Person), ("entity", EntityKind::Entity)];
    if let Some((party, kind)) = kinds.into_iter().find_map(|(name, kind)| Some((record.child(name)?, kind)))
    {
        return (Some(party), kind);
    }
    let object = record.child("object");
    let kind = match object.and_then(|object| object.attribute("object-type")) {
        Some("vessel") => EntityKind::Vessel,
        Some("aircraft") => EntityKind::Aircraft,
        _ => EntityKind::Unknown,
    };
    (object, kind)
}

/// `QDi.001`: a number of the United Nations. Other numbers are of other lists.
fn is_un_reference(text: &str) -> bool {
    let shape = |byte: u8| match byte {
        b'A'..=b'Z' => 'A',
        b'0'..=b'9' => '0',
        other => char::from(other),
    };
    matches!(text.bytes().map(shape).collect::<String>().as_str(), "AAi.000" | "AAe.000")
}

/// The first seven digits in a row.
fn digits(text: &str) -> Option<u32> {
    let start = text.find(|sign: char| sign.is_ascii_digit())?;
    let number = text[start..].split(|sign: char| !sign.is_ascii_digit()).next()?;
    draft::imo(number)
}

impl Target {
    fn add_identity(&mut self, identity: &XmlElement) {
        let is_main = identity.attribute("main") == Some("true");
        for name in identity.named("name") {
            let quality = match (name.attribute("quality"), name.attribute("name-type")) {
                (Some("low"), _) => Quality::Weak,
                (_, Some("primary-name")) if is_main => Quality::Primary,
                _ => Quality::Strong,
            };
            for (at, spelling) in spellings(name, self.entry.kind).into_iter().enumerate() {
                let quality = if at == 0 { quality } else { quality.max(Quality::Strong) };
                draft::alias(&mut self.entry, &spelling, quality);
            }
        }
        for born in identity.named("day-month-year") {
            draft::birth(&mut self.entry, birth(born));
        }
        for nationality in identity.named("nationality") {
            draft::country(&mut self.entry, nationality.text_of("country"));
            self.places.extend(nationality.attribute("place-id").map(str::to_owned));
        }
        for address in identity.named("address") {
            let parts = ["c-o", "address-details", "p-o-box", "zip-code", "area"];
            self.entry.addresses.extend(some(&line(parts.map(|part| address.text_of(part)))));
            self.places.extend(address.attribute("place-id").map(str::to_owned));
        }
        for document in identity.named("identification-document") {
            let kind = document.attribute("document-type").unwrap_or_default();
            let issuer = Some(document.text_of("issuer"));
            draft::fact(&mut self.entry, kind, document.text_of("number"), issuer);
        }
    }
}

/// The name as it stands, then with each variant of a part in the place of that part, and with the first variants of all
/// parts in one script.
fn spellings(name: &XmlElement, kind: EntityKind) -> Vec<String> {
    let mut parts: Vec<&XmlElement> = name.named("name-part").collect();
    parts
        .sort_by_key(|part| part.attribute("order").and_then(|order| order.parse::<u32>().ok()).unwrap_or(0));
    let plain = |part: &&XmlElement| part.text_of("value").to_owned();
    let mut spellings = vec![join(&parts, kind, &|_, part| plain(&part))];
    let mut scripts: Vec<&str> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for variant in part.named("spelling-variant") {
            if spellings.len() >= SPELLINGS {
                return spellings;
            }
            scripts.extend(variant.attribute("script").filter(|script| *script != "LATN"));
            let is_latin = variant.attribute("script").is_none_or(|script| script == "LATN");
            if is_latin || parts.len() == 1 {
                spellings.push(join(&parts, kind, &|other, part| {
                    if other == at { variant.text().to_owned() } else { plain(&part) }
                }));
            }
        }
    }
    scripts.sort_unstable();
    scripts.dedup();
    for script in scripts {
        let in_script = |part: &XmlElement| {
            let mut variants = part.named("spelling-variant");
            variants
                .find(|variant| variant.attribute("script") == Some(script))
                .map(|variant| variant.text().to_owned())
        };
        // A name of which one part is in another script is none that anybody writes.
        if parts.len() > 1 && parts.iter().all(|part| in_script(part).is_some()) {
            spellings.push(join(&parts, kind, &|_, part| in_script(part).unwrap_or_default()));
        }
    }
    spellings
}

/// Puts the parts together: `Family, Given Father` for a person with both, else one after the other.
fn join(parts: &[&XmlElement], kind: EntityKind, text: &dyn Fn(usize, &XmlElement) -> String) -> String {
    let (mut family, mut others) = (Vec::new(), Vec::new());
    for (at, part) in parts.iter().enumerate() {
        let is_family = matches!(part.attribute("name-part-type"), Some("family-name" | "maiden-name"));
        if is_family { &mut family } else { &mut others }.push(text(at, part));
    }
    let (family, others) = (family.join(" "), others.join(" "));
    match kind {
        EntityKind::Person => last_first(&family, &others),
        _ => clean(&format!("{others} {family}")),
    }
}

fn birth(born: &XmlElement) -> Option<Birth> {
    if born.attribute("calendar").is_some_and(|calendar| !calendar.eq_ignore_ascii_case("gregorian")) {
        return None;
    }
    let number = |name: &str| born.attribute(name).and_then(|number| number.parse::<i16>().ok());
    let small = |name: &str| number(name).and_then(|number| i8::try_from(number).ok());
    let one = |year: &str, month: &str, day: &str| {
        let year = number(year)?;
        match (small(month), small(day)) {
            (Some(month), Some(day)) => jiff::civil::Date::new(year, month, day).ok().map(Birth::on),
            (Some(month), None) => Birth::in_month(year, month).ok(),
            (None, _) => Birth::in_year(year).ok(),
        }
    };
    let between = || {
        let first = one("from-year", "from-month", "from-day")?;
        Birth::between(first, one("to-year", "to-month", "to-day")?).ok()
    };
    let birth = one("year", "month", "day").or_else(between)?;
    let is_vague = born.attribute("quality").is_some_and(|quality| quality != "good");
    Some(if is_vague { birth.circa() } else { birth })
}
