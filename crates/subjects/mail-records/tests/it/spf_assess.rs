//! What a domain published, without a sender.

use async_trait::async_trait;
use dns::{Answer, Dns, Exchange, Failure, Kind, Mx, Name, Record, Zone};
use mail_records::spf::{
    MAX_WALKED, Problem, Qualifier, Session, SpfAssessment, SpfResult, SpfStatus, assess, check_host,
};
use proptest::prelude::*;
use receipt::Timestamp;

use crate::{at_once, name, texts};

fn of(zone: &Zone) -> SpfAssessment {
    at_once(assess(zone, &name("example.com"), Timestamp::EPOCH))
}

fn standing(records: &[(&str, &str)]) -> SpfStatus {
    of(&texts(records)).standing
}

fn valid(qualifier: Qualifier) -> SpfStatus {
    SpfStatus::Valid { all: qualifier }
}

#[test]
fn the_last_word_is_that_of_all_or_of_the_record_redirected_to() {
    assert_eq!(standing(&[("example.com", "v=spf1 -all")]), valid(Qualifier::Fail));
    assert_eq!(standing(&[("example.com", "v=spf1 ~all +all")]), valid(Qualifier::SoftFail));
    assert_eq!(standing(&[("example.com", "v=spf1 ip4:192.0.2.1")]), valid(Qualifier::Neutral));
    let redirected = ("b.example.com", "v=spf1 all");
    let redirecting = ("example.com", "v=spf1 redirect=b.example.com");
    assert_eq!(standing(&[redirecting, redirected]), valid(Qualifier::Pass));
    // What an included record says of the others decides nothing, and a redirect nothing beside `all`.
    let closed = ("c.example.com", "v=spf1 -all");
    assert_eq!(
        standing(&[("example.com", "v=spf1 include:c.example.com"), closed]),
        valid(Qualifier::Neutral)
    );
    let unused = ("example.com", "v=spf1 -all redirect=nowhere.example.com");
    assert_eq!(standing(&[unused]), valid(Qualifier::Fail));
}

#[test]
fn what_matches_everybody_weakens_the_last_word() {
    let open = ("open.example.com", "v=spf1 +all");
    let between = ("b.example.com", "v=spf1 include:open.example.com -all");
    let closed = ("c.example.com", "v=spf1 -include:open.example.com ?all");
    let other = ("d.example.com", "v=spf1 ip4:64.0.0.0/3 ~all");
    let here = ("here.example.com", "not looked at");
    for (record, last) in [
        ("v=spf1 include:open.example.com -all", Qualifier::Pass),
        ("v=spf1 include:b.example.com -all", Qualifier::Pass),
        ("v=spf1 ?include:b.example.com -all", Qualifier::Neutral),
        ("v=spf1 include:c.example.com -all", Qualifier::Fail),
        ("v=spf1 redirect=b.example.com", Qualifier::Pass),
        ("v=spf1 ip4:0.0.0.0/0 -all", Qualifier::Pass),
        ("v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all", Qualifier::Pass),
        ("v=spf1 ip4:0.0.0.0/2 ip4:64.0.0.0/2 ip4:128.0.0.0/2 ip4:192.0.0.0/2 -all", Qualifier::Pass),
        ("v=spf1 ip4:0.0.0.0/3 include:d.example.com -all", Qualifier::Pass),
        ("v=spf1 ip4:0.0.0.0/3 ?include:d.example.com -all", Qualifier::Neutral),
        ("v=spf1 ip4:0.0.0.0/3 -include:d.example.com -all", Qualifier::Fail),
        ("v=spf1 a/3 ip4:0.0.0.0/3 -all", Qualifier::Pass),
        ("v=spf1 ip6:2000::/3 -all", Qualifier::Pass),
        ("v=spf1 ip6:2400::/12 ip6:2600::/12 ip6:2a00::/12 -all", Qualifier::Pass),
        ("v=spf1 ~a/0 -all", Qualifier::SoftFail),
        ("v=spf1 exists:always.example.com -all", Qualifier::Pass),
        ("v=spf1 exists:%{i}.example.com -all", Qualifier::Fail),
        ("v=spf1 exists:here.example.com ip4:192.0.2.0/24 -all", Qualifier::Fail),
        ("v=spf1 -all include:open.example.com", Qualifier::Fail),
    ] {
        let zone = texts(&[("example.com", record), open, between, closed, other, here])
            .with(&name("always.example.com"), Record::A([192, 0, 2, 1].into()))
            .with(&name("example.com"), Record::A([192, 0, 2, 1].into()));
        assert_eq!(of(&zone).standing, valid(last), "{record}");
    }
}

