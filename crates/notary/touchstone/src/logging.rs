//! The log's filter and format.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal as _};
use std::panic;

use anyhow::{Context as _, bail};
use tracing::Subscriber;
use tracing_subscriber::filter::LevelFilter;
#[cfg(feature = "otel")]
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, reload};

use crate::settings::{LogFormat, Settings};

/// A filter as the setting `log` gives it. The access log is off unless the setting names it.
///
/// # Errors
/// It is no filter, or a bare word in it is no level and there is no level: `tracing` takes the word for the only target
/// whose lines are wanted, and the log would stay empty. `off` says the same on purpose.
pub fn filter(text: &str) -> anyhow::Result<EnvFilter> {
    let filter = EnvFilter::try_new(text).with_context(|| format!("log filter `{text}`"))?;
    let directives = || text.split(',').map(str::trim).filter(|directive| !directive.is_empty());
    let is_level = |directive: &str| directive.parse::<LevelFilter>().is_ok();
    let bare =
        directives().find(|directive| !is_level(directive) && !directive.contains(['=', ':', '[', ']', '}']));
    match bare {
        Some(word) if !directives().any(is_level) => bail!(
            "log filter `{text}`: `{word}` is no level, and taken for a target it would silence everything else: the levels \
             are trace, debug, info, warn, error and off, and a target is written `{word}=info`"
        ),
        Some(_) | None => {
            let names_access_log = directives().any(|directive| {
                directive == "access" || directive.starts_with("access=") || directive.starts_with("access[")
            });
            Ok(if names_access_log { filter } else { filter.add_directive("access=off".parse()?) })
        }
    }
}

/// The filter of the running log, which can be replaced.
pub struct LogFilter(Box<dyn Fn(EnvFilter) -> Result<(), reload::Error> + Send + Sync>);

impl LogFilter {
    /// Replaces the filter.
    ///
    /// # Errors
    /// The text is no filter; then the old one stays.
    pub fn replace(&self, text: &str) -> anyhow::Result<()> {
        (self.0)(filter(text)?).context("replace the log filter")
    }
}

/// Starts logging to standard error, for as long as the process runs.
pub fn start(settings: &Settings) -> anyhow::Result<LogFilter> {
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter(&settings.log)?).with_writer(io::stderr).with_ansi(
            io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|word| word.is_empty()),
        );
    let (started, replace) = match settings.log_format {
        LogFormat::Text => {
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            (begin(builder.finish()), LogFilter(Box::new(move |filter| handle.reload(filter))))
        }
        LogFormat::Json => {
            let builder = builder.json().with_filter_reloading();
            let handle = builder.reload_handle();
            (begin(builder.finish()), LogFilter(Box::new(move |filter| handle.reload(filter))))
        }
    };
    started?;
    log_panics();
    Ok(replace)
}

/// Makes a subscriber the one of the process, with the layer that exports spans where that is built in.
fn begin(
    subscriber: impl Subscriber + for<'span> LookupSpan<'span> + Send + Sync + 'static,
) -> anyhow::Result<()> {
    #[cfg(feature = "otel")]
    let subscriber = subscriber.with(crate::otel::layer()?);
    subscriber.try_init().context("logging")
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
    fn a_filter_that_silences_all_by_mistake_is_refused() {
        for mistaken in ["verbose", "infoo", "touchstone", " verbose , hyper"] {
            let said = filter(mistaken).unwrap_err().to_string();
            assert!(said.contains("is no level"), "{mistaken}: {said}");
        }
        for fine in [
            DEFAULT_FILTER,
            "off",
            "OFF",
            "3",
            "",
            "warn,hyper",
            "server=debug",
            "server::pipeline",
            "[request{request_id=1}]=info",
        ] {
            assert!(filter(fine).is_ok(), "{fine}");
        }
        assert!(filter("server=verbose").is_err());
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
        for on in ["info,access=info", "info,access"] {
            let said = written(on, tell);
            assert!(said.contains("answered") && said.contains("of our own"), "{on}: {said}");
        }
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
