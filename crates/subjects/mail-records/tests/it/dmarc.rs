//! DMARC records and which of them applies.

use dns::{Failure, Record, Zone};
use mail_records::dmarc::{
    ApplicableRecord, Difference, Discovery, DmarcPolicy, DmarcRecord, DmarcStatus, Flaw, IgnoredTag, Role,
    discover, rfc7489,
};
use proptest::prelude::*;

use crate::{at_once, name, texts};

fn read(text: &str) -> DmarcRecord {
    DmarcRecord::read(text.as_bytes()).unwrap_or_else(|| panic!("{text} is a DMARC record"))
}

fn find(zone: &Zone, domain: &str) -> Discovery {
    at_once(discover(zone, &name(domain)))
}

fn applied(zone: &Zone, domain: &str) -> ApplicableRecord {
    match find(zone, domain).standing {
        DmarcStatus::Applies(applied) => *applied,
        other => panic!("{domain}: {other:?}"),
    }
}

#[test]
fn a_record_begins_with_the_version() {
    for text in ["v=DMARC1", "v=DMARC1;", "V = DMARC1 \t; p=none", "v=DMARC1;p=none;"] {
        assert!(DmarcRecord::read(text.as_bytes()).is_some(), "{text:?}");
    }
    for text in [
        "",
        ";",
        "v=dmarc1",
        "v=DMARC1 p=none",
        "v=DMARC1, p=none",
        "v=DMARC2",
        " v=DMARC1",
        "p=none; v=DMARC1",
        "v",
    ] {
        assert!(DmarcRecord::read(text.as_bytes()).is_none(), "{text:?}");
    }
}

#[test]
fn an_invalid_value_gives_way_to_the_default() {
    let record = read(
        "v=DMARC1; p=REJECT; adkim=x; fo=0:1; t=maybe; psd=; pct=50; made=up; ; rua=mailto:a@b.example,b",
    );
    assert_eq!((record.policy, record.flaw), (Some(DmarcPolicy::Reject), None));
    assert_eq!(
        (record.dkim_alignment, record.failure_options, record.testing, record.psd),
        (None, None, None, None)
    );
    assert_eq!(record.aggregate_reports.len(), 1);
    let tag = |tag: &str| tag.to_owned();
    for ignored in [
        IgnoredTag::InvalidValue { tag: tag("adkim") },
        IgnoredTag::InvalidValue { tag: tag("fo") },
        IgnoredTag::InvalidValue { tag: tag("t") },
        IgnoredTag::InvalidValue { tag: tag("psd") },
        IgnoredTag::InvalidUri { tag: tag("rua") },
        IgnoredTag::RemovedTag { tag: tag("pct") },
        IgnoredTag::UnknownTag { tag: tag("made") },
        IgnoredTag::Malformed { text: String::new() },
    ] {
        assert!(record.ignored.contains(&ignored), "{ignored:?}");
    }
}

#[test]
fn an_invalid_policy_counts_as_none_where_reports_are_asked_for_and_else_as_no_record() {
    for tag in ["p", "sp", "np"] {
        let text = format!("v=DMARC1; {}{tag}=refuse", if tag == "p" { "" } else { "p=reject; " });
        assert_eq!(read(&text).flaw, Some(Flaw::InvalidPolicy(tag)), "{text}");
        for no_report in ["rua=", "rua=a@b.example", "rua=mailto:", "ruf=mailto:a@b.example"] {
            let text = format!("{text}; {no_report}");
            assert_eq!(read(&text).flaw, Some(Flaw::InvalidPolicy(tag)), "{text}");
        }
        let asking = read(&format!("{text}; rua=x, mailto:a@b.example"));
        assert_eq!(
            (asking.flaw, asking.overruled, asking.own_policy()),
            (None, Some(tag), DmarcPolicy::None)
        );
        assert_eq!(asking.nonexistent_policy(), DmarcPolicy::None);
    }
    // A policy that is not there is none in a record without syntax errors (4.7).
    assert_eq!((read("v=DMARC1").flaw, read("v=DMARC1").own_policy()), (None, DmarcPolicy::None));
    assert_eq!(read("v=DMARC1; reject").flaw, Some(Flaw::InvalidPolicy("p")));
}

#[test]
fn a_tag_given_twice_makes_the_list_invalid() {
    for (text, tag) in [
        ("v=DMARC1; p=none; p=reject", "p"),
        ("v=DMARC1; p=none; v=DMARC1; v=DMARC1", "v"),
        ("v=DMARC1; pct=1; PCT=2", "pct"),
    ] {
        assert_eq!(read(text).flaw, Some(Flaw::DuplicateTag(tag)), "{text}");
    }
    assert_eq!(read("v=DMARC1; p=none; made=up; made=up").flaw, None);
}

