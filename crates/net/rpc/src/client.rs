//! The client: one request and one answer. A failed call is not repeated.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fetch::{Endpoint, FetchError, Limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{RawResponse, RpcError};

/// A client of a chain's node, which is trusted because the operator configured it.
#[derive(Debug)]
pub struct Rpc {
    endpoint: Endpoint,
    last_id: AtomicU64,
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'a str,
    params: Value,
}

impl Rpc {
    /// Makes a client of the node at a configured address.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, last_id: AtomicU64::new(0) }
    }

    /// The bounds for an [`Endpoint`] that is a node: enough simultaneous calls for a burst of settlements, and 10 s
    /// for each call.
    #[must_use]
    pub fn limits() -> Limits {
        Limits {
            total: Duration::from_secs(10),
            wire_bytes: 4 << 20,
            per_host: 64,
            waiting_per_host: 512,
            per_network: 64,
            waiting_per_network: 512,
            in_all: 64,
            reserved: 0,
            wait: Duration::from_secs(5),
            ..Limits::default()
        }
    }

    /// The scheme, the host and the port of the node's URL.
    #[must_use]
    pub fn origin(&self) -> String {
        self.endpoint.origin()
    }

    /// Calls `method` once and reads its result.
    ///
    /// # Errors
    ///
    /// [`RpcError`].
    pub async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, RpcError> {
        self.exchange(method, params).await?.result(method)
    }

    /// Calls `method` once and returns the unread answer.
    ///
    /// # Errors
    ///
    /// [`FetchError`] where there is no answer.
    pub async fn exchange(&self, method: &str, params: Value) -> Result<RawResponse, FetchError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let request = Request { jsonrpc: "2.0", id, method, params };
        let request = serde_json::to_vec(&request).expect("JSON values serialize");
        let answer = self.endpoint.post_json(request.into()).await?;
        Ok(RawResponse { id, status: answer.status, body: answer.body })
    }
}
