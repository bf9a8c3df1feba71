//! The bounds of this crate, for `/catalog`.

use serde_json::{Value, json};

use crate::dnssec::Probe;
use crate::domain::{MAX_NAME_BYTES, MAX_TEXT_BYTES};
use crate::trust_score::{AT_ONCE, KEEP, KEEP_FAILED, KEEP_LEAST, KEPT_BYTES, RECORDS, TOTAL, WAIT, limits};
use crate::{dns, headers, records, registry, site, spf, tls};

/// What is published of them.
#[must_use]
pub fn bounds() -> Value {
    let fetch = limits();
    json!({
        "domain_characters": MAX_TEXT_BYTES,
        "name_bytes": MAX_NAME_BYTES,
        "total_ms": TOTAL.as_millis(),
        "records_ms": RECORDS.as_millis(),
        "dnssec_ms": Probe::LIMIT.as_millis(),
        "tls_ms": tls::MAX_LOOK.as_millis(),
        "pages_ms": site::LOOK.as_millis(),
        "registry_ms": registry::LOOK.as_millis(),
        "domains_at_once": AT_ONCE,
        "wait_ms": WAIT.as_millis(),
        "kept_bytes": KEPT_BYTES,
        "keep_least_s": KEEP_LEAST.as_secs(),
        "keep_s": KEEP.as_secs(),
        "keep_failed_s": KEEP_FAILED.as_secs(),
        "look_ups": dns::MAX_LOOK_UPS,
        "records_bytes": dns::MAX_BYTES,
        "look_ups_at_once": dns::Resolver::AT_ONCE,
        "mail_exchangers": records::MAX_EXCHANGERS,
        "name_servers": records::MAX_SERVERS,
        "spf_records": spf::MAX_WALKED,
        "chain_certificates": tls::MAX_CHAIN_CERTIFICATES,
        "chain_bytes": tls::MAX_CHAIN_BYTES,
        "page_bytes": headers::MAX_HTML_BYTES,
        "registry_bytes": registry::MAX_BYTES,
        "redirects": fetch.redirects,
        "connections_at_once": fetch.in_all,
        "connections_per_network": fetch.per_network,
        "connections_per_host": fetch.per_host,
    })
}
