//! The bounds of this crate, as `/catalog` publishes them.

use serde_json::{Value, json};
use verdict::MAX_WANTED_RECEIPTS;

use crate::alternatives;
use crate::copy_trade::{MOST_INSTRUMENTS, MOST_POINTS};
use crate::input::CONTENT_BYTES;
use crate::input::read::{MOST_ALTERNATIVES, MOST_OF_VARIANTS, MOST_PERIODS, MOST_ROWS, MOST_TRIALS};
use crate::input::row::{DECIMAL_CHARS, TEXT_CHARS};
use crate::performance::{MOST_DRAWDOWNS, MOST_MONTHS, MOST_ROLLING, MOST_YEARS};
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
        "commitments": { "receipts": MAX_WANTED_RECEIPTS, "content_bytes": CONTENT_BYTES },
        "costs": { "instruments": MOST_INSTRUMENTS, "delay_curve_points": MOST_POINTS },
        "import": {
            "bytes": trade_exports::MAX_BYTES,
            "rows": trade_exports::MAX_ROWS,
            "columns": trade_exports::MAX_COLUMNS,
            "cell_bytes": trade_exports::MAX_CELL_BYTES,
            "depth": trade_exports::MAX_DEPTH,
        },
        "resamples": RESAMPLES,
        "curve_points": POINTS,
        "histogram_bins": BINS,
        "drawdowns": MOST_DRAWDOWNS,
        "months": MOST_MONTHS,
        "years": MOST_YEARS,
        "rolling_points": MOST_ROLLING,
    })
}
