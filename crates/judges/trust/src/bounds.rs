//! The bounds of this crate, for `/catalog`.

use dns::RecordingResolver;
use domain_name::{MAX_NAME_BYTES, MAX_TEXT_BYTES};
use mail_records::spf;
use probe::dnssec::DnssecProbe;
use probe::{ct, payee, registry, site, tls, whois};
use serde_json::{Value, json};

use crate::popularity::MAX_NAMES;
use crate::trust_score::{
    AT_ONCE, CONNECTIONS, KEEP, KEEP_FAILED, KEEP_LEAST, KEPT_BYTES, NAME_CHARS, NAMES, RECORDS, START,
    STARTING, TOTAL, WAIT, WINDOW_S, registry_limits, site_limits,
};
use crate::{records, score};

/// Returns the bounds of this crate for `/catalog`. A bound is for one domain, unless its name says otherwise.
#[must_use]
pub fn bounds() -> Value {
    let (sites, registries) = (site_limits(), registry_limits());
    let mut bounds = json!({
        "domain_characters": MAX_TEXT_BYTES,
        "name_bytes": MAX_NAME_BYTES,
        "total_ms": TOTAL.as_millis(),
        "records_ms": RECORDS.as_millis(),
        "dnssec_ms": DnssecProbe::LIMIT.as_millis(),
        "tls_ms": tls::MAX_LOOK.as_millis(),
        "pages_ms": site::LOOK.as_millis(),
        "domains_at_once": AT_ONCE,
        "starting_at_once": STARTING,
        "start_ms": START.as_millis(),
        "wait_ms": WAIT.as_millis(),
        "kept_bytes": KEPT_BYTES,
        "keep_least_s": KEEP_LEAST.as_secs(),
        "keep_s": KEEP.as_secs(),
        "keep_failed_s": KEEP_FAILED.as_secs(),
        "look_ups": dns::MAX_LOOK_UPS,
        "records_bytes": dns::MAX_BYTES,
        "look_ups_at_once": RecordingResolver::AT_ONCE,
        "dnssec_questions": DnssecProbe::MAX_QUESTIONS + DnssecProbe::WORD,
        "dnssec_questions_at_once": DnssecProbe::AT_ONCE + DnssecProbe::WORD,
        "mail_exchangers": records::MAX_EXCHANGERS,
        "name_servers": records::MAX_SERVERS,
        "spf_records": spf::MAX_WALKED,
        "chain_certificates": tls::MAX_CHAIN_CERTIFICATES,
        "chain_bytes": tls::MAX_CHAIN_BYTES,
        "page_bytes": http_headers::MAX_HTML_BYTES,
        "registry": {
            "ms": registry::LOOK.as_millis(),
            "bytes": registry::MAX_BYTES,
            "kept_bytes": registry::KEPT_BYTES,
            "keep_s": registry::KEEP.as_secs(),
            "keep_failed_s": registry::KEEP_FAILED.as_secs(),
            "pause_s": registry::MAX_PAUSE.as_secs(),
        },
        "check_evidence_bytes": score::MAX_EVIDENCE_BYTES,
        "feeds": threat_feeds::MAX_FEEDS,
        "feed_bytes": threat_feeds::MAX_FEED_BYTES,
        "feed_entries": threat_feeds::MAX_ENTRIES,
        "redirects": sites.redirects,
        "names_below_registrable": { "names": NAMES, "within_s": WINDOW_S },
        "connections": {
            "per_domain": CONNECTIONS,
            "per_host": sites.per_host,
            "per_network": sites.per_network,
            "at_once": sites.in_all + registries.in_all,
        },
    });
    bounds["whois"] = json!({
        "ms": whois::LOOK.as_millis(),
        "bytes": whois::MAX_BYTES,
        "keep_s": whois::KEEP.as_secs(),
    });
    bounds["certificate_transparency"] = json!({
        "ms": ct::LOOK.as_millis(),
        "bytes": ct::MAX_BYTES,
        "rows": ct::MAX_ROWS,
        "keep_s": ct::KEEP.as_secs(),
    });
    bounds["payee_documents"] = json!({
        "ms": payee::LOOK.as_millis(),
        "bytes": payee::MAX_DOCUMENT_BYTES,
        "payees": payee::MAX_PAYEES,
    });
    bounds["counterparty_name_characters"] = json!(NAME_CHARS);
    bounds["popularity_names"] = json!(MAX_NAMES);
    bounds
}
