//! The log's key is rotated while callers call: both keys sign for a while, no call fails, and what the former key signs
//! later does not hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use peers::postgres::Server;
use receipt::key::{LogKey, SigningKey, parse_log_keys};
use receipt::verify::{Keys, Verifier};
use serde_json::{Value, json};
use tempfile::TempDir;
use tlog::{Note, TlogProof, VerifierKey};

use crate::command::{Said, said};
use crate::rotation::{keys, launch, records, report, start_callers, verifier};
use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::log::Checkpoint;
use crate::support::notary::Notary;
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service, touchstone};

/// The log keys that a service publishes, in the order in which they came.
fn log_keys(service: &Service) -> Vec<LogKey> {
    parse_log_keys(service.get("/.well-known/jwks.json").expect(200).text().as_bytes()).unwrap()
}

/// The checkpoints that were seen, by their sizes.
type Seen = Arc<Mutex<BTreeMap<u64, String>>>;

/// Fetches the checkpoint until it is told to stop.
fn watch(service: &Arc<Service>, is_over: &Arc<AtomicBool>, seen: &Seen) -> thread::JoinHandle<()> {
    let (service, is_over, seen) = (Arc::clone(service), Arc::clone(is_over), Arc::clone(seen));
    thread::spawn(move || {
        while !is_over.load(Ordering::SeqCst) {
            let note = service.get("/log/checkpoint").expect(200).text();
            seen.lock().unwrap().insert(size_of(&note), note);
        }
    })
}

fn size_of(note: &str) -> u64 {
    note.lines().nth(1).unwrap().parse().unwrap()
}

/// Which of the keys have signed a checkpoint, each of which verifies by itself.
fn signers(note: &str, keys: &[LogKey]) -> Vec<usize> {
    let parsed: Note = note.parse().unwrap();
    let of = |signature: &tlog::NoteSignature| {
        let index = keys.iter().position(|key| signature.names(&key.key)).expect("a key of the log");
        parsed.verify(std::slice::from_ref(&keys[index].key)).unwrap();
        index
    };
    parsed.signatures().iter().map(of).collect()
}

fn checkpoint_of(receipt: &Value) -> String {
    text(receipt, "proof").parse::<TlogProof>().unwrap().checkpoint
}

/// The receipt under the same checkpoint, signed by another key alone.
fn resigned(receipt: &Value, key: &tlog::SigningKey) -> Value {
    let mut proof: TlogProof = text(receipt, "proof").parse().unwrap();
    let note: Note = proof.checkpoint.parse().unwrap();
    proof.checkpoint = Note::sign(note.text(), &[key]).unwrap().to_string();
    let mut receipt = receipt.clone();
    receipt["proof"] = json!(proof.to_string());
    receipt
}

fn monitor(service: &Service, key: &VerifierKey, state: &Path) -> Said {
    let (url, key) = (format!("http://{}/log", service.address), key.to_string());
    said(touchstone(["monitor", &url, "--log-key", &key, "--state", state.to_str().unwrap()]), "")
}

/// `touchstone verify` of a receipt with a set of keys.
fn verified(receipt: &Value, set: &Path, more: &[&str]) -> Said {
    let arguments = ["verify", "-", "--keys", set.to_str().unwrap()];
    said(touchstone(arguments.iter().chain(more)), receipt.to_string())
}

