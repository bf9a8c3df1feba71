//! Keys: where they come from, and that they stay there.

use std::fs;
use std::path::PathBuf;

use k256::elliptic_curve::PrimeField as _;
use payment::eip712::{SignatureError, recover};
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

/// The order of the curve, less one: the greatest key.
const LAST_KEY: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";

#[test]
fn the_least_and_the_greatest_key_sign_as_k256_does() {
    for key in [format!("{:064x}", 1), LAST_KEY.to_owned()] {
        let wallet = Wallet::from_hex(&key).unwrap();
        let key = hex::decode(key).unwrap();
        for byte in [0, 1, 0x7f, 0xfe] {
            let digest = B256::repeat_byte(byte);
            assert_eq!(wallet.sign(&digest).to_vec(), k256_sign(&digest, &key));
            assert_eq!(recover(&digest, &wallet.sign(&digest)), Ok(wallet.address()));
        }
    }
}

proptest! {
    /// Wallets sign with libsecp256k1; k256 is the other opinion. Both derive the nonce by RFC 6979, so that the
    /// signatures are the same to the byte: `s` in the lower half, `v` 27 or 28.
    #[test]
    fn both_implementations_make_the_same_signature(digest: [u8; 32], key: [u8; 32]) {
        let Ok(wallet) = Wallet::from_bytes(key) else { return Ok(()) };
        let digest = B256::new(digest);
        prop_assert_eq!(wallet.sign(&digest).to_vec(), k256_sign(&digest, &key));
    }

    /// The same account is recovered, or none, from a signature that a bit or more was changed in.
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

    /// The other half of any signature, which anybody can make of it without the key, is refused as such.
    #[test]
    fn a_signature_turned_over_is_refused(digest: [u8; 32], key: [u8; 32]) {
        let Ok(wallet) = Wallet::from_bytes(key) else { return Ok(()) };
        let digest = B256::new(digest);
        let mut signature = wallet.sign(&digest).to_vec();
        let s = k256::Scalar::from_repr(*k256::FieldBytes::from_slice(&signature[32..64])).unwrap();
        signature[32..64].copy_from_slice(&(-s).to_bytes());
        signature[64] = 27 + 28 - signature[64];
        prop_assert_eq!(recover(&digest, &signature), Err(SignatureError::HighS));
    }
}

fn k256_sign(digest: &B256, key: &[u8]) -> Vec<u8> {
    let key = k256::ecdsa::SigningKey::from_slice(key).unwrap();
    let (signature, id) = key.sign_prehash_recoverable(digest.as_slice()).unwrap();
    [signature.to_bytes().as_slice(), &[27 + id.to_byte()]].concat()
}

fn k256_recover(digest: &B256, signature: &[u8]) -> Option<payment::Address> {
    use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
    let id = RecoveryId::from_byte(signature[64] - 27)?;
    let signature = Signature::from_slice(&signature[..64]).ok()?;
    if signature.normalize_s().is_some() {
        return None;
    }
    let key = VerifyingKey::recover_from_prehash(digest.as_slice(), &signature, id).ok()?;
    Some(payment::Address::from_raw_public_key(&key.to_encoded_point(false).as_bytes()[1..]))
}
