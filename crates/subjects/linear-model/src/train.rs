//! Logistic regression over hashed n-grams.

use crate::model::{Model, norm, probability};
use crate::ngrams::{NgramOptions, ngrams};

/// A labelled text, as the buckets of its n-grams.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The buckets in rising order, each with the factor of its n-grams times their number.
    features: Vec<(u32, f32)>,
    /// The label.
    pub is_positive: bool,
    /// The number of rows that this one counts for.
    pub weight: f64,
}

impl Row {
    /// Makes a row of a text, as it is.
    #[must_use]
    pub fn of(text: &str, options: NgramOptions, is_positive: bool) -> Self {
        Self::of_characters(&text.chars().collect::<Vec<_>>(), options, is_positive)
    }

    /// Makes a row of characters.
    #[must_use]
    pub fn of_characters(characters: &[char], options: NgramOptions, is_positive: bool) -> Self {
        let mut buckets = Vec::new();
        ngrams(characters, options, |_, bucket| buckets.push(bucket));
        buckets.sort_unstable();
        let factor = norm(characters.len());
        let features = buckets
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], (same.len() as f64 * factor) as f32))
            .collect();
        Self { features, is_positive, weight: 1.0 }
    }

    /// Makes a row of features that the caller computed: buckets, each with its value. Values of one bucket are added.
    #[must_use]
    pub fn of_features(features: &[(u32, f32)], is_positive: bool) -> Self {
        let mut sorted = features.to_vec();
        sorted.sort_by_key(|(bucket, _)| *bucket);
        let features = sorted
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, same.iter().map(|(_, value)| value).sum()))
            .collect();
        Self { features, is_positive, weight: 1.0 }
    }

    /// The same row, counting for this many.
    #[must_use]
    pub fn weighing(self, weight: f64) -> Self {
        Self { weight, ..self }
    }
}

/// The options of training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TrainingOptions {
    /// The times that each row is learnt from.
    pub epochs: u32,
    /// The length of the first step.
    pub rate: f64,
    /// The pull of each weight to zero, a row that it is in.
    pub decay: f64,
    /// The seed of the order of the rows.
    pub seed: u64,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        Self { epochs: 10, rate: 0.1, decay: 1e-6, seed: 1 }
    }
}

/// Learns a model: logistic regression by stochastic gradient descent, whose steps shorten for each weight with what it has
/// learnt already (Duchi, Hazan and Singer 2011).
#[must_use]
pub fn train(rows: &[Row], options: NgramOptions, training: TrainingOptions) -> Model {
    let mut learner = Learner::new(1 << options.bits, training);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut random = SplitMix(training.seed);
    for _ in 0..training.epochs {
        // Fisher and Yates.
        for last in (1..order.len()).rev() {
            let other = (random.next() % (last as u64 + 1)) as usize;
            order.swap(last, other);
        }
        order.iter().for_each(|row| learner.learn(&rows[*row]));
    }
    Model::of_weights(options, &learner.weights, learner.bias)
}

struct Learner {
    weights: Vec<f64>,
    /// The sum of each weight's squared gradients.
    squares: Vec<f64>,
    bias: f64,
    bias_squares: f64,
    training: TrainingOptions,
}

impl Learner {
    fn new(buckets: usize, training: TrainingOptions) -> Self {
        Self {
            weights: vec![0.0; buckets],
            squares: vec![0.0; buckets],
            bias: 0.0,
            bias_squares: 0.0,
            training,
        }
    }

    fn learn(&mut self, row: &Row) {
        let sum = row
            .features
            .iter()
            .fold(self.bias, |sum, (bucket, value)| sum + self.weights[*bucket as usize] * f64::from(*value));
        let label = if row.is_positive { 1.0 } else { 0.0 };
        let error = (probability(sum) - label) * row.weight;
        let TrainingOptions { rate, decay, .. } = self.training;
        for (bucket, value) in &row.features {
            let (weight, squares) =
                (&mut self.weights[*bucket as usize], &mut self.squares[*bucket as usize]);
            let gradient = error * f64::from(*value) + decay * *weight;
            *squares += gradient * gradient;
            *weight -= rate * gradient / (libm::sqrt(*squares) + SMALL);
        }
        self.bias_squares += error * error;
        self.bias -= rate * error / (libm::sqrt(self.bias_squares) + SMALL);
    }
}

/// Keeps the first division from being one by zero.
const SMALL: f64 = 1e-8;

/// The generator `SplitMix64` (Steele, Lea and Flood 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature;

    const OPTIONS: NgramOptions = NgramOptions { least: 1, most: 3, bits: 14 };

    fn rows() -> Vec<Row> {
        (0..200)
            .map(|n| {
                let (text, is_positive) = if n % 2 == 0 {
                    (format!("send me {n} coins"), true)
                } else {
                    (format!("meet me at {n}"), false)
                };
                Row::of(&text, OPTIONS, is_positive)
            })
            .collect()
    }

    #[test]
    fn what_tells_the_rows_apart_is_learnt() {
        let model = train(&rows(), OPTIONS, TrainingOptions::default());
        assert!(model.log_odds("send me 1000 coins") > 1.0);
        assert!(model.log_odds("meet me at 1000") < -1.0);
    }

    #[test]
    fn the_same_rows_give_the_same_bytes_and_another_seed_gives_others() {
        let bytes =
            |seed| train(&rows(), OPTIONS, TrainingOptions { seed, ..TrainingOptions::default() }).to_bytes();
        assert_eq!(bytes(1), bytes(1));
        assert_ne!(bytes(1), bytes(2));
    }

    #[test]
    fn features_of_the_caller_are_learnt_and_weighed_alike() {
        let (good, bad) = (feature(b"good", 10), feature(b"bad", 10));
        assert_ne!(good, bad);
        let options = NgramOptions { bits: 10, ..OPTIONS };
        let rows: Vec<Row> = (0..100)
            .map(|n| Row::of_features(&[(if n % 2 == 0 { bad } else { good }, 0.5), (n, 0.1)], n % 2 == 0))
            .collect();
        let model = train(&rows, options, TrainingOptions::default());
        assert!(model.log_odds_of_features(&[(bad, 1.0)]) > 0.5);
        assert!(model.log_odds_of_features(&[(good, 1.0)]) < -0.5);
        let twice = Row::of_features(&[(bad, 0.25), (good, 1.0), (bad, 0.25)], true);
        assert_eq!(twice, Row::of_features(&[(good, 1.0), (bad, 0.5)], true));
        assert_eq!(model.log_odds_of_features(&[(1 << 10, 1.0)]), model.log_odds_of_features(&[]));
    }

    #[test]
    fn a_row_that_counts_for_nothing_teaches_nothing() {
        let of = |rows: &[Row]| {
            train(rows, OPTIONS, TrainingOptions { epochs: 1, decay: 0.0, ..TrainingOptions::default() })
        };
        let idle: Vec<Row> = rows().into_iter().map(|row| row.weighing(0.0)).collect();
        assert_eq!(of(&idle).log_odds("send me coins"), 0.0);
    }
}