#[test]
fn the_log_key_is_rotated_under_load_and_each_tree_is_signed_by_the_keys_of_its_size() {
    let service = Arc::new(launch().start());
    let old_private = SigningKey::load(&service.path("keys").join("log.pem")).unwrap();
    let origin = Notary::of(&service).vkey.split('+').next().unwrap().to_owned();
    let old_private = tlog::SigningKey::from_seed(&origin, &old_private.seed()).unwrap();
    let begun = log_keys(&service);
    let [first] = &*begun else { panic!("one key") };
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("monitor");
    service.claim(&signed("a"));
    assert_eq!(monitor(&service, &first.key, &state).code, Some(0));
    let slept = folder.path().join("slept");
    assert_eq!(monitor(&service, &first.key, &slept).code, Some(0));
    let before = service.claim(&signed("a"));

    let (is_over, receipts) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let seen: Seen = Arc::default();
    let mut threads = start_callers(&[Arc::clone(&service)], &is_over, &receipts);
    threads.push(watch(&service, &is_over, &seen));
    let refused = said(service.command(["keys", "finish", "log"]), "");
    assert!(refused.code != Some(0) && refused.err.contains("keys rotate log"), "{refused:?}");
    let rotated = keys(&service, &["rotate", "log"]);
    let both = log_keys(&service);
    let [_, next] = &*both else { panic!("two keys") };
    assert!(rotated.contains(&next.key.to_string()), "{rotated}");
    let about = service.get("/.well-known/service.json").expect(200).json();
    assert_eq!(about["log"]["vkey"], next.key.to_string());
    let shown = keys(&service, &["show"]);
    assert!([first, next].iter().all(|key| shown.contains(&format!("log key:     {}", key.key))), "{shown}");
    assert_eq!(keys(&service, &["log"]), format!("{}\n", next.key));
    let again = said(service.command(["keys", "rotate", "log"]), "");
    assert!(again.code == Some(0) && again.err.contains("is there already"), "{again:?}");
    // Who knows one of the keys goes on, and may change to the other meanwhile.
    assert_eq!(monitor(&service, &first.key, &state).code, Some(0));
    let during = service.claim(&signed("a"));
    assert_eq!(monitor(&service, &next.key, &state).code, Some(0));
    let finished = keys(&service, &["finish", "log"]);
    assert!(finished.contains(&format!("log key: {}, alone from leaf ", next.key)), "{finished}");
    let after = service.claim(&signed("a"));
    is_over.store(true, Ordering::SeqCst);
    threads.into_iter().for_each(|thread| thread.join().unwrap());

    let log = log_keys(&service);
    let [old, new] = &*log else { panic!("two keys") };
    let (from, end) = (new.range.as_ref().unwrap().from, old.range.as_ref().unwrap().until.unwrap());
    assert_eq!(new.range.as_ref().unwrap().until, None);
    let (receipts, seen) = (receipts.lock().unwrap(), seen.lock().unwrap());
    let notes = receipts.iter().map(checkpoint_of).chain(seen.values().cloned());
    let mut counts = [0; 3];
    for note in notes {
        let size = size_of(&note);
        let (period, by): (usize, &[usize]) = match size {
            _ if size <= from => (0, &[0]),
            _ if size <= end => (1, &[0, 1]),
            _ => (2, &[1]),
        };
        counts[period] += 1;
        assert_eq!(signers(&note, &log), by, "a tree of {size}, {from} and {end}");
    }
    assert!(counts.iter().all(|count| *count > 0), "calls went on in each period: {counts:?}");
    let verifier = verifier(&service);
    for receipt in receipts.iter().chain([&before, &during, &after]) {
        let report = report(&verifier, receipt);
        assert!(report.valid(), "{report:?}");
    }
    // During the overlap either key alone is enough.
    for key in [&old.key, &new.key] {
        let alone = Keys::new(Vec::new(), vec![key.clone()]).unwrap();
        assert!(report(&Verifier::new(alone), &during).inclusion.ok);
    }
    let records = records(&service);
    let verdicts: Vec<_> = records.iter().map(|record| text(record, "verdict")).collect();
    assert_eq!(verdicts[4..], ["ROTATED", "ENDED"]);
    assert_eq!(monitor(&service, &new.key, &state).code, Some(0));
    // Who has slept through the overlap, or comes now with the former key, takes the new one from the log's records.
    for state in [&slept, &folder.path().join("late")] {
        let late = monitor(&service, &old.key, state);
        assert!(late.code == Some(0) && late.out.contains("the log key"), "{late:?}");
        assert_eq!(monitor(&service, &old.key, state).code, Some(0));
    }
    let mirrored = |keys: &[&VerifierKey], to: &str| {
        let (url, to) = (format!("http://{}/log", service.address), folder.path().join(to));
        let keys = keys.iter().flat_map(|key| ["--log-key".to_owned(), key.to_string()]);
        let arguments = ["mirror".to_owned(), url, "--to".to_owned(), to.to_str().unwrap().to_owned()];
        said(touchstone(arguments.into_iter().chain(keys)), "").code
    };
    assert_eq!(mirrored(&[&old.key, &new.key], "mirror"), Some(0));
    assert_eq!(mirrored(&[&old.key], "mirror-old"), Some(1));

    // The former key, whoever has it, signs no larger tree.
    let set = folder.path().join("jwks.json");
    fs::write(&set, service.get("/.well-known/jwks.json").expect(200).text()).unwrap();
    for (receipt, holds) in [(&before, true), (&during, true), (&after, false)] {
        let of_old = resigned(receipt, &old_private);
        let said = verified(&of_old, &set, &[]);
        assert_eq!(said.code, Some(i32::from(!holds)), "{said:?}");
        assert!(holds || said.out.contains("inclusion:") && said.out.contains("which ended at"), "{said:?}");
        let by_url = format!("http://{}", service.address);
        let said = self::said(touchstone(["verify", "-", "--url", &by_url]), of_old.to_string());
        assert_eq!(said.code, Some(i32::from(!holds)), "{said:?}");
        let answer = service.ask("/verify", &of_old).expect(200).json();
        assert_eq!(answer["checks"]["inclusion"]["ok"], holds, "{answer}");
        let pinned = verified(&of_old, &set, &["--log-key", &old.key.to_string()]);
        assert_eq!(pinned.code, Some(i32::from(!holds)), "{pinned:?}");
    }
    let archive = folder.path().join("audit.tar");
    let exported = said(service.command(["export", "--to", archive.to_str().unwrap()]), "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    for (more, code) in [(vec![], 0), (vec!["--log-key".to_owned(), old.key.to_string()], 1)] {
        let arguments =
            ["verify", archive.to_str().unwrap(), "--keys", set.to_str().unwrap()].map(str::to_owned);
        let said = said(touchstone(arguments.iter().chain(&more)), "");
        assert_eq!(said.code, Some(code), "{said:?}");
    }
    assert!(service.get("/health").json()["modules"].get("keys").is_none());
    backups_take_the_checkpoints_of_both_keys(&service, folder.path(), [&before, &after], &old_private);
}

