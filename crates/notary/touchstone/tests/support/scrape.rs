//! The metrics of a service, read strictly.

use std::collections::BTreeMap;

use super::http::{Connection, Request};
use super::service::{Launch, Service};

/// A series: the name of the sample, and its labels.
pub type Series = (String, BTreeMap<String, String>);

/// A scrape: kinds, help texts and values.
#[derive(Debug, Default)]
pub struct Scrape {
    pub kinds: BTreeMap<String, String>,
    pub help: BTreeMap<String, String>,
    pub values: BTreeMap<Series, f64>,
}

/// A launch with metrics on a free port.
pub fn measured(launch: Launch) -> Launch {
    launch.set("METRICS", "127.0.0.1:0")
}

/// The metrics of a service now, as text.
pub fn text_of(service: &Service) -> String {
    let said = service.said();
    let line = said.lines().find_map(|line| line.strip_prefix("metrics on http://"));
    let address = line.and_then(|line| line.strip_suffix("/metrics")).unwrap_or_else(|| panic!("{said}"));
    Connection::open(address.parse().unwrap()).exchange(&Request::get("/metrics")).expect(200).text()
}

/// The metrics of a service now.
pub fn of(service: &Service) -> Scrape {
    read(&text_of(service))
}

impl Scrape {
    /// The sum of the series of a name that have these labels; `None` where there is none.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let has = |series: &Series| {
            labels.iter().all(|(name, value)| series.1.get(*name).is_some_and(|is| is == value))
        };
        let found = self.values.iter().filter(|(series, _)| series.0 == name && has(series));
        found.map(|(_, value)| *value).reduce(|sum, value| sum + value)
    }

    /// The family of a sample: histograms have three samples.
    pub fn family<'n>(&self, name: &'n str) -> &'n str {
        let stem = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        stem.filter(|stem| self.kinds.get(*stem).is_some_and(|kind| kind == "histogram")).unwrap_or(name)
    }
}

/// Reads a scrape; panics where the text format forbids it.
fn read(text: &str) -> Scrape {
    let mut scrape = Scrape::default();
    let mut current = String::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(scrape.help.insert(name.to_owned(), help.to_owned()).is_none(), "HELP twice: {line}");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(scrape.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "TYPE twice: {line}");
            current = name.to_owned();
        } else {
            let (series, value) = sample(line);
            assert_eq!(scrape.family(&series.0), current, "apart from its TYPE: {line}");
            assert!(scrape.values.insert(series, value).is_none(), "twice: {line}");
        }
    }
    scrape
}

fn sample(line: &str) -> (Series, f64) {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let value = value.parse().unwrap_or_else(|_| panic!("{line}"));
    let Some((name, rest)) = series.split_once('{') else {
        return ((series.to_owned(), BTreeMap::new()), value);
    };
    let mut rest = rest.strip_suffix('}').unwrap_or_else(|| panic!("{line}"));
    let mut labels = BTreeMap::new();
    while !rest.is_empty() {
        let (label, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
        let end = after.char_indices().scan(false, |is_escaped, (at, sign)| {
            let ends = sign == '"' && !*is_escaped;
            *is_escaped = sign == '\\' && !*is_escaped;
            Some((at, ends))
        });
        let end = { end }.find(|(_, ends)| *ends).unwrap_or_else(|| panic!("{line}")).0;
        assert!(labels.insert(label.to_owned(), after[..end].to_owned()).is_none(), "{line}");
        rest = after[end + 1..].trim_start_matches(',');
    }
    ((name.to_owned(), labels), value)
}
