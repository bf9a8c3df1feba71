//! Policies: what is read, what is refused by its line, and which checkpoints meet them.

use std::collections::BTreeSet;

use aws_lc_rs::signature::{ML_DSA_44_SIGNING, PqdsaKeyPair};
use proptest::prelude::*;
use tlog::policy::{MAX_ENTRIES, MAX_POLICY_BYTES};
use tlog::{
    CheckpointError, CosignerKey, KeyError, KeyKind, Note, NoteError, NoteSignature, Policy, PolicyError,
    PolicyLineError,
};

use crate::common::texts::{ORIGIN, head, key, named};

/// The key of the witness of this number; those of odd numbers sign with ML-DSA-44.
fn witness(number: u8) -> CosignerKey {
    let kind = if number.is_multiple_of(2) { KeyKind::CosignatureV1 } else { KeyKind::MlDsa44 };
    CosignerKey::from_seed(&format!("w{number}.example"), kind, &[100 + number; 32]).unwrap()
}

fn vkey(number: u8) -> String {
    witness(number).verifier().to_string()
}

/// The log and the witnesses w0, w1, ... of a policy, before its groups.
fn start(witnesses: u8) -> String {
    let lines = (0..witnesses).map(|number| format!("witness w{number} {}\n", vkey(number)));
    format!("log {}\n{}", key().verifier(), lines.collect::<String>())
}

fn read(file: &str) -> Result<Policy, PolicyError> {
    Policy::from_bytes(file.as_bytes())
}

/// The checkpoint, cosigned by these witnesses, each at 1000 and its number.
fn cosigned(by: impl IntoIterator<Item = u8>) -> Note {
    let signed: Note = head().sign(&key()).unwrap().parse().unwrap();
    let mut signatures = signed.signatures().to_vec();
    signatures.extend(by.into_iter().map(|n| witness(n).cosign(&head(), 1000 + u64::from(n)).unwrap()));
    Note::new(signed.text(), signatures).unwrap()
}

#[test]
fn a_policy_of_two_levels_is_met_as_the_standard_says() {
    let groups = "group X 2 w0 w1 w2\ngroup Y any w3 w4 w5\ngroup both all X Y\nquorum both\n";
    let policy = read(&format!("{}{groups}", start(6))).unwrap();
    assert_eq!((policy.logs().len(), policy.witnesses().len()), (1, 6));
    for (by, met) in [
        (&[][..], false),
        (&[0, 1], false),
        (&[3, 4, 5], false),
        (&[0, 3], false),
        (&[0, 1, 3], true),
        (&[1, 2, 5], true),
        (&[0, 1, 2, 3, 4, 5], true),
    ] {
        let note = cosigned(by.iter().copied());
        let report = policy.evaluate(&note).unwrap();
        assert_eq!(report.is_met(), met, "{by:?}");
        let names: Vec<_> = report.cosignatures.iter().map(|found| found.witness.name.clone()).collect();
        assert_eq!(names, by.iter().map(|n| format!("w{n}").into_bytes()).collect::<Vec<_>>());
        assert_eq!(report.oldest(), by.first().map(|n| 1000 + u64::from(*n)));
        assert_eq!(report.met_by(), by.last().filter(|_| met).map(|n| 1000 + u64::from(*n)));
        assert_eq!(report.checkpoint, head());
    }
}

#[test]
fn a_quorum_may_be_one_witness_or_none() {
    let policy = read(&format!("{}quorum w1\n", start(2))).unwrap();
    assert!(!policy.evaluate(&cosigned([0])).unwrap().is_met());
    assert!(policy.evaluate(&cosigned([1])).unwrap().is_met());
    let none = read(&format!("{}quorum none\n", start(1))).unwrap();
    assert!(none.evaluate(&cosigned([])).unwrap().is_met());
    assert_eq!(none.evaluate(&cosigned([])).unwrap().met_by(), None);
}

