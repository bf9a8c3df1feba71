//! Rules of the crate, proved on secrets that are put together here from parts.

use proptest::prelude::*;
use secrets::{Severity, find, redact, rules};

const BODY: &str = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3";

fn first(text: &str) -> Option<&'static str> {
    find(text).findings.first().map(|s| s.rule.id)
}

fn planted() -> Vec<(&'static str, String)> {
    let hex = "9f3c07a1e5b8d2460f1c9ae37b5d8264";
    vec![
        ("github-token", format!("gh{}{}", "p_", &BODY[..36])),
        ("aws-access-key", format!("AK{}", "IAQ3EGRIVZL5TWM7XN")),
        ("databricks-token", format!("da{}{hex}", "pi")),
        ("stripe-key", format!("sk_{}{}", "live_", &BODY[..24])),
        (
            "private-key-block",
            format!("-----BEGIN {} KEY-----\\n{BODY}\\n-----END {} KEY-----", "RSA PRIVATE", "RSA PRIVATE"),
        ),
        ("assigned-secret", format!("foo_api_key := \"{hex}\"")),
        ("url-password", format!("postgres://app:{}@db.internal/x", "s3cr3tW0rd")),
        ("seed-phrase", format!("{}about", "abandon ".repeat(11))),
        ("payment-card", "4111 1111 1111 1111".to_owned()),
        ("iban", "DE89 3704 0044 0532 0130 00".to_owned()),
    ]
}

#[test]
fn each_planted_secret_is_found_and_gone_after_redaction() {
    for (rule, text) in planted() {
        assert_eq!(first(&text), Some(rule), "{rule}");
        let clean = redact(&text, &find(&text).findings);
        assert!(find(&clean).findings.is_empty(), "{rule}: {clean}");
    }
}

#[test]
fn placeholders_identifiers_and_templates_are_no_secrets() {
    for text in [
        "api_key = \"changeme\"",
        "token: <token>",
        "token = {{ token_41f0a9d7c2 }}",
        "const token = process.env.SERVICE_TOKEN_4711;",
        "apiKeySecretName: prod-4711-payments-v2",
        "secret_ref = projects/4711/secrets/db-main/versions/12",
        "public_key = 9f3c07a1e5b8d2460f1c9ae37b5d8264",
        "https://docs.example.org/pub?key=0Bq9Jd2Lk47567mTzDlOdEJjM3dk&usp=sharing",
        "password = \"1234567890abcdefgh\"",
        "token = aaaaaaaa1111111111bbbbbbbb",
        "curl -u username:password https://a.example",
        "curl -H \"Authorization: Bearer $TOKEN\" https://a.example",
        "Version 4.3.2.1 and v1.2.3.4 and 1.2.3.4.5",
        "SSN 078-05-1120, order 219-34-1234",
        "192.168.1.4, 10.0.0.8, 198.51.100.7, 224.0.0.1",
        "<add key=\"ClearTextPassword\" value=\"%FEED_PASSWORD%\" />",
        "password=${PASSWORD}",
        "key = AKIAIOSFODNN7EXAMPLE",
        "credentialsId: 'ff083f76-7804-4ef1-80e4-fe975bb9141b'",
        "The air answer box believe able clock because ask",
    ] {
        assert_eq!(first(text), None, "{text}");
    }
}

#[test]
fn a_provider_is_named_by_a_whole_word() {
    let hex = "9f3c07a1e5b8d2460f1c9ae37b5d826451e0c7a9";
    assert_eq!(first(&format!("ReactNativeCameraKit: {hex}")), None);
    for name in ["MERAKI_ID", "ciscoMeraki", "cisco-meraki", "meraki"] {
        assert_eq!(first(&format!("{name} = \"{hex}\"")), Some("cisco-meraki-key"), "{name}");
    }
    assert_eq!(first(&format!("myapikey = {hex}")), Some("assigned-secret"));
}

#[test]
fn a_wrong_checksum_of_a_seed_phrase_is_a_warning() {
    assert_eq!(first("abandon ".repeat(12).trim()), Some("seed-phrase-wrong-checksum"));
}

