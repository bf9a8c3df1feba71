//! A row of an answer.

use std::fmt::Write;

use receipt::json::{Json, Object};
use record_search::{AnswerError, Row, Table, parse};

use crate::SERVICE;
use crate::tables::{
    AGENCY, AWARD, CATEGORY, FUNDING, IDV_AWARD, RECORD, SEARCH_AWARD, SUBAWARD, TRANSACTION,
};

/// A row of an answer: an award, or what belongs to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Award {
    /// The service's key of the award; `None` for rows that name no award, such as transactions.
    pub id: Option<String>,
    /// The page of the award at usaspending.gov.
    pub link: Option<String>,
    /// All its members.
    pub row: Row,
}

impl Award {
    pub(crate) fn of(table: &Table, original: &Object) -> Result<Self, AnswerError> {
        let row = table.read_lossless(original)?;
        let id = row.text("generated_internal_id").or_else(|| row.text("prime_award_generated_internal_id"));
        let id = id.filter(|id| !id.is_empty()).map(str::to_owned);
        Ok(Self { link: id.as_deref().map(link), id, row })
    }

    /// The row as one object: `link`, then the members as [`Row::to_json`] has them.
    pub fn to_json(&self) -> Object {
        let mut object = Object::new();
        object.insert("link", self.link.as_deref().map_or(Json::Null, Json::from));
        for (name, value) in self.row.to_json().iter() {
            object.insert(name, value.clone());
        }
        object
    }
}

/// Reads the answer about a single award, at `https://api.usaspending.gov/api/v2/awards/ID/`.
///
/// # Errors
/// [`AnswerError`].
pub fn read_award(body: &[u8]) -> Result<Award, AnswerError> {
    let parsed = parse(SERVICE, body)?;
    Award::of(&AWARD, whole(&parsed)?)
}

/// The page of an award; a key can have a slash or a space in it.
fn link(id: &str) -> String {
    let mut link = "https://www.usaspending.gov/award/".to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            link.push(char::from(byte));
        } else {
            write!(link, "%{byte:02X}").expect("writing to a string never fails");
        }
    }
    link.push('/');
    link
}

/// The answer as an object; an error in the service's words where it is a refusal.
pub(crate) fn whole(answer: &Json) -> Result<&Object, AnswerError> {
    let Some(object) = answer.as_object() else {
        let detail = format!("{}, expected an object", answer.type_name());
        return Err(AnswerError::Shape { service: SERVICE, detail });
    };
    let refusal = ["detail", "error", "message"].iter().find_map(|name| object.get(name));
    let is_result = object.contains("results") || object.len() > 2;
    match refusal {
        Some(words) if !is_result => Err(AnswerError::Refused { service: SERVICE, message: text(words) }),
        _ => Ok(object),
    }
}

fn text(words: &Json) -> String {
    let words = match words {
        Json::String(text) => text.clone(),
        Json::Array(elements) => elements.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("; "),
        other => other.type_name().to_owned(),
    };
    words.chars().take(500).collect()
}

/// The table of a row, by the members that only its kind has.
pub(crate) fn table_of(row: &Object) -> &'static Table {
    let has = |name: &str| row.contains(name);
    if has("generated_internal_id") {
        &SEARCH_AWARD
    } else if has("Sub-Award ID") {
        &SUBAWARD
    } else if has("action_date") && has("federal_action_obligation") {
        &TRANSACTION
    } else if has("reporting_fiscal_year") && has("transaction_obligated_amount") {
        &FUNDING
    } else if has("generated_unique_award_id") && has("award_id") {
        &IDV_AWARD
    } else if has("generated_unique_award_id") {
        &AWARD
    } else if has("toptier_code") && has("agency_name") {
        &AGENCY
    } else if has("amount") && has("code") && has("name") {
        &CATEGORY
    } else {
        &RECORD
    }
}