/// A backup may go on where the newest checkpoint says so, and one of the former key over a tree of its range does not hinder it.
fn backups_take_the_checkpoints_of_both_keys(
    service: &Service,
    folder: &Path,
    [before, after]: [&Value; 2],
    old: &tlog::SigningKey,
) {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let backup = path("backup");
    let made = said(service.command(["backup", "--to", &backup]), "");
    assert_eq!(made.code, Some(0), "{made:?}");
    fs::write(path("newest"), service.get("/log/checkpoint").expect(200).text()).unwrap();
    fs::write(path("former"), checkpoint_of(before)).unwrap();
    fs::write(path("past"), checkpoint_of(&resigned(after, old))).unwrap();
    let stranger = tlog::SigningKey::from_seed(old.name(), &[5; 32]).unwrap();
    fs::write(path("stranger"), checkpoint_of(&resigned(before, &stranger))).unwrap();
    let restore = |name: &str, to: &str| {
        let given = ["--checkpoint", &path("newest"), "--checkpoint", &path(name)];
        let arguments = ["restore", &backup, "--to", &path(to)];
        said(service.command(arguments.iter().chain(&given)), "")
    };
    let goes_on = restore("former", "restored");
    assert!(goes_on.code == Some(0) && goes_on.out.contains("goes on"), "{goes_on:?}");
    for (name, why) in [("past", "which ended at"), ("stranger", "no key of the log")] {
        let refused = restore(name, name);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{refused:?}");
    }
}

/// Starts the notary of a folder, and gives the keys that have signed a new checkpoint.
fn signed_by(launch: Launch, keys: &[VerifierKey]) -> (Service, Vec<usize>) {
    let service = launch.start();
    let receipt = service.claim(&signed("a"));
    let keys: Vec<_> = keys.iter().cloned().map(LogKey::from).collect();
    (service, signers(&checkpoint_of(&receipt), &keys))
}

#[test]
fn a_restart_in_the_middle_of_each_step_goes_on_with_it() {
    let service = launch().start();
    let data = Arc::clone(&service.data);
    let folder = data.path().join("keys");
    let origin = Notary::of(&service).vkey.split('+').next().unwrap().to_owned();
    service.stop();
    let next = SigningKey::generate().unwrap();
    let vkey = |key: &SigningKey| tlog::SigningKey::from_seed(&origin, &key.seed()).unwrap().verifier();
    let old = SigningKey::load(&folder.join("log.pem")).unwrap();
    let log = [vkey(&old), vkey(&next)];
    // The key came while the service was stopped.
    next.save(&folder.join("log.next.pem")).unwrap();
    let start = || launch().on(&data);
    let (service, _) = signed_by(start(), &log);
    until("both keys sign", || {
        signers(&checkpoint_of(&service.claim(&signed("b"))), &log_keys(&service)).len() == 2
    });
    service.stop();
    // In the overlap.
    let (service, by) = signed_by(start(), &log);
    assert_eq!(by, [0, 1]);
    service.stop();
    let hidden = folder.join("hidden");
    fs::rename(folder.join("log.next.pem"), &hidden).unwrap();
    let refused = start().refused();
    assert!(refused.contains("log.next.pem"), "{refused}");
    fs::rename(&hidden, folder.join("log.next.pem")).unwrap();
    // The end was asked for while it was stopped.
    fs::write(folder.join("log.finish"), log[0].to_string()).unwrap();
    let service = start().start();
    until("the files are settled", || {
        !folder.join("log.finish").exists() && !folder.join("log.next.pem").exists()
    });
    let receipt = service.claim(&signed("b"));
    assert_eq!(signers(&checkpoint_of(&receipt), &log_keys(&service)), [1]);
    service.stop();
    // The log had the end, and the files were not in step yet.
    fs::rename(folder.join("log.pem"), folder.join("log.next.pem")).unwrap();
    old.save(&folder.join("log.pem")).unwrap();
    let (service, by) = signed_by(start(), &log);
    assert_eq!((by, folder.join("log.next.pem").exists()), (vec![1], false));
    let doctor = said(service.command(["doctor"]), "");
    assert!(doctor.out.contains("leaves meet the last checkpoint"), "{doctor:?}");
    service.stop();
    // A former key alone is not the store's.
    fs::rename(folder.join("log.pem"), &hidden).unwrap();
    old.save(&folder.join("log.pem")).unwrap();
    let refused = start().refused();
    assert!(refused.contains("another log key"), "{refused}");
}

