//! `touchstone bench trust-populations` on the lab's domains.

use super::*;
use crate::command::{Said, said};
use crate::support::service::touchstone;

/// Runs the study of these files with the settings of a launch.
fn study(launch: &Launch, lab: &Lab, files: &[(&str, &str)], flags: &[&str]) -> Said {
    let path = |name: &str| launch.data().path().join(name).to_str().unwrap().to_owned();
    for (name, lines) in files {
        std::fs::write(path(name), lines).unwrap();
    }
    let paths: Vec<String> = files.iter().map(|(name, _)| path(name)).collect();
    let arguments = ["bench", "trust-populations"].into_iter().chain(flags.iter().copied());
    let mut command = touchstone(arguments.chain(paths.iter().map(String::as_str)));
    command.env("TOUCHSTONE_DATA_DIR", launch.data().path());
    command.env("TOUCHSTONE_EXTRA_ROOTS", lab.authority_file());
    said(command, "")
}

#[test]
fn a_study_tells_the_verdicts_of_each_file_and_compares_the_first_with_the_others() {
    let Some(lab) = Lab::shared("a study of lists of domains") else { return };
    let launch = Sight::of(lab).launch();
    let good = ("good.csv", "1,perfect.test\n2,https://perfect.test/again\n");
    let bad = ("bad.txt", "# of today\nhttps://expired.test/login\n*.test\n\nwrong.test\n");
    let found = study(&launch, lab, &[good, bad], &[]);
    assert_eq!(found.code, Some(0), "{found:?}");
    let lines: Vec<&str> = found.out.lines().collect();
    assert!(lines[2].starts_with("| good.csv | 1 | 100.0 [20.7, 100.0] | 0.0 ["), "{found:?}");
    assert!(lines[3].starts_with("| bad.txt | 2 | 0.0 [0.0, 65.8] | "), "{found:?}");
    assert!(lines[3].contains("certificate_invalid 100.0"), "{found:?}");
    assert_eq!(lines.last(), Some(&"| good.csv | bad.txt | 1.000 |"), "{found:?}");
    assert!(found.err.contains("bad.txt: 1 bad lines; line 3: "), "{found:?}");
}

#[test]
fn a_study_prints_a_line_for_each_domain_within_its_limit() {
    let Some(lab) = Lab::shared("a study of lists of domains, by line") else { return };
    let launch = Sight::of(lab).launch();
    let list = ("list.txt", "expired.test\nperfect.test\nplain.test\n");
    let found =
        study(&launch, lab, &[list], &["--json", "--limit", "2", "--at-once", "1", "--purpose", "web"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    let lines: Vec<Value> = found.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = lines.iter().map(|line| (text(line, "domain"), text(line, "verdict"))).collect();
    assert_eq!(verdicts, [("expired.test", "RISKY"), ("perfect.test", "TRUSTED")], "{found:?}");
    assert!(listed(&lines[0]["reasons"]).contains(&"certificate_invalid"), "{found:?}");
    assert_eq!(lines[1]["file"], "list.txt");
}

#[test]
fn a_study_of_a_file_that_names_no_domain_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.txt");
    std::fs::write(&path, "# nothing\n").unwrap();
    let mut command = touchstone(["bench", "trust-populations", path.to_str().unwrap()]);
    command.env("TOUCHSTONE_DATA_DIR", folder.path());
    let found = said(command, "");
    assert!(found.code == Some(1) && found.err.contains("empty.txt names no domain"), "{found:?}");
}
