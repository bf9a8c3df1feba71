//! The question, read once and bounded at the edge.

use verdict::{Cost, FieldError, Fields, Member, Question, Reason};

use crate::screen::{ScreenSubject, members_as};
use crate::screen_wallet::{self, WalletQuestion};

/// The field of the name.
pub(super) const NAME: &str = "counterparty_name";

/// A counterparty: its name, what else is known of it, and perhaps its wallet.
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
    /// Wallet of the counterparty, where one is given.
    pub wallet: Option<WalletQuestion>,
}

const MEMBERS: [Member; 7] = {
    let [name, kind, birth_date, country, id_number] = members_as(NAME);
    let [wallet, chain] = screen_wallet::MEMBERS;
    [name, kind, birth_date, country, id_number, wallet, chain]
};

impl Question for ClearanceQuestion {
    const MEMBERS: &'static [Member] = &MEMBERS;

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let subject = ScreenSubject::read_as(NAME, fields)?;
        if fields.value("wallet").is_none() {
            // Whose wallet was forgotten must not be cleared by the name alone.
            return match fields.value("chain") {
                Some(_) => Err(fields.error("wallet", Reason::Missing, "is required where a chain is named")),
                None => Ok(Self { subject, wallet: None }),
            };
        }
        Ok(Self { subject, wallet: Some(WalletQuestion::read(fields)?) })
    }

    fn cost(&self) -> Cost {
        Cost::micros(self.subject.micros())
    }
}
