//! One source: its address, its rate, and its last answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fetch::{Endpoint, EndpointResponse, FetchError};
use receipt::hash::sha256;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use verdict::{Clock as _, SystemClock, Timestamp, Unavailable};

use super::pace::Pace;
use super::record::SourceRecord;
use crate::MODULE;

/// The most requests to one source at once. Each may hold an answer of [`MAX_BODY_BYTES`](crate::MAX_BODY_BYTES).
const AT_ONCE: usize = 4;
/// Longest wait for one of these places.
const PLACE_WAIT: Duration = Duration::from_millis(500);
/// The pause after a source has answered 429 or 403 without saying how long.
const PAUSE: Duration = Duration::from_secs(10);
/// The code where all places of a source are taken.
const BUSY: &str = "busy";
/// The code where the requests that the source takes in a second are used up.
const RATE_USED_UP: &str = "rate_used_up";
/// Time for which a failure counts as one that lasts, in milliseconds.
const FAILING_MS: i64 = 300_000;

/// A request to a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceRequest {
    /// The path below the source's address, with its segments escaped.
    pub path: String,
    /// The query, escaped; `None` where there is none.
    pub query: Option<String>,
    /// The JSON text that is sent with POST; `None` for GET.
    pub json: Option<String>,
}

impl SourceRequest {
    /// A GET of a path.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self { path: path.into(), query: None, json: None }
    }

    /// The key under which its answer is kept.
    pub(super) fn key(&self) -> String {
        let part = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{}\n{}\n{}", self.path, part(&self.query), part(&self.json))
    }
}

/// The reason why a source gave no answer that serves.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{source_name}: {code}")]
pub struct SourceFault {
    /// The name of the source.
    pub source_name: &'static str,
    /// The stable code of the reason, such as `timeout`, `status_503` or `contact_missing`.
    pub code: String,
    /// The number of seconds after which the caller should try again.
    pub retry_after_s: u32,
}

impl From<SourceFault> for Unavailable {
    fn from(fault: SourceFault) -> Self {
        let SourceFault { source_name, code, retry_after_s } = fault;
        Self {
            module: MODULE,
            retry_after_s,
            detail: format!("the source {source_name} gave no answer: {code}"),
        }
    }
}

/// An answer as it came.
#[derive(Clone, Debug)]
pub struct RawAnswer {
    /// What was asked and what came back.
    pub record: SourceRecord,
    /// The HTTP status: 200, or 404 where the source has no such document.
    pub status: u16,
    /// The body.
    pub body: bytes::Bytes,
}

/// The state of a source, as `/sources` shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SourceState {
    /// The name of the source.
    pub name: &'static str,
    /// The scheme, the host and the port that are asked.
    pub origin: Option<String>,
    /// Time of the last answer; `null` where there was none since the service was started.
    #[schemars(with = "Option<String>")]
    pub last_answer_at: Option<Timestamp>,
    /// The SHA-256 of the last answer's body.
    pub last_sha256: Option<String>,
    /// Age of the last answer in whole seconds.
    pub age_s: Option<u64>,
    /// The code of the last failure, if it came after the last answer.
    pub fault: Option<String>,
    /// The number of requests that can be sent now.
    pub rate_left: u32,
}

/// One service of published records.
#[derive(Debug)]
pub struct Source {
    name: &'static str,
    endpoint: Result<Endpoint, &'static str>,
    pace: Pace,
    clock: SystemClock,
    places: Semaphore,
    last: Mutex<LastAnswer>,
}

#[derive(Debug, Default)]
struct LastAnswer {
    at: Option<Timestamp>,
    sha256: Option<String>,
    fault: Option<String>,
    /// Time of the last failure of the source itself, if it came after the last answer.
    failed_at: Option<Timestamp>,
}

impl Source {
    /// A source at an endpoint, or the code of the reason why it cannot be asked.
    #[must_use]
    pub fn new(name: &'static str, endpoint: Result<Endpoint, &'static str>, per_second: u32) -> Self {
        Self {
            name,
            endpoint,
            pace: Pace::per_second(per_second),
            clock: SystemClock::start(),
            places: Semaphore::new(AT_ONCE),
            last: Mutex::default(),
        }
    }

