//! The options of a request apart from its target, and the answer.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::error::FetchError;
use crate::exchange::Reply;

/// The complete answer of an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndpointResponse {
    /// The HTTP status, 200 to 999. The caller decides which statuses are errors.
    pub status: u16,
    /// The body after content decoding.
    pub body: Bytes,
    /// The value of the `Content-Type` field; `None` where the answer had none that is visible ASCII.
    pub content_type: Option<String>,
    /// The validators of the document.
    pub validators: Validators,
    /// The pause in seconds that the field `Retry-After` asks for; `None` where it asks for none in seconds.
    pub retry_after_s: Option<u32>,
}

impl EndpointResponse {
    pub(crate) fn of(reply: Reply) -> Result<Self, FetchError> {
        match reply {
            Reply::Redirect { .. } => Err(FetchError::TooManyRedirects),
            Reply::Answer { status, headers, content_type, validators, body, .. } => {
                let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
                let retry_after_s = retry_after.and_then(|seconds| seconds.trim().parse().ok());
                Ok(Self { status, body, content_type, validators, retry_after_s })
            }
        }
    }
}

/// The body and the header fields of a POST request.
#[derive(Debug, Clone, Default)]
pub struct Post {
    /// The body: JSON text, unless the header fields name another type.
    pub json: Bytes,
    /// The header fields in addition to those that every request has.
    pub headers: HeaderMap,
}

/// The options of a request for a page. They can lower the bounds of [`crate::Limits`], and not raise them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAsk {
    /// The value of the `Accept` field, in visible ASCII.
    pub accept: &'static str,
    /// With an origin (visible ASCII), the request is the CORS preflight that a browser of this origin would send
    /// before `GET`, with the method `OPTIONS`. With `None` it is a `GET`.
    pub preflight_from: Option<&'static str>,
    /// The most redirects that are followed.
    pub redirects: usize,
    /// The domain, in its ASCII form, at and below which redirects are followed; `None` where redirects to all hosts
    /// are followed.
    pub below: Option<String>,
    /// The most bytes of the body that are read. With 0, the answer ends after its header fields.
    pub body_bytes: usize,
    /// The time limit for the whole request. A connection may take three quarters of the time left, so that a host that
    /// does not accept connections can be distinguished from a host that does not answer.
    pub within: Duration,
}

/// The longest validator that is kept.
const MAX_VALIDATOR: usize = 256;

/// The validators of one version of a document (RFC 9110, section 8.8), as the source wrote them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// The value of the `ETag` field; `None` where the answer had none.
    pub etag: Option<String>,
    /// The value of the `Last-Modified` field; `None` where the answer had none.
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
