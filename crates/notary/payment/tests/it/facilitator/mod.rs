//! Settlement by a facilitator: one that does what facilitators should not, alone and beside a chain.

mod alone;
mod chain;
mod stub;
