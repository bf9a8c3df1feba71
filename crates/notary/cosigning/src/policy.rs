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
    text: String,
    policy: Policy,
    witnesses: Vec<PolicyWitness>,
}

impl LogPolicy {
    /// Reads the policy file of the log with this key. Where it has no log line, the published text begins with one.
    ///
    /// # Errors
    /// [`LogPolicyError`]: the file is no policy, is one of other logs, or can never be met.
    pub fn read(file: &[u8], log: &VerifierKey) -> Result<Self, LogPolicyError> {
        let policy = Policy::from_bytes(file)?;
        let mut text = std::str::from_utf8(file).map_err(|_| LogPolicyError::NotUtf8)?.to_owned();
        if policy.logs().is_empty() {
            text.insert_str(0, &format!("log {log}\n"));
        } else if !policy.logs().iter().any(|known| known.key == *log) {
            return Err(LogPolicyError::OtherLog(log.to_string()));
        }
        let policy = policy.with_log(log.clone());
        if policy.is_quorum(|_| false) {
            return Err(LogPolicyError::NoWitness);
        }
        if !policy.is_quorum(|witness| witness.url.is_some()) {
            let without = policy.witnesses().iter().filter(|witness| witness.url.is_none());
            let names: Vec<String> = without.map(name).collect();
            return Err(LogPolicyError::CannotBeMet(names.join(", ")));
        }
        let own = policy.witnesses().iter().find(|witness| witness.key.public_key() == log.public_key());
        if let Some(own) = own {
            return Err(LogPolicyError::OwnKey(name(own)));
        }
        let witnesses = by_address(policy.witnesses())?;
        Ok(Self { text, policy, witnesses })
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
        LogPolicy::read(text.as_bytes(), &log())
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
