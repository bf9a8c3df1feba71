//! The module `market` through the real binary, over sources that are served locally.

mod composite;
mod distress;
mod filings;
mod records;
mod sources;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::peer::{Peer, Step, answer};
use crate::support::service::Launch;

/// Who asks.
pub const CONTACT: &str = "Example Ltd. data@example.com";

/// The status and body of each target.
type Documents = Arc<Mutex<BTreeMap<String, (&'static str, Vec<u8>)>>>;

/// The documents of all sources, by their path with the query, or by the path alone.
pub struct Published {
    peer: Peer,
    documents: Documents,
    is_down: Arc<AtomicBool>,
}

impl Published {
    /// Sources without a document.
    pub fn new() -> Self {
        let documents = Documents::default();
        let is_down = Arc::new(AtomicBool::new(false));
        let (served, down) = (Arc::clone(&documents), Arc::clone(&is_down));
        let peer = Peer::http(move |target| -> Vec<Step> {
            if down.load(Ordering::SeqCst) {
                return answer("500 Internal Server Error", "", "");
            }
            let served = served.lock().unwrap();
            let path = target.split('?').next().unwrap_or_default();
            match served.get(target).or_else(|| served.get(path)) {
                Some((status, body)) => answer(status, "ETag: \"1\"\r\n", body),
                None => answer("404 Not Found", "", "<Error><Code>NoSuchKey</Code></Error>"),
            }
        });
        Self { peer, documents, is_down }
    }

    pub fn with(self, target: &str, body: impl Into<Vec<u8>>) -> Self {
        self.put(target, "200 OK", body);
        self
    }

    pub fn put(&self, target: &str, status: &'static str, body: impl Into<Vec<u8>>) {
        self.documents.lock().unwrap().insert(target.to_owned(), (status, body.into()));
    }

    /// Every request fails from now on, or none.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    pub fn asked(&self) -> Vec<String> {
        self.peer.asked()
    }

    /// A service that asks these sources.
    pub fn launch(&self) -> Launch {
        Launch::dev().without_limits().configured(&self.settings(true))
    }

    /// The settings of the module.
    pub fn settings(&self, has_contact: bool) -> String {
        let contact = if has_contact { format!("contact = {CONTACT:?}\n") } else { String::new() };
        let names = ["edgar", "edgar_files", "cboe", "treasury", "federal_register", "usaspending"];
        let addresses: String = names.map(|name| format!("{name} = {:?}\n", self.peer.url(""))).concat();
        format!("[market]\n{contact}{addresses}")
    }
}

/// A file of the shared folder; where it is not there, that is said.
pub fn recorded(name: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market");
    let bytes = std::fs::read(folder.join(name)).ok();
    if bytes.is_none() {
        println!("skipped: there is no ../shared/data/market/{name}");
    }
    bytes
}
