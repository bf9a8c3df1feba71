//! Places where a test has the process end as a crash would: between every two states of a claim or a refund.

/// Ends the process where `TOUCHSTONE_FAULT` names this point. Only builds with debug assertions look.
pub fn point(name: &str) {
    if cfg!(debug_assertions) && std::env::var_os("TOUCHSTONE_FAULT").is_some_and(|fault| fault == *name) {
        std::process::abort();
    }
}
