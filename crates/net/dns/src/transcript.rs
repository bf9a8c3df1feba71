//! Transcripts of DNS answers: the evidence that a replay reads instead of asking name servers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::{Answer, Dns, Failure, Kind, Name, Record};

/// The most look-ups of one transcript. Further ones count as [`Failure::TimedOut`](super::Failure::TimedOut).
pub const MAX_LOOK_UPS: usize = 256;
/// The most bytes of all records of a transcript. An answer beyond that counts as
/// [`Failure::Unusable`](super::Failure::Unusable).
pub const MAX_BYTES: usize = 128 << 10;

/// Stored answers of look-ups, by name and record type. An evaluator can read it in place of name servers; a look-up
/// that is not in it gives [`Failure::TimedOut`](super::Failure::TimedOut).
///
/// ```
/// use dns::{Dns, Kind, Name, Record, RecordingResolver, Zone};
///
/// let name = Name::parse("example.com")?;
/// let zone = Zone::default().with(&name, Record::Txt(b"v=spf1 -all".to_vec()));
/// # let looking = async {
/// let recorder = RecordingResolver::of(&zone);
/// let heard = recorder.look_up(&name, Kind::Txt).await;
/// let transcript = recorder.into_transcript();
/// assert_eq!(transcript.look_up(&name, Kind::Txt).await.records(), heard.records());
/// assert!(transcript.look_up(&name, Kind::Mx).await.failure().is_some());
/// # };
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(looking);
/// # Ok::<(), dns::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<TranscriptEntry>", into = "Vec<TranscriptEntry>")]
pub struct DnsTranscript(BTreeMap<(Name, Kind), RecordedAnswer>);

/// One look-up and its result, as they are serialized.
#[derive(Serialize, Deserialize)]
struct TranscriptEntry {
    name: Name,
    kind: Kind,
    #[serde(flatten)]
    outcome: RecordedAnswer,
}

/// An answer without its time to live, which is no fact about the domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecordedAnswer {
    /// Records in ascending order, since servers rotate them.
    Found(Vec<Record>),
    #[serde(rename = "nodata")]
    NoData(True),
    #[serde(rename = "nxdomain")]
    NxDomain(True),
    Failed(Failure),
}

/// The JSON value `true`, which stands for an answer without records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
struct True;

impl From<bool> for True {
    fn from(_: bool) -> Self {
        Self
    }
}

impl From<True> for bool {
    fn from(_: True) -> Self {
        true
    }
}

impl RecordedAnswer {
    fn answer(&self, ttl: u32) -> Answer<Record> {
        match self {
            Self::Found(records) => Answer::Found { records: records.clone(), ttl },
            Self::NoData(_) => Answer::NoData,
            Self::NxDomain(_) => Answer::NxDomain,
            Self::Failed(failure) => Answer::Failed(*failure),
        }
    }
}

impl From<Vec<TranscriptEntry>> for DnsTranscript {
    fn from(heard: Vec<TranscriptEntry>) -> Self {
        Self(heard.into_iter().map(|heard| ((heard.name, heard.kind), heard.outcome)).collect())
    }
}

impl From<DnsTranscript> for Vec<TranscriptEntry> {
    fn from(transcript: DnsTranscript) -> Self {
        transcript
            .0
            .into_iter()
            .map(|((name, kind), outcome)| TranscriptEntry { name, kind, outcome })
            .collect()
    }
}

#[async_trait]
impl Dns for DnsTranscript {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        match self.0.get(&(name.clone(), kind)) {
            Some(outcome) => outcome.answer(0),
            None => Answer::Failed(Failure::TimedOut),
        }
    }
}

/// A resolver that passes look-ups on, at most [`AT_ONCE`](Self::AT_ONCE) at the same time, and records the answers. A
/// repeated look-up gets the recorded answer.
pub struct RecordingResolver<'a> {
    dns: &'a dyn Dns,
    heard: Mutex<TranscriptBuilder>,
    places: Semaphore,
}

struct TranscriptBuilder {
    transcript: DnsTranscript,
    /// Look-ups that were passed on, answered or not.
    asked: BTreeSet<(Name, Kind)>,
    bytes: usize,
    ttl: u32,
}

impl<'a> RecordingResolver<'a> {
    /// The most simultaneous look-ups. Each recorder has its own limit, so that servers that do not answer one probe do
    /// not delay another.
    pub const AT_ONCE: usize = 10;

