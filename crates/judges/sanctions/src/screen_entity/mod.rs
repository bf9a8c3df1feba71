//! The judge behind `POST /screen-entity`, which looks a name up in the sanctions lists.
//!
//! # Invariants
//!
//! - `NO_MATCH` requires that every list was confirmed to be current within the last 24 hours.
//! - `NO_MATCH` requires lists that were read completely.
//! - `NO_MATCH` requires that the whole name was compared.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | fields of the question, and how they are read |
//! | `finding` | the finding, as the receipt shows it |
//! | `judge` | [`ScreenEntityJudge`]: the above behind [`verdict::Judge`] |

mod finding;
mod judge;
mod question;

pub use crate::screen::{
    COUNTRY_CHARS, ENTITY_CHARS, ID_NUMBER_CHARS, NameVerdict, Party, QueryNote, ScreenEvidence,
    ScreenSubject, ScreenedList,
};
pub use finding::{
    AlignedWords, EntityFinding, EntityMatch, FactEffect, FactName, IgnoredSense, IgnoredWords, METHOD,
    MatchedName, NameSide, ScoreParts,
};
pub(crate) use finding::{matched, matched_name, query_name};
pub use judge::ScreenEntityJudge;
pub use question::{EntityQuestion, MOST_MATCHES};
