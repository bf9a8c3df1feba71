//! What was answered, kept: the evidence that a replay hears instead of name servers.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Answer, Dns, Failure, Kind, Name, Record};

/// The most look-ups of one tape: what is over fails as if no server could be asked.
pub const MAX_LOOK_UPS: usize = 256;
/// The most bytes of all its records: an answer that does not fit in counts as one that cannot be used.
pub const MAX_BYTES: usize = 128 << 10;

/// Answers by name and kind. What is not on it was not answered in time.
///
/// ```
/// use trust::dns::{Dns, Kind, Name, Record, Recorder, Zone};
///
/// let name = Name::parse("example.com")?;
/// let zone = Zone::default().with(&name, Record::Txt(b"v=spf1 -all".to_vec()));
/// # let looking = async {
/// let recorder = Recorder::of(&zone);
/// let heard = recorder.look_up(&name, Kind::Txt).await;
/// let tape = recorder.into_tape();
/// assert_eq!(tape.look_up(&name, Kind::Txt).await.records(), heard.records());
/// assert!(tape.look_up(&name, Kind::Mx).await.failure().is_some());
/// # };
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(looking);
/// # Ok::<(), trust::dns::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Heard>", into = "Vec<Heard>")]
pub struct Tape(BTreeMap<(Name, Kind), Outcome>);

/// What was asked and what came back.
#[derive(Serialize, Deserialize)]
struct Heard {
    name: Name,
    kind: Kind,
    #[serde(flatten)]
    outcome: Outcome,
}

/// An answer without its time to live, which is no fact about the domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// In ascending order: servers turn them around.
    Found(Vec<Record>),
    #[serde(rename = "nodata")]
    NoData(Nothing),
    #[serde(rename = "nxdomain")]
    NxDomain(Nothing),
    Failed(Failure),
}

/// `true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
struct Nothing;

impl From<bool> for Nothing {
    fn from(_: bool) -> Self {
        Self
    }
}

impl From<Nothing> for bool {
    fn from(_: Nothing) -> Self {
        true
    }
}

impl Outcome {
    fn answer(&self, ttl: u32) -> Answer<Record> {
        match self {
            Self::Found(records) => Answer::Found { records: records.clone(), ttl },
            Self::NoData(_) => Answer::NoData,
            Self::NxDomain(_) => Answer::NxDomain,
            Self::Failed(failure) => Answer::Failed(*failure),
        }
    }
}

impl From<Vec<Heard>> for Tape {
    fn from(heard: Vec<Heard>) -> Self {
        Self(heard.into_iter().map(|heard| ((heard.name, heard.kind), heard.outcome)).collect())
    }
}

impl From<Tape> for Vec<Heard> {
    fn from(tape: Tape) -> Self {
        tape.0.into_iter().map(|((name, kind), outcome)| Heard { name, kind, outcome }).collect()
    }
}

#[async_trait]
impl Dns for Tape {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        match self.0.get(&(name.clone(), kind)) {
            Some(outcome) => outcome.answer(0),
            None => Answer::Failed(Failure::TimedOut),
        }
    }
}

/// Passes look-ups on, and keeps the answers: whoever asks again hears the same.
pub struct Recorder<'a> {
    dns: &'a dyn Dns,
    heard: Mutex<Recorded>,
}

struct Recorded {
    tape: Tape,
    bytes: usize,
    ttl: u32,
}

impl<'a> Recorder<'a> {
    /// A recorder of what these servers answer.
    #[must_use]
    pub fn of(dns: &'a dyn Dns) -> Self {
        Self { dns, heard: Mutex::new(Recorded { tape: Tape::default(), bytes: 0, ttl: u32::MAX }) }
    }

    /// The least time to live of all records that were heard, in seconds; the most there is where there were none.
    #[must_use]
    pub fn ttl(&self) -> u32 {
        self.recorded().ttl
    }

    /// Whether a look-up failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.recorded().tape.0.values().any(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// What has been heard so far.
    #[must_use]
    pub fn into_tape(self) -> Tape {
        self.heard.into_inner().unwrap_or_else(PoisonError::into_inner).tape
    }

    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        // Nothing in the guarded sections can leave it half changed.
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded {
    fn note(&mut self, name: &Name, kind: Kind, answer: Answer<Record>) -> Answer<Record> {
        if let Some(first) = self.tape.0.get(&(name.clone(), kind)) {
            return first.answer(self.ttl);
        }
        let (outcome, ttl) = match answer {
            Answer::Found { mut records, ttl } => {
                records.sort_unstable();
                let bytes = self.bytes.saturating_add(records.iter().map(size).sum());
                if bytes > MAX_BYTES {
                    (Outcome::Failed(Failure::Unusable), u32::MAX)
                } else {
                    self.bytes = bytes;
                    (Outcome::Found(records), ttl)
                }
            }
            Answer::NoData => (Outcome::NoData(Nothing), u32::MAX),
            Answer::NxDomain => (Outcome::NxDomain(Nothing), u32::MAX),
            Answer::Failed(failure) => (Outcome::Failed(failure), u32::MAX),
        };
        self.ttl = self.ttl.min(ttl);
        let answer = outcome.answer(ttl);
        self.tape.0.insert((name.clone(), kind), outcome);
        answer
    }
}

#[async_trait]
impl Dns for Recorder<'_> {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        {
            let recorded = self.recorded();
            if let Some(heard) = recorded.tape.0.get(&(name.clone(), kind)) {
                return heard.answer(recorded.ttl);
            }
            if recorded.tape.0.len() >= MAX_LOOK_UPS {
                return Answer::Failed(Failure::TimedOut);
            }
        }
        let answer = self.dns.look_up(name, kind).await;
        self.recorded().note(name, kind, answer)
    }
}

