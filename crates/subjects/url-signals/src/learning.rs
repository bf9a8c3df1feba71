//! Learning the model.

use domain_name::PublicSuffixes;
use linear_model::{Model, NgramOptions, Row, TrainingOptions, train};
use web_address::WebAddress;

use crate::facts::Facts;
use crate::features::features;
use crate::find;

/// A labelled address.
#[derive(Clone, Debug)]
pub struct Example {
    /// The address.
    pub address: WebAddress,
    /// True for phishing.
    pub is_phishing: bool,
    /// The number of examples that this one counts for.
    pub weight: f64,
}

/// The options of learning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LearningOptions {
    /// Two to this power is the number of buckets.
    pub bits: u8,
    /// The options of training.
    pub training: TrainingOptions,
}

impl Default for LearningOptions {
    fn default() -> Self {
        Self { bits: 17, training: TrainingOptions { epochs: 15, rate: 0.02, decay: 1e-5, seed: 1 } }
    }
}

/// Learns a model from addresses. The same examples and options give the same model.
#[must_use]
pub fn learn(examples: &[Example], options: LearningOptions) -> Model {
    let suffixes = PublicSuffixes::bundled();
    let rows: Vec<Row> = examples
        .iter()
        .map(|example| {
            let facts = Facts::of(&example.address, &suffixes);
            let signals = find::signals(&facts, &suffixes);
            Row::of_features(&features(&facts, &signals, options.bits), example.is_phishing)
                .weighing(example.weight)
        })
        .collect();
    train(&rows, NgramOptions { least: 2, most: 5, bits: options.bits }, options.training)
}
