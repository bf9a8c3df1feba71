//! What a suite found.

/// The outcome of one suite over one data set.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The suite's name.
    pub name: String,
    /// Cases that passed.
    pub passed: usize,
    /// Cases in all.
    pub total: usize,
    /// One line for each case that did not pass.
    pub failures: Vec<String>,
}
