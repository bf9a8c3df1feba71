//! Sends webhooks until they are accepted, or for a day.
//!
//! Several webhooks are sent at once, but few to one host and few of one agent: the ledger gives the turns
//! (`ledger::Watches`). An attempt whose outcome was not stored is repeated with the same `webhook-id`, so delivery is
//! at least once, never at most once.

use std::sync::Arc;
use std::time::Duration;

use fetch::{FetchError, Fetcher, Limits, Post};
use ledger::{LeaseRequest, Ledger, LedgerError, Owner, WebhookOutcome, WebhookTask};
use module::fault;
use receipt::hash::ReceiptHash;
use receipt::sign::receipt_json;
use receipt::time::Timestamp;
use tokio::task::JoinSet;
use verdict::Clock;

use super::webhook::WebhookKey;

/// The interval at which due webhooks are searched for.
pub const EVERY: Duration = Duration::from_secs(1);
/// Duration of the lease of an agent's webhooks to one host, in milliseconds. It is longer than an attempt can take.
pub const LEASE_MS: i64 = 60_000;
/// Maximum number of concurrent attempts.
pub const MOST: u32 = 32;
/// Time for which the webhook of an alert is attempted, in milliseconds since the alert's receipt was signed.
pub const PATIENCE_MS: i64 = 24 * 3600 * 1000;
/// The pause between the first and the second attempt, in milliseconds. It is three times as long after each further
/// attempt.
pub const FIRST_PAUSE_MS: i64 = 2_000;
/// The pause before the next attempt where nothing could be sent from this service, in milliseconds.
const OWN_PAUSE_MS: i64 = 30_000;
/// Maximum pause between two attempts, in milliseconds.
pub const LONGEST_PAUSE_MS: i64 = 6 * 3600 * 1000;

/// Returns the limits of an attempt. Only the status of the answer is used.
#[must_use]
pub fn limits() -> Limits {
    Limits {
        total: Duration::from_secs(10),
        wire_bytes: 64 << 10,
        decoded_bytes: 64 << 10,
        redirects: 0,
        ..Limits::default()
    }
}

/// The dependencies with which webhooks are sent.
pub struct Sender {
    /// The ledger that holds the waiting webhooks and their receipts.
    pub ledger: Arc<dyn Ledger>,
    /// The clock that gives the time of day.
    pub clock: Arc<dyn Clock>,
    /// The fetcher, which refuses addresses that callers may not use.
    pub fetcher: Fetcher,
    /// The key that signs webhooks.
    pub key: WebhookKey,
}

/// Sends due webhooks, for as long as it is polled.
pub async fn deliver(sender: Arc<Sender>, new_owner: impl Fn() -> Owner) {
    let mut under_way = JoinSet::new();
    loop {
        let room = MOST.saturating_sub(u32::try_from(under_way.len()).unwrap_or(MOST));
        let owner = new_owner();
        let due = if room > 0 { sender.take(owner, room).await } else { Vec::new() };
        let is_idle = due.is_empty();
        for webhook in due {
            let sender = Arc::clone(&sender);
            under_way.spawn(async move { sender.attempt(webhook, owner).await });
        }
        if is_idle || under_way.len() >= MOST as usize {
            tokio::select! {
                Some(_) = under_way.join_next() => {}
                () = tokio::time::sleep(EVERY) => {}
            }
        }
    }
}

/// Returns the word for an outcome in the metrics.
fn word(outcome: &WebhookOutcome) -> &'static str {
    match outcome {
        WebhookOutcome::Delivered => "delivered",
        WebhookOutcome::Again { .. } => "again",
        WebhookOutcome::NotSent { .. } => "not_sent",
        WebhookOutcome::Failed { .. } => "failed",
        WebhookOutcome::Gone => "gone",
    }
}

impl Sender {
    async fn take(&self, owner: Owner, most: u32) -> Vec<WebhookTask> {
        let now = self.clock.now();
        let wish = LeaseRequest { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most };
        self.ledger.take_webhooks(wish).await.unwrap_or_else(|error| {
            tracing::error!(%error, "webhooks cannot be taken in hand");
            Vec::new()
        })
    }

