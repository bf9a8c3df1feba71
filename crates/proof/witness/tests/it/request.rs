//! The body of a request: what is read, what is refused, and that what is read is given back.

use proptest::prelude::*;
use tlog::{CheckpointError, Hash, Note, NoteError};
use witness::request::{MAX_PROOF_LINES, MAX_REQUEST_BYTES};
use witness::{AddCheckpoint, RequestError};

use crate::common::{HONEST, ORIGIN};

#[test]
fn the_example_of_the_standard_is_read() {
    let body = "old 20852014\n\
        PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\
        jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\
        5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n\
        /6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\
        \n\
        example.com/behind-the-sofa\n\
        20852163\n\
        CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
        \n\
        \u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
        \u{2014} example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n";
    let request = AddCheckpoint::from_bytes(body.as_bytes()).unwrap();
    assert_eq!((request.old_size(), request.proof().len()), (20_852_014, 4));
    assert_eq!((request.checkpoint().size(), request.note().signatures().len()), (20_852_163, 2));
    assert_eq!(request.to_string(), body);
}

#[test]
fn a_malformed_body_is_refused_by_what_is_wrong() {
    let good = HONEST.body(3, 7);
    assert!(good.parse::<AddCheckpoint>().is_ok());
    let hash = HONEST.head(1).root.to_string();
    let first = good.lines().nth(1).unwrap();
    for (bad, error) in [
        (String::new(), RequestError::OldSize),
        ("old 3".to_owned(), RequestError::OldSize),
        (good.replace("old 3", "old  3"), RequestError::OldSize),
        (good.replace("old 3", "old\t3"), RequestError::OldSize),
        (good.replace("old 3", "Old 3"), RequestError::OldSize),
        (good.replace("old 3", " old 3"), RequestError::OldSize),
        (good.replace("old 3", "old 3 "), RequestError::OldSize),
        (good.replace("old 3", "old 3\r"), RequestError::OldSize),
        (good.replace("old 3", "old "), RequestError::OldSize),
        (good.replace("old 3", "old"), RequestError::OldSize),
        (good.replace("old 3", "old 03"), RequestError::OldSize),
        (good.replace("old 3", "old 00"), RequestError::OldSize),
        (good.replace("old 3", "old +3"), RequestError::OldSize),
        (good.replace("old 3", "old -0"), RequestError::OldSize),
        (good.replace("old 3", "old 18446744073709551616"), RequestError::OldSize),
        (good.replacen("old 3\n", "", 1), RequestError::OldSize),
        ("old 3\n".to_owned(), RequestError::NoCheckpoint),
        (format!("old 3\n{hash}\n"), RequestError::NoCheckpoint),
        (format!("old 3\n{hash}"), RequestError::NoCheckpoint),
        (good.replacen(first, &first[..43], 1), RequestError::Hash(1)),
        (good.replacen(first, &format!("{first}\n{first}="), 1), RequestError::Hash(2)),
        (good.replacen(first, &format!(" {first}"), 1), RequestError::Hash(1)),
        (good.replacen(first, &format!("{first}\r"), 1), RequestError::Hash(1)),
        ("old 3\n\n".to_owned(), RequestError::Note(NoteError::NoSignatures)),
        (format!("old 3\n\n{}", HONEST.checkpoint(7)), RequestError::Note(NoteError::NoSignatures)),
        (format!("{good}x\n"), RequestError::Note(NoteError::SignatureLine(2))),
        (good.trim_end().to_owned(), RequestError::Note(NoteError::NoSignatures)),
        (good.replace("\n7\n", "\n07\n"), RequestError::Checkpoint(CheckpointError::Size)),
        (good.replacen("\n\n", "\n\n\n", 1), RequestError::Checkpoint(CheckpointError::Size)),
    ] {
        assert_eq!(bad.parse::<AddCheckpoint>(), Err(error), "{bad:?}");
    }
    assert_eq!(AddCheckpoint::from_bytes(b"old \xff\n"), Err(RequestError::NotUtf8));
}

#[test]
fn a_body_has_up_to_63_proof_lines() {
    let proof = |lines| vec![Hash([7; 32]); lines];
    let good = AddCheckpoint::new(1, proof(MAX_PROOF_LINES), HONEST.note(7)).unwrap();
    assert_eq!(good.to_string().parse::<AddCheckpoint>().unwrap(), good);
    assert_eq!(AddCheckpoint::new(1, proof(64), HONEST.note(7)), Err(RequestError::ProofTooLong));
    let line = format!("\n{}\n", Hash([7; 32]));
    let long = good.to_string().replacen(&line, &format!("{line}{}", &line[1..]), 1);
    assert_eq!(long.parse::<AddCheckpoint>(), Err(RequestError::ProofTooLong));
}

#[test]
fn a_body_of_16_signatures_of_5_kb_is_read_and_a_longer_one_than_the_bound_is_not() {
    let log = HONEST.note(7).signatures()[0].to_string();
    let line = |n: usize| format!("\u{2014} key{n} {}", "A".repeat(6_800));
    let note = |lines: usize| -> Note {
        let lines: String = (1..lines).map(|n| format!("{}\n", line(n))).collect();
        format!("{}\n{log}\n{lines}", HONEST.checkpoint(7)).parse().unwrap()
    };
    assert!(AddCheckpoint::new(0, Vec::new(), note(16)).is_ok());
    let long = AddCheckpoint::new(0, Vec::new(), note(60)).unwrap_err();
    assert!(matches!(long, RequestError::TooLong(bytes) if bytes > MAX_REQUEST_BYTES));
    let long = format!("old 0\n\n{}", note(60));
    assert_eq!(long.parse::<AddCheckpoint>(), Err(RequestError::TooLong(long.len())));
    assert_eq!(AddCheckpoint::from_bytes(long.as_bytes()), Err(RequestError::TooLong(long.len())));
}

proptest! {
    #[test]
    fn any_body_is_refused_or_given_back(
        bytes in proptest::collection::vec(any::<u8>(), 0..60), at in any::<prop::sample::Index>(), cut in any::<bool>(),
    ) {
        let _read = AddCheckpoint::from_bytes(&bytes);
        let mut body = HONEST.body(3, 7).into_bytes();
        let at = at.index(body.len());
        if cut {
            body.truncate(at);
        } else {
            body.splice(at..at, bytes);
        }
        if let Ok(request) = AddCheckpoint::from_bytes(&body) {
            prop_assert_eq!(request.to_string().into_bytes(), body);
            prop_assert_eq!(request.checkpoint().to_string(), request.note().text());
        }
    }

    #[test]
    fn every_request_is_read_back(old in any::<u64>(), size in 0_u64..40, hashes in proptest::collection::vec(any::<[u8; 32]>(), 0..=63)) {
        let proof = hashes.into_iter().map(Hash).collect();
        let request = AddCheckpoint::new(old, proof, HONEST.note(size)).unwrap();
        prop_assert_eq!(request.checkpoint().origin(), ORIGIN);
        prop_assert_eq!(request.to_string().parse::<AddCheckpoint>(), Ok(request));
    }
}
