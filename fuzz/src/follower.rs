//! What follows a log: its state file, and the proofs of forks that it writes.

use log_follower::Contradiction;
use log_follower::state::verified_size;

use crate::archive::log_key;

/// State files: any bytes are refused, or tell of a tree that the log's key has signed: that of the sample, or none.
pub fn state(data: &[u8]) -> bool {
    let size = verified_size(data, &log_key().verifier());
    assert!(size.as_ref().is_ok_and(|size| *size <= 1) || size.is_err(), "{size:?}");
    size.is_ok()
}

/// Proofs of forks: any bytes are refused or survive being written, and none shows that an honest key has forked.
pub fn contradiction(data: &[u8]) -> bool {
    let Ok(found) = Contradiction::from_json(data) else { return false };
    assert_eq!(Contradiction::from_json(found.to_json().as_bytes()).ok(), Some(found.clone()));
    if found.log_keys().all(|key| *key == log_key().verifier()) {
        assert!(found.verify().is_err(), "{found:?}");
    } else {
        let _judged = found.verify();
    }
    true
}
