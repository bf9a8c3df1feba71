//! The HTTP client of the commands: a connection for each request, no redirect, no proxy.

use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

/// A client that gives up after `connect` without a connection, TLS included, and after `total` without a whole answer.
/// An answer of any status is an answer. It trusts the authorities that Mozilla trusts.
pub fn agent(connect: Duration, total: Duration) -> Agent {
    let tls = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
        .root_certs(RootCerts::WebPki)
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_idle_connections(0)
        .timeout_resolve(Some(connect))
        .timeout_connect(Some(connect))
        .timeout_global(Some(total));
    config.build().new_agent()
}
