//! The members of a receipt that verification looks at.

use crate::json::{Json, JsonError, Object};
use crate::sign::OUTSIDE_PAYLOAD;
use thiserror::Error;

/// The refusal of a text that is not a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{detail}")]
pub struct VerifyError {
    /// The path of the offending member, with dots between names; `body` for the whole text.
    pub field: String,
    /// The JSON pointer (RFC 6901) of that member; empty for the whole text.
    pub pointer: String,
    /// The kind of the error.
    pub kind: VerifyErrorKind,
    /// The reason, in one lower-case sentence without a full stop, for people.
    pub detail: String,
}

/// The kinds of [`VerifyError`]. [`VerifyError::code`] is the stable code of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyErrorKind {
    /// The text is not I-JSON.
    Json(crate::json::JsonErrorKind),
    /// A member that every receipt has is absent.
    Missing,
    /// A member has the wrong type, or the whole text is not an object.
    Malformed,
    /// The receipt's `v` is a version that this program does not know.
    UnsupportedVersion,
}

impl VerifyError {
    /// The stable reason code: `missing`, `malformed`, `unsupported_version`, or the code of the
    /// [`JsonErrorKind`](crate::json::JsonErrorKind).
    pub fn code(&self) -> &'static str {
        match self.kind {
            VerifyErrorKind::Json(kind) => kind.code(),
            VerifyErrorKind::Missing => "missing",
            VerifyErrorKind::Malformed => "malformed",
            VerifyErrorKind::UnsupportedVersion => "unsupported_version",
        }
    }

    fn of(names: &[&str], kind: VerifyErrorKind, detail: String) -> Self {
        let field = if names.is_empty() { "body".to_owned() } else { names.join(".") };
        let pointer = names.iter().flat_map(|name| ["/", name]).collect();
        Self { field, pointer, kind, detail }
    }
}

impl From<JsonError> for VerifyError {
    fn from(error: JsonError) -> Self {
        let field = error.field();
        let kind = VerifyErrorKind::Json(error.kind);
        Self { field, pointer: error.path.pointer(), kind, detail: error.detail }
    }
}

/// A receipt's members, their types checked and their values not yet.
pub(super) struct ReceiptFields<'a> {
    object: &'a Object,
    pub(super) class: &'a str,
    pub(super) iss: &'a str,
    pub(super) kid: &'a str,
    pub(super) verdict: &'a str,
    pub(super) reference: Option<&'a str>,
    pub(super) signed_at: &'a str,
    pub(super) log_size: u64,
    pub(super) log_root: &'a str,
    pub(super) receipt_hash: &'a str,
    pub(super) signature: &'a str,
    pub(super) proof: Option<&'a str>,
}

impl<'a> ReceiptFields<'a> {
    pub(super) fn of(document: &'a Json) -> Result<Self, VerifyError> {
        let Json::Object(object) = document else {
            let detail = format!("a receipt is an object, not {}", document.type_name());
            return Err(VerifyError::of(&[], VerifyErrorKind::Malformed, detail));
        };
        let version = required(object, &["v"])?.as_number().and_then(|number| number.as_u64());
        match version {
            Some(1) => {}
            Some(other) => {
                let detail = format!("receipts of version {other} are not known to this program");
                return Err(VerifyError::of(&["v"], VerifyErrorKind::UnsupportedVersion, detail));
            }
            None => return Err(malformed(&["v"], "a whole number")),
        }
        let fields = Self {
            object,
            class: text(object, &["class"])?,
            iss: text(object, &["iss"])?,
            kid: text(object, &["kid"])?,
            verdict: text(object, &["verdict"])?,
            reference: optional_text(object, "ref")?,
            signed_at: text(object, &["signed_at"])?,
            log_size: log_size(object)?,
            log_root: text(log_head(object)?, &["log_head", "root"])?,
            receipt_hash: text(object, &["receipt_hash"])?,
            signature: text(object, &["signature"])?,
            proof: optional_text(object, "proof")?,
        };
        for name in ["agent", "request_hash", "salt"] {
            text(object, &[name])?;
        }
        optional_text(object, "request_kept")?;
        Ok(fields)
    }

    /// A member of the finding, which is of any type.
    pub(super) fn finding(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name)
    }

    /// The payload: the canonical form of every member but those that came after it.
    pub(super) fn payload(&self) -> Vec<u8> {
        self.object.canonical_without(&OUTSIDE_PAYLOAD)
    }
}

fn required<'a>(object: &'a Object, names: &[&str]) -> Result<&'a Json, VerifyError> {
    let name = names.last().expect("a member has a name");
    object.get(name).ok_or_else(|| {
        VerifyError::of(names, VerifyErrorKind::Missing, format!("the receipt has no `{}`", names.join(".")))
    })
}

fn text<'a>(object: &'a Object, names: &[&str]) -> Result<&'a str, VerifyError> {
    required(object, names)?.as_str().ok_or_else(|| malformed(names, "a string"))
}

fn optional_text<'a>(object: &'a Object, name: &str) -> Result<Option<&'a str>, VerifyError> {
    match object.get(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(malformed(&[name], "a string")),
    }
}

fn log_head(object: &Object) -> Result<&Object, VerifyError> {
    required(object, &["log_head"])?.as_object().ok_or_else(|| malformed(&["log_head"], "an object"))
}

fn log_size(object: &Object) -> Result<u64, VerifyError> {
    let names = ["log_head", "size"];
    let size = required(log_head(object)?, &names)?.as_number().and_then(|number| number.as_u64());
    size.ok_or_else(|| malformed(&names, "a whole number"))
}

fn malformed(names: &[&str], expected: &str) -> VerifyError {
    let detail = format!("the receipt's `{}` is not {expected}", names.join("."));
    VerifyError::of(names, VerifyErrorKind::Malformed, detail)
}
