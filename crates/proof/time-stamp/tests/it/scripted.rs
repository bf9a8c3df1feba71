//! Each lie of an authority is found, by its name.

use peers::stamper::{Lie, POLICY, Stamper};
use proptest::prelude::*;
use receipt::time::Timestamp;
use time_stamp::{Authority, AuthorityError, MAX_REPLY_BYTES, Nonce, StampError, StampRequest};

const SHA256: [u8; 32] = [9; 32];

fn at() -> Timestamp {
    "2026-11-27T06:21:34.250Z".parse().unwrap()
}

fn request() -> StampRequest {
    StampRequest { sha256: SHA256, nonce: Nonce::new([3; 16]), policy: None }
}

fn authority(stamper: &Stamper) -> Authority {
    Authority::new(stamper.root_pem().as_bytes(), None).unwrap()
}

fn check(stamper: &Stamper, lie: Lie) -> Result<time_stamp::Stamp, StampError> {
    let request = request();
    let answer = stamper.answer(&request.to_der(), at(), lie);
    authority(stamper).check(&answer, &SHA256, Some(request.nonce))
}

#[test]
fn a_token_gives_its_time_with_its_error_and_its_authority() {
    let stamp = check(&Stamper::new(), Lie::None).unwrap();
    assert_eq!(stamp.at, at());
    assert_eq!(stamp.latest().to_string(), "2026-11-27T06:21:35.750Z");
    assert_eq!((&*stamp.authority, &*stamp.policy, &*stamp.serial), ("Stamper One", POLICY, "1234"));
}

#[test]
fn each_lie_is_found() {
    let stamper = Stamper::new();
    let untrusted = |error: &StampError| matches!(error, StampError::Untrusted(_));
    let is = |expected: StampError| move |error: &StampError| *error == expected;
    type Expected = Box<dyn Fn(&StampError) -> bool>;
    let cases: Vec<(Lie, Expected)> = vec![
        (Lie::OtherMessage, Box::new(is(StampError::OtherMessage))),
        (Lie::OtherNonce, Box::new(is(StampError::OtherNonce))),
        (Lie::NoNonce, Box::new(is(StampError::OtherNonce))),
        (Lie::Refused, Box::new(is(StampError::Refused { status: 2, text: "no[1mwhere".to_owned() }))),
        (Lie::NoToken, Box::new(|error| matches!(error, StampError::Malformed(_)))),
        (Lie::Expired, Box::new(untrusted)),
        (Lie::Foreign, Box::new(untrusted)),
        (Lie::NoUsage, Box::new(is(StampError::NotForStamping))),
        (Lie::ServerUsage, Box::new(is(StampError::NotForStamping))),
        (Lie::TwoUsages, Box::new(is(StampError::NotForStamping))),
        (Lie::UsageNotCritical, Box::new(is(StampError::NotForStamping))),
        (Lie::Signature, Box::new(is(StampError::Signature))),
        (Lie::Content, Box::new(is(StampError::Attribute("message-digest")))),
        (Lie::NoDigest, Box::new(is(StampError::Attribute("message-digest")))),
        (Lie::NoCertificate, Box::new(is(StampError::NoCertificate))),
        (Lie::OtherCertificate, Box::new(is(StampError::NoCertificate))),
        (Lie::OtherSerial, Box::new(is(StampError::NoCertificate))),
        (Lie::TwoSigners, Box::new(is(StampError::Signers(2)))),
        (Lie::CriticalExtension, Box::new(is(StampError::UnknownExtension("1.2.3.9".to_owned())))),
    ];
    for (lie, is_expected) in cases {
        let error = check(&stamper, lie).unwrap_err();
        assert!(is_expected(&error), "{lie:?}: {error}");
    }
}

#[test]
fn an_expired_certificate_is_named_as_such_and_a_root_of_somebody_else_as_unknown() {
    let stamper = Stamper::new();
    assert!(check(&stamper, Lie::Expired).unwrap_err().to_string().contains("Expired"));
    let answer = stamper.answer(&request().to_der(), at(), Lie::None);
    let error = authority(&Stamper::new()).check(&answer, &SHA256, None).unwrap_err();
    assert!(matches!(error, StampError::Untrusted(_)), "{error}");
}

#[test]
fn the_wanted_policy_is_asked_for_and_required() {
    let stamper = Stamper::new();
    let wanting = Authority::new(stamper.root_pem().as_bytes(), Some("1.2.3.4.2")).unwrap();
    let request = StampRequest { policy: wanting.policy(), ..request() };
    let answer = stamper.answer(&request.to_der(), at(), Lie::None);
    assert_eq!(wanting.check(&answer, &SHA256, None).unwrap().policy, "1.2.3.4.2");
    let other = stamper.answer(&StampRequest { policy: None, ..request }.to_der(), at(), Lie::None);
    assert_eq!(wanting.check(&other, &SHA256, None), Err(StampError::OtherPolicy(POLICY.to_owned())));
}

#[test]
fn what_is_no_configuration_is_refused_with_the_reason() {
    let stamper = Stamper::new();
    assert!(matches!(Authority::new(b"", None), Err(AuthorityError::Pem(_))));
    assert_eq!(
        Authority::new(stamper.root_pem().as_bytes(), Some("policy")).unwrap_err(),
        AuthorityError::Policy
    );
    let none = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(Authority::new(none.as_bytes(), None), Err(AuthorityError::Root { number: 1, .. })));
    let many = stamper.root_pem().repeat(65);
    assert!(matches!(Authority::new(many.as_bytes(), None), Err(AuthorityError::Pem(_))));
}

#[test]
fn an_answer_that_is_cut_or_too_long_is_refused() {
    let stamper = Stamper::new();
    let (authority, answer) = (authority(&stamper), stamper.answer(&request().to_der(), at(), Lie::None));
    for length in 0..answer.len() {
        assert!(authority.check(&answer[..length], &SHA256, None).is_err(), "{length}");
    }
    let longer = [answer.as_slice(), &[0]].concat();
    assert!(authority.check(&longer, &SHA256, None).is_err());
    assert_eq!(authority.check(&vec![0; MAX_REPLY_BYTES + 1], &SHA256, None), Err(StampError::TooLong));
}

proptest! {
    #[test]
    fn no_bytes_make_the_check_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let stamper = Stamper::new();
        prop_assert!(authority(&stamper).check(&bytes, &SHA256, None).is_err());
    }

    /// A changed byte is found, or is where no check looks: in the words of the status, the nonce, or the certificate of no
    /// signer. Whatever is taken says what was signed.
    #[test]
    fn a_changed_byte_never_changes_what_is_said(place in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let stamper = Stamper::new();
        let answer = stamper.answer(&request().to_der(), at(), Lie::None);
        let authority = authority(&stamper);
        let honest = authority.check(&answer, &SHA256, None).unwrap();
        let mut changed = answer;
        *place.get_mut(&mut changed) ^= 1 << bit;
        if let Ok(stamp) = authority.check(&changed, &SHA256, None) {
            prop_assert_eq!(stamp, honest);
        }
    }
}
