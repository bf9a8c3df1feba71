//! Refuses request members that were most likely meant for another member.
//!
//! Unknown members are allowed. But a misspelt member would silently be ignored, and a good verdict would then cover
//! less than the caller asked: a request with `wallet_address` beside a name would be cleared by the name alone. So a
//! name that resembles a known member is refused, and the error names the known member. This module alone decides which
//! names resemble each other.

use receipt::json::{Json, Object, Path};

use crate::{AnyField, FieldError, Reason};

/// The rule as callers are told it, in the description of each question that is held to it.
pub(crate) const MISNAMED: &str = "Unknown members are allowed, but one that was most likely meant for one of these is refused \
    with 400 (`misnamed`), which names the right one: the same letters, its name as a part, a letter or two off, or a \
    usual synonym.";

/// Every question has it, and it decides nothing.
const AGENT: &str = "agent";
/// Nobody misspells a name at greater length, in bytes.
const LONGEST: usize = 64;

/// Refuses the first member of the request that was most likely meant for one of `fields`. Where `fields` is empty,
/// everything is allowed.
///
/// ```
/// use verdict::{Field, Text, refuse_misnamed};
///
/// const WALLET: Field<Text> = Field::text("wallet", 1..=64).synonyms("address");
/// let told = |body: &str| {
///     let request = receipt::json::parse(body.as_bytes()).expect("JSON");
///     refuse_misnamed(request.as_object().expect("an object"), &[&WALLET]).map_err(|error| error.to_string())
/// };
/// assert_eq!(told(r#"{"wallet": "0x", "note": "for you"}"#), Ok(()));
/// assert!(told(r#"{"wallet_address": "0x"}"#).unwrap_err().contains("did you mean `wallet`?"));
/// ```
///
/// # Errors
/// [`FieldError`] with the path of the misnamed member.
pub fn refuse_misnamed(request: &Object, fields: &[&dyn AnyField]) -> Result<(), FieldError> {
    refuse_below(&Path::root(), request, fields)
}

fn refuse_below(path: &Path, object: &Object, fields: &[&dyn AnyField]) -> Result<(), FieldError> {
    let known: Vec<KnownMember<'_>> = fields.iter().copied().map(KnownMember::of).collect();
    for (name, value) in object.iter() {
        if let Some(meant) = meant(name, &known) {
            let mut path = path.clone();
            path.push_name(name);
            let detail = match meant.name() {
                "" => "is not compared here and would count for nothing: leave it out".to_owned(),
                meant => format!("is not known here and would count for nothing: did you mean `{meant}`?"),
            };
            return Err(FieldError { path, reason: Reason::Misnamed, detail });
        }
        let items = fields.iter().find(|field| field.name() == name).and_then(|field| field.items());
        let (Some(table), Json::Array(items)) = (items, value) else { continue };
        let within: Vec<_> = table.known().collect();
        for (at, item) in items.iter().enumerate() {
            let Json::Object(item) = item else { continue };
            let mut path = path.clone();
            path.push_name(name);
            path.push_index(at);
            refuse_below(&path, item, &within)?;
        }
    }
    Ok(())
}

/// A field, ready to be compared with the thousands of names that a stranger may send.
struct KnownMember<'f> {
    field: &'f dyn AnyField,
    letters: String,
}

impl<'f> KnownMember<'f> {
    fn of(field: &'f dyn AnyField) -> Self {
        Self { field, letters: letters(field.name()).collect() }
    }
}

/// The field that an unknown name was most likely meant for.
fn meant<'f>(name: &str, known: &[KnownMember<'f>]) -> Option<&'f dyn AnyField> {
    if name.len() > LONGEST || name == AGENT || known.iter().any(|known| known.field.name() == name) {
        return None;
    }
    let written: String = letters(name).collect();
    let is_synonym = |synonym: &str| letters(synonym).eq(written.chars());
    let is_same = |known: &&KnownMember<'_>| {
        known.letters == written || known.field.synonyms().split_whitespace().any(is_synonym)
    };
    let is_slip = |known: &&KnownMember<'_>| is_misspelt(&written, &known.letters);
    if written.is_empty() {
        return None;
    }
    let named = || known.iter().filter(|known| !known.letters.is_empty());
    let meant = named().find(is_same).or_else(|| part_of(&words(name), known));
    meant.or_else(|| named().find(is_slip)).or_else(|| known.iter().find(is_same)).map(|known| known.field)
}

