//! HTTP: the pipeline that every verdict route goes through, the unsigned routes, discovery, pages.
//!
//! - [`pipeline`]: read, admit, entitle, judge, notarize, answer: once, for all routes.
//! - [`payment_gate`]: a paid call, from its proof to its receipt.
//! - [`refusal`]: every way not to answer, and its problem document.
//! - [`discovery`]: the catalog, OpenAPI and the other documents, made from the route table.
//! - [`reputation`]: the free calls that callers who have paid get on top.
//!
//! Who signs and logs is `notary`; `watch` and `dispute` are judges beside those of the modules; `capacity` and `listen` hold the
//! bounds on the machine and on connections.
//!
//! What never happens: an answer before its receipt is durable; a call counted as used that failed; a 500.

pub mod discovery;
pub mod payment_gate;
pub mod pipeline;
pub mod refusal;
pub mod reputation;

mod app;
mod latency;
mod outer;
mod payment_required;
mod router;
mod routes;
#[cfg(test)]
mod testing;

pub use app::{App, FreeBudgets, Profile};
pub use latency::Latencies;
pub use outer::http2_refused;
pub use router::router;

/// What the development profile says in its banner, in `/health` and in every scope.
pub const DEV_NOTICE: &str =
    "Development notary: its keys, its settlement and its answers are for trying out only.";
