//! SIGHUP: the configuration is read again, and what can change while the service runs does.
//!
//! | changes at once | needs a restart |
//! |---|---|
//! | `log` | every other setting; a reload names those that differ |
//! | the tables `routes`: prices, free calls, rates | |
//!
//! A configuration that does not check changes nothing. Flags and the environment stand above the file as at the start.

use std::sync::Arc;

use anyhow::bail;
use server::{App, Profile, ReplaceableRouter};
use tokio::signal::unix::Signal;
use tokio::sync::watch;

use crate::commands::serve;
use crate::error_text;
use crate::logging::{self, LogFilter};
use crate::settings::{Settings, SettingsArgs};
use crate::wiring;

/// The settings of a service, and what is needed to read them again.
pub struct RunningSettings {
    pub profile: Profile,
    /// The flags and the environment.
    pub args: SettingsArgs,
    /// The settings in force.
    pub settings: Settings,
    /// The filter of the log.
    pub log_filter: LogFilter,
}

/// Reloads the configuration of a running service.
pub struct Reload {
    running: RunningSettings,
    app: watch::Sender<Arc<App>>,
    router: ReplaceableRouter,
    /// True if there was a configuration file when it was read last: without it, prices would be those that are built in.
    had_file: bool,
}

impl Reload {
    /// Makes the reloader of the service whose handlers share what is in `app`, and that serves what `router` holds.
    pub fn new(running: RunningSettings, app: watch::Sender<Arc<App>>, router: ReplaceableRouter) -> Self {
        let had_file = running.settings.config.exists();
        Self { running, app, router, had_file }
    }

    /// Reloads at each signal, for as long as it is polled.
    pub async fn at_each(mut self, mut signals: Signal) {
        while signals.recv().await.is_some() {
            if let Err(error) = self.reload().await {
                let why = error_text::once(&error);
                tracing::error!("the configuration is not reloaded, and stays as it is: {why}");
            }
        }
    }

    async fn reload(&mut self) -> anyhow::Result<()> {
        if self.had_file && !self.running.settings.config.exists() {
            bail!("{} is gone; its settings stay in force", self.running.settings.config.display());
        }
        let read = Settings::load(&self.running.args)?;
        self.had_file = read.config.exists();
        serve::check(self.running.profile, &read)?;
        logging::filter(&read.log)?;
        let now = &mut self.running.settings;
        let mut reloaded = Vec::new();
        if read.routes != now.routes {
            let before = Arc::clone(&self.app.borrow());
            let route_table = before.route_table.with_terms(read.table()?);
            let app = App { route_table, ..App::clone(&before) };
            // A price is noted before it is asked for: the one before it stays good for a while.
            wiring::note_prices(&app).await?;
            let app = Arc::new(app);
            self.router.replace(server::router(Arc::clone(&app)));
            self.app.send_replace(app);
            now.routes.clone_from(&read.routes);
            reloaded.push("routes");
        }
        if read.log != now.log {
            self.running.log_filter.replace(&read.log)?;
            now.log.clone_from(&read.log);
            reloaded.push("log");
        }
        match reloaded.as_slice() {
            [] => tracing::info!("the configuration is reloaded; nothing that can change has changed"),
            names => tracing::info!(reloaded = names.join(", "), "the configuration is reloaded"),
        }
        for warning in read.warnings() {
            tracing::warn!("{warning}");
        }
        let fixed = now.fixed_differences(&read);
        if !fixed.is_empty() {
            tracing::warn!(settings = fixed.join(", "), "these settings have changed and need a restart");
        }
        Ok(())
    }
}