    /// Sends a webhook, and stores the outcome.
    async fn attempt(&self, webhook: WebhookTask, owner: Owner) {
        let tried = self.send(&webhook).await;
        fault::point("webhook_sent");
        let now = self.clock.now();
        let sent = outcome(tried, &webhook, now, jitter());
        let (alert, attempts) = (webhook.id.0, webhook.attempts + 1);
        metrics::counter!("touchstone_webhooks_sent_total", "outcome" => word(&sent)).increment(1);
        match &sent {
            WebhookOutcome::Delivered => tracing::debug!(alert, attempts, "a webhook was taken"),
            WebhookOutcome::Again { error, .. } => {
                tracing::debug!(alert, attempts, error, "a webhook was not taken yet")
            }
            WebhookOutcome::NotSent { .. } => tracing::warn!(alert, "a webhook could not be sent from here"),
            WebhookOutcome::Failed { error } => {
                tracing::warn!(alert, attempts, error, "a webhook was never taken")
            }
            WebhookOutcome::Gone => tracing::info!(alert, "a webhook is gone"),
        }
        match self.ledger.webhook_sent(webhook.id, owner, sent, now).await {
            Ok(()) | Err(LedgerError::NotOwner) => {}
            Err(error) => tracing::error!(%error, alert, "what became of a webhook cannot be kept"),
        }
    }

    /// Sends a webhook and returns the status of the answer, or the reason why there was none.
    async fn send(&self, webhook: &WebhookTask) -> Result<u16, Unsent> {
        let body = self.receipt(&webhook.receipt).await.ok_or(Unsent::Ours("receipt_unreadable"))?;
        let target = self.fetcher.check_url(&webhook.url).map_err(|error| Unsent::Theirs(error.code()))?;
        let headers = self.key.headers(&webhook.receipt, self.clock.now(), &body);
        self.fetcher.tell(&target, Post { json: body.into(), headers }).await.map_err(|error| match error {
            FetchError::Busy => Unsent::Ours(error.code()),
            error => Unsent::Theirs(error.code()),
        })
    }

    /// A receipt with its newest proof; `None` where it cannot be read.
    async fn receipt(&self, hash: &ReceiptHash) -> Option<Vec<u8>> {
        let found = self.ledger.receipt_with_inclusion(hash).await;
        let (stored, inclusion) = found.inspect_err(|error| drop(error.unread())).ok()??;
        Some(receipt_json(&stored.payload, hash, &stored.signature, Some(&inclusion.to_text())))
    }
}

