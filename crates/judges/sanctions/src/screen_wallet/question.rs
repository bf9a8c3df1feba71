//! The question of `/screen-wallet`, parsed once with its bounds.

use verdict::{Field, FieldError, Fields, Question, Reason, Table, Text};
use wallet_address::{ADDRESS_BYTES, AddressError};

/// Maximum length of a chain's name, in Unicode characters.
pub const CHAIN_CHARS: usize = 64;

/// The question of a wallet screen: an address. A wrong checksum is an error only if the address is not listed, since
/// some listed addresses have a wrong checksum.
///
/// ```
/// use receipt::json::parse;
/// use sanctions::screen_wallet::WalletQuestion;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     WalletQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// assert_eq!(read(r#"{"wallet": " 0xab5801a7d398351b8be11c439e05c5b3259aec9b "}"#)?.wallet.len(), 42);
///
/// let error = read(r#"{"wallet": "two words"}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("wallet", "malformed"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WalletQuestion {
    /// The address, without surrounding white space: 1 to [`ADDRESS_BYTES`] printable ASCII characters.
    pub wallet: String,
    /// The chain, in the caller's words; `None` if not given.
    pub chain: Option<String>,
}

pub(crate) const WALLET: Field<Text> = Field::text("wallet", 1..=ADDRESS_BYTES)
    .describe(
        "The address, of any chain, in any form that stands for it: hex with or without 0x, bech32 in \
         either case, CashAddr with or without its prefix, Tron's and XDC's hex, a Monero address with a \
         payment's number, and a coin's URI scheme or a CAIP-10 chain before any of them. One whose \
         checksum does not hold, or that is in no known form, is refused with 400, unless a list has it \
         just so.",
    )
    .pattern(r"^\s*[!-~]+\s*$")
    .synonyms(
        "address addr account_address crypto_address blockchain_address eth_address btc_address \
         deposit_address pay_to",
    );
pub(crate) const CHAIN: Field<Text> = Field::text("chain", 1..=CHAIN_CHARS)
    .describe(
        "The chain; repeated in the receipt. It narrows nothing: an address is looked for under every \
         currency.",
    )
    .plain()
    .synonyms("network blockchain");

impl Question for WalletQuestion {
    const TABLE: Table = Table::new("WalletQuestion", &[&WALLET], &[&CHAIN])
        .describe("A digital currency address.")
        .refusing_misnamed();

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let wallet = fields.text(&WALLET)?.trim();
        if wallet.is_empty() {
            return Err(fields.error(WALLET.name, Reason::Empty, "must not be empty"));
        }
        if !wallet.bytes().all(|byte| byte.is_ascii_graphic()) {
            let detail = "must be printable ASCII characters without spaces";
            return Err(fields.error(WALLET.name, Reason::Malformed, detail));
        }
        let chain = fields.optional_text(&CHAIN)?.map(str::to_owned);
        Ok(Self { wallet: wallet.to_owned(), chain })
    }
}

/// The address cannot be right.
pub(crate) fn refused(error: AddressError) -> FieldError {
    let mut path = receipt::json::Path::root();
    path.push_name(WALLET.name);
    let detail = match error {
        AddressError::Malformed => "must be an address".to_owned(),
        AddressError::Unknown => "must be an address in a known form, and no name or link".to_owned(),
        AddressError::Checksum(kind) => {
            format!("must have the {kind} checksum of its letters: it is mistyped")
        }
    };
    FieldError { path, reason: Reason::Malformed, detail }
}