#[test]
fn subdomains_have_their_own_policy_else_that_above() {
    let record = read("v=DMARC1; p=reject; sp=quarantine; np=none; t=y");
    let policies = [record.own_policy(), record.subdomain_policy(), record.nonexistent_policy()];
    assert_eq!(policies, [DmarcPolicy::Reject, DmarcPolicy::Quarantine, DmarcPolicy::None]);
    assert_eq!(
        policies.map(|policy| record.enforced(policy)),
        [DmarcPolicy::Quarantine, DmarcPolicy::None, DmarcPolicy::None]
    );
    let record = read("v=DMARC1; p=reject");
    assert_eq!(
        (record.subdomain_policy(), record.nonexistent_policy()),
        (DmarcPolicy::Reject, DmarcPolicy::Reject)
    );
}

#[test]
fn reports_go_to_mailboxes() {
    let record = read(
        "v=DMARC1; p=none; rua=mailto:A@b.example!10m , MAILTO:c@d.example?subject=x,https://b.example/",
    );
    let mailboxes: Vec<&str> = record.aggregate_reports.iter().map(|uri| uri.mailbox.as_str()).collect();
    assert_eq!(mailboxes, ["A@b.example", "c@d.example"]);
    assert_eq!(record.aggregate_reports[0].size_limit.as_deref(), Some("10m"));
    for element in [
        "mailto:a@b.example b",
        "mailto:@b.example",
        "mailto:a@",
        "mailto:a@b..example",
        "mailto:a%4@b.example",
        "mailto:a@b.example!",
        "mailto:a@b.example!10x",
        "1ab:c",
        ":x",
    ] {
        assert!(read(&format!("v=DMARC1; rua={element}")).aggregate_reports.is_empty(), "{element}");
    }
}

#[test]
fn the_own_record_applies_first_then_that_of_the_organization() {
    let zone = texts(&[
        ("_dmarc.example.com", "v=DMARC1; p=reject; sp=quarantine; np=none"),
        ("_dmarc.own.example.com", "v=DMARC1; p=none; sp=reject"),
        ("sub.example.com", "here"),
    ]);
    let own = applied(&zone, "own.example.com");
    assert_eq!((own.role, own.policy), (Role::Author, DmarcPolicy::None));
    let existing = applied(&zone, "sub.example.com");
    assert_eq!(
        (existing.at, existing.role, existing.policy),
        (name("example.com"), Role::Organization, DmarcPolicy::Quarantine)
    );
    assert_eq!(applied(&zone, "gone.example.com").policy, DmarcPolicy::None);
    // Of the records above a name, the one with the fewest labels is the organization's (4.10.2).
    assert_eq!(applied(&zone, "x.own.example.com").at, name("example.com"));
    assert_eq!(find(&zone, "example.net").standing, DmarcStatus::Absent);
}

#[test]
fn psd_tags_end_the_walk() {
    let zone = texts(&[
        ("_dmarc.bank", "v=DMARC1; p=reject; psd=y"),
        ("_dmarc.example.bank", "v=DMARC1; p=quarantine"),
        ("_dmarc.dept.example.bank", "v=DMARC1; p=none; psd=n"),
    ]);
    let of = |domain: &str| {
        let applied = applied(&zone, domain);
        (applied.at.to_string(), applied.role)
    };
    assert_eq!(of("a.example.bank"), ("example.bank".to_owned(), Role::Organization));
    assert_eq!(of("a.dept.example.bank"), ("dept.example.bank".to_owned(), Role::Organization));
    assert_eq!(of("other.bank"), ("bank".to_owned(), Role::PublicSuffix));
    assert_eq!(of("a.b.other.bank"), ("bank".to_owned(), Role::PublicSuffix));
}

#[test]
fn a_long_name_is_asked_eight_times() {
    let domain = "a.b.c.d.e.f.g.h.i.j.mail.example.com";
    let asked: Vec<String> =
        find(&Zone::default(), domain).visits.iter().map(|visit| visit.name.to_string()).collect();
    let expected = [
        "g.h.i.j.mail.example.com",
        "h.i.j.mail.example.com",
        "i.j.mail.example.com",
        "j.mail.example.com",
        "mail.example.com",
        "example.com",
        "com",
    ];
    assert_eq!((asked[0].as_str(), &asked[1..]), (domain, &expected.map(str::to_owned)[..]));
    let eight = find(&Zone::default(), "a.b.c.d.e.f.g.com").visits.len();
    assert_eq!((eight, find(&Zone::default(), "com").visits.len()), (8, 1));
}

#[test]
fn several_records_at_a_name_count_as_none() {
    let zone = texts(&[
        ("_dmarc.a.example.com", "v=DMARC1; p=none"),
        ("_dmarc.a.example.com", "v=DMARC1; p=none"),
        ("_dmarc.a.example.com", "something else"),
        ("_dmarc.example.com", "v=DMARC1; p=reject"),
    ]);
    let found = find(&zone, "a.example.com");
    assert_eq!((found.visits[0].records, &found.visits[0].record), (2, &None));
    assert_eq!(applied(&zone, "a.example.com").policy, DmarcPolicy::Reject);
}

