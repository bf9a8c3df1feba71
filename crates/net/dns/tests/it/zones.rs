//! Names and the zone that tests ask.

use dns::{Answer, Dns, Failure, Kind, MAX_ALIASES, Name, NameError, Record, Zone, reverse_name};
use futures_util::FutureExt as _;

/// Returns the output of a future that waits for nothing but zones in memory.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("zones in memory answer at once")
}

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

#[test]
fn a_name_is_bounded_as_rfc_1035_bounds_it() {
    let label = |length: usize| "a".repeat(length);
    assert!(Name::parse(&format!("{}.example", label(63))).is_ok());
    assert_eq!(Name::parse(&format!("{}.example", label(64))), Err(NameError::LongLabel));
    let long = [label(63), label(63), label(63), label(61)].join(".");
    assert_eq!(long.len(), 253);
    assert!(Name::parse(&long).is_ok() && Name::parse(&format!("{long}.")).is_ok());
    assert_eq!(Name::parse(&format!("{long}a")), Err(NameError::TooLong));
    for empty in ["", ".", "..", "a..b", ".a", "a.."] {
        assert_eq!(Name::parse(empty), Err(NameError::EmptyLabel), "{empty:?}");
    }
    for other in ["ä.example", "a\n.example", "a\u{7f}"] {
        assert_eq!(Name::parse(other), Err(NameError::NotAscii), "{other:?}");
    }
}

#[test]
fn a_name_is_within_itself_and_what_it_stands_below() {
    let example = name("example.com");
    assert!(name("EXAMPLE.com.").is_within(&example) && name("a.b.example.com").is_within(&example));
    assert!(!name("badexample.com").is_within(&example) && !name("com").is_within(&example));
    assert_eq!(name("a.b.example.com").last_labels(2), example);
    assert_eq!(example.last_labels(9), example);
    assert_eq!(name("com").parent(), None);
}

#[test]
fn the_ways_to_find_nothing_are_told_apart() {
    let mut zone = Zone::default().with(&name("a.b.example"), Record::Txt(b"x".to_vec()));
    zone.fail(&name("down.example"), Failure::ServFail);
    let ask = |owner: &str, kind| at_once(zone.look_up(&name(owner), kind));
    assert!(matches!(ask("a.b.example", Kind::Txt), Answer::Found { .. }));
    assert_eq!(ask("a.b.example", Kind::Mx), Answer::NoData);
    assert_eq!(ask("b.example", Kind::Txt), Answer::NoData);
    assert_eq!(ask("c.example", Kind::Txt), Answer::NxDomain);
    assert_eq!(ask("down.example", Kind::Txt), Answer::Failed(Failure::ServFail));
}

#[test]
fn aliases_are_followed_within_a_bound() {
    let mut zone = Zone::default().with(&name("end.example"), Record::Txt(b"x".to_vec()));
    let link = |at: usize| name(&format!("a{at}.example"));
    for at in 0..MAX_ALIASES {
        zone.alias(&link(at), link(at + 1));
    }
    zone.alias(&link(MAX_ALIASES), name("end.example"));
    zone.alias(&name("loop.example"), name("loop.example"));
    let ask = |owner: &Name| at_once(zone.look_up(owner, Kind::Txt));
    assert!(matches!(ask(&link(1)), Answer::Found { .. }));
    assert_eq!(ask(&link(0)), Answer::Failed(Failure::Unusable));
    assert_eq!(ask(&name("loop.example")), Answer::Failed(Failure::Unusable));
}

#[test]
fn an_address_has_its_names_under_arpa() {
    assert_eq!(reverse_name([192, 0, 2, 1].into()).as_str(), "1.2.0.192.in-addr.arpa");
    let v6 = reverse_name("2001:db8::567:89ab".parse().unwrap());
    let nibbles = "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa";
    assert_eq!(v6.as_str(), nibbles);
}
