//! DMARC policy records (RFC 9989), and the differences from RFC 7489.
//!
//! What never happens: a policy said to apply where a look-up failed that could have found another; an invalid policy
//! read as the stricter one; a stricter policy for a name than its record asks for.
//!
//! | module | holds |
//! |---|---|
//! | `tags` | the tag-value syntax |
//! | `record` | a record: its tags' meaning, and what an invalid policy comes to |
//! | `uri` | where reports go |
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
