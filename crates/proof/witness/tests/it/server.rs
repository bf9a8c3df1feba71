//! A witness: the answer to each kind of request, in the order of the standard, and what its record is afterwards.

use tlog::{Checkpoint, CosignerKey, EMPTY_ROOT, Hash, KeyKind, Note, SigningKey, leaf_hash};
use witness::{
    AddCheckpoint, Answer, MemoryStore, SIZE_CONTENT_TYPE, TrustedKey, Witness, WitnessError, WitnessStore,
};

use crate::common::{
    HONEST, Log, NOW, ORIGIN, Trouble, Troubled, ask, both_cosigners, cosigner, latest, log_key, verifiers,
    witness,
};

/// A branch that has another first leaf.
const LIAR: Log = Log { fork: 0, branch: 1 };

fn request(old: u64, proof: Vec<Hash>, note: Note) -> String {
    AddCheckpoint::new(old, proof, note).unwrap().to_string()
}

/// A witness that has cosigned this size of the honest log.
fn at(size: u64) -> MemoryStore {
    let store = MemoryStore::default();
    assert_eq!(ask(&witness(), &store, &HONEST.body(0, size)).status(), 200);
    store
}

/// The answer's status, and the witness's record, which only a 200 may have changed.
fn status(store: &dyn WitnessStore, body: &str) -> u16 {
    let before = latest(store);
    let answer = ask(&witness(), store, body);
    assert_eq!(latest(store) == before, answer.status() != 200 || before == latest(store));
    if answer.status() != 200 {
        assert!(!answer.body().contains('\u{2014}'), "no refusal has a signature");
    }
    answer.status()
}

#[test]
fn a_checkpoint_is_cosigned_by_every_key_over_its_whole_text() {
    let store = MemoryStore::default();
    let answer = ask(&witness(), &store, &HONEST.body(0, 5));
    assert_eq!((answer.status(), answer.content_type()), (200, "text/plain; charset=utf-8"));
    let body = answer.body();
    assert_eq!(body.lines().count(), 2);
    assert!(body.ends_with('\n') && body.lines().all(|line| line.starts_with("\u{2014} witness.example/w ")));
    let note: Note = format!("{}\n{body}", HONEST.checkpoint(5)).parse().unwrap();
    let keys = verifiers();
    let verified = note.verify(&keys).unwrap();
    let kinds: Vec<_> =
        verified.iter().map(|signature| (signature.key.kind(), signature.timestamp)).collect();
    assert_eq!(kinds, [(KeyKind::CosignatureV1, Some(NOW)), (KeyKind::MlDsa44, Some(NOW))]);
    assert_eq!(latest(&store), Some(HONEST.head(5)));
}

#[test]
fn a_growing_log_is_cosigned_at_each_step() {
    let store = MemoryStore::default();
    let sizes = [0, 1, 2, 3, 3, 7, 8, 9, 64, 64, 100];
    for pair in sizes.windows(2) {
        assert_eq!(status(&store, &HONEST.body(pair[0], pair[1])), 200, "{pair:?}");
        assert_eq!(latest(&store), Some(HONEST.head(pair[1])));
    }
}

#[test]
fn a_malformed_body_is_400() {
    for body in ["", "old 5", "old 5\n\n", "old 05\n\nx\n"] {
        assert_eq!(status(&at(5), body), 400);
    }
}

#[test]
fn an_unknown_origin_is_404_even_under_a_trusted_key_or_without_a_good_signature() {
    let other = Checkpoint::new("example.com/other", 5, HONEST.head(5).root).unwrap();
    let note = Note::sign(&other.to_string(), &[&log_key()]).unwrap();
    assert_eq!(status(&MemoryStore::default(), &request(0, Vec::new(), note)), 404);
    let stranger = SigningKey::from_seed("example.com/other", &[8; 32]).unwrap();
    let note = Note::sign(&other.to_string(), &[&stranger]).unwrap();
    assert_eq!(status(&MemoryStore::default(), &request(9, Vec::new(), note)), 404);
}

