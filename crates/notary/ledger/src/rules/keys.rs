//! The receipt key that may sign a record, and the changes of keys.

use std::collections::HashSet;

use receipt::history::{KeyRole, MAX_KEY_RECORDS};

use crate::{Identity, KeyStep, LedgerError, LedgerRecord};

/// The keys in use, as the records of a batch change them one after another.
#[derive(Debug)]
pub struct KeysInUse {
    identity: Identity,
    noted: HashSet<String>,
    is_changed: bool,
}

impl KeysInUse {
    /// The keys that the store is bound to. `noted` are the [marks](KeyStep::mark) of the steps that were taken; they are
    /// only needed for a batch that has a step.
    #[must_use]
    pub fn new(identity: Identity, noted: HashSet<String>) -> Self {
        Self { identity, noted, is_changed: false }
    }

    /// Checks that a record is signed by the receipt key in use, and that its change of a key can be made.
    ///
    /// # Errors
    /// [`LedgerError::FormerKey`]: another receipt key is in use. [`LedgerError::Duplicate`]: the step was taken.
    /// [`LedgerError::Unfit`]: the key that the step replaces is not in use, or the log has all records of keys that it
    /// may have.
    pub fn check(&self, record: &LedgerRecord) -> Result<(), LedgerError> {
        let in_use = &self.identity.receipt_kid;
        let signer = &record.kid;
        let former = || Err(LedgerError::FormerKey { current: in_use.clone(), record: None });
        let Some(step) = &record.key else { return if signer == in_use { Ok(()) } else { former() } };
        if self.noted.contains(&step.mark()) {
            return Err(LedgerError::Duplicate);
        }
        if self.noted.len() >= MAX_KEY_RECORDS {
            return Err(LedgerError::Unfit(format!("more than {MAX_KEY_RECORDS} records of keys")));
        }
        let KeyStep::Replaced { role, name, replaces } = step else {
            return if signer == in_use { Ok(()) } else { former() };
        };
        // A key that was exchanged while nothing served is in use already, and only its record is missing.
        let is_replaced = match self.in_use(*role) {
            Some(current) => current == replaces || current == name,
            None => true,
        };
        let may_sign = signer == in_use || *role == KeyRole::Receipt && signer == name;
        match (is_replaced, may_sign) {
            (true, true) => Ok(()),
            (false, _) if *role != KeyRole::Receipt => {
                Err(LedgerError::Unfit(format!("{replaces} is not the {} key in use", role.as_str())))
            }
            _ => former(),
        }
    }

    /// Takes the step of a record that was checked.
    pub fn take(&mut self, record: &LedgerRecord) {
        let Some(step) = &record.key else { return };
        self.noted.insert(step.mark());
        let KeyStep::Replaced { role, name, .. } = step else { return };
        match role {
            KeyRole::Receipt => self.identity.receipt_kid.clone_from(name),
            KeyRole::Rerun => self.identity.rerun_kid = Some(name.clone()),
            KeyRole::Webhook => self.identity.webhook_key = Some(name.clone()),
            KeyRole::Log => self.identity.log_vkey.clone_from(name),
        }
        self.is_changed = true;
    }

    /// The identity that the store is to be bound to; `None` where it has not changed.
    #[must_use]
    pub fn changed(&self) -> Option<&Identity> {
        self.is_changed.then_some(&self.identity)
    }

    fn in_use(&self, role: KeyRole) -> Option<&String> {
        let Identity { receipt_kid, log_vkey, rerun_kid, webhook_key, .. } = &self.identity;
        match role {
            KeyRole::Receipt => Some(receipt_kid),
            KeyRole::Rerun => rerun_kid.as_ref(),
            KeyRole::Webhook => webhook_key.as_ref(),
            KeyRole::Log => Some(log_vkey),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn signed(kid: &str, key: Option<KeyStep>) -> LedgerRecord {
        LedgerRecord { kid: kid.to_owned(), key, ..fixtures::record() }
    }

    fn replaced(role: KeyRole, replaces: &str, name: &str) -> Option<KeyStep> {
        Some(KeyStep::Replaced { role, name: name.to_owned(), replaces: replaces.to_owned() })
    }

    fn keys() -> KeysInUse {
        let identity = Identity {
            receipt_kid: "one".to_owned(),
            log_vkey: "log".to_owned(),
            webhook_key: Some("hook".to_owned()),
            ..Identity::default()
        };
        KeysInUse::new(identity, HashSet::from(["one".to_owned()]))
    }

    fn is_former(checked: Result<(), LedgerError>, in_use: &str) -> bool {
        matches!(checked, Err(LedgerError::FormerKey { current, record: None }) if current == in_use)
    }

    #[test]
    fn after_a_change_of_the_receipt_key_the_former_one_signs_nothing_in_the_same_batch() {
        let mut keys = keys();
        keys.check(&signed("one", None)).unwrap();
        assert!(is_former(keys.check(&signed("two", None)), "one"));
        let change = signed("one", replaced(KeyRole::Receipt, "one", "two"));
        keys.check(&change).unwrap();
        keys.take(&change);
        assert_eq!(keys.changed().unwrap().receipt_kid, "two");
        keys.check(&signed("two", None)).unwrap();
        assert!(is_former(keys.check(&signed("one", None)), "two"));
        assert!(matches!(keys.check(&change), Err(LedgerError::Duplicate)));
    }

    #[test]
    fn a_revoked_key_does_not_sign_its_own_end_and_of_two_successors_one_is_taken() {
        let mut keys = keys();
        let change = signed("two", replaced(KeyRole::Receipt, "one", "two"));
        keys.check(&change).unwrap();
        assert!(is_former(keys.check(&signed("three", replaced(KeyRole::Receipt, "one", "two"))), "one"));
        keys.take(&change);
        assert!(is_former(keys.check(&signed("one", replaced(KeyRole::Receipt, "one", "three"))), "two"));
    }

    #[test]
    fn other_keys_are_replaced_by_the_receipt_key_and_only_those_in_use() {
        let mut keys = keys();
        let change = signed("one", replaced(KeyRole::Webhook, "hook", "hook 2"));
        keys.check(&change).unwrap();
        assert!(is_former(keys.check(&signed("hook 2", change.key.clone())), "one"));
        let other = signed("one", replaced(KeyRole::Webhook, "other", "hook 2"));
        assert!(matches!(keys.check(&other), Err(LedgerError::Unfit(_))));
        keys.take(&change);
        let changed = keys.changed().unwrap();
        assert_eq!((&*changed.receipt_kid, changed.webhook_key.as_deref()), ("one", Some("hook 2")));
    }

    #[test]
    fn a_key_is_introduced_once_and_changes_nothing() {
        let mut keys = keys();
        let introduced = |name: &str| signed("one", Some(KeyStep::Introduced { name: name.to_owned() }));
        assert!(matches!(keys.check(&introduced("one")), Err(LedgerError::Duplicate)));
        keys.check(&introduced("hook")).unwrap();
        keys.take(&introduced("hook"));
        assert!(matches!(keys.check(&introduced("hook")), Err(LedgerError::Duplicate)));
        assert!(keys.changed().is_none());
        let revoked = signed("one", Some(KeyStep::RevokedFormer { name: "zero".to_owned() }));
        keys.check(&revoked).unwrap();
        keys.take(&revoked);
        assert!(matches!(keys.check(&revoked), Err(LedgerError::Duplicate)));
    }
}
