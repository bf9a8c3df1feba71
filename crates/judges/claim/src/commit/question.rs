//! The commit request, read once and bounded at the edge.

use std::fmt;

use receipt::hash::{ReceiptHash, sha256};
use serde::{Serialize, Serializer};
use serde_json::json;
use verdict::{Field, FieldError, Fields, Question, Raw, Reason, Table, Text};

/// Maximum length of a `label`, in Unicode characters.
pub const LABEL_CHARS: usize = 256;

/// A content or its hash, with the caller's label.
///
/// ```
/// use claim::commit::CommitQuestion;
/// use receipt::json::parse;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     CommitQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// assert_eq!(read(r#"{"content": {"a": 1.0, "b": 2}}"#)?, read(r#"{"content": {"b": 2, "a": 1}}"#)?);
///
/// let error = read(r#"{"agent": "scout-7"}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("content", "missing"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommitQuestion {
    /// The content that is committed to, or its hash.
    pub content: Content,
    /// The caller's name for the content: 1 to [`LABEL_CHARS`] characters without control characters. `None` if not
    /// given.
    pub label: Option<String>,
    /// Hash of the receipt that this one replaces, as the caller states it; its existence is not checked. `None` if not
    /// given.
    pub supersedes: Option<ReceiptHash>,
}

/// The content that is committed to, or its hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// The content was handed in. Only its size and hash are kept, because the parsed tree is many times as large.
    Given {
        /// The SHA-256 of its canonical form (RFC 8785).
        hash: ContentHash,
        /// The length of that form in bytes.
        bytes: u64,
    },
    /// Only a hash was handed in; the content is known to the caller alone.
    HashOnly(ContentHash),
}

impl Content {
    /// Returns the hash that is committed to.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        match *self {
            Self::Given { hash, .. } | Self::HashOnly(hash) => hash,
        }
    }
}

/// A SHA-256 hash, written as `sha256:` and 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Parses the text form; `None` for any other form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("sha256:")?;
        let is_lowercase = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        let mut hash = [0; 32];
        (is_lowercase && hex::decode_to_slice(digits, &mut hash).is_ok()).then_some(Self(hash))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex::encode(self.0))
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const CONTENT: Field<Raw> = Field::raw("content", || json!({})).describe(
    "Any JSON value. The SHA-256 of its canonical form (RFC 8785) is signed, and the value is kept.",
);
const CONTENT_HASH: Field<Text> = Field::text("content_hash", 0..=usize::MAX)
    .describe("The SHA-256 of a content that stays with the caller. A dispute of it is INCONCLUSIVE.")
    .form("^sha256:[0-9a-f]{64}$", "must be `sha256:` and 64 lowercase hexadecimal digits");
const LABEL: Field<Text> = Field::text("label", 1..=LABEL_CHARS)
    .describe("The caller's name for the content, without control characters; repeated in the receipt.")
    .plain();
const SUPERSEDES: Field<Text> = Field::text("supersedes", 0..=usize::MAX)
    .describe("The hash of the receipt that this one replaces, as the caller says.")
    .form("^[0-9a-f]{64}$", "must be 64 lowercase hexadecimal digits");

impl Question for CommitQuestion {
    const TABLE: Table = Table::new("CommitQuestion", &[], &[&CONTENT, &CONTENT_HASH, &LABEL, &SUPERSEDES])
        .describe("A content or its hash: one of the two.")
        .with(|| json!({"oneOf": [{"required": ["content"]}, {"required": ["content_hash"]}]}));

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {
            content: read_content(fields)?,
            label: fields.optional_text(&LABEL)?.map(str::to_owned),
            supersedes: fields.optional_parse(&SUPERSEDES, |text| text.parse().ok())?,
        })
    }

    fn about(&self) -> Option<ReceiptHash> {
        self.supersedes
    }
}

/// A `null` is a content like any other, and so is not the same as none.
fn read_content(fields: &Fields<'_>) -> Result<Content, FieldError> {
    match (fields.value(CONTENT.name), fields.value(CONTENT_HASH.name)) {
        (None, None) => {
            Err(fields.error(CONTENT.name, Reason::Missing, "is required, or `content_hash` in its place"))
        }
        (Some(_), Some(_)) => {
            Err(fields.error(CONTENT_HASH.name, Reason::Malformed, "must not be there beside `content`"))
        }
        (Some(content), None) => {
            let canonical = content.canonical();
            let hash = ContentHash(sha256(&canonical));
            Ok(Content::Given { hash, bytes: canonical.len() as u64 })
        }
        (None, Some(_)) => fields.parse(&CONTENT_HASH, ContentHash::parse).map(Content::HashOnly),
    }
}
