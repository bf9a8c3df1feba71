//! Values that the tests of several rules share.

use receipt::hash::ReceiptHash;
use receipt::sign::SignedPayload;
use receipt::time::Timestamp;

use crate::{
    Claim, ClaimId, ClaimState, ClientNetwork, LedgerRecord, NewWatch, Owner, ProofKey, Screening, WatchKey,
};

pub(super) const OWNER: Owner = Owner([1; 16]);

pub(super) fn authorization() -> ProofKey {
    ProofKey::Authorization { chain_id: 1, asset: [5; 20], payer: [3; 20], nonce: [9; 32] }
}

pub(super) fn transaction(log_index: u64) -> ProofKey {
    ProofKey::Transaction { chain_id: 1, transaction: [8; 32], log_index }
}

/// A claim of 100 units by [`OWNER`], which has been broadcast.
pub(super) fn claim(key: ProofKey) -> Claim {
    Claim {
        id: ClaimId(1),
        key,
        fingerprint: [6; 32],
        state: ClaimState::Broadcast,
        owner: OWNER,
        lease_until: Timestamp::MAX,
        class: "commit".to_owned(),
        agent: "scout".to_owned(),
        payer: [3; 20],
        symbol: "USDC".to_owned(),
        amount: 100,
        bond: false,
        is_late: false,
        about: None,
        transaction: None,
        transfer: None,
        receipt: None,
        failure: None,
    }
}

/// A receipt of a watch, free of charge and without a reservation.
pub(super) fn record() -> LedgerRecord {
    let signed = SignedPayload { hash: ReceiptHash([0; 32]), payload: Vec::new(), signature: [0; 64] };
    LedgerRecord::new(signed, "one", "watch", Vec::new(), Timestamp::EPOCH, Vec::new())
}

pub(super) fn screened() -> Screening {
    Screening::new("NO_MATCH".to_owned(), &[], Timestamp::EPOCH)
}

/// A watch that never ends, bought from `192.0.2.1`.
pub(super) fn new_watch(key: u8) -> NewWatch {
    NewWatch {
        key: WatchKey([key; 32]),
        agent: "scout".to_owned(),
        network: Some(ClientNetwork::of("192.0.2.1".parse().unwrap())),
        class: "screen-entity".to_owned(),
        until: Timestamp::MAX,
        webhook: None,
        screened: screened(),
    }
}
