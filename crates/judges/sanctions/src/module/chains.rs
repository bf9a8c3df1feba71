//! The nodes that wallets are looked at by, as the settings name them: a table for each chain.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

use fetch::{Endpoint, Nat64Prefix};
use module::{ModuleError, parse_networks};
use rpc::Rpc;
use serde::{Deserialize, Serialize};

use crate::agent_clearance::{Chain, Chains, known_chain, limits};

/// Settings of one chain.
#[derive(Deserialize, Serialize, Clone, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ChainSettings {
    /// The JSON-RPC addresses of nodes, with commas between: a list would be quoted by the errors of its reader.
    #[serde(skip_serializing)]
    endpoints: String,
    /// Number of nodes that must agree; `None` for the least number above half.
    quorum: Option<NonZeroUsize>,
    /// The chain's id, where its name is not one that is known.
    chain_id: Option<u64>,
    /// Private networks that the names of the nodes may lead into, with commas between.
    networks: Option<String>,
}

impl ChainSettings {
    /// Returns the number of nodes.
    pub fn endpoints(&self) -> usize {
        self.addresses().count()
    }

    fn addresses(&self) -> impl Iterator<Item = &str> {
        self.endpoints.split(',').map(str::trim).filter(|address| !address.is_empty())
    }

    fn chain(&self, name: &str, nat64: &[Nat64Prefix]) -> Result<Chain, ModuleError> {
        let wrong = |why: String| ModuleError::new(format!("clearance.{name}"), why);
        let id = match (self.chain_id, known_chain(name)) {
            (Some(given), Some(known)) if given != known => {
                return Err(wrong(format!("the chain_id of {name} is {known}")));
            }
            (Some(id), _) | (None, Some(id)) => id,
            (None, None) => {
                return Err(wrong("chain_id must be set, since no chain of that name is known".to_owned()));
            }
        };
        let networks = parse_networks(self.networks.as_deref())
            .map_err(|why| ModuleError::new(format!("clearance.{name}.networks"), why))?;
        // Keys of services are often in their paths, so no address is repeated.
        let node = |(number, address)| {
            let endpoint = Endpoint::system_through(address, &networks, nat64, limits()).map_err(|why| {
                ModuleError::new(format!("clearance.{name}: endpoint {number} is no address to call"), why)
            })?;
            Ok(Rpc::new(endpoint))
        };
        let nodes = (1_usize..).zip(self.addresses()).map(node).collect::<Result<Vec<_>, ModuleError>>()?;
        Chain::new(id, nodes, self.quorum).map_err(|why| ModuleError::new(format!("clearance.{name}"), why))
    }
}

/// Prints the number of nodes without their addresses, which may contain keys.
impl fmt::Debug for ChainSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} endpoints", self.endpoints())?;
        if let Some(quorum) = self.quorum { write!(f, ", quorum {quorum}") } else { Ok(()) }
    }
}

/// The chains whose wallets are looked at. Nothing is asked yet.
pub(super) fn chains(
    settings: &BTreeMap<String, ChainSettings>,
    nat64: &[Nat64Prefix],
) -> Result<Chains, ModuleError> {
    let chain = |(name, chain): (&String, &ChainSettings)| Ok((name.clone(), chain.chain(name, nat64)?));
    let named = settings.iter().map(chain).collect::<Result<Vec<_>, ModuleError>>()?;
    Chains::new(named).map_err(|why| ModuleError::new("clearance", why))
}
