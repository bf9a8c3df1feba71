//! A log's view of one witness: what to send next, and what to make of the answer.
//!
//! The caller sends the body, reads no more than [`MAX_ANSWER_BYTES`] of the answer, and stores what it gets. Several
//! replicas of one log may each have a client of the same witness: the witness's own record decides between them.

use std::time::Duration;

use tlog::{Hash, Note, NoteError, NoteSignature, VerifierKey};

use crate::answer::SIZE_CONTENT_TYPE;
use crate::request::{AddCheckpoint, RequestError, size};

/// The longest body of an answer that is read, in bytes: some 19 ML-DSA-44 cosignatures.
pub const MAX_ANSWER_BYTES: usize = 1 << 16;

/// How far the time of a cosignature may be before the request was sent or after its answer came, in seconds.
pub const MAX_CLOCK_SKEW_SECONDS: u64 = 300;

/// How many conflicts in a row are resolved at once, before the client waits.
pub const MAX_CONFLICTS: u32 = 3;

/// The wait after the first failure. It doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait after failures.
pub const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// An error with a witness. Nothing of the answer is used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// The witness has no key that makes cosignatures, or one that does not.
    #[error("a witness has keys of the types 0x04 and 0x06, at least one, and no others")]
    Keys,
    /// A request to this witness is not finished.
    #[error("a request to this witness is in flight")]
    InFlight,
    /// The request cannot be made.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The checkpoint is smaller than one that the witness has.
    #[error("the witness has a tree of size {known}, and the checkpoint has size {size}")]
    Outdated {
        /// The size of the tree that the witness has.
        known: u64,
        /// The size of the checkpoint.
        size: u64,
    },
    /// No answer came.
    #[error("no answer came")]
    NoAnswer,
    /// The witness answered with this status code, which is neither 200 nor a conflict with a size.
    #[error("the witness answered with status {0}")]
    Status(u16),
    /// The answer is longer than [`MAX_ANSWER_BYTES`].
    #[error("the answer is too long")]
    TooLong,
    /// The answer to a cosigned checkpoint is not a sequence of signature lines.
    #[error("the answer is not a sequence of signature lines")]
    Malformed,
    /// A cosignature by a key of the witness is not over this checkpoint, or there is none by its keys.
    #[error(transparent)]
    Signature(NoteError),
    /// The time of a cosignature is not that of the request.
    #[error("the cosignature's time {time} is not between {sent} and {received}, give or take 300 seconds")]
    Time {
        /// The time of the cosignature, in seconds since 1970-01-01T00:00:00Z.
        time: u64,
        /// The time at which the request was sent.
        sent: u64,
        /// The time at which the answer came.
        received: u64,
    },
    /// The witness answered 409 without a size: it says that it cosigned another root of this size.
    #[error("the witness says that it has cosigned another root of this size")]
    OtherRoot,
    /// The witness says that its size is not the one that it says.
    #[error("the witness refuses the old size {0}, and says that it is right")]
    Contradiction(u64),
    /// The witness says that its tree is smaller than one that it has cosigned. It has lost its record or lies, so that
    /// its cosignatures prove nothing any more.
    #[error("the witness has gone back from size {cosigned} to {told}")]
    RolledBack {
        /// The size that the witness has cosigned.
        cosigned: u64,
        /// The size that it says now.
        told: u64,
    },
    /// The witness says that its tree is larger than the checkpoint. Another replica of the log may have been faster.
    #[error("the witness says that it has a tree of size {told}, and the checkpoint has size {size}")]
    Ahead {
        /// The size that the witness says.
        told: u64,
        /// The size of the checkpoint.
        size: u64,
    },
    /// The witness has answered with other sizes [`MAX_CONFLICTS`] times in a row.
    #[error("the witness has told other sizes too often in a row")]
    Conflicts,
}

/// A witness as a log sees it.
#[derive(Debug)]
pub struct WitnessClient {
    keys: Vec<VerifierKey>,
    /// The size of the witness's tree, as far as it has said.
    known: u64,
    /// The largest size that the witness has cosigned for this client.
    cosigned: Option<u64>,
    in_flight: bool,
    conflicts: u32,
    failures: u32,
}