#[test]
fn a_checkpoint_without_a_valid_signature_of_its_log_is_403_before_all_else_is_looked_at() {
    let text = HONEST.checkpoint(5).to_string();
    let stranger = SigningKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let unknown = Note::sign(&text, &[&stranger]).unwrap();
    let bad = Note::new(&text, HONEST.note(4).signatures().to_vec()).unwrap();
    let own = Note::new(&text, vec![cosigner(KeyKind::MlDsa44).cosign(&HONEST.checkpoint(5), NOW).unwrap()]);
    for note in [unknown, bad, own.unwrap()] {
        for old in [0, 3, 5, 9] {
            assert_eq!(status(&at(3), &request(old, HONEST.proof(3, 5), note.clone())), 403);
        }
    }
}

#[test]
fn one_bad_signature_of_a_trusted_key_is_403_although_another_is_good() {
    let bad = HONEST.note(4).signatures()[0].clone();
    let note = Note::new(HONEST.note(5).text(), vec![HONEST.note(5).signatures()[0].clone(), bad]).unwrap();
    assert_eq!(status(&MemoryStore::default(), &request(0, Vec::new(), note)), 403);
}

#[test]
fn signatures_of_unknown_keys_are_ignored_and_not_kept() {
    let stranger = SigningKey::from_seed("stranger.example", &[8; 32]).unwrap();
    let same_name = SigningKey::from_seed(ORIGIN, &[9; 32]).unwrap();
    let text = HONEST.checkpoint(5).to_string();
    let note = Note::sign(&text, &[&stranger, &same_name, &log_key(), &log_key(), &stranger]).unwrap();
    let store = MemoryStore::default();
    assert_eq!(status(&store, &request(0, Vec::new(), note)), 200);
    let stored = pollster::block_on(store.latest(ORIGIN)).unwrap().unwrap();
    assert_eq!(stored.note, HONEST.note(5).to_string());
}

#[test]
fn a_log_may_have_several_keys_of_several_types() {
    let next = CosignerKey::from_seed(ORIGIN, KeyKind::MlDsa44, &[7; 32]).unwrap();
    let keys = vec![log_key().verifier(), next.verifier()];
    let witness = Witness::new(both_cosigners()).unwrap().with_log(ORIGIN, keys).unwrap();
    let store = MemoryStore::default();
    assert_eq!(ask(&witness, &store, &HONEST.body(0, 3)).status(), 200);
    let signature = next.cosign(&HONEST.checkpoint(5), 1).unwrap();
    let note = Note::new(&HONEST.checkpoint(5).to_string(), vec![signature]).unwrap();
    assert_eq!(ask(&witness, &store, &request(3, HONEST.proof(3, 5), note)).status(), 200);
}

#[test]
fn a_key_that_has_ended_signs_no_larger_tree() {
    let next = SigningKey::from_seed(ORIGIN, &[7; 32]).unwrap();
    let keys = vec![TrustedKey { key: log_key().verifier(), until: Some(5) }, next.verifier().into()];
    let witness = Witness::new(both_cosigners()).unwrap().with_log(ORIGIN, keys).unwrap();
    let store = MemoryStore::default();
    assert_eq!(ask(&witness, &store, &HONEST.body(0, 5)).status(), 200);
    assert_eq!(ask(&witness, &store, &HONEST.body(5, 6)).status(), 403);
    assert_eq!(latest(&store), Some(HONEST.head(5)));
    let note = Note::sign(&HONEST.checkpoint(6).to_string(), &[&next]).unwrap();
    assert_eq!(ask(&witness, &store, &request(5, HONEST.proof(5, 6), note)).status(), 200);
    // Beside the key in use it is a stranger's, which is not kept.
    let note = Note::sign(&HONEST.checkpoint(7).to_string(), &[&log_key(), &next]).unwrap();
    assert_eq!(ask(&witness, &store, &request(6, HONEST.proof(6, 7), note)).status(), 200);
    let kept = pollster::block_on(store.latest(ORIGIN)).unwrap().unwrap();
    assert_eq!(kept.note, Note::sign(&HONEST.checkpoint(7).to_string(), &[&next]).unwrap().to_string());
}

