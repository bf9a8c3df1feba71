//! `touchstone serve` on a real chain (anvil), by its own transactions and through facilitators.

mod batching;
mod blocks;
mod crashes;
mod facilitator;
mod flood;
mod gas;
mod meanwhile;
mod npm;
mod proofs;
mod secrets;
mod settling;
