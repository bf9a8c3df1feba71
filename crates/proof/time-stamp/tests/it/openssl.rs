//! Tokens that `openssl ts` makes are taken, for each kind of key and of hash.

use std::path::Path;
use std::process::Command;

use receipt::time::Timestamp;
use time_stamp::{Authority, Nonce, StampError, StampRequest};

const CONFIGURATION: &str = "[tsa]\ndefault_tsa = own\n[own]\nserial = serial\nsigner_digest = sha256\n\
    default_policy = 1.2.3.4.1\nother_policies = 1.2.3.4.5\ndigests = sha256\naccuracy = secs:1, millisecs:500\n\
    ordering = yes\ntsa_name = yes\ness_cert_id_chain = no\n[usage]\nextendedKeyUsage = critical,timeStamping\n\
    [ca]\nbasicConstraints = critical,CA:TRUE\n";

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output();
    let output = output.expect("openssl is installed");
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a root and an authority below it in a folder, with a kind of key.
fn authority(folder: &Path, key: &str) -> Authority {
    std::fs::write(folder.join("tsa.cnf"), CONFIGURATION).unwrap();
    std::fs::write(folder.join("serial"), "7f01\n").unwrap();
    for who in ["root", "tsa"] {
        openssl(folder, &format!("genpkey {key} -out {who}.key"));
    }
    openssl(folder, "req -x509 -new -key root.key -out root.pem -days 30 -subj /CN=Root");
    openssl(folder, "req -new -key tsa.key -out tsa.csr -subj /CN=Stamper/O=Example");
    openssl(
        folder,
        "x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -days 20 -extfile tsa.cnf -extensions usage -out tsa.pem",
    );
    Authority::new(&std::fs::read(folder.join("root.pem")).unwrap(), None).unwrap()
}

#[test]
fn tokens_of_openssl_are_taken_with_rsa_and_with_ecdsa() {
    for key in [
        "-algorithm RSA -pkeyopt rsa_keygen_bits:2048",
        "-algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        "-algorithm EC -pkeyopt ec_paramgen_curve:P-384",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let authority = authority(folder, key);
        let request = StampRequest { sha256: [5; 32], nonce: Nonce::new([0xff; 16]), policy: None };
        std::fs::write(folder.join("query.tsq"), request.to_der()).unwrap();
        for more in ["", " -sha384", " -sha512"] {
            openssl(
                folder,
                &format!(
                    "ts -reply -config tsa.cnf -queryfile query.tsq -signer tsa.pem -inkey tsa.key{more} -out reply.tsr"
                ),
            );
            let reply = std::fs::read(folder.join("reply.tsr")).unwrap();
            let stamp = authority.check(&reply, &request.sha256, Some(request.nonce)).unwrap();
            assert_eq!((&*stamp.authority, &*stamp.policy), ("Stamper", "1.2.3.4.1"));
            let now = Timestamp::try_from(std::time::SystemTime::now()).unwrap();
            assert!(stamp.at <= now && now.millis_since(stamp.at) < 600_000, "{stamp:?}");
            assert_eq!(stamp.accuracy_ms, 1500);
            assert_eq!(
                authority.check(&reply, &request.sha256, Some(Nonce::new([1; 16]))),
                Err(StampError::OtherNonce)
            );
            assert_eq!(authority.check(&reply, &[6; 32], None), Err(StampError::OtherMessage));
        }
    }
}

#[test]
fn a_refusal_of_openssl_is_told_with_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let authority = authority(folder, "-algorithm EC -pkeyopt ec_paramgen_curve:P-256");
    let policy = der::asn1::ObjectIdentifier::new("1.9.9").ok();
    let request = StampRequest { sha256: [5; 32], nonce: Nonce::new([1; 16]), policy };
    std::fs::write(folder.join("query.tsq"), request.to_der()).unwrap();
    openssl(
        folder,
        "ts -reply -config tsa.cnf -queryfile query.tsq -signer tsa.pem -inkey tsa.key -out reply.tsr",
    );
    let reply = std::fs::read(folder.join("reply.tsr")).unwrap();
    let error = authority.check(&reply, &request.sha256, Some(request.nonce)).unwrap_err();
    assert!(matches!(error, StampError::Refused { status: 2, .. }), "{error}");
}
