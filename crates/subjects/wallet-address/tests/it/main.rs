//! Wallet addresses: found under every currency and spelling, and nothing else found; bad input.

mod addresses;
mod common;
