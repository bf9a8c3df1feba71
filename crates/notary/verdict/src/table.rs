//! The table of a question's fields.

use serde_json::{Map, Value, json};

use crate::AnyField;
use crate::misnamed::MISNAMED;

/// The fields of an object, such as a question: its JSON Schema, and the names that are known in it.
///
/// ```
/// use verdict::{Field, Fields, Table, Text};
///
/// const NAME: Field<Text> = Field::text("name", 1..=64).describe("The name to look up.");
/// const TABLE: Table = Table::new("NameQuestion", &[&NAME], &[]).describe("A name.");
///
/// let request = receipt::json::parse(br#"{"name": "Ada"}"#)?;
/// assert_eq!(Fields::root(request.as_object().expect("an object")).text(&NAME), Ok("Ada"));
/// assert_eq!(TABLE.schema()["properties"]["name"]["maxLength"], 64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Table {
    title: &'static str,
    description: &'static str,
    required: &'static [&'static dyn AnyField],
    optional: &'static [&'static dyn AnyField],
    refuses_misnamed: bool,
    not_taken: Option<&'static dyn AnyField>,
    keywords: fn() -> Value,
}

impl Table {
    /// Makes a table of required and of optional fields. An empty title is not published.
    pub const fn new(
        title: &'static str,
        required: &'static [&'static dyn AnyField],
        optional: &'static [&'static dyn AnyField],
    ) -> Self {
        Self {
            title,
            description: "",
            required,
            optional,
            refuses_misnamed: false,
            not_taken: None,
            keywords: || Value::Null,
        }
    }

    /// Sets the description for callers.
    pub const fn describe(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// Has requests with a misnamed member refused, and says so in the description.
    pub const fn refusing_misnamed(self) -> Self {
        Self { refuses_misnamed: true, ..self }
    }

    /// Has requests with a member refused that callers may well expect to count and that does not: the synonyms of a
    /// field without a name.
    pub const fn not_taking(self, field: &'static dyn AnyField) -> Self {
        Self { not_taken: Some(field), ..self }
    }

    /// Adds keywords such as `oneOf` to the schema: the members of the object that the function returns.
    pub const fn with(self, keywords: fn() -> Value) -> Self {
        Self { keywords, ..self }
    }

    /// The required fields, then the optional ones.
    pub fn fields(&self) -> impl Iterator<Item = &'static dyn AnyField> + use<> {
        self.required.iter().chain(self.optional).copied()
    }

    /// The fields, and the one whose synonyms are not taken.
    pub(crate) fn known(&self) -> impl Iterator<Item = &'static dyn AnyField> + use<> {
        self.fields().chain(self.not_taken)
    }

    /// The fields that misnamed members are compared with; none where no member is refused.
    pub fn guarded_fields(&self) -> Vec<&'static dyn AnyField> {
        self.known().filter(|_| self.refuses_misnamed).collect()
    }

    /// The JSON Schema (2020-12) of the object.
    #[must_use]
    pub fn schema(&self) -> Value {
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let mut put = |name: &str, value: Value| schema.insert(name.to_owned(), value);
        let rule = if self.refuses_misnamed { MISNAMED } else { "" };
        let description = [self.description, rule].join(" ");
        for (name, text) in [("title", self.title), ("description", description.trim())] {
            if !text.is_empty() {
                put(name, text.into());
            }
        }
        if !self.required.is_empty() {
            put("required", self.required.iter().map(|field| field.name()).collect());
        }
        let properties: Map<_, _> = self.fields().map(|it| (it.name().to_owned(), it.schema())).collect();
        if !properties.is_empty() {
            put("properties", properties.into());
        }
        if let Value::Object(keywords) = (self.keywords)() {
            schema.extend(keywords);
        }
        schema.into()
    }
}