/// A zone below one of whose names there is everything.
struct Wild(Zone, &'static str, Record);

#[async_trait]
impl Dns for Wild {
    async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        let Self(zone, below, record) = self;
        match zone.look_up(name, kind).await {
            Answer::NxDomain if name.as_str().ends_with(below) && record.kind() == kind => {
                Answer::Found { records: vec![record.clone()], ttl: 3600 }
            }
            other => other,
        }
    }
}

#[test]
fn a_wildcard_below_the_names_that_macros_make_is_open_to_everybody() {
    let here = || Record::A([127, 0, 0, 2].into());
    let open = || Record::Txt(b"v=spf1 +all".to_vec());
    let own = || Record::Txt(b"v=spf1 ip4:198.51.100.7 -all".to_vec());
    let not_here = || Record::Txt(b"not looked at".to_vec());
    let both = Some((100, 100));
    for (record, found, last, percent) in [
        ("v=spf1 exists:%{i}.x.example.com -all", here(), Qualifier::Pass, both),
        ("v=spf1 ?exists:%{i}.x.example.com -all", here(), Qualifier::Neutral, both),
        ("v=spf1 exists:%{l}.%{h}.x.example.com -all", here(), Qualifier::Pass, both),
        ("v=spf1 exists:%{p}.x.example.com -all", here(), Qualifier::Pass, both),
        ("v=spf1 exists:%{i}.%{v}.x.example.com -all", not_here(), Qualifier::Fail, None),
        ("v=spf1 include:%{l}.x.example.com -all", open(), Qualifier::Pass, both),
        ("v=spf1 -include:%{l}.x.example.com ~all", open(), Qualifier::SoftFail, None),
        ("v=spf1 include:%{i}.x.example.com ~all", own(), Qualifier::SoftFail, None),
        ("v=spf1 include:_%{d}.x.example.com -all", own(), Qualifier::Fail, None),
        ("v=spf1 redirect=%{l}.x.example.com", open(), Qualifier::Pass, None),
        // The walk sees that the sender chooses the name, whatever is there.
        ("v=spf1 exists:%{h} -all", not_here(), Qualifier::Pass, both),
        ("v=spf1 ?a:%{p} -all", not_here(), Qualifier::Neutral, both),
        ("v=spf1 ~a:%{i}.%{l}.com -all", own(), Qualifier::SoftFail, both),
        ("v=spf1 ptr:%{h2} -all", not_here(), Qualifier::Pass, both),
        ("v=spf1 exists:%{h}.co.uk -all", not_here(), Qualifier::Pass, both),
        ("v=spf1 ptr:%{d1} -all", not_here(), Qualifier::Pass, both),
        ("v=spf1 ?ptr:com.br -all", not_here(), Qualifier::Neutral, both),
        // As long as these are no names that senders choose, they may mean few.
        ("v=spf1 exists:%{l}.%{d} -all", not_here(), Qualifier::Fail, None),
        ("v=spf1 ptr:mail.example.com -all", not_here(), Qualifier::Fail, None),
        ("v=spf1 exists:%{h}.%{i} ptr -all", not_here(), Qualifier::Fail, None),
    ] {
        let zone = Wild(texts(&[("example.com", record)]), ".x.example.com", found);
        let found = at_once(assess(&zone, &name("example.com"), Timestamp::EPOCH));
        assert_eq!(found.standing, valid(last), "{record}");
        let open_to = found.open_to.map(|open| (open.ipv4_percent, open.ipv6_percent));
        assert_eq!(open_to, percent, "{record}");
    }
}

#[test]
fn random_senders_of_one_family_and_look_ups_that_fail_for_them_count() {
    let of_family = |below, at| {
        let record = "v=spf1 exists:%{i}.%{v}.x.example.com -all";
        let zone = Wild(texts(&[("example.com", record)]), below, Record::A([127, 0, 0, 2].into()));
        let found = at_once(assess(&zone, &name("example.com"), Timestamp::from_millis(at).unwrap()));
        found.open_to.map(|open| (open.says, open.ipv4_percent, open.ipv6_percent))
    };
    for at in 0..20 {
        assert_eq!(of_family(".ip6.x.example.com", at), Some((Qualifier::Pass, 0, 100)));
        assert_eq!(of_family(".in-addr.x.example.com", at), Some((Qualifier::Pass, 100, 0)));
    }
    // One address in 256 is let in: one random sender is now and then, and not two.
    for at in 0..1000 {
        assert_eq!(of_family(".7.in-addr.x.example.com", at), None);
    }
    let mut zone = texts(&[("example.com", "v=spf1 exists:%{o}.%{v}.x.example.com -all")]);
    let (failing, failure) = (name("example.com.ip6.x.example.com"), Failure::ServFail);
    zone.fail(&failing, failure);
    assert_eq!(of(&zone).standing, SpfStatus::Unknown { name: failing, failure });
}

