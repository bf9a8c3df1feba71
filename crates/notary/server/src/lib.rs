//! HTTP: the pipeline that every verdict route goes through, the unsigned routes, discovery, pages.
//!
//! - [`pipeline`]: read, admit, entitle, judge, notarize, answer: once, for all routes.
//! - [`payment_gate`]: handles a paid call, from its proof to its receipt.
//! - [`refusal`]: all refusals, and their problem documents.
//! - [`discovery`]: the catalog, OpenAPI and the other documents, made from the route table.
//! - [`retention`], [`erasure`]: the background jobs that delete what is kept no longer, and receipts that an operator has erased.
//! - [`exports`]: archives that agents fetch, written while they are sent.
//! - [`reputation`]: extra free calls for callers who have paid.
//!
//! `notary` signs and logs; `watch` and `dispute` are judges beside those of the modules; `capacity` and `listen` hold
//! the bounds on the machine and on connections.
//!
//! # Invariants
//!
//! - A receipt is durable before it is answered.
//! - A call that failed is not counted as used.
//! - Every error has a refusal of its own; a 500 is a bug.

pub mod discovery;
pub mod erasure;
pub mod exports;
pub mod payment_gate;
pub mod pipeline;
pub mod refusal;
mod replica;
pub mod reputation;
pub mod retention;

mod a2a;
mod access;
mod app;
mod compression;
mod json_rpc;
mod latency;
mod mcp;
mod observe;
mod outer;
mod pages;
mod payment_required;
mod router;
mod routes;
mod service_levels;
#[cfg(test)]
mod testing;
mod times;

pub use app::{App, FreeBudgets, Profile};
pub use latency::Latencies;
pub use observe::observe;
pub use outer::http2_refused;
pub use replica::report;
pub use router::{ReplaceableRouter, router};
pub use routes::ready::Readiness;
pub use service_levels::ServiceLevels;

/// The notice of the development profile, in its banner, in `/health` and in the scope of each finding.
pub const DEV_NOTICE: &str =
    "Development notary: its keys, its settlement and its answers are for trying out only.";
