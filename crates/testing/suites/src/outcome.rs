//! What a suite found.

/// The outcome of one suite over one data set.
#[allow(
    dead_code,
    reason = "the crates that share their suites' readers with their own tests have none with figures"
)]
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
    /// What the suite measured, on the suite's own line.
    pub figures: String,
    /// The same in more detail, a line each.
    pub details: Vec<String>,
    /// Where a suite is judged by its figures rather than case by case: whether they are good enough.
    pub bar: Option<bool>,
}

#[allow(dead_code, reason = "as above")]
impl Outcome {
    /// Whether the suite is as it should be.
    pub fn holds(&self) -> bool {
        self.bar.unwrap_or(self.passed == self.total)
    }
}
