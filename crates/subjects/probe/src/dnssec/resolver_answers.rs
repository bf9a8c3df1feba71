//! A resolver's witness: its answers, which are only as good as the path that they come over.

use std::net::SocketAddr;

use dns::Failure;
use dns::servers::{QueryMode, ServerPool};
use futures_util::future;
use hickory_resolver::proto::op::{DnsResponse, Query};
use hickory_resolver::proto::rr::rdata::opt::EdnsOption;
use hickory_resolver::proto::rr::{Name, RecordType};

use super::{LookFailure, MAX_ERRORS, PairedReplies, ReplySummary, ResolverAnswers, ResolverReply};

/// The option of EDNS that an extended error is (RFC 8914, section 2).
const EXTENDED_ERROR: u16 = 15;

impl ResolverAnswers {
    pub(super) fn failed(configured: bool, trouble: LookFailure) -> Self {
        let heard = || ResolverReply::Failed(trouble);
        let pair = || PairedReplies { checked: heard(), unchecked: heard() };
        Self { configured, root: heard(), zone: pair(), address: pair() }
    }

    /// Asks a server the same in both ways.
    pub(super) async fn look(
        servers: &ServerPool,
        server: SocketAddr,
        configured: bool,
        name: &Name,
    ) -> Self {
        let ask = |name: &Name, kind, manner| {
            let question = Query::query(name.clone(), kind);
            async move { ResolverReply::from(servers.ask_one(server, &question, manner).await) }
        };
        let pair = |kind| async move {
            let checked = ask(name, kind, QueryMode::Checked);
            let (checked, unchecked) = future::join(checked, ask(name, kind, QueryMode::Unchecked)).await;
            PairedReplies { checked, unchecked }
        };
        let root = ask(&Name::root(), RecordType::SOA, QueryMode::Checked);
        let (root, zone, address) = future::join3(root, pair(RecordType::SOA), pair(RecordType::A)).await;
        Self { configured, root, zone, address }
    }
}

impl From<Result<DnsResponse, Failure>> for ResolverReply {
    fn from(reply: Result<DnsResponse, Failure>) -> Self {
        reply.map_err(LookFailure::from).map_or_else(Self::Failed, |answer| {
            Self::Answered(ReplySummary {
                rcode: answer.metadata.response_code.into(),
                authentic: answer.metadata.authentic_data,
                signed: answer.all_sections().any(|record| record.record_type() == RecordType::RRSIG),
                errors: extended_errors(&answer),
            })
        })
    }
}

/// The codes of an answer's extended errors, ascending, as many as are put down.
fn extended_errors(answer: &DnsResponse) -> Vec<u16> {
    let options = answer.edns.iter().flat_map(|edns| &edns.options().options);
    let mut codes: Vec<u16> = options
        .filter_map(|(_, option)| match option {
            EdnsOption::Unknown(EXTENDED_ERROR, data) => {
                data.first_chunk().map(|code| u16::from_be_bytes(*code))
            }
            _ => None,
        })
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes.truncate(MAX_ERRORS);
    codes
}
