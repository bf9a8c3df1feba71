//! The party that is asked about, read once and bounded at the edge.

use serde_json::{Value, json};
use verdict::{FieldError, Fields, Reason};

use crate::model::{Birth, EntityKind};
use crate::names::{Facts, Query, Scratch, compare};

/// The most Unicode characters of a name.
pub const ENTITY_CHARS: usize = 4096;
/// The most Unicode characters of a country.
pub const COUNTRY_CHARS: usize = 128;
/// The most Unicode characters of a number.
pub const ID_NUMBER_CHARS: usize = 128;
/// The most characters of a date of birth: two days, a slash between and a tilde.
const BIRTH_DATE_CHARS: usize = 22;

/// A name, and what else the caller knows of who bears it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The name: 1 to [`ENTITY_CHARS`] characters, and not of legal forms or single letters alone.
    pub name: String,
    /// What kind of party it is.
    pub kind: Option<EntityKind>,
    /// Its date of birth.
    pub birth: Option<Birth>,
    /// A country that it has to do with.
    pub country: Option<String>,
    /// The number of a document or a registration.
    pub id_number: Option<String>,
    /// A ship's number, where `id_number` was one: `IMO 9187629`.
    pub imo: Option<u32>,
}

impl Subject {
    /// Reads the fields `entity`, `type`, `birth_date`, `country` and `id_number`.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Self::read_as("entity", fields)
    }

    /// The same where the name's field has another name.
    pub(crate) fn read_as(name_field: &str, fields: &Fields<'_>) -> Result<Self, FieldError> {
        let name = fields.text(name_field, 1..=ENTITY_CHARS)?;
        let mut subject =
            Self::named(name).map_err(|(reason, detail)| fields.error(name_field, reason, detail))?;
        subject.kind = read_kind(fields)?;
        subject.birth = read_birth(fields)?;
        subject.country = read_line(fields, "country", COUNTRY_CHARS)?;
        let number = read_line(fields, "id_number", ID_NUMBER_CHARS)?;
        subject.imo = number.as_deref().and_then(imo);
        subject.id_number = number.filter(|_| subject.imo.is_none());
        Ok(subject)
    }

    /// A name alone, of any length.
    pub(crate) fn named(name: &str) -> Result<Self, (Reason, &'static str)> {
        if !is_comparable(name) {
            let detail =
                "must hold a name: without legal forms and single letters nothing is left to compare";
            return Err((Reason::Empty, detail));
        }
        let name = name.to_owned();
        Ok(Self { name, kind: None, birth: None, country: None, id_number: None, imo: None })
    }

    pub(crate) fn query(&self) -> Query<'_> {
        Query {
            name: &self.name,
            facts: Facts {
                kind: self.kind,
                birth: self.birth,
                country: self.country.as_deref(),
                id_number: self.id_number.as_deref(),
                imo: self.imo,
            },
        }
    }
}

/// Words of four letters and more that a name of legal forms alone may hold.
const LONG_FORMS: [&str; 7] = ["company", "corp", "corporation", "gmbh", "incorporated", "limited", "sarl"];

/// Whether the name would be found if an organisation were listed by it. Legal forms and single letters alone would not,
/// and so have no "not listed" to be told.
fn is_comparable(name: &str) -> bool {
    let mut words =
        name.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    if words.peek().is_none() {
        return false;
    }
    // Comparing takes ten times as long as a screen, so only what looks like legal forms is asked about.
    let is_short = |word: &str| word.is_ascii() && word.len() <= 3;
    if !words.all(|word| is_short(word) || LONG_FORMS.contains(&&*word.to_lowercase())) {
        return true;
    }
    compare(name, name, EntityKind::Entity, &mut Scratch::default()).score > 0.0
}

const KINDS: [(&str, EntityKind); 4] = [
    ("person", EntityKind::Person),
    ("entity", EntityKind::Entity),
    ("vessel", EntityKind::Vessel),
    ("aircraft", EntityKind::Aircraft),
];

fn read_kind(fields: &Fields<'_>) -> Result<Option<EntityKind>, FieldError> {
    fields.value("type").map(|_| fields.choice("type", &KINDS, None)).transpose()
}

