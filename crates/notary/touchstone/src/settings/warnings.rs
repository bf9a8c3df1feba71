//! Warnings about settings with which the service starts, and which are hardly meant.

use std::path::Path;

use url::{Host, Url};

use super::{Settings, file};
use crate::{cli, error_text, logging};

impl Settings {
    /// The warnings about these settings and about the environment: a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let mut found =
            cli::unknown_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()));
        found.extend(self.hidden_mistake());
        found.extend(self.base_url.as_deref().and_then(plain_base_url));
        found.extend(self.written_by_all());
        found
    }

    /// A bad value in the file that a flag or the environment stands above: it counts as soon as that is gone.
    fn hidden_mistake(&self) -> Option<String> {
        let file = file::read(&self.config).ok()??;
        let alone = Self::of(file, self.data_dir.clone(), self.config.clone());
        let mistake = alone.and_then(|settings| {
            settings.check_values()?;
            logging::filter(&settings.log).map(|_| ())
        });
        let why = error_text::once(&mistake.err()?);
        Some(format!(
            "{}: {why}; a flag or the environment stands above it, so it has no effect",
            self.config.display()
        ))
    }

    /// The files and folders that everybody on this machine may write.
    #[cfg(unix)]
    fn written_by_all(&self) -> Vec<String> {
        use std::os::unix::fs::PermissionsExt as _;
        let store = Path::new(&self.store);
        let mut places = vec![self.config.as_path(), &self.data_dir, &self.keys_dir, store];
        places.extend(
            store.parent().filter(|folder| *folder != self.data_dir && !folder.as_os_str().is_empty()),
        );
        let is_open = |place: &&Path| {
            std::fs::metadata(place).is_ok_and(|about| about.permissions().mode() & 0o002 != 0)
        };
        let told = |place: &Path| format!("everybody can write {0}: run `chmod o-w {0}`", place.display());
        places.into_iter().filter(is_open).map(told).collect()
    }

    #[cfg(not(unix))]
    fn written_by_all(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The warning about a base address that is reached over the network without TLS.
fn plain_base_url(base_url: &str) -> Option<String> {
    let url: Url = base_url.parse().ok()?;
    let is_local = match url.host()? {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    };
    (url.scheme() == "http" && !is_local).then(|| {
        format!(
            "base_url is {base_url}: over plain http anybody on the way can change what callers read, the keys too; every \
             receipt names this address for ever, so decide on https before the first one"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_warned_of_unless_it_stays_on_this_machine() {
        for fine in ["https://notary.example", "http://localhost:8402", "http://127.0.0.2", "http://[::1]:1"]
        {
            assert_eq!(plain_base_url(fine), None, "{fine}");
        }
        for plain in ["http://notary.example", "http://10.0.0.1:8402", "http://localhost.example"] {
            assert!(plain_base_url(plain).is_some(), "{plain}");
        }
    }
}
