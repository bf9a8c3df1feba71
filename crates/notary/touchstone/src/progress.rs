//! Says on standard error how far a long command has come: a bar on a terminal, a line now and then elsewhere.

use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The time between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);
/// The time between two pictures of a spinner.
const TICK: Duration = Duration::from_millis(200);

/// The progress of a command that counts what it has done.
pub struct Progress {
    form: Form,
    /// The counted things, in words: `judged`.
    what: String,
    total: Option<u64>,
    done: u64,
}

enum Form {
    Hidden,
    Bar(ProgressBar),
    /// Lines, and the time of the last one.
    Lines(Instant),
}

impl Progress {
    /// Makes the progress of a command that writes its results to standard output: where that is a terminal, they are the progress.
    pub fn beside_results(what: impl Into<String>, total: Option<u64>, is_quiet: bool) -> Self {
        Self::new(what, total, is_quiet || io::stdout().is_terminal())
    }

    /// Counts what is done towards a total, where that is known.
    pub fn new(what: impl Into<String>, total: Option<u64>, is_quiet: bool) -> Self {
        let what = what.into();
        let form = match (is_quiet, io::stderr().is_terminal()) {
            (true, _) => Form::Hidden,
            (false, true) => Form::Bar(bar(&what, total)),
            (false, false) => Form::Lines(Instant::now()),
        };
        Self { form, what, total, done: 0 }
    }

    /// Counts one more.
    pub fn inc(&mut self) {
        self.done += 1;
        match &self.form {
            Form::Hidden => {}
            Form::Bar(bar) => bar.inc(1),
            Form::Lines(_) => {
                if let Some(line) = self.line(Instant::now()) {
                    eprintln!("touchstone: {line}");
                }
            }
        }
    }

    /// The line that is due at a time.
    fn line(&mut self, now: Instant) -> Option<String> {
        let Form::Lines(last) = &mut self.form else { return None };
        if now.duration_since(*last) < EVERY {
            return None;
        }
        *last = now;
        let of = self.total.map_or(String::new(), |total| format!(" of {total}"));
        Some(format!("{}{of} {}", self.done, self.what))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Form::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (ProgressBar::new(total), "{wide_bar} {pos} of {len} {msg}, {per_sec}, {eta}"),
        None => (ProgressBar::new_spinner(), "{spinner} {pos} {msg}, {per_sec}, {elapsed}"),
    };
    shown(bar, template, what)
}

fn shown(bar: ProgressBar, template: &str, message: &str) -> ProgressBar {
    let bar = bar.with_message(message.to_owned());
    let bar = match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    bar.enable_steady_tick(TICK);
    bar
}

/// A step of unknown length that is under way, until it is dropped.
pub struct Step(Option<ProgressBar>);

impl Step {
    /// Says what is being done: with a spinner on a terminal, in a line elsewhere.
    pub fn new(text: impl Display, is_quiet: bool) -> Self {
        if is_quiet {
            return Self(None);
        }
        if !io::stderr().is_terminal() {
            eprintln!("touchstone: {text}");
            return Self(None);
        }
        Self(Some(shown(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}", &text.to_string())))
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_due_again_after_a_while_and_tells_the_count() {
        let start = Instant::now();
        let mut progress =
            Progress { form: Form::Lines(start), what: "judged".to_owned(), total: None, done: 7 };
        assert_eq!(progress.line(start), None);
        assert_eq!(progress.line(start + EVERY).as_deref(), Some("7 judged"));
        assert_eq!(progress.line(start + EVERY + EVERY / 2), None);
        progress.total = Some(9);
        assert_eq!(progress.line(start + EVERY * 2).as_deref(), Some("7 of 9 judged"));
        progress.form = Form::Hidden;
        assert_eq!(progress.line(start + EVERY * 9), None);
    }
}
