//! The question of `/trust-score`, parsed once with its bounds.

use domain_name::{DomainError, DomainName, MAX_TEXT_BYTES};
use receipt::hash::sha256;
use receipt::json::Path;
use verdict::{Cost, Field, FieldError, Fields, Question, Reason, Table, Text, Words};
use wallet_address::{ADDRESS_BYTES, AddressError};

use crate::score::Purpose;

/// Maximum length of a counterparty's name, in Unicode characters.
pub const NAME_CHARS: usize = 256;

/// The question of `/trust-score`: a domain, the purpose, and optionally the payee. The judge, not this type, refuses names
/// outside the public DNS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustQuestion {
    /// The domain name, in A-labels.
    pub domain: DomainName,
    /// The purpose for which the domain is looked at.
    pub purpose: Purpose,
    /// The address to be paid, without surrounding white space; its checksum holds.
    pub pay_to: Option<String>,
    /// The name under which the counterparty presents itself.
    pub counterparty_name: Option<String>,
    /// Further names of the counterparty, of questions that take several; empty where `counterparty_name` is `None`.
    pub further_names: Vec<String>,
}

impl TrustQuestion {
    /// Returns the question about a domain alone, for the default purpose.
    #[must_use]
    pub fn of(domain: DomainName) -> Self {
        let further_names = Vec::new();
        Self { domain, purpose: Purpose::default(), pay_to: None, counterparty_name: None, further_names }
    }

    /// Returns the question about a domain whose owner, of these names, is to be paid. An address or a name that the route
    /// would refuse is left out.
    #[must_use]
    pub fn to_pay<'a>(
        domain: DomainName,
        pay_to: Option<&str>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let pay_to = pay_to.map(str::trim).filter(|address| wallet_address::form(address).is_ok());
        let mut names = names.into_iter().map(plain).filter(|name| !name.is_empty());
        Self {
            domain,
            purpose: Purpose::Pay,
            pay_to: pay_to.map(str::to_owned),
            counterparty_name: names.next(),
            further_names: names.collect(),
        }
    }

    /// Returns the names of the counterparty.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.counterparty_name.iter().chain(&self.further_names).map(String::as_str)
    }

    /// Returns true if the question is about a payee, too.
    #[must_use]
    pub fn has_payee(&self) -> bool {
        self.pay_to.is_some() || self.counterparty_name.is_some()
    }
}

/// A name as it is compared, however it is spelt: with control characters as spaces, and cut where it is longer than a name.
fn plain(name: &str) -> String {
    let spaced: String = name.chars().map(|own| if own.is_control() { ' ' } else { own }).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.join(" ").chars().take(NAME_CHARS).collect()
}

/// The field `domain`, also of other questions that are about one.
pub const DOMAIN: Field<Text> = Field::text("domain", 1..=MAX_TEXT_BYTES).describe(
    "A name of the public DNS, in letters of any script or in A-labels: `example.com`, \
     `www.bücher.example`. TLS, headers, mail and CAA are looked at for this name, DNSSEC and the \
     registration for the one that was registered. No address, no URL, no wildcard, no public suffix, \
     no name of special use.",
);
const PURPOSE: Field<Words<Purpose>> =
    Field::words("purpose", &[("pay", Purpose::Pay), ("web", Purpose::Web), ("mail", Purpose::Mail)])
        .describe(
            "Why you ask: `pay` (you pay the owner, or call its interface), `web` (you read or cite its pages) or `mail` \
             (you exchange mail with it). It sets the weights of the checks, and which risks count.",
        )
        .or_first();
const PAY_TO: Field<Text> = Field::text("pay_to", 1..=ADDRESS_BYTES)
    .describe(
        "The address that you are asked to pay. The domain's own statements are searched for it: \
         `/.well-known/x402`, and TXT records at `_x402`.",
    )
    .pattern(r"^\s*[!-~]+\s*$")
    .synonyms("payto pay_to_address payee wallet");
const COUNTERPARTY_NAME: Field<Text> = Field::text("counterparty_name", 1..=NAME_CHARS)
    .describe(
        "The name under which the owner presents itself. It is compared with the organisation that the authority of the \
         certificate verified, and with well-known brands.",
    )
    .plain();

impl Question for TrustQuestion {
    const TABLE: Table = Table::new("TrustQuestion", &[&DOMAIN], &[&PURPOSE, &PAY_TO, &COUNTERPARTY_NAME])
        .describe("A domain to look at.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let domain = parse_domain(fields.text(&DOMAIN)?)?;
        let purpose = fields.choice(&PURPOSE)?;
        let pay_to = fields.optional_text(&PAY_TO)?.map(str::trim).map(str::to_owned);
        if let Some(address) = &pay_to {
            wallet_address::form(address).map_err(|error| {
                let detail = match error {
                    AddressError::Malformed => "must be an address of 1 to 256 printable ASCII characters".to_owned(),
                    AddressError::Unknown => {
                        "must be an address in a known form, such as 0x and 40 hex digits, and no name or link".to_owned()
                    }
                    AddressError::Checksum(kind) => {
                        format!("must have the {kind} checksum of its letters: it is mistyped")
                    }
                };
                fields.error(PAY_TO.name, Reason::Malformed, detail)
            })?;
        }
        let counterparty_name = fields.optional_text(&COUNTERPARTY_NAME)?.map(str::trim).map(str::to_owned);
        if counterparty_name.as_deref() == Some("") {
            return Err(fields.error(COUNTERPARTY_NAME.name, Reason::Empty, "must not be empty"));
        }
        Ok(Self { domain, purpose, pay_to, counterparty_name, further_names: Vec::new() })
    }

