//! The verdicts of rustls and OpenSSL on the certificates, and the content that the sites serve.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use peers::lab::{Lab, Speaks};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, Error, RootCertStore, StreamOwned};
use serde_json::Value;

use crate::UNTESTED;

fn get(lab: &Lab, host: &str, path: &str) -> Result<String, Error> {
    get_at(lab, Speaks::Modern.address(), host, path)
}

/// Returns a site's answer over TLS, its head included, if its certificate is valid.
fn get_at(lab: &Lab, address: Ipv4Addr, host: &str, path: &str) -> Result<String, Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(lab.authority.as_bytes()).unwrap())?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = ClientConnection::new(Arc::new(config), ServerName::try_from(host.to_owned()).unwrap())?;
    let stream = TcpStream::connect(SocketAddr::from((address, lab.https))).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut stream = StreamOwned::new(client, stream);
    let exchange = |stream: &mut StreamOwned<ClientConnection, TcpStream>| {
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        io::Result::Ok(answer)
    };
    exchange(&mut stream).map_err(|error| match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => panic!("{host}: {error}"),
    })
}

#[test]
fn rustls_takes_the_good_certificates() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for host in [
        "good.test",
        "soon.test",
        "month.test",
        "no-sct.test",
        "rsa2048.test",
        "ecc384.test",
        "many-names.test",
        "wild.test",
        "any.wild.test",
        "perfect.test",
        "mta-sts.perfect.test",
        "rdap.test",
    ] {
        let answer = get(lab, host, "/").unwrap_or_else(|error| panic!("{host}: {error}"));
        assert!(answer.starts_with("HTTP/1.1 "), "{host}: {answer}");
    }
}

#[test]
fn rustls_refuses_each_wrong_certificate_for_what_is_wrong_with_it() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let refused = |host| match get(lab, host, "/") {
        Err(Error::InvalidCertificate(error)) => error,
        other => panic!("{host}: {other:?}"),
    };
    let error = refused("expired.test");
    assert!(
        matches!(error, CertificateError::Expired | CertificateError::ExpiredContext { .. }),
        "{error:?}"
    );
    let error = refused("future.test");
    assert!(
        matches!(error, CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }),
        "{error:?}"
    );
    let error = refused("wrong.test");
    assert!(
        matches!(error, CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }),
        "{error:?}"
    );
    for host in ["self.test", "unknown.test", "incomplete.test"] {
        assert_eq!(refused(host), CertificateError::UnknownIssuer, "{host}");
    }
}

/// Returns true if OpenSSL agrees with a site on a version and its certificate, as its program says it.
fn openssl(lab: &Lab, speaks: Speaks, host: &str, arguments: &[&str]) -> String {
    let mut command = Command::new("openssl");
    command.args([
        "s_client",
        "-connect",
        &format!("{}:{}", speaks.address(), lab.https),
        "-servername",
        host,
    ]);
    command.args(["-verify_hostname", host, "-CAfile"]).arg(lab.authority_file()).args(arguments);
    let output = command.env("OPENSSL_CONF", "/dev/null").stdin(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn openssl_gives_each_certificate_its_code() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (host, code) in [
        ("good.test", "0 (ok)"),
        ("soon.test", "0 (ok)"),
        ("expired.test", "10 (certificate has expired)"),
        ("future.test", "9 (certificate is not yet valid)"),
        ("self.test", "18 (self-signed certificate)"),
        ("wrong.test", "62 (hostname mismatch)"),
        ("unknown.test", "unable to"),
        ("incomplete.test", "unable to"),
    ] {
        let said = openssl(lab, Speaks::Modern, host, &[]);
        let line = said.lines().find(|line| line.contains("erify return code")).unwrap_or_default();
        assert!(line.to_ascii_lowercase().contains(code), "{host}: {line}");
    }
}

#[test]
fn the_weak_key_is_weak() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let said = openssl(lab, Speaks::Everything, "weak.test", &["-cipher", "DEFAULT:@SECLEVEL=0"]);
    assert!(said.contains("Server public key is 1024 bit"), "{said}");
    assert!(get_at(lab, Speaks::Everything.address(), "weak.test", "/").is_err());
}

