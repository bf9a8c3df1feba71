//! The outcome of a suite.

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
    /// The figures that the suite measured, on the suite's own line.
    pub figures: String,
    /// The same in more detail, a line each.
    pub details: Vec<String>,
    /// True if the figures are good enough, for a suite that is judged by its figures rather than case by case.
    pub bar: Option<bool>,
}

#[allow(dead_code, reason = "as above")]
impl Outcome {
    /// Returns true if the suite passes.
    pub fn holds(&self) -> bool {
        self.bar.unwrap_or(self.passed == self.total)
    }

    /// Counts a case; `name` is that of one that did not pass.
    pub fn check(&mut self, passes: bool, name: impl FnOnce() -> String) {
        self.total += 1;
        self.passed += usize::from(passes);
        if !passes {
            self.failures.push(name());
        }
    }
}