#[test]
fn an_old_size_above_the_checkpoints_is_400_before_the_record_is_looked_at() {
    for store in [MemoryStore::default(), at(3), at(5), at(9)] {
        assert_eq!(status(&store, &request(6, Vec::new(), HONEST.note(5))), 400);
        assert_eq!(status(&store, &request(u64::MAX, Vec::new(), HONEST.note(5))), 400);
    }
}

#[test]
fn an_old_size_other_than_the_recorded_is_409_with_the_recorded_one() {
    for (recorded, old, new) in
        [(5, 0, 7), (5, 4, 7), (5, 6, 7), (5, 7, 7), (5, 0, 5), (5, 3, 4), (5, 0, 0), (0, 3, 7)]
    {
        let store = if recorded == 0 { MemoryStore::default() } else { at(recorded) };
        // Whatever the proof, and whatever the branch.
        for body in
            [HONEST.body(old, new), LIAR.body(old, new), request(old, vec![Hash([0; 32])], HONEST.note(new))]
        {
            let answer = ask(&witness(), &store, &body);
            assert_eq!(answer.status(), 409, "{recorded} {old} {new}");
            assert_eq!((answer.body(), answer.content_type()), (format!("{recorded}\n"), SIZE_CONTENT_TYPE));
        }
    }
}

#[test]
fn a_proof_that_does_not_verify_is_422() {
    let store = at(5);
    let good = HONEST.proof(5, 9);
    let mut changed = good.clone();
    changed[1].0[0] ^= 1;
    let mut longer = good.clone();
    longer.push(good[0]);
    for proof in [Vec::new(), changed, longer, good[1..].to_vec(), HONEST.proof(4, 9), HONEST.proof(5, 10)] {
        assert_eq!(status(&store, &request(5, proof, HONEST.note(9))), 422);
    }
    assert_eq!(status(&store, &LIAR.body(5, 9)), 422);
    assert_eq!(status(&store, &request(5, good, HONEST.note(9))), 200);
}

#[test]
fn a_proof_from_the_empty_tree_must_be_empty() {
    let store = MemoryStore::default();
    assert_eq!(status(&store, &request(0, vec![leaf_hash(b"x")], HONEST.note(5))), 422);
    assert_eq!(status(&store, &HONEST.body(0, 5)), 200);
}

#[test]
fn another_root_of_the_recorded_size_is_409_without_a_size() {
    let store = at(5);
    let answer = ask(&witness(), &store, &LIAR.body(5, 5));
    assert!(matches!(answer, Answer::OtherRoot));
    assert_eq!((answer.status(), answer.content_type()), (409, "text/plain; charset=utf-8"));
    assert_eq!(latest(&store), Some(HONEST.head(5)));
    // The proof between equal sizes is empty, which comes first.
    for log in [HONEST, LIAR] {
        assert_eq!(status(&store, &request(5, vec![leaf_hash(b"x")], log.note(5))), 422);
    }
    assert_eq!(status(&store, &HONEST.body(5, 5)), 200);
}

#[test]
fn the_empty_tree_is_cosigned_with_its_one_root() {
    let store = MemoryStore::default();
    let wrong = Checkpoint::new(ORIGIN, 0, leaf_hash(b"x")).unwrap().sign(&log_key()).unwrap();
    for _ in 0..2 {
        assert_eq!(status(&store, &request(0, Vec::new(), wrong.parse().unwrap())), 422);
        assert_eq!(status(&store, &request(0, vec![EMPTY_ROOT], HONEST.note(0))), 422);
        assert_eq!(status(&store, &HONEST.body(0, 0)), 200);
        assert_eq!(latest(&store), Some(HONEST.head(0)));
    }
    assert_eq!(status(&store, &HONEST.body(0, 4)), 200);
}

