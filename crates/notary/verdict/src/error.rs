//! Errors of questions that get no finding. None of them depends on HTTP.

use receipt::json::Path;

/// The reason why a field was refused; `code()` is stable and part of the interface.
///
/// # Examples
/// Each kind of wrong field has its own stable code.
///
/// ```
/// use verdict::{Field, Fields, Reason, Text};
///
/// const CLAIM: Field<Text> = Field::text("claim", 1..=280);
///
/// for (body, code) in [("{}", "missing"), (r#"{"claim": 7}"#, "wrong_type"), (r#"{"claim": ""}"#, "empty")] {
///     let request = receipt::json::parse(body.as_bytes())?;
///     let error = Fields::root(request.as_object().expect("an object")).text(&CLAIM).unwrap_err();
///     assert_eq!(error.reason.code(), code);
/// }
///
/// let twice = receipt::json::parse(br#"{"claim": "a", "claim": "b"}"#).unwrap_err();
/// assert_eq!(Reason::Json(twice.code()).code(), "duplicate_key");
/// # Ok::<(), receipt::json::JsonError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The field is required and absent.
    Missing,
    /// The field is there with another JSON type.
    WrongType,
    /// The field has the right type but violates its grammar.
    Malformed,
    /// The field is a text without content.
    Empty,
    /// The field is longer than the published maximum.
    TooLong,
    /// The field is not one of the published values.
    UnknownValue,
    /// A member name occurs more than once in an object.
    DuplicateKey,
    /// The field names something to which this kind of question does not apply.
    NotApplicable,
    /// The number is outside its allowed range.
    OutOfRange,
    /// A list contains the same thing more than once.
    Duplicate,
    /// The field and another one cannot both be true.
    Contradictory,
    /// The time is in the future.
    InFuture,
    /// The field is unknown, and was most likely meant for a known field.
    Misnamed,
    /// This code of the I-JSON reader.
    Json(&'static str),
}

impl Reason {
    /// The stable code of the reason.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::UnknownValue => "unknown_value",
            Self::DuplicateKey => "duplicate_key",
            Self::NotApplicable => "not_applicable",
            Self::OutOfRange => "out_of_range",
            Self::Duplicate => "duplicate",
            Self::Contradictory => "contradictory",
            Self::InFuture => "in_future",
            Self::Misnamed => "misnamed",
            Self::Json(code) => code,
        }
    }
}

/// The first field that is wrong: its path, a stable code, and a sentence for people.
///
/// # Examples
/// The error names the field by its whole path, as a JSON pointer or with dots.
///
/// ```
/// use verdict::{Field, Fields, Reason, Text};
///
/// const PUBLIC_KEY: Field<Text> = Field::text("public_key", 1..=64);
///
/// let request = receipt::json::parse(br#"{"resolver": {"public_key": 7}}"#)?;
/// let resolver = Fields::root(request.as_object().expect("an object")).object("resolver")?;
/// let error = resolver.text(&PUBLIC_KEY).unwrap_err();
/// assert_eq!(error.reason, Reason::WrongType);
/// assert_eq!(error.path.pointer(), "/resolver/public_key");
/// assert_eq!(error.to_string(), "`resolver.public_key` must be a string");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` {detail}", path.dotted())]
pub struct FieldError {
    /// The path of the field, which may be absent.
    pub path: Path,
    /// The reason, with its stable code.
    pub reason: Reason,
    /// A phrase that follows the field's name: "must be a string".
    pub detail: String,
}

/// The judge cannot look at the moment; nothing is charged or counted as used.
///
/// # Examples
/// A judge that cannot read its source gives no finding, and says when to try again.
///
/// ```
/// use verdict::Unavailable;
///
/// fn current_list(loaded: Option<&str>) -> Result<&str, Unavailable> {
///     loaded.ok_or_else(|| Unavailable {
///         module: "sanctions",
///         retry_after_s: 60,
///         detail: "no list has been loaded yet".to_owned(),
///     })
/// }
///
/// let error = current_list(None).unwrap_err();
/// assert_eq!(error.to_string(), "sanctions: no list has been loaded yet");
/// assert_eq!(error.retry_after_s, 60);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{module}: {detail}")]
pub struct Unavailable {
    /// The name of the unavailable module, as `/health` has it.
    pub module: &'static str,
    /// The number of seconds after which the caller should try again.
    pub retry_after_s: u32,
    /// The cause, as a phrase for the caller.
    pub detail: String,
}

/// The error of a replay that lacks a piece of preserved evidence. The text names the piece.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("evidence is missing: {0}")]
pub struct EvidenceMissing(pub String);

/// An obstacle to a well-formed question. It is reported before anything is paid or counted.
///
/// # Examples
/// A dispute of an unknown or of an old receipt is refused before its bond is taken. `?` passes an [`Unavailable`] on.
///
/// ```
/// use verdict::{Objection, Unavailable};
///
/// const WINDOW_CLOSED: Objection =
///     Objection::Impossible { code: "window_closed", detail: "a receipt can be disputed within 72 hours" };
///
/// fn admit(age_hours: Result<Option<u32>, Unavailable>) -> Result<(), Objection> {
///     match age_hours? {
///         None => Err(Objection::Unknown("this notary has no receipt of this hash")),
///         Some(hours) if hours > 72 => Err(WINDOW_CLOSED),
///         Some(_) => Ok(()),
///     }
/// }
///
/// assert_eq!(admit(Ok(Some(71))), Ok(()));
/// assert_eq!(admit(Ok(Some(73))), Err(WINDOW_CLOSED));
/// assert_eq!(admit(Ok(None)).unwrap_err().to_string(), "this notary has no receipt of this hash");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Objection {
    /// The thing that the question is about does not exist.
    #[error("{0}")]
    Unknown(&'static str),
    /// The question cannot be asked, or cannot be asked now.
    #[error("{detail}")]
    Impossible {
        /// The stable code of the obstacle.
        code: &'static str,
        /// The explanation, as one sentence for the caller.
        detail: &'static str,
    },
    /// A field has a value that is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// This notary does not answer such questions, since it is not configured to.
    #[error("{module}: {detail}")]
    NotOffered {
        /// The name of the module, as `/health` has it.
        module: &'static str,
        /// The missing configuration, as a phrase for the caller.
        detail: String,
    },
    /// The check for obstacles cannot be made at the moment.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}
