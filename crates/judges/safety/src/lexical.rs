//! The rules over the letters of an address, as a scan asks them.

use std::sync::LazyLock;

use url_signals::Scanner;
pub(crate) use url_signals::{Signal, THRESHOLD, UrlSignals};
use web_address::WebAddress;

use crate::finding::Severity;

/// Making one decodes the model.
static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

/// The rules that an address breaks, and the log-odds that it is one of phishing.
pub(crate) fn scan(address: &WebAddress) -> UrlSignals {
    SCANNER.scan(address)
}

impl From<url_signals::Severity> for Severity {
    fn from(severity: url_signals::Severity) -> Self {
        match severity {
            url_signals::Severity::Info => Self::Info,
            url_signals::Severity::Warn => Self::Warn,
            url_signals::Severity::Block => Self::Block,
        }
    }
}

/// The weights of an address's signals where it stands in a text. One of many links that the model finds odd, a company's page
/// on a platform, and an address of the reader's own network, as manuals have them, are told, and decide nothing.
pub(crate) fn severity_in_text(signals: &[Signal], signal: &Signal) -> Severity {
    let is_private = signals.iter().any(|signal| signal.rule.id == "private-host");
    let is_told = ["url-model", "brand-on-shared-host"].contains(&signal.rule.id) || is_private;
    if is_told { Severity::Info } else { signal.rule.severity.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_text(url: &str) -> Vec<(&'static str, Severity)> {
        let signals = scan(&WebAddress::parse(url).expect("it is an address")).signals;
        signals.iter().map(|signal| (signal.rule.id, severity_in_text(&signals, signal))).collect()
    }

    #[test]
    fn what_manuals_have_is_told_in_a_text_and_decides_nothing() {
        for id in ["private-host", "url-model", "brand-on-shared-host"] {
            assert!(url_signals::rules().any(|rule| rule.id == id), "{id}");
        }
        let own = in_text("http://192.168.0.1:8080/admin/login");
        assert!(!own.is_empty() && own.iter().all(|(_, severity)| *severity == Severity::Info), "{own:?}");
        let other = in_text("https://paypal.com@198.51.100.7/login");
        assert!(other.contains(&("userinfo-host", Severity::Block)), "{other:?}");
    }
}
