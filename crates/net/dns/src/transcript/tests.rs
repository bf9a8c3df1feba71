use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use futures_util::future::join_all;

use super::*;
use crate::{Caa, Exchange, Mx, Tlsa, Zone};

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
async fn a_transcript_answers_as_it_was_recorded_after_it_was_serialized() {
    let own = name("example.com");
    let mut zone = Zone::default()
        .with(&own, Record::Txt(b"v=spf1 -all".to_vec()))
        .with(&own, Record::Txt(vec![0xff, 0, b'a']))
        .with(&own, Record::A([192, 0, 2, 1].into()))
        .with(&own, Record::Aaaa("2001:db8::1".parse().unwrap()))
        .with(&own, Record::Mx(Mx { preference: 0, exchange: Exchange::Root }))
        .with(&own, Record::Ns(name("ns.example.com")))
        .with(&own, Record::Caa(Caa { flags: 128, tag: b"issue".to_vec(), value: b";".to_vec() }))
        .with(&own, Record::Tlsa(Tlsa { usage: 3, selector: 1, matching: 1, data: vec![0xfe; 32] }));
    zone.fail(&name("broken.example.com"), Failure::ServFail);
    let recorder = RecordingResolver::of(&zone);
    let kinds = [Kind::Txt, Kind::A, Kind::Aaaa, Kind::Mx, Kind::Ptr, Kind::Caa, Kind::Ns, Kind::Tlsa];
    let mut heard = Vec::new();
    for at in ["example.com", "broken.example.com", "nowhere.example.com"] {
        for kind in kinds {
            heard.push(recorder.look_up(&name(at), kind).await);
        }
    }
    assert_eq!(recorder.ttl(), 3600);
    let written = serde_json::to_string(&recorder.into_transcript()).unwrap();
    let transcript: DnsTranscript = serde_json::from_str(&written).unwrap();
    assert_eq!(serde_json::to_string(&transcript).unwrap(), written);
    let mut again = Vec::new();
    for at in ["example.com", "broken.example.com", "nowhere.example.com"] {
        for kind in kinds {
            again.push(transcript.look_up(&name(at), kind).await);
        }
    }
    let plain = |answers: Vec<Answer<Record>>| -> Vec<_> {
        answers.into_iter().map(|answer| (answer.failure(), answer.is_void(), answer.records())).collect()
    };
    assert_eq!(plain(again), plain(heard));
    let unheard = transcript.look_up(&name("never.example.com"), Kind::A).await;
    assert_eq!(unheard, Answer::Failed(Failure::TimedOut));
}

#[tokio::test]
async fn a_transcript_is_bounded_and_what_is_over_counts_as_failed() {
    let wordy = Wordy(MAX_BYTES / 2);
    let recorder = RecordingResolver::of(&wordy);
    let asked = async |at: &str| recorder.look_up(&name(at), Kind::Txt).await;
    assert_eq!(asked("a.example").await.failure(), None);
    assert_eq!(asked("b.example").await.failure(), Some(Failure::Unusable));
    // What was heard first is said again, also of what did not fit in.
    assert_eq!(asked("b.example").await.failure(), Some(Failure::Unusable));
    for index in 0..MAX_LOOK_UPS {
        asked(&format!("{index}.example")).await;
    }
    assert_eq!(asked("over.example").await.failure(), Some(Failure::TimedOut));
    assert_eq!(recorder.into_transcript().0.len(), MAX_LOOK_UPS);
}

/// Lets others ask before it answers, and counts.
#[derive(Default)]
struct Slow {
    asked: AtomicUsize,
    under_way: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl Dns for Slow {
    async fn look_up(&self, _: &Name, _: Kind) -> Answer<Record> {
        self.asked.fetch_add(1, Relaxed);
        self.most.fetch_max(self.under_way.fetch_add(1, Relaxed) + 1, Relaxed);
        tokio::task::yield_now().await;
        self.under_way.fetch_sub(1, Relaxed);
        Answer::NoData
    }
}

#[tokio::test]
async fn the_bounds_hold_for_look_ups_at_once_too() {
    let slow = Slow::default();
    let recorder = RecordingResolver::of(&slow);
    let names: Vec<Name> = (0..2 * MAX_LOOK_UPS).map(|index| name(&format!("{index}.example"))).collect();
    let look_ups = || names.iter().map(|name| recorder.look_up(name, Kind::A));
    // Each is asked for twice at once.
    let answers = join_all(look_ups().chain(look_ups())).await;
    let answered = answers.iter().filter(|answer| **answer == Answer::NoData).count();
    assert_eq!(answered, 2 * MAX_LOOK_UPS);
    assert_eq!(slow.most.load(Relaxed), RecordingResolver::AT_ONCE);
    assert_eq!(slow.asked.load(Relaxed), MAX_LOOK_UPS);
    assert_eq!(recorder.into_transcript().0.len(), MAX_LOOK_UPS);
}
