//! Says in `/health` how the signer of the log does, where its key is elsewhere, and looks for its return.

use std::sync::Arc;
use std::time::Duration;

use log_signer::{RemoteSigner, SignerState};
use module::background::Background;
use tlog::SignError;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The name of the part in `/health`.
const PART: &str = "log_signer";
/// The pause before a signer that is down or slow is asked again, unless a receipt asks it before.
const PAUSE: Duration = Duration::from_secs(5);

/// Starts the loop.
pub fn start(signer: Arc<RemoteSigner>, background: &Background) {
    let of_loop = background.clone();
    background.start(PART, move || watch(Arc::clone(&signer), of_loop.clone()));
}

async fn watch(signer: Arc<RemoteSigner>, background: Background) {
    let mut states = signer.state();
    loop {
        let state = states.borrow_and_update().clone();
        background.set_trouble(PART, trouble(&state));
        match &state {
            SignerState::Untried => {}
            SignerState::Sound => tracing::info!("the log's signer answers"),
            SignerState::Slow => tracing::warn!("the log's signer takes over 1 s for a signature"),
            SignerState::Down(error) => {
                tracing::error!(%error, "the log's signer is down: no receipt is issued")
            }
        }
        // It is asked until its state changes: nobody else asks it while no calls come in.
        while !states.has_changed().unwrap_or(true) {
            let pause = match &state {
                SignerState::Untried => Duration::ZERO,
                SignerState::Sound => Duration::MAX,
                SignerState::Slow | SignerState::Down(_) => PAUSE,
            };
            if timeout(pause, states.changed()).await.is_ok() {
                break;
            }
            let asked = Arc::clone(&signer);
            // What became of it is in its state.
            let _ = spawn_blocking(move || asked.probe()).await;
        }
    }
}

/// The sentence for `/health`.
fn trouble(state: &SignerState) -> Option<&'static str> {
    match state {
        SignerState::Untried | SignerState::Sound => None,
        SignerState::Slow => Some("the log's signer takes over 1 s for a signature"),
        SignerState::Down(SignError::Late { .. }) => {
            Some("the log's signer does not answer in time: no receipt is issued until it does")
        }
        SignerState::Down(SignError::Failed { .. }) => {
            Some("the log's signer fails: no receipt is issued until it answers")
        }
        SignerState::Down(SignError::Invalid(_)) => Some(
            "the log's signer answers with signatures that do not verify: no receipt is issued until it signs with the log's key",
        ),
    }
}
