//! Fault points: places where a test ends the process as a crash would, between every two states of a claim or a
//! refund.

/// Ends the process where the environment variable `TOUCHSTONE_FAULT` names this point. Only builds with debug
/// assertions check.
pub fn point(name: &str) {
    if cfg!(debug_assertions) && std::env::var_os("TOUCHSTONE_FAULT").is_some_and(|fault| fault == *name) {
        std::process::abort();
    }
}