#[test]
fn a_redirect_that_depends_on_the_sender_says_what_random_senders_get() {
    let nowhere = standing(&[("example.com", "v=spf1 redirect=%{i}.example.com")]);
    assert_eq!(nowhere, SpfStatus::Invalid(Problem::NoRecord { name: name("example.com") }));
    for (record, all) in [("v=spf1 ~all", Qualifier::SoftFail), ("v=spf1 -all", Qualifier::Fail)] {
        let zone = texts(&[("example.com", "v=spf1 redirect=%{ir}.%{v}.x.example.com")]);
        let zone = Wild(zone, ".x.example.com", Record::Txt(record.as_bytes().to_vec()));
        assert_eq!(at_once(assess(&zone, &name("example.com"), Timestamp::EPOCH)).standing, valid(all));
    }
    let own = ("_spf.example.com", "v=spf1 -all");
    for redirect in ["v=spf1 redirect=_spf.%{d}", "v=spf1 redirect=_spf.%{o}"] {
        assert_eq!(standing(&[("example.com", redirect), own]), valid(Qualifier::Fail));
    }
}

#[test]
fn what_gives_random_senders_an_error_is_invalid() {
    let many =
        ("many.in-addr.example.com", &*format!("v=spf1{} -all", " exists:%{i}.example.com".repeat(10)));
    let too_many = Problem::TooManyLookUps;
    for (record, problem) in [
        ("v=spf1 include:%{i}.missing.example.com -all", Problem::NoRecord { name: name("example.com") }),
        ("v=spf1 include:many.%{v}.example.com -all", too_many.clone()),
        ("v=spf1 include:%{o} -all", too_many),
    ] {
        assert_eq!(standing(&[("example.com", record), many]), SpfStatus::Invalid(problem), "{record}");
    }
    // Receivers need not count what finds nothing, and these find something in the end.
    let open = "v=spf1 exists:%{i}.a.example.com exists:%{i}.b.example.com exists:%{i}.c.example.com \
                exists:%{i}.x.example.com -all";
    let zone = Wild(texts(&[("example.com", open)]), ".x.example.com", Record::A([127, 0, 0, 2].into()));
    let found = at_once(assess(&zone, &name("example.com"), Timestamp::EPOCH));
    assert_eq!(found.standing, valid(Qualifier::Pass));
}

#[test]
fn networks_around_exchangers_count_with_the_others() {
    let mut zone = texts(&[("example.com", "v=spf1 mx/3 -all")]);
    for nth in 0..7_u8 {
        let host = name(&format!("mx{nth}.example.com"));
        let mx = Mx { preference: 0, exchange: Exchange::Host(host.clone()) };
        zone.add(&name("example.com"), Record::Mx(mx));
        zone.add(&host, Record::A([nth * 32 + 1, 0, 0, 1].into()));
    }
    let found = of(&zone);
    assert_eq!(found.open_to.map(|open| (open.says, open.ipv4_percent)), Some((Qualifier::Pass, 87)));
    let usual = texts(&[("example.com", "v=spf1 mx/24 -all")]);
    assert_eq!(of(&usual).standing, valid(Qualifier::Fail));
}

#[test]
fn none_one_and_several_records_are_told_apart() {
    assert_eq!(standing(&[("example.com", "other")]), SpfStatus::Absent);
    assert_eq!(standing(&[]), SpfStatus::Absent);
    let twice = standing(&[("example.com", "v=spf1 -all"), ("example.com", "v=spf1 -all")]);
    assert!(matches!(twice, SpfStatus::Invalid(Problem::SeveralRecords { count: 2, .. })), "{twice:?}");
}

#[test]
fn look_ups_are_counted_through_all_records() {
    let zone = texts(&[
        ("example.com", "v=spf1 include:b.example.com mx ptr exists:%{i}.example.com -all a a"),
        ("b.example.com", "v=spf1 a:nowhere.example.com redirect=c.example.com"),
        ("c.example.com", "v=spf1 ip4:192.0.2.1 -all"),
    ]);
    let found = of(&zone);
    assert_eq!((found.look_ups, found.void_look_ups), (6, 2), "{found:?}");
    assert_eq!(found.visits.iter().map(|visit| visit.look_ups).collect::<Vec<_>>(), [4, 2, 0]);
    assert_eq!(found.standing, valid(Qualifier::Fail));
}

