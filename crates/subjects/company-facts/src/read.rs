//! Reading of a body of company facts: one pass over its bytes, in which only facts of mapped tags are kept.
//!
//! The parser is pulled, so that nothing of an unmapped tag is stored, and gives each number in its own characters. The JSON
//! library of the rest of the workspace has that only with a feature that changes how every other crate reads numbers.

use std::io::Read;

use jiter::{Jiter, JiterError, Peek};

use crate::error::FactsError;
use crate::extract::{CompanyFacts, Series};
use crate::fact::{Fact, MAX_VALUE_CHARS, read_accession, read_cik, read_day, read_form};
use crate::mapping;

/// The most bytes of a body: 32 MiB. The largest of EDGAR's are about half of that.
pub const MAX_BODY_BYTES: usize = 32 << 20;

/// The most facts of mapped tags in one body.
pub const MAX_FACTS: usize = 60_000;

/// The most taxonomies in one body.
pub const MAX_TAXONOMIES: usize = 32;

/// The most units of all mapped tags together in one body.
pub const MAX_SERIES: usize = 2_000;

/// The most bytes of a name of a company, of a taxonomy or of a unit.
pub const MAX_NAME_BYTES: usize = 300;

/// Takes all bytes of a body, and refuses one that is too large as soon as it is.
pub(crate) fn bytes_of(reader: impl Read) -> Result<Vec<u8>, FactsError> {
    let mut bytes = Vec::new();
    let bound = MAX_BODY_BYTES as u64 + 1;
    reader.take(bound).read_to_end(&mut bytes).map_err(|error| FactsError::Source(error.to_string()))?;
    Ok(bytes)
}

/// Checks what holds for every body: its size, its encoding, and that it is no page of HTML.
pub(crate) fn checked(bytes: &[u8]) -> Result<&[u8], FactsError> {
    if bytes.len() > MAX_BODY_BYTES {
        return Err(FactsError::TooLarge);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii_start().first() == Some(&b'<') {
        return Err(FactsError::Html);
    }
    std::str::from_utf8(bytes).map_err(|_| FactsError::NotUtf8)?;
    Ok(bytes)
}

/// A pull parser that names the member at which it fails.
pub(crate) struct Body<'j> {
    json: Jiter<'j>,
}

impl<'j> Body<'j> {
    pub(crate) fn new(bytes: &'j [u8]) -> Self {
        Self { json: Jiter::new(bytes) }
    }

