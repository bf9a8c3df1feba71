//! The probe of a domain's discovery documents, and its observations.

use std::time::Duration;

use domain_name::DomainName;
use fetch::{Fetcher, PageAsk};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join};
use receipt::hash::sha256;
use serde::{Deserialize, Serialize};
use url::Url;

use super::read::{names_in_document, payees_in_document};
use crate::elapsed::millis;
use crate::site::ProbeFailure;

/// The places of a discovery document on a host.
pub const PLACES: [&str; 2] = ["/.well-known/x402", "/.well-known/x402.json"];
/// Maximum number of concurrent requests of a look.
pub const CONNECTIONS: usize = PLACES.len();
/// Timeout of all requests of a look together.
pub const LOOK: Duration = Duration::from_millis(1500);
/// Maximum size of a document, in bytes. A longer one is not read.
pub const MAX_DOCUMENT_BYTES: usize = 256 << 10;
const MAX_REDIRECTS: usize = 3;

/// Observation of a domain's discovery documents, as plain data.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PayeeObservation {
    /// The name of the host.
    pub name: DomainName,
    /// The documents, in the order of [`PLACES`].
    pub documents: Vec<PayeeDocument>,
}

/// A discovery document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PayeeDocument {
    /// The URL that was asked.
    pub asked: Url,
    /// Result of the request.
    pub end: PayeeDocumentResult,
    /// Duration of the request, in milliseconds.
    pub elapsed_ms: u32,
}

/// Result of a request for a discovery document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PayeeDocumentResult {
    /// The host answered.
    Answered {
        /// The status. Statements are read with a status of success and with 402.
        status: u16,
        /// Number of bytes that were read.
        bytes: u64,
        /// SHA-256 of the bytes that were read, in hex.
        sha256: String,
        /// True if the document is longer than [`MAX_DOCUMENT_BYTES`]; no statement is then read.
        is_cut: bool,
        /// Addresses to which the document wants payments ([`payees_in_document`]).
        payees: Vec<String>,
        /// Names that the document gives its seller ([`names_in_document`]).
        names: Vec<String>,
    },
    /// The request failed.
    Failed(ProbeFailure),
}

impl PayeeObservation {
    /// Returns the addresses of all documents, each with the path of its place.
    pub fn payees(&self) -> impl Iterator<Item = (&str, &str)> {
        self.documents.iter().flat_map(|document| {
            let payees = match &document.end {
                PayeeDocumentResult::Answered { payees, .. } => payees.as_slice(),
                PayeeDocumentResult::Failed(_) => &[],
            };
            payees.iter().map(|payee| (document.asked.path(), payee.as_str()))
        })
    }

    /// Returns true if a repeated probe may observe a document that this one did not.
    #[must_use]
    pub fn has_gaps(&self) -> bool {
        self.documents.iter().any(|document| match &document.end {
            PayeeDocumentResult::Answered { status, .. } => *status == 429 || *status >= 500,
            PayeeDocumentResult::Failed(unseen) => !unseen.is_the_site_s(),
        })
    }
}

/// The probe. A clone is cheap and shares the fetcher's limits, which must permit [`CONNECTIONS`] to one host, beside
/// those of other probes of the same host.
#[derive(Clone, Debug)]
pub struct PayeeProbe {
    fetcher: Fetcher,
    https_port: u16,
}

impl PayeeProbe {
    /// Builds a probe that uses this fetcher and port: 443, except in a laboratory.
    #[must_use]
    pub fn new(fetcher: Fetcher, https_port: u16) -> Self {
        Self { fetcher, https_port }
    }

    /// Looks for the documents of a host. Redirects are followed below the registrable name alone, since the document
    /// of another domain is no statement of this one.
    pub fn look<'a>(
        &'a self,
        name: &'a DomainName,
        registrable: &'a DomainName,
    ) -> BoxFuture<'a, PayeeObservation> {
        async move {
            let [first, second] = PLACES.map(|place| self.document(name, registrable, place));
            let (first, second) = join(first, second).await;
            PayeeObservation { name: name.clone(), documents: vec![first, second] }
        }
        .boxed()
    }

    async fn document(&self, name: &DomainName, registrable: &DomainName, place: &str) -> PayeeDocument {
        let asked = Url::parse(&format!("https://{name}:{}{place}", self.https_port));
        let asked = asked.expect("a host name, a port and a fixed path are a URL");
        let Ok(target) = self.fetcher.check_url(asked.as_str()) else {
            let end = PayeeDocumentResult::Failed(ProbeFailure::PolicyRefused);
            return PayeeDocument { asked, end, elapsed_ms: 0 };
        };
        let ask = PageAsk {
            accept: "application/json",
            preflight_from: None,
            redirects: MAX_REDIRECTS,
            below: Some(registrable.to_string()),
            body_bytes: MAX_DOCUMENT_BYTES,
            within: LOOK,
        };
        let page = self.fetcher.page(target, &ask).await;
        let end = match page.end {
            Err(error) => PayeeDocumentResult::Failed(ProbeFailure::from(&error)),
            Ok(answer) => {
                let is_read = matches!(answer.status, 200..300 | 402) && !answer.is_cut;
                let body: &[u8] = if is_read { &answer.body } else { &[] };
                PayeeDocumentResult::Answered {
                    status: answer.status,
                    bytes: answer.body.len() as u64,
                    sha256: hex::encode(sha256(&answer.body)),
                    is_cut: answer.is_cut,
                    payees: payees_in_document(body),
                    names: names_in_document(body),
                }
            }
        };
        PayeeDocument { asked, end, elapsed_ms: millis(page.elapsed) }
    }
}
