//! The claim that a caller asks about, read once and bounded at the edge.

use fetch::{Policy, Target, UrlError};
use verdict::{FieldError, Fields, Question, Reason};

use crate::encoding::{Encoding, EncodingError, could_be_raw_key, public_key_of_pem};
use crate::path::{DotPath, PathError};

/// The published bounds of every text, in Unicode characters.
pub mod limits {
    /// `claim`
    pub const CLAIM_CHARS: usize = 4096;
    /// `resolver.url`
    pub const URL_CHARS: usize = 2048;
    /// `resolver.path`; its segments are bounded by [`DotPath::MAX_SEGMENTS`](crate::DotPath::MAX_SEGMENTS).
    pub const PATH_CHARS: usize = 1024;
    /// `resolver.expect`
    pub const EXPECT_CHARS: usize = 4096;
    /// `resolver.message`: no more than a body of 256 KiB can hold.
    pub const MESSAGE_CHARS: usize = 262_144;
    /// `resolver.signature`: 64 bytes in hex, the longer of its encodings.
    pub const SIGNATURE_CHARS: usize = 128;
    /// `resolver.public_key`: a PEM block with room around it.
    pub const PUBLIC_KEY_CHARS: usize = 2048;
}

/// A claim, and how to resolve it.
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
    /// The claim in the caller's words. It is repeated in the receipt and decides nothing.
    pub claim: String,
    /// The resolver that decides the claim.
    pub resolver: ClaimResolver,
}

/// The two ways to resolve a claim.
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
    /// An http or https address that parses. Policy is not checked here: the judge decides if the address may be
    /// fetched.
    pub url: String,
    /// The path in the document at which to look.
    pub path: DotPath,
    /// The expected value at the path.
    pub expect: String,
}

/// The question of `ed25519_signature`, decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedMessage {
    /// The signed bytes.
    pub message: Vec<u8>,
    /// R and S.
    pub signature: [u8; 64],
    /// The key to verify under.
    pub public_key: PublicKeyInput,
}

/// The key as it was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PublicKeyInput {
    /// 32 bytes, which need not be a point of the curve.
    Given([u8; 32]),
    /// 32 bytes in base64 or hex where PEM was named, or nothing: reading them would be a guess.
    EncodingNotNamed,
}

impl Question for ClaimQuestion {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let claim = fields.text("claim", 1..=limits::CLAIM_CHARS)?.to_owned();
        let resolver = fields.object("resolver")?;
        let read = resolver.choice(
            "type",
            &[
                ("url_json", read_url_json as fn(&Fields<'_>) -> _),
                ("ed25519_signature", read_signed_message as fn(&Fields<'_>) -> _),
            ],
            None,
        )?;
        Ok(Self { claim, resolver: read(&resolver)? })
    }
}

fn read_url_json(fields: &Fields<'_>) -> Result<ClaimResolver, FieldError> {
    let url = fields.text("url", 1..=limits::URL_CHARS)?;
    check_address(url).map_err(|detail| fields.error("url", Reason::Malformed, detail))?;
    let path = fields.text("path", 1..=limits::PATH_CHARS)?;
    let path = DotPath::parse(path).map_err(|error| {
        let reason = match error {
            PathError::TooManySegments => Reason::TooLong,
            PathError::EmptySegment | PathError::UnknownEscape | PathError::OpenEscape => Reason::Malformed,
        };
        fields.error("path", reason, error.to_string())
    })?;
    let expect = fields.text("expect", 0..=limits::EXPECT_CHARS)?;
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

const BASE64: (&str, Encoding) = ("base64", Encoding::Base64);
const HEX: (&str, Encoding) = ("hex", Encoding::Hex);

fn read_signed_message(fields: &Fields<'_>) -> Result<ClaimResolver, FieldError> {
    let message = fields.text("message", 0..=limits::MESSAGE_CHARS)?;
    let encoding =
        fields.choice("message_encoding", &[("utf8", Encoding::Utf8), BASE64, HEX], Some(Encoding::Utf8))?;
    let message = encoding.decode(message).map_err(|error| malformed(fields, "message", error))?;

    let signature = fields.text("signature", 1..=limits::SIGNATURE_CHARS)?;
    let encoding = fields.choice("signature_encoding", &[BASE64, HEX], Some(Encoding::Base64))?;
    let signature = exactly::<64>(fields, "signature", encoding, signature)?;

    let key = fields.text("public_key", 1..=limits::PUBLIC_KEY_CHARS)?;
    let encoding = fields.choice(
        "public_key_encoding",
        &[("pem", None), ("base64", Some(Encoding::Base64)), ("hex", Some(Encoding::Hex))],
        Some(None),
    )?;
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
