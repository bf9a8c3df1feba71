//! DMARC policy records (RFC 9989), and the differences from RFC 7489.
//!
//! # Invariants
//!
//! - If a look-up fails that could have found another record, the status is [`DmarcStatus::Unknown`].
//!
//! - An invalid policy has no effect, or the effect of `none`; it never counts as a stricter one.
//!
//! - The policy for a name is never stricter than its record requests.
//!
//! | module | content |
//! |---|---|
//! | `tags` | the tag-value syntax |
//! | `record` | a record: the meaning of its tags, and the effect of an invalid policy |
//! | `uri` | the addresses for reports |
//! | `discover` | which record applies to a name: the tree walk |
//! | `legacy` | the same record under RFC 7489 |

mod discover;
mod legacy;
mod record;
mod tags;
mod uri;

pub use discover::{ApplicableRecord, Discovery, DmarcStatus, MAX_QUERIES, QueriedName, Role, discover};
pub use legacy::{Difference, Legacy, rfc7489};
pub use record::{Alignment, DmarcPolicy, DmarcRecord, Flaw, Psd};
pub use tags::{IgnoredTag, Tags};
pub use uri::{ReportUri, UriError};
