//! The published examples of Safe Browsing, and invariants of the parser.

mod examples;
mod invariants;
