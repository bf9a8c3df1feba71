//! The facts about an address that rules and features share.

use std::net::IpAddr;

use brand_names::{
    BRAND_TOP_LEVELS, Brand, LookAlike, Resemblance, abused_top_levels, brand, look_alike, owner,
};
use domain_name::{PublicSuffixes, Rules, Subject};
use web_address::{AddressHost, WebAddress};

use crate::parts::Parts;
use crate::words::SHARED_HOSTS;

/// The most bytes of a path, and of a query, that are looked at.
pub(crate) const MAX_PART_BYTES: usize = 2_048;
/// The longest host that is looked at; a longer one is no domain name.
const MAX_HOST_BYTES: usize = 253;
/// The most words of a part.
const MAX_WORDS: usize = 200;

/// The facts about an address.
pub(crate) struct Facts<'a> {
    pub(crate) address: &'a WebAddress,
    pub(crate) parts: Parts,
    pub(crate) ip: Option<IpAddr>,
    /// The host in A-labels without a leading `www.`; empty for an IP address, and where there is none.
    pub(crate) host: &'a str,
    /// The labels before the registrable domain, with their dots; empty where there are none.
    pub(crate) subdomain: &'a str,
    /// The registrable domain; the whole host where nobody can register it.
    pub(crate) registrable: &'a str,
    /// The first label of the registrable domain; the whole host where nobody can register it.
    pub(crate) label: &'a str,
    /// The public suffix, of the list's private part too.
    pub(crate) suffix: &'a str,
    /// The domain below which, or in whose paths, anybody publishes.
    pub(crate) shared_host: Option<&'a str>,
    pub(crate) look_alike: Option<LookAlike>,
    /// True if the registrable domain is that of a brand.
    pub(crate) is_brands_own: bool,
    /// The canonical path and query in lower case, cut to [`MAX_PART_BYTES`].
    pub(crate) path: String,
    pub(crate) query: String,
}

impl<'a> Facts<'a> {
    pub(crate) fn of(address: &'a WebAddress, suffixes: &PublicSuffixes) -> Self {
        let ip = match address.host() {
            Some(AddressHost::Ip(ip)) => Some(*ip),
            _ => None,
        };
        let name = if ip.is_some() { "" } else { address.host_str().unwrap_or_default() };
        let full_host = if name.len() > MAX_HOST_BYTES { "" } else { name };
        let registrable = if full_host.is_empty() { None } else { address.registrable(suffixes) };
        let registrable = registrable.unwrap_or(full_host);
        let (label, suffix) = registrable.split_once('.').unwrap_or((registrable, ""));
        let host = match full_host.strip_prefix("www.") {
            Some(rest) if rest.len() >= registrable.len() => rest,
            _ => full_host,
        };
        let subdomain = host.strip_suffix(registrable).unwrap_or_default().trim_end_matches('.');
        let subject = address
            .domain()
            .filter(|_| !full_host.is_empty())
            .and_then(|name| Subject::of(name.clone(), suffixes, &Rules::default()).ok());
        let is_platforms = subject.as_ref().is_some_and(|subject| subject.registrable != subject.registered);
        let shared_host = shared_parent(host, suffixes);
        let look_alike = subject.as_ref().and_then(look_alike);
        let top = host.rsplit('.').next().unwrap_or_default();
        let is_elsewhere =
            look_alike.as_ref().is_some_and(|found| found.resemblance == Resemblance::SameLabel);
        let is_listed = owner(registrable).is_some();
        let is_brands_own = !full_host.is_empty()
            && shared_host.is_none()
            && (!is_platforms || is_listed)
            && (is_listed
                || brand(top).is_some_and(|brand| !brand.is_word)
                || (brand(label).is_some() && !is_elsewhere && !abused_top_levels().contains(top)));
        let behind_host = match (address.expression(), address.host_str()) {
            (Some(expression), Some(host)) => &expression[host.len()..],
            _ => "",
        };
        let (path, query) = behind_host.split_at(address.canonical_path().len().min(behind_host.len()));
        Self {
            parts: Parts::of(address),
            address,
            ip,
            host,
            subdomain,
            registrable,
            label,
            suffix,
            shared_host,
            look_alike,
            is_brands_own,
            path: cut(path).to_ascii_lowercase(),
            query: cut(query.strip_prefix('?').unwrap_or(query)).to_ascii_lowercase(),
        }
    }

    /// True if the domain is on a list of the brands' own, or is a brand's label in an old top-level domain.
    pub(crate) fn is_brands_for_certain(&self) -> bool {
        let is_old = BRAND_TOP_LEVELS.contains(&self.suffix) && brand(self.label).is_some();
        self.is_brands_own && (is_old || owner(self.registrable).is_some())
    }

    /// The top-level domain; empty for an IP address.
    pub(crate) fn top_level(&self) -> &'a str {
        self.host.rsplit('.').next().unwrap_or_default()
    }

    /// The words of the host before its public suffix.
    pub(crate) fn host_words(&self) -> impl Iterator<Item = &'a str> {
        host_words(self.subdomain).chain(host_words(self.label)).take(MAX_WORDS)
    }

    /// The words of the path and the query.
    pub(crate) fn path_words(&self) -> impl Iterator<Item = &str> {
        path_words(&self.path).take(MAX_WORDS).chain(path_words(&self.query).take(MAX_WORDS))
    }
}

/// The words of labels.
pub(crate) fn host_words(labels: &str) -> impl Iterator<Item = &str> {
    labels.split(['.', '-', '_']).filter(|word| !word.is_empty())
}

/// The words of a path or a query.
pub(crate) fn path_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// The first brand among words.
pub(crate) fn brand_among<'w>(mut words: impl Iterator<Item = &'w str>) -> Option<&'static Brand> {
    words.find_map(brand)
}

/// The first [`MAX_PART_BYTES`]. Canonical paths and queries are ASCII.
fn cut(text: &str) -> &str {
    text.get(..MAX_PART_BYTES).unwrap_or(text)
}

/// The shared host that a host is below, or is itself where anybody publishes in its paths.
fn shared_parent<'a>(host: &'a str, suffixes: &PublicSuffixes) -> Option<&'a str> {
    let mut name = host;
    loop {
        if SHARED_HOSTS.contains(name) && (name.len() < host.len() || !suffixes.is_suffix(name)) {
            return Some(name);
        }
        name = name.split_once('.')?.1;
    }
}
