//! What a name server is good for, found out with questions whose answers are known.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::{join, join_all};
use hickory_resolver::proto::op::{DnsResponse, Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RecordType};
use tokio::time::timeout;

use crate::Failure;
use crate::denials::leaves_out;
use crate::servers::{QueryMode, ServerPool, system_servers};

/// For one server; it is not asked longer by a look either.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a name server does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerReport {
    /// Which one.
    pub server: SocketAddr,
    /// What it makes of the root's SOA record, which is there and signed.
    pub root: Result<Root, RootFailure>,
    /// Whether it leaves the zone's SOA out of a denial; `None` where it did not deny what is not there.
    pub leaves_out_soa: Option<bool>,
}

/// Why a name server cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RootFailure {
    /// It said nothing that can be used.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// It answers with another response code, by its number (RFC 6895) and its meaning: where it says that there is no root
    /// (3), it denies all there is.
    #[error("it answers with response code {0}, {1}, for the root")]
    Code(u16, &'static str),
}

/// How a name server answers for the root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// It passes the signature on.
    pub signed: bool,
    /// It says that it has validated it (AD).
    pub authentic: bool,
}

/// Examines these name servers, at once, or those of the system where there are none; as many as a look asks.
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
    if !has(RecordType::SOA) {
        return Err(Failure::Unusable.into());
    }
    Ok(Root { signed: has(RecordType::RRSIG), authentic: answer.metadata.authentic_data })
}
