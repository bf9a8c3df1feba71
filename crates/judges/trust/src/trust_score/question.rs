//! The question of `/trust-score`, parsed once with its bounds.

use domain_name::{DomainError, DomainName, MAX_TEXT_BYTES};
use receipt::json::Path;
use verdict::{Cost, Field, FieldError, Fields, Question, Reason, Table, Text};

/// The question of `/trust-score`: a domain. The judge, not this type, refuses names outside the public DNS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrustQuestion {
    /// The domain name, in A-labels.
    pub domain: DomainName,
}

const DOMAIN: Field<Text> = Field::text("domain", 1..=MAX_TEXT_BYTES).describe(
    "A name of the public DNS, in letters of any script or in A-labels: `example.com`, \
     `www.bücher.example`. TLS, headers, mail and CAA are looked at for this name, DNSSEC and the \
     registration for the one that was registered. No address, no URL, no wildcard, no public suffix, \
     no name of special use.",
);

impl Question for TrustQuestion {
    const TABLE: Table = Table::new("TrustQuestion", &[&DOMAIN], &[]).describe("A domain to look at.");

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let domain = fields.text(&DOMAIN)?;
        Ok(Self { domain: DomainName::parse(domain.trim()).map_err(refusal)? })
    }

    fn cost(&self) -> Cost {
        Cost::Look
    }
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
}
