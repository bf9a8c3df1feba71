//! The export of the spans of requests to an OpenTelemetry collector (OTLP over HTTP), with the feature `otel`.
//!
//! The collector's address comes from the operator's environment alone (`OTEL_EXPORTER_OTLP_ENDPOINT`); without it nothing
//! is exported. A span has what a log line has: an id, a method and a route, and no path.

use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;
use ureq::Agent;

use crate::commands::client::agent;

/// The variable that has the collector's address, as the OpenTelemetry specification names it.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// The longest time for one batch of spans.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of a collector's answer that are read.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// The provider, until the process ends.
static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Makes the layer that exports spans; `None` where no collector is configured.
///
/// # Errors
/// The configuration of the exporter is not usable.
pub fn layer<S>() -> anyhow::Result<Option<impl Layer<S>>>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    if std::env::var_os(ENDPOINT).is_none_or(|endpoint| endpoint.is_empty()) {
        return Ok(None);
    }
    let exporter = SpanExporter::builder().with_http().with_http_client(Client(agent(TIMEOUT, TIMEOUT)));
    let exporter = exporter.build().context("the exporter of spans")?;
    let resource = Resource::builder().with_service_name("touchstone").build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let tracer = PROVIDER.get_or_init(|| provider).tracer("touchstone");
    Ok(Some(tracing_opentelemetry::layer().with_tracer(tracer)))
}

/// Exports the spans that wait, before the process ends.
pub fn stop() {
    if let Some(provider) = PROVIDER.get()
        && let Err(error) = provider.shutdown()
    {
        tracing::warn!(%error, "the last spans could not be exported");
    }
}

/// The client that sends the batches. The exporter calls it on a thread of its own, so it may block.
#[derive(Debug)]
struct Client(Agent);

#[async_trait::async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.0.run(request.map(|body| body.to_vec()))?;
        let (parts, mut body) = answer.into_parts();
        let body = body.with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
        Ok(Response::from_parts(parts, body.into()))
    }
}
