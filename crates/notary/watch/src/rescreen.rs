//! Screens watches again that were last screened on other lists than the live ones, and looks again at domains whose last
//! look is long enough ago.
//!
//! Both have a loop of their own: looks wait for servers of others, and must not delay what is screened against lists.

use std::sync::Arc;
use std::time::Duration;

use capacity::{Compute, ComputeClient};
use futures_util::{StreamExt as _, stream};
use ledger::{
    CurrentEdition, DueClass, LeaseRequest, Ledger, LedgerError, Owner, Screening, ScreeningTask,
    WatchChange, WatchId, WatchStep,
};
use module::{RouteTable, WatchSchedule, fault};
use notary::{Consequence, Notary, NotaryError, ReceiptDraft};
use receipt::json::{Json, Object};
use thiserror::Error;
use verdict::{AgentName, Case, JudgeContext, KeptRequest, Ruling, ScreeningResult, Unavailable};

use super::facts::{Change, Look, describe};
use super::finding::{request, screening};
use super::screens::{Screen, Screens};
use super::{DAY_MS, SHOWN_DAYS};

/// The interval at which due watches are searched for.
pub const EVERY: Duration = Duration::from_secs(2);
/// Duration of the lease of a watch, in milliseconds.
pub const LEASE_MS: i64 = 60_000;
/// Pause of a watch that could not be screened and probably cannot be soon, in milliseconds.
pub const POSTPONED_MS: i64 = 3_600_000;
/// Maximum number of watches that are leased at once.
pub const MOST: u32 = 64;
/// Maximum number of domains of watches that are looked at at once.
pub const LOOKS_AT_ONCE: u32 = 8;
/// The number of rounds between two searches for watches to delete.
const FORGET_EVERY: u32 = 300;
/// The most watches that are deleted at once.
const FORGET_MOST: u32 = 1000;

/// The reason why a watch is not screened yet.
#[derive(Debug, Error)]
enum RescreenError {
    #[error("nobody screens this class any more, or its request is not kept")]
    Unreadable,
    #[error("its finding names no lists, and no time of a look")]
    NoLists,
    #[error("its look saw nothing")]
    Unseen,
    #[error("the ledger cannot be read: {0}")]
    Unread(LedgerError),
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
        matches!(self, Self::Unreadable | Self::NoLists | Self::Unseen | Self::Panicked)
    }
}

/// Keeps watches up to date with the lists and with the domains, for as long as it is polled.
pub async fn keep(rescreening: Arc<Rescreening>, new_owner: impl Fn() -> Owner + Clone) {
    tokio::join!(keep_screened(&rescreening, new_owner.clone()), keep_looked_at(&rescreening, new_owner));
}

async fn keep_screened(rescreening: &Arc<Rescreening>, new_owner: impl Fn() -> Owner) {
    let mut rounds: u32 = 0;
    loop {
        let current = rescreening.screens.editions(rescreening.notary.clock.now());
        let due = current.into_iter().map(DueClass::OtherEdition).collect();
        let more = logged(rescreening.round(due, MOST, 1, new_owner()).await);
        rounds = rounds.wrapping_add(1);
        if is_to_forget(rounds) {
            rescreening.forget().await;
        }
        if !more {
            tokio::time::sleep(EVERY).await;
        }
    }
}

