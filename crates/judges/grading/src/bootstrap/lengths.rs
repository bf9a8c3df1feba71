//! Lengths of blocks, drawn with one look-up: the alias method (Walker 1977, in the manner of Vose 1991).

use crate::statistics::{count, whole};

/// The length of the table, in mean block lengths. The chance of a longer block is e^-30.
const REACH: f64 = 30.0;

/// A geometric distribution of block lengths, in units.
pub struct LengthDistribution {
    cells: Vec<AliasCell>,
    /// Bits of a draw below those that choose the cell.
    below: u32,
}

/// A cell's own length, or another.
#[derive(Clone, Copy)]
struct AliasCell {
    /// Draws below it are the cell's own.
    own: u32,
    alias: u32,
}

impl LengthDistribution {
    /// Builds the distribution with a mean length above 1, for series of `n` units. Lengths are cut at `n`.
    pub fn new(mean: f64, n: usize) -> Self {
        let longest = whole(libm::ceil(mean * REACH), n).max(2);
        let size = longest.next_power_of_two();
        let bits = size.trailing_zeros();
        let below = 32 - bits;
        let keep = 1.0 - 1.0 / mean;
        let mut chances = Vec::with_capacity(size);
        let mut left = 1.0;
        for _ in 1..size {
            chances.push(left * (1.0 - keep) * count(size));
            left *= keep;
        }
        // The longest takes what is left.
        chances.push(left * count(size));
        Self { cells: alias(chances, below), below }
    }

    /// Returns the block length for 32 random bits.
    #[inline]
    pub fn at(&self, draw: u32) -> usize {
        let index = (draw >> self.below) as usize;
        let cell = self.cells[index];
        if draw & ((1 << self.below) - 1) < cell.own { index + 1 } else { cell.alias as usize + 1 }
    }
}

/// Cells from chances that sum to their number: what a cell lacks is made up by one that has more than its share.
fn alias(mut chances: Vec<f64>, below: u32) -> Vec<AliasCell> {
    let full = libm::ldexp(1.0, i32::try_from(below).unwrap_or(0));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 2^31
    let share = |chance: f64| (chance.clamp(0.0, 1.0) * full) as u32;
    let all = 0..u32::try_from(chances.len()).unwrap_or(u32::MAX);
    let mut cells: Vec<AliasCell> = all.clone().map(|alias| AliasCell { own: share(1.0), alias }).collect();
    let (mut small, mut large): (Vec<u32>, Vec<u32>) = all.partition(|i| chances[*i as usize] < 1.0);
    while let (Some(lacks), Some(has)) = (small.pop(), large.last().copied()) {
        cells[lacks as usize] = AliasCell { own: share(chances[lacks as usize]), alias: has };
        chances[has as usize] -= 1.0 - chances[lacks as usize];
        if chances[has as usize] < 1.0 {
            large.pop();
            small.push(has);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_geometric() {
        for mean in [1.01, 1.5, 10.0, 44.0] {
            let lengths = LengthDistribution::new(mean, 100_000);
            let mut counts = vec![0_u32; 4_096];
            // Every 4,099th draw: evenly spread over all that there are.
            let draws: Vec<u32> = (0..=u32::MAX).step_by(4_099).collect();
            for draw in &draws {
                counts[lengths.at(*draw)] += 1;
            }
            let mut above = count(draws.len());
            for counted in counts.iter().skip(1).take(20) {
                let wanted = above / mean;
                let apart = (f64::from(*counted) - wanted).abs();
                assert!(apart < 6.0 * wanted.sqrt() + 20.0, "{counted} is not {wanted}");
                above -= f64::from(*counted);
            }
        }
    }
}