    /// A recorder of the answers of `dns`.
    #[must_use]
    pub fn of(dns: &'a dyn Dns) -> Self {
        let heard = TranscriptBuilder {
            transcript: DnsTranscript::default(),
            asked: BTreeSet::new(),
            bytes: 0,
            ttl: u32::MAX,
        };
        Self { dns, heard: Mutex::new(heard), places: Semaphore::new(Self::AT_ONCE) }
    }

    /// The least time to live of all answers, in seconds; [`u32::MAX`] where there is no answer with one.
    #[must_use]
    pub fn ttl(&self) -> u32 {
        self.recorded().ttl
    }

    /// Returns true if a look-up failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.recorded().transcript.0.values().any(|outcome| matches!(outcome, RecordedAnswer::Failed(_)))
    }

    /// Ends the recording and returns the transcript.
    #[must_use]
    pub fn into_transcript(self) -> DnsTranscript {
        self.heard.into_inner().unwrap_or_else(PoisonError::into_inner).transcript
    }

    fn recorded(&self) -> MutexGuard<'_, TranscriptBuilder> {
        // No guarded section can leave it half changed.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TranscriptBuilder {
    fn heard(&self, name: &Name, kind: Kind) -> Option<Answer<Record>> {
        self.transcript.0.get(&(name.clone(), kind)).map(|outcome| outcome.answer(self.ttl))
    }

    /// Reserves room for this look-up; false if there is none. Others may ask before the answer is there.
    fn reserve(&mut self, name: &Name, kind: Kind) -> bool {
        let own = (name.clone(), kind);
        self.asked.contains(&own) || self.asked.len() < MAX_LOOK_UPS && self.asked.insert(own)
    }

    fn note(&mut self, name: &Name, kind: Kind, answer: Answer<Record>, ttl: u32) -> Answer<Record> {
        if let Some(first) = self.heard(name, kind) {
            return first;
        }
        let outcome = match answer {
            Answer::Found { mut records, .. } => {
                records.sort_unstable();
                let bytes = self.bytes.saturating_add(records.iter().map(size).sum());
                if bytes > MAX_BYTES {
                    RecordedAnswer::Failed(Failure::Unusable)
                } else {
                    self.bytes = bytes;
                    RecordedAnswer::Found(records)
                }
            }
            Answer::NoData => RecordedAnswer::NoData(True),
            Answer::NxDomain => RecordedAnswer::NxDomain(True),
            Answer::Failed(failure) => RecordedAnswer::Failed(failure),
        };
        self.ttl = self.ttl.min(ttl);
        let answer = outcome.answer(ttl);
        self.transcript.0.insert((name.clone(), kind), outcome);
        answer
    }
}

#[async_trait]
impl Dns for RecordingResolver<'_> {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        {
            let mut recorded = self.recorded();
            if let Some(heard) = recorded.heard(name, kind) {
                return heard;
            }
            if !recorded.reserve(name, kind) {
                return Answer::Failed(Failure::TimedOut);
            }
        }
        let _place = self.places.acquire().await.expect("the semaphore of places is never closed");
        // Another caller may have asked the same meanwhile.
        let heard = self.recorded().heard(name, kind);
        if let Some(heard) = heard {
            return heard;
        }
        let (answer, ttl) = self.dns.look_up_with_ttl(name, kind).await;
        self.recorded().note(name, kind, answer, ttl)
    }
}

/// Bytes that a text takes in JSON at most, where all but plain letters may be escaped.
fn written(bytes: &[u8]) -> usize {
    let cost = |byte: &u8| match byte {
        b'"' | b'\\' => 2,
        b' '..=b'~' => 1,
        _ => 6,
    };
    bytes.iter().map(cost).sum()
}

/// Bytes that a record takes in JSON, near enough for a bound.
fn size(record: &Record) -> usize {
    let own = match record {
        Record::Txt(text) => written(text),
        Record::Caa(caa) => written(&caa.tag) + written(&caa.value),
        Record::Tlsa(tlsa) => written(&tlsa.data),
        Record::Mx(mx) => mx.exchange.host().map_or(0, |name| written(name.as_str().as_bytes())),
        Record::Ptr(name) | Record::Ns(name) | Record::Cname(name) => written(name.as_str().as_bytes()),
        Record::A(_) | Record::Aaaa(_) => 0,
    };
    own + 32
}

#[cfg(test)]
mod tests;
