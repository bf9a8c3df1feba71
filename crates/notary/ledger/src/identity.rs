//! The identity of a notary, as its store holds it: public keys and prices.
//!
//! Several processes that share a store must sign with the same keys and ask for the same prices, or a verdict would depend
//! on which of them answers. So the store holds both, and a process that differs is told in what.

use std::collections::BTreeMap;
use std::fmt;

use receipt::hash::sha256;

use crate::LedgerError;

/// The public identities that a store is bound to: its keys, and its prices.
///
/// `None` is a part that is not known: a store of before it was stored, or a process that does not read it. It is bound by
/// the first process that knows it, and refuses nobody.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// The `kid` of the receipt key.
    pub receipt_kid: String,
    /// The `kid`s of former receipt keys. A store that is bound to one of them is bound to
    /// [`receipt_kid`](Self::receipt_kid) instead. Of a stored identity it is empty.
    pub retired_kids: Vec<String>,
    /// Of a stored identity the [marks](crate::KeyStep::mark) of the key records that its log has: a key with one was in use, so no
    /// store is bound to it again. Of a process it is empty.
    pub recorded: Vec<String>,
    /// The verifier key (vkey) of the log. While one log key takes the place of another, a store has both, separated by a
    /// space: see [`log_vkeys`](Self::log_vkeys).
    pub log_vkey: String,
    /// The vkey of a log key that the process has beside that one, and that may be in use. No store has it by itself.
    pub next_log_vkey: Option<String>,
    /// The `kid` of the key that reruns sign with.
    pub rerun_kid: Option<String>,
    /// The public key of webhooks: `whpk_` and base64.
    pub webhook_key: Option<String>,
    /// The price of each class.
    pub prices: Option<PriceTable>,
}

/// The rule about the parts of an [`Identity`] that may change: the keys of reruns and webhooks, and the prices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdentityRule {
    /// The store takes over what the process has: it is the only one, or an operator wants it.
    Adopt,
    /// The process must have what the store has, since others have it too.
    Same,
}

impl Identity {
    /// Compares this identity with the one that a store is bound to. Returns what the store must be changed in, a sentence
    /// for each change; nothing where they agree.
    ///
    /// # Errors
    /// [`LedgerError::OtherKeys`]: the store is bound to another receipt key that is not [retired](Self::retired_kids), or its
    /// log has a [record](Self::recorded) of the given one; it is bound to another log key; with [`IdentityRule::Same`], it is
    /// bound to another key of reruns or webhooks. [`LedgerError::OtherPrices`] with that rule: the store has other prices.
    pub fn changes(&self, stored: &Self, rule: IdentityRule) -> Result<Vec<String>, LedgerError> {
        let differs = |what: &str, stored: &str, given: &str| {
            Err(LedgerError::OtherKeys(format!(
                "the store was made with another {what}: it has {stored}, the keys folder and base address give {given}"
            )))
        };
        let mut changes = Vec::new();
        let is_retired = self.retired_kids.contains(&stored.receipt_kid);
        if stored.receipt_kid != self.receipt_kid && !is_retired {
            return differs("receipt key or base address", &stored.receipt_kid, &self.receipt_kid);
        }
        self.refuse_former(stored)?;
        if stored.log_vkeys().next() != self.log_vkeys().next() {
            return differs("log key or log origin", &stored.log_vkey, &self.log_vkey);
        }
        if let Some(second) = stored.log_vkeys().nth(1)
            && self.next_log_vkey.as_deref() != Some(second)
        {
            let given = self.next_log_vkey.as_deref().unwrap_or("none");
            return differs("second log key (log.next.pem)", second, given);
        }
        if stored.receipt_kid != self.receipt_kid {
            changes.push(format!("receipt key: {}, was {}", self.receipt_kid, stored.receipt_kid));
        }
        let keys = [
            ("key of reruns (rerun.pem)", &stored.rerun_kid, &self.rerun_kid),
            ("key of webhooks (webhook.pem)", &stored.webhook_key, &self.webhook_key),
        ];
        for (what, stored, given) in keys {
            match (stored, given) {
                (Some(stored), Some(given)) if stored != given => {
                    if rule == IdentityRule::Same {
                        return differs(what, stored, given);
                    }
                    changes.push(format!("{what}: {given}, was {stored}"));
                }
                (None, Some(given)) => changes.push(format!("{what}: {given}")),
                (Some(_) | None, _) => {}
            }
        }
        if let Some(given) = &self.prices {
            match &stored.prices {
                Some(stored) => {
                    let differences = given.differences(stored);
                    if rule == IdentityRule::Same && !differences.is_empty() {
                        return Err(LedgerError::OtherPrices(differences.join("; ")));
                    }
                    changes.extend(differences);
                }
                None => changes.push(format!("price table: {}", given.hash())),
            }
        }
        Ok(changes)
    }

