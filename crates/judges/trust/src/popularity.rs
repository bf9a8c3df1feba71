//! The popularity list of the operator: a CSV file of ranks and names, as Tranco, Cisco Umbrella and Majestic publish.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use domain_name::DomainName;
use receipt::hash::sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of names of a list; further rows are ignored.
pub const MAX_NAMES: usize = 2_000_000;
/// Maximum size of the file, in bytes.
pub const MAX_LIST_BYTES: u64 = 128 << 20;

/// Ranks by name. A name is kept as a 64-bit hash with a random key, so that nobody can make one that collides.
pub struct PopularityList {
    name: String,
    sha256: String,
    hasher: RandomState,
    ranks: HashMap<u64, u32>,
}

/// Result of a look-up on the popularity list, as evidence has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PopularityLookUp {
    /// Name of the list's file.
    pub list: String,
    /// SHA-256 of the file in hex.
    pub sha256: String,
    /// Number of names of the list.
    pub names: u64,
    /// Rank of the registrable name, from 1; `null` if it is not on the list.
    pub rank: Option<u64>,
}

/// The reason why a file is no popularity list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PopularityError {
    /// No row has a rank and a name.
    #[error("no row is `rank,name`, such as `1,example.com`")]
    Empty,
    /// The file is not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
}

impl PopularityList {
    /// Reads a list: `rank,name` in each row, in any column order that has a number directly before the name. Rows that
    /// are neither, such as a header, are ignored; of a name that occurs twice the first rank counts.
    ///
    /// # Errors
    /// [`PopularityError`] if no row can be read.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, PopularityError> {
        let text = std::str::from_utf8(bytes).map_err(|_| PopularityError::NotUtf8)?;
        let hasher = RandomState::new();
        let mut ranks = HashMap::new();
        for line in text.trim_start_matches('\u{feff}').lines() {
            let Some((rank, domain)) = row(line) else { continue };
            if ranks.len() >= MAX_NAMES {
                break;
            }
            ranks.entry(hasher.hash_one(domain.as_str())).or_insert(rank);
        }
        if ranks.is_empty() {
            return Err(PopularityError::Empty);
        }
        Ok(Self { name: name.to_owned(), sha256: hex::encode(sha256(bytes)), hasher, ranks })
    }

    /// Looks a name up.
    #[must_use]
    pub fn look_up(&self, domain: &DomainName) -> PopularityLookUp {
        let rank = self.ranks.get(&self.hasher.hash_one(domain.as_str()));
        PopularityLookUp {
            list: self.name.clone(),
            sha256: self.sha256.clone(),
            names: u64::try_from(self.ranks.len()).unwrap_or(u64::MAX),
            rank: rank.map(|rank| u64::from(*rank)),
        }
    }
}

/// The rank and the name of a row. Majestic's rows have a second rank between the two: the column before the name counts.
fn row(line: &str) -> Option<(u32, DomainName)> {
    let fields: Vec<&str> = line.split(',').map(|field| field.trim().trim_matches('"')).take(4).collect();
    let name = fields.iter().position(|field| field.contains('.') && !field.is_empty())?;
    let rank = fields.get(name.checked_sub(1)?)?.parse().ok()?;
    Some((rank, DomainName::parse(fields[name]).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(list: &str, name: &str) -> Option<u64> {
        let list = PopularityList::read("top.csv", list.as_bytes()).unwrap();
        list.look_up(&DomainName::parse(name).unwrap()).rank
    }

    #[test]
    fn names_have_their_first_rank_and_headers_none() {
        let list =
            "\u{feff}GlobalRank,Domain\r\n1,google.com\r\n2,\"Example.COM\"\n3,example.com\n4,no_name\n";
        assert_eq!([rank(list, "google.com"), rank(list, "example.com")], [Some(1), Some(2)]);
        assert_eq!(rank(list, "evil.example"), None);
        assert_eq!(rank("1,1,facebook.com,com,200\n", "facebook.com"), Some(1));
    }

    #[test]
    fn a_file_without_rows_is_no_list() {
        for bytes in [&b""[..], b"google.com\n", b"<html>", b"\xff\xfe1,a.com"] {
            assert!(PopularityList::read("top.csv", bytes).is_err(), "{bytes:?}");
        }
    }
}
