//! A key that a real token makes and never gives out: SoftHSM's.

use std::process::Command;
use std::time::Duration;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType};
use cryptoki::session::UserType;
use cryptoki::types::AuthPin;
use log_signer::pkcs11::{Pin, Pkcs11Signer, TokenKey};
use log_signer::remote::{Backend as _, Failure};
use peers::softhsm::{Token, VARIABLE};
use tlog::{KeyKind, VerifierKey};

/// The variable that names the module to the test within the test.
const MODULE: &str = "TEST_PKCS11_MODULE";
const LIMIT: Duration = Duration::from_secs(60);
/// The curve by its name, as SoftHSM has it: a PrintableString (PKCS#11 v3.0, section 2.3.5).
const EDWARDS25519: &[u8] = b"\x13\x0cedwards25519";

/// A module is led to its tokens by the environment, and no test may change that of its own process.
#[test]
fn a_key_of_a_token_signs_and_the_token_is_logged_in_again() {
    let Some(token) = Token::new("a log key in a PKCS#11 token") else { return };
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "softhsm::within_the_environment_of_a_token", "--ignored", "--nocapture"])
        .env(VARIABLE, token.configuration())
        .env(MODULE, token.module())
        .env("PIN", Token::PIN)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    assert!(!said.contains(Token::PIN), "a PIN is never printed");
}

fn place(module: &str, pin: &str) -> TokenKey {
    TokenKey {
        module: module.into(),
        token: Token::LABEL.to_owned(),
        key: "log".to_owned(),
        pin: Pin::Environment(pin.to_owned()),
    }
}

fn why(outcome: Result<[u8; 64], Failure>) -> String {
    match outcome {
        Err(Failure::Other(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "it is run by the test above"]
fn within_the_environment_of_a_token() {
    let module = std::env::var(MODULE).unwrap();
    let mut signer = Pkcs11Signer::new(place(&module, "PIN"));
    assert!(why(signer.sign(b"message", LIMIT)).contains("there are 0 of a private key"));

    let client = Pkcs11::new(&module).unwrap();
    let slots = client.get_slots_with_initialized_token().or_else(|_| {
        client.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK))?;
        client.get_slots_with_initialized_token()
    });
    let slot = slots.unwrap()[0];
    let session = client.open_rw_session(slot).unwrap();
    session.login(UserType::User, Some(&AuthPin::from(Token::PIN))).unwrap();
    let public = [Attribute::Token(true), Attribute::EcParams(EDWARDS25519.to_vec())];
    let private = [
        Attribute::Token(true),
        Attribute::Private(true),
        Attribute::Sensitive(true),
        Attribute::Extractable(false),
        Attribute::Sign(true),
        Attribute::Label(b"log".to_vec()),
    ];
    let (public, _) = session.generate_key_pair(&Mechanism::EccEdwardsKeyPairGen, &public, &private).unwrap();
    let point = session.get_attributes(public, &[AttributeType::EcPoint]).unwrap();
    let [Attribute::EcPoint(point)] = &point[..] else { panic!("{point:?}") };
    // An OCTET STRING of 32 bytes.
    let key = VerifierKey::new("notary.example/log", KeyKind::Ed25519, &point[2..]).unwrap();
    session.logout().unwrap();
    drop(session);

    for message in [&b"one"[..], b"two", &[7; 4000]] {
        assert!(key.has_signed(message, &signer.sign(message, LIMIT).unwrap()));
    }
    // As after the token was pulled out and put back: the session is logged out, then the module itself is closed.
    let log_out = |client: &Pkcs11| client.open_ro_session(slot).unwrap().logout().unwrap();
    let finalise = |client: &Pkcs11| client.clone().finalize().unwrap();
    for lose in [&log_out as &dyn Fn(&Pkcs11), &finalise] {
        lose(&client);
        assert!(key.has_signed(b"again", &signer.sign(b"again", LIMIT).unwrap()));
    }
    drop(signer);
    // A wrong PIN is tried once: a token locks itself after a few.
    let mut wrong = Pkcs11Signer::new(place(&module, "PATH"));
    let first = why(wrong.sign(b"message", LIMIT));
    assert!(!first.contains("not tried again") && first.contains("PIN"), "{first}");
    assert!(why(wrong.sign(b"message", LIMIT)).contains("not tried again"));
    let info = client.get_token_info(slot).unwrap();
    assert!(!info.user_pin_locked() && !info.user_pin_final_try());
    // Another label, another token.
    for place in [
        TokenKey { key: "other".to_owned(), ..place(&module, "PIN") },
        TokenKey { token: "other".to_owned(), ..place(&module, "PIN") },
        TokenKey { module: "/no/such/module.so".into(), ..place(&module, "PIN") },
        TokenKey { pin: Pin::Environment("NO_SUCH_VARIABLE".to_owned()), ..place(&module, "PIN") },
    ] {
        why(Pkcs11Signer::new(place).sign(b"message", LIMIT));
    }
}
