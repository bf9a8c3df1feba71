//! JSON-RPC 2.0 (<https://www.jsonrpc.org/specification>) with a node of an Ethereum chain, over the guarded client.
//!
//! | module | content |
//! |---|---|
//! | `client` | [`Rpc`]: one request, one answer |
//! | `answer` | [`RawResponse`]: the answer of a call, and its result |
//! | [`value`] | values as nodes spell them, read strictly |
//!
//! The users of this crate define the calls: settlement on a chain, and signals of a wallet.

mod answer;
mod client;
pub mod value;

pub use answer::{RawResponse, RpcError};
pub use client::Rpc;
