//! The policy file of a notary's log (C2SP tlog-policy).

use tlog::{Policy, PolicyError, PolicyMember, VerifierKey};

/// The error of a policy that a log cannot be served under.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogPolicyError {
    /// The file is no policy.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The file is not UTF-8, and it is published as text.
    #[error("the policy is not utf-8")]
    NotUtf8,
    /// The file names logs, and not this one.
    #[error("the policy is of other logs: add the line `log {0}`, or leave all log lines out")]
    OtherLog(String),
    /// The quorum asks for no witness.
    #[error(
        "the quorum asks for no witness, so it would prove nothing: name a witness or a group in the quorum line, or leave \
         log_policy out"
    )]
    NoWitness,
    /// The witnesses that have an address are no quorum.
    #[error(
        "the quorum can never be met: only witnesses with an address can be asked, and these are no quorum. Add the \
         address of {0} at the end of its line"
    )]
    CannotBeMet(String),
    /// An address is not a text.
    #[error("the address of the witness {0} is not utf-8")]
    Address(String),
    /// A witness has the log's own key.
    #[error("the witness {0} has the log's own key, and a log cannot be its own witness")]
    OwnKey(String),
}

/// A witness of the policy that has an address, with all its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyWitness {
    /// The name in the policy; that of the first line, where several lines have the same address.
    pub name: String,
    /// The submission prefix (C2SP tlog-witness).
    pub url: String,
    /// The keys of the lines with this address: of one type each, 0x04 or 0x06.
    pub keys: Vec<VerifierKey>,
}

/// The policy of a log: its text as it is published, and its witnesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPolicy {
    /// The file, as it was read.
    file: String,
    /// The log keys that the file names.
    named: Vec<VerifierKey>,
    text: String,
    policy: Policy,
    witnesses: Vec<PolicyWitness>,
}

impl LogPolicy {
    /// Reads the policy file of the log whose keys `in_use` sign, and that has had the keys `known`. The published text begins
    /// with a line for each key in use that has none. A file may name a former key alone: it was written before the key ended.
    ///
    /// # Errors
    /// [`LogPolicyError`]: the file is no policy, is one of other logs, or can never be met.
    pub fn read(file: &[u8], in_use: &[VerifierKey], known: &[VerifierKey]) -> Result<Self, LogPolicyError> {
        let is_of_log = |key: &VerifierKey| in_use.contains(key) || known.contains(key);
        let policy = Policy::from_bytes(file)?;
        let file = std::str::from_utf8(file).map_err(|_| LogPolicyError::NotUtf8)?.to_owned();
        let named = policy.logs();
        if !named.is_empty() && !named.iter().any(|log| is_of_log(&log.key)) {
            let newest = in_use.last().map(VerifierKey::to_string);
            return Err(LogPolicyError::OtherLog(newest.unwrap_or_default()));
        }
        if policy.is_quorum(|_| false) {
            return Err(LogPolicyError::NoWitness);
        }
        if !policy.is_quorum(|witness| witness.url.is_some()) {
            let without = policy.witnesses().iter().filter(|witness| witness.url.is_none());
            let names: Vec<String> = without.map(name).collect();
            return Err(LogPolicyError::CannotBeMet(names.join(", ")));
        }
        let is_own = |witness: &&PolicyMember| {
            in_use.iter().chain(known).any(|log| log.public_key() == witness.key.public_key())
        };
        if let Some(own) = policy.witnesses().iter().find(is_own) {
            return Err(LogPolicyError::OwnKey(name(own)));
        }
        let witnesses = by_address(policy.witnesses())?;
        let named = policy.logs().iter().map(|log| log.key.clone()).collect();
        let read = Self { text: String::new(), file, named, policy, witnesses };
        Ok(read.with_log_keys(in_use, known))
    }

    /// This policy for a log whose keys `in_use` sign, with a line for each of them. Of the keys `known`, former ones, what was
    /// cosigned still counts.
    #[must_use]
    pub fn with_log_keys(&self, in_use: &[VerifierKey], known: &[VerifierKey]) -> Self {
        let added = in_use.iter().filter(|key| !self.named.contains(key));
        let lines: String = added.map(|vkey| format!("log {vkey}\n")).collect();
        Self {
            file: self.file.clone(),
            named: self.named.clone(),
            text: lines + &self.file,
            policy: in_use.iter().chain(known).cloned().fold(self.policy.clone(), Policy::with_log),
            witnesses: self.witnesses.clone(),
        }
    }

    /// The text that is published.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The policy, with the log's own key.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The witnesses that have an address, in the order of the file.
    #[must_use]
    pub fn witnesses(&self) -> &[PolicyWitness] {
        &self.witnesses
    }
}

/// A witness may have a key of each type, on a line each: it answers one request with both cosignatures.
fn by_address(members: &[PolicyMember]) -> Result<Vec<PolicyWitness>, LogPolicyError> {
    let mut witnesses: Vec<PolicyWitness> = Vec::new();
    for member in members {
        let Some(url) = &member.url else { continue };
        let url = std::str::from_utf8(url).map_err(|_| LogPolicyError::Address(name(member)))?;
        match witnesses.iter_mut().find(|witness| witness.url == url) {
            Some(witness) => witness.keys.push(member.key.clone()),
            None => witnesses.push(PolicyWitness {
                name: name(member),
                url: url.to_owned(),
                keys: vec![member.key.clone()],
            }),
        }
    }
    Ok(witnesses)
}

