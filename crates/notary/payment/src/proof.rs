//! Parsing of payment proofs in headers: base64 of JSON, in three forms.
//!
//! | form | headers |
//! |---|---|
//! | x402 v1 payload: `{x402Version: 1, scheme, network, payload: {signature, authorization}}` | `X-PAYMENT` |
//! | x402 v2 payload: `{x402Version: 2, accepted, payload: {signature, authorization}, extensions?}` | `X-PAYMENT`, `PAYMENT-SIGNATURE` |
//! | proof of settlement: `{x402Version: 1, scheme, network, payload: {transaction, payer, signature, logIndex?}}` | `X-PAYMENT` |
//!
//! # Malformed and refused proofs
//!
//! *Form* is the encoding, the members that are present, and their JSON types. A wrong form is [`Malformed`], a 400
//! that names the header, because the meaning cannot be known. A payment identifier outside its grammar is malformed
//! too, since a retry would search for another one; so is a payload of the scheme `exact` that is neither an
//! authorization nor a transaction, or both.
//!
//! *Content* is the meaning of the texts. A proof whose content does not pay is [`Refused`](crate::Refused), a 402 with
//! its code. For example:
//!
//! - an amount of `2e4`, `0.02`, `-1`, `020000` or more than 256 bits is no amount (`invalid_amount`);
//! - an address of three digits is not the payee's (`invalid_pay_to`);
//! - half a signature is not the payer's (`invalid_signature`).
//!
//! A wrong text without a code of its own (payer, nonce, times, transaction) is `invalid_payload`. Numbers are strings
//! of decimal digits without a sign and without leading zeros, as every client of either version sends them.
//!
//! Another x402 version or another scheme is content too: the caller meant x402, and the 402 lists what is accepted. A
//! payload of an unknown version or scheme is not parsed.

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use receipt::json::{self, Json, Number, Object};
use verdict::Reason;

/// The most bytes of a header's value.
pub const MAX_HEADER_BYTES: usize = 16 << 10;

/// The only scheme that is accepted.
pub const SCHEME: &str = "exact";

const PADDING: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD_BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, PADDING);
const URL_SAFE_BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, PADDING);

/// A header that carries proofs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// `X-PAYMENT`, which can have all three forms.
    XPayment,
    /// `PAYMENT-SIGNATURE`, which can have v2 payloads.
    PaymentSignature,
    /// `Authorization` of the scheme `Payment`, which has [credentials](crate::mpp) and no payload of x402.
    Authorization,
}

impl Header {
    /// All headers that carry proofs of x402.
    pub const ALL: [Self; 2] = [Self::XPayment, Self::PaymentSignature];

    /// The name of the header, as errors have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::XPayment => "X-PAYMENT",
            Self::PaymentSignature => "PAYMENT-SIGNATURE",
            Self::Authorization => "Authorization",
        }
    }

    /// The header of the answer that states the result of the payment.
    #[must_use]
    pub fn response_name(self) -> &'static str {
        match self {
            Self::XPayment => "X-PAYMENT-RESPONSE",
            Self::PaymentSignature => "PAYMENT-RESPONSE",
            Self::Authorization => "Payment-Receipt",
        }
    }
}

/// The value of a header is not a proof of any known form.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{}` {detail}", header.name())]
pub struct Malformed {
    /// The header.
    pub header: Header,
    /// The reason, with its stable code.
    pub reason: Reason,
    /// A phrase that follows the header's name: "must be base64".
    pub detail: String,
}

/// An x402 version that is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// Version 1, which has short names of networks.
    V1,
    /// Version 2, which has CAIP-2 names of networks.
    V2,
}

/// A well-formed proof of payment. The meaning of its texts is not checked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    pub(crate) header: Header,
    /// `None` for a version that is not accepted.
    pub(crate) version: Option<Version>,
    pub(crate) named: PayloadTerms,
    pub(crate) payload: Payload,
    pub(crate) identifier: Option<PaymentIdentifier>,
}

/// The terms that a payload names: a v1 payload's own, or what a v2 payload says that it accepted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PayloadTerms {
    pub(crate) scheme: String,
    pub(crate) network: String,
    pub(crate) asset: Option<String>,
    pub(crate) pay_to: Option<String>,
    pub(crate) amount: Option<String>,
}

