//! `touchstone rerun`: what a service preserved, replayed by the real process.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dispute::rerun::{MAX_CASE_BYTES, ReplayOutcome, RerunCase, Reruns};
use ed25519_dalek::{Signature, VerifyingKey};
use ledger::{Identity, Ledger as _, StoredBlob};
use ledger_sqlite::SqliteLedger;
use receipt::key::{SigningKey, log_origin_from_base_url, parse_jwks};
use serde_json::{Value, json};
use tempfile::TempDir;
use verdict::SystemClock;

use super::{Said, said};
use crate::support::HANG;
use crate::support::claims::{at, signed};
use crate::support::log::sha256;
use crate::support::notary::Notary;
use crate::support::peer::{Peer, document};
use crate::support::receipt::{canonical, hash, text};
use crate::support::service::{Launch, Service, dev, touchstone};

const DOCUMENT: &str = r#"{"status":"ok"}"#;

/// What a service left behind: its data folder, who it was, and its one receipt with all that was preserved behind it.
struct Left {
    data: Arc<TempDir>,
    notary: Notary,
    receipt: Value,
    case: RerunCase,
}

impl Left {
    /// By a service that was asked this and stopped.
    fn by(service: Service, question: &Value) -> Self {
        let (data, notary) = (Arc::clone(&service.data), Notary::of(&service));
        let receipt = service.claim(question);
        service.stop();
        let case = case(&data, &notary, &receipt);
        Self { data, notary, receipt, case }
    }

    /// By a service that has fetched [`DOCUMENT`] and confirmed what was claimed of it.
    fn by_fetching() -> Self {
        let peer = Peer::http(|_| document(DOCUMENT));
        let left = Self::by(Launch::dev().start(), &at(&peer.url("/"), "status", "ok"));
        assert_eq!(text(&left.receipt, "verdict"), "CONFIRMED");
        left
    }

    fn rerun(&self, input: impl AsRef<[u8]>) -> Said {
        let mut command = touchstone(["rerun"]);
        command.env("TOUCHSTONE_DATA_DIR", self.data.path());
        said(command, input)
    }

    /// What came of a case, once the signature over it has been checked as any reader of the receipt would.
    fn replayed(&self, case: &RerunCase) -> Value {
        let said = self.rerun(case.to_json().unwrap());
        assert_eq!((said.code, &*said.err), (Some(0), ""), "{said:?}");
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        let (kid, key) = self.rerun_key();
        assert_eq!(text(&answer["rerun"], "kid"), kid);
        let header = format!(r#"{{"alg":"EdDSA","kid":"{kid}","typ":"verdict-rerun+jws"}}"#);
        let parts =
            [header.as_bytes(), &canonical(&answer["replay"])].map(|part| URL_SAFE_NO_PAD.encode(part));
        let signature = URL_SAFE_NO_PAD.decode(text(&answer["rerun"], "signature")).unwrap();
        key.verify_strict(parts.join(".").as_bytes(), &Signature::from_slice(&signature).unwrap()).unwrap();
        assert_eq!(text(&answer["replay"], "receipt_hash"), hash(&self.receipt));
        answer["replay"].clone()
    }

    /// The published key of reruns.
    fn rerun_key(&self) -> (String, VerifyingKey) {
        let keys = self.notary.jwks["keys"].as_array().unwrap();
        let [key] = &keys.iter().filter(|key| key["role"] == "rerun").collect::<Vec<_>>()[..] else {
            panic!("{}", self.notary.jwks)
        };
        let x = URL_SAFE_NO_PAD.decode(text(key, "x")).unwrap();
        (text(key, "kid").to_owned(), VerifyingKey::from_bytes(&x.try_into().unwrap()).unwrap())
    }

    /// The finding as it was signed: all of the payload that is not the notary's own.
    fn finding(&self) -> Value {
        let mut finding: Value = serde_json::from_slice(&self.case.payload).unwrap();
        let members = finding.as_object_mut().unwrap();
        for name in ["v", "class", "iss", "kid", "agent", "request_hash", "salt", "log_head", "signed_at"] {
            members.remove(name).unwrap();
        }
        finding
    }

    /// The case with other bytes for a piece of evidence, which are what their address says.
    fn with(&self, role: &str, bytes: &[u8]) -> RerunCase {
        let mut case = self.case.clone();
        let blob = case.evidence.iter_mut().find(|blob| blob.role == role).unwrap();
        *blob = StoredBlob { role: role.to_owned(), sha256: sha256(bytes), bytes: Some(bytes.to_vec()) };
        case
    }
}

/// Reads from a store what was preserved behind a receipt.
fn case(data: &TempDir, notary: &Notary, receipt: &Value) -> RerunCase {
    let log = SigningKey::load(&data.path().join("keys/log.pem")).unwrap();
    let log =
        tlog::SigningKey::from_seed(&log_origin_from_base_url(&notary.iss).unwrap(), &log.seed()).unwrap();
    let identity =
        Identity { receipt_kid: notary.kid.clone(), log_vkey: notary.vkey.clone(), ..Identity::default() };
    let clock = Arc::new(SystemClock::start());
    let ledger = SqliteLedger::open(&data.path().join("store.sqlite"), log, &identity, clock).unwrap();
    let evidence = &receipt["evidence"];
    let judged_at = evidence.get("fetched_at").or(evidence.get("verified_at")).unwrap().as_str().unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let stored = ledger.receipt(&hash(receipt).parse().unwrap()).await.unwrap().unwrap();
        RerunCase {
            payload: stored.payload,
            judged_at: judged_at.parse().unwrap(),
            request: ledger.request(stored.leaf).await.unwrap().map(|request| request.body),
            evidence: ledger.evidence(stored.leaf).await.unwrap(),
        }
    })
}

