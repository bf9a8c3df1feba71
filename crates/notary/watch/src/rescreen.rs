//! Screens watches again that were last screened on other lists than the live ones.

use std::sync::Arc;
use std::time::Duration;

use capacity::{Compute, ComputeClient};
use ledger::{
    CurrentEdition, LeaseRequest, Ledger, LedgerError, Owner, Screening, ScreeningTask, WatchChange, WatchId,
    WatchStep,
};
use module::{RouteTable, fault};
use notary::{Consequence, Notary, NotaryError, ReceiptDraft};
use receipt::json::{Json, Object};
use thiserror::Error;
use verdict::{AgentName, Case, KeptRequest, Ruling, ScreeningResult, Unavailable};

use super::finding::{request, screening};
use super::screens::Screens;
use super::{DAY_MS, MODULE, SHOWN_DAYS};

/// The interval at which due watches are searched for.
pub const EVERY: Duration = Duration::from_secs(2);
/// Duration of the lease of a watch, in milliseconds.
pub const LEASE_MS: i64 = 60_000;
/// Pause of a watch that could not be screened and probably cannot be soon, in milliseconds.
pub const POSTPONED_MS: i64 = 3_600_000;
/// Maximum number of watches that are leased at once.
pub const MOST: u32 = 64;
/// The number of rounds between two searches for watches to delete.
const FORGET_EVERY: u32 = 300;
/// The most watches that are deleted at once.
const FORGET_MOST: u32 = 1000;

/// The reason why a watch is not screened yet.
#[derive(Debug, Error)]
enum RescreenError {
    #[error("nobody screens this class any more, or its request is not kept")]
    Unreadable,
    #[error("its finding names no lists")]
    NoLists,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    #[error("its receipt cannot be issued: {0}")]
    NotIssued(Unavailable),
    #[error("its screen has panicked")]
    Panicked,
}

impl RescreenError {
    /// Returns true if the next screening will most likely fail for the same reason.
    fn is_lasting(&self) -> bool {
        matches!(self, Self::Unreadable | Self::NoLists | Self::Panicked)
    }
}

/// Keeps watches up to date with the lists, for as long as it is polled.
pub async fn keep(rescreening: Arc<Rescreening>, new_owner: impl Fn() -> Owner) {
    let mut rounds: u32 = 0;
    loop {
        let day = rescreening.notary.clock.now().day();
        let current = rescreening.screens.editions(&day);
        let more = rescreening.round(current, new_owner()).await.unwrap_or_else(|error| {
            tracing::error!(%error, "watches cannot be taken in hand");
            false
        });
        rounds = rounds.wrapping_add(1);
        if is_to_forget(rounds) {
            rescreening.forget().await;
        }
        if !more {
            tokio::time::sleep(EVERY).await;
        }
    }
}

/// Returns true if ended watches are deleted after this many rounds: not at once, since a clock may be set only after
/// the start.
fn is_to_forget(rounds: u32) -> bool {
    rounds > 0 && rounds.is_multiple_of(FORGET_EVERY)
}

/// The dependencies with which watches are screened again.
pub struct Rescreening {
    notary: Arc<Notary>,
    compute: Arc<Compute>,
    screens: Screens,
}

impl Rescreening {
    /// Builds a rescreening with the route table's judges. It takes turns at the processor, and has the notary sign
    /// changes.
    #[must_use]
    pub fn new(notary: Arc<Notary>, compute: Arc<Compute>, route_table: &RouteTable) -> Self {
        Self { notary, compute, screens: Screens::of(route_table) }
    }

    fn ledger(&self) -> &dyn Ledger {
        &*self.notary.ledger
    }

    /// Screens the due watches, and returns true if there may be more. A watch that could not be screened stays leased,
    /// so that it is not taken again at once.
    async fn round(
        self: &Arc<Self>,
        current: Vec<CurrentEdition>,
        owner: Owner,
    ) -> Result<bool, LedgerError> {
        let now = self.notary.clock.now();
        let wish = LeaseRequest { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most: MOST };
        let editions: Arc<[CurrentEdition]> = current.clone().into();
        let due = self.ledger().take_watches(wish, current).await?;
        let is_full = due.len() >= MOST as usize;
        let (mut same, mut lasting, mut failed, mut last) = (Vec::new(), Vec::new(), 0_u32, None);
        for watch in due {
            let (id, this, editions) = (watch.id, Arc::clone(self), Arc::clone(&editions));
            match caught(async move { this.screen(watch, &editions, owner).await }).await {
                Ok(screened) => same.extend(screened),
                Err(error) => {
                    failed += 1;
                    if error.is_lasting() {
                        lasting.push(id);
                    }
                    last = Some((id, error));
                }
            }
        }
        if let Some((WatchId(watch), error)) = last {
            tracing::warn!(failed, watch, %error, "watches are not screened yet; this is the last of them");
        }
        if !same.is_empty() {
            self.ledger().screened(owner, same).await?;
        }
        if !lasting.is_empty() {
            let until = now.saturating_add_millis(POSTPONED_MS);
            self.ledger().postpone_watches(owner, lasting, until).await?;
        }
        Ok(is_full)
    }

