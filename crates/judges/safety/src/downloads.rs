//! The downloads of the feeds of a running service.

use std::time::{Duration, SystemTime};

use module::Sharing;
use threat_feeds::{FeedDownload, FeedDownloadError, FeedDownloadRound};

/// The interval at which the files are looked at that another process fetches.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The pause after such files could not be read.
const AFTER_FAILURE: Duration = Duration::from_secs(60);

/// Keeps a feed up to date for as long as the service runs: asks its publisher while this process is the one that downloads,
/// and follows what another process has fetched while it is not. A failed round leaves the feed as it is.
pub(crate) async fn run(download: FeedDownload, sharing: Sharing) {
    let (mut failures, mut said, mut pause) = (0, None, None);
    loop {
        if !sharing.downloads_here() {
            let is_read = download.follow().await.unwrap_or(false);
            tokio::time::sleep(if is_read { LOOK_EVERY } else { AFTER_FAILURE }).await;
            (failures, pause) = (0, None);
            continue;
        }
        tokio::time::sleep(pause.unwrap_or_else(|| download.first_wait(SystemTime::now()))).await;
        if !sharing.downloads_here() {
            continue;
        }
        if sharing.is_shared() {
            // A round takes files away that are not of the feed in use, so what was fetched elsewhere is used first.
            download.follow().await.unwrap_or(false);
        }
        let end = download.round(SystemTime::now()).await;
        failures = if end.is_err() { failures + 1 } else { 0 };
        tell(download.name(), &end, &mut said);
        pause = Some(fetch::pause(download.every(), failures));
    }
}

/// Counts how a round ended, and logs it where it ended otherwise than the last one.
fn tell(feed: &str, end: &Result<FeedDownloadRound, FeedDownloadError>, said: &mut Option<&'static str>) {
    let word = match end {
        Ok(FeedDownloadRound::New) => "new",
        Ok(FeedDownloadRound::Unchanged) => "unchanged",
        Err(error) => error.code(),
    };
    metrics::counter!("touchstone_feed_rounds_total", "feed" => feed.to_owned(), "end" => word).increment(1);
    if said.replace(word) == Some(word) {
        return;
    }
    match end {
        Ok(_) => tracing::info!(feed, end = word, "the feed was fetched"),
        Err(error) => {
            tracing::warn!(feed, code = word, %error, "the feed could not be fetched; what there is serves on until it is stale");
        }
    }
}
