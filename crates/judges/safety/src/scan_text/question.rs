//! The question of `/scan-text`, parsed once with its bounds.

use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Cost, Field, FieldError, Fields, Question, Reason, Table, Text, Words};

/// Maximum length of a scanned text, in bytes of UTF-8.
pub const TEXT_BYTES: usize = 256 << 10;
/// Processor time of scanning 1,024 bytes, in microseconds, by estimate.
const MICROS_PER_KIB: u64 = 160;

/// The place where the text comes from, in the caller's words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextContext {
    /// An e-mail.
    Email,
    /// A web page.
    WebPage,
    /// The output of a tool that an agent has called.
    ToolOutput,
    /// A document.
    Document,
    /// A message of a chat.
    Chat,
}

/// The question of `/scan-text`: a text.
#[derive(Clone, PartialEq, Eq)]
pub struct TextQuestion {
    /// The text, at most [`TEXT_BYTES`] long.
    pub text: String,
    /// The place where it comes from; `None` if not given.
    pub context: Option<TextContext>,
}

/// Shows the length of the text alone: it may hold secrets.
impl std::fmt::Debug for TextQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextQuestion")
            .field("bytes", &self.text.len())
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}

pub(super) const TEXT: Field<Text> = Field::text("text", 1..=TEXT_BYTES)
    .describe(
        "The text, at most 262,144 bytes of UTF-8: as it came, with its markup. Nothing in it is followed.",
    )
    .synonyms("content body message html markdown prompt");
pub(super) const CONTEXT: Field<Words<Option<TextContext>>> = Field::words(
    "context",
    &[
        ("email", Some(TextContext::Email)),
        ("web_page", Some(TextContext::WebPage)),
        ("tool_output", Some(TextContext::ToolOutput)),
        ("document", Some(TextContext::Document)),
        ("chat", Some(TextContext::Chat)),
    ],
)
.or(None)
.describe("Where the text comes from; repeated in the receipt. All rules are asked whatever it is.")
.synonyms("text_context origin");

impl Question for TextQuestion {
    const TABLE: Table =
        Table::new("TextQuestion", &[&TEXT], &[&CONTEXT]).describe("A text to scan.").refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let text = fields.text(&TEXT)?;
        if text.len() > TEXT_BYTES {
            let detail = format!("has {} bytes of UTF-8, and may have {TEXT_BYTES}", text.len());
            return Err(fields.error(TEXT.name, Reason::TooLong, detail));
        }
        Ok(Self { text: text.to_owned(), context: fields.choice(&CONTEXT)? })
    }

    fn cost(&self) -> Cost {
        Cost::micros(self.text.len() as u64 * MICROS_PER_KIB / 1024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<TextQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        TextQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn a_text_is_read_with_its_context_and_its_bound_is_in_bytes() {
        let read_text = read(r#"{"text":"hi","context":"email"}"#).unwrap();
        assert_eq!((&*read_text.text, read_text.context), ("hi", Some(TextContext::Email)));
        assert_eq!(read(r#"{"text":"hi"}"#).unwrap().context, None);
        let most = "ä".repeat(TEXT_BYTES / 2);
        assert!(read(&format!(r#"{{"text":"{most}"}}"#)).is_ok());
        for (body, field, code) in [
            ("{}".to_owned(), "text", "missing"),
            (r#"{"text":7}"#.to_owned(), "text", "wrong_type"),
            (r#"{"text":""}"#.to_owned(), "text", "empty"),
            (format!(r#"{{"text":"{most}ä"}}"#), "text", "too_long"),
            (r#"{"text":"a","context":"letter"}"#.to_owned(), "context", "unknown_value"),
            (r#"{"text":"a","context":null}"#.to_owned(), "context", "wrong_type"),
        ] {
            assert_eq!(read(&body).unwrap_err(), (field.to_owned(), code));
        }
    }

    #[test]
    fn its_debug_form_does_not_show_the_text() {
        let question = TextQuestion { text: "hunter2".to_owned(), context: None };
        assert!(!format!("{question:?}").contains("hunter2"));
    }
}
