//! The log's filter and format.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _};
use std::panic;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;
#[cfg(feature = "otel")]
use tracing_subscriber::{layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::settings::{LogFormat, Settings};

/// A filter as the setting `log` gives it. The access log is off unless the setting names it.
pub fn filter(text: &str) -> anyhow::Result<EnvFilter> {
    let filter = EnvFilter::try_new(text).with_context(|| format!("log filter `{text}`"))?;
    let names_access_log = text.split(',').any(|directive| directive.trim().starts_with("access="));
    Ok(if names_access_log { filter } else { filter.add_directive("access=off".parse()?) })
}

/// Starts logging to standard error, for as long as the process runs.
pub fn start(settings: &Settings) -> anyhow::Result<()> {
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter(&settings.log)?).with_writer(io::stderr).with_ansi(
            io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|word| word.is_empty()),
        );
    #[cfg(not(feature = "otel"))]
    let started = match settings.log_format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    #[cfg(feature = "otel")]
    let started: Result<(), Box<dyn std::error::Error + Send + Sync>> = match settings.log_format {
        LogFormat::Text => builder.finish().with(crate::otel::layer()?).try_init().map_err(Into::into),
        LogFormat::Json => builder.json().finish().with(crate::otel::layer()?).try_init().map_err(Into::into),
    };
    started.map_err(|error| anyhow::anyhow!("logging: {error}"))?;
    log_panics();
    Ok(())
}

/// Has panics logged as all else is: in the format that is asked for, and with the request that they ended.
fn log_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !tracing::enabled!(tracing::Level::ERROR) {
            return usual(panic);
        }
        let location = panic.location().map(ToString::to_string);
        let cause = panic.payload_as_str();
        let thread = std::thread::current();
        // Only where RUST_BACKTRACE asks for it.
        let backtrace = Backtrace::capture();
        let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
        tracing::error!(location, cause, thread = thread.name(), backtrace, "panicked");
    }));
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};

    use super::*;
    use crate::settings::DEFAULT_FILTER;

    /// Returns the text that `work` logs under a filter.
    fn written(text: &str, work: impl FnOnce()) -> String {
        #[derive(Clone, Default)]
        struct Buffer(Arc<Mutex<Vec<u8>>>);
        impl io::Write for Buffer {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter(text).unwrap())
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, work);
        let bytes = buffer.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_the_dns_library_warns_of_is_not_logged_unless_it_is_asked_for() {
        let warn = || {
            tracing::warn!(target: "hickory_net::udp", "of asked.example");
            tracing::warn!(target: "hickory_proto::op", "of asked.example");
            tracing::warn!(target: "hickory_resolver::name_server", "of asked.example");
            tracing::info!(target: "touchstone", "of our own");
        };
        let usual = written(DEFAULT_FILTER, warn);
        assert!(!usual.contains("asked.example") && usual.contains("of our own"), "{usual}");
        assert_eq!(written("info", warn).matches("asked.example").count(), 3);
    }

    #[test]
    fn the_access_log_is_off_unless_the_filter_names_it() {
        let tell = || {
            tracing::info!(target: "access", "answered");
            tracing::info!(target: "touchstone", "of our own");
        };
        for off in [DEFAULT_FILTER, "info", "debug", "info,accessories=info"] {
            let said = written(off, tell);
            assert!(!said.contains("answered") && said.contains("of our own"), "{off}: {said}");
        }
        let on = written("info,access=info", tell);
        assert!(on.contains("answered") && on.contains("of our own"), "{on}");
        assert!(!written("off,access=info", tell).contains("of our own"));
    }

    #[test]
    fn a_panic_is_logged_with_the_request_that_it_ended_and_where_it_happened() {
        log_panics();
        let said = written("warn", || {
            let span = tracing::error_span!("request", request_id = "0123456789abcdef");
            let panicking = || span.in_scope(|| panic!("a judge's mistake"));
            assert!(panic::catch_unwind(panic::AssertUnwindSafe(panicking)).is_err());
        });
        let line = said.lines().find(|line| line.contains("a judge's mistake")).unwrap();
        assert!(line.contains("0123456789abcdef") && line.contains("logging.rs:"), "{line}");
    }
}
