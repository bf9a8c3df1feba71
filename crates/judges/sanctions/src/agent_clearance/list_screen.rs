//! The screen of a counterparty's name and wallet against the lists.

use receipt::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use verdict::Objection;
use wallet_address::normalise;
use watchlist::Topic;

use super::question::ClearanceQuestion;
use crate::live::{LiveList, LiveLists};
use crate::screen::{AskedLists, DismissedEntry, NameVerdict, QueryNote, rounded, screen, wallet_lists};
use crate::screen_entity::{EntityMatch, matched};
use crate::screen_wallet::{AddressForm, WalletMatch, WalletVerdict, address_form, matches, refused};

/// The most entries that are shown.
const MOST_MATCHES: usize = 10;

/// Result of screening the name against the lists.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct NameScreen {
    /// The worst of the matches' verdicts.
    pub verdict: NameVerdict,
    /// The best candidate's score, whether or not it is a match.
    #[schemars(range(min = 0, max = 1))]
    pub score: f64,
    /// The entries that the name may be, the best first, ten at most.
    pub matches: Vec<EntityMatch>,
    /// Minimum score of a match.
    pub min_score: f64,
    /// What came of each dismissed entry; absent where none was given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub dismissed: Vec<DismissedEntry>,
    /// Notes about the text of the name.
    pub query_notes: Vec<QueryNote>,
}

/// Result of looking the wallet up on the lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct WalletScreen {
    /// Verdict on the address.
    pub verdict: WalletVerdict,
    /// The address in the one spelling of its form. It was looked for in every form that it has.
    pub normalised: String,
    /// Form of the address.
    pub form: AddressForm,
    /// The entries that have it, ten at most.
    pub matches: Vec<WalletMatch>,
}

/// Results of the lists for a counterparty.
pub(super) struct ListScreen {
    /// Lists that were screened.
    pub(super) lists: Vec<LiveList>,
    pub(super) name: NameScreen,
    pub(super) wallet: Option<WalletScreen>,
}

impl ListScreen {
    /// Looks at the lists.
    ///
    /// # Errors
    /// No list answers names, none has addresses and a wallet was given, or the wallet is mistyped.
    pub(super) fn new(
        question: &ClearanceQuestion,
        live: &LiveLists,
        at: Timestamp,
    ) -> Result<Self, Objection> {
        let asked = AskedLists::new(live, &[])?;
        let wallet = question.wallet.as_ref().map(|wallet| {
            wallet_lists(live)?;
            let found = live.wallet_index().find(&wallet.wallet).map_err(refused)?;
            Ok::<_, Objection>(WalletScreen {
                verdict: if found.is_empty() { WalletVerdict::NoMatch } else { WalletVerdict::Match },
                normalised: normalise(&wallet.wallet).into_owned(),
                form: address_form(&wallet.wallet),
                matches: matches(live, found).into_iter().take(MOST_MATCHES).collect(),
            })
        });
        let wallet = wallet.transpose()?;
        let screening = screen(&asked, &question.subject, MOST_MATCHES, at);
        let name = NameScreen {
            verdict: screening.verdict,
            score: rounded(screening.score),
            matches: screening.hits.iter().filter_map(|hit| matched(hit, &question.subject)).collect(),
            min_score: question.subject.min_score(),
            dismissed: screening.dismissed,
            query_notes: screening.query_notes,
        };
        let is_looked_at = |list: &&LiveList| {
            list.indexed.answers_names() || (wallet.is_some() && list.indexed.answers_wallets())
        };
        let lists = live.all().iter().filter(is_looked_at).cloned().collect();
        Ok(Self { lists, name, wallet })
    }

    /// Tests that the lists alone give `BLOCK`.
    pub(super) fn blocks(&self) -> bool {
        self.name.verdict == NameVerdict::Match || self.has_sanctioned_wallet()
    }

    /// Tests that a list of sanctions has the wallet.
    pub(super) fn has_sanctioned_wallet(&self) -> bool {
        self.wallet_topics().any(|topic| topic.is_sanctions())
    }

    /// Tests that lists of other topics have the wallet, and no list of sanctions.
    pub(super) fn has_wallet_of_other_topic(&self) -> bool {
        !self.has_sanctioned_wallet() && self.wallet_topics().next().is_some()
    }

    fn wallet_topics(&self) -> impl Iterator<Item = Topic> + '_ {
        self.wallet.iter().flat_map(|wallet| &wallet.matches).map(|found| found.topic)
    }

    /// Tests that one of the lists is stale.
    pub(super) fn is_stale(&self, at: Timestamp) -> bool {
        self.lists.iter().any(|list| list.age(at).is_stale())
    }
}
