//! The services that are asked, by the operator's configuration.

use std::sync::Arc;
use std::time::Duration;

use fetch::{Endpoint, Limits};
use module::{Host, Mode, ModuleError};
use serde::{Deserialize, Serialize};

use super::client::Source;
use crate::MAX_BODY_BYTES;

/// Longest time of one request.
pub const LONGEST: Duration = Duration::from_secs(20);
/// Most characters of a contact.
const MAX_CONTACT_CHARS: usize = 200;

/// Settings of the section `market` of the configuration.
#[derive(Deserialize, Serialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Who asks, with an e-mail address: `Example Ltd. data@example.com`. It is sent as `User-Agent`, which EDGAR demands.
    contact: Option<String>,
    /// Address of EDGAR's interfaces, in place of `https://data.sec.gov`.
    edgar: Option<String>,
    /// Address of EDGAR's files, in place of `https://www.sec.gov`.
    edgar_files: Option<String>,
    /// Address of CBOE's files, in place of `https://cdn.cboe.com`.
    cboe: Option<String>,
    /// Address of the US Treasury, in place of `https://home.treasury.gov`.
    treasury: Option<String>,
    /// Address of the Federal Register, in place of `https://www.federalregister.gov`.
    federal_register: Option<String>,
    /// Address of USAspending, in place of `https://api.usaspending.gov`.
    usaspending: Option<String>,
}

impl Settings {
    /// The contact, if it is one.
    fn contact(&self) -> Result<Option<&str>, ModuleError> {
        let Some(contact) = self.contact.as_deref().map(str::trim) else { return Ok(None) };
        let is_plain = contact.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let has_address = contact.split(' ').any(|word| {
            word.trim_matches(['<', '>', '(', ')'])
                .split_once('@')
                .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'))
        });
        if is_plain && has_address && contact.len() <= MAX_CONTACT_CHARS {
            return Ok(Some(contact));
        }
        let why =
            format!("it must be plain text with an e-mail address, at most {MAX_CONTACT_CHARS} characters");
        Err(ModuleError::new("market.contact", why))
    }
}

/// The services that are asked.
#[derive(Clone, Debug)]
pub struct Services {
    /// EDGAR's interfaces: company facts and submissions.
    pub edgar: Arc<Source>,
    /// EDGAR's files: tickers.
    pub edgar_files: Arc<Source>,
    /// CBOE's files: the history of the VIX.
    pub cboe: Arc<Source>,
    /// The US Treasury: par yields.
    pub treasury: Arc<Source>,
    /// The Federal Register.
    pub federal_register: Arc<Source>,
    /// `USAspending`.
    pub usaspending: Arc<Source>,
}

impl Services {
    /// The services of the settings; none for a replay, which asks nobody.
    ///
    /// # Errors
    /// [`ModuleError`] names the setting that is wrong.
    pub fn new(settings: &Settings, host: &Host) -> Result<Option<Self>, ModuleError> {
        if host.mode == Mode::Replay {
            return Ok(None);
        }
        let contact = settings.contact()?;
        let limits = Limits {
            total: LONGEST,
            connect: Duration::from_secs(5),
            wire_bytes: MAX_BODY_BYTES,
            decoded_bytes: MAX_BODY_BYTES,
            ..Limits::default()
        };
        let endpoint = |setting, url: &Option<String>, public: &str| -> Result<Endpoint, ModuleError> {
            let endpoint = host.endpoint(setting, url.as_deref().unwrap_or(public), limits.clone())?;
            let agent = contact.map_or_else(|| "Touchstone".to_owned(), str::to_owned);
            endpoint.with_user_agent(&agent).map_err(|why| ModuleError::new("market.contact", why))
        };
        let open = |name, setting, url, public, per_second| {
            endpoint(setting, url, public).map(|to| Arc::new(Source::new(name, Ok(to), per_second)))
        };
        // EDGAR takes ten requests a second from one party, of all its hosts together, and none from an unnamed one.
        let named = |name, setting, url, public, per_second| {
            let to = endpoint(setting, url, public)?;
            let to = contact.map(|_| to).ok_or("contact_missing");
            Ok::<_, ModuleError>(Arc::new(Source::new(name, to, per_second)))
        };
        Ok(Some(Self {
            edgar: named("edgar", "market.edgar", &settings.edgar, "https://data.sec.gov", 8)?,
            edgar_files: named(
                "edgar_files",
                "market.edgar_files",
                &settings.edgar_files,
                "https://www.sec.gov",
                2,
            )?,
            cboe: open("cboe", "market.cboe", &settings.cboe, "https://cdn.cboe.com", 5)?,
            treasury: open(
                "treasury",
                "market.treasury",
                &settings.treasury,
                "https://home.treasury.gov",
                10,
            )?,
            federal_register: open(
                "federal_register",
                "market.federal_register",
                &settings.federal_register,
                "https://www.federalregister.gov",
                5,
            )?,
            usaspending: open(
                "usaspending",
                "market.usaspending",
                &settings.usaspending,
                "https://api.usaspending.gov",
                5,
            )?,
        }))
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> [&Source; 6] {
        [
            &self.edgar,
            &self.edgar_files,
            &self.cboe,
            &self.treasury,
            &self.federal_register,
            &self.usaspending,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_has_an_address_and_no_line_break() {
        let read = |contact: &str| {
            let settings = Settings { contact: Some(contact.to_owned()), ..Settings::default() };
            settings.contact().map(|contact| contact.map(str::to_owned))
        };
        assert_eq!(
            read(" Example Ltd. data@example.com ").unwrap().as_deref(),
            Some("Example Ltd. data@example.com")
        );
        for wrong in ["", "Example Ltd.", "a@b", "@example.com", "a@example.com\r\nHost: x", &"a".repeat(300)]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Settings::default().contact().unwrap(), None);
    }
}
