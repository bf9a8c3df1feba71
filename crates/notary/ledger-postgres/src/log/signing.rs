//! Signatures beside the runtime: the log's signer may be elsewhere, and block for seconds.

use ledger::LedgerError;

use crate::connection::Result;

/// Does work that signs on a thread that may block. Where the caller does not wait for its end, the signature is thrown away.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, LedgerError> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    // It has panicked, or the runtime ends.
    Ok(done.map_err(|_| LedgerError::Busy)??)
}
