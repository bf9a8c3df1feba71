//! The log keys that a process has, from which those are taken that the store says are in use.

use std::sync::{Arc, PoisonError, RwLock};

use tlog::{LogSigners, NoteSigner, SigningKey, VerifierKey};

use crate::LedgerError;

/// The log keys of a process. A clone shares them, so a key that is added is there for the next transaction.
///
/// The store decides in each transaction which keys sign: see [`Identity::log_vkeys`](crate::Identity::log_vkeys).
#[derive(Clone, Debug)]
pub struct LogKeyRing(Arc<RwLock<Held>>);

struct Held {
    signers: Vec<Arc<dyn NoteSigner>>,
    /// The public keys, also of those whose private half was dropped.
    known: Vec<VerifierKey>,
}

impl LogKeyRing {
    /// A ring with these keys.
    pub fn new(signers: Vec<Arc<dyn NoteSigner>>) -> Self {
        let ring = Self(Arc::new(RwLock::new(Held { signers: Vec::new(), known: Vec::new() })));
        signers.into_iter().for_each(|signer| ring.add(signer));
        ring
    }

    /// Adds a key, unless it is there.
    pub fn add(&self, signer: Arc<dyn NoteSigner>) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let key = signer.verifier().clone();
        if held.signers.iter().any(|known| *known.verifier() == key) {
            return;
        }
        held.signers.push(signer);
        if !held.known.contains(&key) {
            held.known.push(key);
        }
    }

    /// Drops the keys that are not among these vkeys. Checkpoints that they have signed still verify.
    pub fn keep_only(&self, vkeys: &[&str]) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.signers.retain(|signer| vkeys.contains(&&*signer.verifier().to_string()));
    }

    /// The vkeys of the keys that can sign.
    #[must_use]
    pub fn vkeys(&self) -> Vec<String> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.signers.iter().map(|signer| signer.verifier().to_string()).collect()
    }

    /// The public keys of all that the process has, or has had.
    #[must_use]
    pub fn known(&self) -> Vec<VerifierKey> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).known.clone()
    }

    /// The signers of the keys with these vkeys: one, or two that both sign.
    ///
    /// # Errors
    /// [`LedgerError::LogKeyNotHere`]: the process does not have one of them.
    pub fn signers<'v>(&self, vkeys: impl Iterator<Item = &'v str>) -> Result<LogSigners, LedgerError> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut signers: Option<LogSigners> = None;
        for vkey in vkeys {
            let not_here = || LedgerError::LogKeyNotHere(vkey.to_owned());
            let signer = held.signers.iter().find(|signer| signer.verifier().to_string() == vkey);
            let signer = Arc::clone(signer.ok_or_else(not_here)?);
            signers = Some(match signers {
                None => LogSigners::new(signer),
                Some(first) => first.with_second(signer).ok_or_else(not_here)?,
            });
        }
        signers.ok_or_else(|| LedgerError::Corrupt("it is not bound to a log key".to_owned()))
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.signers.iter().map(|signer| signer.verifier())).finish()
    }
}

impl From<LogSigners> for LogKeyRing {
    fn from(signers: LogSigners) -> Self {
        Self::new(signers.into_signers())
    }
}

impl From<SigningKey> for LogKeyRing {
    fn from(key: SigningKey) -> Self {
        Self::new(vec![Arc::new(key)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> Arc<dyn NoteSigner> {
        Arc::new(SigningKey::from_seed("notary.example/log", &[seed; 32]).unwrap())
    }

    fn vkey(seed: u8) -> String {
        key(seed).verifier().to_string()
    }

    #[test]
    fn the_keys_that_are_asked_for_sign_and_no_others() {
        let ring = LogKeyRing::new(vec![key(1)]);
        ring.add(key(2));
        ring.add(key(2));
        assert_eq!(ring.vkeys(), [vkey(1), vkey(2)]);
        let (one, two, three) = (vkey(1), vkey(2), vkey(3));
        let signers = |vkeys: &[&String]| ring.signers(vkeys.iter().map(|vkey| vkey.as_str()));
        assert_eq!(signers(&[&one]).unwrap().verifiers().len(), 1);
        assert_eq!(signers(&[&two, &one]).unwrap().verifier().to_string(), two);
        assert_eq!(signers(&[&one, &two]).unwrap().verifiers().len(), 2);
        let missing = signers(&[&one, &three]);
        assert!(matches!(missing, Err(LedgerError::LogKeyNotHere(vkey)) if vkey == three));
        assert!(matches!(signers(&[]), Err(LedgerError::Corrupt(_))));
    }

    #[test]
    fn a_key_that_is_dropped_signs_no_more_and_is_still_known() {
        let ring = LogKeyRing::new(vec![key(1), key(2)]);
        ring.clone().keep_only(&[&vkey(2)]);
        assert_eq!((ring.vkeys(), ring.known().len()), (vec![vkey(2)], 2));
        assert!(ring.signers(std::iter::once(&*vkey(1))).is_err());
    }
}