#[test]
fn a_witness_counts_once_with_its_newest_time() {
    let policy = read(&format!("{}group all-of 2 w0 w1\nquorum all-of\n", start(2))).unwrap();
    let once = cosigned([0]);
    let again = witness(0).cosign(&head(), 5000).unwrap();
    let older = witness(0).cosign(&head(), 10).unwrap();
    let signatures = [once.signatures(), &[again, older]].concat();
    let note = Note::new(once.text(), signatures).unwrap();
    let report = policy.evaluate(&note).unwrap();
    assert!(!report.is_met());
    assert_eq!((report.cosignatures.len(), report.oldest()), (1, Some(5000)));
}

/// The cosignature of w1 without a time, which our own witness never makes (C2SP tlog-cosignature, subtree/v1).
fn timeless_1() -> NoteSignature {
    let mut message = b"subtree/v1\n\0\x0aw1.example".to_vec();
    message.extend([0; 8]);
    message.push(u8::try_from(ORIGIN.len()).unwrap());
    message.extend(ORIGIN.bytes());
    message.extend([0; 8]);
    message.extend(head().size().to_be_bytes());
    message.extend(head().root().0);
    let pair = PqdsaKeyPair::from_seed(&ML_DSA_44_SIGNING, &[101; 32]).unwrap();
    let mut signature = vec![0; ML_DSA_44_SIGNING.signature_len()];
    pair.sign(&message, &mut signature).unwrap();
    let id = witness(1).cosign(&head(), 7).unwrap().id();
    let bytes = [&id[..], &[0; 8], &signature].concat();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    format!("\u{2014} w1.example {encoded}").parse().unwrap()
}

#[test]
fn a_time_of_zero_is_no_time_by_which_a_quorum_had_cosigned() {
    let once = cosigned([0]);
    let timeless = timeless_1();
    let note = Note::new(once.text(), [once.signatures(), &[timeless]].concat()).unwrap();
    for (quorum, met_by) in [
        ("quorum w1\n", None),
        ("group both all w0 w1\nquorum both\n", None),
        ("group one any w0 w1\nquorum one\n", Some(1000)),
    ] {
        let policy = read(&format!("{}{quorum}", start(2))).unwrap();
        let report = policy.evaluate(&note).unwrap();
        assert_eq!((report.is_met(), report.met_by()), (true, met_by), "{quorum}");
    }
}

#[test]
fn a_log_of_the_policy_must_have_signed_under_its_own_origin() {
    let policy = read(&format!("{}quorum none\n", start(1))).unwrap();
    let by_witness = Note::new(&head().to_string(), cosigned([0]).signatures()[1..].to_vec()).unwrap();
    assert_eq!(policy.evaluate(&by_witness), Err(CheckpointError::NotByOrigin(ORIGIN.to_owned())));
    let other = named("example.com/other", 5);
    let foreign = Note::sign(&head().to_string(), &[&other]).unwrap();
    assert_eq!(policy.evaluate(&foreign), Err(CheckpointError::Note(NoteError::NoKnownKey)));
    let both = policy.with_log(other.verifier());
    assert_eq!(both.evaluate(&foreign), Err(CheckpointError::NotByOrigin(ORIGIN.to_owned())));
}

#[test]
fn a_witness_is_no_log_although_its_key_has_the_origins_name() {
    let witness = CosignerKey::from_seed(ORIGIN, KeyKind::MlDsa44, &[4; 32]).unwrap();
    let file = format!("log {}\nwitness w {}\nquorum w\n", key().verifier(), witness.verifier());
    let note = Note::new(&head().to_string(), vec![witness.cosign(&head(), 1).unwrap()]).unwrap();
    assert_eq!(read(&file).unwrap().evaluate(&note), Err(CheckpointError::NotByOrigin(ORIGIN.to_owned())));
}

