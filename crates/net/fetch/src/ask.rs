//! The forms of a request beside its target, and of its answer.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The whole answer of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointResponse {
    /// The status, 200 to 999. Judging it is the caller's part.
    pub status: u16,
    /// The body, decoded.
    pub body: Bytes,
}

/// The body and the header fields of a POST request.
#[derive(Debug, Clone, Default)]
pub struct Post {
    /// The body.
    pub json: Bytes,
    /// Fields beside those that every request has.
    pub headers: HeaderMap,
}

/// The options of a request for a page. No bound here widens one of [`crate::Limits`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAsk {
    /// The `Accept` field: visible ASCII.
    pub accept: &'static str,
    /// The origin (visible ASCII) whose browser would ask whether it may read the page: a CORS preflight for `GET`, sent
    /// as `OPTIONS`.
    pub preflight_from: Option<&'static str>,
    /// The most redirects that are followed.
    pub redirects: usize,
    /// The name, in its ASCII form, at and below which redirects are followed; everywhere where there is none.
    pub below: Option<String>,
    /// The most bytes of the body that are read; with none, the answer ends with its head.
    pub body_bytes: usize,
    /// For everything. Three quarters of what a hop has left are for its connection, so that a host that does not take
    /// one is told from a host that does not answer.
    pub within: Duration,
}

/// The longest validator that is kept.
const MAX_VALIDATOR: usize = 256;

/// The validators that distinguish one version of a document from the next (RFC 9110 section 8.8), as its source
/// wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// The `ETag`.
    pub etag: Option<String>,
    /// The `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let kept = |name: HeaderName| {
            let value = headers.get(name)?.to_str().ok()?;
            (value.len() <= MAX_VALIDATOR).then(|| value.to_owned())
        };
        Self { etag: kept(ETAG), last_modified: kept(LAST_MODIFIED) }
    }

    /// Adds the header fields that ask for the document only if it is no longer this version.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        let fields = [(IF_NONE_MATCH, &self.etag), (IF_MODIFIED_SINCE, &self.last_modified)];
        for (name, value) in fields {
            if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_str) {
                headers.insert(name, value);
            }
        }
    }
}
