//! The HSTS preload list, from Chromium's file `transport_security_state_static.json`.

use serde::Deserialize;

use crate::PreloadList;

/// The most bytes of the file; that of 2026 has about 20 million.
pub const MAX_PRELOAD_BYTES: usize = 64 << 20;
/// Fewer hosts than any list since 2015: less is a torn file.
const MIN_HOSTS: usize = 1_000;

/// The reason why a file is not a preload list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PreloadError {
    /// The list is larger than [`MAX_PRELOAD_BYTES`].
    #[error("the list is larger than {MAX_PRELOAD_BYTES} bytes")]
    TooLarge,
    /// The file is not text, or is not in the format of the list.
    #[error("the list cannot be read")]
    Malformed,
    /// The file has too few hosts, so it must be truncated.
    #[error("the list has fewer than {MIN_HOSTS} hosts")]
    TooFewHosts,
}

#[derive(Deserialize)]
struct File {
    entries: Vec<PreloadEntry>,
}

/// An entry. Only `force-https` means HSTS; others pin keys.
#[derive(Deserialize)]
struct PreloadEntry {
    name: String,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    include_subdomains: bool,
}

impl PreloadList {
    /// Reads the list as Chromium publishes it: JSON, with comments on lines of their own.
    ///
    /// # Errors
    /// [`PreloadError`]: the file is too large, malformed or truncated.
    pub fn read(bytes: &[u8]) -> Result<Self, PreloadError> {
        if bytes.len() > MAX_PRELOAD_BYTES {
            return Err(PreloadError::TooLarge);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| PreloadError::Malformed)?;
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let json = lines.collect::<Vec<_>>().join("\n");
        let file: File = serde_json::from_str(&json).map_err(|_| PreloadError::Malformed)?;
        let hosts = file.entries.into_iter().filter(|entry| entry.mode == "force-https");
        let list: Self =
            hosts.map(|entry| (entry.name.to_ascii_lowercase(), entry.include_subdomains)).collect();
        if list.hosts() < MIN_HOSTS { Err(PreloadError::TooFewHosts) } else { Ok(list) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(hosts: usize, more: &str) -> String {
        let hosts: Vec<String> = (0..hosts)
            .map(|n| format!(r#"{{"name":"h{n}.example","policy":"test","mode":"force-https"}}"#))
            .collect();
        format!(
            "// A comment.\n{{\n  // Another, with a \"quote\".\n\"pinsets\":[],\"entries\":[{}{more}]}}",
            hosts.join(",\n")
        )
    }

    #[test]
    fn hosts_are_read_with_what_they_say_of_those_below() {
        let more = r#",{"name":"Dev","mode":"force-https","include_subdomains":true},{"name":"pinned.example","pins":"x"}"#;
        let list = PreloadList::read(file(MIN_HOSTS, more).as_bytes()).unwrap();
        assert!(list.covers("h7.example") && !list.covers("a.h7.example"));
        assert!(list.covers("any.dev") && !list.covers("pinned.example"));
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert_eq!(PreloadList::read(file(MIN_HOSTS - 1, "").as_bytes()), Err(PreloadError::TooFewHosts));
        let whole = file(MIN_HOSTS, "");
        assert_eq!(PreloadList::read(&whole.as_bytes()[..whole.len() / 2]), Err(PreloadError::Malformed));
        assert_eq!(PreloadList::read(&[0xff]), Err(PreloadError::Malformed));
        assert_eq!(PreloadList::read(&vec![b' '; MAX_PRELOAD_BYTES + 1]), Err(PreloadError::TooLarge));
    }
}