#[test]
fn an_extension_line_is_cosigned_with_the_rest() {
    let extended = HONEST.checkpoint(5).with_extension("extension").unwrap();
    let note: Note = extended.sign(&log_key()).unwrap().parse().unwrap();
    let answer = ask(&witness(), &MemoryStore::default(), &request(0, Vec::new(), note));
    let cosigned: Note = format!("{extended}\n{}", answer.body()).parse().unwrap();
    assert_eq!(cosigned.verify(&verifiers()).unwrap().len(), 2);
}

#[test]
fn nothing_is_cosigned_while_the_outcome_in_the_store_is_unknown() {
    for (trouble, recorded) in [(Trouble::FailsBefore, None), (Trouble::FailsAfter, Some(HONEST.head(5)))] {
        let store = Troubled::with(vec![trouble]);
        let answer = ask(&witness(), &store, &HONEST.body(0, 5));
        assert!(matches!(answer, Answer::Unavailable(_)));
        assert_eq!(
            (answer.status(), answer.body()),
            (503, "the witness cannot cosign at the moment\n".to_owned())
        );
        assert_eq!(latest(&store), recorded);
        // The same request again resolves it: it is cosigned, or told the size to go on from.
        let again = ask(&witness(), &store, &HONEST.body(0, 5));
        let (status, body) = if recorded.is_some() { (409, "5\n") } else { (200, "\u{2014}") };
        assert_eq!(again.status(), status);
        assert!(again.body().starts_with(body));
    }
}

#[test]
fn of_two_requests_at_once_the_later_is_judged_against_the_earlier() {
    // The larger tree comes first: the smaller one must not roll it back.
    let store = Troubled::with(vec![Trouble::Overtaken(HONEST.body(3, 9))]);
    store.inner_at(3);
    let answer = ask(&witness(), &store, &HONEST.body(3, 5));
    assert_eq!((answer.status(), answer.body()), (409, "9\n".to_owned()));
    assert_eq!(store.overtakers.lock().unwrap()[0].status(), 200);
    assert_eq!(latest(&store), Some(HONEST.head(9)));
    // Also where the record does not change: its head is not the latest any more.
    let store = Troubled::with(vec![Trouble::Overtaken(HONEST.body(3, 9))]);
    store.inner_at(3);
    assert_eq!(ask(&witness(), &store, &HONEST.body(3, 3)).status(), 409);
    // A fork of the same size.
    let store = Troubled::with(vec![Trouble::Overtaken(HONEST.body(3, 5))]);
    store.inner_at(3);
    assert_eq!(ask(&witness(), &store, &Log { fork: 3, branch: 1 }.body(3, 5)).status(), 409);
    assert_eq!(latest(&store), Some(HONEST.head(5)));
}

impl Troubled {
    fn inner_at(&self, size: u64) {
        assert_eq!(ask(&witness(), &self.inner, &HONEST.body(0, size)).status(), 200);
    }
}

/// A store that is always overtaken, and never changes.
struct Contended;

impl WitnessStore for Contended {
    fn latest<'s>(
        &'s self,
        _: &'s str,
    ) -> futures_util::future::BoxFuture<'s, Result<Option<witness::Latest>, witness::StoreError>> {
        Box::pin(async { Ok(None) })
    }

    fn compare_and_swap<'s>(
        &'s self,
        _: &'s str,
        _: Option<witness::TreeHead>,
        _: witness::Latest,
    ) -> futures_util::future::BoxFuture<'s, Result<bool, witness::StoreError>> {
        Box::pin(async { Ok(false) })
    }
}

