//! `/log`: the tree, its checkpoint, its newest entries, and how to mirror and to check it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use receipt::json::{Json, parse};
use tlog::TilePath;
use tlog::tile::{FULL_WIDTH, decode_bundle};

use crate::app::App;
use crate::pages;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

/// Maximum number of bundles that are read for them.
const MAX_BUNDLES: usize = 2;
/// Maximum number of entries that are shown.
const SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "log.html")]
struct LogPage<'a> {
    notice: Option<&'a str>,
    base_url: &'a str,
    size: u64,
    root: String,
    latest: String,
    checkpoint: String,
    vkey: &'a str,
    entries: Vec<EntryLine>,
}

/// An entry of the log. It has no receipt's hash: who has that may read the receipt.
pub(crate) struct EntryLine {
    pub(crate) index: u64,
    pub(crate) class: String,
    pub(crate) signed_at: String,
}

/// Shows the page.
pub(super) async fn show(State(app): State<Arc<App>>, client: Client) -> Result<Response, Refusal> {
    let quota = routes::hit(&app, &client, pages::RATED_AS).await?;
    let head = app.notary.ledger.head();
    let page = LogPage {
        notice: pages::notice(&app),
        base_url: app.base_url(),
        size: head.size,
        root: head.root.to_hex(),
        latest: head.latest.to_string(),
        checkpoint: head.checkpoint.to_string(),
        vkey: &app.log_vkey(),
        entries: newest(&app, head.size).await?,
    };
    Ok(pages::page(page.render().map_err(|_| Refusal::Bug)?, quota))
}

/// Reads the newest entries of a tree, the newest first: from its last bundle, and from the one before if that has few.
pub(super) async fn newest(app: &App, size: u64) -> Result<Vec<EntryLine>, Refusal> {
    let full = u64::from(FULL_WIDTH);
    let (mut lines, mut end) = (Vec::new(), size);
    for _ in 0..MAX_BUNDLES {
        if end == 0 || lines.len() >= SHOWN {
            break;
        }
        let first = (end - 1) / full * full;
        lines.extend(of_bundle(app, first, end - first, SHOWN - lines.len()).await?);
        end = first;
    }
    Ok(lines)
}

/// Reads the last `most` of the first `width` entries of the bundle that begins at `first`, the last of them first.
async fn of_bundle(app: &App, first: u64, width: u64, most: usize) -> Result<Vec<EntryLine>, Refusal> {
    let unreadable = || Refusal::unavailable("ledger", 5, "the newest entries cannot be read at the moment");
    let path = u16::try_from(width)
        .ok()
        .and_then(|width| TilePath::entries(first / u64::from(FULL_WIDTH), width).ok());
    let bytes = app.notary.ledger.tile(path.ok_or_else(unreadable)?).await?.ok_or_else(unreadable)?;
    let entries = decode_bundle(&bytes).map_err(|_| unreadable())?;
    let numbered = (first..).zip(entries).collect::<Vec<_>>();
    numbered
        .into_iter()
        .rev()
        .take(most)
        .map(|(index, entry)| line(index, entry).ok_or_else(unreadable))
        .collect()
}

fn line(index: u64, entry: &[u8]) -> Option<EntryLine> {
    let entry = parse(entry).ok()?;
    let text = |name: &str| entry.get(name).and_then(Json::as_str).map(str::to_owned);
    Some(EntryLine { index, class: text("class")?, signed_at: text("t")? })
}

#[cfg(test)]
mod tests {
    use crate::testing::{QUESTION, Service};

    #[tokio::test]
    async fn the_page_shows_the_newest_entries_with_their_classes_and_no_hash_of_a_receipt() {
        let service = Service::new();
        assert!(service.get("/log").await.text().contains("There is none yet"));
        let mut hashes = Vec::new();
        for _ in 0..3 {
            let receipt = service.post("/claim-verdict", QUESTION).await.json();
            hashes.push(receipt["receipt_hash"].as_str().unwrap().to_owned());
        }
        let page = service.get("/log").await;
        let html = page.text();
        assert_eq!(html.matches("<td>claim-verdict</td>").count(), 3, "{html}");
        assert!(html.find("<td>2</td>") < html.find("<td>0</td>"), "the newest is first: {html}");
        assert!(hashes.iter().all(|hash| !html.contains(hash)), "{html}");
    }
}