fn name(member: &PolicyMember) -> String {
    String::from_utf8_lossy(&member.name).into_owned()
}

#[cfg(test)]
mod tests {
    use tlog::{CosignerKey, KeyKind, SigningKey};

    use super::*;

    fn log() -> VerifierKey {
        SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap().verifier()
    }

    fn vkey(number: u8, kind: KeyKind) -> VerifierKey {
        CosignerKey::from_seed(&format!("w{number}.example"), kind, &[number; 32]).unwrap().verifier()
    }

    fn read(text: &str) -> Result<LogPolicy, LogPolicyError> {
        LogPolicy::read(text.as_bytes(), &[log()], &[])
    }

    #[test]
    fn a_log_with_two_keys_has_a_line_for_each_and_what_a_former_one_signed_still_counts() {
        let key = |seed| SigningKey::from_seed("notary.example/log", &[seed; 32]).unwrap();
        let (old, new) = (key(7).verifier(), key(8).verifier());
        let witness = CosignerKey::from_seed("w1.example", KeyKind::CosignatureV1, &[1; 32]).unwrap();
        let lines = format!("witness a {} https://w1.example/\nquorum a\n", witness.verifier());
        let cosigned = |by: &[&SigningKey]| {
            let head = tlog::Checkpoint::new("notary.example/log", 0, tlog::EMPTY_ROOT).unwrap();
            let note = tlog::Note::sign(&head.to_string(), by).unwrap();
            let cosignature = witness.cosign(&head, 7).unwrap();
            tlog::Note::new(note.text(), [note.signatures(), &[cosignature]].concat()).unwrap()
        };
        for (file, begins) in [
            (lines.clone(), format!("log {old}\nlog {new}\nwitness")),
            (format!("log {old}\n{lines}"), format!("log {new}\nlog {old}\nwitness")),
        ] {
            let before = LogPolicy::read(file.as_bytes(), std::slice::from_ref(&old), &[]).unwrap();
            assert!(before.policy().evaluate(&cosigned(&[&key(8)])).is_err());
            let both = before.with_log_keys(&[old.clone(), new.clone()], &[old.clone(), new.clone()]);
            assert!(both.text().starts_with(&begins), "{}", both.text());
            let after = both.with_log_keys(std::slice::from_ref(&new), &[old.clone(), new.clone()]);
            assert!(after.text().contains(&format!("log {new}\n")));
            let restarted =
                LogPolicy::read(file.as_bytes(), std::slice::from_ref(&new), std::slice::from_ref(&old));
            let restarted = restarted.expect("a file that names the former key alone is one of this log");
            assert_eq!(restarted.text(), after.text());
            for policy in [both, after, restarted] {
                for by in [&[&key(7)][..], &[&key(8)], &[&key(7), &key(8)]] {
                    assert!(policy.policy().evaluate(&cosigned(by)).unwrap().is_met());
                }
                assert!(Policy::from_bytes(policy.text().as_bytes()).is_ok());
            }
        }
    }

    #[test]
    fn the_logs_own_line_is_published_and_one_address_is_one_witness() {
        let (one, other) = (vkey(1, KeyKind::CosignatureV1), vkey(1, KeyKind::MlDsa44));
        let two = vkey(2, KeyKind::CosignatureV1);
        let file = format!(
            "witness a {one} https://w1.example/\nwitness b {other} https://w1.example/\nwitness c {two} https://w2.example/\n\
             group g any a b\ngroup q all g c\nquorum q\n"
        );
        let policy = read(&file).unwrap();
        assert_eq!(policy.text(), format!("log {}\n{file}", log()));
        assert_eq!(Policy::from_bytes(policy.text().as_bytes()).unwrap().logs().len(), 1);
        let names: Vec<_> =
            policy.witnesses().iter().map(|witness| (witness.name.as_str(), witness.keys.len())).collect();
        assert_eq!(names, [("a", 2), ("c", 1)]);
        let with_log = format!("log {}\n{file}", log());
        assert_eq!(read(&with_log).unwrap().text(), with_log);
        let with_tabs = format!(" log\t{}\n{file}", log());
        assert_eq!(read(&with_tabs).unwrap().text(), with_tabs);
    }

    #[test]
    fn a_policy_that_can_never_be_met_is_refused_with_what_to_do() {
        let (one, two) = (vkey(1, KeyKind::CosignatureV1), vkey(2, KeyKind::CosignatureV1));
        let other = SigningKey::from_seed("other.example/log", &[8; 32]).unwrap().verifier();
        let own = VerifierKey::new("own.example", KeyKind::CosignatureV1, log().public_key()).unwrap();
        let lines = format!("witness a {one} https://w1.example/\nwitness b {two}\n");
        for (file, words) in [
            (format!("{lines}quorum none\n"), "asks for no witness"),
            (format!("{lines}group q all a b\nquorum q\n"), "the address of b"),
            (format!("{lines}quorum b\n"), "the address of b"),
            (format!("log {other}\n{lines}quorum a\n"), "of other logs"),
            (format!("witness a {own} https://w1.example/\nquorum a\n"), "its own witness"),
            (lines.clone(), "no quorum line"),
            (format!("{lines}quorum a"), "newline"),
        ] {
            let error = read(&file).unwrap_err().to_string();
            assert!(error.contains(words), "{file}: {error}");
        }
        assert!(read(&format!("{lines}group q any a b\nquorum q\n")).is_ok());
    }
}
