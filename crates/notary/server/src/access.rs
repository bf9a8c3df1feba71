//! The access log: one event a request, under a target of its own.
//!
//! It is off unless the log filter names it (`log = "info,access=info"`), since a notary answers thousands of requests a
//! second. It has no path, no agent and no address: a path may hold a receipt's hash or a watch's id, and who knows
//! them may look.

use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody as _;
use axum::extract::{FromRequestParts as _, Request};
use axum::http::request::Parts;
use axum::response::Response;
use ipnet::IpNet;

use crate::app::App;
use crate::payment_gate;
use crate::pipeline::Client;

/// The target of the events of the access log.
const TARGET: &str = "access";

/// The data of a request that are logged when it is answered.
pub(crate) struct Access {
    /// The wide network of the client: an IPv4 /24 or an IPv6 /48.
    network: IpNet,
    has_proof: bool,
    /// The length of the body, where it was announced.
    bytes_in: Option<u64>,
}

/// Returns the request, and what is logged of it if the access log is on.
pub(crate) async fn begin(app: &Arc<App>, request: Request) -> (Request, Option<Access>) {
    if !tracing::enabled!(target: TARGET, tracing::Level::INFO) {
        return (request, None);
    }
    let (mut parts, body) = request.into_parts();
    let access = Access {
        network: network(&mut parts, app).await,
        has_proof: payment_gate::has_proof(&parts.headers),
        bytes_in: body.size_hint().exact(),
    };
    (Request::from_parts(parts, body), Some(access))
}

async fn network(parts: &mut Parts, app: &Arc<App>) -> IpNet {
    let Ok(client) = Client::from_request_parts(parts, app).await;
    client.network().wide
}

impl Access {
    /// Logs an answer. The span of the request has its id, its method and its route.
    pub(crate) fn end(&self, response: &Response, took: Duration) {
        let status = response.status().as_u16();
        let duration_ms = took.as_secs_f64() * 1000.0;
        tracing::info!(
            target: TARGET,
            status,
            duration_ms,
            bytes_in = self.bytes_in,
            bytes_out = response.body().size_hint().exact(),
            network = %self.network,
            payment = payment(self.has_proof, response),
            "answered"
        );
    }
}

/// Returns the word for the part that payment had in an answer.
fn payment(has_proof: bool, response: &Response) -> &'static str {
    let is_settled = || {
        ["payment-response", "x-payment-response", "payment-receipt"]
            .iter()
            .any(|name| response.headers().contains_key(*name))
    };
    match (response.status().as_u16(), has_proof) {
        (402, true) => "refused",
        (402, false) => "required",
        (200, true) if is_settled() => "paid",
        (_, true) => "sent",
        (_, false) => "none",
    }
}
