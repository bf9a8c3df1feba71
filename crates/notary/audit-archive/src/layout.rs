//! The members of an archive: their names, their order and their documents.

use std::ops::Range;

use receipt::Timestamp;
use serde::{Deserialize, Serialize};
use tlog::TilePath;

/// The format, the member `format` of [`About`].
pub const FORMAT: &str = "touchstone-archive/2";
/// The format of before archives had [`TIMESTAMPS`], which is read too.
pub const FORMAT_1: &str = "touchstone-archive/1";

/// The first member: what the archive is.
pub const ABOUT: &str = "archive.json";
/// The keys of receipts and of reruns, former ones too, as a JWKS.
pub const KEYS: &str = "keys.jwks";
/// The prices that were in force, each with its time.
pub const PRICES: &str = "prices.json";
/// The policy of witnesses (C2SP tlog-policy), where there is one.
pub const POLICY: &str = "policy.txt";
/// The signed checkpoint that all is held against.
pub const CHECKPOINT: &str = "log/checkpoint";
/// The checkpoints that a time-stamping authority has stamped, a [`StampedLine`] a line, the smallest first.
pub const TIMESTAMPS: &str = "log/timestamps.jsonl";
/// The last member: the SHA-256 of all the others, as `sha256sum` writes and checks it.
pub const SUMS: &str = "SHA256SUMS";

/// The most leaves of a chunk of receipts.
pub const CHUNK_LEAVES: u64 = 1024;

/// The class of receipts that say which key signed from which leaf on. Every archive has them, since without them no other receipt can
/// be held against its key's range.
pub const KEY_CLASS: &str = "key";
/// The class of receipts that say of another that the notary has erased it.
pub const ERASURE_CLASS: &str = "erasure";

/// The role of the evidence that has the id of a watch. Whoever knows the id may look at the watch and end it, so archives name this
/// evidence by its SHA-256 alone.
pub const SECRET_ROLE: &str = "watch";

/// What an archive is about, and which receipts of the log are in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// [`FORMAT`].
    pub format: String,
    /// The log's verifier key.
    pub log_key: String,
    /// The number of leaves of the log at the time of the export.
    pub size: u64,
    /// The receipts that were asked for.
    pub filter: Filter,
}

/// The receipts that are in an archive, beside those of [`KEY_CLASS`]; without a member, all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Signed at this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Signed before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Of this agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Of this class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
}

impl Filter {
    /// Returns true if all receipts are in the archive.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns true if a receipt of this class and time may be in the archive, whosever it is.
    pub fn may_have(&self, class: &str, signed_at: Timestamp) -> bool {
        class == KEY_CLASS
            || (self.class.as_deref().is_none_or(|wanted| wanted == class)
                && self.since.is_none_or(|since| signed_at >= since)
                && self.until.is_none_or(|until| signed_at < until))
    }

    /// Returns true if a receipt is in the archive.
    pub fn has(&self, class: &str, signed_at: Timestamp, agent: &str) -> bool {
        let is_theirs = self.agent.as_deref().is_none_or(|wanted| wanted == agent);
        self.may_have(class, signed_at) && (class == KEY_CLASS || is_theirs)
    }
}

/// A price of a class, from a time on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The class.
    pub class: String,
    /// The time from which it was in force, in milliseconds since 1970.
    pub since: i64,
    /// The price in millionths of a US dollar.
    pub amount: i64,
}

/// A stamped checkpoint: a line of [`TIMESTAMPS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StampedLine {
    /// The number of leaves of the tree.
    pub size: u64,
    /// The checkpoint: the bytes that are stamped.
    pub checkpoint: String,
    /// The authority's answer (RFC 3161), in base64.
    pub answer: String,
}

/// What is kept beside a receipt: a line of a member of `kept/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The index of the receipt's leaf.
    pub leaf: u64,
    /// True if the notary has no copy of the receipt any more, since it was erased.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_erased: bool,
    /// The time of the judgement, in milliseconds since 1970; absent where the request is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<i64>,
    /// The SHA-256 of the request as it is kept, the name of a member of `blobs/`; absent where it is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The evidence, in the order of the judge.
    #[serde(default)]
    pub evidence: Vec<KeptEvidence>,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptEvidence {
    /// Its role for the judge.
    pub role: String,
    /// Its SHA-256, the name of a member of `blobs/`.
    pub sha256: String,
    /// False if its bytes are not in the archive: they are not kept any more, are those of a list, which has a file of its own, or
    /// are of the [`SECRET_ROLE`].
    pub is_here: bool,
}

