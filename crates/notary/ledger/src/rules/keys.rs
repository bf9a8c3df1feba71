//! The receipt key that may sign a record, and the changes of keys.

use std::collections::HashSet;

use receipt::history::{KeyRole, MAX_KEY_RECORDS};

use crate::{Identity, KeyStep, LedgerError, LedgerRecord};

/// The keys in use, as the records of a batch change them one after another.
#[derive(Debug)]
pub struct KeysInUse {
    identity: Identity,
    /// The vkeys of the log keys that this process can sign with.
    log_keys: Vec<String>,
    noted: HashSet<String>,
    is_changed: bool,
}

impl KeysInUse {
    /// The keys that the store is bound to. `log_keys` are the vkeys that this process can sign with, and `noted` the [marks](KeyStep::mark) of the steps that were taken; they are
    /// only needed for a batch that has a step.
    #[must_use]
    pub fn new(identity: Identity, log_keys: Vec<String>, noted: HashSet<String>) -> Self {
        Self { identity, log_keys, noted, is_changed: false }
    }

    /// The keys in use.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Checks that a record is signed by the receipt key in use, that this process can sign the checkpoint over it, and that
    /// its change of a key can be made.
    ///
    /// # Errors
    /// [`LedgerError::LogKeyNotHere`]: a log key that is in use, or would be after the record, is not one of this process.
    /// [`LedgerError::FormerKey`]: another receipt key is in use. [`LedgerError::Duplicate`]: the step was taken.
    /// [`LedgerError::Unfit`]: the key that the step replaces, or names as the one in use, is not in use, or the log has all
    /// records of keys that it may have.
    pub fn check(&self, record: &LedgerRecord) -> Result<(), LedgerError> {
        if let Some(missing) = self.missing_log_key() {
            return Err(LedgerError::LogKeyNotHere(missing.to_owned()));
        }
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
        let (role, name, replaces) = match step {
            _ if signer != in_use && !is_of_receipt_key(step) => return former(),
            KeyStep::Introduced { .. } => return Ok(()),
            KeyStep::RevokedFormer { role, name, current } => {
                return self.check_revoked(*role, name, current);
            }
            KeyStep::LogKeyEnded { name, successor } => return self.check_log_keys(&[name, successor]),
            KeyStep::Replaced { role: KeyRole::Log, name, replaces } => {
                if !self.can_sign(name) {
                    return Err(LedgerError::LogKeyNotHere(name.clone()));
                }
                return self.check_log_keys(&[replaces]);
            }
            KeyStep::Replaced { role, name, replaces } => (role, name, replaces),
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
        let (role, name) = match step {
            KeyStep::Introduced { .. } | KeyStep::RevokedFormer { .. } => return,
            KeyStep::LogKeyEnded { successor, .. } => {
                self.identity.log_vkey.clone_from(successor);
                self.is_changed = true;
                return;
            }
            KeyStep::Replaced { role, name, .. } => (role, name),
        };
        match role {
            KeyRole::Receipt => self.identity.receipt_kid.clone_from(name),
            KeyRole::Rerun => self.identity.rerun_kid = Some(name.clone()),
            KeyRole::Webhook => self.identity.webhook_key = Some(name.clone()),
            KeyRole::Log => {
                self.identity.log_vkey.push(' ');
                self.identity.log_vkey.push_str(name);
            }
        }
        self.is_changed = true;
    }

    /// The identity that the store is to be bound to; `None` where it has not changed.
    #[must_use]
    pub fn changed(&self) -> Option<&Identity> {
        self.is_changed.then_some(&self.identity)
    }

    /// The vkey of a log key in use that this process does not have; `None` where it has all.
    #[must_use]
    pub fn missing_log_key(&self) -> Option<&str> {
        self.identity.log_vkeys().find(|vkey| !self.can_sign(vkey))
    }

    fn can_sign(&self, vkey: &str) -> bool {
        self.log_keys.iter().any(|known| known == vkey)
    }

    /// Checks that `current` is in use, and the revoked key is not. The key may have changed since the record was made, which
    /// would name a key that is not in use any more.
    fn check_revoked(&self, role: KeyRole, revoked: &String, current: &String) -> Result<(), LedgerError> {
        if self.in_use(role) == Some(current) && revoked != current {
            return Ok(());
        }
        let role = role.as_str();
        Err(LedgerError::Unfit(format!(
            "{current} is not the {role} key in use, or {revoked} is no former one"
        )))
    }

    /// Checks that these are the log keys in use.
    fn check_log_keys(&self, vkeys: &[&String]) -> Result<(), LedgerError> {
        if self.identity.log_vkeys().eq(vkeys.iter().map(|vkey| vkey.as_str())) {
            return Ok(());
        }
        let in_use = &self.identity.log_vkey;
        Err(LedgerError::Unfit(format!("the log keys in use are {in_use}")))
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

/// Returns true if a step is about receipt keys, of which each may sign it in its case.
fn is_of_receipt_key(step: &KeyStep) -> bool {
    matches!(step, KeyStep::Replaced { role: KeyRole::Receipt, .. })
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

    fn revoked(role: KeyRole, name: &str, current: &str) -> Option<KeyStep> {
        Some(KeyStep::RevokedFormer { role, name: name.to_owned(), current: current.to_owned() })
    }

    fn keys() -> KeysInUse {
        let identity = Identity {
            receipt_kid: "one".to_owned(),
            log_vkey: "log".to_owned(),
            webhook_key: Some("hook".to_owned()),
            ..Identity::default()
        };
        let log_keys = ["log", "log2"].map(str::to_owned).to_vec();
        KeysInUse::new(identity, log_keys, HashSet::from(["one".to_owned()]))
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
    fn a_log_key_signs_beside_the_one_in_use_until_that_is_ended() {
        let mut keys = keys();
        let ended = |name: &str, successor: &str| {
            let (name, successor) = (name.to_owned(), successor.to_owned());
            signed("one", Some(KeyStep::LogKeyEnded { name, successor }))
        };
        let change = signed("one", replaced(KeyRole::Log, "log", "log2"));
        assert!(matches!(keys.check(&ended("log", "log2")), Err(LedgerError::Unfit(_))));
        assert!(is_former(keys.check(&signed("two", change.key.clone())), "one"));
        let not_here = keys.check(&signed("one", replaced(KeyRole::Log, "log", "log3")));
        assert!(matches!(not_here, Err(LedgerError::LogKeyNotHere(vkey)) if vkey == "log3"));
        keys.check(&change).unwrap();
        keys.take(&change);
        assert_eq!(keys.changed().unwrap().log_vkeys().collect::<Vec<_>>(), ["log", "log2"]);
        assert!(matches!(keys.check(&change), Err(LedgerError::Duplicate)));
        keys.check(&signed("one", None)).unwrap();
        assert!(matches!(keys.check(&ended("log2", "log")), Err(LedgerError::Unfit(_))));
        assert!(is_former(keys.check(&signed("two", ended("log", "log2").key)), "one"));
        keys.check(&ended("log", "log2")).unwrap();
        keys.take(&ended("log", "log2"));
        assert_eq!(keys.identity().log_vkey, "log2");
        assert!(matches!(keys.check(&ended("log", "log2")), Err(LedgerError::Duplicate)));
        let again = signed("one", replaced(KeyRole::Log, "log", "log"));
        assert!(matches!(keys.check(&again), Err(LedgerError::Unfit(_))));
    }

    #[test]
    fn a_process_without_a_log_key_that_is_in_use_logs_nothing() {
        for log_vkey in ["other", "log other", "other log"] {
            let identity = Identity {
                receipt_kid: "one".to_owned(),
                log_vkey: log_vkey.to_owned(),
                ..Identity::default()
            };
            let keys = KeysInUse::new(identity, vec!["log".to_owned()], HashSet::new());
            let refused = keys.check(&signed("one", None));
            assert!(matches!(refused, Err(LedgerError::LogKeyNotHere(vkey)) if vkey == "other"));
        }
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
        let revoked = signed("one", revoked(KeyRole::Receipt, "zero", "one"));
        keys.check(&revoked).unwrap();
        keys.take(&revoked);
        assert!(keys.changed().is_none());
        assert!(matches!(keys.check(&revoked), Err(LedgerError::Duplicate)));
    }

    #[test]
    fn a_former_key_is_revoked_beside_the_key_of_its_role_that_is_in_use_and_no_other() {
        let mut keys = keys();
        let beside = |current: &str| signed("one", revoked(KeyRole::Webhook, "hook0", current));
        let unfit = |keys: &KeysInUse, record| matches!(keys.check(&record), Err(LedgerError::Unfit(_)));
        keys.check(&beside("hook")).unwrap();
        assert!(unfit(&keys, signed("one", revoked(KeyRole::Webhook, "hook", "hook"))));
        assert!(unfit(&keys, signed("one", revoked(KeyRole::Receipt, "zero", "hook"))));
        keys.take(&signed("one", replaced(KeyRole::Webhook, "hook", "hook2")));
        assert!(unfit(&keys, beside("hook")));
        keys.check(&beside("hook2")).unwrap();
    }
}
