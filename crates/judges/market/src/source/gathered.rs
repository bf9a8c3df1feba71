//! The answers that a finding rests on, as evidence.

use bytes::Bytes;
use receipt::hash::sha256;
use verdict::{EvidenceBlob, EvidenceMissing};

use super::answers::Answer;
use super::record::SourceRecord;

/// The role of the list of all records.
const RECORDS: &str = "sources";

/// The answers that a finding rests on, in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub struct Gathered(Vec<Piece>);

/// An answer with what is kept of it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What was asked and what came back.
    pub record: SourceRecord,
    /// What is kept; empty where the source has no such document.
    pub kept: Bytes,
}

impl Piece {
    /// True if the source has such a document.
    #[must_use]
    pub fn is_found(&self) -> bool {
        self.record.evidence_sha256.is_some()
    }
}

impl Gathered {
    /// Adds an answer.
    pub fn add<T>(&mut self, answer: &Answer<T>) {
        let kept = answer.document.as_ref().map(|document| document.kept.clone()).unwrap_or_default();
        self.0.push(Piece { record: answer.record.clone(), kept });
    }

    /// Adds an answer of which only these bytes are kept.
    pub fn add_extract<T>(&mut self, answer: &Answer<T>, kept: Bytes) {
        let evidence_sha256 = Some(hex::encode(sha256(&kept)));
        self.0.push(Piece { record: SourceRecord { evidence_sha256, ..answer.record.clone() }, kept });
    }

    /// The answers, in their order.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter()
    }

    /// The answers of a kind of document.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Piece> {
        self.0.iter().filter(move |piece| piece.record.document == kind)
    }

    /// True if a source could not be asked again for one of them.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.0.iter().any(|piece| piece.record.stale)
    }

    /// What was asked and what came back, for the finding.
    #[must_use]
    pub fn records(&self) -> Vec<SourceRecord> {
        self.0.iter().map(|piece| piece.record.clone()).collect()
    }

    /// The answers as evidence.
    #[must_use]
    pub fn evidence(&self) -> Vec<EvidenceBlob> {
        let records =
            serde_json::to_vec(&self.records()).expect("a record is plain data, which has a JSON form");
        let mut blobs = vec![EvidenceBlob::new(RECORDS, records)];
        for (number, piece) in self.0.iter().enumerate().filter(|(_, piece)| piece.is_found()) {
            blobs.push(EvidenceBlob::new(role(number), piece.kept.to_vec()));
        }
        blobs
    }

    /// The answers that were kept as evidence.
    ///
    /// # Errors
    /// A piece is missing.
    pub fn from_evidence(evidence: &[EvidenceBlob]) -> Result<Self, EvidenceMissing> {
        let bytes = |wanted: &str| {
            let blob = evidence.iter().find(|blob| blob.role() == wanted);
            blob.and_then(EvidenceBlob::bytes).ok_or_else(|| EvidenceMissing(wanted.to_owned()))
        };
        let records: Vec<SourceRecord> =
            serde_json::from_slice(bytes(RECORDS)?).map_err(|_| EvidenceMissing(RECORDS.to_owned()))?;
        let piece = |(number, record): (usize, SourceRecord)| {
            let mut piece = Piece { record, kept: Bytes::new() };
            if piece.is_found() {
                piece.kept = Bytes::copy_from_slice(bytes(&role(number))?);
            }
            Ok(piece)
        };
        records.into_iter().enumerate().map(piece).collect::<Result<_, _>>().map(Self)
    }
}

fn role(number: usize) -> String {
    format!("source_{number}")
}