    /// The first name of an object's members, through `choose`; `None` at the end of the object.
    pub(crate) fn first<T>(
        &mut self,
        member: &'static str,
        choose: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, FactsError> {
        let name = self.json.next_object().map_err(named(member, "an object"))?;
        Ok(name.map(choose))
    }

    /// The next name of an object's members, through `choose`; `None` at the end of the object.
    pub(crate) fn next<T>(
        &mut self,
        member: &'static str,
        choose: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, FactsError> {
        let name = self.json.next_key().map_err(named(member, "an object"))?;
        Ok(name.map(choose))
    }

    pub(crate) fn skip(&mut self) -> Result<(), FactsError> {
        self.json.next_skip().map_err(named("an unknown member", "JSON"))
    }

    pub(crate) fn text(&mut self, member: &'static str) -> Result<&str, FactsError> {
        self.json.next_str().map_err(named(member, "a string"))
    }

    pub(crate) fn name(&mut self, member: &'static str) -> Result<String, FactsError> {
        let text = self.text(member)?;
        if text.len() > MAX_NAME_BYTES { Err(FactsError::TooLong(member)) } else { Ok(text.to_owned()) }
    }

    /// A company's number, which is an integer in most answers and a string of digits in some.
    pub(crate) fn cik(&mut self, member: &'static str) -> Result<u64, FactsError> {
        let peek = self.json.peek().map_err(named(member, "an integer"))?;
        match peek {
            Peek::String => read_cik(self.text(member)?),
            _ => read_cik(self.number(member, peek)?),
        }
    }

    /// A number in its own characters.
    fn number(&mut self, member: &'static str, peek: Peek) -> Result<&str, FactsError> {
        let bytes = self.json.known_number_bytes(peek).map_err(named(member, "a number"))?;
        if bytes.len() > MAX_VALUE_CHARS {
            return Err(FactsError::TooLong(member));
        }
        std::str::from_utf8(bytes).map_err(|_| FactsError::NotUtf8)
    }

    pub(crate) fn finish(&mut self) -> Result<(), FactsError> {
        self.json.finish().map_err(named("the body", "one value"))
    }
}

fn named(member: &'static str, expected: &'static str) -> impl Fn(JiterError) -> FactsError {
    move |error| FactsError::of_parser(&error, member, expected)
}

/// Sets a member once.
pub(crate) fn set_once<T>(
    slot: &mut Option<T>,
    member: &'static str,
    value: impl FnOnce() -> Result<T, FactsError>,
) -> Result<(), FactsError> {
    if slot.is_some() {
        return Err(FactsError::duplicate(member));
    }
    *slot = Some(value()?);
    Ok(())
}

/// Reads a whole body.
pub(crate) fn company_facts(bytes: &[u8]) -> Result<CompanyFacts, FactsError> {
    enum Member {
        Cik,
        EntityName,
        Facts,
        Other,
    }
    let choose = |name: &str| match name {
        "cik" => Member::Cik,
        "entityName" => Member::EntityName,
        "facts" => Member::Facts,
        _ => Member::Other,
    };
    let mut body = Body::new(checked(bytes)?);
    let (mut cik, mut name, mut kept) = (None, None, None);
    let mut next = body.first("the body", choose)?;
    while let Some(member) = next {
        match member {
            Member::Cik => set_once(&mut cik, "cik", || body.cik("cik"))?,
            Member::EntityName => set_once(&mut name, "entityName", || body.name("entityName"))?,
            Member::Facts => set_once(&mut kept, "facts", || Kept::read(&mut body))?,
            Member::Other => body.skip()?,
        }
        next = body.next("the body", choose)?;
    }
    body.finish()?;
    let cik = cik.ok_or(FactsError::Missing("cik"))?;
    let entity_name = name.ok_or(FactsError::Missing("entityName"))?;
    let kept = kept.ok_or(FactsError::Missing("facts"))?;
    Ok(CompanyFacts::new(cik, entity_name, kept.taxonomies, kept.series))
}

/// All that is kept of `facts`.
#[derive(Default)]
struct Kept {
    taxonomies: Vec<String>,
    series: Vec<Series>,
    facts: usize,
}

impl Kept {
    fn read(body: &mut Body<'_>) -> Result<Self, FactsError> {
        let mut kept = Self::default();
        let mut next = body.first("facts", str::to_owned)?;
        while let Some(taxonomy) = next {
            kept.read_taxonomy(body, taxonomy)?;
            next = body.next("facts", str::to_owned)?;
        }
        Ok(kept)
    }

    /// Reads the tags of a taxonomy. One without any tag does not count as seen.
    fn read_taxonomy(&mut self, body: &mut Body<'_>, taxonomy: String) -> Result<(), FactsError> {
        if taxonomy.len() > MAX_NAME_BYTES {
            return Err(FactsError::TooLong("taxonomy"));
        }
        if self.taxonomies.contains(&taxonomy) {
            return Err(FactsError::duplicate(&taxonomy));
        }
        if self.taxonomies.len() >= MAX_TAXONOMIES {
            return Err(FactsError::TooMany("taxonomies"));
        }
        let choose = |tag: &str| mapping::find(&taxonomy, tag);
        let mut seen: Vec<&'static str> = Vec::new();
        let mut is_empty = true;
        let mut next = body.first("taxonomy", choose)?;
        while let Some(tag) = next {
            is_empty = false;
            match tag {
                Some((_, tag)) if seen.contains(&tag) => return Err(FactsError::duplicate(tag)),
                Some((known, tag)) => {
                    seen.push(tag);
                    self.read_tag(body, known, tag)?;
                }
                None => body.skip()?,
            }
            next = body.next("taxonomy", choose)?;
        }
        if !is_empty {
            self.taxonomies.push(taxonomy);
        }
        Ok(())
    }

    /// Reads the units of a tag; its label and description are passed over.
    fn read_tag(
        &mut self,
        body: &mut Body<'_>,
        taxonomy: &'static str,
        tag: &'static str,
    ) -> Result<(), FactsError> {
        let is_units = |name: &str| name == "units";
        let mut has_units = None;
        let mut next = body.first("tag", is_units)?;
        while let Some(is_units_member) = next {
            if is_units_member {
                set_once(&mut has_units, "units", || self.read_units(body, taxonomy, tag))?;
            } else {
                body.skip()?;
            }
            next = body.next("tag", is_units)?;
        }
        has_units.ok_or(FactsError::Missing("units"))
    }

    fn read_units(
        &mut self,
        body: &mut Body<'_>,
        taxonomy: &'static str,
        tag: &'static str,
    ) -> Result<(), FactsError> {
        let first = self.series.len();
        let mut next = body.first("units", str::to_owned)?;
        while let Some(unit) = next {
            if unit.len() > MAX_NAME_BYTES {
                return Err(FactsError::TooLong("unit"));
            }
            if self.series[first..].iter().any(|series| series.unit == unit) {
                return Err(FactsError::duplicate(&unit));
            }
            if self.series.len() >= MAX_SERIES {
                return Err(FactsError::TooMany("units"));
            }
            let facts = self.read_facts(body)?;
            self.series.push(Series { taxonomy: taxonomy.to_owned(), tag: tag.to_owned(), unit, facts });
            next = body.next("units", str::to_owned)?;
        }
        Ok(())
    }

    fn read_facts(&mut self, body: &mut Body<'_>) -> Result<Vec<Fact>, FactsError> {
        let mut facts = Vec::new();
        let mut next = body.json.next_array().map_err(named("unit", "an array"))?;
        while next.is_some() {
            if let Some(fact) = read_fact(body)? {
                self.facts += 1;
                if self.facts > MAX_FACTS {
                    return Err(FactsError::TooManyFacts);
                }
                facts.push(fact);
            }
            next = body.json.array_step().map_err(named("unit", "an array"))?;
        }
        Ok(facts)
    }
}

/// Reads one fact. A fact whose `val` is null reports nothing, and is passed over.
fn read_fact(body: &mut Body<'_>) -> Result<Option<Fact>, FactsError> {
    enum Member {
        Start,
        End,
        Val,
        Accn,
        Form,
        Filed,
        Other,
    }
    let choose = |name: &str| match name {
        "start" => Member::Start,
        "end" => Member::End,
        "val" => Member::Val,
        "accn" => Member::Accn,
        "form" => Member::Form,
        "filed" => Member::Filed,
        _ => Member::Other,
    };
    let (mut start, mut end, mut value) = (None, None, None);
    let (mut accession, mut form, mut filed) = (None, None, None);
    let mut next = body.first("fact", choose)?;
    while let Some(member) = next {
        match member {
            Member::Start => set_once(&mut start, "start", || read_day("start", body.text("start")?))?,
            Member::End => set_once(&mut end, "end", || read_day("end", body.text("end")?))?,
            Member::Val => set_once(&mut value, "val", || read_value(body))?,
            Member::Accn => set_once(&mut accession, "accn", || read_accession("accn", body.text("accn")?))?,
            Member::Form => set_once(&mut form, "form", || read_form(body.text("form")?))?,
            Member::Filed => set_once(&mut filed, "filed", || read_day("filed", body.text("filed")?))?,
            Member::Other => body.skip()?,
        }
        next = body.next("fact", choose)?;
    }
    let fact = Fact {
        end: end.ok_or(FactsError::Missing("end"))?,
        start,
        filed: filed.ok_or(FactsError::Missing("filed"))?,
        accession: accession.ok_or(FactsError::Missing("accn"))?,
        form: form.ok_or(FactsError::Missing("form"))?,
        value: String::new(),
    };
    let value = value.ok_or(FactsError::Missing("val"))?;
    Ok(value.map(|value| Fact { value, ..fact }))
}

fn read_value(body: &mut Body<'_>) -> Result<Option<String>, FactsError> {
    let peek = body.json.peek().map_err(named("val", "a number"))?;
    if peek == Peek::Null {
        return body.json.known_null().map(|()| None).map_err(named("val", "a number"));
    }
    body.number("val", peek).map(|text| Some(text.to_owned()))
}
