//! A real peer for what rustls no longer speaks: `openssl s_server`, where it is installed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use fetch::{Policy, Roots};
use probe::tls::{Acceptance, HandshakeOutcome, TlsObservation, TlsProbe, Versions};
use tempfile::TempDir;
use trust::score::{Cap, ModelVersion, Status, tls};
use verdict::Timestamp;

use crate::tls_support::{HOST, fetcher, host};

const ACCEPTED: Acceptance = Acceptance::Accepted;
const REFUSED: Acceptance = Acceptance::Refused;

/// An authority's folder.
struct Authority(TempDir);

/// A server, ended when dropped.
struct Server(Child, u16);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Authority {
    /// None, with a printed line, where there is no openssl.
    fn new(untested: &str) -> Option<Self> {
        if Command::new("openssl").arg("version").output().is_err() {
            println!("skipped: no openssl, so {untested} stays untested");
            return None;
        }
        let own = Self(tempfile::tempdir().unwrap());
        own.openssl("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=Root -days 3");
        Some(own)
    }

    fn openssl(&self, arguments: &str) {
        let mut command = Command::new("openssl");
        let output = command.args(arguments.split(' ')).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A certificate for [`HOST`] with a key of this kind.
    fn issue(&self, key: &str) -> &Self {
        self.openssl(&format!(
            "req -x509 -newkey {key} -nodes -keyout key.pem -out leaf.pem -subj /CN={HOST} -days 90 \
             -addext subjectAltName=DNS:{HOST} -addext basicConstraints=critical,CA:FALSE -CA ca.pem -CAkey ca.key"
        ));
        self
    }

    /// A server with that certificate.
    fn serve(&self, options: &str) -> Server {
        let all = format!("s_server -accept 127.0.0.1:0 -key key.pem -cert leaf.pem {options}");
        let mut child = Command::new("openssl")
            .args(all.split(' '))
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut ports = lines.map_while(Result::ok).filter_map(|line| {
            line.strip_prefix("ACCEPT ").and_then(|address| address.rsplit(':').next()?.parse().ok())
        });
        let port = ports.next().expect("openssl says where it listens");
        Server(child, port)
    }

    /// A look at such a server, and what it comes to.
    async fn look(&self, options: &str) -> (TlsObservation, Status, String, Option<Cap>) {
        let server = self.serve(options);
        let roots = Roots::none().with_pem(&std::fs::read(self.0.path().join("ca.pem")).unwrap()).unwrap();
        let now = Timestamp::try_from(SystemTime::now()).unwrap();
        let seen = TlsProbe::new(fetcher(Policy::dev()), roots, server.1).look(&host(), now).await;
        let (check, cap) = tls(&seen, &host(), now, ModelVersion::V2);
        (seen, check.status, check.reason.into_owned(), cap)
    }
}

fn only(versions: Versions, version: usize) -> bool {
    let all = [versions.tls10, versions.tls11, versions.tls12, versions.tls13];
    all.into_iter().enumerate().all(|(at, own)| own == if at == version { ACCEPTED } else { REFUSED })
}

#[tokio::test]
async fn each_old_version_is_seen_alone() {
    let Some(authority) = Authority::new("TLS 1.0 and 1.1") else { return };
    authority.issue("rsa:2048");
    for (at, option) in ["-tls1", "-tls1_1"].into_iter().enumerate() {
        let (seen, status, reason, cap) =
            authority.look(&format!("{option} -cipher DEFAULT@SECLEVEL=0")).await;
        assert!(only(seen.versions, at), "{option}: {:?}", seen.versions);
        assert_eq!((status, &*reason, cap), (Status::Fail, "old_versions_only", None), "{option}");
    }
}

#[tokio::test]
async fn new_versions_beside_old_ones_are_a_warning() {
    let Some(authority) = Authority::new("TLS 1.0 beside 1.3") else { return };
    authority.issue("rsa:2048");
    let (seen, status, reason, _) = authority.look("-min_protocol TLSv1 -cipher DEFAULT@SECLEVEL=0").await;
    let all = Versions { tls10: ACCEPTED, tls11: ACCEPTED, tls12: ACCEPTED, tls13: ACCEPTED };
    assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::Answered, all));
    assert_eq!((status, &*reason), (Status::Warn, "old_versions_accepted"));
    let (seen, status, reason, _) = authority.look("-min_protocol TLSv1.2").await;
    assert_eq!((seen.versions.tls10, seen.versions.tls11), (REFUSED, REFUSED));
    assert_eq!((status, &*reason), (Status::Pass, "valid"));
}

#[tokio::test]
async fn a_small_key_and_a_broken_hash_fail() {
    let Some(authority) = Authority::new("small keys and SHA-1") else { return };
    authority.issue("rsa:1024");
    for options in ["-cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher DEFAULT@SECLEVEL=0"] {
        let (_, status, reason, cap) = authority.look(options).await;
        assert_eq!((status, &*reason, cap), (Status::Fail, "key_too_small", None), "{options}");
    }
    authority.issue("rsa:2048 -sha1");
    let (_, status, reason, cap) = authority.look("-cipher DEFAULT@SECLEVEL=0").await;
    let expected = (Status::Fail, "certificate_broken_hash", Some(Cap::InvalidCertificate));
    assert_eq!((status, &*reason, cap), expected);
}

#[tokio::test]
async fn old_ciphers_alone_fail() {
    let Some(authority) = Authority::new("suites without forward secrecy") else { return };
    let (seen, status, reason, cap) = authority.issue("rsa:2048").look("-tls1_2 -cipher AES128-SHA").await;
    assert!(only(seen.versions, 2), "{:?}", seen.versions);
    assert_eq!((status, &*reason, cap), (Status::Fail, "old_ciphers_only", None));
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_of_its_client_is_judged_by_its_own() {
    let Some(authority) = Authority::new("servers that ask for a client's certificate") else { return };
    authority.issue("ec -pkeyopt ec_paramgen_curve:P-384");
    for (options, outcome) in
        [("-Verify 1 -tls1_2", HandshakeOutcome::Alert), ("-Verify 1", HandshakeOutcome::Answered)]
    {
        let (seen, _, reason, cap) = authority.look(options).await;
        assert_eq!((seen.outcome, cap), (outcome, None), "{options}");
        assert_eq!(reason, if options.ends_with("tls1_2") { "no_tls13" } else { "valid" });
    }
}
