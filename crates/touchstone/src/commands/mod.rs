//! One file a command.

pub mod config;
pub mod healthcheck;
pub mod judge;
pub mod keys;
pub mod openapi;
pub mod serve;
pub mod shell;
pub mod verify;
