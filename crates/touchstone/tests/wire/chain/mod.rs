//! `touchstone serve` on a real chain (anvil), by its own transactions and through facilitators.

mod blocks;
mod crashes;
mod facilitator;
mod flood;
mod meanwhile;
mod npm;
mod proofs;
mod secrets;
mod settling;
