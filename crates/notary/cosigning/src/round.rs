//! The cosignatures over one checkpoint.

use std::sync::Arc;

use ledger::Head;
use tlog::{CheckpointError, Note, NoteSignature, Policy};

/// A checkpoint that witnesses are asked to cosign, and what they have answered so far.
#[derive(Debug)]
pub struct Round {
    head: Arc<Head>,
    note: Note,
    /// The cosignatures of each witness, by its position.
    cosignatures: Vec<Vec<NoteSignature>>,
}

impl Round {
    /// Begins with the checkpoint of a head, for this number of witnesses.
    ///
    /// # Errors
    /// [`CheckpointError`]: the head's checkpoint is no note.
    pub fn new(head: Arc<Head>, witnesses: usize) -> Result<Self, CheckpointError> {
        let note = head.checkpoint.parse::<Note>()?;
        Ok(Self { head, note, cosignatures: vec![Vec::new(); witnesses] })
    }

    /// The head whose checkpoint is cosigned.
    #[must_use]
    pub fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Takes the verified cosignatures of a witness over this checkpoint, in place of its earlier ones.
    pub fn add(&mut self, witness: usize, cosignatures: Vec<NoteSignature>) {
        if let Some(of_witness) = self.cosignatures.get_mut(witness) {
            *of_witness = cosignatures;
        }
    }

    /// The note with all cosignatures, if they are a quorum of the policy.
    ///
    /// # Errors
    /// [`CheckpointError`]: the note does not verify under the policy. Each cosignature was verified before, so this is a
    /// mistake of the program.
    pub fn cosigned(&self, policy: &Policy) -> Result<Option<Note>, CheckpointError> {
        let own = self.note.signatures().iter().cloned();
        let all = own.chain(self.cosignatures.iter().flatten().cloned()).collect();
        let note = Note::new(self.note.text(), all)?;
        let is_met = policy.evaluate(&note)?.is_met();
        Ok(is_met.then_some(note))
    }
}

#[cfg(test)]
mod tests {
    use receipt::time::Timestamp;
    use tlog::{Checkpoint, CosignerKey, EMPTY_ROOT, KeyKind, SigningKey};

    use super::*;

    #[test]
    fn a_note_is_given_once_its_cosignatures_are_a_quorum_and_has_all_of_them() {
        let log = SigningKey::from_seed("notary.example/log", &[7; 32]).unwrap();
        let cosigners: Vec<CosignerKey> = (1..=3)
            .map(|number| {
                let name = format!("w{number}.example");
                CosignerKey::from_seed(&name, KeyKind::CosignatureV1, &[number; 32]).unwrap()
            })
            .collect();
        let lines: String =
            cosigners.iter().map(|key| format!("witness {} {}\n", key.name(), key.verifier())).collect();
        let file =
            format!("log {}\n{lines}group q 2 w1.example w2.example w3.example\nquorum q\n", log.verifier());
        let policy = Policy::from_bytes(file.as_bytes()).unwrap();
        let checkpoint = Checkpoint::new("notary.example/log", 0, EMPTY_ROOT).unwrap();
        let head = Head {
            size: 0,
            root: EMPTY_ROOT,
            latest: Timestamp::EPOCH,
            checkpoint: checkpoint.sign(&log).unwrap().into(),
        };
        let mut round = Round::new(Arc::new(head), cosigners.len()).unwrap();
        let mut signatures = Vec::new();
        for (index, cosigner) in cosigners.iter().enumerate() {
            round.add(index, vec![cosigner.cosign(&checkpoint, 1_800_000_000).unwrap()]);
            let note = round.cosigned(&policy).unwrap();
            signatures.push(note.map(|note| note.signatures().len()));
        }
        assert_eq!(signatures, [None, Some(3), Some(4)]);
        round.add(9, Vec::new());
    }
}