#[test]
fn what_was_fetched_replays_to_the_finding_that_was_signed_to_the_byte() {
    let left = Left::by_fetching();
    let replay = left.replayed(&left.case);
    let mut expected = left.finding();
    let scope = text(&expected, "scope").strip_prefix(server::DEV_NOTICE).unwrap().trim_start().to_owned();
    expected["scope"] = scope.into();
    assert_eq!(canonical(&replay["finding"]), canonical(&expected));
    assert_eq!(text(&replay, "outcome"), "found");
    assert_eq!(replay["judged_at"], left.receipt["evidence"]["fetched_at"]);
    let pieces = [("fetch", "record_sha256"), ("body", "body_sha256")];
    let pieces =
        pieces.map(|(role, sha256)| json!({"role": role, "sha256": left.receipt["evidence"][sha256]}));
    assert_eq!(replay["evidence"], json!(pieces));
}

#[test]
fn a_production_finding_replays_whole() {
    let left = Left::by(Launch::serve().start(), &signed("a"));
    let replay = left.replayed(&left.case);
    assert_eq!(canonical(&replay["finding"]), canonical(&left.finding()));
    assert_eq!(replay["evidence"], json!([]));
}

#[test]
fn evidence_that_says_otherwise_gives_another_finding() {
    let left = Left::by_fetching();
    let body = br#"{"status":"down"}"#;
    let mut tampered = left.with("body", body);
    let fetch = tampered.evidence.iter_mut().find(|blob| blob.role == "fetch").unwrap();
    let mut record: Value = serde_json::from_slice(fetch.bytes.as_ref().unwrap()).unwrap();
    record["body_sha256"] = hex::encode(sha256(body)).into();
    let record = serde_json::to_vec(&record).unwrap();
    (fetch.sha256, fetch.bytes) = (sha256(&record), Some(record));
    let finding = &left.replayed(&tampered)["finding"];
    assert_eq!(
        (text(finding, "verdict"), &finding["evidence"]["found"]["value"]),
        ("REFUTED", &json!("down"))
    );
}

