//! The claim that a caller asks about, read once and bounded at the edge.

use fetch::{Policy, Target, UrlError};
use serde_json::json;
use verdict::{Field, FieldError, Fields, Question, Raw, Reason, Table, Text, Words};

use crate::encoding::{Encoding, EncodingError, could_be_raw_key, public_key_of_pem};
use crate::path::{DotPath, PathError};
use crate::patterns::encodings;

/// Maximum lengths of the texts of a question, in Unicode characters.
pub mod limits {
    /// Maximum length of `claim`.
    pub const CLAIM_CHARS: usize = 4096;
    /// Maximum length of `resolver.url`.
    pub const URL_CHARS: usize = 2048;
    /// Maximum length of `resolver.path`; [`DotPath::MAX_SEGMENTS`](crate::DotPath::MAX_SEGMENTS) bounds its segments.
    pub const PATH_CHARS: usize = 1024;
    /// Maximum length of `resolver.expect`.
    pub const EXPECT_CHARS: usize = 4096;
    /// Maximum length of `resolver.message`: as much as a body of 256 KiB can hold.
    pub const MESSAGE_CHARS: usize = 262_144;
    /// Maximum length of `resolver.signature`: 64 bytes in hex, the longer encoding.
    pub const SIGNATURE_CHARS: usize = 128;
    /// Maximum length of `resolver.public_key`: a PEM block with surrounding white space.
    pub const PUBLIC_KEY_CHARS: usize = 2048;
}

const CLAIM: Field<Text> = Field::text("claim", 1..=limits::CLAIM_CHARS)
    .describe("The claim in the caller's words; repeated in the receipt.");
const RESOLVER: Field<Raw> =
    Field::raw("resolver", || json!({"oneOf": [URL_JSON.schema(), ED25519_SIGNATURE.schema()]}))
        .describe("How the claim is resolved; `type` selects one of two kinds.");

const URL_JSON: Table = Table::new(
    "UrlJson",
    &[&Field::raw("type", || json!({"type": "string", "const": "url_json"})), &URL, &PATH, &EXPECT],
    &[],
)
.describe(
    "CONFIRMED where the value at `path` of the JSON document at `url` is `expect`, REFUTED where \
     it is another string, number, boolean or null, UNRESOLVED with a `reason` where it cannot be \
     said.",
);
const URL: Field<Text> = Field::text("url", 1..=limits::URL_CHARS)
    .describe("An http or https address that answers with a JSON document.")
    .pattern("^[Hh][Tt][Tt][Pp][Ss]?://");
const PATH: Field<Text> = Field::text("path", 1..=limits::PATH_CHARS)
    .describe(
        "Names and indices joined with `.`, as in `data.items.0.status`; `\\.` and `\\\\` stand for a dot \
         and a backslash in a name. At most 64 segments, none of them empty; `$.` at the beginning is refused. Point it at a stable field, \
         not at a counter: an exact match against a growing number holds only once.",
    )
    .pattern(r"^(?:\\\$\.)?(?:[^.\\]|\\[.\\])+(?:\.(?:[^.\\]|\\[.\\])+){0,63}$");
const _: () = assert!(DotPath::MAX_SEGMENTS == 64, "the pattern and the text above say how many");
const EXPECT: Field<Text> = Field::text("expect", 0..=limits::EXPECT_CHARS).describe(
    "The value expected: a string's own characters, a number as the document writes it or as its \
     exact plain decimal, or `true`, `false`, `null`.",
);

const ED25519_SIGNATURE: Table = Table::new(
    "Ed25519Signature",
    &[
        &Field::raw("type", || json!({"type": "string", "const": "ed25519_signature"})),
        &MESSAGE,
        &SIGNATURE,
        &PUBLIC_KEY,
    ],
    &[&MESSAGE_ENCODING, &SIGNATURE_ENCODING, &PUBLIC_KEY_ENCODING],
)
.describe(
    "CONFIRMED where the signature is valid for the key, under strict verification; REFUTED with a \
     `reason` where it is not. Whose key it is, is not asked.",
)
.with(encodings);
const MESSAGE: Field<Text> =
    Field::text("message", 0..=limits::MESSAGE_CHARS).describe("The signed message, in `message_encoding`.");
const SIGNATURE: Field<Text> = Field::text("signature", 1..=limits::SIGNATURE_CHARS)
    .describe("The signature's 64 bytes, in `signature_encoding`.");
const PUBLIC_KEY: Field<Text> = Field::text("public_key", 1..=limits::PUBLIC_KEY_CHARS).describe(
    "A full PEM block `PUBLIC KEY`, or the key's 32 raw bytes in base64 or hex. For raw bytes \
     `public_key_encoding` must say which: otherwise the verdict is UNRESOLVED, with the reason \
     `public_key_encoding_required`.",
);
const MESSAGE_ENCODING: Field<Words<Encoding>> = Field::words(
    "message_encoding",
    &[("utf8", Encoding::Utf8), ("base64", Encoding::Base64), ("hex", Encoding::Hex)],
)
.describe("How `message` stands for bytes.")
.or_first();
const SIGNATURE_ENCODING: Field<Words<Encoding>> =
    Field::words("signature_encoding", &[("base64", Encoding::Base64), ("hex", Encoding::Hex)])
        .describe("How `signature` stands for bytes.")
        .or_first();
/// `None` for PEM.
const PUBLIC_KEY_ENCODING: Field<Words<Option<Encoding>>> = Field::words(
    "public_key_encoding",
    &[("pem", None), ("base64", Some(Encoding::Base64)), ("hex", Some(Encoding::Hex))],
)
.describe("How `public_key` stands for a key.")
.or_first();

