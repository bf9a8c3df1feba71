//! The rules for instructions that somebody has put into a text for the model that reads it, as a scan asks them.

use std::sync::LazyLock;

pub(crate) use prompt_injection::THRESHOLD;
use prompt_injection::{Detector, InjectionScan};

use crate::finding::Severity;

/// Making one decodes the model.
static DETECTOR: LazyLock<Detector> = LazyLock::new(Detector::new);

/// The rules that a view of a text breaks, and the log-odds that it is an attack.
pub(crate) fn scan(text: &str) -> InjectionScan {
    DETECTOR.scan(text)
}

impl From<prompt_injection::Severity> for Severity {
    fn from(severity: prompt_injection::Severity) -> Self {
        match severity {
            prompt_injection::Severity::Info => Self::Info,
            prompt_injection::Severity::Warn => Self::Warn,
            prompt_injection::Severity::Block => Self::Block,
        }
    }
}
