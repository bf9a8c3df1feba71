//! The bounds of this crate, as `/catalog` publishes them.

use serde_json::{Value, json};

use crate::alternatives;
use crate::input::read::{MOST_ALTERNATIVES, MOST_OF_VARIANTS, MOST_PERIODS, MOST_ROWS, MOST_TRIALS};
use crate::input::row::{DECIMAL_CHARS, TEXT_CHARS};
use crate::rule::{BINS, POINTS, RESAMPLES};

/// Returns the bounds of this crate for `/catalog`, by part. The bound of a body belongs to its route.
#[must_use]
pub fn bounds() -> Value {
    json!({
        "rows": MOST_ROWS,
        "text_characters": TEXT_CHARS,
        "decimal_characters": DECIMAL_CHARS,
        "declared_trials": MOST_TRIALS,
        "periods_per_year": MOST_PERIODS,
        "alternatives": {
            "series": MOST_ALTERNATIVES,
            "returns_in_all": MOST_OF_VARIANTS,
            "resamples": alternatives::RESAMPLES,
        },
        "resamples": RESAMPLES,
        "curve_points": POINTS,
        "histogram_bins": BINS,
    })
}
