//! `touchstone monitor` and `mirror` of logs that are wrong: each fault is named, and nothing of it counts as seen.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use tlog::{Note, SigningKey};
use verdict::{Clock as _, SystemClock};

use super::{Said, said};
use crate::support::notary::Notary;
use crate::support::peer::{Peer, answer};
use crate::support::service::{BASE_URL, Launch, touchstone};
use crate::support::store::Forger;

/// The files of a log by their paths below it, and the records of its keys under [`KEYS`].
type Files = BTreeMap<String, Vec<u8>>;

const KEYS: &str = "keys";

/// More leaves than two full bundles have.
const LEAVES: u64 = 520;

/// Puts so many receipts into the store of a data folder. Their salts are random, so that no two logs are the same.
fn fill(data: &Path, leaves: u64) {
    let forger = Forger::at(data, BASE_URL, SystemClock::start().now());
    for number in 0..leaves {
        forger.sign("commit", &json!({"agent": "a", "content": number}), "COMMITTED");
    }
}

/// The log of a data folder as its service publishes it, and the log's key.
fn published(data: &Arc<TempDir>, to: &Path) -> (Files, String) {
    let service = Launch::serve().on(data).start();
    let vkey = Notary::of(&service).vkey;
    let url = format!("http://{}/log", service.address);
    let copied = said(touchstone(["mirror", &url, "--log-key", &vkey, "--to", to.to_str().unwrap()]), "");
    assert_eq!(copied.code, Some(0), "{copied:?}");
    let mut files = Files::new();
    for path in ["checkpoint", "tile"].map(|name| to.join(name)) {
        collect(&path, to, &mut files);
    }
    let records = service.get("/keys").expect(200).json()["receipts"].to_string();
    files.insert(KEYS.to_owned(), records.into_bytes());
    (files, vkey)
}

/// The answer of `GET /keys?from=`.
fn key_records(records: &[u8], target: &str) -> String {
    let from: u64 = target.rsplit_once("from=").map_or(0, |(_, leaf)| leaf.parse().unwrap());
    let leaf = |record: &Value| {
        let proof = record["proof"].as_str().unwrap();
        proof.lines().find_map(|line| line.strip_prefix("index ")).unwrap().parse::<u64>().unwrap()
    };
    let mut records: Vec<Value> = serde_json::from_slice(records).unwrap();
    records.retain(|record| leaf(record) >= from);
    json!({"receipts": records, "next": null}).to_string()
}

fn collect(path: &Path, root: &Path, files: &mut Files) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| collect(&entry.unwrap().path(), root, files));
    } else {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        files.insert(name, fs::read(path).unwrap());
    }
}

/// A server of a log's files, which can be changed.
struct Served {
    files: Arc<Mutex<Files>>,
    peer: Peer,
    vkey: String,
    folder: TempDir,
}

impl Served {
    fn new(files: Files, vkey: &str) -> Self {
        let files = Arc::new(Mutex::new(files));
        let of_peer = Arc::clone(&files);
        let peer = Peer::http(move |target| {
            let files = of_peer.lock().unwrap();
            if target.starts_with("/keys") {
                return answer("200 OK", "Connection: close\r\n", key_records(&files[KEYS], target));
            }
            match target.strip_prefix("/log/").and_then(|path| files.get(path).cloned()) {
                Some(body) => answer("200 OK", "Connection: close\r\n", body),
                None => answer("404 Not Found", "Connection: close\r\n", ""),
            }
        });
        Self { files, peer, vkey: vkey.to_owned(), folder: TempDir::new().unwrap() }
    }

    fn serve(&self, files: Files) {
        *self.files.lock().unwrap() = files;
    }

