//! Modules of the notary, and the routes that they answer.
//!
//! A [`Module`] is one value: a judge's crate makes it from its own section of the configuration and from the [`Host`] that it
//! runs on. The service uses a module through this value alone: its judges and public views, its bounds, the state of
//! its sources, and its background loops.
//!
//! - [`Module`]: the value; its documentation is the template of a new one.
//! - [`Host`]: the folder, the network and the mode that modules run with.
//! - [`Sharing`]: what a process has in common with the others of its store; [`FileMarks`] are the versions of shared files.
//! - [`Standing`]: the state of a module's lists, feeds and other sources.
//! - [`terms`]: the price table; everything published is made from it.
//! - [`RouteTable`]: the price table's routes with the judges behind them.
//! - [`Background`]: loops that run for as long as the service does.
//! - [`BlockingPool`]: blocking work within bounds, for judges and public views.
//! - [`fault`]: places where a test has the process end as a crash would.
//! - [`plans`]: the plans, and the routes that grants can pay for.
//!
//! # Invariants
//!
//! A route without a judge never answers with a verdict; a module opens connections only by `fetch`; a replay reads no
//! file and looks up no name.

pub mod background;
mod blocking_pool;
pub mod fault;
mod file_marks;
mod host;
mod members;
mod module;
pub mod plans;
mod route_table;
mod sharing;
mod standing;
pub mod terms;

pub use background::Background;
pub use blocking_pool::{BlockingPool, PoolError};
pub use file_marks::{FileMark, FileMarks};
pub use host::{Host, Mode, parse_networks};
pub use members::{Members, Unread};
pub use module::{
    BackgroundLoop, BoxFuture, FileVersion, Module, ModuleError, Preparation, Unprepared, WatchSchedule,
    Watched, WatchedSnapshots,
};
pub use route_table::{Route, RouteTable};
pub use sharing::Sharing;
pub use standing::{SourceStanding, Standing};