/// The content of a payload, its texts unparsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Payload {
    /// An authorization to move the token.
    Authorization(AuthorizationTexts),
    /// A transaction that moved the token.
    Settlement(SettlementTexts),
    /// A payload of another version or scheme.
    Foreign,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AuthorizationTexts {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) value: String,
    pub(crate) valid_after: String,
    pub(crate) valid_before: String,
    pub(crate) nonce: String,
    pub(crate) signature: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SettlementTexts {
    pub(crate) transaction: String,
    pub(crate) payer: String,
    pub(crate) log_index: Option<u64>,
    pub(crate) signature: String,
}

/// The `id` of the `payment-identifier` extension, by which a retry with a new nonce is recognized.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PaymentIdentifier(String);

impl PaymentIdentifier {
    /// Makes an identifier from a text of 16 to 128 letters, digits, `_` and `-`; `None` for another text.
    ///
    /// ```
    /// use payment::PaymentIdentifier;
    ///
    /// assert!(PaymentIdentifier::new("pay_7d5d747be160e280").is_some());
    /// assert!(PaymentIdentifier::new("too-short").is_none());
    /// ```
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        ((16..=128).contains(&text.len()) && text.bytes().all(is_known)).then(|| Self(text.to_owned()))
    }

    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Proof {
    /// Parses the proof in a header's value.
    ///
    /// Base64 is accepted in the standard and in the url-safe alphabet, with and without padding.
    ///
    /// # Errors
    /// The value is longer than [`MAX_HEADER_BYTES`], no base64, no I-JSON, or of no known form.
    pub fn decode(header: Header, value: &[u8]) -> Result<Self, Malformed> {
        let malformed = |(reason, detail): Fault| Malformed { header, reason, detail };
        let document = decode_json(value).map_err(malformed)?;
        Self::of_json(header, &document).map_err(malformed)
    }

    fn of_json(header: Header, document: &Json) -> Result<Self, Fault> {
        let members = ObjectMembers::of(document, "an x402 payment payload")?;
        let foreign =
            |version, named| Self { header, version, named, payload: Payload::Foreign, identifier: None };
        let version = match members.number("x402Version")?.as_u64() {
            Some(1) => Version::V1,
            Some(2) => Version::V2,
            _ => return Ok(foreign(None, PayloadTerms::default())),
        };
        let named = match version {
            Version::V1 => PayloadTerms::of_v1(&members)?,
            Version::V2 => PayloadTerms::of_v2(&members.object("accepted")?)?,
        };
        if named.scheme != SCHEME {
            return Ok(foreign(Some(version), named));
        }
        let payload = Payload::of(version, &members.object("payload")?)?;
        let identifier = match version {
            Version::V1 => None,
            Version::V2 => identifier(&members)?,
        };
        Ok(Self { header, version: Some(version), named, payload, identifier })
    }

    /// The header that the proof was sent in.
    #[must_use]
    pub fn header(&self) -> Header {
        self.header
    }

    /// The x402 version of the proof; `None` where it is not an accepted version.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// The payment identifier that was sent with the proof; `None` where there is none.
    #[must_use]
    pub fn identifier(&self) -> Option<&PaymentIdentifier> {
        self.identifier.as_ref()
    }
}

impl PayloadTerms {
    fn of_v1(members: &ObjectMembers<'_>) -> Result<Self, Fault> {
        Ok(Self { scheme: members.text("scheme")?, network: members.text("network")?, ..Self::default() })
    }

    fn of_v2(accepted: &ObjectMembers<'_>) -> Result<Self, Fault> {
        Ok(Self {
            scheme: accepted.text("scheme")?,
            network: accepted.text("network")?,
            asset: accepted.optional_text("asset")?,
            pay_to: accepted.optional_text("payTo")?,
            amount: accepted.optional_text("amount")?,
        })
    }
}

impl Payload {
    fn of(version: Version, payload: &ObjectMembers<'_>) -> Result<Self, Fault> {
        let is_settlement = version == Version::V1 && payload.has("transaction");
        match (payload.has("authorization"), is_settlement) {
            (true, false) => AuthorizationTexts::of(payload).map(Self::Authorization),
            (false, true) => SettlementTexts::of(payload).map(Self::Settlement),
            (true, true) => Err(fault("must not have both `authorization` and `transaction` in its payload")),
            (false, false) => {
                Err(fault("must have `authorization` or, in version 1, `transaction` in its payload"))
            }
        }
    }
}

