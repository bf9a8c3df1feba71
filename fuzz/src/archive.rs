//! Archives for audits: any bytes are refused or given back as they were, and no change of a signed one holds.

use std::sync::LazyLock;

use ::receipt::key::{KeyId, PublishedKey, SigningKey};
use ::receipt::time::Timestamp;
use ::receipt::verify::Keys;
use audit_archive::layout::{CHECKPOINT, KEYS, Name, SUMS, sums_line};
use audit_archive::tar::{TarError, TarReader, header};
use audit_archive::{ArchiveReport, verify as verify_archive};

/// The base address of the notary whose keys verify here.
pub const BASE_URL: &str = "http://localhost:8402";

/// The key that signs its receipts.
#[must_use]
pub fn receipt_key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

/// The key of its log.
///
/// # Panics
/// Never: the name is that of a key.
#[must_use]
pub fn log_key() -> tlog::SigningKey {
    tlog::SigningKey::from_seed("localhost:8402/log", &[8; 32]).expect("a key name")
}

static KEYS_OF_NOTARY: LazyLock<Keys> = LazyLock::new(|| {
    let key = receipt_key().public_key();
    let kid = KeyId::new(BASE_URL, &key).expect("a base address");
    Keys::new(vec![PublishedKey::active(kid, key)], vec![log_key().verifier()]).expect("good keys")
});

type Members = Vec<(String, Vec<u8>)>;

fn members(archive: &[u8]) -> Result<Members, TarError> {
    let (mut reader, mut found) = (TarReader::new(archive), Vec::new());
    while let Some(member) = reader.next_member()? {
        let (mut content, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            match reader.read_content(&mut buffer)? {
                0 => break,
                count => content.extend_from_slice(&buffer[..count]),
            }
        }
        found.push((member.name, content));
    }
    Ok(found)
}

/// The archive of these members as they are.
///
/// # Panics
/// A name is not that of a member.
#[must_use]
pub fn written(members: &Members) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        bytes.extend(header(name, content.len() as u64).expect("a member's name"));
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// The archive of these members, and of the right sums over them.
#[must_use]
pub fn with_sums(mut members: Members) -> Vec<u8> {
    members.retain(|(name, _)| name != SUMS);
    let line = |(name, content): &(String, Vec<u8>)| sums_line(&::receipt::hash::sha256(content), name);
    let sums: String = members.iter().map(line).collect();
    members.push((SUMS.to_owned(), sums.into_bytes()));
    written(&members)
}

/// The container: any bytes are refused or given back as they were.
pub fn tar(data: &[u8]) -> bool {
    let Ok(members) = members(data) else { return false };
    assert_eq!(written(&members), data);
    true
}

fn report(archive: &[u8]) -> ArchiveReport {
    verify_archive(archive, Some(KEYS_OF_NOTARY.clone()), None, Timestamp::MAX, &mut || ())
        .expect("memory is read")
}

/// Archives: verifying them does not panic, with right sums and with others. One that holds is whole in its container, and
/// the log and the receipts in it are those that the notary signed, which is one of each for one size of the log.
pub fn verify(data: &[u8]) -> bool {
    let found = report(data);
    let members = members(data);
    let Ok(members) = members else {
        assert!(!found.holds() && !found.is_whole && found.problem_count > 0, "{found:?}");
        return false;
    };
    let again = report(&with_sums(members.clone()));
    for (report, has_own_sums) in [(&found, true), (&again, false)] {
        assert!(!report.holds() || report.is_whole, "{report:?}");
        assert!(report.is_whole || report.problem_count > 0, "{report:?}");
        if report.holds() {
            signed_members_are_there(&members, has_own_sums);
        }
    }
    found.holds()
}

fn signed_members_are_there(members: &Members, has_own_sums: bool) {
    let has = |wanted: &str| members.iter().filter(|(name, _)| name == wanted).count() == 1;
    assert!(has(CHECKPOINT) && has(KEYS) && (has(SUMS) || !has_own_sums));
    assert!(members.iter().all(|(name, _)| Name::read(name).is_some()));
}