    fn subject_sha256(&self) -> Option<[u8; 32]> {
        Some(sha256(self.domain.as_str().as_bytes()))
    }

    fn cost(&self) -> Cost {
        Cost::Look
    }
}

/// Parses the text of the field `domain`.
///
/// # Errors
/// The text is no domain name.
pub fn parse_domain(text: &str) -> Result<DomainName, FieldError> {
    DomainName::parse(text.trim()).map_err(refusal)
}

/// The refusal of a question whose `domain` cannot be looked at.
pub(super) fn refusal(error: DomainError) -> FieldError {
    let reason = match error {
        DomainError::Empty => Reason::Empty,
        DomainError::TooLong => Reason::TooLong,
        DomainError::Malformed | DomainError::Punycode | DomainError::Wildcard => Reason::Malformed,
        DomainError::Address | DomainError::SpecialUse | DomainError::PublicSuffix => Reason::NotApplicable,
    };
    let mut path = Path::root();
    path.push_name(DOMAIN.name);
    FieldError { path, reason, detail: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<String, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        TrustQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map(|question| question.domain.to_string())
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn a_name_is_read_and_anything_else_is_refused_by_field() {
        assert_eq!(read(r#"{"domain":" Bücher.Example.COM. "}"#).as_deref(), Ok("xn--bcher-kva.example.com"));
        for body in [
            "{}",
            r#"{"domain":7}"#,
            r#"{"domain":""}"#,
            r#"{"domain":"https://example.com/"}"#,
            r#"{"domain":"192.0.2.1"}"#,
            r#"{"domain":"[::1]"}"#,
            r#"{"domain":"*.example.com"}"#,
            r#"{"domain":"a b.com"}"#,
        ] {
            assert_eq!(read(body).map_err(|(path, _)| path), Err("domain".to_owned()), "{body}");
        }
        let error = refusal(DomainError::SpecialUse);
        assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("domain", "not_applicable"));
        let long = format!(r#"{{"domain":"{}com"}}"#, "a.".repeat(126));
        assert_eq!(read(&long).map_err(|(path, _)| path), Err("domain".to_owned()));
    }

    #[test]
    fn an_address_that_the_route_would_refuse_is_left_out_and_a_name_is_made_plain() {
        let domain = || DomainName::parse("example.com").unwrap();
        let address = "0xab5801a7d398351b8be11c439e05c5b3259aec9b";
        let whole = TrustQuestion::to_pay(domain(), Some(address), [" Example Ltd ", "\t", "Other Ltd"]);
        assert_eq!(
            (whole.purpose, whole.pay_to.as_deref(), whole.counterparty_name.as_deref()),
            (Purpose::Pay, Some(address), Some("Example Ltd"))
        );
        assert_eq!(whole.further_names, ["Other Ltd"]);
        for (pay_to, name) in [(None, ""), (Some("alice.eth"), " "), (Some(" "), "\n")] {
            assert!(!TrustQuestion::to_pay(domain(), pay_to, [name]).has_payee(), "{pay_to:?}, {name}");
        }
        let named = |name: &str| TrustQuestion::to_pay(domain(), None, [name]).counterparty_name.unwrap();
        assert_eq!(
            named("PayPal\t  Inc"),
            "PayPal Inc",
            "nobody escapes a comparison by a control character"
        );
        assert_eq!(named(&"x".repeat(NAME_CHARS + 1)), "x".repeat(NAME_CHARS));
    }

    #[test]
    fn a_purpose_and_a_payee_are_read_and_others_are_refused_by_field() {
        let question = |body: &str| {
            let request = receipt::json::parse(body.as_bytes()).unwrap();
            TrustQuestion::read(&Fields::root(request.as_object().unwrap()))
                .map_err(|error| (error.path.dotted(), error.reason.code()))
        };
        let plain = question(r#"{"domain":"example.com"}"#).unwrap();
        assert_eq!((plain.purpose, plain.has_payee()), (Purpose::Pay, false));
        let mail =
            question(r#"{"domain":"example.com","purpose":"mail","counterparty_name":" Example Ltd "}"#);
        let mail = mail.unwrap();
        assert_eq!((mail.purpose, mail.counterparty_name.as_deref()), (Purpose::Mail, Some("Example Ltd")));
        let paid =
            question(r#"{"domain":"example.com","pay_to":" 0xab5801a7d398351b8be11c439e05c5b3259aec9b "}"#);
        assert_eq!(paid.unwrap().pay_to.unwrap().len(), 42);
        for (body, field) in [
            (r#"{"domain":"example.com","purpose":"love"}"#, "purpose"),
            (r#"{"domain":"example.com","purpose":7}"#, "purpose"),
            (r#"{"domain":"example.com","pay_to":"alice.eth"}"#, "pay_to"),
            (r#"{"domain":"example.com","pay_to":"0xAB5801a7d398351b8be11c439e05c5b3259aec9b"}"#, "pay_to"),
            (r#"{"domain":"example.com","pay_to":""}"#, "pay_to"),
            (r#"{"domain":"example.com","counterparty_name":" "}"#, "counterparty_name"),
        ] {
            assert_eq!(question(body).unwrap_err().0, field, "{body}");
        }
    }
}
