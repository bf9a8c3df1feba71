//! Well-known brands, and the domain names that resemble theirs.
//!
//! # Invariants
//!
//! - A brand's own name of the list is never a look-alike, of no brand.
//!
//! - A look is a pure function of the name and the lists, and takes no longer with more brands.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`brands()`], [`brand`], [`owner`] | the brands, with their categories and their own names |
//! | [`look_alike`], [`LookAlike`], [`Resemblance`] | the brand that a name resembles |
//! | [`resembled_brand`] | the brand that a label resembles by its letters (UTS 39, edit distance) |
//! | [`FILES`] | the text of all lists, to hash |
//!
//! # Example
//!
//! ```
//! use brand_names::{Resemblance, look_alike};
//! use domain_name::{PublicSuffixes, Rules, Subject};
//!
//! let subject = Subject::parse("paypal-login.com", &PublicSuffixes::bundled(), &Rules::default())?;
//! let found = look_alike(&subject).expect("it is not PayPal's");
//! assert_eq!((found.brand.as_str(), found.resemblance), ("paypal", Resemblance::Combination));
//! assert_eq!(found.words, ["login"]);
//! # Ok::<(), domain_name::DomainError>(())
//! ```

mod brands;
mod combination;
mod letters;
mod look_alike;
#[cfg(test)]
mod tests;

pub use brands::{
    BRAND_TOP_LEVELS, Brand, Category, FILES, OPEN_COUNTRIES, abused_top_levels, brand, brands, lure_words,
    other_words, owner,
};
pub use letters::{MIN_DISTANCE_LETTERS, resembled_brand};
pub use look_alike::{DELIVERY_DOMAINS, LookAlike, Resemblance, is_owned, look_alike};
