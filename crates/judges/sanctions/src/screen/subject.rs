//! The party to screen, parsed once with its bounds.

use jiff::civil::Date;
use name_match::{Country, Facts, NameContent, Query, method, name_content};
use receipt::json::{Json, Path};
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::{Array, Field, FieldError, Fields, Raw, Reason, Table, Text, Words};
use watchlist::{Birth, EntityKind};

use super::dismissal::{self, DISMISSED, Dismissal};
use super::listed::rounded;
use super::texts::read_texts;

/// Maximum length of a name, in Unicode characters.
pub const ENTITY_CHARS: usize = 4096;
/// Maximum length of a country, in Unicode characters.
pub const COUNTRY_CHARS: usize = 128;
/// Maximum length of a document number, in Unicode characters.
pub const ID_NUMBER_CHARS: usize = 128;
/// Maximum number of further names.
pub const MOST_NAMES: usize = 8;
/// Maximum number of further numbers.
pub const MOST_IDENTIFIERS: usize = 16;
/// The most characters of a date of birth: two days, a slash between and a tilde.
const BIRTH_DATE_CHARS: usize = 22;

/// Declares the field of the name, which questions call differently.
pub(crate) const fn name_as(field: &'static str) -> Field<Text> {
    const DESCRIPTION: &str = "The name to screen, in any script and order. One of legal forms, titles or noise alone \
        is refused, unless a list has it.";
    Field::text(field, 1..=ENTITY_CHARS).describe(DESCRIPTION).synonyms(
        "name full_name party party_name counterparty counterparty_name person person_name company \
         company_name organization organisation vessel vessel_name entity entity_name",
    )
}

pub(crate) const ENTITY: Field<Text> = name_as("entity");
pub(crate) const NAMES: Field<Array> = Field::array("names", 0..=MOST_NAMES, || line_schema(ENTITY_CHARS))
    .describe("Further names of the same party. Each is screened, and the answer is about all of them.")
    .synonyms("aliases alias alt_names alternative_names other_names aka akas also_known_as former_names");
pub(crate) const IDENTIFIERS: Field<Array> =
    Field::array("identifiers", 0..=MOST_IDENTIFIERS, || line_schema(ID_NUMBER_CHARS))
        .describe("Further numbers of documents and registrations of the party, as id_number is one.")
        .synonyms("ids id_numbers identification_documents documents passports");
pub(crate) const KIND: Field<Words<Option<EntityKind>>> = Field::words(
    "type",
    &[
        ("person", Some(EntityKind::Person)),
        ("entity", Some(EntityKind::Entity)),
        ("vessel", Some(EntityKind::Vessel)),
        ("aircraft", Some(EntityKind::Aircraft)),
    ],
)
.describe("What kind of party it is: one of another kind scores lower.")
.or(None)
.synonyms("kind");
pub(crate) const BIRTH_DATE: Field<Text> = Field::text("birth_date", 4..=BIRTH_DATE_CHARS)
    .describe("A person's date of birth as in EDTF: 1961, 1961-05, 1961-05-03, 1961/1963; with ~ for circa. It is of the Gregorian calendar, from 1800 on.")
    .form(
        r"^\d{4}(-\d{2}(-\d{2})?)?(/\d{4}(-\d{2}(-\d{2})?)?)?~?$",
        "must be YYYY, YYYY-MM, YYYY-MM-DD or two of them joined by a slash, with ~ for circa",
    )
    .synonyms("dob date_of_birth birth born birthday birth_year year_of_birth yob");
pub(crate) const COUNTRY: Field<Text> = Field::text("country", 1..=COUNTRY_CHARS)
    .describe(
        "A country of nationality, residence, registration or flag: its English name, as OFAC writes it \
         too, or its ISO 3166-1 code of two or three letters. One that is not understood is refused.",
    )
    .plain()
    .pattern(LINE)
    .synonyms("nationality citizenship residence jurisdiction");
