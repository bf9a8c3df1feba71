use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::declared::{Kind, METRICS, Metric};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

/// The files below a folder with the ending `.rs`, without those of tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            if !["tests", "benches", "target"].contains(&&*name) {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The metrics that the sources count, with the words of the macros.
fn counted() -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut files = Vec::new();
    sources(&Path::new(ROOT).join("crates"), &mut files);
    let mut found: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        for kind in ["counter", "gauge", "histogram"] {
            for part in text.split(&format!("metrics::{kind}!(")).skip(1) {
                let Some(name) = part.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next())
                else {
                    continue;
                };
                found.entry(name.to_owned()).or_default().insert(kind);
            }
        }
    }
    found
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram(_) => "histogram",
    }
}

#[test]
fn every_metric_that_is_counted_is_declared_and_every_declared_one_is_counted() {
    let declared: BTreeMap<String, BTreeSet<&str>> =
        METRICS.iter().map(|metric| (metric.name.to_owned(), [word(metric.kind)].into())).collect();
    assert_eq!(declared.len(), METRICS.len(), "a metric is declared twice");
    assert_eq!(declared, counted());
}

#[test]
fn names_follow_the_conventions_of_prometheus() {
    for Metric { name, kind, labels, help } in METRICS {
        assert!(name.starts_with("touchstone_"), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
        let has_reserved_end =
            ["_sum", "_count", "_bucket", "_ms", "_millis"].iter().any(|end| name.ends_with(end));
        assert!(!has_reserved_end, "{name}");
        assert!(help.ends_with('.') && !help.contains(['\n', '|', '\\']), "{name}: {help}");
        for label in *labels {
            assert!(!["le", "quantile", "job", "instance"].contains(&label.name), "{name}: {}", label.name);
        }
        if let Kind::Histogram(buckets) = kind {
            assert!(buckets.is_sorted_by(|one, next| one < next), "{name}");
        }
    }
}

/// The table of docs/metrics.md.
fn table() -> String {
    let mut table = "| metric | kind | labels | meaning |\n|---|---|---|---|\n".to_owned();
    for Metric { name, kind, labels, help } in METRICS {
        let labels: Vec<String> = labels
            .iter()
            .map(|label| match label.values {
                [] => format!("`{}`", label.name),
                values => format!("`{}`: {}", label.name, values.join(", ")),
            })
            .collect();
        writeln!(table, "| `{name}` | {} | {} | {help} |", word(*kind), labels.join("; ")).unwrap();
    }
    table
}

#[test]
fn the_documentation_has_the_declared_table() {
    let path = Path::new(ROOT).join("docs/metrics.md");
    let document = fs::read_to_string(path).unwrap();
    let table = table();
    assert!(document.contains(&table), "docs/metrics.md must have this table:\n{table}");
}
