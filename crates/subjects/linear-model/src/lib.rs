//! Linear models over hashed character n-grams: small, quick, and the same on every machine.
//!
//! A [`Model`] gives each n-gram of a text a whole number of steps, and a text's score is their sum. Sums of whole numbers
//! do not depend on their order, so a score is the same wherever and however it is computed, and the score of any part of
//! a text is the difference of two running sums: all windows of a text cost as much as the text.
//!
//! [`train`] learns a model from labelled texts by logistic regression. The same rows and options give the same bytes.
//!
//! # Invariants
//!
//! - The steps of a text are a pure function of the text and the model.
//!
//! - Training reads its rows in an order that its seed fixes, and adds in a fixed order, with the exponential of `libm`.
//!
//! - A file that is not a model is an error; no bytes cause a panic.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`Model`] | the steps of each bucket, and their form in a file |
//! | [`ngrams`], [`NgramOptions`] | the hashed n-grams of a text |
//! | [`feature`] | the bucket of a feature that the caller computes |
//! | [`train`], [`Row`], [`TrainingOptions`] | learning |
//!
//! # Example
//!
//! ```
//! use linear_model::{Model, NgramOptions, Row, TrainingOptions, train};
//!
//! let options = NgramOptions { least: 1, most: 3, bits: 12 };
//! let rows: Vec<Row> = [("good day", false), ("bad day", true), ("good night", false), ("bad night", true)]
//!     .iter()
//!     .map(|(text, is_positive)| Row::of(text, options, *is_positive))
//!     .collect();
//! let model = train(&rows, options, TrainingOptions::default());
//! assert!(model.log_odds("bad morning") > model.log_odds("good morning"));
//! assert_eq!(Model::read(&model.to_bytes())?.to_bytes(), model.to_bytes());
//! # Ok::<(), linear_model::ModelError>(())
//! ```

mod model;
mod ngrams;
mod train;

pub use model::{MAX_BITS, Model, ModelError, probability};
pub use ngrams::{MAX_NGRAM, NgramOptions, feature, ngrams};
pub use train::{Row, TrainingOptions, train};
