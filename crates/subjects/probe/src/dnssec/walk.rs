//! The questions of one look: each is asked once, and the failure of any is remembered.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dns::servers::{QueryMode, ServerPool};
use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use futures_util::stream::{self, Stream};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsHandle, NetError};
use hickory_resolver::proto::op::{DnsRequest, DnsResponse, Message, Query, ResponseCode};
use hickory_resolver::proto::rr::{LowerName, RecordType};
use tokio::sync::Semaphore;

use super::{DnssecProbe, LookFailure};

type Reply = Result<DnsResponse, LookFailure>;
type AskedQuestions = HashMap<(LowerName, RecordType), Shared<BoxFuture<'static, Reply>>>;

/// Asks for hickory's validation, and hears what it does not tell: whether a fetch failed.
///
/// It asks with CD=1, whatever hickory wants: a resolver that validates would hold back the very data that is to be
/// judged. It is made anew for each look, since hickory keeps as bogus, for as long as the record lives, what it could
/// once not fetch.
#[derive(Clone)]
pub(super) struct ValidationWalk(Arc<Inner>);

struct Inner {
    servers: Arc<ServerPool>,
    /// Bound on those who ask, not on the questions under way: hickory abandons a question where another has settled
    /// the matter.
    places: Semaphore,
    asked: Mutex<AskedQuestions>,
    /// The least of those that there were, so that it does not hang on which came first.
    trouble: Mutex<Option<LookFailure>>,
    has_signatures: AtomicBool,
}

impl ValidationWalk {
    pub(super) fn new(servers: Arc<ServerPool>) -> Self {
        Self(Arc::new(Inner {
            servers,
            places: Semaphore::new(DnssecProbe::AT_ONCE),
            asked: Mutex::default(),
            trouble: Mutex::default(),
            has_signatures: AtomicBool::new(false),
        }))
    }

    /// The answer, of NOERROR or NXDOMAIN.
    pub(super) async fn ask(&self, question: Query) -> Reply {
        let reply = match self.reply(question) {
            Some(reply) => {
                let _place = self.0.places.acquire().await.expect("the semaphore of places is never closed");
                reply.await
            }
            None => Err(LookFailure::TooManyQuestions),
        };
        match &reply {
            Ok(answer) if is_signed(answer) => self.0.has_signatures.store(true, Ordering::Relaxed),
            Ok(_) => {}
            Err(own) => {
                let mut trouble = locked(&self.0.trouble);
                *trouble = Some(trouble.map_or(*own, |other| other.min(*own)));
            }
        }
        reply
    }

    fn reply(&self, question: Query) -> Option<Shared<BoxFuture<'static, Reply>>> {
        let key = (LowerName::from(question.name()), question.query_type());
        let mut asked = locked(&self.0.asked);
        if let Some(reply) = asked.get(&key) {
            return Some(reply.clone());
        }
        if asked.len() >= DnssecProbe::MAX_QUESTIONS {
            return None;
        }
        let servers = Arc::clone(&self.0.servers);
        let reply =
            async move { usable(servers.ask(&question, QueryMode::Unchecked).await?.1) }.boxed().shared();
        asked.insert(key, reply.clone());
        Some(reply)
    }

    /// The least failure of any question so far; `Stripped` where no answer carried a signature.
    pub(super) fn trouble(&self) -> Option<LookFailure> {
        let stripped = !self.0.has_signatures.load(Ordering::Relaxed);
        locked(&self.0.trouble).or_else(|| stripped.then_some(LookFailure::Stripped))
    }
}

fn usable(answer: DnsResponse) -> Reply {
    match answer.metadata.response_code {
        ResponseCode::NoError | ResponseCode::NXDomain => Ok(answer),
        ResponseCode::ServFail => Err(LookFailure::ServFail),
        _ => Err(LookFailure::Refused),
    }
}

/// True if an answer carries a signature where it counts. Additional records may have been kept from elsewhere.
fn is_signed(answer: &Message) -> bool {
    answer.answers.iter().chain(&answer.authorities).any(|record| record.record_type() == RecordType::RRSIG)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DnsHandle for ValidationWalk {
    type Response = Pin<Box<dyn Stream<Item = Result<DnsResponse, NetError>> + Send>>;
    type Runtime = TokioRuntimeProvider;

    fn send(&self, mut request: DnsRequest) -> Self::Response {
        let walk = self.clone();
        let reply = async move {
            let question = request.queries.pop().ok_or(NetError::Message("no question"))?;
            walk.ask(question).await.map_err(|trouble| NetError::Message(trouble.code()))
        };
        Box::pin(stream::once(reply))
    }
}
