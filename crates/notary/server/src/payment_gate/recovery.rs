//! Finishes claims that were left behind by a process that ended, or by a task that gave up.

use std::sync::Arc;
use std::time::Duration;

use ledger::{Claim, ClaimState, LeaseRequest, Owner, ProofKey};
use payment::{Header, Version};

use super::paying::PaymentResponseHeader;
use super::{LEASE_MS, PaymentGate, finish, untold};
use crate::app::App;

/// The reply header of a claim without a waiting caller; a retry gets the stored answer under its own header.
const NOBODY: PaymentResponseHeader =
    PaymentResponseHeader { header: Header::XPayment, version: Version::V2, challenge: None };
/// The interval at which abandoned claims are searched for.
const EVERY: Duration = Duration::from_secs(5);
/// The most claims that are taken over at once.
const MOST: u32 = 64;

/// Frees abandoned claims that nothing was broadcast for, and finishes the others, for as long as it is polled.
pub async fn recover(app: Arc<App>, new_owner: impl Fn() -> Owner) {
    let Some(gate) = app.gate.clone() else { return };
    loop {
        // An owner of its own: a task that is only slow is told so at its next step.
        let taken = take_over(&app, new_owner()).await;
        let was_full = taken.len() >= MOST as usize;
        for claim in taken {
            tokio::spawn(go_on(Arc::clone(&app), Arc::clone(&gate), claim));
        }
        if !was_full {
            tokio::time::sleep(EVERY).await;
        }
    }
}

async fn take_over(app: &App, owner: Owner) -> Vec<Claim> {
    let now = app.notary.clock.now();
    let wish = LeaseRequest { now, owner, lease_until: now.saturating_add_millis(LEASE_MS), most: MOST };
    app.notary.ledger.take_over(wish).await.unwrap_or_else(|error| {
        if let Some(repeats) = untold("abandoned claims cannot be taken over") {
            tracing::error!(%error, repeats, "abandoned claims cannot be taken over");
        }
        Vec::new()
    })
}

async fn go_on(app: Arc<App>, gate: Arc<PaymentGate>, claim: Claim) {
    tracing::info!(claim = claim.id.0, state = claim.state.as_str(), "goes on with an abandoned claim");
    // The claim was paid beforehand, by a transfer that may be too old for the caller to show it once more. A bond is
    // heard when it has settled; for any other claim there must be a finding to deliver.
    let is_paid = matches!(claim.key, ProofKey::Transaction { .. })
        && (claim.bond || claim.state == ClaimState::Judged);
    if matches!(claim.state, ClaimState::Claimed | ClaimState::Judged) && !is_paid {
        // Nothing was broadcast and nobody waits for it: the payer's nonce is free again.
        match app.notary.ledger.free(claim.id, claim.owner).await {
            Ok(()) => {}
            // The claim's owner was only slow, or another has taken it over since.
            Err(error) if error.is_refusal() => {
                tracing::debug!(%error, claim = claim.id.0, "an abandoned claim is in other hands")
            }
            Err(error) => {
                if let Some(repeats) = untold("an abandoned claim cannot be freed") {
                    tracing::error!(%error, claim = claim.id.0, repeats, "an abandoned claim cannot be freed");
                }
            }
        }
        return;
    }
    if let Err(refusal) = finish::finish(app, gate, claim.id, claim.owner, NOBODY, None).await
        && let Some(repeats) = untold("an abandoned claim is not finished yet")
    {
        tracing::warn!(?refusal, claim = claim.id.0, repeats, "an abandoned claim is not finished yet");
    }
}
