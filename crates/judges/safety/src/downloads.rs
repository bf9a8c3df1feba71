//! The downloads of the feeds of a running service.

use std::time::SystemTime;

use threat_feeds::{FeedDownload, FeedDownloadError, FeedDownloadRound};

/// Asks the publisher of a feed, for as long as the service runs. A failed round leaves the feed as it is.
pub(crate) async fn run(download: FeedDownload) {
    tokio::time::sleep(download.first_wait(SystemTime::now())).await;
    let (mut failures, mut said) = (0, None);
    loop {
        let end = download.round(SystemTime::now()).await;
        failures = if end.is_err() { failures + 1 } else { 0 };
        tell(download.name(), &end, &mut said);
        tokio::time::sleep(fetch::pause(download.every(), failures)).await;
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