/// The reason why there was no answer.
#[derive(Debug)]
enum Unsent {
    /// The failure is on this side: nothing was sent, and the receiver did not cause it.
    Ours(&'static str),
    /// The failure is on the receiver's side: it could not be reached, or did not answer.
    Theirs(&'static str),
}

/// Decides the outcome of an attempt. `jitter` is within 0 and [`JITTER`].
fn outcome(tried: Result<u16, Unsent>, webhook: &WebhookTask, now: Timestamp, jitter: i64) -> WebhookOutcome {
    let error = match tried {
        Ok(200..=299) => return WebhookOutcome::Delivered,
        Ok(410) => return WebhookOutcome::Gone,
        Ok(status) => format!("status_{status}"),
        Err(Unsent::Theirs(error)) => error.to_owned(),
        Err(Unsent::Ours(error)) => {
            let at = now.saturating_add_millis(OWN_PAUSE_MS);
            return if at.millis_since(webhook.since) > PATIENCE_MS {
                WebhookOutcome::Failed { error: error.to_owned() }
            } else {
                WebhookOutcome::NotSent { at }
            };
        }
    };
    let at = now.saturating_add_millis(pause_ms(webhook.attempts, jitter));
    if at.millis_since(webhook.since) > PATIENCE_MS {
        return WebhookOutcome::Failed { error };
    }
    WebhookOutcome::Again { at, error }
}

/// The difference between the longest and the shortest pause, in thousandths.
const JITTER: i64 = 400;

/// The pause after an attempt, with `attempts` before it, a fifth more or less.
fn pause_ms(attempts: u32, jitter: i64) -> i64 {
    let pause = FIRST_PAUSE_MS.saturating_mul(3_i64.saturating_pow(attempts)).min(LONGEST_PAUSE_MS);
    pause * (1000 - JITTER / 2 + jitter) / 1000
}

/// Draws a random number within 0 and [`JITTER`]; the middle where there is no randomness.
fn jitter() -> i64 {
    let mut bits = [0; 4];
    if getrandom::fill(&mut bits).is_err() {
        return JITTER / 2;
    }
    i64::from(u32::from_le_bytes(bits)) % (JITTER + 1)
}

#[cfg(test)]
mod tests {
    use ledger::AlertId;

    use super::*;

    fn webhook(attempts: u32) -> WebhookTask {
        let url = "https://hooks.example.com/".to_owned();
        WebhookTask { id: AlertId(1), receipt: ReceiptHash([0; 32]), url, attempts, since: at(0) }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_795_226_400_000 + millis).unwrap()
    }

    #[test]
    fn success_ends_it_410_ends_the_webhook_and_all_else_is_tried_again() {
        for status in [200, 202, 204, 299] {
            assert_eq!(outcome(Ok(status), &webhook(0), at(0), 200), WebhookOutcome::Delivered);
        }
        assert_eq!(outcome(Ok(410), &webhook(0), at(0), 200), WebhookOutcome::Gone);
        for status in [300, 302, 400, 404, 409, 429, 500, 503] {
            let again = WebhookOutcome::Again { at: at(2_000), error: format!("status_{status}") };
            assert_eq!(outcome(Ok(status), &webhook(0), at(0), 200), again);
        }
        let again = WebhookOutcome::Again { at: at(2_000), error: "timeout".to_owned() };
        assert_eq!(outcome(Err(Unsent::Theirs("timeout")), &webhook(0), at(0), 200), again);
    }

    #[test]
    fn what_was_not_sent_from_here_is_no_attempt_of_the_receivers() {
        for attempts in [0, 12] {
            let sent = outcome(Err(Unsent::Ours("busy")), &webhook(attempts), at(0), 200);
            assert_eq!(sent, WebhookOutcome::NotSent { at: at(OWN_PAUSE_MS) });
        }
        let late = outcome(Err(Unsent::Ours("busy")), &webhook(0), at(PATIENCE_MS), 200);
        assert_eq!(late, WebhookOutcome::Failed { error: "busy".to_owned() });
    }

    #[test]
    fn pauses_grow_up_to_a_bound_and_no_two_receivers_keep_step() {
        let pauses: Vec<i64> = (0..12).map(|attempts| pause_ms(attempts, 200)).collect();
        assert!(pauses.is_sorted());
        assert_eq!((pauses[0], pauses[1], pauses[11]), (2_000, 6_000, LONGEST_PAUSE_MS));
        assert_eq!((pause_ms(0, 0), pause_ms(0, JITTER)), (1_600, 2_400));
        assert_eq!(pause_ms(u32::MAX, 200), LONGEST_PAUSE_MS);
    }

    /// A receiver who never answers is tried for about a day, and then no more.
    #[test]
    fn it_is_tried_for_about_a_day() {
        for jitter in [0, 200, JITTER] {
            let (mut now, mut attempts) = (at(0), 0);
            while let WebhookOutcome::Again { at, .. } = outcome(Ok(500), &webhook(attempts), now, jitter) {
                (now, attempts) = (at, attempts + 1);
            }
            let hours = now.millis_since(at(0)) / 3_600_000;
            assert!((15..=24).contains(&hours) && (8..=20).contains(&attempts), "{attempts} in {hours} h");
        }
    }
}