    fn url(&self) -> String {
        format!("http://{}/log", self.peer.address)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A run of the monitor with this state.
    fn monitor(&self, state: &str) -> Said {
        let (url, state) = (self.url(), self.path(state));
        let arguments =
            ["monitor", &url, "--log-key", &self.vkey, "--state", state.to_str().unwrap(), "--json"];
        said(touchstone(arguments), "")
    }

    /// A run of the mirror into a folder.
    fn mirror(&self, to: &str) -> Said {
        let (url, to) = (self.url(), self.path(to));
        said(touchstone(["mirror", &url, "--log-key", &self.vkey, "--to", to.to_str().unwrap()]), "")
    }
}

/// The last JSON line of the monitor.
#[track_caller]
fn last(told: &Said) -> Value {
    let line = told.out.lines().last().unwrap_or_else(|| panic!("{told:?}"));
    serde_json::from_str(line).unwrap()
}

/// That both commands raise an alarm of this code, and name what is wrong.
#[track_caller]
fn assert_alarm(served: &Served, case: &str, codes: &[&str], named: &str) {
    let told = served.monitor(&format!("monitor-{case}"));
    assert_eq!(told.code, Some(1), "{case}: {told:?}");
    let alarm = last(&told);
    let code = alarm["code"].as_str().unwrap_or_default();
    assert!(alarm["event"] == "alarm" && codes.contains(&code), "{case}: {alarm}");
    assert!(alarm["detail"].as_str().unwrap().contains(named), "{case}: {alarm}");
    let to = format!("mirror-{case}");
    let told = served.mirror(&to);
    assert_eq!(told.code, Some(1), "{case}: {told:?}");
    assert!(format!("{}{}", told.out, told.err).contains(named), "{case}: {told:?}");
    assert!(!served.path(&to).join("checkpoint").exists(), "{case}: a checkpoint over what is wrong");
}

#[test]
fn tiles_that_were_cut_changed_or_swapped_and_other_origins_are_named() {
    let (data, folder) = (Arc::new(TempDir::new().unwrap()), TempDir::new().unwrap());
    fill(data.path(), LEAVES);
    let (honest, vkey) = published(&data, folder.path());
    let served = Served::new(honest.clone(), &vkey);
    assert_eq!(served.monitor("honest").code, Some(0));
    assert_eq!(served.mirror("honest").code, Some(0));
    let (first, second) = ("tile/entries/000", "tile/entries/001");
    let wrong = &["tile_malformed", "other_entries", "malformed"];

    let changed = |change: &dyn Fn(&mut Files)| {
        let mut files = honest.clone();
        change(&mut files);
        files
    };
    served.serve(changed(&|files| assert!(files.get_mut(first).unwrap().pop().is_some())));
    assert_alarm(&served, "cut", wrong, first);
    served.serve(changed(&|files| files.get_mut(first).unwrap().push(0)));
    assert_alarm(&served, "longer", wrong, first);
    served.serve(changed(&|files| files.get_mut(second).unwrap()[100] ^= 1));
    assert_alarm(&served, "changed", wrong, second);
    served.serve(changed(&|files| {
        let [one, other] = [first, second].map(|path| files.remove(path).unwrap());
        files.extend([(first.to_owned(), other), (second.to_owned(), one)]);
    }));
    assert_alarm(&served, "swapped", wrong, first);
    let origin = BASE_URL.split_once("://").unwrap().1;
    served.serve(changed(&|files| {
        let checkpoint = String::from_utf8(files["checkpoint"].clone()).unwrap();
        let other = checkpoint.replacen(origin, "other.example", 1);
        assert_ne!(checkpoint, other);
        files.insert("checkpoint".to_owned(), other.into_bytes());
    }));
    assert_alarm(&served, "origin", &["checkpoint"], "checkpoint");

    // What is not there is no alarm: nothing can be said.
    served.serve(changed(&|files| assert!(files.remove(second).is_some())));
    let told = served.monitor("missing");
    assert_eq!((told.code, &last(&told)["event"]), (Some(2), &json!("error")), "{told:?}");
    assert!(told.out.contains(second), "{told:?}");
    // Of all this nothing was taken for seen.
    served.serve(honest);
    for state in ["monitor-cut", "monitor-changed", "monitor-swapped", "missing"] {
        assert_eq!(served.monitor(state).code, Some(0), "{state}");
    }
}

/// The checkpoint of these files, signed by other keys instead.
fn resigned(files: &Files, keys: &[&SigningKey]) -> Files {
    let note: Note = String::from_utf8(files["checkpoint"].clone()).unwrap().parse().unwrap();
    let signed = Note::sign(note.text(), keys).unwrap().to_string();
    let mut files = files.clone();
    files.insert("checkpoint".to_owned(), signed.into_bytes());
    files
}

#[test]
fn a_checkpoint_of_a_key_that_nobody_vouches_for_and_one_of_an_ended_key_past_its_range_are_alarms() {
    let folder = TempDir::new().unwrap();
    let service = Launch::serve().start();
    let data = Arc::clone(&service.data);
    let vkey = Notary::of(&service).vkey;
    let former = receipt::key::SigningKey::load(&service.path("keys").join("log.pem")).unwrap();
    let origin = vkey.split('+').next().unwrap();
    let former = SigningKey::from_seed(origin, &former.seed()).unwrap();
    let stranger = SigningKey::from_seed(origin, &[5; 32]).unwrap();
    for step in ["rotate", "finish"] {
        let changed = said(service.command(["keys", step, "log"]), "");
        assert_eq!(changed.code, Some(0), "{changed:?}");
    }
    service.stop();
    fill(data.path(), 3);
    let (honest, newest) = published(&data, &folder.path().join("honest"));
    assert_ne!(newest, vkey);

    // The monitor knows the first key alone, and has slept.
    let served = Served::new(honest.clone(), &vkey);
    let alarm = |files: Files, state: &str, code: &str| {
        served.serve(files);
        let told = served.monitor(state);
        assert_eq!((told.code, &last(&told)["code"]), (Some(1), &json!(code)), "{state}: {told:?}");
    };
    let past = resigned(&honest, &[&former]);
    alarm(resigned(&honest, &[&stranger]), "stranger", "checkpoint");
    alarm(past.clone(), "former", "log_key_refused");
    // Without the records nobody vouches for the newer key.
    let mut hidden = honest.clone();
    let mut records: Vec<Value> = serde_json::from_slice(&honest[KEYS]).unwrap();
    records.truncate(4);
    hidden.insert(KEYS.to_owned(), serde_json::to_vec(&records).unwrap());
    alarm(hidden, "hidden", "checkpoint");
    // All of these states, and a new one, go on with the honest log; and then the former key is known to have ended.
    for state in ["stranger", "former", "hidden", "new"] {
        served.serve(honest.clone());
        let told = served.monitor(state);
        assert_eq!(told.code, Some(0), "{state}: {told:?}");
        assert!(told.out.contains("\"code\":\"log_key\""), "{state}: {told:?}");
        alarm(past.clone(), state, "log_key_refused");
        alarm(resigned(&honest, &[&stranger]), state, "checkpoint");
    }
}

#[test]
fn a_log_that_forks_or_goes_back_is_an_alarm_and_the_proof_of_a_fork_convinces_others() {
    let (one, other) = (Arc::new(TempDir::new().unwrap()), Arc::new(TempDir::new().unwrap()));
    let folder = TempDir::new().unwrap();
    fill(one.path(), 0);
    fs::DirBuilder::new().mode(0o700).create(other.path().join("keys")).unwrap();
    for entry in fs::read_dir(one.path().join("keys")).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), other.path().join("keys").join(entry.file_name())).unwrap();
    }
    fill(one.path(), 3);
    fill(other.path(), 5);
    let (smaller, vkey) = published(&one, &folder.path().join("smaller"));
    let (forked, same) = published(&other, &folder.path().join("forked"));
    assert_eq!(vkey, same);
    fill(one.path(), 9);
    let (grown, _) = published(&one, &folder.path().join("grown"));

    let served = Served::new(grown, &vkey);
    assert_eq!(served.monitor("state").code, Some(0));
    served.serve(smaller.clone());
    let back = served.monitor("state");
    assert_eq!((back.code, &last(&back)["code"]), (Some(1), &json!("rolled_back")), "{back:?}");

    let served = Served::new(smaller, &vkey);
    assert_eq!((served.monitor("state").code, served.mirror("mirror").code), (Some(0), Some(0)));
    let unwritable = served.path("unwritable");
    fs::create_dir(&unwritable).unwrap();
    fs::copy(served.path("state").join("state.json"), unwritable.join("state.json")).unwrap();
    served.serve(forked);
    let told = served.monitor("state");
    let alarm = last(&told);
    assert_eq!((told.code, &alarm["code"]), (Some(1), &json!("equivocation")), "{told:?}");
    assert_eq!(served.mirror("mirror").code, Some(1));
    let proof = alarm["proof"].as_str().unwrap();
    // Where the file cannot be written, the proof is printed.
    fs::create_dir(unwritable.join(Path::new(proof).file_name().unwrap())).unwrap();
    let told = served.monitor("unwritable");
    let printed = last(&told);
    assert_eq!((told.code, &printed["proof"]), (Some(1), &Value::Null), "{told:?}");
    assert_eq!(printed["document"].as_str().unwrap(), fs::read_to_string(proof).unwrap());
    let check = |file: &str| said(touchstone(["monitor", "--check", file, "--log-key", &vkey]), "");
    let proven = check(proof);
    assert_eq!(proven.code, Some(0), "{proven:?}");
    assert!(proven.out.contains("proven: the key of"), "{proven:?}");
    // A proof of which one hash, size or signature is another one shows nothing.
    let text = fs::read_to_string(proof).unwrap();
    let bad = served.path("changed.json");
    let places: Vec<usize> =
        text.match_indices(|c: char| c.is_ascii_alphanumeric()).map(|(at, _)| at).collect();
    for at in places.iter().copied().step_by(places.len() / 20) {
        let mut changed = text.clone().into_bytes();
        changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
        fs::write(&bad, &changed).unwrap();
        let told = check(bad.to_str().unwrap());
        assert_ne!(told.code, Some(0), "byte {at}: {told:?}");
    }
}
