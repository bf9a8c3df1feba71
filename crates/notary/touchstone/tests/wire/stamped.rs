//! Checkpoints that `openssl ts` stamps: what is served, what it proves, and what is refused.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use verdict::Timestamp;

use crate::support::HANG;
use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::receipt::text;
use crate::support::service::{Launch, Service, run};
use crate::support::store::Forger;

const CONFIGURATION: &str = "[tsa]\ndefault_tsa = own\n[own]\nserial = serial\nsigner_digest = sha256\n\
    default_policy = 1.2.3.4.1\ndigests = sha256\naccuracy = secs:1\n\
    [usage]\nextendedKeyUsage = critical,timeStamping\n";

fn openssl(folder: &Path, arguments: &str) -> Output {
    Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap()
}

fn made(folder: &Path, arguments: &str) {
    let output = openssl(folder, arguments);
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A time-stamping authority over HTTP that has `openssl ts` make its tokens.
struct OpensslStamper {
    folder: Arc<TempDir>,
    url: String,
}

impl OpensslStamper {
    fn start() -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        let path = folder.path();
        fs::write(path.join("tsa.cnf"), CONFIGURATION).unwrap();
        fs::write(path.join("serial"), "01\n").unwrap();
        let key = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out";
        made(path, &format!("{key} root.key"));
        made(path, &format!("{key} tsa.key"));
        made(path, "req -x509 -new -key root.key -out root.pem -days 30 -subj /CN=Root");
        made(path, "req -new -key tsa.key -out tsa.csr -subj /CN=Stamper");
        made(
            path,
            "x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -days 20 -extfile tsa.cnf -extensions usage -out tsa.pem",
        );
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let of_thread = Arc::clone(&folder);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                drop(stamp(stream, of_thread.path()));
            }
        });
        Self { folder, url }
    }

    fn roots(&self) -> String {
        self.folder.path().join("root.pem").to_str().unwrap().to_owned()
    }
}

fn stamp(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut query = vec![0; length];
    reader.read_exact(&mut query)?;
    fs::write(folder.join("query.tsq"), query)?;
    made(
        folder,
        "ts -reply -config tsa.cnf -queryfile query.tsq -signer tsa.pem -inkey tsa.key -out reply.tsr",
    );
    let reply = fs::read(folder.join("reply.tsr"))?;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/timestamp-reply\r\ncontent-length: {}\r\n\r\n",
        reply.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&reply)
}

/// The `.times` of a receipt, once somebody has said something.
fn once_stamped(service: &Service, hash: &str) -> Value {
    let begun = Instant::now();
    loop {
        let times = service.get(&format!("/receipts/{hash}.times")).expect(200).json();
        if times["latest"][0].is_object() {
            return times;
        }
        assert!(begun.elapsed() < HANG, "{times}: {}", service.get("/health").text());
        thread::sleep(Duration::from_millis(50));
    }
}

/// An answer with a text in its status, which is no part of the token.
fn with_words(answer: &[u8]) -> Vec<u8> {
    let element = |tag: u8, content: &[u8]| {
        let length = u16::try_from(content.len()).unwrap().to_be_bytes();
        [&[tag, 0x82], &length[..], content].concat()
    };
    assert_eq!((answer[..2].to_vec(), &answer[4..9]), (vec![0x30, 0x82], &[0x30, 3, 2, 1, 0][..]));
    let words = element(0x0c, b"ok\nTime stamp: Jan  1 00:00:05 2020 GMT\nAccuracy: 1 seconds");
    let status = element(0x30, &[&[2, 1, 0], &element(0x30, &words)[..]].concat());
    element(0x30, &[&status, &answer[9..]].concat())
}

/// The code and the words of docs/verify/times.py.
fn by_script(receipt: &Value, times: &Value, roots: &str) -> (Option<i32>, String) {
    let folder = TempDir::new().unwrap();
    let (receipt_file, times_file) =
        (folder.path().join("receipt.json"), folder.path().join("receipt.times"));
    fs::write(&receipt_file, receipt.to_string()).unwrap();
    fs::write(&times_file, times.to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/verify/times.py");
    let output =
        Command::new("python3").arg(script).args([&receipt_file, &times_file]).arg(roots).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Until a token is logged, and where it is has been noted.
fn until_logged(service: &Service) {
    until("a logged token", || service.said().contains("a time-stamp token is logged"));
}

fn verify(service: &Service, receipt: &str, flags: &[&str]) -> (Option<i32>, String) {
    let mut command = service.command(["verify", "-"].iter().chain(flags));
    command.env("TOUCHSTONE_BASE_URL", "https://one.example");
    let output = run(command, receipt.as_bytes());
    let out = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), out)
}

