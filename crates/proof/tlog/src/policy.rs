//! Policies on who must have cosigned a checkpoint: C2SP tlog-policy.
//!
//! A policy names logs, witnesses, groups of witnesses and one quorum. A checkpoint meets it if one of the logs has
//! signed it, and the quorum's witnesses have cosigned it. Every policy that is read can be met: a group never asks for
//! more members than it has, and no witness is counted twice.

use std::collections::HashMap;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::key::{KeyError, VerifierKey};
use crate::note::Note;
use crate::policy_lines::{self, Line};

/// The longest policy file that is read, in bytes.
pub const MAX_POLICY_BYTES: usize = 1 << 19;

/// The most logs of a policy, the most witnesses, and the most groups. C2SP tlog-policy asks for at least 32 of each.
pub const MAX_ENTRIES: usize = 64;

/// An error in a policy file. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// The file has this many bytes, more than [`MAX_POLICY_BYTES`].
    #[error("a policy of {0} bytes is too long")]
    TooLong(usize),
    /// The last line has no newline. The file may have been cut off.
    #[error("the policy does not end in a newline")]
    NoFinalNewline,
    /// The file has no quorum line.
    #[error("the policy has no quorum line")]
    NoQuorum,
    /// One line is not allowed.
    #[error("line {line} of the policy: {error}")]
    Line {
        /// The number of the line.
        line: usize,
        /// The error in it.
        error: PolicyLineError,
    },
}

/// An error in one line of a policy file. Names that are not UTF-8 are shown with replacement characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyLineError {
    /// The line has a control character other than tab.
    #[error("a control character is not allowed")]
    ControlCharacter,
    /// The first word is none of `log`, `witness`, `group` and `quorum`.
    #[error("{0:?} is none of log, witness, group and quorum")]
    Keyword(String),
    /// The line does not have the words that its keyword asks for.
    #[error("expected {0:?}")]
    Form(&'static str),
    /// The key is not a vkey of a known signature type.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key is not one that makes cosignatures.
    #[error("key {0:?} is not of a type that witnesses sign with (0x04 or 0x06)")]
    NotACosigner(String),
    /// Another line of this kind has the same public key.
    #[error("another {0} line has the same public key")]
    DuplicateKey(&'static str),
    /// The name is defined by a line above, or is the predefined `none`.
    #[error("the name {0:?} is taken")]
    DuplicateName(String),
    /// The name is not defined by a line above, or is `none` where that is not allowed.
    #[error("no line above defines {0:?}")]
    UnknownName(String),
    /// The witness or the group is a member of a group already.
    #[error("{0:?} is a member of a group already")]
    SecondMembership(String),
    /// The threshold is not `any`, `all` or a number from 1 to the number of members.
    #[error("the threshold {threshold:?} is not any, all or a number from 1 to {members}")]
    Threshold {
        /// The threshold as it stands in the line.
        threshold: String,
        /// The number of members in the line.
        members: usize,
    },
    /// There are more than [`MAX_ENTRIES`] lines of this kind.
    #[error("there are more than 64 {0} lines")]
    TooMany(&'static str),
    /// There is another quorum line above.
    #[error("there is another quorum line above")]
    SecondQuorum,
}

/// A log or a witness of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyMember {
    /// The name in the policy. It means nothing outside it, and need not be UTF-8. For a log, the name of its key.
    pub name: Vec<u8>,
    /// The public key. A log's key has the name of the log's origin.
    pub key: VerifierKey,
    /// The address, if there is one: for a witness the submission prefix (C2SP tlog-witness). It need not be UTF-8.
    pub url: Option<Vec<u8>>,
}

/// A policy on who must have cosigned a checkpoint (C2SP tlog-policy).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<PolicyMember>,
    witnesses: Vec<PolicyMember>,
    /// In the order of the file, so that a group has only witnesses and groups before it as members.
    groups: Vec<Group>,
    /// `None`: no cosignature is needed.
    quorum: Option<Member>,
    /// The keys of logs and witnesses, which a note is verified with.
    keys: Vec<VerifierKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    threshold: usize,
    members: Vec<Member>,
}

/// An index in the list of witnesses or in that of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Witness(usize),
    Group(usize),
}

/// A witness that has cosigned a checkpoint, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyCosignature<'p> {
    /// The witness.
    pub witness: &'p PolicyMember,
    /// The newest of its times, in seconds since 1970-01-01T00:00:00Z. An ML-DSA-44 cosignature may have the time 0,
    /// which says nothing on the age of the tree.
    pub time: u64,
}

