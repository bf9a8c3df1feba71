//! The values that every back end stores or publishes alike, beside what [`rules`](crate::rules) decides.
//!
//! | items | purpose |
//! |---|---|
//! | [`ClaimName`], [`transaction_name`], [`fits_a_column`] | the names that a store finds claims by, and the numbers that it can hold |
//! | [`QuotaId`], [`KeptSince`] | the keys of used quotas, and the days for which they are kept |
//! | [`PublishedHead`], [`PublishedTree`], [`PartCache`] | the newest durable head in memory, and the data for building proofs under it |
//! | [`TileNodes`], [`grouped`], [`GROUP`] | full tiles with their inner nodes, so that no proof hashes anything |

pub use crate::claims::{ClaimName, fits_a_column, transaction_name};
pub use crate::published::{PartCache, PublishedHead, PublishedTree};
pub use crate::quotas::{KeptSince, QuotaId};
pub use crate::tile_nodes::{GROUP, TileNodes, grouped};