    /// Refuses a receipt key that another one has taken the place of: its range has ended, so nothing that it signs holds.
    fn refuse_former(&self, stored: &Self) -> Result<(), LedgerError> {
        let (ours, theirs) = (&self.receipt_kid, &stored.receipt_kid);
        if ours == theirs || !stored.recorded.contains(ours) {
            return Ok(());
        }
        Err(LedgerError::OtherKeys(format!(
            "the receipt key {ours} is a former one: the log has its record, and {theirs} is in use. Put the receipt.pem of \
             {theirs} back, from another replica or the backup; if it is lost, move this one away, and a new key is made"
        )))
    }

    /// The vkeys of the log keys that sign each checkpoint: one, or two while the first is replaced by the second.
    pub fn log_vkeys(&self) -> impl Iterator<Item = &str> {
        self.log_vkey.split(' ')
    }

    /// This identity, with the parts of the stored one that it does not know.
    #[must_use]
    pub fn over(&self, stored: &Self) -> Self {
        Self {
            rerun_kid: self.rerun_kid.clone().or_else(|| stored.rerun_kid.clone()),
            webhook_key: self.webhook_key.clone().or_else(|| stored.webhook_key.clone()),
            prices: self.prices.clone().or_else(|| stored.prices.clone()),
            // It changes with the records of keys alone.
            log_vkey: stored.log_vkey.clone(),
            ..self.clone()
        }
    }
}

/// The price of each class that has one, in atomic units of a dollar token.
///
/// # Example
/// ```
/// use ledger::PriceTable;
///
/// let table: PriceTable = [("commit", 50_000), ("scan-text", 1_000)].into_iter().collect();
/// assert_eq!(table.to_string(), "commit 50000\nscan-text 1000\n");
/// assert_eq!(PriceTable::parse(&table.to_string()), Some(table.clone()));
/// assert_eq!(table.hash().len(), 64);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PriceTable(BTreeMap<String, u64>);

impl<S: Into<String>> FromIterator<(S, u64)> for PriceTable {
    fn from_iter<I: IntoIterator<Item = (S, u64)>>(prices: I) -> Self {
        Self(prices.into_iter().map(|(class, amount)| (class.into(), amount)).collect())
    }
}

impl PriceTable {
    /// Reads the text of a table; `None` where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let price = |line: &str| {
            let (class, amount) = line.split_once(' ')?;
            Some((class.to_owned(), amount.parse().ok()?))
        };
        text.lines().map(price).collect::<Option<_>>().map(Self)
    }

    /// The SHA-256 of the table's text, in hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        sha256(self.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A sentence for each class whose price differs from that of the stored table.
    #[must_use]
    pub fn differences(&self, stored: &Self) -> Vec<String> {
        let mut classes: Vec<&String> = self.0.keys().chain(stored.0.keys()).collect();
        classes.sort_unstable();
        classes.dedup();
        let price = |table: &Self, class: &String| match table.0.get(class) {
            Some(amount) => format!("{}.{:06} USD", amount / 1_000_000, amount % 1_000_000),
            None => "none".to_owned(),
        };
        let differs = classes.into_iter().filter(|class| self.0.get(*class) != stored.0.get(*class));
        differs
            .map(|class| format!("price of {class}: {}, was {}", price(self, class), price(stored, class)))
            .collect()
    }
}

