//! One reading of market stress from several series.
//!
//! Each series counts by the percentile of its last observation among its own trailing [`WINDOW`] observations. The reading is
//! their weighted arithmetic mean, 0 to 100, with how far it depends on any one series or weight.
//!
//! # Invariants
//!
//! - A reading as of a day depends on no observation after that day.
//!
//! - No result is infinite or not a number.
//!
//! - The same series give the same reading to the last digit.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`Series`], [`SeriesError`] | days and values, and what is derived from them |
//! | [`vix_history`], [`YieldCurve`], [`FileError`] | the files of CBOE and of the US Treasury |
//! | [`Composite`], [`Component`], [`Direction`], [`built_in`] | the series, their weights and their directions |
//! | [`Reading`], [`InputReading`], [`MissingInput`], [`StressLabel`] | the result |
//! | [`business_days_between`] | days on which US markets are open |

mod calendar;
mod composite;
mod files;
mod percentile;
mod series;

pub use calendar::{business_days_between, is_business_day};
pub use composite::{
    Component, Composite, Direction, InputReading, MAX_AGE_BUSINESS_DAYS, MAX_COMPONENTS, MissingInput,
    Reading, StressLabel, ValueRange, built_in,
};
pub use files::{FileError, MAX_FILE_BYTES, YieldCurve, vix_history};
pub use percentile::{LEAST_OBSERVATIONS, WINDOW};
pub use series::{MAX_OBSERVATIONS, Series, SeriesError};
