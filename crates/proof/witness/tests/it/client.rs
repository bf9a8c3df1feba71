//! A log's client of a witness: what it sends, and what it takes from answers that are right, wrong, late or lies.

use std::time::Duration;

use tlog::{CosignerKey, KeyKind, Note, NoteError, NoteSignature, SigningKey};
use witness::client::{MAX_ANSWER_BYTES, MAX_CLOCK_SKEW_SECONDS, MAX_CONFLICTS};
use witness::{ClientError, Received, Reply, SIZE_CONTENT_TYPE, WitnessClient};

use crate::common::{HONEST, Log, NOW, both_cosigners, cosigner, log_key, verifiers};

fn client() -> WitnessClient {
    WitnessClient::new(verifiers()).unwrap()
}

/// Sends a size of the honest log, and gives the client this answer.
fn answered(
    client: &mut WitnessClient,
    size: u64,
    status: u16,
    content_type: &str,
    body: &str,
) -> Result<Received, ClientError> {
    let proof = HONEST.proof(client.old_size(), size);
    let submission = client.begin(HONEST.note(size), proof, NOW).unwrap();
    client.finish(submission, Reply { status, content_type, body: body.as_bytes() }, NOW + 1)
}

/// The lines of both keys over a size, at a time.
fn lines(size: u64, time: u64) -> Vec<NoteSignature> {
    both_cosigners().iter().map(|key| key.cosign(&HONEST.checkpoint(size), time).unwrap()).collect()
}

