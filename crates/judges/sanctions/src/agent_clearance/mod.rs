//! The judge behind `POST /agent-clearance`, which clears or blocks a counterparty by its name, its wallet and its domain.
//!
//! # The rules of `agent-clearance/4`
//!
//! The verdict is the worst that any of these [reasons](ClearanceReason) gives, and `CLEAR` where there is none.
//!
//! | reason | verdict | where |
//! |---|---|---|
//! | `wallet_listed` | `BLOCK` | a list of sanctions has the address, under whatever currency |
//! | `name_match` | `BLOCK` | the name screen says `MATCH` |
//! | `name_possible_match` | `REVIEW` | it says `POSSIBLE_MATCH`, as it does of any name on a list of another topic |
//! | `wallet_on_other_list` | `REVIEW` | a list of another topic than sanctions has the address |
//! | `list_stale` | `REVIEW` | a list was not confirmed to be current for more than 24 hours |
//! | `chain_signals_unsupported` | `REVIEW` | the wallet is of a chain without signals: only the lists are searched |
//! | `wallet_contract` | `REVIEW` | there is code at the address, and it is no EIP-7702 delegation |
//! | `wallet_fresh` | `REVIEW` | the account has sent no transaction: its transaction count is 0 |
//! | `wallet_empty` | `REVIEW` | it has none of the chain's own coin: its balance is 0; tokens are not looked at |
//! | `delegate_listed` | `REVIEW` | the account delegates to a listed address |
//! | `domain_risky` | `BLOCK` | `/trust-score` says `RISKY` of the domain, for payments to the wallet |
//! | `domain_caution` | `REVIEW` | it says `CAUTION` |
//! | `domain_incomplete` | `REVIEW` | it says `INCOMPLETE`: too little was observed |
//!
//! An account that delegates (EIP-7702: its code is `0xef0100` and the 20 bytes of an address, which EIP-3541 lets no
//! contract begin with) is no contract: it is named as `delegation`, and that is no reason.
//!
//! An address of 20 bytes is the same on every EVM chain. Where no chain is named, it is looked up on Ethereum.
//!
//! # Where the signals come from
//!
//! From the nodes that the operator configured for the chain ([`Chains`]). Each is asked for its chain and its newest
//! block; then, at one block that all of them have, for the account's code, balance and transaction count. What a quorum
//! of them, more than half, says in the same words is taken; without one there is no answer. See `record` for which
//! block, and for what a node that lags or lies can do.
//!
//! # The domain
//!
//! The judge of `/trust-score` judges it at the same time as the nodes are asked, for the purpose `pay`, with the wallet as
//! the payee and the counterparty's name. `TRUSTED` is no reason, and never makes up for another. The memory of earlier
//! looks is that of `/trust-score` alone: a clearance neither reads nor adds to it.
//!
//! # Invariants
//!
//! - `CLEAR` requires that every screen and signal that was asked for was made, the SDN list and its addresses included.
//! - `CLEAR` with a wallet requires a quorum of nodes that agree.
//! - `CLEAR` with a domain requires that the domain is `TRUSTED`.
//! - `CLEAR` requires that every list was confirmed to be current within the last 24 hours.
//! - A listed wallet or name blocks without waiting for a node or a domain.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | fields of the question, and how they are read |
//! | `chains` | chains, and the nodes that are asked about them |
//! | `ask` | calls to the nodes |
//! | `record` | the nodes' answers as they are stored, and the account that follows from them |
//! | `signals` | the signals, as a finding shows them |
//! | `domain` | the domain, as the judge of `/trust-score` finds it |
//! | `list_screen` | name and wallet, screened against the lists |
//! | `finding` | the finding, as the receipt shows it |
//! | `judge` | [`AgentClearanceJudge`]: the above behind [`verdict::Judge`] |

mod ask;
mod chains;
mod domain;
mod finding;
mod judge;
mod list_screen;
mod question;
mod record;
mod signals;

pub use ask::{TOTAL, limits};
pub use chains::{Chain, ChainError, Chains, MOST_NODES, known_chain};
pub use domain::{DomainReason, DomainScreen, DomainSummary};
pub use finding::{ClearanceEvidence, ClearanceFinding, ClearanceReason, ClearanceVerdict, METHOD};
pub use judge::AgentClearanceJudge;
pub use list_screen::{NameScreen, WalletScreen};
pub use question::ClearanceQuestion;
pub use record::MOST_LAG;
pub use signals::{AccountState, ContractStatus, NodeCounts, WalletSignals};

/// Bounds on the questions to nodes, as `/catalog` publishes them.
pub(crate) fn bounds() -> serde_json::Value {
    serde_json::json!({
        "nodes": MOST_NODES,
        "total_ms": TOTAL.as_millis(),
        "call_ms": ask::CALL.as_millis(),
        "answer_bytes": ask::ANSWER_BYTES,
        "number_bytes": ask::NUMBER_BYTES,
        "blocks_behind": MOST_LAG,
    })
}
