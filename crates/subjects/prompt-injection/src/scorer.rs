//! Scores of texts.

use std::ops::Range;

use linear_model::Model;

use crate::{NormalText, windows};

/// The highest score of a text's windows.
#[derive(Clone, PartialEq, Debug)]
pub struct WindowScore {
    /// The log-odds that the window is an attack.
    pub log_odds: f64,
    /// The characters of the window.
    pub window: Range<usize>,
}

/// Scores texts by a model.
#[derive(Clone, Debug)]
pub struct Scorer {
    model: Model,
}

impl Scorer {
    /// Makes a scorer of a model that was [learnt](crate::learn) for windows.
    #[must_use]
    pub fn new(model: Model) -> Self {
        Self { model }
    }

    /// The scores of all windows, in the order of [`windows`].
    #[must_use]
    pub fn scores(&self, text: &NormalText) -> Vec<WindowScore> {
        let sums = self.model.running_steps(text.characters());
        let score = |window: Range<usize>| {
            let steps = sums[window.end] - sums[window.start];
            WindowScore { log_odds: self.model.log_odds_of(steps, window.len()), window }
        };
        windows(text.characters().len()).into_iter().map(score).collect()
    }

    /// The highest score; the first window of those that are equal.
    #[must_use]
    pub fn score(&self, text: &NormalText) -> WindowScore {
        let first = WindowScore { log_odds: f64::NEG_INFINITY, window: 0..0 };
        self.scores(text).into_iter().fold(
            first,
            |best, score| {
                if score.log_odds > best.log_odds { score } else { best }
            },
        )
    }
}
