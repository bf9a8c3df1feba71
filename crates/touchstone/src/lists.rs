//! The service's sanctions lists: read at the start, and taken over anew when another process imports one.

use std::time::Duration;

use sanctions::live::Lists;

/// How often the service looks whether something else is live.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long it waits after it could not read what is.
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// Reads what is live, and says so; without a list, the routes that need one are 503. Whether it could be read.
pub fn load(lists: &Lists) -> bool {
    match lists.reload() {
        Ok(false) => true,
        Ok(true) => {
            for list in lists.now().all() {
                tracing::info!("live: {:?}", list.indexed);
            }
            true
        }
        Err(error) => {
            tracing::error!("the sanctions lists cannot be read: {error}");
            false
        }
    }
}

/// Takes over, for as long as the service runs, what others import.
pub async fn follow(lists: Lists) {
    loop {
        let beside = lists.clone();
        // Reading and indexing take seconds of one core: not on a thread where calls are answered.
        let loaded = tokio::task::spawn_blocking(move || load(&beside)).await.unwrap_or(false);
        tokio::time::sleep(if loaded { LOOK_EVERY } else { AFTER_FAILURE }).await;
    }
}