/// A checkpoint of a policy's log, and the witnesses that have cosigned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyReport<'p> {
    /// The checkpoint, signed by a log of the policy.
    pub checkpoint: Checkpoint,
    /// The witnesses that have cosigned the checkpoint, each once, in the order of the policy.
    pub cosignatures: Vec<PolicyCosignature<'p>>,
    met: bool,
    met_by: Option<u64>,
}

impl PolicyReport<'_> {
    /// Returns true if the witnesses are a quorum.
    pub fn is_met(&self) -> bool {
        self.met
    }

    /// The oldest of the times, one for each witness. `None` without witnesses.
    pub fn oldest(&self) -> Option<u64> {
        self.cosignatures.iter().map(|cosignature| cosignature.time).min()
    }

    /// The time by which a quorum had cosigned the checkpoint: the newest of the times that witnesses state. `None` where those that
    /// state one are no quorum, and where the policy asks for no witness.
    pub fn met_by(&self) -> Option<u64> {
        self.met_by
    }
}

impl Policy {
    /// Reads a policy file.
    pub fn from_bytes(file: &[u8]) -> Result<Self, PolicyError> {
        if file.len() > MAX_POLICY_BYTES {
            return Err(PolicyError::TooLong(file.len()));
        }
        let Some(text) = file.strip_suffix(b"\n") else { return Err(PolicyError::NoFinalNewline) };
        let mut builder = Builder::default();
        for (line, bytes) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let read =
                policy_lines::read(bytes).and_then(|read| read.map_or(Ok(()), |read| builder.add(read)));
            read.map_err(|error| PolicyError::Line { line, error })?;
        }
        builder.build()
    }

    /// The logs, in the order of the file. May be empty, if the caller knows the log from elsewhere.
    pub fn logs(&self) -> &[PolicyMember] {
        &self.logs
    }

    /// The witnesses, in the order of the file.
    pub fn witnesses(&self) -> &[PolicyMember] {
        &self.witnesses
    }

    /// Adds a log that the caller knows from elsewhere. A log whose public key is there already is not added again.
    pub fn with_log(mut self, key: VerifierKey) -> Self {
        if !self.logs.iter().any(|log| log.key.public_key() == key.public_key()) {
            self.keys.push(key.clone());
            self.logs.push(PolicyMember { name: key.name().as_bytes().to_vec(), key, url: None });
        }
        self
    }

    /// Verifies a checkpoint note, and reports which witnesses have cosigned it and whether they are a quorum.
    ///
    /// It is an error if a signature that names a known key is not valid, or if none is by a log of the policy whose
    /// key has the name of the checkpoint's origin.
    pub fn evaluate(&self, note: &Note) -> Result<PolicyReport<'_>, CheckpointError> {
        let verified = note.verify(&self.keys)?;
        let checkpoint: Checkpoint = note.text().parse()?;
        let by_log = |key: &VerifierKey| {
            key.name() == checkpoint.origin() && self.logs.iter().any(|log| log.key == *key)
        };
        if !verified.iter().any(|signature| by_log(signature.key)) {
            return Err(CheckpointError::NotByOrigin(checkpoint.origin().to_owned()));
        }
        let times: Vec<Option<u64>> = self
            .witnesses
            .iter()
            .map(|witness| {
                let own = verified.iter().filter(|signature| *signature.key == witness.key);
                own.filter_map(|signature| signature.timestamp).max()
            })
            .collect();
        let met = self.has_quorum(&times);
        let stated: Vec<Option<u64>> = times.iter().map(|time| time.filter(|time| *time != 0)).collect();
        let met_by = stated.iter().flatten().max().copied().filter(|_| self.has_quorum(&stated));
        let cosignatures = self
            .witnesses
            .iter()
            .zip(&times)
            .filter_map(|(witness, time)| time.map(|time| PolicyCosignature { witness, time }));
        Ok(PolicyReport { cosignatures: cosignatures.collect(), checkpoint, met, met_by })
    }

    /// Returns true if the witnesses for which this function returns true are a quorum: to find out if a policy asks for
    /// anything, or can be met without some of them.
    pub fn is_quorum(&self, has_cosigned: impl Fn(&PolicyMember) -> bool) -> bool {
        let times: Vec<_> = self.witnesses.iter().map(|witness| has_cosigned(witness).then_some(0)).collect();
        self.has_quorum(&times)
    }

    /// Returns true if the witnesses with a time are a quorum. No recursion: a group's members are before it.
    fn has_quorum(&self, times: &[Option<u64>]) -> bool {
        let mut groups: Vec<bool> = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let has = |member: &&Member| holds(**member, times, &groups);
            groups.push(group.members.iter().filter(has).count() >= group.threshold);
        }
        self.quorum.is_none_or(|quorum| holds(quorum, times, &groups))
    }
}