/// A request in flight. It must be given to [`WitnessClient::finish`] or to [`WitnessClient::give_up`].
#[derive(Debug)]
#[must_use = "no other request is sent before this one is finished"]
pub struct Submission {
    request: AddCheckpoint,
    sent: u64,
}

impl Submission {
    /// The body to send with POST to `<submission prefix>/add-checkpoint`.
    pub fn body(&self) -> String {
        self.request.to_string()
    }
}

/// An answer of a witness, as it came.
#[derive(Debug, Clone, Copy)]
pub struct Reply<'r> {
    /// The HTTP status code.
    pub status: u16,
    /// The header `Content-Type`, or an empty text.
    pub content_type: &'r str,
    /// The body, of which no more than [`MAX_ANSWER_BYTES`] and one byte need be read.
    pub body: &'r [u8],
}

/// A use of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// Verified cosignatures over the checkpoint that was sent, one for each key that signed: the newest.
    Cosigned(Vec<NoteSignature>),
    /// The witness has another size than was thought. A request from the size in
    /// [`old_size`](WitnessClient::old_size) may follow at once.
    SendAgain,
}

impl WitnessClient {
    /// Makes a client of a witness with these keys, which may be of both cosigning types. Nothing is known of its size.
    pub fn new(keys: Vec<VerifierKey>) -> Result<Self, ClientError> {
        if keys.is_empty() || !keys.iter().all(|key| key.kind().is_cosignature()) {
            return Err(ClientError::Keys);
        }
        Ok(Self { keys, known: 0, cosigned: None, in_flight: false, conflicts: 0, failures: 0 })
    }

    /// The old size of the next request, which its proof must start from. It is 0 as long as nothing is known.
    pub fn old_size(&self) -> u64 {
        self.known
    }

    /// Returns true if a checkpoint of this size should be sent: it is larger than what this witness has cosigned, is
    /// not smaller than what it has, and no request is in flight.
    pub fn wants(&self, size: u64) -> bool {
        !self.in_flight && size >= self.known && self.cosigned.is_none_or(|cosigned| size > cosigned)
    }

    /// The time to wait before the next request, counted from the last answer: zero, or after failures 1 second, doubled
    /// with each, up to 5 minutes.
    pub fn wait(&self) -> Duration {
        match self.failures.checked_sub(1) {
            None => Duration::ZERO,
            Some(doublings) => FIRST_WAIT.saturating_mul(1 << doublings.min(16)).min(LONGEST_WAIT),
        }
    }

    /// Begins a request with a signed checkpoint and a consistency proof from [`old_size`](Self::old_size). `now` is in
    /// seconds since 1970-01-01T00:00:00Z.
    pub fn begin(&mut self, note: Note, proof: Vec<Hash>, now: u64) -> Result<Submission, ClientError> {
        if self.in_flight {
            return Err(ClientError::InFlight);
        }
        let request = AddCheckpoint::new(self.known, proof, note)?;
        let size = request.checkpoint().size();
        if size < self.known {
            return Err(ClientError::Outdated { known: self.known, size });
        }
        self.in_flight = true;
        Ok(Submission { request, sent: now })
    }

    /// Ends a request without an answer: the connection failed, or the time was over. The witness may have recorded the
    /// checkpoint nevertheless; its next answer tells.
    pub fn give_up(&mut self, submission: Submission) -> ClientError {
        drop(submission);
        self.in_flight = false;
        self.failures = self.failures.saturating_add(1);
        ClientError::NoAnswer
    }

    /// Ends a request that was lost, since its task ended before its answer came: counts as [`give_up`](Self::give_up). Does
    /// nothing where none is in flight. The caller must know that nothing holds the [`Submission`] any more.
    pub fn recover(&mut self) {
        if std::mem::take(&mut self.in_flight) {
            self.failures = self.failures.saturating_add(1);
        }
    }

    /// Ends a request with its answer.
    pub fn finish(
        &mut self,
        submission: Submission,
        reply: Reply<'_>,
        now: u64,
    ) -> Result<Received, ClientError> {
        self.in_flight = false;
        let received = self.judge(&submission, reply, now);
        match &received {
            Ok(Received::Cosigned(_)) => (self.failures, self.conflicts) = (0, 0),
            Ok(Received::SendAgain) => {}
            Err(_) => {
                self.failures = self.failures.saturating_add(1);
                self.conflicts = 0;
            }
        }
        received
    }

