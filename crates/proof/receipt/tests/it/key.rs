//! The rules of keys: their files, their names, their documents.

use receipt::key::{
    JwksError, KeyFileError, KeyId, PublicKey, PublishedKey, SigningKey, VerifyingKey, WeakKey, did_document,
    did_from_base_url, jwk, jwks, log_origin_from_base_url, normalize_base_url, parse_jwks,
};
use std::fs;

fn key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

#[test]
fn the_thumbprint_is_that_of_rfc_8037_appendix_a3() {
    let key = PublicKey::from_base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo").unwrap();
    assert_eq!(key.thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

#[test]
fn signatures_are_those_of_rfc_8032_section_7_1() {
    let seed = hex::decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
    let key = SigningKey::from_seed(&seed.try_into().unwrap());
    assert_eq!(
        hex::encode(key.public_key().0),
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    );
    let signature = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
    assert_eq!(hex::encode(key.sign(b"")), signature);
}

#[cfg(unix)]
mod files {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &std::path::Path) -> u32 {
        fs::metadata(path).expect("the file is there").permissions().mode() & 0o7777
    }

    #[test]
    fn a_key_file_is_for_its_owner_alone_and_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt.pem");
        key().save(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        assert_eq!(SigningKey::load(&path).unwrap().public_key(), key().public_key());
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "nothing is left beside the file");
    }

    #[test]
    fn a_key_file_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt.pem");
        key().save(&path).unwrap();
        let other = SigningKey::from_seed(&[8; 32]);
        assert!(matches!(other.save(&path), Err(KeyFileError::Exists { .. })));
        assert_eq!(SigningKey::load_or_create(&path).unwrap().public_key(), key().public_key());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_key_file_that_others_can_read_is_refused_with_what_to_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt.pem");
        key().save(&path).unwrap();
        for open in [0o640, 0o604, 0o660, 0o601, 0o610, 0o644] {
            fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
            let error = SigningKey::load(&path).unwrap_err();
            assert!(matches!(error, KeyFileError::ReadableByOthers { mode, .. } if mode == open));
            assert!(error.to_string().contains(&format!("run `chmod 600 {}`", path.display())), "{error}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        assert!(SigningKey::load(&path).is_ok());
    }

    #[test]
    fn what_holds_no_key_is_refused_without_repeating_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt.pem");
        let pem = key().to_pem();
        let p256 = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE KEY-----\n";
        for text in ["", "secret", &pem[..60], &pem.replace("PRIVATE", "PUBLIC"), p256] {
            let _ = fs::remove_file(&path);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            let error = SigningKey::load(&path).unwrap_err();
            assert!(matches!(error, KeyFileError::NotAKey { .. }));
            assert!(!error.to_string().contains("secret"));
        }
        fs::remove_file(&path).unwrap();
        assert!(SigningKey::load(&path).unwrap_err().is_not_found());
        assert!(
            folder.path().join("none").join("receipt.pem").parent().is_some_and(|folder| !folder.exists())
        );
        assert!(key().save(&folder.path().join("none").join("receipt.pem")).is_err());
    }

    #[test]
    fn a_missing_key_is_generated_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("receipt.pem");
        let created = SigningKey::load_or_create(&path).unwrap().public_key();
        assert_eq!(SigningKey::load_or_create(&path).unwrap().public_key(), created);
        assert_ne!(SigningKey::generate().unwrap().public_key(), created);
    }
}

#[test]
fn a_key_is_written_as_openssl_writes_it_and_read_however_its_lines_are_broken() {
    let base64 = "MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{base64}\n-----END PRIVATE KEY-----\n");
    assert_eq!(*key().to_pem(), pem);
    let broken = format!("{}\n\n  {}\t{}", &base64[..7], &base64[7..40], &base64[40..]);
    for text in [
        pem.replace('\n', "\r\n"),
        pem.replace('\n', " "),
        pem.replace('\n', ""),
        pem.replace(base64, &broken),
        format!(" \n{pem}\n"),
    ] {
        let read = SigningKey::from_pem(&text).unwrap();
        assert_eq!(read.public_key(), key().public_key(), "{text:?}");
    }
    for text in [format!("{pem}{pem}"), format!("# a key\n{pem}"), pem.replace(base64, &base64[1..])] {
        assert!(SigningKey::from_pem(&text).is_none(), "{text:?}");
    }
}

