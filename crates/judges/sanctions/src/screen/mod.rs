//! What the judges of sanctions share.
//!
//! | module | holds |
//! |---|---|
//! | `subject` | the party that is asked about: fields and bounds, and the same as a JSON Schema |
//! | `names` | a subject screened against several lists |
//! | `listed` | a list and an entry, as a finding shows them |
//! | `standing` | whether the lists may answer, and with what |
//! | `looked` | what is kept for replays, and the lists of a replay |

mod listed;
mod looked;
mod names;
mod standing;
mod subject;

pub(crate) use listed::{ListEvidence, party, rounded};
pub use listed::{Looked, LookedAt, Party};
pub(crate) use looked::{evidence_of, lists_of};
pub use names::{NameVerdict, Noticed};
pub(crate) use names::{Screening, refuse_unless_listed, screen};
pub(crate) use standing::{
    asked_of_names, asked_of_wallets, refuse_no_match, refuse_stale, refuse_without_sdn,
    refuse_without_sdn_wallets, unavailable,
};
pub use subject::{COUNTRY_CHARS, ENTITY_CHARS, ID_NUMBER_CHARS, Subject};
pub(crate) use subject::{members_as, properties, properties_as, subject_schema};
