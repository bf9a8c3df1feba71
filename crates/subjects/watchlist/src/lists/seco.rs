//! The list of Switzerland's State Secretariat for Economic Affairs: `target` under `swiss-sanctions-list`.
//!
//! The list keeps parties that are no longer on it: the first `modification` of a target is the newest, and one that is
//! `de-listed` takes it off. What stands within a modification is how the target was before, and is not read.

use std::collections::{BTreeSet, HashMap};

use super::context::{InputFile, malformed, too_large};
use super::date;
use super::draft;
use super::error::ListError;
use super::file_format::FileFormat;
use super::fragment::Fragment;
use super::text::{clean, last_first, line, some};
use super::xml::{self, XmlElement};
use crate::model::{Birth, EntityKind, Entry, Identifier, ListName, PublicationBounds, Quality};

/// The root's name.
pub(super) const ROOT: &str = "swiss-sanctions-list";

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
                return Err(too_large(file, "entries", bounds.entries));
            }
            "target" if !is_delisted(&record) => {
                targets.push(references.target(&record, &list, file, bounds)?);
            }
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

    fn target(
        &self,
        record: &XmlElement,
        list: &ListName,
        file: &str,
        bounds: &PublicationBounds,
    ) -> Result<Target, ListError> {
        let (party, kind) = party(record);
        let uid = record.attribute("ssid").unwrap_or_default();
        let mut target = Target { entry: draft::nameless(&clean(uid), list, kind), places: Vec::new() };
        for set in record.named("sanctions-set-id") {
            target.entry.programs.extend(self.programs.get(set.text()).and_then(|name| some(name)));
        }
        let foreign = record.text_of("foreign-identifier");
        if is_un_reference(foreign) {
            draft::reference(&mut target.entry, Identifier::UN_REFERENCE, foreign);
        }
        if let Some(party) = party {
            for identity in party.named("identity") {
                for name in identity.named("name") {
                    target.add_name(name, identity.attribute("main") == Some("true"), file, bounds)?;
                }
                target.add_facts(identity);
            }
            let remarks: Vec<&str> = party.named("other-information").map(XmlElement::text).collect();
            if kind == EntityKind::Vessel {
                let after = |text: &str| text.split_once("IMO").and_then(|(_, rest)| digits(rest));
                target.entry.imo = remarks.iter().find_map(|text| after(text));
            }
            target.entry.remarks = some(&remarks.join(" "));
        }
        draft::make_one_primary(&mut target.entry);
        Ok(target)
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
    fn add_name(
        &mut self,
        name: &XmlElement,
        is_main: bool,
        file: &str,
        bounds: &PublicationBounds,
    ) -> Result<(), ListError> {
        let quality = match (name.attribute("quality"), name.attribute("name-type")) {
            (Some("low"), _) => Quality::Weak,
            (_, Some("primary-name")) if is_main => Quality::Primary,
            _ => Quality::Strong,
        };
        let name = NameParts::of(name, self.entry.kind);
        draft::alias(&mut self.entry, &name.as_it_stands(), quality);
        name.variants(|spelling, is_whole| {
            let quality = if is_whole { quality.max(Quality::Strong) } else { Quality::Weak };
            draft::alias(&mut self.entry, &spelling, quality);
            // Many variants of many long parts would take the product of their lengths.
            if self.entry.names.len() > 2 * bounds.names || spelling.len() > bounds.text_bytes {
                draft::hold_distinct(&mut self.entry, file, bounds)?;
                draft::check_texts(&self.entry, file, bounds)?;
            }
            Ok(())
        })
    }

    fn add_facts(&mut self, identity: &XmlElement) {
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

/// A name in its parts, in the order that the publisher gives them.
struct NameParts<'e> {
    parts: Vec<&'e XmlElement>,
    kind: EntityKind,
}

/// A part of a name, and one spelling of it.
type Spelled<'e> = (&'e XmlElement, &'e str);

impl<'e> NameParts<'e> {
    fn of(name: &'e XmlElement, kind: EntityKind) -> Self {
        let mut parts: Vec<&XmlElement> = name.named("name-part").collect();
        let order = |part: &&XmlElement| part.attribute("order").and_then(|order| order.parse::<u32>().ok());
        parts.sort_by_key(|part| order(part).unwrap_or(0));
        Self { parts, kind }
    }

    fn as_it_stands(&self) -> String {
        join(self.parts.iter().map(|part| (*part, part.text_of("value"))), self.kind)
    }

    /// Gives the name with each variant of a part: one in Latin letters in the place of that part, one in another script
    /// together with the first variants of the other parts in that script. The second argument is false where a part has
    /// none: a name of which one part is in another script is none that anybody writes, so that part is left out, and the
    /// rest says less than the whole name.
    fn variants(&self, mut give: impl FnMut(String, bool) -> Result<(), ListError>) -> Result<(), ListError> {
        for (at, part) in self.parts.iter().enumerate() {
            let variants = part.named("spelling-variant").map(|variant| (script(variant), variant.text()));
            let variants: BTreeSet<(&str, &str)> = variants.collect();
            let mut of_others: (&str, Vec<Option<&str>>) = ("", Vec::new());
            for (script, variant) in variants {
                if of_others.0 != script {
                    of_others = (script, self.parts.iter().map(|part| spelling_in(part, script)).collect());
                }
                let spelled = self.parts.iter().zip(&of_others.1).enumerate().filter_map(|(other, part)| {
                    Some((*part.0, if other == at { variant } else { (*part.1)? }))
                });
                let is_whole = spelled.clone().count() == self.parts.len();
                give(join(spelled, self.kind), is_whole)?;
            }
        }
        Ok(())
    }
}

/// The script of a part's value, and of a variant that does not name one.
const LATIN: &str = "LATN";

fn script(variant: &XmlElement) -> &str {
    variant.attribute("script").unwrap_or(LATIN)
}

/// The value of a part, or its first variant in another script.
fn spelling_in<'e>(part: &'e XmlElement, wanted: &str) -> Option<&'e str> {
    if wanted == LATIN {
        return Some(part.text_of("value"));
    }
    part.named("spelling-variant").find(|variant| script(variant) == wanted).map(XmlElement::text)
}

/// Puts the parts together: `Family, Given Father` for a person with both, else one after the other.
fn join<'e>(parts: impl Iterator<Item = Spelled<'e>>, kind: EntityKind) -> String {
    let (mut family, mut others) = (Vec::new(), Vec::new());
    for (part, text) in parts {
        let is_family = matches!(part.attribute("name-part-type"), Some("family-name" | "maiden-name"));
        if is_family { &mut family } else { &mut others }.push(text);
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
