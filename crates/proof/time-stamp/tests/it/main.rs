//! Answers of authorities are checked: those of a scripted one, which lies, and of `openssl ts`, which does not.

#![allow(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod openssl;
mod scripted;