#[test]
fn evidence_that_is_not_kept_or_not_what_its_address_says_is_missing() {
    let left = Left::by_fetching();
    let removed = |role: &str, bytes: Option<&[u8]>| {
        let mut case = left.case.clone();
        case.evidence.iter_mut().find(|blob| blob.role == role).unwrap().bytes = bytes.map(<[u8]>::to_vec);
        case
    };
    let cases = [
        removed("fetch", None),
        removed("body", None),
        removed("body", Some(br#"{"status":"OK"}"#)),
        left.with("fetch", b"{}"),
        left.with("body", br#"{"status":"ok"} "#),
        RerunCase { evidence: Vec::new(), ..left.case.clone() },
        RerunCase { request: None, ..left.case.clone() },
    ];
    for case in cases {
        let replay = left.replayed(&case);
        assert_eq!((text(&replay, "outcome"), replay.get("finding")), ("missing", None), "{replay}");
        assert!(!text(&replay, "detail").is_empty());
    }
}

#[test]
fn the_largest_case_fits_into_the_bounded_memory() {
    let left = Left::by_fetching();
    let mut case = left.case.clone();
    let bytes = vec![7; ledger::MAX_RECORD_BYTES - (64 << 10)];
    case.evidence.push(StoredBlob { role: "more".to_owned(), sha256: sha256(&bytes), bytes: Some(bytes) });
    let replay = left.replayed(&case);
    assert_eq!(text(&replay["finding"], "verdict"), "CONFIRMED");
}

#[test]
fn what_is_no_case_is_an_error_and_nothing_is_signed() {
    let left = Left::by_fetching();
    let mut cut = left.case.to_json().unwrap();
    cut.truncate(cut.len() / 2);
    let no_receipt = RerunCase { payload: b"{}".to_vec(), ..left.case.clone() }.to_json().unwrap();
    let inputs: [&[u8]; 8] =
        [b"", b"garbage", b"\xff\xfe", b"{}", b"[[[[", &b"[".repeat(1 << 20), &cut, &no_receipt];
    for input in inputs {
        let said = left.rerun(input);
        assert!(said.code == Some(1) && said.out.is_empty() && said.err.contains("case"), "{said:?}");
    }
    let said = left.rerun(vec![b' '; MAX_CASE_BYTES + 1]);
    assert!(said.code == Some(1) && said.err.contains(&MAX_CASE_BYTES.to_string()), "{said:?}");
}

#[test]
fn a_rerun_without_its_key_or_with_one_that_others_may_read_is_refused() {
    let left = Left::by_fetching();
    let path = left.data.path().join("keys/rerun.pem");
    // It needs no other key.
    fs::remove_file(left.data.path().join("keys/receipt.pem")).unwrap();
    fs::remove_file(left.data.path().join("keys/log.pem")).unwrap();
    left.replayed(&left.case);
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let refused = left.rerun(left.case.to_json().unwrap());
    assert!(refused.code == Some(1) && refused.err.contains("chmod 600"), "{refused:?}");
    fs::remove_file(&path).unwrap();
    let refused = left.rerun(left.case.to_json().unwrap());
    assert!(refused.code == Some(1) && refused.out.is_empty(), "{refused:?}");
    assert!(!path.exists(), "it makes no key that nobody has published");
}

/// A service's flags stand above such a file, and its reruns do not get all of them.
#[test]
fn a_file_that_only_flags_made_good_is_good_for_a_rerun() {
    let left = Left::by_fetching();
    let file = left.data.path().join("touchstone.toml");
    for line in [
        "limits = \"off\"\nlisten = \"0.0.0.0:8402\"",
        "network = \"elsewhere\"",
        "store = \"postgres://notary@localhost\"",
        "pay_to = \"0x12\"",
        "metrics = \"nowhere\"",
        "proxies = \"nowhere\"",
        "own_addresses = \"nowhere\"",
        "settlement_networks = \"nowhere\"",
    ] {
        fs::write(&file, line).unwrap();
        let mut checked = touchstone(["config", "print"]);
        checked.env("TOUCHSTONE_DATA_DIR", left.data.path());
        assert_eq!(said(checked, "").code, Some(1), "{line}");
        assert_eq!(text(&left.replayed(&left.case)["finding"], "verdict"), "CONFIRMED", "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_process_is_confined_before_it_reads_its_case() {
    let left = Left::by_fetching();
    let mut command = touchstone(["rerun"]);
    command.env("TOUCHSTONE_DATA_DIR", left.data.path());
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let about = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", process.id())).unwrap();
    // 2 is the filter mode of seccomp.
    let started = Instant::now();
    while !about("status").contains("\nSeccomp:\t2\n") {
        assert!(started.elapsed() < HANG, "{}", about("status"));
        thread::sleep(Duration::from_millis(5));
    }
    assert!(about("status").contains("\nNoNewPrivs:\t1\n") && about("status").contains("\nThreads:\t1\n"));
    let limits = about("limits");
    for (name, most) in
        [("Max cpu time", "6"), ("Max address space", "2147483648"), ("Max core file size", "0")]
    {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), [most, most], "{limits}");
    }
    process.stdin.take().unwrap().write_all(&left.case.to_json().unwrap()).unwrap();
    let output = process.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let words = ["not_dumpable", "rlimit_core", "rlimit_cpu", "rlimit_as", "seccomp"];
    assert_eq!(answer["replay"]["sandbox"], json!(words));
}

#[test]
fn the_notary_has_the_real_process_replay_and_believes_its_answer() {
    let left = Left::by_fetching();
    let keys = parse_jwks(left.notary.jwks.to_string().as_bytes()).unwrap();
    let (kid, _) = left.rerun_key();
    let key = keys.into_iter().find(|key| key.kid.as_str() == kid).unwrap();
    let verifying = receipt::key::VerifyingKey::new(key.key).unwrap();
    let data = left.data.path().as_os_str().to_owned();
    let arguments = vec!["rerun".into(), "--data-dir".into(), data];
    let reruns = Reruns::new(env!("CARGO_BIN_EXE_touchstone").into(), arguments, key.kid, verifying);
    let rerun = tokio::runtime::Runtime::new().unwrap().block_on(reruns.run(&left.case)).unwrap();
    let ReplayOutcome::Found(finding) = rerun.outcome else { panic!("{rerun:?}") };
    assert_eq!(finding.get("verdict"), Some(&"CONFIRMED".into()));
}

#[test]
fn the_key_of_reruns_is_published_beside_the_receipt_keys_and_signs_no_receipt() {
    let service = dev();
    let notary = Notary::of(&service);
    let keys = parse_jwks(notary.jwks.to_string().as_bytes()).unwrap();
    let seed = |name: &str| SigningKey::load(&service.path("keys").join(name)).unwrap();
    let rerun = seed("rerun.pem");
    let published = keys.iter().find(|key| key.key == rerun.public_key()).unwrap();
    assert_ne!(rerun.public_key(), seed("receipt.pem").public_key());
    let did = service.get("/.well-known/did.json").expect(200).json();
    let methods = did["verificationMethod"].as_array().unwrap();
    assert!(methods.iter().any(|method| method["id"] == published.kid.as_str()), "{did}");
    let asserting = did["assertionMethod"].as_array().unwrap();
    assert!(asserting.len() == 2 && asserting[0] == *notary.kid, "{did}");
    let about = service.get("/.well-known/service.json").expect(200).json();
    assert_eq!(about["receipts"]["key_ids"], json!([notary.kid]));

    let mut payload = service.claim(&signed("a"));
    for name in ["receipt_hash", "signature", "proof"] {
        payload.as_object_mut().unwrap().remove(name);
    }
    payload["kid"] = published.kid.as_str().into();
    let forged = receipt::sign::sign(canonical(&payload), &rerun, published.kid.as_str()).to_json(None);
    let report = service.post("/verify", &forged).expect(200).json();
    assert_eq!(report["valid"], false);
    for check in ["key", "signature"] {
        assert_eq!(report["checks"][check]["ok"], false, "{report}");
    }
    let verified = said(service.command(["verify", "-"]), &forged);
    assert!(verified.code == Some(1) && verified.out.contains("key:"), "{verified:?}");
}
