//! The submission of a checkpoint to one witness, and what becomes of it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fetch::FetchError;
use ledger::{Head, LedgerError};
use tlog::{Note, NoteSignature};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, sleep_until};
use witness::{ClientError, Received, Reply, WitnessClient};

use super::{Answered, Cosigning, Link};

/// The wait after the store could not be read for a proof.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// The path below a witness's submission prefix (C2SP tlog-witness).
const ADD_CHECKPOINT: &str = "add-checkpoint";

/// The reason why a witness has not cosigned.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("no answer came: {0}")]
    Fetch(FetchError),
    #[error("the proof cannot be read: {0}")]
    Ledger(#[from] LedgerError),
}

impl Cosigning {
    /// Asks one witness about each checkpoint that it is to cosign, one after the other.
    pub(super) async fn ask(
        self: Arc<Self>,
        witness: usize,
        mut targets: watch::Receiver<Option<Arc<Head>>>,
        answers: mpsc::Sender<Answered>,
    ) {
        let mut done = None;
        loop {
            let head = targets.borrow_and_update().clone().filter(|head| Some(head.size) != done);
            let Some(head) = head else {
                if targets.changed().await.is_err() {
                    return;
                }
                continue;
            };
            // A task of its own: what was begun with a witness is ended, whatever becomes of this loop.
            let asked = tokio::spawn(Arc::clone(&self).submit(witness, Arc::clone(&head))).await;
            match asked {
                Ok(Ok(cosignatures)) => {
                    done = Some(head.size);
                    let answer = Answered { witness, size: head.size, cosignatures };
                    if answers.send(answer).await.is_err() {
                        return;
                    }
                }
                Ok(Err(pause)) => sleep_until(Instant::now() + pause).await,
                Err(_) => sleep(STORE_PAUSE).await,
            }
        }
    }

    /// Submits a checkpoint to a witness, and again where it says that it has another size than was thought. Gives its
    /// cosignatures, or the wait until the next attempt.
    async fn submit(
        self: Arc<Self>,
        witness: usize,
        head: Arc<Head>,
    ) -> Result<Vec<NoteSignature>, Duration> {
        let link = &self.links[witness];
        let mut client = link.client.lock().await;
        // The lock is held for as long as a request is in flight: one that is still there was lost with its task.
        client.recover();
        // As many rounds as the client allows, which then gives an error.
        let result = loop {
            match self.exchange(link, &mut client, &head).await {
                Ok(Received::Cosigned(cosignatures)) => break Ok(cosignatures),
                Ok(Received::SendAgain) => {}
                Err(failure) => break Err(failure),
            }
        };
        let mut standing = link.standing();
        let name = standing.name.clone();
        let outcome = if result.is_ok() { "cosigned" } else { "failed" };
        metrics::counter!("touchstone_witness_requests_total", "witness" => name, "outcome" => outcome)
            .increment(1);
        match result {
            Ok(cosignatures) => {
                standing.cosigned = Some((head.size, self.clock.now()));
                standing.error = None;
                Ok(cosignatures)
            }
            Err(failure) => {
                let error = failure.to_string();
                if standing.error.as_ref() != Some(&error) {
                    tracing::warn!(witness = standing.name, %error, "a witness has not cosigned");
                }
                standing.error = Some(error);
                Err(client.wait().max(STORE_PAUSE))
            }
        }
    }

    /// One request and its answer.
    async fn exchange(
        &self,
        link: &Link,
        client: &mut WitnessClient,
        head: &Head,
    ) -> Result<Received, Failure> {
        let old = client.old_size();
        if old > head.size {
            return Err(ClientError::Outdated { known: old, size: head.size }.into());
        }
        let proof = self.ledger.consistency(old, head.size).await?;
        let note = head.checkpoint.parse::<Note>().map_err(ClientError::Signature)?;
        let submission = client.begin(note, proof, self.seconds())?;
        let body = Bytes::from(submission.body());
        match link.endpoint.post_text_to(ADD_CHECKPOINT, body).await {
            Ok(answer) => {
                let content_type = answer.content_type.as_deref().unwrap_or_default();
                let reply = Reply { status: answer.status, content_type, body: &answer.body };
                Ok(client.finish(submission, reply, self.seconds())?)
            }
            Err(error) => {
                client.give_up(submission);
                Err(Failure::Fetch(error))
            }
        }
    }

    /// The time, in seconds since 1970.
    fn seconds(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis() / 1000).unwrap_or(0)
    }
}