async fn keep_looked_at(rescreening: &Arc<Rescreening>, new_owner: impl Fn() -> Owner) {
    loop {
        let more = logged(rescreening.look_round(new_owner()).await);
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

    /// Looks at the domains that are due, and returns true if there may be more.
    pub(super) async fn look_round(self: &Arc<Self>, owner: Owner) -> Result<bool, LedgerError> {
        let due = self.screens.looks(self.notary.clock.now());
        if due.is_empty() {
            return Ok(false);
        }
        self.round(due, LOOKS_AT_ONCE, LOOKS_AT_ONCE as usize, owner).await
    }

    /// Screens at most `most` of the due watches, so many at once, and returns true if there may be more. A watch that
    /// could not be screened stays leased, so that it is not taken again at once.
    async fn round(
        self: &Arc<Self>,
        due: Vec<DueClass>,
        most: u32,
        at_once: usize,
        owner: Owner,
    ) -> Result<bool, LedgerError> {
        let now = self.notary.clock.now();
        let wish = LeaseRequest { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most };
        let editions: Arc<[CurrentEdition]> = due.iter().filter_map(edition_of).collect();
        let due = self.ledger().take_watches(wish, due).await?;
        let is_full = due.len() >= most as usize;
        let (mut same, mut lasting, mut failed, mut last) = (Vec::new(), Vec::new(), 0_u32, None);
        let screened = stream::iter(due).map(|watch| {
            let (id, this, editions) = (watch.id, Arc::clone(self), Arc::clone(&editions));
            async move { (id, caught(async move { this.screen(watch, &editions, owner).await }).await) }
        });
        let mut screened = screened.buffer_unordered(at_once);
        while let Some((id, screened)) = screened.next().await {
            match screened {
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

    /// Screens one watch. If the verdict or a fact has changed, it signs and logs the change; else it returns the screening
    /// for the ledger.
    async fn screen(
        &self,
        watch: ScreeningTask,
        editions: &[CurrentEdition],
        owner: Owner,
    ) -> Result<Option<(WatchId, Screening)>, RescreenError> {
        let ScreeningTask { id, key, agent, class, screened: before, request: asked } = watch;
        let asked = asked.ok_or(RescreenError::Unreadable)?;
        let (Some(screen), Some(question), Ok(agent)) =
            (self.screens.of_class(&class), request(&asked), AgentName::parse(&agent))
        else {
            return Err(RescreenError::Unreadable);
        };
        let case: Arc<dyn Case> = screen.judge.open(&question).map_err(|_| RescreenError::Unreadable)?.into();
        let at = self.notary.now().map_err(RescreenError::NotIssued)?;
        let effect = screen.judge.effect_kind();
        let memory = notary::memory(self.ledger(), effect, screen.class, &*case).await;
        let memory = memory.map_err(RescreenError::Unread)?;
        let context = JudgeContext { memory, ..JudgeContext::from(at) };
        let Ruling { mut finding, evidence, .. } =
            capacity::judge(&self.compute, ComputeClient::ourselves(), &case, screen.module, context).await?;
        let mut about = Object::new();
        about.insert("sha256", hex::encode(key.0));
        about.insert("before", before.verdict.as_str());
        let (found, is_changed) = compared(screen, &finding, &before, editions, &mut about)?;
        if !is_changed {
            return Ok(Some((id, found)));
        }
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

/// Returns true if a round has left more to be done; its error is logged.
fn logged(round: Result<bool, LedgerError>) -> bool {
    round.unwrap_or_else(|error| {
        tracing::error!(%error, "watches cannot be taken in hand");
        false
    })
}

fn edition_of(due: &DueClass) -> Option<CurrentEdition> {
    match due {
        DueClass::OtherEdition(current) => Some(current.clone()),
        DueClass::ScreenedBy { .. } => None,
    }
}

/// Compares a finding with the screening before it. Returns the screening for the ledger, and true if the change is to be
/// reported; what the receipt says of the change besides the verdict is added to `about`.
///
/// Another verdict of a look that saw nothing counts only if that lasts, for as long again as there is between two looks:
/// it may be this service that sees nothing.
///
/// # Errors
/// [`RescreenError::NoLists`]: the finding is not that of a screening. [`RescreenError::Unseen`]: the look saw nothing.
fn compared(
    screen: &Screen,
    finding: &Object,
    before: &Screening,
    editions: &[CurrentEdition],
    about: &mut Object,
) -> Result<(Screening, bool), RescreenError> {
    let stored = |ScreeningResult { verdict, snapshots, at }| Screening::new(verdict, &snapshots, at);
    if let WatchSchedule::Every(every) = screen.schedule {
        let (before, after) = (Look::stored(before), Look::of(finding).ok_or(RescreenError::NoLists)?);
        let changes = after.changes_since(&before);
        let is_changed = !changes.is_empty();
        let is_of_verdict = is_changed && changes.iter().all(Change::is_of_verdict);
        if is_of_verdict && after.saw_nothing() && after.follows_within(&before, 2 * every) {
            return Err(RescreenError::Unseen);
        }
        if is_changed {
            describe(about, &before, &after, changes);
        }
        return Ok((stored(after.over(&before).to_screening()), is_changed));
    }
    let mut found = stored(screening(finding).ok_or(RescreenError::NoLists)?);
    if let Some(due) = editions.iter().find(|current| current.class == screen.class) {
        found = found.for_edition(due.edition);
    }
    let is_changed = found.verdict != before.verdict;
    Ok((found, is_changed))
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
