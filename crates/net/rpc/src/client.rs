//! The client: one request, one answer. No attempt is repeated here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fetch::{Endpoint, FetchError, Limits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{RawResponse, RpcError};

/// A node of a chain, trusted as the operator's configuration is.
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
    /// The node at an address that the operator configured.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, last_id: AtomicU64::new(0) }
    }

    /// Bounds for an [`Endpoint`] that is a node: as many calls at once as a burst of settlements makes, 10 s for each.
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

    /// Scheme, host and port of the node.
    #[must_use]
    pub fn origin(&self) -> String {
        self.endpoint.origin()
    }

    /// Calls `method` once, and reads its result.
    ///
    /// # Errors
    /// [`RpcError`].
    pub async fn call<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, RpcError> {
        self.exchange(method, params).await?.result(method)
    }

    /// Calls `method` once, and gives the answer as it came.
    ///
    /// # Errors
    /// [`FetchError`] where there is none.
    pub async fn exchange(&self, method: &str, params: Value) -> Result<RawResponse, FetchError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let request = Request { jsonrpc: "2.0", id, method, params };
        let request = serde_json::to_vec(&request).expect("JSON values serialize");
        let answer = self.endpoint.post_json(request.into()).await?;
        Ok(RawResponse { id, status: answer.status, body: answer.body })
    }
}