#[test]
fn replicas_rotate_the_log_key_once_all_have_it_and_no_call_fails() {
    let database = Server::shared().database();
    let launch =
        || Launch::dev().without_limits().set("STORE", &database.address()).set("BASE_URL", BASE_URL);
    let one = Arc::new(launch().start());
    let second = launch();
    let [here, there] = [&one.data, second.data()].map(|data| data.path().join("keys"));
    fs::create_dir_all(&there).unwrap();
    let copy = |name: &str| {
        fs::copy(here.join(name), there.join("copied")).unwrap();
        fs::rename(there.join("copied"), there.join(name)).unwrap();
    };
    ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"].into_iter().for_each(copy);
    let other = Arc::new(second.start());
    let services = [Arc::clone(&one), Arc::clone(&other)];
    let (is_over, receipts) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let seen: Seen = Arc::default();
    let mut threads = start_callers(&services, &is_over, &receipts);
    threads.extend(services.iter().map(|service| watch(service, &is_over, &seen)));
    let run = |arguments: &[&str]| {
        let mut command = one.command(arguments);
        command.env("TOUCHSTONE_STORE", database.address());
        command
    };
    let rotating = run(&["keys", "rotate", "log"]);
    let rotating = thread::spawn(move || said(rotating, ""));
    until("the next key", || here.join("log.next.pem").exists());
    until("the report of the replica that has the key", || {
        said(run(&["status", "--json"]), "").out.contains(" replaces ")
    });
    assert_eq!(log_keys(&one).len(), 1, "one replica is not ready yet");
    copy("log.next.pem");
    let rotated = rotating.join().unwrap();
    assert_eq!(rotated.code, Some(0), "{rotated:?}");
    let during: Vec<Value> = services.iter().map(|service| service.claim(&signed("a"))).collect();
    let finished = said(run(&["keys", "finish", "log"]), "");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    until("the other replica has settled its files", || !there.join("log.next.pem").exists());
    let after: Vec<Value> = services.iter().map(|service| service.claim(&signed("a"))).collect();
    is_over.store(true, Ordering::SeqCst);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let log = log_keys(&one);
    assert_eq!(log_keys(&other), log);
    for (receipts, by) in [(during, &[0, 1][..]), (after, &[1])] {
        receipts.iter().for_each(|receipt| assert_eq!(signers(&checkpoint_of(receipt), &log), by));
    }
    let verifier = verifier(&other);
    for receipt in &*receipts.lock().unwrap() {
        let report = report(&verifier, receipt);
        assert!(report.valid(), "{report:?}");
    }
    for note in seen.lock().unwrap().values() {
        assert!(Checkpoint::open(note, &log[*signers(note, &log).first().unwrap()].key.to_string()).size > 0);
    }
    // A replica that was stopped meanwhile, and has the former key.
    let third = launch();
    let folder = third.data().path().join("keys");
    fs::create_dir_all(&folder).unwrap();
    for name in ["receipt.pem", "log.pem", "rerun.pem", "webhook.pem"] {
        fs::copy(here.join(name), folder.join(name)).unwrap();
    }
    fs::remove_file(folder.join("log.pem")).unwrap();
    SigningKey::generate().unwrap().save(&folder.join("log.pem")).unwrap();
    let refused = third.refused();
    assert!(refused.contains("another log key"), "{refused}");
}