/// Returns true if a witness has a time, or a group enough members.
fn holds(member: Member, times: &[Option<u64>], groups: &[bool]) -> bool {
    match member {
        Member::Witness(index) => times[index].is_some(),
        Member::Group(index) => groups[index],
    }
}

/// What the lines so far have defined.
#[derive(Default)]
struct Builder {
    logs: Vec<PolicyMember>,
    witnesses: Vec<PolicyMember>,
    groups: Vec<Group>,
    /// The defined names, and whether each is a member of a group already.
    names: HashMap<Vec<u8>, (Member, bool)>,
    quorum: Option<Option<Member>>,
}

impl Builder {
    fn add(&mut self, line: Line<'_>) -> Result<(), PolicyLineError> {
        match line {
            Line::Log { key, url } => {
                let name = key.name().as_bytes().to_vec();
                add_key(&mut self.logs, PolicyMember { name, key, url }, "log")
            }
            Line::Witness { name, key, url } => {
                if !key.kind().is_cosignature() {
                    return Err(PolicyLineError::NotACosigner(key.name().to_owned()));
                }
                self.check_free(name)?;
                add_key(&mut self.witnesses, PolicyMember { name: name.to_vec(), key, url }, "witness")?;
                self.define(name, Member::Witness(self.witnesses.len() - 1));
                Ok(())
            }
            Line::Group { name, threshold, members } => self.add_group(name, threshold, &members),
            Line::Quorum { name } => self.add_quorum(name),
        }
    }

    fn add_group(&mut self, name: &[u8], threshold: &[u8], members: &[&[u8]]) -> Result<(), PolicyLineError> {
        self.check_free(name)?;
        if self.groups.len() == MAX_ENTRIES {
            return Err(PolicyLineError::TooMany("group"));
        }
        let threshold = policy_lines::threshold(threshold, members.len())?;
        let mut found = Vec::with_capacity(members.len());
        for member in members {
            let (index, taken) = self.names.get_mut(*member).ok_or_else(|| policy_lines::unknown(member))?;
            if std::mem::replace(taken, true) {
                return Err(PolicyLineError::SecondMembership(policy_lines::shown(member)));
            }
            found.push(*index);
        }
        self.groups.push(Group { threshold, members: found });
        self.define(name, Member::Group(self.groups.len() - 1));
        Ok(())
    }

    fn add_quorum(&mut self, name: &[u8]) -> Result<(), PolicyLineError> {
        let quorum = match self.names.get(name) {
            Some((member, _)) => Some(*member),
            None if name == policy_lines::NONE => None,
            None => return Err(policy_lines::unknown(name)),
        };
        if self.quorum.replace(quorum).is_some() { Err(PolicyLineError::SecondQuorum) } else { Ok(()) }
    }

    fn check_free(&self, name: &[u8]) -> Result<(), PolicyLineError> {
        if name == policy_lines::NONE || self.names.contains_key(name) {
            return Err(PolicyLineError::DuplicateName(policy_lines::shown(name)));
        }
        Ok(())
    }

    fn define(&mut self, name: &[u8], member: Member) {
        self.names.insert(name.to_vec(), (member, false));
    }

    fn build(self) -> Result<Policy, PolicyError> {
        let quorum = self.quorum.ok_or(PolicyError::NoQuorum)?;
        let keys = self.logs.iter().chain(&self.witnesses).map(|member| member.key.clone()).collect();
        Ok(Policy { logs: self.logs, witnesses: self.witnesses, groups: self.groups, quorum, keys })
    }
}

/// Adds a log or a witness whose public key no other of its kind has, whatever its name and its signature type.
fn add_key(
    list: &mut Vec<PolicyMember>,
    member: PolicyMember,
    kind: &'static str,
) -> Result<(), PolicyLineError> {
    if list.len() == MAX_ENTRIES {
        return Err(PolicyLineError::TooMany(kind));
    }
    if list.iter().any(|other| other.key.public_key() == member.key.public_key()) {
        return Err(PolicyLineError::DuplicateKey(kind));
    }
    list.push(member);
    Ok(())
}