#[test]
fn a_secret_that_is_longer_than_its_shape_is_covered_to_the_end_of_its_token() {
    for tail in ["x".repeat(50), "y_-+/=~".repeat(2000), "a.b.c".to_owned()] {
        let token = format!("gh{}{}{tail}", "p_", &BODY[..36]);
        let text = format!("{token}. And so on");
        let found = find(&text).findings;
        assert_eq!(found[0].span, 0..token.len(), "{}", tail.len());
        assert_eq!(redact(&text, &found), format!("[secret github-token {} bytes]. And so on", token.len()));
    }
}

#[test]
fn the_text_to_hash_holds_shapes_thresholds_and_lists() {
    let text = secrets::canonical_rules();
    for part in ["github-token", "changeme", "fn entropy", "LONGEST_BLOCK", "softlayer"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn rules_have_unique_names() {
    let mut ids: Vec<_> = rules().map(|r| r.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|p| p[0] != p[1]));
}

/// Numbers that a seed gives, for keys that no expression draws.
fn bytes(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

fn hex(seed: u64, length: usize) -> String {
    bytes(seed).map(|b| format!("{b:02x}")).take(length.div_ceil(2)).collect()
}

fn key_pair(seed: u64) -> String {
    let secret: [u8; 32] = std::array::from_fn(|_| 0);
    let secret = secret.iter().zip(bytes(seed)).map(|(_, b)| b).collect::<Vec<u8>>();
    let key = ed25519_dalek::SigningKey::from_bytes(secret.first_chunk().expect("32 bytes were drawn"));
    let pair: Vec<String> = key.to_keypair_bytes().iter().map(u8::to_string).collect();
    format!("[{}]", pair.join(","))
}

#[test]
fn private_keys_of_wallets_are_found_by_their_form() {
    let pair = key_pair(4);
    for (rule, text) in [
        ("hex-private-key", format!("PRIVATE_KEY=0x{}", hex(1, 64))),
        ("hex-private-key", format!("the private key is {}", hex(2, 64))),
        ("solana-key-pair", pair.clone()),
        ("solana-key-pair", pair.replace(',', ",\n  ")),
        (
            "ethereum-keystore",
            format!(
                r#"{{"version":3,"crypto":{{"cipher":"aes-128-ctr","ciphertext":"{}","kdf":"scrypt","mac":"{}"}}}}"#,
                hex(3, 64),
                hex(5, 64)
            ),
        ),
        (
            "putty-private-key",
            format!(
                "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n{}\nPrivate-MAC: {}\n",
                hex(6, 128),
                hex(7, 64)
            ),
        ),
    ] {
        assert!(find(&text).findings.iter().any(|s| s.rule.id == rule), "{rule}: {text}");
    }
    for text in [
        format!("private key with the SHA-256 fingerprint {}", hex(1, 64)),
        format!("the hash of the block is {}", hex(1, 64)),
        pair.replace('[', "[1,"),
        format!("[{}]", vec!["7"; 64].join(",")),
        format!("{{\"ciphertext\":\"{}\"}}", hex(3, 64)),
    ] {
        assert!(find(&text).findings.iter().all(|s| s.rule.severity == Severity::Info), "{text}");
    }
}

#[test]
fn personal_data_is_found_with_its_name_and_an_address_is_only_told() {
    assert_eq!(first("SSN: 219-34-1234"), Some("us-social-security-number"));
    assert_eq!(first("his social security number is 219 34 1234."), Some("us-social-security-number"));
    let found = find("from 93.184.215.14, port 22").findings;
    assert_eq!((found[0].rule.id, found[0].rule.severity), ("public-ip-address", Severity::Info));
}

#[test]
fn commands_and_configuration_files_show_their_secrets() {
    let value = &BODY[..28];
    for (rule, text) in [
        ("curl-user", format!("curl -u admin:{} https://a.example", &BODY[..12])),
        ("curl-header", format!("curl https://a.example \\\n  -H 'X-Api-Key: {value}'")),
        ("authorization-header", format!("Authorization: Bearer {value}")),
        ("kubernetes-secret", format!("apiVersion: v1\nkind: Secret\ndata:\n  password: {value}\n")),
        ("kubernetes-secret", format!("stringData:\n  password: \"{value}\"\nkind: Secret\n")),
        ("nuget-password", format!("<add key=\"ClearTextPassword\" value=\"{value}\" />")),
        ("url-sample-password", "https://user:password@a.example/".to_owned()),
    ] {
        assert!(find(&text).findings.iter().any(|s| s.rule.id == rule), "{rule}: {text}");
    }
    assert_eq!(first(&format!("kind: ConfigMap\ndata:\n  name: {value}\n")), None);
}

#[test]
fn a_long_assigned_value_is_found_whole() {
    let value: String = (0..12).map(|i| hex(100 + i, 32)).collect();
    let found = find(&format!("client_secret = \"{value}\"")).findings;
    assert_eq!((found[0].rule.id, found[0].span.len()), ("assigned-secret", value.len()));
}

#[test]
fn a_value_in_documentation_is_a_warning_and_a_bare_key_too() {
    let text = format!("For example, set SECRET_KEY=\"{}\"", hex(8, 32));
    assert_eq!(
        (first(&text), find(&text).findings[0].rule.severity),
        (Some("assigned-secret-in-documentation"), Severity::Warn)
    );
    assert_eq!(first(&format!("key = {}", hex(9, 32))), Some("assigned-key"));
    let text = format!("For example, use gh{}{}", "p_", &BODY[..36]);
    assert_eq!(find(&text).findings[0].rule.severity, Severity::Block);
}

#[test]
fn a_random_string_in_quotes_is_only_told() {
    let found = find(&format!("let a = \"{}\";", hex(11, 32))).findings;
    assert_eq!((found[0].rule.id, found[0].rule.severity), ("random-string", Severity::Info));
    assert_eq!(first(&format!("checksum = \"{}\"", hex(11, 64))), None);
}

#[test]
fn a_chosen_password_is_a_warning_and_a_word_for_one_is_nothing() {
    for text in ["password: hunter2", "DB_PASSWORD=Summer2024", "Server=db;Password=qu33nBee;"] {
        assert_eq!(
            (first(text), find(text).findings[0].rule.severity),
            (Some("assigned-password"), Severity::Warn),
            "{text}"
        );
    }
    for text in [
        "password: secret2",
        "password: X509CertificateSource",
        "password = get_password(4711)",
        "Password: `secret`",
    ] {
        assert_eq!(first(text), None, "{text}");
    }
}

#[test]
fn an_assigned_value_of_few_digits_is_found_by_its_disorder() {
    let letters = |seed: u64, length: usize| -> String {
        let of = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23".as_bytes();
        bytes(seed).map(|b| char::from(of[usize::from(b) % of.len()])).take(length).collect()
    };
    let found = (0..50)
        .filter(|seed| first(&format!("api_token = \"{}2\"", letters(*seed, 30))) == Some("assigned-secret"))
        .count();
    assert!(found >= 40, "{found} of 50");
    let text = "SECRET_KEY = 'q(7mZ$k1;Hw)t^4Bn[xR9&e'";
    assert_eq!(redact(text, &find(text).findings), "SECRET_KEY = '[secret assigned-secret 23 bytes]'");
}

#[test]
fn a_password_of_a_sample_address_is_a_warning() {
    for text in [
        "http://a:s3cr3tW0rd@example.com",
        "postgres://postgres:postgres@db",
        "https://user:xyz@a.b",
        "redis://u:s3cr3tW0rd@localhost",
    ] {
        assert_eq!(first(text), Some("url-sample-password"), "{text}");
    }
    assert_eq!(first("https://app:s3cr3tW0rd@db.shop.org/x"), Some("url-password"));
}

#[test]
fn types_badges_and_named_fingerprints_are_no_secrets() {
    for text in [
        "pub const InheritPrivateKey: X509RequestInheritOptions = 3",
        "Secrets::Chacha20Poly1305",
        "https://codecov.io/gh/a/b/graph/badge.svg?token=Z92NHFQ70G",
        "gpg --recv-keys A363A499291CBBC940DD62E41F10027AF002F8B0",
    ] {
        assert_eq!(first(text), None, "{text}");
    }
}

#[test]
fn a_key_of_the_kit_for_telephones_is_none() {
    let key = format!("{}-us18", hex(10, 32));
    assert_eq!(first(&format!("Mailchimp {key}")), Some("mailchimp-key"));
    assert_eq!(first(&format!("MailchimpSDK.initialize(token: \"{key}\")")), None);
}

#[test]
fn hostile_texts_end_and_are_redacted() {
    const SIZE: usize = 256 * 1024;
    let units = [
        "a",
        "A",
        "4",
        "=",
        "-",
        "[",
        "\"",
        "'\"",
        "key=",
        "key:",
        "keykey",
        "curl ",
        "curl -u -H \"",
        "token: ",
        "ghp_",
        "xoxb-1-",
        "AKIA",
        "eyJ",
        "eyJ.",
        "://a:",
        "AP1a ",
        "4.4.4.4 ",
        "ssn 1",
        "private key ",
        "kind: secret\n",
        "heroku=",
        "0|",
        "é key=",
        "\"9f3c07a1e5b8d2460f1c9ae37b5d8264\"",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "\"ciphertext\":",
        "-----BEGIN RSA PRIVATE KEY-----",
    ];
    for unit in units {
        let text: String = unit.chars().cycle().take(SIZE).collect();
        let found = find(&text).findings;
        assert!(
            found.iter().all(|s| text.get(s.span.clone()).is_some_and(|secret| !secret.is_empty())),
            "{unit}"
        );
        let _ = redact(&text, &found);
    }
}

proptest! {
    #[test]
    fn spans_are_on_boundaries_and_redaction_leaves_no_finding_text(a in ".{0,60}", b in ".{0,60}", i in 0usize..10) {
        let secret = planted().remove(i).1;
        let text = format!("{a} {secret} {b}");
        let found = find(&text).findings;
        let clean = redact(&text, &found);
        for s in &found {
            prop_assert!(text.is_char_boundary(s.span.start) && text.is_char_boundary(s.span.end));
        }
        prop_assert!(found.is_empty() || !clean.contains(&secret));
    }

    #[test]
    fn no_text_of_marks_and_prefixes_breaks_a_span(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        let text = parts.concat();
        let found = find(&text).findings;
        for s in &found {
            prop_assert!(s.span.start < s.span.end && text.get(s.span.clone()).is_some());
        }
        let clean = redact(&text, &found);
        // What is left are the bytes between the spans, in their order.
        let kept: usize = text.len() - covered(&found);
        prop_assert!(clean.len() >= kept);
    }
}

const PARTS: &[&str] = &[
    "gh",
    "p_",
    "AKIA",
    "eyJ",
    "xoxb-",
    "sk-",
    "key",
    "token",
    " = ",
    ":",
    "\"",
    "'",
    "curl ",
    "-u ",
    "-H ",
    "://",
    "@",
    "Ab1Cd2Ef3Gh4",
    "é",
    "\u{202e}",
    "\n",
    "\\",
    "-----BEGIN ",
    "PRIVATE KEY-----",
    "4111 1111 1111 1111",
    "[",
    "]",
    ",",
    "0x",
    "9f3c07a1e5b8d2460f1c9ae37b5d8264",
    "Q~",
    "-us1",
    "1.1.1.1",
    "kind: Secret\n",
    "data:\n",
    "  a: ",
    "ssn ",
    "219-34-1234",
    ".",
    "%",
    "|",
    "&",
];

fn covered(found: &[secrets::Secret]) -> usize {
    let (mut end, mut sum) = (0, 0);
    for s in found {
        sum += s.span.end.saturating_sub(s.span.start.max(end));
        end = end.max(s.span.end);
    }
    sum
}

/// A phrase of the published examples.
const PHRASE: &str = "legal winner thank year wave sausage worth useful legal winner thank yellow";

#[test]
fn a_seed_phrase_is_found_beside_list_words_with_labels_and_in_every_line() {
    let labelled: String = PHRASE
        .split(' ')
        .enumerate()
        .map(|(number, word)| format!("Word {}: {word}\n", number + 1))
        .collect();
    let lines: String = (1..=6).map(|number| format!("{number}) {PHRASE}\n")).collect();
    for text in [
        format!("My backup, save this phrase: {PHRASE}"),
        format!("Remember: one, two, wait; {PHRASE}"),
        PHRASE.replace(' ', " and "),
        labelled,
        lines,
    ] {
        assert_eq!(first(&text), Some("seed-phrase"), "{text}");
    }
}

#[test]
fn menus_and_tables_of_a_few_list_words_are_no_seed_phrase() {
    let flags = "true, false, false, true, true, true, false, true, false, false, true, true, false, true";
    for text in
        ["menu item ".repeat(7), "very ".repeat(13), flags.to_owned(), "Sub menu\nPage item\n".repeat(20)]
    {
        assert_eq!(first(&text), None, "{text}");
    }
}