/// The name of a member, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// [`ABOUT`]
    About,
    /// [`KEYS`]
    Keys,
    /// [`PRICES`]
    Prices,
    /// [`POLICY`]
    Policy,
    /// [`CHECKPOINT`]
    Checkpoint,
    /// [`TIMESTAMPS`]
    Timestamps,
    /// A tile or bundle of the log, as C2SP tlog-tiles names it, below `log/`.
    Tile(TilePath),
    /// The receipts of leaves.
    Receipts(Range<u64>),
    /// The bytes with this SHA-256.
    Blob([u8; 32]),
    /// What is kept beside the receipts of leaves.
    Kept(Range<u64>),
    /// [`SUMS`]
    Sums,
}

impl Name {
    /// Reads a name in its one spelling.
    pub fn read(name: &str) -> Option<Self> {
        let read = match name {
            ABOUT => Self::About,
            KEYS => Self::Keys,
            PRICES => Self::Prices,
            POLICY => Self::Policy,
            CHECKPOINT => Self::Checkpoint,
            TIMESTAMPS => Self::Timestamps,
            SUMS => Self::Sums,
            _ => {
                let (folder, rest) = name.split_once('/')?;
                match folder {
                    "log" => Self::Tile(rest.parse().ok()?),
                    "receipts" => Self::Receipts(leaves(rest)?),
                    "kept" => Self::Kept(leaves(rest)?),
                    "blobs" => {
                        let mut sha256 = [0; 32];
                        hex::decode_to_slice(rest, &mut sha256).ok()?;
                        Self::Blob(sha256)
                    }
                    _ => return None,
                }
            }
        };
        (read.to_string() == name).then_some(read)
    }
}

fn leaves(text: &str) -> Option<Range<u64>> {
    let (first, end) = text.strip_suffix(".jsonl")?.split_once('-')?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::About => f.write_str(ABOUT),
            Self::Keys => f.write_str(KEYS),
            Self::Prices => f.write_str(PRICES),
            Self::Policy => f.write_str(POLICY),
            Self::Checkpoint => f.write_str(CHECKPOINT),
            Self::Timestamps => f.write_str(TIMESTAMPS),
            Self::Sums => f.write_str(SUMS),
            Self::Tile(path) => write!(f, "log/{path}"),
            Self::Receipts(leaves) => write!(f, "receipts/{:012}-{:012}.jsonl", leaves.start, leaves.end),
            Self::Kept(leaves) => write!(f, "kept/{:012}-{:012}.jsonl", leaves.start, leaves.end),
            Self::Blob(sha256) => write!(f, "blobs/{}", hex::encode(sha256)),
        }
    }
}

/// The line of [`SUMS`] for a member.
pub fn sums_line(sha256: &[u8; 32], name: &str) -> String {
    format!("{}  {name}\n", hex::encode(sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_from_its_one_spelling() {
        for name in [
            ABOUT,
            KEYS,
            PRICES,
            POLICY,
            CHECKPOINT,
            TIMESTAMPS,
            SUMS,
            "log/tile/0/x001/234.p/7",
            "log/tile/entries/000",
            "receipts/000000000000-000000001024.jsonl",
            "kept/1234567890123-1234567890124.jsonl",
        ] {
            assert_eq!(Name::read(name).unwrap().to_string(), name);
        }
        assert!(Name::read(&format!("blobs/{}", "0a".repeat(32))).is_some());
        for name in
            ["blobs/00", &format!("blobs/{}", "0A".repeat(32)), "receipts/0-1.jsonl", "log/tile/0/0", "x", ""]
        {
            assert_eq!(Name::read(name), None, "{name}");
        }
    }

    #[test]
    fn a_filter_has_what_it_names() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let filter =
            Filter { since: Some(at(5)), until: Some(at(9)), agent: Some("a".to_owned()), class: None };
        assert!(filter.has("commit", at(5), "a") && filter.has("watch", at(8), "a"));
        assert!(!filter.has("commit", at(4), "a") && !filter.has("commit", at(9), "a"));
        assert!(!filter.has("commit", at(5), "b") && filter.may_have("commit", at(5)));
        assert!(filter.has(KEY_CLASS, at(0), "the notary"), "the history of keys is in every archive");
        assert!(Filter::default().is_none() && !filter.is_none());
    }
}
