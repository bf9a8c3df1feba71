//! The rows of a feed, whatever its format.

use std::net::{IpAddr, Ipv6Addr};

use domain_name::{DomainError, DomainName};
use jiff::Timestamp;
use serde::Deserialize;
use web_address::{AddressHost, WebAddress};

use crate::entries::Entries;
use crate::read::{FeedError, MAX_ENTRIES, MAX_LINE_BYTES};
use crate::stated;

/// A feed as far as it has been read.
pub(crate) struct Rows {
    pub(crate) entries: Entries,
    /// Names that are never blocked whole.
    pub(crate) allowed: Entries,
    /// Rows with an entry.
    pub(crate) named: u64,
    /// Rows that cannot be read.
    pub(crate) malformed: u64,
    /// The date that the file states.
    pub(crate) stated: Option<Timestamp>,
    /// The column of the address, if a header of CSV was met.
    url_column: Option<usize>,
}

/// A row of JSON Lines, or an object in a list.
#[derive(Deserialize)]
pub(crate) struct JsonRow {
    pub(crate) url: Option<String>,
    pub(crate) domain: Option<String>,
}

impl JsonRow {
    /// The address, or else the name.
    pub(crate) fn text(&self) -> Option<&str> {
        self.url.as_deref().or(self.domain.as_deref())
    }
}

impl Rows {
    pub(crate) fn new(room: u64, allowed: Entries) -> Self {
        Self {
            entries: Entries::with_room(room),
            allowed,
            named: 0,
            malformed: 0,
            stated: None,
            url_column: None,
        }
    }

    /// Takes a line of text.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> Result<(), FeedError> {
        let before = self.entries.count();
        let is_sound = match utf8(line) {
            Some(text) => self.add_line(text)?,
            None => false,
        };
        self.count(before, is_sound);
        Ok(())
    }

    /// Takes a row of JSON Lines. An end within the row means that the file is cut off, where it is the last one.
    pub(crate) fn take_json_line(&mut self, line: &[u8], is_ended: bool) -> Result<(), FeedError> {
        let before = self.entries.count();
        let Some(text) = utf8(line).filter(|text| !text.is_empty()) else {
            self.malformed += u64::from(!line.trim_ascii().is_empty());
            return Ok(());
        };
        let is_sound = match serde_json::from_str::<JsonRow>(text) {
            Ok(row) => match row.text() {
                Some(text) => self.add_text(text)?,
                None => false,
            },
            Err(error) if error.is_eof() && !is_ended => return Err(FeedError::Cut),
            Err(_) => false,
        };
        self.count(before, is_sound);
        Ok(())
    }

    /// Takes an element of a list in a JSON document.
    pub(crate) fn take_element(&mut self, text: Option<&str>) -> Result<(), FeedError> {
        let before = self.entries.count();
        let is_sound = match text.map(str::trim) {
            Some(text) if text.len() as u64 <= MAX_LINE_BYTES => self.add_text(text)?,
            _ => false,
        };
        self.count(before, is_sound);
        Ok(())
    }

    /// Takes a name that is never blocked whole.
    pub(crate) fn allow(&mut self, text: &str) -> Result<(), FeedError> {
        match DomainName::parse(without_wildcard(text.trim())) {
            Ok(name) => self.allowed.add(name.as_str(), MAX_ENTRIES).ok_or(FeedError::TooManyEntries)?,
            Err(_) => self.malformed += 1,
        }
        Ok(())
    }

    fn count(&mut self, before: usize, is_sound: bool) {
        self.named += u64::from(self.entries.count() > before);
        self.malformed += u64::from(!is_sound);
    }

    fn add_line(&mut self, text: &str) -> Result<bool, FeedError> {
        if self.url_column.is_none() {
            self.url_column = url_column(text);
            if self.url_column.is_some() {
                return Ok(true);
            }
        }
        if text.starts_with("[Adblock") {
            return Ok(true);
        }
        if let Some(comment) = text.strip_prefix(['#', '!']) {
            self.stated = self.stated.or_else(|| stated::of_comment(comment));
            return Ok(true);
        }
        if let Some(exception) = text.strip_prefix("@@||") {
            return match whole_rule(exception) {
                Some(host) if !host.contains('/') => self.allow(host).map(|()| true),
                _ => Ok(false),
            };
        }
        if let Some(rule) = text.strip_prefix("||") {
            return match whole_rule(rule) {
                Some(text) => self.add_text(text),
                None => Ok(false),
            };
        }
        if text.starts_with('"') || (self.url_column.is_some() && text.contains(',')) {
            let fields = fields(text);
            let field = match self.url_column {
                Some(column) => fields.get(column),
                None => fields.iter().find(|field| is_url(field)),
            };
            return match field {
                Some(field) if is_url(field) => self.add_url(field),
                _ => Ok(false),
            };
        }
        if is_url(text) {
            return self.add_url(text);
        }
        let text = text.split('#').next().unwrap_or(text);
        let mut words = text.split_ascii_whitespace();
        let Some(first) = words.next() else { return Ok(true) };
        let mut words = words.peekable();
        if words.peek().is_none() {
            return self.add_text(first);
        }
        if first.parse::<IpAddr>().is_err() {
            return Ok(false);
        }
        let mut all_sound = true;
        for name in words {
            all_sound &= self.add_name(name)?;
        }
        Ok(all_sound)
    }

    /// Adds a name or an address, also one without a scheme: `example.com/login`, `example.com:8080`.
    fn add_text(&mut self, text: &str) -> Result<bool, FeedError> {
        if is_url(text) {
            return self.add_url(text);
        }
        if has_path_or_port(text) {
            return self.add_url(&format!("http://{}", without_wildcard(text)));
        }
        self.add_name(text)
    }

    /// Adds a name; true if the text is a name, or at least an address. A name of one label, as hosts files have for
    /// the machine itself, is nobody's domain.
    fn add_name(&mut self, text: &str) -> Result<bool, FeedError> {
        let text = without_wildcard(text);
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let bare = bare.unwrap_or(text);
        if bare.parse::<Ipv6Addr>().is_ok() {
            return self.add_ip(bare);
        }
        match DomainName::parse(text) {
            Ok(name) if name.labels().nth(1).is_none() => Ok(true),
            Ok(name) => self.add(name.as_str()),
            Err(DomainError::Address) => self.add_ip(text),
            Err(DomainError::Malformed) if is_browser_name(text) => self.add(&text.to_ascii_lowercase()),
            Err(_) => Ok(false),
        }
    }

    fn add_ip(&mut self, text: &str) -> Result<bool, FeedError> {
        let bracketed =
            if text.contains(':') && !text.starts_with('[') { format!("[{text}]") } else { text.to_owned() };
        match WebAddress::parse(&format!("http://{bracketed}/")) {
            Ok(address) => self.add_host(&address),
            Err(_) => Ok(true),
        }
    }

    fn add_url(&mut self, text: &str) -> Result<bool, FeedError> {
        let Ok(address) = WebAddress::parse(text) else { return Ok(false) };
        if !matches!(address.scheme(), "http" | "https") {
            return Ok(false);
        }
        if address.canonical_path() == "/" && address.query().is_none() {
            return self.add_host(&address);
        }
        if matches!(address.host(), Some(AddressHost::Ip(ip)) if ip.is_unspecified() || ip.is_loopback()) {
            return Ok(true);
        }
        match address.expression() {
            Some(page) if u16::try_from(page.len()).is_ok() => self.add(page),
            _ => Ok(false),
        }
    }

    /// Adds a whole host. An address of the machine itself is no entry.
    fn add_host(&mut self, address: &WebAddress) -> Result<bool, FeedError> {
        let is_own = match address.host() {
            Some(AddressHost::Ip(ip)) => ip.is_unspecified() || ip.is_loopback(),
            Some(AddressHost::Domain(name)) => name.labels().nth(1).is_none(),
            Some(AddressHost::Other(name)) => !name.contains('.'),
            None => true,
        };
        match address.host_str() {
            Some(host) if !is_own => self.add(host),
            _ => Ok(true),
        }
    }

    fn add(&mut self, entry: &str) -> Result<bool, FeedError> {
        self.entries.add(entry, MAX_ENTRIES).ok_or(FeedError::TooManyEntries)?;
        Ok(true)
    }
}