/// A name without what does not tell names apart: case, `_`, `-` and the like.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The words of `wallet_address`, `wallet-address` and `walletAddress`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for sign in name.chars() {
        let starts = sign.is_uppercase() && was_lower;
        was_lower = sign.is_lowercase() || sign.is_numeric();
        if !sign.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| sign.is_alphanumeric()) {
            word.extend(sign.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The member whose name is some of these words: the last one named, which is what the rest describes (`entity_type`).
fn part_of<'k, 'f>(words: &[String], known: &'k [KnownMember<'f>]) -> Option<&'k KnownMember<'f>> {
    let last = |known: &'k KnownMember<'f>| {
        let ends =
            (0..words.len()).filter_map(|start| Some(start + run_of(&words[start..], &known.letters)?));
        Some((ends.max()?, known.letters.len(), known))
    };
    known.iter().filter_map(last).max_by_key(|(end, length, _)| (*end, *length)).map(|(.., known)| known)
}

/// Counts the words, from the first one on, that together make up a name.
fn run_of(words: &[String], letters: &str) -> Option<usize> {
    let mut rest = letters;
    for (at, word) in words.iter().enumerate() {
        rest = rest.strip_prefix(word.as_str())?;
        if rest.is_empty() {
            return Some(at + 1);
        }
    }
    None
}

/// Returns true where one name is a misspelling of the other: it differs by one letter, or by two where both names have
/// more than five letters. Shorter names that differ by two letters are too often different words (`count` and
/// `country`).
#[must_use]
pub fn is_misspelt(written: &str, known: &str) -> bool {
    let (written_letters, known_letters) = (written.chars().count(), known.chars().count());
    let most = match written_letters.min(known_letters) {
        0..=2 => return false,
        3..=5 => 1,
        _ => 2,
    };
    // The distance is never below the difference in length, which is seen at once.
    written_letters.abs_diff(known_letters) <= most && strsim::osa_distance(written, known) <= most
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;

    use super::*;
    use crate::{Array, Field, Table, Text};

    const fn named(name: &'static str, synonyms: &'static str) -> Field<Text> {
        Field::text(name, 1..=9).synonyms(synonyms)
    }

    const WALLET: Field<Text> = named("wallet", "address");
    const BIRTH_DATE: Field<Text> = named("birth_date", "dob");
    const TYPE: Field<Text> = named("type", "");
    const ENTITY: Field<Text> = named("entity", "");
    const ID_NUMBER: Field<Text> = named("id_number", "passport");
    const FIELDS: &[&dyn AnyField] = &[&WALLET, &BIRTH_DATE, &TYPE, &ENTITY, &ID_NUMBER];
    const ITEM: Table = Table::new("", FIELDS, &[]);
    const ENTITIES: Field<Array> =
        Field::array("entities", 0..=9, || ITEM.schema()).of(&ITEM).synonyms("names");

    fn told(name: &str) -> Option<&'static str> {
        let known: Vec<KnownMember<'_>> = FIELDS.iter().copied().map(KnownMember::of).collect();
        meant(name, &known).map(|field| field.name())
    }

    #[test]
    fn what_resembles_a_member_is_meant_for_it() {
        for (name, member) in [
            ("Wallet", "wallet"),
            ("WALLET", "wallet"),
            ("wal_let", "wallet"),
            (" wallet ", "wallet"),
            ("birthDate", "birth_date"),
            ("birthdate", "birth_date"),
            ("birth-date", "birth_date"),
            ("idnumber", "id_number"),
            ("wallet_address", "wallet"),
            ("walletAddress", "wallet"),
            ("my.wallet", "wallet"),
            ("birth_date_of", "birth_date"),
            ("birthdate_of", "birth_date"),
            ("entity_type", "type"),
            ("type_of_entity", "entity"),
            ("passport", "id_number"),
            ("Passport", "id_number"),
            ("DOB", "birth_date"),
            ("address", "wallet"),
            ("walet", "wallet"),
            ("walelt", "wallet"),
            ("wallets", "wallet"),
            ("birth_day", "birth_date"),
            ("entitty", "entity"),
            ("typ\u{0435}", "type"),
            ("tipe", "type"),
            ("typ", "type"),
        ] {
            assert_eq!(told(name), Some(member), "{name}");
        }
    }

    #[test]
    fn what_resembles_none_is_allowed() {
        let long = format!("wallet_{}", "x".repeat(LONGEST));
        for name in [
            "agent",
            "wallet",
            "id_number",
            "note",
            "trace_id",
            "request_id",
            "id",
            "x",
            "",
            "_",
            "wall",
            "entry",
            "wallflower",
            "identity_provider",
            "prototype",
            "date",
            "metadata",
            "nonce",
            "email_address",
            "\u{1f4b0}",
            &long,
        ] {
            assert_eq!(told(name), None, "{name}");
        }
    }

    #[test]
    fn it_is_named_by_its_path_within_an_array_too() {
        let refused = |body: &str, fields: &[&dyn AnyField]| {
            let request = parse(body.as_bytes()).unwrap();
            let error = refuse_misnamed(request.as_object().unwrap(), fields).unwrap_err();
            (error.path.dotted(), error.reason.code(), error.detail)
        };
        let body =
            r#"{"note": 1, "entities": ["Evil Corp", {"entity": "Evil Corp", "x": 1, "dob": "1961"}]}"#;
        let (field, reason, detail) = refused(body, &[&ENTITIES]);
        assert_eq!((&*field, reason), ("entities.1.dob", "misnamed"));
        assert!(detail.ends_with("did you mean `birth_date`?"), "{detail}");
        assert_eq!(refused(r#"{"entities": [], "names": []}"#, &[&ENTITIES]).0, "names");
        assert_eq!(refused(r#"{"walet": 7}"#, FIELDS).0, "walet");
    }

    #[test]
    fn a_question_that_names_no_members_is_not_held_to_it() {
        let request = parse(br#"{"walet": 7}"#).unwrap();
        assert_eq!(refuse_misnamed(request.as_object().unwrap(), &[]), Ok(()));
    }
}
