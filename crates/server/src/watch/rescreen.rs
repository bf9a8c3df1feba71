//! Screens again what was last screened on other lists than those that are live.

use std::sync::Arc;
use std::time::Duration;

use ledger::{
    CurrentEdition, DueWatch, Ledger, LedgerError, Owner, Screened, TakeOver, WatchChange, WatchId, WatchStep,
};
use receipt::json::{Json, Object};
use thiserror::Error;
use verdict::{AgentName, Judged, Unavailable};

use super::finding::{request, screened};
use super::screens::Screens;
use super::{DAY_MS, MODULE, SHOWN_DAYS};
use crate::app::App;
use crate::notary::Matter;
use crate::refusal::Refusal;
use crate::{desk, fault};

/// How often watches that are due are looked for.
pub(crate) const EVERY: Duration = Duration::from_secs(2);
/// How long a watch is one task's alone, in milliseconds.
pub(crate) const LEASE_MS: i64 = 60_000;
/// Watches that are taken in hand at once.
pub(crate) const MOST: u32 = 64;
/// How many rounds there are between two looks for what is to be forgotten.
const FORGET_EVERY: u32 = 300;
/// Watches that are forgotten at once.
const FORGET_MOST: u32 = 1000;

/// Why a watch is not screened yet.
#[derive(Debug, Error)]
enum NotYet {
    #[error("nobody screens this class any more, or its request is not kept")]
    Unreadable,
    #[error("its finding names no lists")]
    NoLists,
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    #[error("its receipt cannot be issued: {0:?}")]
    Refused(Refusal),
}

/// Keeps watches up to date with the lists, for as long as it is polled. `current` says which editions are live.
pub async fn keep(app: Arc<App>, current: impl Fn() -> Vec<CurrentEdition>, new_owner: impl Fn() -> Owner) {
    let screens = Screens::of(&app.docket);
    let rescreening = Rescreening { app: &app, screens: &screens };
    let mut rounds = 0;
    loop {
        let more = rescreening.round(current(), new_owner()).await.unwrap_or_else(|error| {
            tracing::error!(%error, "watches cannot be taken in hand");
            false
        });
        if rounds % FORGET_EVERY == 0 {
            rescreening.forget().await;
        }
        rounds = rounds.wrapping_add(1);
        if !more {
            tokio::time::sleep(EVERY).await;
        }
    }
}

struct Rescreening<'a> {
    app: &'a App,
    screens: &'a Screens,
}

impl Rescreening<'_> {
    fn ledger(&self) -> &dyn Ledger {
        &*self.app.notary.ledger
    }

    /// Screens what is due; whether there may be more, and nothing was in the way.
    async fn round(&self, current: Vec<CurrentEdition>, owner: Owner) -> Result<bool, LedgerError> {
        let now = self.app.notary.clock.now();
        let wish = TakeOver { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most: MOST };
        let due = self.ledger().take_watches(wish, current).await?;
        let is_full = due.len() >= MOST as usize;
        let (mut same, mut all_well) = (Vec::new(), true);
        for watch in due {
            let id = watch.id;
            match self.screen(watch, owner).await {
                Ok(screened) => same.extend(screened),
                Err(error) => {
                    all_well = false;
                    tracing::warn!(watch = id.0, %error, "a watch is not screened yet");
                }
            }
            // A screen is short, and many are due at once: calls go in between.
            tokio::task::yield_now().await;
        }
        if !same.is_empty() {
            self.ledger().screened(owner, same).await?;
        }
        Ok(is_full && all_well)
    }

    /// Screens one watch. Where the verdict has changed, it signs and logs that; else gives what the ledger must keep.
    async fn screen(&self, watch: DueWatch, owner: Owner) -> Result<Option<(WatchId, Screened)>, NotYet> {
        let DueWatch { id, key, agent, class, verdict, request: asked } = watch;
        let asked = asked.ok_or(NotYet::Unreadable)?;
        let (Some(screen), Some(question), Ok(agent)) =
            (self.screens.of_class(&class), request(&asked), AgentName::parse(&agent))
        else {
            return Err(NotYet::Unreadable);
        };
        let case = screen.judge.open(&question).map_err(|_| NotYet::Unreadable)?;
        let at = self.app.notary.now().map_err(NotYet::Refused)?;
        let Judged { mut finding, evidence } = desk::judge(&*case, MODULE, at.into()).await?;
        let found = screened(&finding).ok_or(NotYet::NoLists)?;
        if found.verdict == verdict {
            return Ok(Some((id, found)));
        }
        let mut about = Object::new();
        about.insert("sha256", hex::encode(key.0));
        about.insert("before", verdict);
        finding.insert("watch", Json::Object(about));
        let matter = Matter {
            class: screen.class,
            agent,
            request: asked,
            ruling: Judged { finding, evidence },
            judged_at: at,
            place: None,
            paid: None,
            dispute: None,
            watch: Some(WatchStep::Changed(WatchChange { id, owner, screened: found })),
        };
        self.app.notary.notarize(matter).await.map_err(NotYet::Refused)?;
        fault::point("alerted");
        Ok(None)
    }

    /// Forgets watches that ended long ago.
    async fn forget(&self) {
        let before = self.app.notary.clock.now().saturating_add_millis(-SHOWN_DAYS * DAY_MS);
        match self.ledger().forget_watches(before, FORGET_MOST).await {
            Ok(0) => {}
            Ok(watches) => tracing::info!(watches, "forgot watches that ended long ago"),
            Err(error) => tracing::error!(%error, "ended watches cannot be forgotten"),
        }
    }
}