fn read_birth(fields: &Fields<'_>) -> Result<Option<Birth>, FieldError> {
    let text = fields.optional_text("birth_date", 1..=BIRTH_DATE_CHARS)?;
    text.map(str::parse).transpose().map_err(|_| {
        let detail = "must be YYYY, YYYY-MM, YYYY-MM-DD or two of them joined by a slash, with ~ for circa";
        fields.error("birth_date", Reason::Malformed, detail)
    })
}

/// A text on one line, without the space around it.
fn read_line(fields: &Fields<'_>, name: &str, chars: usize) -> Result<Option<String>, FieldError> {
    let Some(text) = fields.optional_text(name, 1..=chars)? else { return Ok(None) };
    if text.chars().any(char::is_control) {
        return Err(fields.error(name, Reason::Malformed, "must not contain control characters"));
    }
    match text.trim() {
        "" => Err(fields.error(name, Reason::Empty, "must hold more than space")),
        text => Ok(Some(text.to_owned())),
    }
}

/// `IMO 9187629`, `imo9187629`, `IMO: 9187629`.
fn imo(number: &str) -> Option<u32> {
    let (prefix, rest) = number.split_at_checked(3)?;
    let digits = rest.trim_start_matches([' ', ':', '-', '.', '#']);
    let is_number = digits.len() == 7 && digits.bytes().all(|digit| digit.is_ascii_digit());
    (prefix.eq_ignore_ascii_case("imo") && is_number).then(|| digits.parse().ok())?
}

/// A line that holds more than space, as a pattern.
const LINE: &str =
    r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$";

/// The members of a subject, as a JSON Schema.
pub(crate) fn properties() -> Value {
    properties_as("entity")
}

/// The same where the name's field has another name.
pub(crate) fn properties_as(name_field: &str) -> Value {
    json!({
        (name_field): {
            "type": "string",
            "minLength": 1,
            "maxLength": ENTITY_CHARS,
            "description": "The name to screen, in any script and order. One of legal forms or single letters \
                alone is refused.",
        },
        "type": {
            "type": "string",
            "enum": KINDS.map(|(word, _)| word),
            "description": "What kind of party it is: one of another kind scores lower.",
        },
        "birth_date": {
            "type": "string",
            "minLength": 4,
            "maxLength": BIRTH_DATE_CHARS,
            "pattern": r"^\d{4}(-\d{2}(-\d{2})?)?(/\d{4}(-\d{2}(-\d{2})?)?)?~?$",
            "description": "A person's date of birth as in EDTF: 1961, 1961-05, 1961-05-03, 1961/1963; with ~ for circa.",
        },
        "country": {
            "type": "string",
            "minLength": 1,
            "maxLength": COUNTRY_CHARS,
            "pattern": LINE,
            "description": "A country of nationality, residence, registration or flag: its English name or ISO 3166 code.",
        },
        "id_number": {
            "type": "string",
            "minLength": 1,
            "maxLength": ID_NUMBER_CHARS,
            "pattern": LINE,
            "description": "The number of a passport, a registration or a ship (IMO 9187629). Who has a listed \
                party's number is at least a POSSIBLE_MATCH, whatever the name.",
        },
    })
}

/// The object of a subject, as a JSON Schema.
pub(crate) fn subject_schema() -> Value {
    json!({ "type": "object", "required": ["entity"], "properties": properties() })
}

#[cfg(test)]
mod tests {
    use super::{imo, is_comparable};

    #[test]
    fn a_ships_number_is_told_by_its_prefix() {
        for number in ["IMO 9187629", "imo9187629", "IMO: 9187629", "Imo-9187629"] {
            assert_eq!(imo(number), Some(9_187_629), "{number}");
        }
        for number in ["9187629", "IMO 918762", "IMO 91876299", "IMO", "IMÖ 9187629", "é"] {
            assert_eq!(imo(number), None, "{number}");
        }
    }

    #[test]
    fn what_would_not_be_found_if_it_were_listed_is_no_name() {
        for name in ["", " ", "...", "\u{200d}\u{200f}", "\u{0}\u{7}", "A", "Ltd.", "LLC GmbH", "x y z"] {
            assert!(!is_comparable(name), "{name:?}");
        }
        for name in ["Li Na", "李", "김정은", "3M", "12345", "Smith", "Vanguard Ltd", "ISIS"] {
            assert!(is_comparable(name), "{name:?}");
        }
    }
}