#[test]
fn what_senders_get_an_error_from_is_invalid() {
    let eleven = format!("v=spf1{} -all", " exists:%{i}.example.com".repeat(11));
    assert_eq!(standing(&[("example.com", &eleven)]), SpfStatus::Invalid(Problem::TooManyLookUps));
    let voids = "v=spf1 a:x.example.com a:y.example.com a:z.example.com -all";
    assert_eq!(standing(&[("example.com", voids)]), SpfStatus::Invalid(Problem::TooManyVoidLookUps));
    let looping = ("example.com", "v=spf1 include:example.com -all");
    assert_eq!(standing(&[looping]), SpfStatus::Invalid(Problem::TooManyLookUps));
    let nowhere = standing(&[("example.com", "v=spf1 include:nowhere.example.com -all")]);
    assert_eq!(nowhere, SpfStatus::Invalid(Problem::NoRecord { name: name("example.com") }));
    let included = [("example.com", "v=spf1 include:b.example.com -all"), ("b.example.com", "v=spf1 moo")];
    assert!(matches!(standing(&included), SpfStatus::Invalid(Problem::Syntax { .. })));
}

#[test]
fn a_look_up_that_fails_leaves_all_unknown_but_an_error_that_was_seen() {
    let down = name("down.example.com");
    for record in ["v=spf1 include:down.example.com -all", "v=spf1 a:down.example.com -all"] {
        let mut zone = texts(&[("example.com", record)]);
        zone.fail(&down, Failure::TimedOut);
        assert_eq!(of(&zone).standing, SpfStatus::Unknown { name: down.clone(), failure: Failure::TimedOut });
    }
    let mut zone =
        texts(&[("example.com", "v=spf1 include:down.example.com include:nowhere.example.com -all")]);
    zone.fail(&down, Failure::TimedOut);
    assert!(matches!(of(&zone).standing, SpfStatus::Invalid(Problem::NoRecord { .. })));
    let mut zone = Zone::default();
    zone.fail(&name("example.com"), Failure::ServFail);
    assert!(matches!(of(&zone).standing, SpfStatus::Unknown { failure: Failure::ServFail, .. }));
}

/// Records of terms that match no sender, over few names, so that they refer to each other.
fn tangle() -> impl Strategy<Value = Vec<(usize, String)>> {
    let owner = || 0_usize..5;
    let term = prop_oneof![
        4 => owner().prop_map(|at| format!("include:n{at}.example.com")),
        2 => owner().prop_map(|at| format!("exists:void{at}.example.com")),
        2 => owner().prop_map(|at| format!("mx:n{at}.example.com")),
        2 => Just("ip4:203.0.113.0/24".to_owned()),
        1 => owner().prop_map(|at| format!("redirect=n{at}.example.com")),
        1 => Just("exists:%{i}.example.net".to_owned()),
        1 => Just("a:com".to_owned()),
    ];
    let record = prop::collection::vec(term, 0..5).prop_map(|terms| format!("v=spf1 {}", terms.join(" ")));
    prop::collection::vec((owner(), record), 1..6)
}

proptest! {
    #[test]
    fn a_record_is_valid_exactly_where_a_sender_that_nothing_matches_gets_no_error(records in tangle()) {
        let mut zone = Zone::default();
        for (owner, record) in &records {
            zone.add(&name(&format!("n{owner}.example.com")), Record::Txt(record.clone().into_bytes()));
        }
        let found = at_once(assess(&zone, &name("n0.example.com"), Timestamp::EPOCH));
        prop_assert!(found.visits.len() <= MAX_WALKED);
        let session = Session {
            ip: [192, 0, 2, 1].into(), helo: "", mail_from: "me@n0.example.com", receiver: "", at: 0,
        };
        let checked = at_once(check_host(&zone, &session));
        let expected = match checked.result {
            SpfResult::None => matches!(found.standing, SpfStatus::Absent),
            SpfResult::PermError => matches!(found.standing, SpfStatus::Invalid(_)),
            // A name that depends on the sender is looked up for the sender only, and finds nothing here.
            _ => matches!(found.standing, SpfStatus::Valid { .. }) && found.look_ups == checked.look_ups,
        };
        let by_sender = records.iter().any(|(_, record)| record.contains("%{i}"));
        let of_sender = by_sender && checked.problem == Some(Problem::TooManyVoidLookUps);
        prop_assert!(expected || of_sender, "{found:?} but {checked:?}");
    }
}
