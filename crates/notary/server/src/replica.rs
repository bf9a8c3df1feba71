//! The description that this process gives of itself to those that share its store.

use std::sync::Arc;
use std::time::Duration;

use ledger::ReplicaReport;
use tokio::sync::watch;

use crate::app::App;
use crate::routes::health;

/// The time after which the description is made anew.
const RENEWAL: Duration = Duration::from_secs(1);

/// Describes this process to the others, for as long as it is polled; after a reload, with what was reloaded.
pub async fn report(app: watch::Receiver<Arc<App>>) {
    loop {
        let now = Arc::clone(&app.borrow());
        now.notary.ledger.report(describe(&now));
        tokio::time::sleep(RENEWAL).await;
    }
}

fn describe(app: &App) -> ReplicaReport {
    let faults = health::observe(app).faults;
    let faults: Vec<String> = faults.iter().map(|(part, fault)| format!("{part}: {fault}")).collect();
    let sources = app.standings().flat_map(|(_, standing)| standing.sources);
    let lists: Vec<String> = sources
        .map(|source| match source.published {
            Some(day) => format!("{} {day}", source.name),
            None => source.name,
        })
        .collect();
    ReplicaReport {
        name: app.replica.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        lists: lists.join(", "),
        health: if faults.is_empty() { "ok".to_owned() } else { faults.join(", ") },
        prices: app.prices().hash(),
        next_key: app.notary.keys.ready(),
    }
}