    /// The name of the source.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Asks the source, in its turn. An answer has the status 200 or 404.
    ///
    /// # Errors
    /// The source cannot be asked now, did not answer, or refused.
    pub async fn ask(&self, request: &SourceRequest) -> Result<RawAnswer, SourceFault> {
        let asked = self.asked(request).await;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &asked {
            Ok(answer) => {
                *last = LastAnswer {
                    at: Some(answer.record.retrieved_at),
                    sha256: Some(answer.record.sha256.clone()),
                    fault: None,
                    failed_at: None,
                };
            }
            Err(fault) => {
                last.fault = Some(fault.code.clone());
                // A place or a turn that is missing is our own bound.
                if ![BUSY, RATE_USED_UP].contains(&&*fault.code) {
                    last.failed_at = Some(self.clock.now());
                }
            }
        }
        asked
    }

    async fn asked(&self, request: &SourceRequest) -> Result<RawAnswer, SourceFault> {
        let endpoint = self.endpoint.as_ref().map_err(|code| self.fault(*code, 3600))?;
        let Ok(Ok(_place)) = timeout(PLACE_WAIT, self.places.acquire()).await else {
            return Err(self.fault(BUSY, 1));
        };
        let later = |wait: Duration| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX).saturating_add(1);
        self.pace.turn().await.map_err(|wait| self.fault(RATE_USED_UP, later(wait)))?;
        let answer = match &request.json {
            None => endpoint.get(&request.path, request.query.as_deref()).await,
            Some(json) => endpoint.post_json_to(&request.path, json.clone().into()).await,
        };
        let answer = answer.map_err(|error: FetchError| self.fault(error.code(), 5))?;
        let EndpointResponse { status, body, validators, retry_after_s, .. } = answer;
        if matches!(status, 403 | 429 | 503) {
            let pause = retry_after_s.map_or(PAUSE, |seconds| Duration::from_secs(seconds.into()));
            self.pace.pause(pause);
            return Err(self.fault(format!("status_{status}"), later(pause)));
        }
        if !matches!(status, 200 | 404) {
            return Err(self.fault(format!("status_{status}"), 30));
        }
        let method = if request.json.is_some() { "POST" } else { "GET" };
        let query = request.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        let record = SourceRecord {
            source: self.name.to_owned(),
            document: String::new(),
            request: format!("{method} {}/{}{query}", endpoint.origin(), request.path),
            sent: request.json.clone(),
            retrieved_at: self.clock.now(),
            status,
            sha256: hex::encode(sha256(&body)),
            evidence_sha256: None,
            bytes: body.len() as u64,
            etag: validators.etag,
            last_modified: validators.last_modified,
            age_s: 0,
            truncated: false,
            stale: false,
        };
        Ok(RawAnswer { record, status, body })
    }

    /// A fault of this source.
    pub fn fault(&self, code: impl Into<String>, retry_after_s: u32) -> SourceFault {
        SourceFault { source_name: self.name, code: code.into(), retry_after_s }
    }

    /// The code of the setting that is missing, without which the source is never asked; `None` if it is configured.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        self.endpoint.as_ref().err().copied()
    }

    /// Returns true if the source has failed lately and has not answered since.
    #[must_use]
    pub fn is_failing(&self, at: Timestamp) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.missing().is_none() && last.failed_at.is_some_and(|failed| at.millis_since(failed) < FAILING_MS)
    }

    /// The state of the source at a time.
    #[must_use]
    pub fn state(&self, at: Timestamp) -> SourceState {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        SourceState {
            name: self.name,
            origin: self.endpoint.as_ref().ok().map(Endpoint::origin),
            last_answer_at: last.at,
            last_sha256: last.sha256.clone(),
            age_s: last.at.map(|answered| age_s(answered, at)),
            fault: last.fault.clone().or(self.endpoint.as_ref().err().map(|code| (*code).to_owned())),
            rate_left: self.pace.left(),
        }
    }
}

/// Whole seconds from one time to another; 0 where the second is earlier.
pub(super) fn age_s(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.millis_since(from) / 1000).unwrap_or_default()
}