    /// Screens one watch. If the verdict has changed, it signs and logs the change; else it returns the screening for
    /// the ledger.
    async fn screen(
        &self,
        watch: ScreeningTask,
        editions: &[CurrentEdition],
        owner: Owner,
    ) -> Result<Option<(WatchId, Screening)>, RescreenError> {
        let ScreeningTask { id, key, agent, class, verdict, request: asked } = watch;
        let asked = asked.ok_or(RescreenError::Unreadable)?;
        let (Some(screen), Some(question), Ok(agent)) =
            (self.screens.of_class(&class), request(&asked), AgentName::parse(&agent))
        else {
            return Err(RescreenError::Unreadable);
        };
        let case: Arc<dyn Case> = screen.judge.open(&question).map_err(|_| RescreenError::Unreadable)?.into();
        let at = self.notary.now().map_err(RescreenError::NotIssued)?;
        let Ruling { mut finding, evidence, .. } =
            capacity::judge(&self.compute, ComputeClient::ourselves(), &case, MODULE, at.into()).await?;
        let ScreeningResult { verdict: found, snapshots, at: screened_at } =
            screening(&finding).ok_or(RescreenError::NoLists)?;
        let mut found = Screening::new(found, &snapshots, screened_at);
        if let Some(due) = editions.iter().find(|current| current.class == screen.class) {
            found = found.for_edition(due.edition);
        }
        if found.verdict == verdict {
            return Ok(Some((id, found)));
        }
        let mut about = Object::new();
        about.insert("sha256", hex::encode(key.0));
        about.insert("before", verdict);
        finding.insert("watch", Json::Object(about));
        let draft = ReceiptDraft {
            class: screen.class,
            agent,
            request: KeptRequest::as_sent(asked),
            finding,
            evidence,
            judged_at: at,
            place: None,
            paid: None,
            consequence: Consequence::Watch(WatchStep::Changed(WatchChange { id, owner, screened: found })),
        };
        match self.notary.notarize(draft).await {
            Ok(_) => {}
            // The ledger's word that the watch has ended meanwhile, or is in other hands: nothing is left to be done.
            Err(NotaryError::Ledger(LedgerError::NotOwner | LedgerError::WrongState(_))) => return Ok(None),
            Err(error) => return Err(RescreenError::NotIssued(error.into())),
        }
        fault::point("alerted");
        Ok(None)
    }

    /// Deletes watches that ended long ago, by the log's time as well: a clock that is ahead must not delete anything.
    async fn forget(&self) {
        let now = self.notary.clock.now().min(self.ledger().head().latest);
        let before = now.saturating_add_millis(-SHOWN_DAYS * DAY_MS);
        match self.ledger().forget_watches(before, FORGET_MOST).await {
            Ok(0) => {}
            Ok(watches) => tracing::info!(watches, "forgot watches that ended long ago"),
            Err(error) => tracing::error!(%error, "ended watches cannot be forgotten"),
        }
    }
}

/// Screens in a task of its own, so that a panic ends that screening alone. Calls of the service are served in between.
async fn caught<T: Send + 'static>(
    screen: impl Future<Output = Result<T, RescreenError>> + Send + 'static,
) -> Result<T, RescreenError> {
    tokio::spawn(screen).await.unwrap_or(Err(RescreenError::Panicked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_forgotten_by_a_clock_that_was_just_started() {
        let forgetting: Vec<u32> = (0..1000).filter(|rounds| is_to_forget(*rounds)).collect();
        assert_eq!(forgetting, [300, 600, 900]);
    }

    #[tokio::test]
    async fn a_screen_that_panics_ends_nothing_but_itself() {
        let screened = caught::<()>(async { panic!("a judge's mistake") }).await;
        assert!(matches!(screened, Err(RescreenError::Panicked)));
        assert!(matches!(caught(async { Ok(7) }).await, Ok(7)));
    }
}
