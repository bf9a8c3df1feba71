//! Declarations of the fields of questions.
//!
//! A field is declared once, as a [`Field`]. [`Fields`](crate::Fields) reads it within its bounds, its [`Table`]
//! publishes it as JSON Schema, and its names are those that misnamed members are compared with.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use crate::Table;

/// A field of a question, with values of the kind `K`. A [`Table`] lists the fields of one question.
///
/// # Examples
/// A field is declared once. It is read by its declaration, and its JSON Schema is published from it.
///
/// ```
/// use verdict::{AnyField as _, Field, Fields, Whole, Words};
///
/// const ENCODING: Field<Words<u32>> = Field::words("encoding", &[("base64", 64), ("hex", 16)]).or_first();
/// const LIMIT: Field<Whole> = Field::whole("limit", 1..=100, 10).describe("The most receipts in the answer.");
///
/// let request = receipt::json::parse(br#"{"encoding": "hex"}"#)?;
/// let fields = Fields::root(request.as_object().expect("an object"));
/// assert_eq!(fields.choice(&ENCODING), Ok(16));
/// assert_eq!(fields.whole(&LIMIT), Ok(10), "the default, since the field is absent");
/// assert_eq!(ENCODING.schema()["default"], "base64");
/// assert_eq!(LIMIT.schema()["maximum"], 100);
/// # Ok::<(), receipt::json::JsonError>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Field<K> {
    /// The name, in `snake_case`.
    pub name: &'static str,
    pub(crate) kind: K,
    description: &'static str,
    synonyms: &'static str,
    items: Option<&'static Table>,
    /// The JSON Schema (2020-12) of the kind's values.
    schema: fn(K) -> Value,
}

impl<K: Copy> Field<K> {
    const fn new(name: &'static str, kind: K, schema: fn(K) -> Value) -> Self {
        Self { name, kind, description: "", synonyms: "", items: None, schema }
    }

    /// Declares other usual names of the field that do not resemble its own, with spaces between them.
    pub const fn synonyms(self, synonyms: &'static str) -> Self {
        Self { synonyms, ..self }
    }

    /// Sets the description for callers.
    pub const fn describe(self, description: &'static str) -> Self {
        Self { description, ..self }
    }
}

/// A [`Field`] with its kind erased.
pub trait AnyField: Sync {
    /// The name, in `snake_case`.
    fn name(&self) -> &'static str;

    /// Other usual names, with spaces between them.
    fn synonyms(&self) -> &'static str;

    /// The table of the objects in the array, whose misnamed members are refused.
    fn items(&self) -> Option<&'static Table>;

    /// The JSON Schema (2020-12) of the field.
    fn schema(&self) -> Value;
}

impl<K: Copy + Sync> AnyField for Field<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn synonyms(&self) -> &'static str {
        self.synonyms
    }

    fn items(&self) -> Option<&'static Table> {
        self.items
    }

    fn schema(&self) -> Value {
        let mut schema = (self.schema)(self.kind);
        if !self.description.is_empty() {
            schema["description"] = self.description.into();
        }
        schema
    }
}

/// Strings of a bounded number of Unicode characters.
#[derive(Clone, Copy)]
pub struct Text {
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) is_plain: bool,
    pub(crate) malformed: &'static str,
    pattern: &'static str,
}

impl Field<Text> {
    /// Declares a text of `chars` characters. Where the upper bound is `usize::MAX`, no bound is published.
    pub const fn text(name: &'static str, chars: RangeInclusive<usize>) -> Self {
        let (least, most) = (*chars.start(), *chars.end());
        let kind = Text { least, most, is_plain: false, malformed: "must be longer", pattern: "" };
        Self::new(name, kind, Text::schema)
    }

