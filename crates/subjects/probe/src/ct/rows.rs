//! Rows of a search service's answer, in the shape of crt.sh or of Cert Spotter.

use domain_name::DomainName;
use receipt::Timestamp;
use serde_json::{Deserializer, Value};

use crate::whois::read_date;

/// Maximum number of rows that are read; further ones count as cut off.
pub const MAX_ROWS: u32 = 100_000;
/// The most names of a row that are looked at.
const MAX_NAMES: usize = 256;
/// The start of the first public log (March 2013). No log knows a certificate from before.
const FIRST_LOG: &str = "2013-03-01T00:00:00Z";

/// Rows of an answer: certificates, or entries of logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CtRows {
    /// Number of rows that were read.
    pub rows: u32,
    /// Number of those that name the domain and have a possible date.
    pub counted: u32,
    /// The earliest date of the counted rows: the entry into a log, else the start of the certificate's validity.
    pub first_seen: Option<Timestamp>,
    /// True if the list ends before its end, is malformed, or is no list.
    pub is_cut: bool,
}

impl CtRows {
    /// Reads an answer about `domain`: a JSON array of objects with `entry_timestamp` or `not_before`, and
    /// `name_value`, `common_name` or `dns_names`. An answer that was cut is read up to there. A date after `now` or
    /// before Certificate Transparency does not count.
    #[must_use]
    pub fn parse(answer: &[u8], domain: &DomainName, now: Timestamp) -> Self {
        let mut read = Self { is_cut: true, ..Self::default() };
        let Some(mut rest) = answer.trim_ascii_start().strip_prefix(b"[") else { return read };
        let Some(first_log) = read_date(FIRST_LOG) else { return read };
        loop {
            rest = rest.trim_ascii_start();
            match rest.first() {
                Some(b']') => {
                    read.is_cut = false;
                    return read;
                }
                Some(b',') if read.rows > 0 => rest = &rest[1..],
                _ if read.rows > 0 => return read,
                _ => {}
            }
            if read.rows >= MAX_ROWS {
                return read;
            }
            let mut values = Deserializer::from_slice(rest).into_iter::<Value>();
            let Some(Ok(row)) = values.next() else { return read };
            rest = &rest[values.byte_offset()..];
            read.rows += 1;
            let date = date(&row).filter(|at| (first_log..=now).contains(at));
            if let Some(at) = date
                && names(&row, domain)
            {
                read.counted += 1;
                read.first_seen = Some(read.first_seen.map_or(at, |first| first.min(at)));
            }
        }
    }
}

fn date(row: &Value) -> Option<Timestamp> {
    let at = |member: &str| row.get(member).and_then(Value::as_str).and_then(read_date);
    at("entry_timestamp").or_else(|| at("not_before"))
}

/// True if the row names the domain, or a host below it.
fn names(row: &Value, domain: &DomainName) -> bool {
    let text = |member: &str| row.get(member).and_then(Value::as_str).unwrap_or_default().lines();
    let listed = row.get("dns_names").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let all = text("name_value").chain(text("common_name")).chain(listed.iter().filter_map(Value::as_str));
    all.take(MAX_NAMES).any(|name| {
        let name = name.trim().to_ascii_lowercase();
        let above = name.strip_suffix(domain.as_str());
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(answer: &str) -> CtRows {
        let now = "2026-11-22T00:00:00.000Z".parse().unwrap();
        CtRows::parse(answer.as_bytes(), &DomainName::parse("shop.example").unwrap(), now)
    }

    fn first(answer: &str) -> Option<String> {
        read(answer).first_seen.map(|at| at.to_string()[..10].to_owned())
    }

    #[test]
    fn both_shapes_give_the_earliest_date() {
        let log = r#"[{"entry_timestamp":"2019-05-06T07:08:09.123","not_before":"2019-05-06T06:00:00",
            "name_value":"www.shop.example\nshop.example"},
            {"entry_timestamp":null,"not_before":"2018-01-02T00:00:00","common_name":"*.shop.example"}]"#;
        assert_eq!(first(log).as_deref(), Some("2018-01-02"));
        let spotter = r#"[{"not_before":"2020-03-04T00:00:00Z","dns_names":["SHOP.example"]},
            {"not_before":"2021-03-04T00:00:00Z","dns_names":["shop.example"]}]"#;
        let seen = read(spotter);
        assert_eq!((seen.rows, seen.counted, seen.is_cut), (2, 2, false));
        assert_eq!(first(spotter).as_deref(), Some("2020-03-04"));
    }

    #[test]
    fn a_row_that_lies_does_not_count() {
        let row = |date: &str, name: &str| format!(r#"{{"not_before":"{date}","dns_names":["{name}"]}}"#);
        for lie in [
            row("2027-01-01", "shop.example"),
            row("2001-01-01", "shop.example"),
            row("2013-02-28", "shop.example"),
            row("03/04/2015", "shop.example"),
            row("2015-01-01", "other.example"),
            row("2015-01-01", "myshop.example"),
            row("2015-01-01", "shop.example.evil.example"),
            "7".to_owned(),
            r#"{"not_before":7,"dns_names":7}"#.to_owned(),
        ] {
            let answer = format!("[{lie},{}]", row("2022-01-01", "shop.example"));
            assert_eq!(first(&answer).as_deref(), Some("2022-01-01"), "{lie}");
            assert_eq!((read(&answer).rows, read(&answer).counted), (2, 1));
        }
    }

    #[test]
    fn a_cut_answer_keeps_its_rows_as_a_bound() {
        let row = r#"{"not_before":"2020-03-04","dns_names":["shop.example"]}"#;
        for cut in [
            format!("[{row},{}", &row[..20]),
            format!("[{row}"),
            format!("[{row},"),
            format!("[{row} {row}]"),
        ] {
            assert_eq!((first(&cut).as_deref(), read(&cut).is_cut), (Some("2020-03-04"), true), "{cut}");
        }
        for none in ["", "{}", "<html>", "[", "null", &row[1..]] {
            assert_eq!(read(none), CtRows { is_cut: true, ..CtRows::default() }, "{none}");
        }
        assert_eq!(read(" [ ] "), CtRows::default());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let domain = DomainName::parse("shop.example").unwrap();
            let _rows = CtRows::parse(&bytes, &domain, Timestamp::MAX);
            let _rows = CtRows::parse(&[b"[", &bytes[..]].concat(), &domain, Timestamp::MAX);
        }
    }
}
