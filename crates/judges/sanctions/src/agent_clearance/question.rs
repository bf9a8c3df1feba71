//! The question of `/agent-clearance`, parsed once with its bounds.

use domain_name::DomainName;
use serde_json::json;
use trust::trust_score::{DOMAIN as TRUST_DOMAIN, parse_domain};
use verdict::{Cost, Field, FieldError, Fields, Question, Reason, Table, Text};

use crate::screen::{
    BIRTH_DATE, COUNTRY, DISMISSED, ID_NUMBER, IDENTIFIERS, KIND, MIN_SCORE, NAMES, NOT_COMPARED,
    ScreenSubject, name_as,
};
use crate::screen_wallet::{self, WALLET, WalletQuestion};

const NAME: Field<Text> = name_as("counterparty_name");

/// A counterparty: its name, known facts about it, and optionally its wallet and its domain.
///
/// ```
/// use receipt::json::parse;
/// use sanctions::agent_clearance::ClearanceQuestion;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     ClearanceQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// assert_eq!(read(r#"{"counterparty_name": "Viktor Bout"}"#)?.wallet, None);
///
/// let error = read(r#"{"counterparty_name": "Viktor Bout", "chain": "base"}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("wallet", "missing"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClearanceQuestion {
    /// Name of the counterparty, and facts about it.
    pub subject: ScreenSubject,
    /// Wallet of the counterparty; `None` if not given.
    pub wallet: Option<WalletQuestion>,
    /// Domain of the counterparty, in A-labels; `None` if not given. The judge refuses names outside the public DNS.
    pub domain: Option<DomainName>,
}

const DOMAIN: Field<Text> = TRUST_DOMAIN
    .describe(
        "The domain under which the counterparty offers what you pay for: a name of the public DNS, as /trust-score takes \
         it (`example.com`). It is judged for payments, with the wallet as the payee.",
    )
    .synonyms("domain_name website web_site site url hostname host_name");

const CHAIN: Field<Text> = screen_wallet::CHAIN.describe(
    "The chain that the wallet is looked at on: its name (base) or its CAIP-2 id (eip155:8453). An \
     address of 20 bytes is looked at on ethereum where none is named; on the lists it is looked for \
     whatever the chain.",
);

impl Question for ClearanceQuestion {
    const TABLE: Table = Table::new(
        "ClearanceQuestion",
        &[&NAME],
        &[
            &NAMES,
            &KIND,
            &BIRTH_DATE,
            &COUNTRY,
            &ID_NUMBER,
            &IDENTIFIERS,
            &MIN_SCORE,
            &DISMISSED,
            &WALLET,
            &CHAIN,
            &DOMAIN,
        ],
    )
    .describe("A counterparty: its name, what else is known of it, and perhaps its wallet and its domain.")
    .not_taking(&NOT_COMPARED)
    .refusing_misnamed()
    .with(|| json!({"dependentRequired": {"chain": ["wallet"]}}));

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let subject = ScreenSubject::read_as(&NAME, fields)?;
        let domain = fields.optional_text(&DOMAIN)?.map(parse_domain).transpose()?;
        if fields.value(WALLET.name).is_none() {
            // Whose wallet was forgotten must not be cleared by the name alone.
            return match fields.value(CHAIN.name) {
                Some(_) => {
                    Err(fields.error(WALLET.name, Reason::Missing, "is required where a chain is named"))
                }
                None => Ok(Self { subject, wallet: None, domain }),
            };
        }
        Ok(Self { subject, wallet: Some(WalletQuestion::read(fields)?), domain })
    }

    fn cost(&self) -> Cost {
        match Cost::micros(self.subject.micros()) {
            Cost::None if self.domain.is_some() => Cost::Look,
            cost => cost,
        }
    }
}