    /// Publishes a pattern (ECMA-262) of the texts, which the question itself holds them to.
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.kind.pattern = pattern;
        self
    }

    /// Publishes a pattern, and sets the detail of the error for a text that [`parse`](crate::Fields::parse) refuses.
    pub const fn form(mut self, pattern: &'static str, malformed: &'static str) -> Self {
        self.kind.malformed = malformed;
        self.pattern(pattern)
    }

    /// Refuses control characters.
    pub const fn plain(mut self) -> Self {
        self.kind.is_plain = true;
        self.pattern(r"^[^\u0000-\u001f\u007f-\u009f]*$")
    }
}

impl Text {
    fn schema(self) -> Value {
        let mut schema = json!({"type": "string"});
        if self.most < usize::MAX {
            schema["minLength"] = self.least.into();
            schema["maxLength"] = self.most.into();
        }
        if !self.pattern.is_empty() {
            schema["pattern"] = self.pattern.into();
        }
        schema
    }
}

/// Some words, each standing for a value.
#[derive(Clone, Copy)]
pub struct Words<T: 'static> {
    pub(crate) words: &'static [(&'static str, T)],
    pub(crate) absent: Option<T>,
    has_default: bool,
}

impl<T: Copy> Field<Words<T>> {
    /// Declares one of these words, which may not be absent.
    pub const fn words(name: &'static str, words: &'static [(&'static str, T)]) -> Self {
        Self::new(name, Words { words, absent: None, has_default: false }, Words::schema)
    }

    /// Sets the value of an absent field, which no word stands for.
    pub const fn or(mut self, absent: T) -> Self {
        self.kind.absent = Some(absent);
        self
    }

    /// Lets an absent field stand for the first word, and publishes that default.
    pub const fn or_first(mut self) -> Self {
        self.kind.has_default = true;
        self.or(self.kind.words[0].1)
    }
}

impl<T> Words<T> {
    fn schema(self) -> Value {
        let words: Vec<&str> = self.words.iter().map(|(word, _)| *word).collect();
        let mut schema = json!({"type": "string", "enum": words});
        if self.has_default {
            schema["default"] = words[0].into();
        }
        schema
    }
}

/// Whole numbers of a range, with a default.
#[derive(Clone, Copy)]
pub struct Whole {
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) default: usize,
}

impl Field<Whole> {
    /// Declares a whole number; an absent one is `default`.
    pub const fn whole(name: &'static str, range: RangeInclusive<usize>, default: usize) -> Self {
        let schema = |Whole { least, most, default }| json!({"type": "integer", "minimum": least, "maximum": most, "default": default});
        Self::new(name, Whole { least: *range.start(), most: *range.end(), default }, schema)
    }
}

/// `true` or `false`, the latter where the field is absent.
#[derive(Clone, Copy)]
pub struct Flag;

impl Field<Flag> {
    /// Declares a flag, which is false where it is absent.
    pub const fn flag(name: &'static str) -> Self {
        Self::new(name, Flag, |Flag| json!({"type": "boolean", "default": false}))
    }
}

/// Arrays of a bounded number of elements.
#[derive(Clone, Copy)]
pub struct Array {
    pub(crate) least: usize,
    pub(crate) most: usize,
    element: Raw,
}

impl Field<Array> {
    /// Declares an array of `count` elements, by the JSON Schema of an element.
    pub const fn array(name: &'static str, count: RangeInclusive<usize>, element: Raw) -> Self {
        let schema = |Array { least, most, element }| {
            let mut schema = json!({"type": "array", "maxItems": most, "items": element()});
            if least > 0 {
                schema["minItems"] = least.into();
            }
            schema
        };
        Self::new(name, Array { least: *count.start(), most: *count.end(), element }, schema)
    }

    /// Has misnamed members of objects in the array compared with the fields of this table.
    pub const fn of(self, items: &'static Table) -> Self {
        Self { items: Some(items), ..self }
    }
}

/// Values with a JSON Schema of their own, which the question reads by itself.
pub type Raw = fn() -> Value;

impl Field<Raw> {
    /// Declares a value by its JSON Schema alone.
    pub const fn raw(name: &'static str, schema: Raw) -> Self {
        Self::new(name, schema, |schema| schema())
    }
}