#[test]
fn a_bad_signature_of_a_known_witness_fails_the_note() {
    let policy = read(&format!("{}quorum none\n", start(1))).unwrap();
    let bad = witness(0).cosign(&head().with_extension("other").unwrap(), 1).unwrap();
    let note = Note::new(&head().to_string(), [cosigned([]).signatures(), &[bad]].concat()).unwrap();
    assert_eq!(
        policy.evaluate(&note),
        Err(CheckpointError::Note(NoteError::BadSignature("w0.example".to_owned())))
    );
    assert!(policy.evaluate(&cosigned([1])).unwrap().cosignatures.is_empty());
}

#[test]
fn a_policy_without_logs_takes_the_log_of_the_caller() {
    let policy = read(&format!("witness w0 {}\nquorum w0\n", vkey(0))).unwrap();
    assert_eq!(policy.evaluate(&cosigned([0])), Err(CheckpointError::NotByOrigin(ORIGIN.to_owned())));
    let policy = policy.with_log(key().verifier()).with_log(key().verifier());
    assert_eq!(policy.logs().len(), 1);
    assert!(policy.evaluate(&cosigned([0])).unwrap().is_met());
}

#[test]
fn a_log_may_sign_with_ml_dsa() {
    let log = CosignerKey::from_seed(ORIGIN, KeyKind::MlDsa44, &[3; 32]).unwrap();
    let policy = read(&format!("log {} https://log.example/\nquorum none\n", log.verifier())).unwrap();
    assert_eq!(policy.logs()[0].url.as_deref(), Some(&b"https://log.example/"[..]));
    let note = Note::new(&head().to_string(), vec![log.cosign(&head(), 1).unwrap()]).unwrap();
    assert!(policy.evaluate(&note).unwrap().is_met());
}

#[test]
fn spaces_tabs_comments_and_octets_are_read_as_the_standard_says() {
    let file = format!(
        "# comment\n\n \t \n\t# \u{1F40C}\n  witness\t \tK  {}\thttps://w.example/ \t\nwitness \u{212A} {}\nquorum K\n",
        vkey(0),
        vkey(1)
    );
    let policy = read(&file).unwrap();
    assert_eq!(policy.witnesses()[0].url.as_deref(), Some(&b"https://w.example/"[..]));
    // Octets above 0x7f need not be UTF-8.
    let start = file.replace("quorum K", "").into_bytes();
    let last = vkey(2).into_bytes();
    let octets: [&[u8]; 5] = [
        &start,
        b"#\xff\nwitness \xfe\xff ",
        &last,
        b" \x80\n",
        b"group g\xe9 any K \xfe\xff\nquorum g\xe9\n",
    ];
    let octets = octets.concat();
    let policy = Policy::from_bytes(&octets).unwrap();
    assert_eq!(policy.witnesses()[2].name, b"\xfe\xff");
    assert_eq!(policy.witnesses()[2].url.as_deref(), Some(&b"\x80"[..]));
}

