//! Screening a name against a list.
//!
//! Pure: a list goes in, an [`Index`] comes out, and screening is a function of index and question alone. No clock, no
//! network, no threads; the same question gives the same answer on any machine.

mod align;
mod country;
mod distance;
mod facts;
mod fold;
mod index;
mod lexicon;
mod look_alike;
pub mod method;
mod parse;
mod question;
mod reading;
mod romanise;
mod score;
mod screen;
mod script;
mod similarity;
mod variants;
mod vocabulary;
mod weight;
mod whole;

pub use country::Country;
pub use facts::{Effect, Fact, Facts};
pub use index::Index;
pub use reading::Noticed;
pub use score::Tally;
pub use screen::{Aligned, Aside, Hit, Query, Scratch, Screened, SetAside, Side, Verdict, compare};
pub use whole::{Says, says};