#[test]
fn a_private_key_does_not_print_itself() {
    let key = key();
    let secret = key.to_pem();
    let body = secret.lines().nth(1).unwrap();
    let printed = format!("{key:?} {key:#?}");
    assert!(!printed.contains(body) && !printed.contains(&hex::encode([7; 32])) && printed.contains(".."));
}

#[test]
fn a_base_address_has_one_identity_and_one_log() {
    let cases = [
        ("https://notary.example", "did:web:notary.example", "notary.example/log"),
        ("http://localhost:8402", "did:web:localhost%3A8402", "localhost:8402/log"),
        ("https://Notary.Example:443", "did:web:notary.example%3A443", "notary.example:443/log"),
        ("http://[::1]:8402", "did:web:%5B%3A%3A1%5D%3A8402", "[::1]:8402/log"),
    ];
    for (address, did, origin) in cases {
        assert_eq!(did_from_base_url(address).unwrap(), did);
        assert_eq!(log_origin_from_base_url(address).unwrap(), origin);
    }
    let refused = [
        "",
        "notary.example",
        "ftp://notary.example",
        "https://",
        "https://notary.example/",
        "https://notary.example/a",
        "https://a@notary.example",
        "https://notary.example?x",
        "https://notary.example#x",
        "https://notary.example:",
        "https://notary.example:0",
        "https://notary.example:123456",
        "https://nötary.example",
        "https://[::1",
        "https://a b",
        "https://:80",
    ];
    for address in refused {
        assert!(did_from_base_url(address).is_err(), "{address}");
    }
}

#[test]
fn a_base_address_has_one_spelling() {
    let cases = [
        ("HTTPS://Notary.Example/", "https://notary.example"),
        ("https://notary.example:443", "https://notary.example"),
        ("https://notary.example:80", "https://notary.example:80"),
        ("http://LOCALHOST:80//", "http://localhost"),
        ("http://localhost:443", "http://localhost:443"),
        ("http://localhost:8443", "http://localhost:8443"),
        ("http://[FE80::80]:8402", "http://[fe80::80]:8402"),
    ];
    for (address, spelled) in cases {
        assert_eq!(normalize_base_url(address).unwrap(), spelled);
        assert_eq!(normalize_base_url(spelled).unwrap(), spelled);
    }
    for address in ["", "/", "https://", "https:///", "https://notary.example/a/", "https://:443"] {
        assert_eq!(normalize_base_url(address).unwrap_err().0, address);
    }
}

#[test]
fn a_kid_is_read_from_exactly_what_is_written() {
    let kid = KeyId::new("http://localhost:8402", &key().public_key()).unwrap();
    assert_eq!(kid.as_str().parse::<KeyId>().unwrap(), kid);
    let long = format!("{kid}A");
    for text in [
        "",
        "did:web:a",
        "did:web:#x",
        "did:key:a#b",
        &long,
        &kid.as_str()[..kid.as_str().len() - 1],
        "did:web:a b#c",
    ] {
        assert!(text.parse::<KeyId>().is_err(), "{text}");
    }
}

fn published() -> [PublishedKey; 2] {
    let (active, retired) = (key().public_key(), SigningKey::from_seed(&[6; 32]).public_key());
    let kid = |key| KeyId::new("https://notary.example", key).expect("a base address");
    [PublishedKey::active(kid(&active), active), PublishedKey::retired(kid(&retired), retired)]
}

#[test]
fn a_jwk_has_the_members_that_rfc_8037_asks_for() {
    let [active, retired] = published();
    let expected = serde_json::json!({
        "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig",
        "kid": active.kid.as_str(), "x": active.key.to_base64url(),
    });
    assert_eq!(jwk(&active), expected);
    assert_eq!(jwk(&retired)["status"], "retired");
}

#[test]
fn a_key_set_is_read_back_with_retired_keys_and_without_foreign_ones() {
    let keys = published();
    let mut document = jwks(&keys, &[]);
    document["keys"]
        .as_array_mut()
        .unwrap()
        .insert(0, serde_json::json!({"kty": "EC", "crv": "P-256", "x": "AA"}));
    assert_eq!(parse_jwks(document.to_string().as_bytes()).unwrap(), keys);
}