    fn judge(
        &mut self,
        submission: &Submission,
        reply: Reply<'_>,
        now: u64,
    ) -> Result<Received, ClientError> {
        if reply.body.len() > MAX_ANSWER_BYTES {
            return Err(ClientError::TooLong);
        }
        let sent = submission.request.checkpoint().size();
        match reply.status {
            200 => {
                let cosignatures = self.cosignatures(submission, reply.body, now)?;
                self.known = sent;
                self.cosigned = self.cosigned.max(Some(sent));
                Ok(Received::Cosigned(cosignatures))
            }
            409 if reply.content_type.eq_ignore_ascii_case(SIZE_CONTENT_TYPE) => {
                self.learn(submission.request.old_size(), sent, reply.body)?;
                Ok(Received::SendAgain)
            }
            409 => Err(ClientError::OtherRoot),
            status => Err(ClientError::Status(status)),
        }
    }

    /// Takes the size from a conflict, if it can be true.
    fn learn(&mut self, old: u64, sent: u64, body: &[u8]) -> Result<(), ClientError> {
        let line = std::str::from_utf8(body).ok().and_then(|text| text.strip_suffix('\n'));
        let told = line.and_then(size).ok_or(ClientError::Malformed)?;
        if told == old {
            return Err(ClientError::Contradiction(old));
        }
        if let Some(cosigned) = self.cosigned.filter(|cosigned| told < *cosigned) {
            return Err(ClientError::RolledBack { cosigned, told });
        }
        // Not remembered: a witness that says too much once would be of no use for ever.
        if told > sent {
            return Err(ClientError::Ahead { told, size: sent });
        }
        self.known = told;
        self.conflicts += 1;
        if self.conflicts > MAX_CONFLICTS { Err(ClientError::Conflicts) } else { Ok(()) }
    }

    /// The newest valid cosignature of each key over exactly the checkpoint that was sent. Lines of other keys are
    /// ignored.
    fn cosignatures(
        &self,
        submission: &Submission,
        body: &[u8],
        now: u64,
    ) -> Result<Vec<NoteSignature>, ClientError> {
        let text = std::str::from_utf8(body).ok().and_then(|text| text.strip_suffix('\n'));
        let mut newest: Vec<Option<(u64, NoteSignature)>> = vec![None; self.keys.len()];
        for line in text.ok_or(ClientError::Malformed)?.split('\n') {
            let signature: NoteSignature = line.parse().map_err(|_| ClientError::Malformed)?;
            if !self.keys.iter().any(|key| signature.names(key)) {
                continue;
            }
            let (index, time) = self.verify(submission, signature.clone())?;
            check_time(time, submission.sent, now)?;
            if newest[index].as_ref().is_none_or(|(other, _)| *other < time) {
                newest[index] = Some((time, signature));
            }
        }
        let found: Vec<_> = newest.into_iter().flatten().map(|(_, signature)| signature).collect();
        if found.is_empty() { Err(ClientError::Signature(NoteError::NoKnownKey)) } else { Ok(found) }
    }

    /// Verifies one cosignature over the checkpoint that was sent. Returns its key's index and its time.
    fn verify(&self, submission: &Submission, signature: NoteSignature) -> Result<(usize, u64), ClientError> {
        let note = Note::new(submission.request.note().text(), vec![signature]);
        let note = note.map_err(ClientError::Signature)?;
        let verified = note.verify(&self.keys).map_err(ClientError::Signature)?;
        let found = verified.first().and_then(|signature| {
            let index = self.keys.iter().position(|key| key == signature.key)?;
            Some((index, signature.timestamp?))
        });
        found.ok_or(ClientError::Signature(NoteError::NoKnownKey))
    }
}

fn check_time(time: u64, sent: u64, received: u64) -> Result<(), ClientError> {
    let earliest = sent.saturating_sub(MAX_CLOCK_SKEW_SECONDS);
    let latest = received.saturating_add(MAX_CLOCK_SKEW_SECONDS);
    if (earliest..=latest).contains(&time) { Ok(()) } else { Err(ClientError::Time { time, sent, received }) }
}
