//! The wire contract, rule by rule, through the real binary and real local peers.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod a2a;
mod attacks;
mod bodies;
mod budgets;
mod call;
mod chain;
mod claims;
mod clearance;
mod command;
mod connection;
mod connections;
mod crash;
mod dispute;
mod export;
mod feeds;
mod fetches;
mod fields;
mod golden;
mod grading;
mod hostile;
mod json;
mod lifecycle;
mod limits;
mod log;
mod log_rotation;
mod log_signer;
mod logs;
mod lost_store;
mod market;
mod mcp;
mod metrics;
mod misnamed;
mod mpp;
mod pages;
mod paid;
mod payment;
mod pricing;
mod priority;
mod private;
mod races;
mod receipts;
mod refresh;
mod replicas;
mod rotation;
mod routes;
mod safety;
mod screening;
mod snapshots;
mod stamped;
mod trust;
mod unsigned;
mod verify;
mod wallets;
mod watch;
mod witnessed;

#[path = "../support/mod.rs"]
mod support;
