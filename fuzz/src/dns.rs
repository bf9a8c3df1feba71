//! DNS: names, and transcripts of look-ups.

use dns::{Answer, Dns as _, DnsTranscript, Kind, Name};
use futures_util::FutureExt as _;

use crate::split::cut;

/// Names: within their bounds, and read to themselves; the names above a name contain it.
pub fn name(data: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(data) else { return false };
    let Ok(name) = Name::parse(text) else { return false };
    assert_eq!(Name::parse(name.as_str()).as_ref(), Ok(&name));
    assert!(name.as_str().len() <= Name::MAX_LENGTH);
    assert!(name.labels().all(|label| (1..=Name::MAX_LABEL).contains(&label.len())));
    let count = name.labels().count();
    assert_eq!(name.last_labels(count), name);
    assert_eq!(name.parent(), (count > 1).then(|| name.last_labels(count - 1)));
    if let (Some(above), Some((label, _))) = (name.parent(), name.as_str().split_once('.')) {
        assert!(name.is_within(&above) && !above.is_within(&name));
        assert_eq!(above.below(label).as_ref(), Ok(&name));
    }
    true
}

/// Transcripts: refused, or read to what is written and read as the same. A part of one is refused, unless it lacks white
/// space alone, and a look-up that is not in it has failed.
pub fn transcript(data: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<DnsTranscript>(data) else { return false };
    let written = serde_json::to_vec(&read).expect("a transcript is plain data");
    assert_eq!(serde_json::from_slice::<DnsTranscript>(&written).ok().as_ref(), Some(&read));
    if let Ok(shorter) = serde_json::from_slice::<DnsTranscript>(cut(data)) {
        assert_eq!(shorter, read);
    }
    let nobody = Name::parse("not.in.the.transcript.example").expect("a name");
    let unheard = read.look_up(&nobody, Kind::Txt).now_or_never().expect("a transcript answers at once");
    assert!(matches!(unheard, Answer::Failed(_)) || data.windows(3).any(|part| part == b"not"));
    read != DnsTranscript::default()
}
