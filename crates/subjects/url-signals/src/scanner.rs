//! The scan of an address.

use std::ops::Range;

use domain_name::PublicSuffixes;
use linear_model::Model;
use web_address::WebAddress;

use crate::facts::Facts;
use crate::features::features;
use crate::find;
use crate::rules::{self, Rule, Severity};

/// The score above which the model alone gives a signal.
pub const THRESHOLD: f64 = 2.0;
/// The score that a signal that blocks adds, in log-odds.
const BLOCK_SCORE: f64 = 8.0;

/// The score that the domain of a brand takes away: the rows that the model learnt from have hardly any login page that is
/// not an attacker's.
const BRAND_SCORE: f64 = 4.0;

/// SHA-256 of the model's file, in lower-case hexadecimal digits; `train urls` prints it.
pub const MODEL_SHA256: &str = "9260a379c726c667563a9a2bacadc8e2c0616a0fd09dc824121d14376d647dff";
/// The model's file.
pub(crate) const MODEL: &[u8] = include_bytes!("../data/urls.model");

/// A rule that an address breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The rule.
    pub rule: &'static Rule,
    /// Bytes of the address as it was given; the whole address if no part of it is the reason.
    pub span: Range<usize>,
    /// The brand, word or name that was found, at most 64 characters.
    pub detail: Option<String>,
}

/// The signals of an address and its score.
#[derive(Clone, PartialEq, Debug)]
pub struct UrlSignals {
    /// The signals, in the order in which the rules are applied.
    pub signals: Vec<Signal>,
    /// The score: log-odds of the model, and more for signals that block. The higher, the worse.
    pub score: f64,
}

impl UrlSignals {
    /// The highest severity of the signals.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        self.signals.iter().map(|signal| signal.rule.severity).max()
    }
}

/// Finds the signals of addresses.
#[derive(Clone, Debug)]
pub struct Scanner {
    model: Model,
    suffixes: PublicSuffixes,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Makes a scanner with the model of this crate.
    #[must_use]
    pub fn new() -> Self {
        Self::with_model(Model::read(MODEL).expect("the crate's own model is one; a test reads it"))
    }

    /// Makes a scanner with another model, to measure it.
    #[must_use]
    pub fn with_model(model: Model) -> Self {
        Self { model, suffixes: PublicSuffixes::bundled() }
    }

    /// Finds the signals of an address. It looks at the first 2 KiB of the path and of the query. The model judges no
    /// address of a private network and none without a host; their score is that of the rules.
    #[must_use]
    pub fn scan(&self, address: &WebAddress) -> UrlSignals {
        let facts = Facts::of(address, &self.suffixes);
        let mut signals = find::signals(&facts, &self.suffixes);
        let mut score = 0.0;
        let is_private = signals.iter().any(|signal| signal.rule == &rules::PRIVATE_HOST);
        if address.host().is_some() && !is_private {
            score = self.model.log_odds_of_features(&features(&facts, &signals, self.model.options().bits));
            if facts.is_brands_for_certain() {
                score -= BRAND_SCORE;
            }
            if score > THRESHOLD {
                let span = address.given_span(0..address.text().len());
                signals.push(Signal { rule: &rules::URL_MODEL, span, detail: None });
            }
        }
        if signals.iter().any(|signal| signal.rule.severity == Severity::Block) {
            score += BLOCK_SCORE;
        }
        UrlSignals { signals, score }
    }
}