pub(crate) const ID_NUMBER: Field<Text> = Field::text("id_number", 1..=ID_NUMBER_CHARS)
    .describe(
        "The number of a passport, a registration or a ship (IMO 9187629). Who has a listed party's \
         number is at least a POSSIBLE_MATCH, whatever the name.",
    )
    .plain()
    .pattern(LINE)
    .synonyms(
        "id_no identity_number identification_number national_id passport passport_no passport_number \
         document_number registration_number tax_id imo imo_number",
    );

/// A line that holds more than space, as a pattern.
const LINE: &str =
    r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$";

/// Returns the schema of a line that holds more than space, of at most `chars` characters.
pub(super) fn line_schema(chars: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": chars, "pattern": LINE})
}

pub(crate) const MIN_SCORE: Field<Raw> = Field::raw("min_score", min_score_schema)
    .describe(
        "The least score of a match. Lower finds more and alarms more often; a MATCH is told in any case.",
    )
    .synonyms("threshold min_match minmatch cutoff score_threshold minimum_score");

/// What callers send and no list is compared with.
pub(crate) const NOT_COMPARED: Field<Raw> = Field::raw("", || json!(false)).synonyms(
    "address street city postal_code zip gender sex email phone website title position occupation fuzzy fuzziness \
     algorithm topic topics schema list lists datasets",
);

fn min_score_schema() -> Value {
    let (least, most) = method::MIN_SCORE;
    let default = rounded(method::POSSIBLE);
    json!({"type": "number", "minimum": rounded(least), "maximum": rounded(most), "default": default})
}

/// The fields of a subject within an array.
pub(crate) const SUBJECT: Table = Table::new(
    "",
    &[&ENTITY],
    &[&NAMES, &KIND, &BIRTH_DATE, &COUNTRY, &ID_NUMBER, &IDENTIFIERS, &MIN_SCORE, &DISMISSED],
)
.not_taking(&NOT_COMPARED)
.refusing_misnamed();

/// The party to screen: a name, and the facts that the caller knows about its bearer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScreenSubject {
    /// The name: 1 to [`ENTITY_CHARS`] characters, at least one of which can be compared.
    pub name: String,
    /// Further names of the party: at most eight.
    pub names: Vec<String>,
    /// Kind of party; `None` if not given.
    pub kind: Option<EntityKind>,
    /// Date of birth, which may lack month and day; `None` if not given.
    pub birth: Option<Birth>,
    /// A country that the party is connected with; `None` if not given.
    pub country: Option<Country>,
    /// Numbers of documents and registrations.
    pub id_numbers: Vec<String>,
    /// IMO number of a ship, if `id_number` is one: `IMO 9187629`.
    pub imo: Option<u32>,
    /// Minimum score of a match in millionths; `None` if not given.
    pub min_score: Option<u32>,
    /// Entries that are somebody else.
    pub dismissed: Vec<Dismissal>,
    /// Error that applies unless a list has the name: it is of legal forms, titles and noise alone, or a single letter.
    pub(crate) unless_listed: Option<FieldError>,
}