#[test]
fn a_request_that_is_overtaken_again_and_again_is_503() {
    assert!(matches!(ask(&witness(), &Contended, &HONEST.body(0, 5)), Answer::Busy));
}

#[test]
fn the_record_does_not_move_at_a_time_that_cannot_be_signed() {
    for time in [0, 1 << 63] {
        let store = MemoryStore::default();
        let body = HONEST.body(0, 5);
        let answer = pollster::block_on(witness().add_checkpoint(&store, body.as_bytes(), &|| time));
        assert_eq!(answer.status(), 503);
        assert_eq!(latest(&store), None);
    }
}

#[test]
fn the_time_is_read_before_another_can_cosign_a_larger_tree() {
    // The clock moves on with each look at it. The overtaken request must not have the later time for the smaller tree.
    let store = Troubled::with(vec![Trouble::Overtaken(HONEST.body(3, 9))]);
    store.inner_at(3);
    let seen = std::sync::Mutex::new(Vec::new());
    let clock = || {
        seen.lock().unwrap().push(latest(&store));
        NOW
    };
    let body = HONEST.body(3, 5);
    let answer = pollster::block_on(witness().add_checkpoint(&store, body.as_bytes(), &clock));
    assert_eq!(answer.status(), 409);
    assert_eq!(*seen.lock().unwrap(), [Some(HONEST.head(3))], "looked at once, and before the replacement");
    let body = HONEST.body(9, 12);
    seen.lock().unwrap().clear();
    assert_eq!(pollster::block_on(witness().add_checkpoint(&store, body.as_bytes(), &clock)).status(), 200);
    assert_eq!(*seen.lock().unwrap(), [Some(HONEST.head(9))]);
}

#[test]
fn logs_are_apart_from_each_other() {
    let other_key = SigningKey::from_seed("example.com/other", &[8; 32]).unwrap();
    let witness = witness().with_log("example.com/other", vec![other_key.verifier()]).unwrap();
    let store = MemoryStore::default();
    assert_eq!(ask(&witness, &store, &HONEST.body(0, 5)).status(), 200);
    let other = Checkpoint::new("example.com/other", 3, LIAR.head(3).root).unwrap();
    let note: Note = other.sign(&other_key).unwrap().parse().unwrap();
    assert_eq!(ask(&witness, &store, &request(0, Vec::new(), note)).status(), 200);
    assert_eq!(latest(&store), Some(HONEST.head(5)));
    // A key of one log signs nothing for another.
    let note = Note::sign(&HONEST.checkpoint(7).to_string(), &[&other_key]).unwrap();
    assert_eq!(ask(&witness, &store, &request(5, HONEST.proof(5, 7), note)).status(), 403);
}

#[test]
fn a_witness_that_could_not_work_is_not_made() {
    let with = |origin: &str, keys| {
        Witness::new(both_cosigners()).unwrap().with_log(origin, keys).map(drop).unwrap_err()
    };
    let key = || vec![log_key().verifier()];
    let long = "o".repeat(256);
    assert_eq!(Witness::new(Vec::new()).map(drop), Err(WitnessError::NoCosigner));
    assert_eq!(with(ORIGIN, Vec::new()), WitnessError::NoLogKey(ORIGIN.to_owned()));
    assert_eq!(with("", key()), WitnessError::Origin(String::new()));
    assert_eq!(with("a\nb", key()), WitnessError::Origin("a\nb".to_owned()));
    assert_eq!(with(&long, key()), WitnessError::OriginTooLong(long.clone()));
    let own = WitnessError::OwnKey("witness.example/w".to_owned());
    assert_eq!(with(ORIGIN, verifiers()), own);
    let ed25519 = Witness::new(vec![cosigner(KeyKind::CosignatureV1)]).unwrap();
    assert!(ed25519.with_log(&long, key()).is_ok());
    assert_eq!(witness().verifiers(), verifiers());
}
