//! Published models of financial distress over a company's accounts, with every term of every score, and a verdict from their
//! zones and votes.
//!
//! # Invariants
//!
//! - All is a pure function of its arguments: there is no clock, no file and no connection. Sums have a fixed order, and logarithms,
//!   exponentials and the error function are those of `libm`, so that a score is the same on every machine.
//!
//! - No result holds an infinity or a NaN: every number of a result is a [`Finite`], and every divisor and logarithm is checked.
//!
//! - A model either has a score, or stands among those not computed with the inputs that it lacks or refuses, by name.
//!
//! - An item that was refused (out of its range, or in contradiction to another) is used by no model, and is not derived from others.
//!
//! - `SAFE` and `DISTRESS` are never given with fewer than [`MIN_COMPUTED`] of the five models that decide.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`assess`], [`Assessment`], [`DistressVerdict`], [`VerdictReason`] | the verdict, and all that it rests on |
//! | [`Financials`], [`Item`], [`Year`], [`Amount`], [`Currency`] | accounts as they were given |
//! | [`score_items`], [`score_ratios`], [`ModelScore`], [`NotComputed`] | one model, from items or from its own ratios |
//! | [`model`], [`ratios`], [`Model`], [`ModelId`], [`Paper`], [`Coefficient`], [`Zones`] | the models as data |
//! | [`solve`], [`MertonInputs`], [`Solution`] | Merton's two equations |
//! | [`InputFault`], [`FaultReason`] | an input that is missing or refused |
//! | [`check_case`] | a row of a file of test cases |
//! | [`canonical_rules`] | all that a score depends on, to hash |
//!
//! # Example
//!
//! ```
//! use distress::{DistressVerdict, Financials, ModelId, assess, score_items};
//! use serde_json::json;
//!
//! let accounts = Financials::from_json(&json!({
//!     "currency": "USD", "period_end": "2025-12-31", "sic": "3571",
//!     "current_assets": "600", "current_liabilities": "200", "total_assets": "1000", "total_liabilities": "400",
//!     "retained_earnings": "300", "ebit": "150", "pretax_income": "140", "net_income": "110", "revenue": "1200",
//!     "market_value": "2000",
//! })).map_err(|errors| errors[0].clone())?;
//!
//! // 1.2 x 0.4 + 1.4 x 0.3 + 3.3 x 0.15 + 0.6 x 5 + 0.999 x 1.2
//! let score = score_items(ModelId::AltmanZ, &accounts).expect("all of its items are there");
//! assert!((score.score.get() - 5.5938).abs() < 1e-12);
//!
//! let day = "2026-03-01".parse().expect("it is a day");
//! let assessment = assess(&accounts, day);
//! assert_eq!(assessment.verdict, DistressVerdict::Safe);
//! assert_eq!(assessment.computed, 3);
//! # Ok::<(), distress::InputError>(())
//! ```

mod case;
mod catalogue;
mod checks;
mod financials;
mod formula;
mod item;
mod merton;
mod model;
mod number;
mod score;
mod verdict;

pub use case::{MAX_CASE_MEMBERS, check_case};
pub use catalogue::{model, ratios};
pub use checks::{BALANCE_TOLERANCE, FaultReason, InputFault, PART_TOLERANCE};
pub use financials::{Currency, Financials, InputError, InputProblem, MAX_MEMBERS};
pub use formula::{MAX_RATIO, UsedItem};
pub use item::{Item, MAX_AMOUNT, Year, name_in};
pub use merton::{
    MAX_BISECTIONS, MAX_NEWTON_STEPS, MAX_RESIDUAL, MertonInputs, Solution, SolvedInput, YEARS, solve,
};
pub use model::{Coefficient, Link, Measure, Model, ModelId, Paper, Signal, Threshold, Zone, Zones};
pub use number::{Amount, AmountError, DECIMALS, Finite, MAX_AMOUNT_CHARS};
pub use score::{ModelScore, NotComputed, Term, score_items, score_ratios};
pub use verdict::{
    AltmanChoice, Assessment, DistressVerdict, FINANCIAL_FIRMS, MANUFACTURERS, MAX_AGE_MONTHS, MIN_COMPUTED,
    VOTERS, VOTES_FOR_DISTRESS, VerdictReason, Vote, assess,
};

/// All that a score depends on, to hash: the crate's code with its tables, so that two sets of rules that judge differently never
/// have one hash.
#[must_use]
pub fn canonical_rules() -> Vec<u8> {
    let code = [
        include_str!("catalogue/accounts.rs"),
        include_str!("catalogue/altman.rs"),
        include_str!("catalogue/failure.rs"),
        include_str!("catalogue/mod.rs"),
        include_str!("checks.rs"),
        include_str!("financials.rs"),
        include_str!("formula.rs"),
        include_str!("item.rs"),
        include_str!("lib.rs"),
        include_str!("merton.rs"),
        include_str!("model.rs"),
        include_str!("number.rs"),
        include_str!("score.rs"),
        include_str!("verdict.rs"),
    ];
    code.concat().into_bytes()
}
