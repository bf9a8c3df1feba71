//! Examination of name servers with questions whose answers are known.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::{join, join_all};
use hickory_resolver::proto::op::{DnsResponse, Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::time::timeout;

use crate::Failure;
use crate::denials::leaves_out;
use crate::servers::{QueryMode, ServerPool, system_servers};

/// Longest wait for one server. A look does not wait longer either.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of examining one name server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerReport {
    /// The address of the server.
    pub server: SocketAddr,
    /// The server's answer for the SOA record of the root, which exists and is signed; or the error.
    pub root: Result<Root, RootFailure>,
    /// True if the server leaves the zone's SOA out of a denial; `None` where it did not deny a name that does not
    /// exist.
    pub leaves_out_soa: Option<bool>,
}

/// The reason why a name server cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RootFailure {
    /// The server gave no usable answer.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The server says that the root has no SOA record. Such a server denies the records of all names.
    #[error("it says that the root has no SOA record")]
    NoData,
    /// The server gave another response code, with its number (RFC 6895) and its meaning. A server that answers
    /// NXDOMAIN (3) for the root denies all names.
    #[error("it answers with response code {0}, {1}, for the root")]
    Code(u16, &'static str),
}

impl RootFailure {
    /// Returns true if the server denies the root, so that it denies everything.
    #[must_use]
    pub fn is_denial(&self) -> bool {
        let Self::Code(code, _) = *self else { return *self == Self::NoData };
        code == u16::from(ResponseCode::NXDomain)
    }
}

/// The properties of a name server's answer for the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// True if the answer contains the signature.
    pub signed: bool,
    /// True if the server states that it has validated the signature (flag AD, RFC 4035).
    pub authentic: bool,
}

/// Examines the given name servers at the same time, or with `None` those of the system's configuration. At most four
/// are examined, as many as a look-up asks.
pub async fn examine(servers: Option<Vec<SocketAddr>>) -> Vec<ServerReport> {
    let servers = ServerPool::new(servers.unwrap_or_else(system_servers));
    let all = servers.all().iter().map(|server| {
        let servers = &servers;
        async move {
            let denied = timeout(PATIENCE, leaves_out(servers, *server, RecordType::A));
            let question = Query::query(Name::root(), RecordType::SOA);
            let root = servers.ask_one(*server, &question, QueryMode::Checked);
            let (denied, root) = join(denied, root).await;
            let leaves_out_soa = denied.ok().flatten();
            ServerReport {
                server: *server,
                root: root.map_err(RootFailure::from).and_then(|answer| read(&answer)),
                leaves_out_soa,
            }
        }
    });
    join_all(all).await
}

fn read(answer: &DnsResponse) -> Result<Root, RootFailure> {
    match answer.metadata.response_code {
        ResponseCode::NoError => {}
        ResponseCode::ServFail => return Err(Failure::ServFail.into()),
        ResponseCode::Refused => return Err(Failure::Refused.into()),
        code => return Err(RootFailure::Code(code.into(), code.to_str())),
    }
    let has =
        |kind| answer.answers.iter().any(|record| record.name.is_root() && record.record_type() == kind);
    if answer.answers.is_empty() {
        return Err(RootFailure::NoData);
    }
    if !has(RecordType::SOA) {
        return Err(Failure::Unusable.into());
    }
    Ok(Root { signed: has(RecordType::RRSIG), authentic: answer.metadata.authentic_data })
}
