//! The figures of a scanner: how its scores tell bad rows from good ones.

/// Scores of rows that a rule must speak against, and of rows that it must not.
#[derive(Debug, Default)]
pub struct Scores {
    bad: Vec<f64>,
    good: Vec<f64>,
}

impl Scores {
    /// Adds the score of a row.
    pub fn add(&mut self, is_bad: bool, score: f64) {
        if is_bad { self.bad.push(score) } else { self.good.push(score) }
    }

    /// The share of bad rows that score higher than all but a hundredth of the good ones.
    pub fn recall_at_1pct(&self) -> f64 {
        let mut good = self.good.clone();
        good.sort_by(f64::total_cmp);
        let alarms = good.len() / 100;
        let threshold = good.len().checked_sub(alarms + 1).map_or(f64::NEG_INFINITY, |at| good[at]);
        share(self.bad.iter().filter(|score| **score > threshold).count(), self.bad.len())
    }

    /// The probability that a bad row scores higher than a good one; half where they are equal.
    pub fn auc(&self) -> f64 {
        let mut all: Vec<(f64, bool)> = self.bad.iter().map(|score| (*score, true)).collect();
        all.extend(self.good.iter().map(|score| (*score, false)));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut wins, mut good_before) = (0.0, 0.0);
        for equal in all.chunk_by(|a, b| a.0 == b.0) {
            let bad = equal.iter().filter(|(_, is_bad)| *is_bad).count() as f64;
            let good = equal.len() as f64 - bad;
            wins += bad * (good_before + good / 2.0);
            good_before += good;
        }
        let pairs = self.bad.len() as f64 * self.good.len() as f64;
        if pairs > 0.0 { wins / pairs } else { 0.0 }
    }
}

/// Rows of one kind, and those of them that a rule has spoken against.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub warned: usize,
    pub total: usize,
}

impl Tally {
    pub fn add(&mut self, warned: bool) {
        self.warned += usize::from(warned);
        self.total += 1;
    }

    pub fn share(self) -> f64 {
        share(self.warned, self.total)
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} ({:.2} %)", self.warned, self.total, 100.0 * self.share())
    }
}

fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(bad: &[f64], good: &[f64]) -> Scores {
        Scores { bad: bad.to_vec(), good: good.to_vec() }
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_the_right_order() {
        assert_eq!(scores(&[0.9, 0.8], &[0.1, 0.2]).auc(), 1.0);
        assert_eq!(scores(&[0.1], &[0.9]).auc(), 0.0);
        assert_eq!(scores(&[0.5], &[0.5]).auc(), 0.5);
        assert_eq!(scores(&[0.3, 0.7], &[0.5, 0.1]).auc(), 0.75);
    }

    #[test]
    fn recall_counts_what_scores_above_all_but_a_hundredth_of_the_good() {
        let mut good = vec![0.1; 199];
        good.push(0.95);
        // One alarm of 200 is half a hundredth; a second good row as high would be the whole.
        assert_eq!(scores(&[0.9, 0.05], &good).recall_at_1pct(), 0.5);
        good.push(0.95);
        assert_eq!(scores(&[0.99, 0.9], &good).recall_at_1pct(), 1.0);
        good.push(0.95);
        assert_eq!(scores(&[0.99, 0.9], &good).recall_at_1pct(), 0.5);
        assert_eq!(scores(&[0.9], &[]).recall_at_1pct(), 1.0);
    }
}