#[test]
fn the_key_of_reruns_keeps_its_role_and_a_key_of_an_unknown_role_is_passed_over() {
    let key = SigningKey::from_seed(&[5; 32]).public_key();
    let rerun = PublishedKey::rerun(KeyId::new("https://notary.example", &key).unwrap(), key);
    let [active, retired] = published();
    let keys = [active, retired, rerun];
    let mut document = jwks(&keys, &[]);
    assert_eq!((&document["keys"][2]["role"], &document["keys"][2]["use"]), (&"rerun".into(), &"sig".into()));
    assert_eq!(parse_jwks(document.to_string().as_bytes()).unwrap(), keys);
    for role in [serde_json::json!("other"), serde_json::json!(7), serde_json::json!(null)] {
        document["keys"][2]["role"] = role;
        assert_eq!(parse_jwks(document.to_string().as_bytes()).unwrap(), keys[..2]);
    }
    let did = did_document("did:web:notary.example", &keys, &[]);
    assert_eq!(did["verificationMethod"][4]["id"], keys[2].kid.as_str());
    assert_eq!(did["assertionMethod"], serde_json::json!(both_names(&keys[0])));
}

#[test]
fn a_key_set_with_a_wrong_key_is_refused_as_a_whole() {
    let changed = |name: &str, value: &str| {
        let mut document = jwks(&published(), &[]);
        document["keys"][1][name] = value.into();
        parse_jwks(document.to_string().as_bytes()).unwrap_err()
    };
    // The identity, a point of order 1: anybody could sign for it.
    assert!(matches!(changed("x", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), JwksError::BadKey(1)));
    assert!(matches!(changed("x", "AA"), JwksError::BadKey(1)));
    assert!(matches!(changed("kid", "key-1"), JwksError::BadKeyId { index: 1, .. }));
    assert!(matches!(changed("kid", published()[0].kid.as_str()), JwksError::WrongThumbprint(1)));
    assert!(matches!(parse_jwks(b"[]").unwrap_err(), JwksError::NoKeys));
    assert!(matches!(parse_jwks(b"{").unwrap_err(), JwksError::Json(_)));
}

/// The names of a key's two verification methods.
fn both_names(key: &PublishedKey) -> [String; 2] {
    [key.kid.to_string(), format!("did:web:notary.example#{}", key.key.to_multibase())]
}

#[test]
fn only_active_keys_may_assert_in_the_did_document() {
    let keys = published();
    let log_key = SigningKey::from_seed(&[6; 32]).public_key();
    let log = PublishedKey::active(KeyId::new("https://notary.example", &log_key).unwrap(), log_key);
    let document = did_document("did:web:notary.example", &keys, std::slice::from_ref(&log));
    assert_eq!(document["id"], "did:web:notary.example");
    let methods = document["verificationMethod"].as_array().unwrap();
    let named = |at: usize| [0, 1].map(|more| methods[2 * at + more]["id"].as_str().unwrap().to_owned());
    assert_eq!([0, 1, 2].map(named), [&keys[0], &keys[1], &log].map(both_names));
    assert_eq!(methods[2]["publicKeyJwk"]["x"], keys[1].key.to_base64url());
    assert_eq!((methods.len(), &methods[5]["type"]), (6, &"Multikey".into()));
    assert_eq!(document["assertionMethod"], serde_json::json!(both_names(&keys[0])));
}

#[test]
fn a_multikey_is_that_of_an_ed25519_key_or_none() {
    let key = SigningKey::from_seed(&[7; 32]).public_key();
    let text = key.to_multibase();
    assert!(text.starts_with("z6Mk"));
    assert_eq!(PublicKey::from_multibase(&text), Some(key));
    // Without its `z`, cut, with more, of P-256, and with a digit that base58 does not have.
    let of_p256 = "zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169";
    for bad in ["", "z", &text[1..], &text[..47], &format!("{text}1"), of_p256, &text.replace('k', "0")] {
        assert_eq!(PublicKey::from_multibase(bad), None, "{bad}");
    }
}

#[test]
fn keys_of_small_order_are_refused() {
    let small = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    ];
    for key in small {
        let bytes: [u8; 32] = hex::decode(key).unwrap().try_into().unwrap();
        assert_eq!(VerifyingKey::new(PublicKey(bytes)).unwrap_err(), WeakKey);
    }
}