#[test]
fn a_policy_that_is_not_allowed_is_refused_by_its_line() {
    let text = str::to_owned;
    let name = |name: &str| PolicyLineError::DuplicateName(name.to_owned());
    let unknown = |name: &str| PolicyLineError::UnknownName(name.to_owned());
    let second = |name: &str| PolicyLineError::SecondMembership(name.to_owned());
    let threshold =
        |threshold: &str| PolicyLineError::Threshold { threshold: threshold.to_owned(), members: 2 };
    let log_key = key().verifier().to_string();
    let same = |name: &str, kind| {
        tlog::VerifierKey::new(name, kind, witness(0).verifier().public_key()).unwrap().to_string()
    };
    // Lines 1 to 4 are the log and three witnesses; the lines given follow.
    for (lines, line, error) in [
        (text("quorum w0\nquorum w0\n"), 6, PolicyLineError::SecondQuorum),
        (text("quorum w0\nquorum none\n"), 6, PolicyLineError::SecondQuorum),
        (text("quorum none\nquorum w0\n"), 6, PolicyLineError::SecondQuorum),
        (text("quorum w7\n"), 5, unknown("w7")),
        (text("quorum\n"), 5, PolicyLineError::Form("quorum <name>")),
        (text("quorum w0 w1\n"), 5, PolicyLineError::Form("quorum <name>")),
        (text("quorum w0 # comment\n"), 5, PolicyLineError::Form("quorum <name>")),
        (text("group g any w7\n"), 5, unknown("w7")),
        (text("group g any none\n"), 5, unknown("none")),
        (text("group g any g\n"), 5, unknown("g")),
        (text("group g any h\ngroup h any w0\n"), 5, unknown("h")),
        (text("group w0 any w1\n"), 5, name("w0")),
        (text("group none any w1\n"), 5, name("none")),
        (text("\ngroup g 3 w0 w1\n"), 6, threshold("3")),
        (text("group g 0 w0 w1\n"), 5, threshold("0")),
        (text("group g 01 w0 w1\n"), 5, threshold("01")),
        (text("group g +1 w0 w1\n"), 5, threshold("+1")),
        (text("group g -1 w0 w1\n"), 5, threshold("-1")),
        (text("group g ALL w0 w1\n"), 5, threshold("ALL")),
        (text("group g 18446744073709551617 w0 w1\n"), 5, threshold("18446744073709551617")),
        (text("group g 1 w0 w0\n"), 5, second("w0")),
        (text("group g 1 w0 w1\ngroup h 1 w1 w2\n"), 6, second("w1")),
        (text("group g 1 w0\ngroup h 1 g\ngroup i 1 g\n"), 7, second("g")),
        (format!("witness w1 {}\n", vkey(3)), 5, name("w1")),
        (format!("witness none {}\n", vkey(3)), 5, name("none")),
        (format!("group g all w0\nwitness g {}\n", vkey(3)), 6, name("g")),
        (format!("witness x {}\n", vkey(0)), 5, PolicyLineError::DuplicateKey("witness")),
        (
            format!("witness x {}\n", same("renamed", KeyKind::CosignatureV1)),
            5,
            PolicyLineError::DuplicateKey("witness"),
        ),
        (format!("log {log_key}\n"), 5, PolicyLineError::DuplicateKey("log")),
        (
            format!("log {}\nlog {}\n", same("a", KeyKind::Ed25519), same("b", KeyKind::CosignatureV1)),
            6,
            PolicyLineError::DuplicateKey("log"),
        ),
        (format!("witness x {log_key}\n"), 5, PolicyLineError::NotACosigner(ORIGIN.to_owned())),
        (text("witness x w+00000000+AAAA\n"), 5, KeyError::UnknownType { name: text("w"), kind: 0 }.into()),
        (text("log nonsense\n"), 5, KeyError::Malformed.into()),
        (text("log\n"), 5, PolicyLineError::Form("log <vkey> [<url>]")),
        (format!("log {} a b\n", vkey(5)), 5, PolicyLineError::Form("log <vkey> [<url>]")),
        (text("witness x\n"), 5, PolicyLineError::Form("witness <name> <vkey> [<url>]")),
        (format!("witness x {} a b\n", vkey(5)), 5, PolicyLineError::Form("witness <name> <vkey> [<url>]")),
        (text("group g 1\n"), 5, PolicyLineError::Form("group <name> <any, all or a number> <name>...")),
        (text("Quorum w0\n"), 5, PolicyLineError::Keyword(text("Quorum"))),
        (text("quorum w0\r\n"), 5, PolicyLineError::ControlCharacter),
        (text("# \u{1}\n"), 5, PolicyLineError::ControlCharacter),
        (text("# \u{7f}\n"), 5, PolicyLineError::ControlCharacter),
    ] {
        assert_eq!(
            read(&format!("{}{lines}", start(3))),
            Err(PolicyError::Line { line, error }),
            "{lines:?}"
        );
    }
    assert_eq!(
        read(&format!("{}group g 3 w0 w1\n", start(3))).unwrap_err().to_string(),
        "line 5 of the policy: the threshold \"3\" is not any, all or a number from 1 to 2"
    );
}

