//! `touchstone export`, beside the service, and `verify` of what it wrote.

use std::fs;

use super::said;
use crate::support::claims::signed;
use crate::support::notary::Notary;
use crate::support::service::{Launch, touchstone};

#[test]
fn an_export_beside_the_service_is_verified_by_anybody_with_the_keys() {
    let service = Launch::dev().start();
    for agent in ["a", "b", "a"] {
        service.claim(&signed(agent));
    }
    let file = service.path("audit.tar");
    let file = file.to_str().unwrap();
    let exported = said(service.command(["export", "--to", file]), "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let again = said(service.command(["export", "--to", file]), "");
    assert_eq!(again.code, Some(1), "{again:?}");

    let own = said(service.command(["verify", file]), "");
    assert_eq!(own.code, Some(0), "{own:?}");
    assert!(own.out.contains("7 receipts valid, 0 not valid"), "{own:?}");
    let jwks = service.path("jwks.json");
    fs::write(&jwks, service.get("/.well-known/jwks.json").expect(200).text()).unwrap();
    let vkey = Notary::of(&service).vkey;
    let keys = ["--keys", jwks.to_str().unwrap(), "--log-key", &vkey];
    let by_others = said(touchstone(["verify", file].iter().chain(&keys)), "");
    assert_eq!(by_others.code, Some(0), "{by_others:?}");
    // Nobody's keys show only that it is whole.
    let nowhere = service.path("nowhere");
    let without = ["verify", file, "--data-dir", nowhere.to_str().unwrap()];
    let without = said(touchstone(without), "");
    assert_eq!(without.code, Some(2), "{without:?}");
    assert!(without.out.contains("CANNOT SAY"), "{without:?}");

    for flag in ["--policy", "--proof", "--times"] {
        let of_a_receipt = said(service.command(["verify", file, flag, file]), "");
        assert_eq!(of_a_receipt.code, Some(2), "{of_a_receipt:?}");
        assert!(of_a_receipt.err.contains("not about an archive"), "{of_a_receipt:?}");
    }

    let whole = fs::read(file).unwrap();
    fs::write(file, &whole[..whole.len() - 1]).unwrap();
    let cut = said(touchstone(["verify", file, "--json"].iter().chain(&keys)), "");
    assert_eq!(cut.code, Some(1), "{cut:?}");
    assert!(cut.out.contains("\"is_whole\":false"), "{cut:?}");

    let filtered = service.path("filtered.tar");
    let filtered = filtered.to_str().unwrap();
    let exported =
        said(service.command(["export", "--to", filtered, "--agent", "b", "--since", "2026-01-01"]), "");
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let verified = said(service.command(["verify", filtered]), "");
    assert!(
        verified.out.contains("5 receipts valid") && verified.out.contains("not asked for: 2"),
        "{verified:?}"
    );
}

#[test]
fn no_part_of_an_archive_and_no_changed_one_passes_for_it() {
    let service = Launch::dev().start();
    for agent in ["a", "b", "a"] {
        service.claim(&signed(agent));
    }
    let file = service.path("audit.tar");
    let file = file.to_str().unwrap();
    assert_eq!(said(service.command(["export", "--to", file]), "").code, Some(0));
    let jwks = service.path("jwks.json");
    fs::write(&jwks, service.get("/.well-known/jwks.json").expect(200).text()).unwrap();
    let vkey = Notary::of(&service).vkey;
    let keys = ["--keys", jwks.to_str().unwrap(), "--log-key", &vkey];
    let whole = fs::read(file).unwrap();
    let verified = |bytes: &[u8]| {
        fs::write(file, bytes).unwrap();
        said(touchstone(["verify", file, "--json"].iter().chain(&keys)), "")
    };
    assert_eq!(verified(&whole).code, Some(0));
    for cut in (0..whole.len()).step_by(whole.len() / 23).chain([whole.len() - 1024, whole.len() - 512]) {
        let told = verified(&whole[..cut]);
        assert!([Some(1), Some(2)].contains(&told.code), "cut at {cut}: {told:?}");
        assert!(!told.out.contains("\"is_whole\":true"), "cut at {cut}: {told:?}");
        if cut >= 512 {
            assert!(told.out.contains("the archive is cut short"), "cut at {cut}: {told:?}");
        }
    }
    for at in (0..whole.len()).step_by(whole.len() / 23) {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        let told = verified(&changed);
        assert!([Some(1), Some(2)].contains(&told.code), "byte {at}: {told:?}");
        assert!(!told.out.contains("\"is_whole\":true"), "byte {at}: {told:?}");
    }
}