#[test]
fn an_invalid_record_applies_and_asks_for_nothing() {
    let zone =
        texts(&[("_dmarc.a.example.com", "v=DMARC1; p=no"), ("_dmarc.example.com", "v=DMARC1; p=reject")]);
    let standing = find(&zone, "a.example.com").standing;
    assert_eq!(standing, DmarcStatus::Invalid { at: name("a.example.com"), flaw: Flaw::InvalidPolicy("p") });
}

#[test]
fn a_look_up_that_fails_before_the_walk_ends_leaves_all_unknown() {
    let records = [("_dmarc.example.com", "v=DMARC1; p=reject; psd=n")];
    for down in ["_dmarc.a.b.example.com", "_dmarc.b.example.com", "_dmarc.example.com", "_dmarc.com"] {
        let mut zone = if down == "_dmarc.example.com" { Zone::default() } else { texts(&records) };
        zone.fail(&name(down), Failure::ServFail);
        let standing = find(&zone, "a.b.example.com").standing;
        // The walk ended below the last of them.
        assert_eq!(
            matches!(standing, DmarcStatus::Unknown { .. }),
            down != "_dmarc.com",
            "{down}: {standing:?}"
        );
    }
    // Whether a name exists is asked only where that makes a difference.
    for (np, unknown) in [("none", true), ("reject", false)] {
        let mut zone = texts(&[("_dmarc.example.com", &format!("v=DMARC1; p=reject; np={np}"))]);
        zone.fail(&name("a.example.com"), Failure::TimedOut);
        assert_eq!(
            matches!(find(&zone, "a.example.com").standing, DmarcStatus::Unknown { .. }),
            unknown,
            "{np}"
        );
    }
}

#[test]
fn rfc_7489_reads_the_same_record_otherwise() {
    let at = |owner: &str, record: &str| texts(&[(&format!("_dmarc.{owner}"), record)]);
    let read = |owner: &str, record: &str, domain: &str| {
        rfc7489(&applied(&at(owner, record), domain), &name(domain), Some(&name("example.com")))
    };
    let same = read("example.com", "v=DMARC1; p=reject", "example.com");
    assert_eq!((same.policy, same.percent, same.differences), (Some(DmarcPolicy::Reject), 100, vec![]));
    let differs = read("example.com", "v=DMARC1; t=y; np=none; psd=n; pct=20; p=reject", "example.com");
    assert_eq!((differs.policy, differs.percent), (Some(DmarcPolicy::Reject), 20));
    assert_eq!(
        differs.differences,
        [
            Difference::PolicyNotSecond,
            Difference::Percent,
            Difference::Testing,
            Difference::NonexistentPolicy,
            Difference::Psd
        ]
    );
    let missing = read("example.com", "v=DMARC1", "example.com");
    assert_eq!((missing.policy, missing.differences), (None, vec![Difference::PolicyMissing]));
    let walked = read("b.example.com", "v=DMARC1; p=reject", "a.b.example.com");
    assert_eq!((walked.policy, walked.differences), (None, vec![Difference::FoundByTreeWalk]));
    for (pct, percent) in
        [("0", 0), ("100", 100), ("101", 100), ("-1", 100), ("+5", 100), ("", 100), ("0005", 100)]
    {
        assert_eq!(
            read("example.com", &format!("v=DMARC1; p=none; pct={pct}"), "example.com").percent,
            percent
        );
    }
}

proptest! {
    #[test]
    fn nothing_is_asked_that_a_record_does_not_say(
        parts in prop::collection::vec(prop::sample::select(vec![
            "p=none", "p=quarantine", "p=reject", "sp=none", "sp=reject", "np=quarantine", "np=x", "p=x", "t=y", "t=n",
            "psd=y", "rua=mailto:a@b.example", "rua=x", "adkim=s", "", "x",
        ]), 0..6),
    ) {
        let text = format!("v=DMARC1;{}", parts.join(";"));
        let record = read(&text);
        let zone = Zone::default().with(&name("_dmarc.example.com"), Record::Txt(text.clone().into_bytes()));
        for (policy, tag) in [(record.own_policy(), "p="), (record.subdomain_policy(), "p="), (record.nonexistent_policy(), "p=")] {
            let said = match policy {
                DmarcPolicy::None => true,
                DmarcPolicy::Quarantine => text.contains(&format!("{tag}quarantine")),
                DmarcPolicy::Reject => text.contains(&format!("{tag}reject")),
            };
            prop_assert!(said, "{text}: {policy:?}");
            prop_assert!(record.enforced(policy) <= policy);
        }
        match find(&zone, "example.com").standing {
            DmarcStatus::Applies(applied) => prop_assert_eq!(applied.policy, record.own_policy()),
            DmarcStatus::Invalid { flaw, .. } => prop_assert_eq!(Some(flaw), record.flaw),
            other => prop_assert!(false, "{text}: {other:?}"),
        }
    }
}