#[test]
fn a_policy_that_is_cut_off_or_has_no_quorum_is_refused() {
    assert_eq!(read(""), Err(PolicyError::NoFinalNewline));
    assert_eq!(read(&format!("{}quorum w0", start(2))), Err(PolicyError::NoFinalNewline));
    assert_eq!(read(&start(2)), Err(PolicyError::NoQuorum));
    assert_eq!(read("\n"), Err(PolicyError::NoQuorum));
    let long = format!("{}\n", "#".repeat(MAX_POLICY_BYTES));
    assert_eq!(read(&long), Err(PolicyError::TooLong(MAX_POLICY_BYTES + 1)));
}

#[test]
fn a_policy_has_up_to_64_of_each_kind() {
    let ed25519 = |name: String, kind, seed: usize| {
        let seed = [&(seed as u64).to_be_bytes()[..], &[0; 24]].concat();
        let key =
            CosignerKey::from_seed(&name, KeyKind::CosignatureV1, seed[..].try_into().unwrap()).unwrap();
        tlog::VerifierKey::new(&name, kind, key.verifier().public_key()).unwrap().to_string()
    };
    let logs = |count| (0..count).map(|n| format!("log {}\n", ed25519(format!("l{n}"), KeyKind::Ed25519, n)));
    let witness = |n| format!("witness w{n} {}\n", ed25519(format!("w{n}"), KeyKind::CosignatureV1, n));
    let witnesses = |count| (0..count).map(witness);
    let groups = |count| {
        (0..count).map(|n| {
            format!("group g{n} 1 {}\n", if n == 0 { "w0".to_owned() } else { format!("g{}", n - 1) })
        })
    };
    for (l, w, g, refused) in [
        (MAX_ENTRIES, MAX_ENTRIES, MAX_ENTRIES, None),
        (MAX_ENTRIES + 1, 1, 1, Some("log")),
        (1, MAX_ENTRIES + 1, 1, Some("witness")),
        (1, 1, MAX_ENTRIES + 1, Some("group")),
    ] {
        let file: String =
            logs(l).chain(witnesses(w)).chain(groups(g)).chain(["quorum g0\n".to_owned()]).collect();
        match (read(&file), refused) {
            (Ok(_), None) => {}
            (Err(PolicyError::Line { error: PolicyLineError::TooMany(kind), .. }), Some(expected)) => {
                assert_eq!(kind, expected);
            }
            (other, _) => panic!("{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn two_groups_are_met_as_counting_says(first in 1_usize..=3, second in 1_usize..=2, outer in 1_usize..=2, by in 0_u8..32) {
        let groups = format!("group a {first} w0 w1 w2\ngroup b {second} w3 w4\ngroup c {outer} a b\nquorum c\n");
        let policy = read(&format!("{}{groups}", start(5))).unwrap();
        let by: BTreeSet<u8> = (0..5).filter(|n| by >> n & 1 == 1).collect();
        let count = |range: std::ops::Range<u8>| by.range(range).count();
        let met = usize::from(count(0..3) >= first) + usize::from(count(3..5) >= second) >= outer;
        prop_assert_eq!(policy.evaluate(&cosigned(by.iter().copied())).unwrap().is_met(), met);
        prop_assert!(policy.evaluate(&cosigned(0..5)).unwrap().is_met(), "all witnesses meet every policy");
    }

    #[test]
    fn any_bytes_are_read_or_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
        let _read = Policy::from_bytes(&bytes);
        let mut file = format!("{}group g 2 w0 w1\nquorum g\n", start(2)).into_bytes();
        let at = at.index(file.len());
        file.splice(at..at, bytes);
        let _read = Policy::from_bytes(&file);
    }
}
