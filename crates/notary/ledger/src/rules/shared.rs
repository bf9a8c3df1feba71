//! The rules for state that all processes of one store have in common.

use receipt::time::Timestamp;

use crate::{
    LedgerError, MAX_SHARED_CHUNK, MAX_SHARED_FILE, MAX_SHARED_NAME, MAX_SHARED_NOTE, MAX_SHARED_VALUE,
    Owner, SharedContent,
};

/// Decides whether an owner gets a lease that `holder` has until a time. Both times are by one clock.
#[must_use]
pub fn may_lease(holder: Owner, lease_until: i64, owner: Owner, now: i64) -> bool {
    holder == owner || lease_until <= now
}

/// Checks a name: of a lease, a value, a folder, or a file's path.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_name(name: &str) -> Result<(), LedgerError> {
    if name.is_empty() || name.len() > MAX_SHARED_NAME || name.contains('\0') {
        return Err(unfit(format!("a name of {} bytes, and not of 1 to {MAX_SHARED_NAME}", name.len())));
    }
    Ok(())
}

/// Checks the size of a value.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_value(bytes: &[u8]) -> Result<(), LedgerError> {
    at_most(bytes.len(), MAX_SHARED_VALUE)
}

/// Checks the size of a note.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_note(bytes: &[u8]) -> Result<(), LedgerError> {
    at_most(bytes.len(), MAX_SHARED_NOTE)
}

/// Checks the size of a chunk.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_chunk(bytes: &[u8]) -> Result<(), LedgerError> {
    at_most(bytes.len(), MAX_SHARED_CHUNK)
}

/// Checks the size of a file, and the number of its chunks.
///
/// # Errors
/// [`LedgerError::Unfit`]
pub fn check_content(content: &SharedContent) -> Result<(), LedgerError> {
    let SharedContent { length, chunks, .. } = content;
    if *length > MAX_SHARED_FILE {
        return Err(unfit(format!("a file of {length} bytes, more than {MAX_SHARED_FILE}")));
    }
    let expected = length.div_ceil(MAX_SHARED_CHUNK as u64);
    if chunks.len() as u64 != expected {
        return Err(unfit(format!(
            "a file of {length} bytes in {} chunks, and not {expected}",
            chunks.len()
        )));
    }
    Ok(())
}

/// The earliest time since which a chunk may have been stored that no file names and that is still kept.
#[must_use]
pub fn chunks_kept_since(at: Timestamp) -> Timestamp {
    at.saturating_add_millis(-crate::SHARED_CHUNK_GRACE_MS)
}

/// The refusal of a file one of whose chunks is not stored.
#[must_use]
pub fn no_chunk(sha256: &[u8; 32]) -> LedgerError {
    let start: String = sha256.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    unfit(format!("the chunk {start}... is not stored"))
}

fn at_most(bytes: usize, most: usize) -> Result<(), LedgerError> {
    if bytes > most {
        return Err(unfit(format!("{bytes} bytes, more than {most}")));
    }
    Ok(())
}

fn unfit(why: String) -> LedgerError {
    LedgerError::Unfit(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_goes_to_who_has_it_and_to_others_once_it_is_over() {
        let (one, other) = (Owner([1; 16]), Owner([2; 16]));
        assert!(may_lease(one, 10, one, 5) && may_lease(one, 10, one, 15));
        assert!(!may_lease(one, 10, other, 9) && may_lease(one, 10, other, 10));
    }

    #[test]
    fn names_values_and_files_are_bounded() {
        assert!(check_name("lists").is_ok() && check_name(&"a".repeat(MAX_SHARED_NAME)).is_ok());
        for name in ["", "a\0b", &"a".repeat(MAX_SHARED_NAME + 1)] {
            assert!(matches!(check_name(name), Err(LedgerError::Unfit(_))));
        }
        assert!(
            check_value(&[0; MAX_SHARED_VALUE]).is_ok() && check_value(&[0; MAX_SHARED_VALUE + 1]).is_err()
        );
        assert!(
            check_chunk(&[0; MAX_SHARED_CHUNK]).is_ok() && check_chunk(&[0; MAX_SHARED_CHUNK + 1]).is_err()
        );
        let file = |length: u64, chunks: usize| {
            check_content(&SharedContent { sha256: [0; 32], length, chunks: vec![[0; 32]; chunks] })
        };
        let chunk = MAX_SHARED_CHUNK as u64;
        assert!(
            file(0, 0).is_ok() && file(1, 1).is_ok() && file(chunk, 1).is_ok() && file(chunk + 1, 2).is_ok()
        );
        assert!(file(0, 1).is_err() && file(1, 0).is_err() && file(chunk + 1, 1).is_err());
        assert!(file(MAX_SHARED_FILE + 1, 1025).is_err());
    }
}
