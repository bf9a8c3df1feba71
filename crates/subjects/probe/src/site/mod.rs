//! What a site shows to its visitors: its page over HTTPS and HTTP, who may read it from elsewhere, and the texts at its
//! well-known places.
//!
//! A [`Probe`] looks, once and at everything at the same time; [`SiteSeen`] is what it saw, as plain data that is kept with a
//! receipt. All that is said of the site is said from that, so that it can be said again without a network.
//!
//! What never happens: a part that could not be seen is left out or made up. Each has its [`Unseen`], and the rules tell what
//! is a fact about the site (a certificate that does not hold) from what is one about the look (no answer in time).

mod keep;
mod observed;
mod probe;
mod seen;
mod unseen;

pub use observed::NotScored;
pub use probe::{CONNECTIONS, FOREIGN_ORIGIN, LOOK, Probe};
pub use seen::{CorsSeen, HopSeen, PageSeen, SiteSeen, TextEnd, TextSeen, Way, WayEnd};
pub use unseen::Unseen;
