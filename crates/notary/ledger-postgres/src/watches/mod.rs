//! Watches: their steps and rows, and the steps of the webhooks that report their alerts.

pub(crate) mod watch_rows;
pub(crate) mod watch_steps;
pub(crate) mod webhook_steps;