/// The text of a line; `None` if it is too long, or is no text.
fn utf8(line: &[u8]) -> Option<&str> {
    let text = if line.len() as u64 > MAX_LINE_BYTES { None } else { str::from_utf8(line).ok() };
    text.map(|text| text.trim_start_matches('\u{feff}').trim())
}

fn without_wildcard(text: &str) -> &str {
    text.strip_prefix("*.").or_else(|| text.strip_prefix('.')).unwrap_or(text)
}

/// The host or the address of a rule of an ad blocker, behind its `||`, where the rule holds for the whole host or for whole pages.
/// Rules for some requests only (`$script`, `$third-party`) do not say that the host is bad.
fn whole_rule(rule: &str) -> Option<&str> {
    let (pattern, options) = rule.split_once('$').unwrap_or((rule, ""));
    let is_whole = |option: &str| matches!(option, "" | "all" | "document" | "doc" | "important" | "popup");
    let pattern = pattern.strip_suffix('|').unwrap_or(pattern);
    let pattern = pattern.strip_suffix('^').unwrap_or(pattern);
    (options.split(',').all(is_whole) && !pattern.contains(['*', '^', '|', ' '])).then_some(pattern)
}

/// True for `name/path` and `name:port`, and not for an address of IPv6.
fn has_path_or_port(text: &str) -> bool {
    let host = text.split('/').next().unwrap_or(text);
    let port = host.split_once(':').map(|(_, port)| port);
    let is_port = port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    host.contains('.') && ((host.len() < text.len() && port.is_none()) || is_port)
}

fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// A name that browsers look up although it breaks the rules of host names: with an underscore, or a hyphen at an edge.
fn is_browser_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    text.len() <= domain_name::MAX_NAME_BYTES && text.contains('.') && text.split('.').all(is_label)
}

/// The column of the address in a header of CSV, in a comment or not.
fn url_column(text: &str) -> Option<usize> {
    let header = text.trim_start_matches('#');
    header
        .contains(',')
        .then(|| header.split(',').position(|name| name.trim().trim_matches('"') == "url"))
        .flatten()
}

/// The fields of a row of CSV (RFC 4180), which has no line break within a field.
fn fields(text: &str) -> Vec<String> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(letter),
        }
    }
    fields.push(field);
    fields
}