fn text(lines: &[NoteSignature]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn conflict(client: &mut WitnessClient, size: u64, body: &str) -> Result<Received, ClientError> {
    answered(client, size, 409, SIZE_CONTENT_TYPE, body)
}

fn cosigned(client: &mut WitnessClient, size: u64) {
    let lines = lines(size, NOW);
    assert_eq!(answered(client, size, 200, "", &text(&lines)), Ok(Received::Cosigned(lines)));
}

#[test]
fn the_first_request_starts_from_zero_and_each_next_one_from_what_was_cosigned() {
    let mut client = client();
    assert_eq!(client.old_size(), 0);
    let submission = client.begin(HONEST.note(5), Vec::new(), NOW).unwrap();
    assert_eq!(submission.body(), HONEST.body(0, 5));
    assert_eq!(client.give_up(submission), ClientError::NoAnswer);
    cosigned(&mut client, 5);
    assert_eq!(client.old_size(), 5);
    assert!(!client.wants(5) && !client.wants(4) && client.wants(6));
    let submission = client.begin(HONEST.note(9), HONEST.proof(5, 9), NOW).unwrap();
    assert_eq!(submission.body(), HONEST.body(5, 9));
    drop(submission);
}

#[test]
fn one_request_is_in_flight_at_most() {
    let mut client = client();
    assert!(client.wants(5));
    let submission = client.begin(HONEST.note(5), Vec::new(), NOW).unwrap();
    assert!(!client.wants(9));
    assert_eq!(client.begin(HONEST.note(9), Vec::new(), NOW).map(drop), Err(ClientError::InFlight));
    client.give_up(submission);
    let submission = client.begin(HONEST.note(9), Vec::new(), NOW).unwrap();
    let reply = Reply { status: 500, content_type: "", body: b"" };
    assert_eq!(client.finish(submission, reply, NOW), Err(ClientError::Status(500)));
    assert!(client.wants(9));
}

#[test]
fn a_request_that_was_lost_counts_as_one_without_an_answer_and_nothing_else_is_forgotten() {
    let mut client = client();
    cosigned(&mut client, 5);
    client.recover();
    assert_eq!(client.wait(), Duration::ZERO, "nothing was in flight");
    drop(client.begin(HONEST.note(9), HONEST.proof(5, 9), NOW).unwrap());
    client.recover();
    assert_eq!((client.wait(), client.old_size()), (Duration::from_secs(1), 5));
    assert!(client.wants(9) && !client.wants(5));
    assert_eq!(conflict(&mut client, 9, "4\n"), Err(ClientError::RolledBack { cosigned: 5, told: 4 }));
}

#[test]
fn a_conflict_tells_the_size_to_go_on_from() {
    let mut client = client();
    assert_eq!(conflict(&mut client, 9, "5\n"), Ok(Received::SendAgain));
    assert_eq!(client.old_size(), 5);
    assert!(client.wants(9) && client.wants(5) && !client.wants(4));
    assert_eq!(client.wait(), Duration::ZERO);
    cosigned(&mut client, 9);
    let mut upper = self::client();
    let again = answered(&mut upper, 9, 409, "Text/X.Tlog.Size", "5\n");
    assert_eq!(again, Ok(Received::SendAgain));
    let smaller = upper.begin(HONEST.note(4), Vec::new(), NOW).map(drop);
    assert_eq!(smaller, Err(ClientError::Outdated { known: 5, size: 4 }));
    assert!(upper.wants(9), "nothing is in flight");
}

#[test]
fn a_conflict_that_cannot_be_true_is_an_error() {
    let mut client = client();
    cosigned(&mut client, 5);
    for (body, error) in [
        ("5\n", ClientError::Contradiction(5)),
        ("4\n", ClientError::RolledBack { cosigned: 5, told: 4 }),
        ("0\n", ClientError::RolledBack { cosigned: 5, told: 0 }),
        ("10\n", ClientError::Ahead { told: 10, size: 9 }),
        ("18446744073709551615\n", ClientError::Ahead { told: u64::MAX, size: 9 }),
        ("7", ClientError::Malformed),
        ("07\n", ClientError::Malformed),
        ("7\n\n", ClientError::Malformed),
        ("7\r\n", ClientError::Malformed),
        (" 7\n", ClientError::Malformed),
        ("+7\n", ClientError::Malformed),
        ("\n", ClientError::Malformed),
        ("", ClientError::Malformed),
        ("18446744073709551616\n", ClientError::Malformed),
    ] {
        assert_eq!(conflict(&mut client, 9, body), Err(error), "{body:?}");
        assert_eq!(client.old_size(), 5);
    }
    for content_type in ["", "text/plain", "text/x.tlog.size; charset=utf-8"] {
        assert_eq!(answered(&mut client, 9, 409, content_type, "7\n"), Err(ClientError::OtherRoot));
    }
    cosigned(&mut client, 9);
}

#[test]
fn conflicts_in_a_row_end_in_a_wait() {
    let mut client = client();
    for told in 1..=u64::from(MAX_CONFLICTS) {
        assert_eq!(conflict(&mut client, 20, &format!("{told}\n")), Ok(Received::SendAgain));
    }
    assert_eq!(conflict(&mut client, 20, "10\n"), Err(ClientError::Conflicts));
    assert_eq!((client.old_size(), client.wait()), (10, Duration::from_secs(1)));
    assert_eq!(conflict(&mut client, 20, "11\n"), Ok(Received::SendAgain));
    cosigned(&mut client, 20);
    for told in 21..21 + u64::from(MAX_CONFLICTS) {
        assert_eq!(conflict(&mut client, 40, &format!("{told}\n")), Ok(Received::SendAgain));
    }
}

#[test]
fn failures_double_the_wait_and_a_success_ends_it() {
    let mut client = client();
    let mut waits = Vec::new();
    for _ in 0..12 {
        waits.push(client.wait().as_secs());
        assert_eq!(answered(&mut client, 5, 503, "", ""), Err(ClientError::Status(503)));
    }
    assert_eq!(waits, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    for _ in 0..100 {
        let submission = client.begin(HONEST.note(5), Vec::new(), NOW).unwrap();
        client.give_up(submission);
    }
    assert_eq!(client.wait(), Duration::from_secs(300));
    cosigned(&mut client, 5);
    assert_eq!(client.wait(), Duration::ZERO);
}

#[test]
fn every_other_status_is_an_error_whatever_its_body() {
    let lines = text(&lines(5, NOW));
    for status in [0, 100, 201, 204, 301, 400, 403, 404, 410, 422, 429, 500, 503, 599] {
        let mut client = client();
        assert_eq!(
            answered(&mut client, 5, status, SIZE_CONTENT_TYPE, &lines),
            Err(ClientError::Status(status))
        );
        assert_eq!(client.old_size(), 0);
    }
}

#[test]
fn cosignatures_of_unknown_keys_are_ignored() {
    let other = CosignerKey::from_seed("other.example/w", KeyKind::CosignatureV1, &[6; 32]).unwrap();
    let same_name = CosignerKey::from_seed("witness.example/w", KeyKind::MlDsa44, &[6; 32]).unwrap();
    let stray = [&other, &same_name].map(|key| key.cosign(&HONEST.checkpoint(5), NOW).unwrap());
    let own = lines(5, NOW);
    let mixed = [&stray[..], &own, HONEST.note(5).signatures()].concat();
    assert_eq!(answered(&mut client(), 5, 200, "", &text(&mixed)), Ok(Received::Cosigned(own)));
    let none = Err(ClientError::Signature(NoteError::NoKnownKey));
    assert_eq!(answered(&mut client(), 5, 200, "", &text(&stray)), none);
}

#[test]
fn one_of_several_keys_is_enough_and_the_newest_of_each_is_kept() {
    let only = lines(5, NOW)[1..].to_vec();
    assert_eq!(answered(&mut client(), 5, 200, "", &text(&only)), Ok(Received::Cosigned(only)));
    let (old, new) = (lines(5, NOW - 1), lines(5, NOW + 1));
    for both in [[&old[..], &new].concat(), [&new[..], &old].concat()] {
        assert_eq!(answered(&mut client(), 5, 200, "", &text(&both)), Ok(Received::Cosigned(new.clone())));
    }
}

#[test]
fn a_cosignature_over_anything_else_fails_the_whole_answer() {
    let fork = Log { fork: 3, branch: 1 };
    let bad = Err(ClientError::Signature(NoteError::BadSignature("witness.example/w".to_owned())));
    for key in both_cosigners() {
        let mut others = vec![key.cosign(&fork.checkpoint(5), NOW).unwrap()];
        others.push(key.cosign(&HONEST.checkpoint(4), NOW).unwrap());
        for other in others {
            for lines in [vec![other.clone()], [&lines(5, NOW)[..], std::slice::from_ref(&other)].concat()] {
                let mut client = client();
                let received = answered(&mut client, 5, 200, "", &text(&lines));
                assert_eq!(received, bad);
                assert_eq!((client.old_size(), client.wait()), (0, Duration::from_secs(1)));
                assert!(client.wants(5));
            }
        }
    }
}

#[test]
fn an_answer_cannot_smuggle_in_another_text_to_verify() {
    // A note is split at its last empty line. An answer with one would make the checkpoint part of another text.
    let line = lines(5, NOW)[0].to_string();
    for body in [
        format!("{line}\n\n{line}\n"),
        format!("\n{line}\n"),
        format!("x\n\n{line}\n"),
        format!("{line}\n\n"),
    ] {
        assert_eq!(answered(&mut client(), 5, 200, "", &body), Err(ClientError::Malformed), "{body:?}");
    }
}

#[test]
fn an_answer_of_anything_but_signature_lines_is_malformed() {
    let line = lines(5, NOW)[0].to_string();
    for body in [
        "",
        "\n",
        &line,
        "ok\n",
        &format!("{line}\r\n"),
        &format!("{line}\njunk\n"),
        &line.replacen('\u{2014}', "-", 1),
    ] {
        assert_eq!(answered(&mut client(), 5, 200, "", body), Err(ClientError::Malformed), "{body:?}");
    }
    let mut client = client();
    let submission = client.begin(HONEST.note(5), Vec::new(), NOW).unwrap();
    let reply = Reply { status: 200, content_type: "", body: b"\xe2\x80\n" };
    assert_eq!(client.finish(submission, reply, NOW), Err(ClientError::Malformed));
}

#[test]
fn an_answer_above_the_bound_is_refused_whatever_it_says() {
    let lines = text(&lines(5, NOW));
    let stray = format!("\u{2014} stray {}\n", "A".repeat(4096));
    let long = format!("{lines}{}", stray.repeat(16));
    assert!(long.len() > MAX_ANSWER_BYTES);
    assert_eq!(answered(&mut client(), 5, 200, "", &long), Err(ClientError::TooLong));
    assert_eq!(conflict(&mut client(), 5, &"1".repeat(MAX_ANSWER_BYTES + 1)), Err(ClientError::TooLong));
    let near = format!("{lines}{}", stray.repeat(14));
    assert!(answered(&mut client(), 5, 200, "", &near).is_ok());
}

#[test]
fn a_cosignature_must_be_of_the_time_of_its_request() {
    // The request is sent at NOW, and answered a second later.
    for (time, accepted) in [
        (NOW - MAX_CLOCK_SKEW_SECONDS, true),
        (NOW - MAX_CLOCK_SKEW_SECONDS - 1, false),
        (NOW + 1 + MAX_CLOCK_SKEW_SECONDS, true),
        (NOW + 2 + MAX_CLOCK_SKEW_SECONDS, false),
        (1, false),
        (i64::MAX as u64, false),
    ] {
        let received = answered(&mut client(), 5, 200, "", &text(&lines(5, time)));
        if accepted {
            assert!(matches!(&received, Ok(Received::Cosigned(lines)) if lines.len() == 2), "{time}");
        } else {
            assert_eq!(received, Err(ClientError::Time { time, sent: NOW, received: NOW + 1 }));
        }
    }
}

#[test]
fn a_late_answer_counts_for_its_own_checkpoint_alone() {
    let mut client = client();
    let submission = client.begin(HONEST.note(5), Vec::new(), NOW).unwrap();
    let lines = lines(5, NOW);
    let body = text(&lines);
    let reply = Reply { status: 200, content_type: "", body: body.as_bytes() };
    assert_eq!(client.finish(submission, reply, NOW + 10_000), Ok(Received::Cosigned(lines)));
    assert_eq!(client.old_size(), 5);
    assert!(client.wants(6));
    // The answer to the last request, given to the next one.
    let bad = NoteError::BadSignature("witness.example/w".to_owned());
    assert_eq!(answered(&mut client, 6, 200, "", &body), Err(ClientError::Signature(bad)));
}

#[test]
fn cosigned_notes_hold_what_was_taken() {
    let lines = lines(5, NOW);
    let note = Note::new(HONEST.note(5).text(), [HONEST.note(5).signatures(), &lines].concat()).unwrap();
    let keys: Vec<_> = verifiers().into_iter().chain([log_key().verifier()]).collect();
    assert_eq!(note.verify(&keys).unwrap().len(), 3);
}

#[test]
fn a_witness_has_keys_that_cosign() {
    assert_eq!(WitnessClient::new(Vec::new()).map(drop), Err(ClientError::Keys));
    let log = SigningKey::from_seed("witness.example/w", &[2; 32]).unwrap().verifier();
    assert_eq!(WitnessClient::new(vec![log.clone()]).map(drop), Err(ClientError::Keys));
    assert_eq!(
        WitnessClient::new(vec![cosigner(KeyKind::MlDsa44).verifier(), log]).map(drop),
        Err(ClientError::Keys)
    );
}