type ReadResolver = fn(&Fields<'_>) -> Result<ClaimResolver, FieldError>;
const TYPE: Field<Words<ReadResolver>> =
    Field::words("type", &[("url_json", read_url_json), ("ed25519_signature", read_signed_message)]);

/// A claim, and the resolver that decides it.
///
/// ```
/// use claim::{ClaimQuestion, ClaimResolver};
/// use receipt::json::parse;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     ClaimQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// let question = read(
///     r#"{"agent": "scout-7", "claim": "the service is up", "resolver": {
///         "type": "url_json", "url": "https://example.org/health", "path": "status", "expect": "ok"}}"#,
/// )?;
/// assert!(matches!(question.resolver, ClaimResolver::UrlJson(_)));
///
/// let error = read(r#"{"claim": "the service is up", "resolver": {"type": "url_json"}}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("resolver.url", "missing"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimQuestion {
    /// The claim in the caller's words, which the receipt repeats. It does not affect the verdict.
    pub claim: String,
    /// The resolver that decides the claim.
    pub resolver: ClaimResolver,
}

/// The resolver of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimResolver {
    /// `url_json`: a value in a JSON document on the web.
    UrlJson(UrlJson),
    /// `ed25519_signature`: a signature under a given key.
    Ed25519(SignedMessage),
}

/// The question of `url_json`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UrlJson {
    /// A valid http or https URL. Policy is not checked here: the judge decides if the address may be fetched.
    pub url: String,
    /// The path of the value in the document.
    pub path: DotPath,
    /// The expected text of the value.
    pub expect: String,
}

/// The question of `ed25519_signature`, decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedMessage {
    /// The signed bytes.
    pub message: Vec<u8>,
    /// The signature: R and S (RFC 8032 section 5.1.6), 32 bytes each.
    pub signature: [u8; 64],
    /// The public key under which the signature is verified.
    pub public_key: PublicKeyInput,
}

/// The public key of the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublicKeyInput {
    /// A key of 32 bytes, which may be no point of the curve.
    Given([u8; 32]),
    /// A text that is 32 bytes in base64 or hex, in a question that names no encoding. To decode it would be a guess.
    EncodingNotNamed,
}

impl Question for ClaimQuestion {
    const TABLE: Table =
        Table::new("ClaimQuestion", &[&CLAIM, &RESOLVER], &[]).describe("A claim, and how to resolve it.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let claim = fields.text(&CLAIM)?.to_owned();
        let resolver = fields.object(RESOLVER.name)?;
        let read = resolver.choice(&TYPE)?;
        Ok(Self { claim, resolver: read(&resolver)? })
    }
}

fn read_url_json(fields: &Fields<'_>) -> Result<ClaimResolver, FieldError> {
    let url = fields.text(&URL)?;
    check_address(url).map_err(|detail| fields.error("url", Reason::Malformed, detail))?;
    let path = fields.text(&PATH)?;
    let path = DotPath::parse(path).map_err(|error| {
        let reason = match error {
            PathError::TooManySegments => Reason::TooLong,
            PathError::EmptySegment
            | PathError::UnknownEscape
            | PathError::OpenEscape
            | PathError::JsonPath(_) => Reason::Malformed,
        };
        fields.error("path", reason, error.to_string())
    })?;
    let expect = fields.text(&EXPECT)?;
    Ok(ClaimResolver::UrlJson(UrlJson { url: url.to_owned(), path, expect: expect.to_owned() }))
}

/// Refuses what is no http or https address whatever the policy; what a policy refuses is a verdict.
fn check_address(url: &str) -> Result<(), String> {
    match Target::parse(url, &Policy::production()) {
        Ok(_) | Err(UrlError::Refused(_)) => Ok(()),
        Err(UrlError::Scheme) => Err("must be an http or https address".to_owned()),
        Err(UrlError::Malformed(error)) => Err(format!("must be an address that parses: {error}")),
        Err(UrlError::TooLong) => Err("must not be so long".to_owned()),
    }
}

fn read_signed_message(fields: &Fields<'_>) -> Result<ClaimResolver, FieldError> {
    let message = fields.text(&MESSAGE)?;
    let encoding = fields.choice(&MESSAGE_ENCODING)?;
    let message = encoding.decode(message).map_err(|error| malformed(fields, "message", error))?;

    let signature = fields.text(&SIGNATURE)?;
    let encoding = fields.choice(&SIGNATURE_ENCODING)?;
    let signature = exactly::<64>(fields, "signature", encoding, signature)?;

    let key = fields.text(&PUBLIC_KEY)?;
    let encoding = fields.choice(&PUBLIC_KEY_ENCODING)?;
    let public_key = match encoding {
        Some(encoding) => PublicKeyInput::Given(exactly::<32>(fields, "public_key", encoding, key)?),
        None if could_be_raw_key(key) => PublicKeyInput::EncodingNotNamed,
        None => PublicKeyInput::Given(
            public_key_of_pem(key).map_err(|error| malformed(fields, "public_key", error))?,
        ),
    };
    Ok(ClaimResolver::Ed25519(SignedMessage { message, signature, public_key }))
}

fn exactly<const N: usize>(
    fields: &Fields<'_>,
    name: &str,
    encoding: Encoding,
    text: &str,
) -> Result<[u8; N], FieldError> {
    let bytes = encoding.decode(text).map_err(|error| malformed(fields, name, error))?;
    let count = bytes.len();
    bytes.try_into().map_err(|_| {
        fields.error(name, Reason::Malformed, format!("must stand for {N} bytes, and stands for {count}"))
    })
}

fn malformed(fields: &Fields<'_>, name: &str, error: EncodingError) -> FieldError {
    fields.error(name, Reason::Malformed, error.to_string())
}
