//! `/metrics`: the recorder, and the address that it is read at.

mod declared;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use listen::Bounds;
use metrics::Unit;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use server::App;

use declared::{Kind, METRICS, Metric};

/// The interval at which the samples of histograms are summed up.
const UPKEEP: Duration = Duration::from_secs(5);
/// The most connections to /metrics at once.
const CONNECTIONS: usize = 64;

/// Installs the recorder of this process. What is counted before it is lost, so it comes before all else.
///
/// # Errors
/// There is a recorder already.
pub fn install() -> anyhow::Result<PrometheusHandle> {
    let mut builder = PrometheusBuilder::new();
    for metric in METRICS {
        if let Kind::Histogram(buckets) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
        }
    }
    let handle = builder.install_recorder()?;
    METRICS.iter().for_each(describe);
    METRICS.iter().for_each(begin);
    metrics_process::Collector::default().describe();
    Ok(handle)
}

/// The unit of a metric, which is the last word of its name.
fn unit(metric: &Metric) -> Option<Unit> {
    match metric.name.trim_end_matches("_total").rsplit('_').next() {
        Some("seconds") => Some(Unit::Seconds),
        Some("bytes") => Some(Unit::Bytes),
        _ => None,
    }
}

fn describe(metric: &Metric) {
    let unit = unit(metric).unwrap_or(Unit::Count);
    match metric.kind {
        Kind::Counter => metrics::describe_counter!(metric.name, unit, metric.help),
        Kind::Gauge => metrics::describe_gauge!(metric.name, unit, metric.help),
        Kind::Histogram(_) => metrics::describe_histogram!(metric.name, unit, metric.help),
    }
}

/// Begins the series whose labels are known at 0: an alarm on a rate must see the first event, too.
fn begin(metric: &Metric) {
    let mut series: Vec<Vec<metrics::Label>> = vec![Vec::new()];
    for label in metric.labels {
        let values = label.values.iter();
        let with = |labels: &Vec<metrics::Label>, value: &'static str| {
            let mut labels = labels.clone();
            labels.push(metrics::Label::from_static_parts(label.name, value));
            labels
        };
        series = values.flat_map(|value| series.iter().map(|labels| with(labels, value))).collect();
    }
    for labels in series {
        match metric.kind {
            Kind::Counter => metrics::counter!(metric.name, labels).absolute(0),
            // A gauge that was never set is unknown, which 0 would not say.
            Kind::Gauge => {}
            Kind::Histogram(_) => drop(metrics::histogram!(metric.name, labels)),
        }
    }
}

/// Serves `/metrics` at this address for as long as the process runs.
///
/// # Errors
/// The address cannot be listened on.
pub async fn serve(handle: PrometheusHandle, address: SocketAddr, app: Arc<App>) -> anyhow::Result<()> {
    let listener = listen::listen(address).with_context(|| format!("metrics on {address}"))?;
    println!("metrics on http://{}/metrics", listener.local_addr()?);
    let labels = [("version", env!("CARGO_PKG_VERSION")), ("profile", app.profile.word())];
    metrics::gauge!("touchstone_build_info", &labels).set(1.0);
    let upkeep = handle.clone();
    tokio::spawn(async move {
        // Samples are summed up whether or not anybody reads them, so that they do not pile up.
        loop {
            tokio::time::sleep(UPKEEP).await;
            upkeep.run_upkeep();
        }
    });
    let process = metrics_process::Collector::default();
    let render = move || {
        let (handle, app, process) = (handle.clone(), Arc::clone(&app), process.clone());
        async move {
            server::observe(&app).await;
            process.collect();
            ([("content-type", "text/plain; version=0.0.4; charset=utf-8")], handle.render())
        }
    };
    let router = axum::Router::new().route("/metrics", axum::routing::get(render));
    let bounds = Bounds::of(CONNECTIONS);
    tokio::spawn(async move {
        listen::serve(listener, router, &[], bounds, server::http2_refused, std::future::pending()).await;
    });
    Ok(())
}
