//! The notary's public base address, and the addresses and names derived from it.

use std::fmt::Write as _;
use thiserror::Error;

/// The text is not a base address: `http` or `https`, a host in ASCII, optionally a port, and nothing more. The field
/// is the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the base address must be http:// or https://, a host in ASCII, perhaps a port, and nothing after it: {0:?}"
)]
pub struct BaseUrlError(pub String);

/// Returns the canonical spelling of a base address: lower case, no slash at the end, no default port. Every receipt
/// has it as `iss`, so that equal addresses are equal texts.
///
/// # Errors
/// [`BaseUrlError`] as [`host_from_base_url`].
///
/// ```
/// use receipt::key::normalize_base_url;
///
/// assert_eq!(normalize_base_url("https://Notary.Example:443/")?, "https://notary.example");
/// # Ok::<(), receipt::key::BaseUrlError>(())
/// ```
pub fn normalize_base_url(base_url: &str) -> Result<String, BaseUrlError> {
    let url = base_url.trim_end_matches('/').to_ascii_lowercase();
    host_from_base_url(&url).map_err(|_| BaseUrlError(base_url.to_owned()))?;
    let default_port = if url.starts_with("https://") { ":443" } else { ":80" };
    Ok(url.strip_suffix(default_port).unwrap_or(&url).to_owned())
}

/// The host, followed by its port if the address has one: `notary.example`, `localhost:8402`. In lower case.
///
/// # Errors
/// [`BaseUrlError`] where there is a path (`did:web` would look for the keys under it), a query, credentials,
/// or no host.
pub fn host_from_base_url(base_url: &str) -> Result<String, BaseUrlError> {
    let host =
        base_url.strip_prefix("https://").or_else(|| base_url.strip_prefix("http://")).unwrap_or_default();
    let (name, port) = match host.rsplit_once(':') {
        // Colons within brackets are an IPv6 address's own.
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    let is_port = |port: &str| {
        (1..=5).contains(&port.len())
            && port.bytes().all(|digit| digit.is_ascii_digit())
            && !port.starts_with('0')
    };
    if is_host_name(name) && port.is_none_or(is_port) {
        Ok(host.to_ascii_lowercase())
    } else {
        Err(BaseUrlError(base_url.to_owned()))
    }
}

fn is_host_name(name: &str) -> bool {
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            (1..=253).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        }
    }
}

/// The `did:web` identity of the notary: the colon before a port is written `%3A`.
///
/// # Errors
/// [`BaseUrlError`] as [`host_from_base_url`].
///
/// ```
/// use receipt::key::did_from_base_url;
///
/// assert_eq!(did_from_base_url("https://notary.example")?, "did:web:notary.example");
/// assert_eq!(did_from_base_url("http://localhost:8402")?, "did:web:localhost%3A8402");
/// # Ok::<(), receipt::key::BaseUrlError>(())
/// ```
pub fn did_from_base_url(base_url: &str) -> Result<String, BaseUrlError> {
    let mut did = "did:web:".to_owned();
    for byte in host_from_base_url(base_url)?.bytes() {
        match byte {
            b':' | b'[' | b']' => write!(did, "%{byte:02X}").expect("a String takes all text"),
            _ => did.push(char::from(byte)),
        }
    }
    Ok(did)
}

/// The origin line of the log's checkpoints: `HOST/log` (C2SP tlog-checkpoint).
///
/// # Errors
///
/// [`BaseUrlError`] as [`host_from_base_url`].
pub fn log_origin_from_base_url(base_url: &str) -> Result<String, BaseUrlError> {
    Ok(format!("{}/log", host_from_base_url(base_url)?))
}
