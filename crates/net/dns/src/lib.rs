//! DNS look-ups (RFC 1034, RFC 1035) for the evaluators of records, behind one trait.
//!
//! # Invariants
//!
//! - A failed look-up is distinct from a look-up that found nothing (RFC 2308): [`Answer`] has a variant for records,
//!   for no data, for NXDOMAIN and for failure, and each evaluator decides the meaning of each.
//!
//! - Only configured name servers are asked.
//!
//! # Types
//!
//! | type | meaning |
//! |---|---|
//! | [`Dns`] | the source of answers: [`Zone`] from memory, a [`Resolver`] over name servers, or a [`DnsTranscript`] of earlier answers |
//! | [`RecordingResolver`] | passes answers on and records them as a [`DnsTranscript`] |
//! | [`Name`], [`Kind`] | the question of a look-up |
//! | [`Record`], [`Answer`], [`Failure`] | the result of a look-up |
//! | [`examine`] | examines a name server |
//! | [`ServerHealth`] | the name servers of a service, examined again and again |
//! | [`servers`] | one question to one name server, for a caller that reads the sections of the answer itself |
//!
//! # Example
//!
//! ```
//! use dns::{Answer, Dns, Kind, Name, Record, Zone};
//! use futures_util::FutureExt as _;
//!
//! let name = Name::parse("example.com")?;
//! let zone = Zone::default().with(&name, Record::Txt(b"v=spf1 -all".to_vec()));
//! let answer = zone.look_up(&name, Kind::Txt).now_or_never();
//! assert!(matches!(answer, Some(Answer::Found { .. })));
//! # Ok::<(), dns::NameError>(())
//! ```

mod answer;
mod denials;
mod examine;
mod exchange;
mod health;
mod memory;
mod name;
mod octets;
mod resolver;
pub mod servers;
mod transcript;

use std::net::IpAddr;

use async_trait::async_trait;

pub use answer::{Answer, Caa, Failure, Kind, Mx, Record, Tlsa};
pub use examine::{Root, RootFailure, ServerReport, examine};
pub use exchange::Exchange;
pub use health::{FRESH, FRESH_FAULT, ServerFault, ServerHealth};
pub use memory::{MAX_ALIASES, Zone};
pub use name::{Name, NameError};
pub use resolver::{Resolver, ResolverError};
pub use transcript::{DnsTranscript, MAX_BYTES, MAX_LOOK_UPS, RecordingResolver};

/// A source of DNS answers.
///
/// An implementation follows CNAME records itself, within a bound, and answers with the records at the end of the
/// chain, unless the question is for a CNAME record. It checks that an answer belongs to its question, and it bounds
/// its time and the size of an answer.
#[async_trait]
pub trait Dns: Send + Sync {
    /// Looks up the records of one kind at a name.
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record>;

    /// Looks up records as [`Dns::look_up`] does, and also returns the longest time for which the answer may be kept,
    /// in seconds. The default is the time to live of the records, and [`u32::MAX`] for an answer without records.
    async fn look_up_with_ttl(&self, name: &Name, kind: Kind) -> (Answer<Record>, u32) {
        with_ttl(self.look_up(name, kind).await)
    }
}

/// An answer, and for how many seconds its records count; the most there is where it has none.
fn with_ttl(answer: Answer<Record>) -> (Answer<Record>, u32) {
    let ttl = if let Answer::Found { ttl, .. } = answer { ttl } else { u32::MAX };
    (answer, ttl)
}

/// The name that has the PTR records of an address: below `in-addr.arpa` (RFC 1035, 3.5) or `ip6.arpa` (RFC 3596, 2.5).
#[must_use]
pub fn reverse_name(address: IpAddr) -> Name {
    let text = match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            format!("{d}.{c}.{b}.{a}.in-addr.arpa")
        }
        IpAddr::V6(address) => {
            let nibbles: Vec<String> = address
                .octets()
                .iter()
                .rev()
                .flat_map(|byte| [byte & 0xf, byte >> 4])
                .map(|nibble| format!("{nibble:x}"))
                .collect();
            format!("{}.ip6.arpa", nibbles.join("."))
        }
    };
    Name::parse(&text).expect("reversed addresses have short labels and at most 72 bytes")
}
