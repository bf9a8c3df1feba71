#![no_main]
//! Proofs: any text is refused or given back as it was, and judging it against its own checkpoint does not panic.

use libfuzzer_sys::fuzz_target;
use tlog::{Checkpoint, Note, TlogProof};

fuzz_target!(|text: &str| {
    let Ok(proof) = text.parse::<TlogProof>() else { return };
    assert_eq!(proof.to_string(), text);
    let note: Note = proof.checkpoint.parse().expect("the proof was accepted with this note");
    let checkpoint: Checkpoint = note.text().parse().expect("the proof was accepted with this checkpoint");
    let _judged = proof.verify_against(b"entry", &checkpoint);
});
