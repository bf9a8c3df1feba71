//! The random numbers that simulated records are drawn from: ChaCha20, one stream a record.

use std::f64::consts::PI;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// A random number generator for one record.
pub struct Random(ChaCha20Rng);

impl Random {
    /// Builds the generator for the record `number` of a cell of the study.
    pub fn new(cell: &str, number: u64) -> Self {
        let seed: [u8; 32] = Sha256::digest(format!("grading-calibration/1/{cell}")).into();
        let mut rng = ChaCha20Rng::from_seed(seed);
        rng.set_stream(number);
        Self(rng)
    }

    /// Draws from the uniform distribution between 0 and 1, both excluded.
    pub fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 0.5) / 4_294_967_296.0
    }

    /// Draws a position below `n`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and n")]
    pub fn below(&mut self, n: usize) -> usize {
        ((self.uniform() * count(n)) as usize).min(n.saturating_sub(1))
    }

    /// Draws from the standard normal distribution (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        radius * libm::cos(2.0 * PI * self.uniform())
    }

    /// Draws from the exponential distribution of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(self.uniform())
    }

    /// Draws from Student's t with `df` degrees of freedom, above 2, scaled to variance 1.
    pub fn student_t(&mut self, df: u32) -> f64 {
        let square = (0..df).fold(0.0, |sum, _| {
            let z = self.normal();
            sum + z * z
        });
        let df = f64::from(df);
        self.normal() / libm::sqrt(square / df) * libm::sqrt((df - 2.0) / df)
    }
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(crate) const fn count(n: usize) -> f64 {
    n as f64
}
