//! A document of an answer.

use jiff::civil::Date;
use receipt::json::{Json, Object};
use record_search::{AnswerError, Row, Table, checked_date, parse};

use crate::SERVICE;
use crate::tables::{DOCUMENT, INSPECTION};

/// A document of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The document number. Before 2016 numbers were used again, so it is no key by itself.
    pub number: String,
    /// The day of publication; `None` where a document on public inspection has none yet.
    pub published: Option<Date>,
    /// The page of the document at federalregister.gov.
    pub link: Option<String>,
    /// Slugs of its agencies, in their order.
    pub agency_slugs: Vec<String>,
    /// All its members.
    pub row: Row,
}

impl Document {
    /// Number and day of publication, as `2020-17469@2020-08-11`: no two documents have the same.
    pub fn key(&self) -> String {
        match self.published {
            Some(day) => format!("{}@{day}", self.number),
            None => format!("{}@", self.number),
        }
    }

    /// The document as one object: `key`, `link` and `agency_slugs`, then the members as [`Row::to_json`] has them.
    pub fn to_json(&self) -> Object {
        let mut object = Object::new();
        object.insert("key", self.key());
        object.insert("link", self.link.as_deref().map_or(Json::Null, Json::from));
        let slugs = self.agency_slugs.iter().map(|slug| Json::from(slug.as_str())).collect();
        object.insert("agency_slugs", Json::Array(slugs));
        for (name, value) in self.row.to_json().iter() {
            object.insert(name, value.clone());
        }
        object
    }

    pub(crate) fn of(table: &Table, original: &Object) -> Result<Self, AnswerError> {
        let row = table.read_lossless(original)?;
        let day = row.text("publication_date").and_then(|text| text.get(..10));
        Ok(Self {
            number: row.text("document_number").unwrap_or_default().to_owned(),
            published: day.and_then(|day| checked_date("publication_date", day).ok()),
            link: row.text("html_url").filter(|link| link.starts_with("https://")).map(str::to_owned),
            agency_slugs: slugs(&row),
            row,
        })
    }
}

fn slugs(row: &Row) -> Vec<String> {
    let agencies = row.members.get("agencies").and_then(Json::as_array).unwrap_or_default();
    let slug = |agency: &Json| agency.get("slug").and_then(Json::as_str).map(str::to_owned);
    agencies.iter().filter_map(slug).collect()
}

/// Reads the answer about a single document, published or on public inspection.
///
/// # Errors
/// [`AnswerError`].
pub fn read_document(body: &[u8]) -> Result<Document, AnswerError> {
    let answer = parse(SERVICE, body)?;
    let answer = whole(&answer)?;
    Document::of(table_of(answer), answer)
}

/// The answer as an object; an error in the service's words where it is a refusal.
pub(crate) fn whole(answer: &Json) -> Result<&Object, AnswerError> {
    let Some(object) = answer.as_object() else {
        let detail = format!("{}, expected an object", answer.type_name());
        return Err(AnswerError::Shape { service: SERVICE, detail });
    };
    let is_result = object.contains("results") || object.contains("document_number");
    match object.get("errors").or_else(|| object.get("error")) {
        Some(errors) if !is_result => {
            let mut message = String::new();
            words(errors, &mut message);
            let message = message.chars().take(500).collect();
            Err(AnswerError::Refused { service: SERVICE, message })
        }
        _ => Ok(object),
    }
}

/// The texts of a refusal, with the names of the fields that they are about.
fn words(value: &Json, message: &mut String) {
    match value {
        Json::String(text) => {
            if !message.is_empty() && !message.ends_with(": ") {
                message.push_str("; ");
            }
            message.push_str(text);
        }
        Json::Array(elements) => elements.iter().for_each(|element| words(element, message)),
        Json::Object(object) => {
            for (name, value) in object.iter() {
                words(&Json::from(name), message);
                message.push_str(": ");
                words(value, message);
            }
        }
        _ => {}
    }
}

/// The table of a row: public inspection has members that no published document has.
pub(crate) fn table_of(row: &Object) -> &'static Table {
    let is_inspection =
        ["filed_at", "filing_type", "pdf_file_name", "num_pages"].iter().any(|name| row.contains(name));
    if is_inspection { &INSPECTION } else { &DOCUMENT }
}
