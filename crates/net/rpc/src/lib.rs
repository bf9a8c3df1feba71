//! JSON-RPC 2.0 (<https://www.jsonrpc.org/specification>) with a node of an Ethereum chain, over the guarded client.
//!
//! | module | what it holds |
//! |---|---|
//! | `client` | [`Rpc`]: one request, one answer |
//! | `answer` | [`RawResponse`]: an answer as it came, and what it says |
//! | [`value`] | values as nodes spell them, read strictly |
//!
//! Which calls are made, and what follows from them, is the business of whoever makes them: settlement on a chain, and
//! signals of a wallet.

mod answer;
mod client;
pub mod value;

pub use answer::{RawResponse, RpcError};
pub use client::Rpc;
