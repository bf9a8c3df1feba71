//! The question of `/scan-url`, parsed once with its bounds.

use verdict::{Cost, Field, FieldError, Fields, Flag, Question, Reason, Table, Text};
use web_address::{AddressError, MAX_ADDRESS_BYTES, WebAddress};

/// The question of `/scan-url`: an address.
#[derive(Clone, Debug)]
pub struct UrlQuestion {
    /// The address as it came.
    pub url: String,
    /// The address as a browser reads it.
    pub address: WebAddress,
    /// True if its redirects are to be followed.
    pub follow: bool,
    /// True if the age of its domain is to be asked for.
    pub age: bool,
}

pub(super) const URL: Field<Text> = Field::text("url", 1..=MAX_ADDRESS_BYTES)
    .describe("The address, as it came: with any scheme, or none. It is not opened unless `follow` is true.")
    .synonyms("uri link address href");
pub(super) const FOLLOW: Field<Flag> = Field::flag("follow")
    .describe(
        "Whether the notary opens the address, follows its redirects, and scans each address on the way.",
    )
    .synonyms("redirects follow_redirects");
pub(super) const AGE: Field<Flag> = Field::flag("age")
    .describe("Whether the notary asks the registry (RDAP) since when the domain is registered.")
    .synonyms("domain_age");

/// Processor time of an address in its views; most have less than a hundred bytes.
const MICROS_PER_KIB: u64 = 600;

impl Question for UrlQuestion {
    const TABLE: Table = Table::new("UrlQuestion", &[&URL], &[&FOLLOW, &AGE])
        .describe("An address to scan.")
        .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let url = fields.text(&URL)?;
        let address = WebAddress::parse(url).map_err(|error| {
            let reason = match error {
                AddressError::Empty => Reason::Empty,
                AddressError::TooLong => Reason::TooLong,
                AddressError::NoHost | AddressError::Host | AddressError::Port => Reason::Malformed,
            };
            fields.error(URL.name, reason, error.to_string())
        })?;
        Ok(Self { url: url.to_owned(), address, follow: fields.flag(&FOLLOW)?, age: fields.flag(&AGE)? })
    }

    fn cost(&self) -> Cost {
        if self.follow || self.age {
            Cost::Look
        } else {
            Cost::micros(self.url.len() as u64 * MICROS_PER_KIB / 1024)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<UrlQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        UrlQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn an_address_is_read_and_nothing_is_asked_unless_it_is_wanted() {
        let question = read(r#"{"url":"HTTPS://Example.com/a"}"#).unwrap();
        assert_eq!(question.address.canonical(), "https://example.com/a");
        assert_eq!((question.follow, question.age, question.cost()), (false, false, Cost::None));
        let question = read(r#"{"url":"javascript:alert(1)","follow":true}"#).unwrap();
        assert_eq!((question.follow, question.cost()), (true, Cost::Look));
        let long = format!(r#"{{"url":"http://a.example/{}"}}"#, "a".repeat(MAX_ADDRESS_BYTES));
        for (body, field, code) in [
            ("{}", "url", "missing"),
            (r#"{"url":7}"#, "url", "wrong_type"),
            (r#"{"url":""}"#, "url", "empty"),
            (r#"{"url":"  "}"#, "url", "empty"),
            (r#"{"url":"http://"}"#, "url", "malformed"),
            (r#"{"url":"http://a.example:99999/"}"#, "url", "malformed"),
            (r#"{"url":"http://a.example","follow":"yes"}"#, "follow", "wrong_type"),
            (r#"{"url":"http://a.example","age":1}"#, "age", "wrong_type"),
            (&long, "url", "too_long"),
        ] {
            assert_eq!(read(body).unwrap_err(), (field.to_owned(), code), "{:.60}", body);
        }
    }
}
