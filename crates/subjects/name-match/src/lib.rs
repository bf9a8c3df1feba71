//! The name comparison: screens a name against a list and explains each hit.
//!
//! It is pure: an [`Index`] is built from a list, and the result of a screen depends on the index and the query alone,
//! without a clock, a network or threads. The same query gives the same result on any machine.
//!
//! | step | modules |
//! |---|---|
//! | a text read into words of Latin letters | `segmented_text`, `word`, `script`, `romanise`, `look_alike` |
//! | words classified: titles, legal forms, initials | `parse`, `lexicon`, `weight`, `frequency` |
//! | the list's words, and candidates for a question | [`Index`], `vocabulary`, `variants`, `prepared_query` |
//! | words compared and paired | `similarity`, `distance`, `fold`, `align`, `whole` |
//! | a score, then the facts about the party | `score`, [`method`], [`Facts`], `country` |
//! | the answer | [`ScreenResult`], [`Hit`] |
//!
//! ```
//! use name_match::{Index, Query, Scratch, Verdict};
//!
//! let list = watchlist::demo::list();
//! let index = Index::build(&list);
//! let query = Query { name: "Viktor Anatolyevich Bout", ..Query::default() };
//! let screened = index.screen(&list, &query, 10, &mut Scratch::default());
//! assert_eq!(screened.verdict, Verdict::Match);
//! assert_eq!(list.entries[screened.hits[0].entry].primary(), "BOUT, Viktor Anatolyevich");
//! ```

mod align;
mod country;
mod distance;
mod facts;
mod fold;
mod frequency;
mod index;
mod lexicon;
mod look_alike;
pub mod method;
mod parse;
mod prepared_query;
mod romanise;
mod score;
mod screen;
mod script;
mod segmented_text;
mod similarity;
mod variants;
mod vocabulary;
mod weight;
mod whole;
mod word;

pub use country::Country;
pub use facts::{Fact, Facts, ScoreEffect};
pub use index::Index;
pub use score::ScoreSums;
pub use screen::{
    AlignedPair, ComparisonSide, Hit, IgnoredCategory, IgnoredSpan, Query, Scratch, ScreenResult, Verdict,
    compare,
};
pub use segmented_text::TextNotes;
pub use whole::{NameContent, name_content};
