//! Chains, and the nodes that are asked about them.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;

use rpc::Rpc;

/// Maximum number of nodes of a chain. Each answer may have the full size that [`super::limits`] permits, and all are
/// kept as evidence.
pub const MOST_NODES: usize = 7;
/// Chain that a wallet is looked up on where the question names none.
pub(super) const ETHEREUM: u64 = 1;

/// Chains of Ethereum's kind by the names in use, as <https://chainlist.org> has their ids.
const KNOWN: [(&str, u64); 22] = [
    ("ethereum", ETHEREUM),
    ("eth", ETHEREUM),
    ("mainnet", ETHEREUM),
    ("optimism", 10),
    ("op", 10),
    ("bsc", 56),
    ("bnb", 56),
    ("gnosis", 100),
    ("unichain", 130),
    ("polygon", 137),
    ("matic", 137),
    ("base", 8453),
    ("arbitrum", 42_161),
    ("arb", 42_161),
    ("celo", 42_220),
    ("avalanche", 43_114),
    ("avax", 43_114),
    ("linea", 59_144),
    ("base-sepolia", 84_532),
    ("blast", 81_457),
    ("scroll", 534_352),
    ("sepolia", 11_155_111),
];

/// Returns the chain id of a common name or a CAIP-2 id (`eip155:8453`), ignoring case; `None` for an unknown name.
#[must_use]
pub fn known_chain(word: &str) -> Option<u64> {
    let word = word.trim().to_ascii_lowercase();
    if let Some(id) = word.strip_prefix("eip155:") {
        let is_canonical = !id.starts_with('0') && id.bytes().all(|digit| digit.is_ascii_digit());
        return if is_canonical { id.parse().ok() } else { None };
    }
    KNOWN.iter().find(|(known, _)| *known == word).map(|&(_, id)| id)
}

/// The nodes of a chain, and the number of them that must agree.
#[derive(Debug)]
pub struct Chain {
    pub(super) id: u64,
    pub(super) nodes: Vec<Rpc>,
    pub(super) quorum: usize,
}

/// Errors of the configuration of a chain's nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChainError {
    /// The chain has no node, or more than [`MOST_NODES`].
    #[error("a chain has 1 to {MOST_NODES} endpoints")]
    Count,
    /// Two nodes are the same service, which would count twice.
    #[error("an endpoint's scheme, host and port stand there twice: one service would count as two")]
    Twice,
    /// The quorum is at most half of the nodes, so that two quorums could disagree, or more than all.
    #[error("the quorum is more than half of the endpoints, and at most all of them")]
    Quorum,
    /// Two names stand for one chain.
    #[error("a chain's endpoints stand there under two names")]
    Chain,
}

impl Chain {
    /// Builds a chain from its id and nodes. `quorum` nodes must agree; `None` stands for the least number above half.
    ///
    /// # Errors
    /// Every [`ChainError`] except [`ChainError::Chain`].
    pub fn new(id: u64, nodes: Vec<Rpc>, quorum: Option<NonZeroUsize>) -> Result<Self, ChainError> {
        let count = nodes.len();
        if !(1..=MOST_NODES).contains(&count) {
            return Err(ChainError::Count);
        }
        if nodes.iter().map(Rpc::origin).collect::<BTreeSet<_>>().len() < count {
            return Err(ChainError::Twice);
        }
        let majority = count / 2 + 1;
        let quorum = quorum.map_or(majority, NonZeroUsize::get);
        if !(majority..=count).contains(&quorum) {
            return Err(ChainError::Quorum);
        }
        Ok(Self { id, nodes, quorum })
    }
}

/// The chains whose wallets have signals. A clone shares the table.
#[derive(Clone, Debug, Default)]
pub struct Chains(Arc<ChainTable>);

#[derive(Debug, Default)]
struct ChainTable {
    ids: BTreeMap<String, u64>,
    chains: BTreeMap<u64, Chain>,
}

impl Chains {
    /// Builds an empty table, with which an unlisted wallet of an EVM chain gets no answer.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Builds the table from chains by name, in addition to the [common names](known_chain).
    ///
    /// # Errors
    /// [`ChainError::Chain`] if two names stand for one chain.
    pub fn new(named: impl IntoIterator<Item = (String, Chain)>) -> Result<Self, ChainError> {
        let mut configured = ChainTable::default();
        for (name, chain) in named {
            configured.ids.insert(name.trim().to_ascii_lowercase(), chain.id);
            if configured.chains.insert(chain.id, chain).is_some() {
                return Err(ChainError::Chain);
            }
        }
        Ok(Self(Arc::new(configured)))
    }

    /// The id of a chain of Ethereum's kind, in the caller's words.
    pub(super) fn id(&self, word: &str) -> Option<u64> {
        let configured = self.0.ids.get(&word.trim().to_ascii_lowercase()).copied();
        configured.or_else(|| known_chain(word))
    }

    pub(super) fn chain(&self, id: u64) -> Option<&Chain> {
        self.0.chains.get(&id)
    }
}

#[cfg(test)]
mod tests {
    use fetch::Endpoint;

    use super::*;

    fn nodes(urls: &[&str]) -> Vec<Rpc> {
        urls.iter()
            .map(|url| Rpc::new(Endpoint::system(url, &[], crate::agent_clearance::limits()).unwrap()))
            .collect()
    }

    #[test]
    fn a_chain_is_known_by_its_names_and_its_caip_2_id() {
        for (word, id) in
            [("Base", 8453), (" eth ", 1), ("eip155:8453", 8453), ("EIP155:1", 1), ("base-sepolia", 84_532)]
        {
            assert_eq!(known_chain(word), Some(id), "{word}");
        }
        for word in
            ["bitcoin", "tron", "", "8453", "eip155:", "eip155:01", "eip155:-1", "eip155:1x", "solana:1"]
        {
            assert_eq!(known_chain(word), None, "{word}");
        }
    }

    #[test]
    fn a_quorum_is_more_than_half_and_nobody_counts_twice() {
        let three = || nodes(&["http://127.0.0.1:1/", "http://127.0.0.1:2/", "http://127.0.0.1:3/a"]);
        let quorum =
            |nodes, quorum| Chain::new(1, nodes, NonZeroUsize::new(quorum)).map(|chain| chain.quorum);
        assert_eq!(quorum(three(), 0), Ok(2));
        assert_eq!(quorum(three(), 3), Ok(3));
        assert_eq!(quorum(three(), 1), Err(ChainError::Quorum));
        assert_eq!(quorum(three(), 4), Err(ChainError::Quorum));
        assert_eq!(quorum(nodes(&["http://127.0.0.1:1/"]), 0), Ok(1));
        assert_eq!(quorum(Vec::new(), 0), Err(ChainError::Count));
        assert_eq!(
            quorum(nodes(&["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"]), 0),
            Err(ChainError::Twice)
        );
        let twice = [("one", 5), ("two", 5)].map(|(name, id)| {
            (name.to_owned(), Chain::new(id, nodes(&["http://127.0.0.1:1/"]), None).unwrap())
        });
        assert_eq!(Chains::new(twice).unwrap_err(), ChainError::Chain);
    }
}