impl ScreenSubject {
    /// Reads the fields `entity`, `type`, `birth_date`, `country` and `id_number`. Who takes the subject has to heed
    /// [`unless_listed`](Self::unless_listed).
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Self::read_named(&ENTITY, fields)
    }

    /// Reads the subject where the name's field has another name; a name of generic words alone is refused at once.
    pub(crate) fn read_as(name_field: &Field<Text>, fields: &Fields<'_>) -> Result<Self, FieldError> {
        let subject = Self::read_named(name_field, fields)?;
        subject.unless_listed.clone().map_or(Ok(subject), Err)
    }

    fn read_named(name_field: &Field<Text>, fields: &Fields<'_>) -> Result<Self, FieldError> {
        let name = fields.text(name_field)?;
        let kind = fields.choice(&KIND);
        let error = |(reason, detail): (Reason, &str)| fields.error(name_field.name, reason, detail);
        let mut subject = Self::named(name, kind.clone().unwrap_or_default(), error)?;
        subject.kind = kind?;
        subject.birth = fields.optional_parse(&BIRTH_DATE, |text| text.parse().ok())?;
        subject.country = read_country(fields)?;
        subject.min_score = read_min_score(fields)?;
        subject.dismissed = dismissal::read(fields)?;
        let number = read_line(fields, &ID_NUMBER)?;
        subject.imo = number.as_deref().map_or_else(|| imo_within(name), imo);
        subject.id_numbers = number.filter(|_| subject.imo.is_none()).into_iter().collect();
        subject.id_numbers.extend(read_texts(fields, &IDENTIFIERS, "identifiers", ID_NUMBER_CHARS)?);
        subject.names = read_names(fields, subject.kind)?;
        Ok(subject)
    }

    /// The processor time that screening it takes, in microseconds, by estimate: most names take a few hundred, one of
    /// [`ENTITY_CHARS`] up to thirteen thousand.
    pub(crate) fn micros(&self) -> u64 {
        let names = std::iter::once(&self.name).chain(&self.names);
        names.map(|name| 300 + 3 * name.len() as u64).sum::<u64>() + 10 * self.dismissed.len() as u64
    }

    /// A name of any length, of a party of that kind.
    pub(crate) fn named(
        name: &str,
        kind: Option<EntityKind>,
        error: impl Fn((Reason, &'static str)) -> FieldError,
    ) -> Result<Self, FieldError> {
        let unless_listed = match name_content(name, kind) {
            NameContent::Nothing => return Err(error(NOTHING)),
            NameContent::GenericWordsOnly => Some(error(SURROUNDINGS)),
            NameContent::Name => None,
        };
        let name = name.to_owned();
        Ok(Self {
            name,
            names: Vec::new(),
            kind,
            birth: None,
            country: None,
            id_numbers: Vec::new(),
            imo: None,
            min_score: None,
            dismissed: Vec::new(),
            unless_listed,
        })
    }

    /// Refuses a date of birth of another calendar: one before [`Birth::FIRST_YEAR`], or after `at` (2504 of the Thai calendar is
    /// 1961). It would contradict every listed date, and so clear a listed party. `entity` is the position in a batch.
    ///
    /// # Errors
    /// [`FieldError`] for `birth_date`.
    pub(crate) fn refuse_other_calendar(
        &self,
        entity: Option<usize>,
        at: Timestamp,
    ) -> Result<(), FieldError> {
        let Some(birth) = self.birth else { return Ok(()) };
        // A day of RFC 3339 is a date.
        let is_to_come = at.day().parse().is_ok_and(|today: Date| birth.earliest > today);
        let reason = match birth.earliest.year() < Birth::FIRST_YEAR {
            true => Reason::OutOfRange,
            false if is_to_come => Reason::InFuture,
            false => return Ok(()),
        };
        let mut path = Path::root();
        if let Some(position) = entity {
            path.push_name("entities");
            path.push_index(position);
        }
        path.push_name(BIRTH_DATE.name);
        let first = Birth::FIRST_YEAR;
        let detail =
            format!("must be a date of the Gregorian calendar, from {first} until today, such as 1961-05-03");
        Err(FieldError { path, reason, detail })
    }

    /// The minimum score of a match, as findings give it.
    pub(crate) fn min_score(&self) -> f64 {
        self.min_score
            .map_or(rounded(method::POSSIBLE), |millionths| f64::from(millionths) / f64::from(MILLION))
    }

    /// The queries of the party: one for each of its names.
    pub(crate) fn queries(&self) -> impl Iterator<Item = Query<'_>> {
        std::iter::once(&self.name).chain(&self.names).map(|name| self.query(name))
    }

    fn query<'q>(&'q self, name: &'q str) -> Query<'q> {
        Query {
            name,
            facts: Facts {
                kind: self.kind,
                birth: self.birth,
                country: self.country,
                id_numbers: &self.id_numbers,
                imo: self.imo,
            },
            min_score: self.min_score.map(|millionths| millionths as f32 / MILLION),
        }
    }
}

/// Parts of 1 in which a minimum score is kept.
const MILLION: f32 = 1e6;

