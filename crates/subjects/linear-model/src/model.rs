//! A model: whole steps for each bucket.

use crate::ngrams::{MAX_NGRAM, NgramOptions, ngrams};

/// The most buckets of a model, as a power of two.
pub const MAX_BITS: u8 = 19;
/// The first bytes of a model's file.
const MAGIC: &[u8; 8] = b"LINMOD01";
/// Bytes before the steps: the magic, three options and one byte that is zero, the scale and the bias.
const HEAD: usize = 8 + 4 + 8 + 8;

/// The reason why bytes are not a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The bytes do not begin as a model does.
    #[error("it does not begin as a model does")]
    Magic,
    /// The options are out of their bounds, or the scale or the bias is no number.
    #[error("an option or the scale is out of its bounds")]
    Options,
    /// The number of bytes is not that of a model with these options.
    #[error("it has not as many bytes as a model of its size")]
    Length,
}

/// A linear model.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    options: NgramOptions,
    /// Log-odds of one step.
    scale: f64,
    /// Log-odds of a text without n-grams.
    bias: f64,
    steps: Vec<i8>,
}

impl Model {
    /// Makes a model whose weights are rounded to steps of a 127th of the largest.
    #[must_use]
    pub fn of_weights(options: NgramOptions, weights: &[f64], bias: f64) -> Self {
        let largest = weights.iter().fold(0.0_f64, |most, weight| most.max(weight.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        // A quotient of at most 127 fits.
        let steps = weights.iter().map(|weight| libm::round(weight / scale) as i8).collect();
        Self { options, scale, bias, steps }
    }

    /// Reads a model from its file.
    ///
    /// # Errors
    /// [`ModelError`].
    pub fn read(bytes: &[u8]) -> Result<Self, ModelError> {
        let (head, steps) = bytes.split_at_checked(HEAD).ok_or(ModelError::Length)?;
        let (magic, head) = head.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(ModelError::Magic);
        }
        let (options, numbers) = head.split_at(4);
        let options = NgramOptions { least: options[0], most: options[1], bits: options[2] };
        let (scale, bias) = numbers.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).unwrap_or(f64::NAN);
        let (scale, bias) = (number(scale), number(bias));
        let is_sound = (1..=options.most).contains(&options.least)
            && options.most <= MAX_NGRAM
            && (1..=MAX_BITS).contains(&options.bits)
            && scale.is_finite()
            && bias.is_finite();
        if !is_sound {
            return Err(ModelError::Options);
        }
        if steps.len() != 1 << options.bits {
            return Err(ModelError::Length);
        }
        let steps = steps.iter().map(|byte| byte.cast_signed()).collect();
        Ok(Self { options, scale, bias, steps })
    }

    /// The form of the model in a file: the magic `LINMOD01`, the shortest and the longest n-gram, the power of the number
    /// of buckets, a zero, the scale and the bias as little-endian doubles, and a signed byte for each bucket.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let NgramOptions { least, most, bits } = self.options;
        let mut bytes = Vec::with_capacity(HEAD + self.steps.len());
        bytes.extend(MAGIC);
        bytes.extend([least, most, bits, 0]);
        bytes.extend(self.scale.to_le_bytes());
        bytes.extend(self.bias.to_le_bytes());
        bytes.extend(self.steps.iter().map(|step| step.cast_unsigned()));
        bytes
    }

    /// The n-grams that the model looks at.
    #[must_use]
    pub fn options(&self) -> NgramOptions {
        self.options
    }

    /// The running sums of a text's steps: element `i` is the sum over all n-grams that end before character `i`. The first
    /// is 0, and there is one more than there are characters.
    #[must_use]
    pub fn running_steps(&self, characters: &[char]) -> Vec<i64> {
        let mut sums = vec![0; characters.len() + 1];
        ngrams(characters, self.options, |end, bucket| {
            // The bucket has as many bits as there are steps.
            sums[end + 1] += i64::from(self.steps.get(bucket as usize).copied().unwrap_or_default());
        });
        let mut sum = 0;
        for element in &mut sums {
            sum += *element;
            *element = sum;
        }
        sums
    }

    /// The log-odds of a part of a text with this sum of steps and this number of characters. n-grams count less the more
    /// there are: their sum is divided by the square root of their number.
    #[must_use]
    pub fn log_odds_of(&self, steps: i64, characters: usize) -> f64 {
        self.bias + self.scale * steps as f64 * norm(characters)
    }

    /// The log-odds of features that the caller computed: buckets, each with its value. Buckets that the model has not
    /// count for nothing. The sum is in the order of the features.
    #[must_use]
    pub fn log_odds_of_features(&self, features: &[(u32, f32)]) -> f64 {
        let sum = features.iter().fold(0.0, |sum, (bucket, value)| {
            let step = self.steps.get(*bucket as usize).copied().unwrap_or_default();
            sum + f64::from(step) * f64::from(*value)
        });
        self.bias + self.scale * sum
    }

    /// The log-odds of a whole text, as it is.
    #[must_use]
    pub fn log_odds(&self, text: &str) -> f64 {
        let characters: Vec<char> = text.chars().collect();
        let steps = self.running_steps(&characters).last().copied().unwrap_or_default();
        self.log_odds_of(steps, characters.len())
    }
}

/// The factor of each n-gram of a text with so many characters.
pub(crate) fn norm(characters: usize) -> f64 {
    1.0 / libm::sqrt(characters.max(1) as f64)
}

/// The probability of log-odds.
#[must_use]
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OPTIONS: NgramOptions = NgramOptions { least: 1, most: 3, bits: 10 };

    fn model() -> Model {
        let weights: Vec<f64> = (0..1 << 10).map(|n| f64::from(n % 37) - 18.0).collect();
        Model::of_weights(OPTIONS, &weights, -0.5)
    }

    #[test]
    fn a_model_is_read_as_it_was_written_and_nothing_else_is_a_model() {
        let bytes = model().to_bytes();
        assert_eq!(Model::read(&bytes), Ok(model()));
        assert_eq!(Model::read(b""), Err(ModelError::Length));
        assert_eq!(Model::read(&bytes[..bytes.len() - 1]), Err(ModelError::Length));
        assert_eq!(Model::read(&[&bytes[..], &[0]].concat()), Err(ModelError::Length));
        for (at, value, error) in [
            (0, b'X', ModelError::Magic),
            (8, 0, ModelError::Options),
            (8, 4, ModelError::Options),
            (9, MAX_NGRAM + 1, ModelError::Options),
            (10, 0, ModelError::Options),
            (10, 255, ModelError::Options),
            (10, 9, ModelError::Length),
            // The exponent of a double that is no number.
            (19, 0x7f, ModelError::Options),
        ] {
            let mut changed = bytes.clone();
            changed[at] = value;
            if at == 19 {
                changed[18] = 0xf8;
            }
            assert_eq!(Model::read(&changed), Err(error), "{at}");
        }
    }

    proptest! {
        #[test]
        fn the_steps_of_the_parts_of_a_text_are_those_of_the_text(text in ".{0,60}", at in 0usize..60) {
            let characters: Vec<char> = text.chars().collect();
            let (model, at) = (model(), at.min(characters.len()));
            let all = model.running_steps(&characters);
            prop_assert_eq!(all.len(), characters.len() + 1);
            let start = model.running_steps(&characters[..at]);
            prop_assert_eq!(&all[..=at], &start[..]);
        }

        #[test]
        fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let with_magic = [&MAGIC[..], &bytes].concat();
            prop_assert!(Model::read(&bytes).is_err() && Model::read(&with_magic).is_err());
        }
    }
}
