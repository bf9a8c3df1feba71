//! Keys: where they come from, and that they stay there.

use std::fs;
use std::path::PathBuf;

use payment::eip712::recover;
use payment::{B256, Wallet, WalletError};
use proptest::prelude::*;

const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

fn file(mode: u32, text: &str) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wallet");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    (folder, path)
}

#[test]
fn a_key_is_read_from_hexadecimal_with_or_without_0x_and_white_space_around() {
    for text in [KEY, &format!("0x{KEY}"), &format!("  0x{KEY}\n"), &KEY.to_uppercase()] {
        assert_eq!(Wallet::from_hex(text).unwrap().address().to_string(), ADDRESS);
    }
    let (_folder, path) = file(0o600, &format!("0x{KEY}\n"));
    assert_eq!(Wallet::load(&path).unwrap().address().to_string(), ADDRESS);
}

#[test]
fn what_is_no_key_is_refused_and_never_quoted() {
    let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    let zero = "0".repeat(64);
    for text in ["", "0x", &KEY[1..], &format!("{KEY}00"), &format!("0x0x{KEY}"), &zero, order, "zz"] {
        let error = Wallet::from_hex(text).unwrap_err();
        assert!(matches!(error, WalletError::NotAKey), "{text}");
    }
    let (_folder, path) = file(0o600, &format!("{KEY} {KEY}"));
    let error = Wallet::load(&path).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(&KEY[..8]));
}

#[test]
fn a_file_that_others_can_read_or_that_is_not_there_is_refused() {
    for mode in [0o644, 0o640, 0o604, 0o620] {
        let (_folder, path) = file(mode, KEY);
        assert!(matches!(Wallet::load(&path), Err(WalletError::ReadableByOthers { .. })), "{mode:o}");
    }
    assert!(matches!(Wallet::load("/nonexistent".as_ref()), Err(WalletError::Io { .. })));
}

#[test]
fn a_wallet_shows_its_address_and_nothing_of_its_key() {
    let shown = format!("{:?}", Wallet::from_hex(KEY).unwrap());
    assert!(shown.to_lowercase().contains(&ADDRESS.to_lowercase()), "{shown}");
    assert!(!shown.contains(&KEY[..8]), "{shown}");
}

proptest! {
    /// Recovery is by libsecp256k1; k256 is the other opinion.
    #[test]
    fn both_implementations_recover_the_same_account(digest: [u8; 32], key: [u8; 32], byte in 0..64usize, flip: u8) {
        let Ok(wallet) = Wallet::from_bytes(key) else { return Ok(()) };
        let digest = B256::new(digest);
        let mut signature = wallet.sign(&digest).to_vec();
        prop_assert_eq!(recover(&digest, &signature), Ok(wallet.address()));
        signature[byte] ^= flip;
        let expected = k256_recover(&digest, &signature);
        prop_assert_eq!(recover(&digest, &signature).ok(), expected);
    }
}

fn k256_recover(digest: &B256, signature: &[u8]) -> Option<payment::Address> {
    use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
    let id = RecoveryId::from_byte(signature[64] - 27)?;
    let signature = Signature::from_slice(&signature[..64]).ok()?;
    if signature.normalize_s().is_some() {
        return None;
    }
    let key = VerifyingKey::recover_from_prehash(digest.as_slice(), &signature, id).ok()?;
    Some(payment::Address::from_public_key(&key))
}
