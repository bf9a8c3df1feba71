//! The finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::quoted;
use wallet_address::{Form, ListedWallet, form, normalise};
use watchlist::Topic;

use super::question::WalletQuestion;
use crate::live::LiveLists;
use crate::screen::{ListEvidence, Party, ScreenEvidence, ScreenedList, named_lists, party};

/// Name and version of the rules in this module.
pub const METHOD: &str = "screen-wallet/2";

const SCOPE: &str = "An exact look-up of the address among those that the sanctions lists named here give: it does \
    not say who controls the address, what it has to do with listed ones, or that its owner is on no list.";

/// The verdict on an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WalletVerdict {
    /// No list has it.
    NoMatch,
    /// A list has the address.
    Match,
}

/// Form of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AddressForm {
    /// 20 bytes in hex: EVM chains.
    Evm,
    /// Bitcoin's segregated-witness addresses and similar ones (BIP 173, BIP 350).
    Bech32,
    /// Bitcoin Cash.
    CashAddr,
    /// Base58 with a checksum: Bitcoin's older addresses and similar ones, Tron, Ripple.
    Base58Check,
    /// 32 bytes in base58, without a checksum: Solana.
    Base58,
    /// Monero's, with its checksum; or hex without one, where nothing tells a mistyped address: Tron's (`41...`), XDC's
    /// (`xdc...`), and the 30 to 32 bytes of Sui, Aptos and Starknet.
    Other,
    /// The checksum does not hold, or the form is unknown. Answered where a list has it just so, or had when its watch
    /// began; any other is a 400.
    Invalid,
}

/// The finding of `POST /screen-wallet`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct WalletFinding {
    /// The verdict.
    pub verdict: WalletVerdict,
    /// The address as it was asked, without the space around it.
    pub wallet: String,
    /// The chain as it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// The address in the one spelling of its form. It was looked for in every form that it has.
    pub normalised: String,
    /// Form of the address.
    pub form: AddressForm,
    /// The entries that have it.
    pub matches: Vec<WalletMatch>,
    /// All lists that were searched: the lists that have addresses.
    pub lists: Vec<ScreenedList>,
    /// Evidence: the time of the screen and the snapshots.
    pub evidence: ScreenEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// Scope of the verdict, and its limits.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided.
    pub method: Cow<'static, str>,
}

/// An entry that has the address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct WalletMatch {
    /// The listed party.
    #[serde(flatten)]
    pub party: Party,
    /// Why parties are on the list.
    pub topic: Topic,
    /// Addresses of the entry that are the same account, as the list writes them.
    pub listed_as: Vec<ListedAs>,
}

/// An address of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ListedAs {
    /// Address as the list writes it.
    pub address: String,
    /// The currency that it is filed under; absent where the list names none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schemars(default)]
    pub currency: String,
}

/// Makes the finding on lists that cover wallets; `None` where there is none.
pub(super) fn find(question: &WalletQuestion, lists: &LiveLists, at: Timestamp) -> Option<WalletFinding> {
    let looked = ListEvidence::of(lists.wallets(), at)?;
    let found = lists.wallet_index().listed(&question.wallet);
    let verdict = if found.is_empty() { WalletVerdict::NoMatch } else { WalletVerdict::Match };
    let matches = matches(lists, found);
    let wallet = quoted(&question.wallet);
    let explanation = match matches.first() {
        Some(found) => format!(
            "The address {wallet} is on {}, of {}.",
            quoted(&found.party.list),
            quoted(&found.party.name)
        ),
        None => format!("The address {wallet} is on none of {}.", named_lists(&looked.lists)),
    };
    Some(WalletFinding {
        verdict,
        explanation,
        wallet: question.wallet.clone(),
        chain: question.chain.clone(),
        normalised: normalise(&question.wallet).into_owned(),
        form: address_form(&question.wallet),
        matches,
        scope: looked.scope(SCOPE),
        lists: looked.lists,
        evidence: looked.evidence,
        method: METHOD.into(),
    })
}

/// An entry once, however often it has the address: lists of sanctions first, so that no others push them out of sight, then
/// in the order of lists and entries.
pub(crate) fn matches(lists: &LiveLists, found: &[ListedWallet]) -> Vec<WalletMatch> {
    let mut matches: Vec<WalletMatch> = Vec::new();
    for entries in found.chunk_by(|one, other| (one.list, one.entry) == (other.list, other.entry)) {
        let resolved = || entries.iter().filter_map(|one| lists.wallet_index().resolve(one));
        let Some((list, entry, _)) = resolved().next() else { continue };
        let listed_as = resolved().map(|(_, _, wallet)| ListedAs {
            address: wallet.address.to_string(),
            currency: wallet.currency.to_string(),
        });
        let listed_as = listed_as.collect();
        matches.push(WalletMatch { party: party(entry), topic: list.topic, listed_as });
    }
    matches.sort_by_key(|found| !found.topic.is_sanctions());
    matches
}

/// Form of an address, or `Invalid`.
pub(crate) fn address_form(address: &str) -> AddressForm {
    match form(address) {
        Ok(Form::Evm) => AddressForm::Evm,
        Ok(Form::Bech32) => AddressForm::Bech32,
        Ok(Form::CashAddr) => AddressForm::CashAddr,
        Ok(Form::Base58Check | Form::RippleBase58Check) => AddressForm::Base58Check,
        Ok(Form::Base58) => AddressForm::Base58,
        Ok(Form::Other) => AddressForm::Other,
        Err(_) => AddressForm::Invalid,
    }
}
