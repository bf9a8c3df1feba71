//! The judge behind `POST /screen-entity`: whether a name is on a sanctions list.
//!
//! What never happens: `NO_MATCH` is said by a list that nobody has confirmed for a day, by one that was not read whole,
//! or of a name that was only compared in part.
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
pub(crate) use finding::{matched, matched_name};
pub use judge::ScreenEntityJudge;
pub use question::{EntityQuestion, MOST_MATCHES};
