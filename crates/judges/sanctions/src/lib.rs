//! The judges of sanctions screening: /screen-entity, /screen-batch, /screen-wallet and /agent-clearance.
//!
//! | module | content |
//! |---|---|
//! | [`screen_entity`], [`screen_batch`], [`screen_wallet`], [`agent_clearance`] | the judges of these routes |
//! | `screen` | the code that the judges share: fields of the question, lists of the answer |
//! | [`live`] | the live lists with their indexes |
//! | [`registers`] | the public views of the snapshots |
//! | `page` | the sections of the verdict page |

pub mod agent_clearance;
mod bounds;
pub mod live;
pub mod module;
mod page;
pub mod registers;
mod screen;
pub mod screen_batch;
pub mod screen_entity;
pub mod screen_wallet;

pub use bounds::bounds;
pub use module::{Settings, module};
