//! The time-stamp tokens in an archive.

use audit_archive::{ArchiveReport, Filter, verify};
use peers::Stamper;
use serde_json::Value;
use time_stamp::Authority;

use crate::fixture::{Members, Store, archive, at, keys, members, now};

const PLACE: &str = "log/timestamps.jsonl";

fn stamped(stamper: &Stamper) -> Members {
    let mut store = Store::of(300);
    store.stamp(stamper);
    store.grow(100);
    store.stamp(stamper);
    store.grow(10);
    members(&store.exported(&Filter::default()))
}

fn verified(members: &Members, stamper: Option<&Stamper>) -> ArchiveReport {
    let authority = stamper.map(|stamper| Authority::new(stamper.root_pem().as_bytes(), None).unwrap());
    verify(&*archive(members), Some(keys()), authority.as_ref(), now(), &mut || ()).unwrap()
}

#[test]
fn tokens_bound_the_trees_of_the_log_under_the_roots_that_are_believed() {
    let stamper = Stamper::new();
    let honest = stamped(&stamper);
    let report = verified(&honest, Some(&stamper));
    assert!(report.holds(), "{report:?}");
    let said = report.stamped.unwrap();
    assert_eq!((report.tokens, report.tokens_of_others, &*said.authority), (2, 0, "Stamper One"));
    // Its accuracy is a second and a half.
    let latest = |number| at(number).saturating_add_millis(1500);
    assert_eq!((said.first, said.last), ((300, latest(300)), (400, latest(400))));

    let unchecked = verified(&honest, None);
    assert!(unchecked.holds() && unchecked.stamped.is_none(), "{unchecked:?}");
    assert_eq!(unchecked.tokens, 2);
    let foreign = verified(&honest, Some(&Stamper::new()));
    assert!(foreign.holds() && foreign.stamped.is_none(), "{foreign:?}");
    assert_eq!((foreign.tokens, foreign.tokens_of_others), (2, 2));
}

/// The lines of the member, changed.
fn with_lines(honest: &Members, change: impl FnOnce(&mut Vec<Value>)) -> Members {
    let mut changed = honest.clone();
    let content = &mut changed.iter_mut().find(|(name, _)| name == PLACE).unwrap().1;
    let text = String::from_utf8(content.clone()).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut lines);
    *content = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    changed
}

#[test]
fn a_token_of_another_message_a_cut_one_and_a_tree_that_the_log_never_was_are_caught() {
    let stamper = Stamper::new();
    let honest = stamped(&stamper);
    assert!(verified(&with_lines(&honest, |_| ()), Some(&stamper)).holds());
    let caught = |changed: Members, has_authority: bool, why: &str| {
        let report = verified(&changed, has_authority.then_some(&stamper));
        assert!(!report.holds(), "{why}");
        let is_told =
            report.problems.iter().any(|problem| problem.place == PLACE && problem.why.contains(why));
        assert!(is_told, "{why}: {:#?}", report.problems);
    };
    let of_other = |lines: &mut Vec<Value>| lines[0]["answer"] = lines[1]["answer"].clone();
    caught(with_lines(&honest, of_other), true, "another message");
    let cut = |lines: &mut Vec<Value>| lines[1]["answer"] = lines[1]["answer"].as_str().unwrap()[..64].into();
    caught(with_lines(&honest, cut), true, "no time-stamp response");
    caught(with_lines(&honest, |lines| lines[0]["answer"] = "*".into()), false, "no base64");
    caught(with_lines(&honest, |lines| lines.reverse()), false, "out of order");
    caught(with_lines(&honest, |lines| lines[0]["size"] = 301.into()), false, "its checkpoint is another");
    let other_root = |lines: &mut Vec<Value>| {
        let root = |line: &Value| line["checkpoint"].as_str().unwrap().lines().nth(2).unwrap().to_owned();
        let (first, second) = (root(&lines[0]), root(&lines[1]));
        lines[0]["checkpoint"] = lines[0]["checkpoint"].as_str().unwrap().replace(&first, &second).into();
    };
    caught(with_lines(&honest, other_root), false, "the log had another root");
    let mut without = honest.clone();
    without.retain(|(name, _)| name != PLACE);
    caught(without.clone(), false, "it is missing");
    // An archive of before there were tokens in them.
    let about = &mut without[0].1;
    *about = String::from_utf8(about.clone()).unwrap().replace("archive/2", "archive/1").into_bytes();
    let former = verified(&without, Some(&stamper));
    assert!(former.holds() && former.tokens == 0, "{former:?}");
}