#[test]
fn each_address_speaks_its_versions_and_no_other() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    for (speaks, host, versions) in [
        (Speaks::Modern, "good.test", &["-tls1_2", "-tls1_3"][..]),
        (Speaks::Old, "old.test", &["-tls1", "-tls1_1"]),
        (Speaks::Tls12, "tls12.test", &["-tls1_2"]),
        (Speaks::Tls13, "tls13.test", &["-tls1_3"]),
        (Speaks::Everything, "everything.test", &["-tls1", "-tls1_1", "-tls1_2", "-tls1_3"]),
    ] {
        for version in ["-tls1", "-tls1_1", "-tls1_2", "-tls1_3"] {
            let said = openssl(lab, speaks, host, &[version, "-cipher", "DEFAULT:@SECLEVEL=0"]);
            assert_eq!(
                said.contains("Cipher is (NONE)"),
                !versions.contains(&version),
                "{host} {version}: {said}"
            );
        }
    }
}

#[test]
fn what_has_no_tls_refuses_it_and_serves_without() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let address = SocketAddr::from((Speaks::NoTls.address(), lab.https));
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    assert!(plain(lab, Speaks::NoTls, "nohttps.test", "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn the_silent_server_accepts() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let mut stream = TcpStream::connect(lab.silent()).unwrap();
    stream.write_all(b"a hello that nobody answers").unwrap();
    stream.set_nonblocking(true).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

/// Returns a site's answer without TLS.
fn plain(lab: &Lab, speaks: Speaks, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect((speaks.address(), lab.http)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn redirects_lead_where_they_say() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let upgraded = plain(lab, Speaks::Modern, "good.test", "/page?x=1");
    assert!(upgraded.starts_with("HTTP/1.1 301 "), "{upgraded}");
    assert!(
        upgraded.contains(&format!("Location: https://good.test:{}/page?x=1\r\n", lab.https)),
        "{upgraded}"
    );
    for (host, path, to) in [
        ("moved.test", "/", format!("https://www.moved.test:{}/", lab.https)),
        ("redirect-loop.test", "/", format!("https://redirect-loop.test:{}/", lab.https)),
        ("redirect-private.test", "/", "http://10.0.0.1/".to_owned()),
        ("redirect-down.test", "/", format!("http://nohttps.test:{}/", lab.http)),
        ("rdap.test", "/domain/rdap-private.test", "http://10.0.0.1/domain/rdap-private.test".to_owned()),
    ] {
        let answer = get(lab, host, path).unwrap();
        assert!(answer.contains(&format!("Location: {to}\r\n")), "{host}: {answer}");
    }
    assert!(plain(lab, Speaks::Modern, "no-redirect.test", "/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn the_perfect_site_serves_its_headers_and_documents() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let page = get(lab, "perfect.test", "/").unwrap();
    assert!(
        page.contains("Strict-Transport-Security: max-age=63072000; includeSubDomains; preload\r\n"),
        "{page}"
    );
    assert!(page.contains("Content-Security-Policy: default-src 'none'; "), "{page}");
    let security = get(lab, "perfect.test", "/.well-known/security.txt").unwrap();
    assert!(
        security.contains("Content-Type: text/plain") && security.contains("Contact: mailto:"),
        "{security}"
    );
    let policy = get(lab, "mta-sts.perfect.test", "/.well-known/mta-sts.txt").unwrap();
    assert!(policy.contains("mx: mail.perfect.test\r\n"), "{policy}");
    assert!(get(lab, "failing.test", "/").unwrap().starts_with("HTTP/1.1 503 "));
}

#[test]
fn the_registry_answers_for_the_labs_domains() {
    let Some(lab) = Lab::shared(UNTESTED) else { return };
    let (service, base) = (&lab.bootstrap()["services"][0], lab.rdap());
    assert_eq!((&service[0][0], &service[1][0]), (&Value::from("test"), &Value::from(base)));
    for domain in
        ["good.test", "perfect.test", "spf-two.test", "lame.test", "rdap-week.test", "rdap-endless.test"]
    {
        let answer = get(lab, "rdap.test", &format!("/domain/{domain}")).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Content-Type: application/rdap+json"), "{head}");
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["ldhName"], domain);
        let has_end =
            body["events"].as_array().unwrap().iter().any(|event| event["eventAction"] == "expiration");
        assert_eq!(has_end, domain != "rdap-endless.test");
    }
    for (domain, status) in [("rdap-missing.test", 404), ("rdap-busy.test", 429), ("rdap-moved.test", 302)] {
        let answer = get(lab, "rdap.test", &format!("/domain/{domain}")).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{domain}: {answer}");
    }
    assert!(get(lab, "rdap.test", "/domain/rdap-huge.test").unwrap().len() > 10 << 20);
}