/// What bytes take in JSON at most, where all but plain letters may be escaped.
fn written(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| if matches!(byte, b' '..=b'~') { 1 } else { 6 }).sum()
}

/// What a record takes, near enough for a bound.
fn size(record: &Record) -> usize {
    let own = match record {
        Record::Txt(text) => written(text),
        Record::Caa(caa) => written(&caa.tag) + written(&caa.value),
        Record::Tlsa(tlsa) => written(&tlsa.data),
        Record::Mx(mx) => mx.exchange.as_ref().map_or(0, |name| name.as_str().len()),
        Record::Ptr(name) | Record::Ns(name) => name.as_str().len(),
        Record::A(_) | Record::Aaaa(_) => 0,
    };
    own + 32
}

#[cfg(test)]
mod tests {
    use super::super::{Caa, Mx, Tlsa, Zone};
    use super::*;

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    /// Answers all with so many bytes of text.
    struct Wordy(usize);

    #[async_trait]
    impl Dns for Wordy {
        async fn look_up(&self, _: &Name, _: Kind) -> Answer<Record> {
            Answer::Found { records: vec![Record::Txt(vec![b'x'; self.0])], ttl: 7 }
        }
    }

    #[tokio::test]
    async fn a_tape_says_what_was_heard_after_it_was_written_down() {
        let own = name("example.com");
        let mut zone = Zone::default()
            .with(&own, Record::Txt(b"v=spf1 -all".to_vec()))
            .with(&own, Record::Txt(vec![0xff, 0, b'a']))
            .with(&own, Record::A([192, 0, 2, 1].into()))
            .with(&own, Record::Aaaa("2001:db8::1".parse().unwrap()))
            .with(&own, Record::Mx(Mx { preference: 0, exchange: None }))
            .with(&own, Record::Ns(name("ns.example.com")))
            .with(&own, Record::Caa(Caa { flags: 128, tag: b"issue".to_vec(), value: b";".to_vec() }))
            .with(&own, Record::Tlsa(Tlsa { usage: 3, selector: 1, matching: 1, data: vec![0xfe; 32] }));
        zone.fail(&name("broken.example.com"), Failure::ServFail);
        let recorder = Recorder::of(&zone);
        let kinds = [Kind::Txt, Kind::A, Kind::Aaaa, Kind::Mx, Kind::Ptr, Kind::Caa, Kind::Ns, Kind::Tlsa];
        let mut heard = Vec::new();
        for at in ["example.com", "broken.example.com", "nowhere.example.com"] {
            for kind in kinds {
                heard.push(recorder.look_up(&name(at), kind).await);
            }
        }
        assert_eq!(recorder.ttl(), 3600);
        let written = serde_json::to_string(&recorder.into_tape()).unwrap();
        let tape: Tape = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&tape).unwrap(), written);
        let mut again = Vec::new();
        for at in ["example.com", "broken.example.com", "nowhere.example.com"] {
            for kind in kinds {
                again.push(tape.look_up(&name(at), kind).await);
            }
        }
        let plain = |answers: Vec<Answer<Record>>| -> Vec<_> {
            answers.into_iter().map(|answer| (answer.failure(), answer.is_void(), answer.records())).collect()
        };
        assert_eq!(plain(again), plain(heard));
        let unheard = tape.look_up(&name("never.example.com"), Kind::A).await;
        assert_eq!(unheard, Answer::Failed(Failure::TimedOut));
    }

    #[tokio::test]
    async fn a_tape_is_bounded_and_what_is_over_counts_as_failed() {
        let wordy = Wordy(MAX_BYTES / 2);
        let recorder = Recorder::of(&wordy);
        let asked = async |at: &str| recorder.look_up(&name(at), Kind::Txt).await;
        assert_eq!(asked("a.example").await.failure(), None);
        assert_eq!(asked("b.example").await.failure(), Some(Failure::Unusable));
        // What was heard first is said again, also of what did not fit in.
        assert_eq!(asked("b.example").await.failure(), Some(Failure::Unusable));
        for index in 0..MAX_LOOK_UPS {
            asked(&format!("{index}.example")).await;
        }
        assert_eq!(asked("over.example").await.failure(), Some(Failure::TimedOut));
        assert_eq!(recorder.into_tape().0.len(), MAX_LOOK_UPS);
    }
}
