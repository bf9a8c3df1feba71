//! Judges a question in its turn, within the time limit of all judges.

use std::sync::Arc;
use std::time::Duration;

use verdict::{Case, Cost, JudgeContext, KeptRequest, Ruling, Unavailable};

use crate::compute::{Compute, ComputeClient};

/// The longest time that a judge may take, including the wait for its turn.
pub const JUDGE_TIMEOUT: Duration = Duration::from_secs(15);

/// Judges a question, in its turn and within [`JUDGE_TIMEOUT`]. `module` is the name of the judge's module, for a 503. The
/// judge is told of the priority of `party`, whatever `context` says of it.
///
/// # Errors
/// 503: too much work waits, the judge cannot look at the moment, or it took too long.
pub async fn judge(
    compute: &Compute,
    party: ComputeClient,
    case: &Arc<dyn Case>,
    module: &'static str,
    context: JudgeContext,
) -> Result<Ruling, Unavailable> {
    let context = JudgeContext { has_priority: party.has_priority, ..context };
    let judged = async {
        match case.cost() {
            Cost::None => case.judge(context).await,
            Cost::Look => {
                let _turn = compute.look(party).await?;
                case.judge(context).await
            }
            Cost::Processor(time) => {
                let case = Arc::clone(case);
                compute.poll(party, time, async move { case.judge(context).await }).await?
            }
        }
    };
    tokio::time::timeout(JUDGE_TIMEOUT, judged).await.unwrap_or_else(|_| {
        Err(Unavailable { module, retry_after_s: 5, detail: "judging took too long".to_owned() })
    })
}

/// The form in which a request in canonical form (RFC 8785) is stored. A long one is searched for secrets in its turn.
///
/// # Errors
/// 503: too much work waits.
pub async fn kept_request(
    compute: &Compute,
    party: ComputeClient,
    case: &Arc<dyn Case>,
    request: Vec<u8>,
) -> Result<KeptRequest, Unavailable> {
    if !case.redacts() {
        return Ok(KeptRequest::as_sent(request));
    }
    let case = Arc::clone(case);
    compute.apart(party, request.len(), move || case.kept_request(request)).await
}