/// A line for each class, in their order: its name, a space, the amount.
impl fmt::Display for PriceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(class, amount)| writeln!(f, "{class} {amount}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity {
            receipt_kid: "new".to_owned(),
            retired_kids: vec!["old".to_owned()],
            recorded: Vec::new(),
            log_vkey: "log".to_owned(),
            next_log_vkey: None,
            rerun_kid: Some("rerun".to_owned()),
            webhook_key: Some("hook".to_owned()),
            prices: Some([("commit", 50_000), ("scan-text", 1_000)].into_iter().collect()),
        }
    }

    #[test]
    fn a_store_is_used_with_its_own_keys_or_with_a_successor_of_its_receipt_key() {
        for rule in [IdentityRule::Adopt, IdentityRule::Same] {
            assert_eq!(identity().changes(&identity(), rule).unwrap(), Vec::<String>::new());
            let old = Identity { receipt_kid: "old".to_owned(), ..identity() };
            assert_eq!(identity().changes(&old, rule).unwrap(), ["receipt key: new, was old"]);
            for (kid, vkey, word) in
                [("other", "log", "receipt key"), ("new", "x", "log key"), ("old", "x", "log key")]
            {
                let stored =
                    Identity { receipt_kid: kid.to_owned(), log_vkey: vkey.to_owned(), ..identity() };
                let refused = identity().changes(&stored, rule).unwrap_err();
                assert!(refused.to_string().contains(word), "{refused}");
            }
        }
    }

    #[test]
    fn a_store_is_not_bound_to_a_former_receipt_key_again() {
        let recorded = ["first", "new", "old"].map(str::to_owned).to_vec();
        let stored = Identity { receipt_kid: "old".to_owned(), recorded: recorded.clone(), ..identity() };
        let fresh = Identity { receipt_kid: "fresh".to_owned(), ..identity() };
        for rule in [IdentityRule::Adopt, IdentityRule::Same] {
            let refused = identity().changes(&stored, rule).unwrap_err().to_string();
            assert!(
                refused.contains("new is a former one") && refused.contains("old is in use"),
                "{refused}"
            );
            assert_eq!(fresh.changes(&stored, rule).unwrap(), ["receipt key: fresh, was old"]);
            let in_use = Identity { receipt_kid: "new".to_owned(), recorded: recorded.clone(), ..identity() };
            assert!(identity().changes(&in_use, rule).unwrap().is_empty());
        }
    }

    #[test]
    fn while_two_log_keys_sign_a_process_needs_both() {
        let two = Identity { log_vkey: "log second".to_owned(), ..identity() };
        let with = |next: Option<&str>| Identity { next_log_vkey: next.map(str::to_owned), ..identity() };
        assert_eq!(two.log_vkeys().collect::<Vec<_>>(), ["log", "second"]);
        for rule in [IdentityRule::Adopt, IdentityRule::Same] {
            assert!(with(Some("second")).changes(&two, rule).unwrap().is_empty());
            assert!(with(Some("second")).changes(&identity(), rule).unwrap().is_empty(), "it is to come");
            for next in [None, Some("other")] {
                let refused = with(next).changes(&two, rule).unwrap_err().to_string();
                assert!(refused.contains("log.next.pem"), "{refused}");
            }
            let ended = Identity { log_vkey: "second".to_owned(), ..identity() };
            assert!(with(Some("second")).changes(&ended, rule).is_err());
        }
        assert_eq!(with(Some("second")).over(&two).log_vkey, two.log_vkey);
    }

    #[test]
    fn other_keys_and_prices_of_a_shared_store_are_refused_by_name_and_adopted_where_it_is_wanted() {
        let rerun = Identity { rerun_kid: Some("x".to_owned()), ..identity() };
        let webhook = Identity { webhook_key: Some("x".to_owned()), ..identity() };
        let prices = [("commit", 60_000), ("grade-strategy", 2_500_000), ("scan-text", 1_000)];
        let prices = Identity { prices: Some(prices.into_iter().collect()), ..identity() };
        for (stored, words) in [
            (rerun, "rerun.pem"),
            (webhook, "webhook.pem"),
            (
                prices,
                "commit: 0.050000 USD, was 0.060000 USD; price of grade-strategy: none, was 2.500000 USD",
            ),
        ] {
            let refused = identity().changes(&stored, IdentityRule::Same).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
            let adopted = identity().changes(&stored, IdentityRule::Adopt).unwrap();
            assert!(adopted.join("; ").contains(words), "{adopted:?}");
            assert_eq!(identity().over(&stored), identity());
        }
    }

    #[test]
    fn what_a_store_does_not_know_yet_is_bound_and_what_a_process_does_not_know_stays() {
        let older = Identity { rerun_kid: None, webhook_key: None, prices: None, ..identity() };
        assert_eq!(identity().changes(&older, IdentityRule::Same).unwrap().len(), 3);
        assert_eq!(older.changes(&identity(), IdentityRule::Same).unwrap(), Vec::<String>::new());
        assert_eq!(older.over(&identity()), identity());
    }
}
