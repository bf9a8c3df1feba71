//! One file a command.

pub mod call;
pub mod config;
pub mod healthcheck;
pub mod judge;
pub mod keys;
pub mod openapi;
pub mod rerun;
pub mod serve;
pub mod shell;
pub mod verify;
