//! Memories of subjects, which later rulings of the same class are told.

use crate::admission::short_hash;

/// The key of a memory: the first half of a SHA-256 of the class and the subject, so that no subject stands in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryKey(pub [u8; 16]);

impl MemoryKey {
    /// The memory that rulings of a class have of a subject. The SHA-256 identifies the subject.
    #[must_use]
    pub fn new(class: &str, subject_sha256: &[u8; 32]) -> Self {
        Self(short_hash(&["memory", class, &format!("{subject_sha256:?}")]))
    }
}

/// A memory that a receipt stores, in place of the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewMemory {
    /// The key of the memory.
    pub key: MemoryKey,
    /// The text, of at most [`verdict::MAX_MEMORY_BYTES`] bytes.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_own_memory_of_a_subject() {
        let key = MemoryKey::new("trust-score", &[7; 32]);
        assert_ne!(key, MemoryKey::new("commit", &[7; 32]));
        assert_ne!(key, MemoryKey::new("trust-score", &[8; 32]));
    }
}
