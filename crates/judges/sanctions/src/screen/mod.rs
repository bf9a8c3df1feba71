//! Code that the judges of this crate share.
//!
//! | module | holds |
//! |---|---|
//! | `asked` | the lists that a question asks |
//! | `subject` | the party that is asked about: its fields, and how they are read |
//! | `dismissal` | entries that the caller has cleared |
//! | `names` | a subject screened against several lists |
//! | `listed` | a list and an entry, as a finding shows them |
//! | `standing` | whether the lists may answer, and with what |
//! | `explanation` | verdicts in a sentence |
//! | `evidence` | what is kept for replays, and the lists of a replay |

mod asked;
mod dismissal;
mod evidence;
mod explanation;
mod listed;
mod names;
mod standing;
mod subject;
mod texts;

pub(crate) use asked::{AskedLists, LISTS, read_lists};
pub use dismissal::DismissedEntry;
pub(crate) use dismissal::{DISMISSED, entry_sha256};
pub(crate) use evidence::{evidence_of, lists_of};
pub(crate) use explanation::{name_explanation, named_lists};
pub(crate) use listed::{ListEvidence, party, rounded};
pub use listed::{Party, ScreenEvidence, ScreenedList};
pub(crate) use names::{CombinedScreen, ScreenHit, refuse_unless_listed, screen};
pub use names::{NameVerdict, QueryNote};
pub(crate) use standing::{
    objection_at_work, refuse_no_match, refuse_stale, refuse_without_sdn, refuse_without_sdn_wallets,
    unavailable, wallet_lists,
};
pub(crate) use subject::{
    BIRTH_DATE, COUNTRY, ENTITY, ID_NUMBER, IDENTIFIERS, KIND, MIN_SCORE, NAMES, NOT_COMPARED, SUBJECT,
    name_as,
};
pub use subject::{
    COUNTRY_CHARS, ENTITY_CHARS, ID_NUMBER_CHARS, MOST_IDENTIFIERS, MOST_NAMES, ScreenSubject,
};