#[test]
fn a_receipt_is_bounded_by_a_token_that_openssl_makes_and_verifies() {
    let launch = Launch::dev().set("BASE_URL", "https://one.example");
    let data = Arc::clone(launch.data());
    let service = launch.start();
    let (receipt, other) = (service.claim(&signed("stamped")), service.claim(&signed("other")));
    let hash = receipt["receipt_hash"].as_str().unwrap();
    let unsaid = service.get(&format!("/receipts/{hash}.times")).expect(200).json();
    assert_eq!(unsaid["latest"], json!([]));
    assert_eq!(service.get("/log/timestamps").status, 404);
    let page = service.get(&format!("/r/{hash}")).expect(200).text();
    assert_eq!(page.matches("the notary's own word, and nobody else's").count(), 2, "{page}");
    service.stop();

    let authority = OpensslStamper::start();
    let service = Launch::dev()
        .on(&data)
        .set("BASE_URL", "https://one.example")
        .set("TIMESTAMP_AUTHORITY", &authority.url)
        .set("TIMESTAMP_ROOTS", &authority.roots())
        .start();
    let times = once_stamped(&service, hash);
    let bound = &times["latest"][0];
    assert_eq!((&bound["by"], &bound["who"]), (&"timestamp".into(), &"Stamper".into()), "{times}");
    assert_eq!(times["earliest"]["by"], "notary");
    let page = service.get(&format!("/r/{hash}")).expect(200).text();
    assert!(page.contains("<bdi>Stamper</bdi> had stamped"), "{page}");

    let described = service.get("/.well-known/service.json").json();
    assert_eq!(described["log"]["timestamps"], "https://one.example/log/timestamps");
    let newest = service.get("/log/timestamps").expect(200).json()["newest"].clone();
    assert_eq!(newest["size"], bound["size"]);
    let health = service.get("/health").json();
    assert_eq!(health["timestamps"]["stamped"]["size"], bound["size"], "{health}");
    assert_eq!(health["timestamps"]["error"], Value::Null, "{health}");

    // What is served is verified by openssl.
    let folder = TempDir::new().unwrap();
    let size = &newest["size"];
    for (path, name) in [
        (format!("/log/timestamps/{size}.tsr"), "token.tsr"),
        (format!("/log/timestamps/{size}.checkpoint"), "checkpoint"),
        ("/log/timestamps/roots.pem".to_owned(), "roots.pem"),
    ] {
        fs::write(folder.path().join(name), service.get(&path).expect(200).body).unwrap();
    }
    // By the very lines of the guide.
    let guide = include_str!("../../../../../docs/verifying.md").lines().map(str::trim);
    let is_line = |line: &&str| line.starts_with("then=$(openssl ts") || line.starts_with("openssl ts -");
    let lines: Vec<_> = guide.filter(is_line).collect();
    assert_eq!(lines.len(), 3);
    let output =
        Command::new("bash").args(["-ec", &lines.join("\n")]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let changed = fs::read_to_string(folder.path().join("checkpoint")).unwrap().replacen('\n', "\n1", 1);
    fs::write(folder.path().join("changed"), changed).unwrap();
    assert!(
        !openssl(folder.path(), "ts -verify -in token.tsr -data changed -CAfile roots.pem").status.success()
    );
    for path in
        ["/log/timestamps/0.tsr", "/log/timestamps/1.tsr", "/log/timestamps/x.tsr", "/log/timestamps/9"]
    {
        assert_eq!(service.get(path).status, 404, "{path}");
    }

    let written = service.path("receipt.times");
    fs::write(&written, times.to_string()).unwrap();
    let (written, roots) = (written.to_str().unwrap().to_owned(), authority.roots());
    let flags = ["--times", &written, "--stamped-under", &roots];
    let (code, out) = verify(&service, &receipt.to_string(), &flags);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("not later than: 20") && out.contains("by the token of Stamper"), "{out}");
    let (code, out) = verify(&service, &receipt.to_string(), &["--times", &written]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("the notary's own word"), "{out}");
    let (code, out) = verify(&service, &other.to_string(), &flags);
    assert_eq!(code, Some(1), "the times of another receipt: {out}");
    // Words around the token that nobody has signed give no time.
    let mut worded = times.clone();
    let answer = STANDARD.decode(text(&times["latest"][0], "answer")).unwrap();
    worded["latest"][0]["answer"] = STANDARD.encode(with_words(&answer)).into();
    let (code, said) = by_script(&receipt, &worded, &roots);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("not later than") && !said.contains("2020"), "{said}");
    // A receipt that names a tree with the leaf of the token was signed after it.
    until_logged(&service);
    let receipt = service.claim(&signed("later"));
    let times =
        service.get(&format!("/receipts/{}.times", text(&receipt, "receipt_hash"))).expect(200).json();
    let earliest = &times["earliest"];
    assert_eq!(earliest["who"], "Stamper");
    assert!(text(earliest, "at") <= text(&times, "signed_at"), "{times}");
    let page = service.get(&format!("/r/{}", text(&receipt, "receipt_hash"))).expect(200).text();
    assert!(page.contains("holds the hash of that token"), "{page}");
    let stats = service.get("/stats").expect(200).json();
    assert_eq!(stats["receipts_issued"], 3, "nobody asked for the receipt that logs the token: {stats}");
    let checks = |times: &Value, code: i32, words: &str| {
        fs::write(&written, times.to_string()).unwrap();
        let (ours, out) = verify(&service, &receipt.to_string(), &flags);
        assert_eq!(ours, Some(code), "{out}");
        assert!(out.contains(words), "{out}");
        let (theirs, said) = by_script(&receipt, times, &roots);
        assert_eq!(theirs, Some(code), "times.py: {said}");
    };
    checks(&times, 0, "not earlier than 20");
    let changed = |member: &str, value: Value| {
        let mut changed = times.clone();
        changed["earliest"][member] = value;
        changed
    };
    let payload = text(earliest, "payload");
    let other = payload.replace("answer_sha256\":\"", "answer_sha256\":\"0");
    checks(&changed("payload", other.into()), 1, "is not about this token");
    checks(
        &changed("payload", payload.replace("STAMPED", "STAMPES").into()),
        1,
        "does not hold the token's receipt",
    );
    checks(&changed("leaf", 0.into()), 1, "does not hold the token's receipt");
    checks(&changed("leaf", 1_000_000.into()), 1, "does not hold the token's receipt");
    checks(&changed("checkpoint", "another".into()), 1, "another message");
    checks(&changed("by", "nobody".into()), 2, "notary's own word");
    checks(&times, 0, "not earlier than 20");
    // A policy is not met by times that say nothing of witnesses.
    let policy = folder.path().join("policy");
    fs::write(&policy, "witness w1 w1.example+89d3dde6+BIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c https://w1.example\nquorum w1\n").unwrap();
    let (code, out) = verify(
        &service,
        &receipt.to_string(),
        &[&flags[..], &["--policy", policy.to_str().unwrap()]].concat(),
    );
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("no quorum"), "{out}");
    let url = format!("http://{}", service.address);
    let (code, out) = verify(&service, &receipt.to_string(), &["--url", &url, "--stamped-under", &roots]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("by the token of Stamper at leaf"), "{out}");
    let (code, out) = verify(&service, &receipt.to_string(), &["--stamped-under", &roots]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("needs --times or --url"), "{out}");

    let foreign = OpensslStamper::start();
    let (code, out) =
        verify(&service, &receipt.to_string(), &["--times", &written, "--stamped-under", &foreign.roots()]);
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("statements by others were not checked"), "{out}");
    let (code, said) = by_script(&receipt, &times, &foreign.roots());
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn a_receipt_that_says_a_time_before_a_token_in_its_tree_does_not_hold() {
    let authority = OpensslStamper::start();
    let launch = |launch: Launch| {
        let launch = launch.set("BASE_URL", "https://one.example");
        launch.set("TIMESTAMP_AUTHORITY", &authority.url).set("TIMESTAMP_ROOTS", &authority.roots())
    };
    let first = launch(Launch::dev());
    let data = Arc::clone(first.data());
    let service = first.start();
    service.claim(&signed("before"));
    until_logged(&service);
    service.stop();
    let week_ago = Timestamp::try_from(SystemTime::now()).unwrap().saturating_add_millis(-7 * 86_400_000);
    let forger = Forger::at(data.path(), "https://one.example", week_ago);
    let receipt = forger.sign("commit", &json!({"agent": "liar", "content": 1}), "COMMITTED");
    drop(forger);

    let service = launch(Launch::dev().on(&data)).start();
    let times =
        service.get(&format!("/receipts/{}.times", text(&receipt, "receipt_hash"))).expect(200).json();
    assert_eq!(times["earliest"]["by"], "timestamp", "{times}");
    let written = service.path("receipt.times");
    fs::write(&written, times.to_string()).unwrap();
    let flags = ["--times", written.to_str().unwrap(), "--stamped-under", &authority.roots()];
    let (code, out) = verify(&service, &receipt.to_string(), &flags);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("it was signed after"), "{out}");
    let (code, said) = by_script(&receipt, &times, &authority.roots());
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn an_authority_without_roots_is_refused_and_a_dead_one_stops_no_verdict() {
    let data = TempDir::new().unwrap();
    let none = data.path().join("none.pem");
    fs::write(&none, "no certificate\n").unwrap();
    let launch = |roots: Option<&str>| {
        let launch = Launch::dev().set("TIMESTAMP_AUTHORITY", "http://127.0.0.1:9/");
        roots.into_iter().fold(launch, |launch, roots| launch.set("TIMESTAMP_ROOTS", roots))
    };
    assert!(launch(None).refused().contains("needs timestamp_roots"));
    assert!(launch(Some(none.to_str().unwrap())).refused().contains("timestamp_roots"));
    assert!(launch(Some("/nowhere.pem")).refused().contains("/nowhere.pem"));
    let authority = OpensslStamper::start();
    let service = launch(Some(&authority.roots())).start();
    service.claim(&signed("alone"));
    let begun = Instant::now();
    loop {
        let health = service.get("/health").expect(200).json();
        if health["timestamps"]["error"].as_str().is_some_and(|error| error.contains("no answer came")) {
            assert_eq!(health["modules"]["timestamps"], Value::Null, "{health}");
            break;
        }
        assert!(begun.elapsed() < HANG, "{health}");
        thread::sleep(Duration::from_millis(50));
    }
}
