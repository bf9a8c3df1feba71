//! The judges through their crate's border.

mod replay;