/// Reads the further names, each of which must hold a name.
fn read_names(fields: &Fields<'_>, kind: Option<EntityKind>) -> Result<Vec<String>, FieldError> {
    let names = read_texts(fields, &NAMES, "names", ENTITY_CHARS)?;
    for (at, name) in names.iter().enumerate() {
        let (reason, detail) = match name_content(name, kind) {
            NameContent::Name => continue,
            NameContent::Nothing => NOTHING,
            NameContent::GenericWordsOnly => SURROUNDINGS,
        };
        let mut error = fields.error(NAMES.name, reason, detail);
        error.path.push_index(at);
        return Err(error);
    }
    Ok(names)
}

fn read_min_score(fields: &Fields<'_>) -> Result<Option<u32>, FieldError> {
    let (least, most) = (rounded(method::MIN_SCORE.0), rounded(method::MIN_SCORE.1));
    match fields.value(MIN_SCORE.name) {
        None => Ok(None),
        Some(Json::Number(number)) => {
            let score = Some(number.as_f64()).filter(|score| (least..=most).contains(score));
            let detail = || format!("must be a number from {least} to {most}");
            let score = score.ok_or_else(|| fields.error(MIN_SCORE.name, Reason::Malformed, detail()))?;
            Ok(Some((score * f64::from(MILLION)).round() as u32))
        }
        Some(_) => Err(fields.error(MIN_SCORE.name, Reason::WrongType, "must be a number")),
    }
}

const NOTHING: (Reason, &str) = (Reason::Empty, "must hold a name: there is nothing in it to compare");
const SURROUNDINGS: (Reason, &str) = (
    Reason::Empty,
    "must hold a name: without legal forms, titles, noise and single letters nothing is left to compare",
);

/// Reads the country. An unknown one is refused: it would silently have no effect.
fn read_country(fields: &Fields<'_>) -> Result<Option<Country>, FieldError> {
    let Some(name) = read_line(fields, &COUNTRY)? else { return Ok(None) };
    let country = Country::named(&name).ok_or_else(|| {
        let detail = "must be a country: its English name or its ISO 3166-1 code of two or three letters";
        fields.error(COUNTRY.name, Reason::UnknownValue, detail)
    })?;
    Ok(Some(country))
}

/// A text on one line, without the space around it.
fn read_line(fields: &Fields<'_>, field: &Field<Text>) -> Result<Option<String>, FieldError> {
    match fields.optional_text(field)?.map(str::trim) {
        Some("") => Err(fields.error(field.name, Reason::Empty, "must hold more than space")),
        text => Ok(text.map(str::to_owned)),
    }
}

/// `IMO 9187629`, `imo9187629`, `IMO: 9187629`.
fn imo(number: &str) -> Option<u32> {
    let (prefix, rest) = number.split_at_checked(3)?;
    let digits = rest.trim_start_matches([' ', ':', '-', '.', '#']);
    if prefix.eq_ignore_ascii_case(IMO) { imo_digits(digits) } else { None }
}

const IMO: &str = "imo";

fn imo_digits(digits: &str) -> Option<u32> {
    let is_number = digits.len() == 7 && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// A ship's number that stands beside its name: `VICTORY, IMO No. 9187629`.
fn imo_within(name: &str) -> Option<u32> {
    let words: Vec<&str> =
        name.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_filler =
        |word: &&&str| ["no", "nr", "number"].iter().any(|filler| word.eq_ignore_ascii_case(filler));
    let after = |at: usize| words[at + 1..].iter().find(|word| !is_filler(word));
    let spaced = |at: usize| words[at].eq_ignore_ascii_case(IMO).then(|| after(at)).flatten();
    (0..words.len())
        .find_map(|at| imo(words[at]).or_else(|| spaced(at).and_then(|digits| imo_digits(digits))))
}

#[cfg(test)]
mod tests {
    use super::{imo, imo_within};

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
    fn a_ships_number_is_read_beside_its_name() {
        for name in
            ["VICTORY, IMO No. 9187629", "MV Victory imo9187629 flag Panama", "Victory (IMO: 9187629)"]
        {
            assert_eq!(imo_within(name), Some(9_187_629), "{name}");
        }
        for name in ["VICTORY 9187629", "IMO", "IMO No.", "Simo 9187629", "IMO 918762", "IMO Victory 9187629"]
        {
            assert_eq!(imo_within(name), None, "{name}");
        }
    }
}