impl AuthorizationTexts {
    /// The texts of an x402 payload.
    pub(crate) fn parse(payload: &Json) -> Option<Self> {
        Self::of(&ObjectMembers(payload.as_object()?)).ok()
    }

    fn of(payload: &ObjectMembers<'_>) -> Result<Self, Fault> {
        let authorization = payload.object("authorization")?;
        Ok(Self {
            from: authorization.text("from")?,
            to: authorization.text("to")?,
            value: authorization.text("value")?,
            valid_after: authorization.text("validAfter")?,
            valid_before: authorization.text("validBefore")?,
            nonce: authorization.text("nonce")?,
            signature: payload.text("signature")?,
        })
    }
}

impl SettlementTexts {
    fn of(payload: &ObjectMembers<'_>) -> Result<Self, Fault> {
        let log_index = match payload.value("logIndex") {
            None => None,
            Some(index) => {
                let index = index.as_number().and_then(Number::as_u64);
                Some(index.ok_or_else(|| fault("must have a whole number as `logIndex`"))?)
            }
        };
        Ok(Self {
            transaction: payload.text("transaction")?,
            payer: payload.text("payer")?,
            log_index,
            signature: payload.text("signature")?,
        })
    }
}

/// The id that a client put into the extension that it echoes; the echo alone has none.
fn identifier(members: &ObjectMembers<'_>) -> Result<Option<PaymentIdentifier>, Fault> {
    let Some(extensions) = members.optional_object("extensions")? else { return Ok(None) };
    let Some(extension) = extensions.optional_object("payment-identifier")? else { return Ok(None) };
    let Some(info) = extension.optional_object("info")? else { return Ok(None) };
    let Some(id) = info.optional_text("id")? else { return Ok(None) };
    let refuse = || fault("must have 16 to 128 letters, digits, `_` and `-` as its payment identifier");
    PaymentIdentifier::new(&id).map(Some).ok_or_else(refuse)
}

type Fault = (Reason, String);

fn fault(detail: impl Into<String>) -> Fault {
    (Reason::Malformed, detail.into())
}

/// The JSON in a header's value.
pub(crate) fn decode_json(value: &[u8]) -> Result<Json, Fault> {
    if value.len() > MAX_HEADER_BYTES {
        return Err((Reason::TooLong, format!("must be at most {MAX_HEADER_BYTES} bytes")));
    }
    let text = value.trim_ascii();
    let is_url_safe = text.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let alphabet = if is_url_safe { &URL_SAFE_BASE64 } else { &STANDARD_BASE64 };
    let bytes = alphabet.decode(text).map_err(|_| fault("must be base64"))?;
    json::parse(&bytes)
        .map_err(|error| (Reason::Json(error.code()), format!("must be the base64 of I-JSON: {error}")))
}

/// An object's members, read by name and type. `null` is as good as absent where absence is allowed: clients write
/// either.
struct ObjectMembers<'a>(&'a Object);

impl<'a> ObjectMembers<'a> {
    fn of(value: &'a Json, what: &str) -> Result<Self, Fault> {
        value.as_object().map(Self).ok_or_else(|| fault(format!("must be the base64 of {what}")))
    }

    fn value(&self, name: &str) -> Option<&'a Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn number(&self, name: &str) -> Result<&'a Number, Fault> {
        self.value(name).and_then(Json::as_number).ok_or_else(|| wanted("a number", name))
    }

    fn text(&self, name: &str) -> Result<String, Fault> {
        self.optional_text(name)?.ok_or_else(|| wanted("a string", name))
    }

    fn optional_text(&self, name: &str) -> Result<Option<String>, Fault> {
        let text = |value: &Json| value.as_str().map(str::to_owned).ok_or_else(|| wanted("a string", name));
        self.value(name).map(text).transpose()
    }

    fn object(&self, name: &str) -> Result<ObjectMembers<'a>, Fault> {
        self.optional_object(name)?.ok_or_else(|| wanted("an object", name))
    }

    fn optional_object(&self, name: &str) -> Result<Option<ObjectMembers<'a>>, Fault> {
        let object =
            |value: &'a Json| value.as_object().map(ObjectMembers).ok_or_else(|| wanted("an object", name));
        self.value(name).map(object).transpose()
    }
}

fn wanted(what: &str, name: &str) -> Fault {
    fault(format!("must have {what} as `{name}`"))
}
