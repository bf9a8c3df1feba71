//! Modules of the notary, and the routes that they answer.
//!
//! A [`Module`] is one value: a judge's crate makes it from its own section of the configuration and from the [`Host`] that it
//! runs on. The service asks it for nothing else: its judges and public views, its bounds, how its sources stand, and what
//! works beside the answers.
//!
//! - [`Module`]: the value; its documentation is the template of a new one.
//! - [`Host`]: the folder, the network and the mode that modules run with.
//! - [`Standing`]: how the lists, feeds and other sources of a module stand.
//! - [`terms`]: the price table; everything published is made from it.
//! - [`RouteTable`]: the price table's routes with the judges behind them.
//! - [`Background`]: loops that run for as long as the service does.
//! - [`fault`]: places where a test has the process end as a crash would.
//! - [`plans`]: the plans, and what grants can stand in for.
//!
//! What never happens: a route whose judge is not there answered with a verdict; a module that opens a connection other
//! than by `fetch`; a replay that reads a file or looks up a name.

pub mod background;
pub mod fault;
mod host;
mod members;
mod module;
pub mod plans;
mod route_table;
mod standing;
pub mod terms;

pub use background::Background;
pub use host::{Host, Mode, parse_networks};
pub use members::{Members, Unread};
pub use module::{BackgroundLoop, BoxFuture, Module, ModuleError, Preparation, Watched};
pub use route_table::{Route, RouteTable};
pub use standing::{SourceStanding, Standing};
