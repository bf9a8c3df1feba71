//! The members of a WHOIS answer that matter for trust.

use domain_name::DomainName;
use receipt::Timestamp;

use super::date::{self, DateOrder};

/// The most lines of an answer that are read, states that are kept, and characters of a text.
const MAX_LINES: usize = 2_000;
const MAX_STATES: usize = 16;
const MAX_TEXT_CHARS: usize = 256;
/// Dates that differ by at most this count as one: registries write them with and without a time zone.
const SAME_DATE_MILLIS: i64 = 86_400_000;

/// Keys of the registration's date, in lower case.
const CREATED: &[&str] = &[
    "created",
    "created at",
    "created date",
    "created on",
    "create date",
    "creation date",
    "creation time",
    "domain create date",
    "domain created",
    "domain name commencement date",
    "domain registered",
    "domain registration date",
    "first registration date",
    "record created",
    "record created on",
    "registered",
    "registered date",
    "registered on",
    "registration date",
    "registration time",
    "登録年月日",
    "등록일",
];
const REGISTRAR: &[&str] = &["registrar", "registrar name", "sponsoring registrar", "authorized agency"];
const STATUS: &[&str] = &["status", "domain status", "state", "eppstatus", "状態"];
const NAME: &[&str] = &["domain", "domain name", "ドメイン名", "도메인이름"];
/// Keys that a block of lines about something else than the domain begins with, such as a person with a date of its own.
const OTHERS: &[&str] =
    &["contact", "contact-id", "nic-hdl", "nic-hdl-br", "person", "role", "nsset", "keyset"];

/// A registration, as a WHOIS answer describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WhoisRecord {
    /// The domain; `None` if the answer does not name it, or names several.
    pub name: Option<DomainName>,
    /// Date of the registration; `None` if the answer states none, one that cannot be read in one way, or several.
    pub created: Option<Timestamp>,
    /// Through whom it was registered.
    pub registrar: Option<String>,
    /// The states of the domain, as the registry spells them.
    pub status: Vec<String>,
}

impl WhoisRecord {
    /// Reads an answer in UTF-8, whatever its form. `order` is the order of day and month that the registry is known to
    /// write.
    #[must_use]
    pub fn parse(answer: &[u8], order: Option<DateOrder>) -> Self {
        let text = String::from_utf8_lossy(answer);
        let mut record = Self::default();
        let mut names: Vec<Option<DomainName>> = Vec::new();
        let mut dates: Vec<Option<Timestamp>> = Vec::new();
        let (mut is_start, mut is_other) = (true, false);
        for line in text.lines().take(MAX_LINES) {
            let line = line.trim();
            if line.is_empty() {
                (is_start, is_other) = (true, false);
                continue;
            }
            if line.starts_with(['%', '#']) {
                continue;
            }
            let Some((key, value)) = member(line) else { continue };
            if std::mem::take(&mut is_start) {
                is_other = OTHERS.contains(&&*key);
            }
            if is_other || value.is_empty() {
                continue;
            }
            if CREATED.contains(&&*key) {
                // A word without a number, such as "yes", is a state and no date.
                if value.bytes().any(|byte| byte.is_ascii_digit()) {
                    dates.push(date::read(value, order));
                }
            } else if NAME.contains(&&*key) {
                names.push(DomainName::parse(value).ok());
            } else if REGISTRAR.contains(&&*key) {
                record.registrar.get_or_insert_with(|| short(value));
            } else if STATUS.contains(&&*key) && record.status.len() < MAX_STATES {
                record.status.push(short(value));
            }
        }
        record.name = the_one(&names, |one, other| one == other);
        record.created = the_one(&dates, |one, other| one.millis_since(*other).abs() <= SAME_DATE_MILLIS);
        record
    }

    /// Returns true if the answer names `domain` and no other.
    #[must_use]
    pub fn is_about(&self, domain: &DomainName) -> bool {
        self.name.as_ref() == Some(domain)
    }
}

/// The first of the values, where all can be read and are the same.
fn the_one<T: Clone>(values: &[Option<T>], is_same: impl Fn(&T, &T) -> bool) -> Option<T> {
    let first = values.first()?.as_ref()?;
    let agrees = |value: &Option<T>| value.as_ref().is_some_and(|value| is_same(value, first));
    values.iter().all(agrees).then(|| first.clone())
}

/// The key of a line in lower case, and its value: `Key: value`, `key.....: value`, `[Key] value`,
/// `b. [Key] value` and `Record created on value`.
fn member(line: &str) -> Option<(String, &str)> {
    if let Some((before, rest)) = line.split_once('[')
        && before.len() <= 3
        && let Some((key, value)) = rest.split_once(']')
    {
        return Some((words(key), value.trim()));
    }
    for prefix in ["record created on ", "registered on "] {
        if let Some(start) = line.get(..prefix.len())
            && start.eq_ignore_ascii_case(prefix)
        {
            return Some((prefix.trim_end().to_owned(), line[prefix.len()..].trim()));
        }
    }
    let (key, value) = line.split_once(':')?;
    Some((words(key), value.trim()))
}

/// A key in lower case, without the dots and stars around it, and with single spaces.
fn words(key: &str) -> String {
    let key = key.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '*' | '>' | '-' | '_'));
    key.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn short(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn created(answer: &str) -> Option<String> {
        WhoisRecord::parse(answer.as_bytes(), None).created.map(|at| at.to_string()[..10].to_owned())
    }

    #[test]
    fn a_date_is_found_under_every_registry_s_key() {
        for answer in [
            "Domain Name: EXAMPLE.IO\r\nCreation Date: 2009-12-31T01:02:03Z\r\nRegistrar: Reg\r\n",
            "domain:        EXAMPLE.RU\nstate: REGISTERED, DELEGATED\ncreated:       2009-12-31T01:02:03Z\n",
            "state:  active\ndomain:  example.se\ncreated:          2009-12-31\n",
            "    Registered on: 31-Dec-2009\n",
            "Registration Time: 2009-12-31 12:20:05\n",
            "[Domain Name]  EXAMPLE.JP\n\n[登録年月日]   2009/12/31\n",
            "[Created on]                    2009/12/31\n",
            "a. [ドメイン名]  EXAMPLE.CO.JP\n[Registered Date]  2009/12/31\n",
            "등록일 : 2009. 12. 31.\nRegistered Date             : 2009. 12. 31.\n",
            "Created on..............: 2009-Dec-31.\n",
            "created............: 31.12.2009 00:00:00\n",
            "** Created on.....: 2009-Dec-31.\n",
            "Domain Name Commencement Date: 31-12-2009\n",
            "Record created on 2009-12-31 00:00:00 (UTC+8)\n",
            "Relevant dates:\n     Registered on 31st December 2009 at 00:00:00.000\n",
            "Registered:\tThu Dec 31 2009\n",
            "First registration date:\n\nCreated: 2009-12-31",
            "Created: 2009-12-31\n\ncontact: P-1\ncreated: 2001-01-01\n\nnic-hdl: X\ncreated: 2002-01-01\n",
            "Creation Date: 2009-12-31T23:00:00Z\nRegistered on: 2010-01-01\n",
        ] {
            assert!(created(answer).is_some_and(|date| date == "2009-12-31"), "{answer}");
        }
    }

    #[test]
    fn no_date_is_guessed() {
        for answer in [
            "",
            "Domain: example.de\nStatus: connect\nChanged: 2018-03-12T21:44:25+01:00\n",
            "created: 2009-12-31\ncreated: 2011-12-31\n",
            "created: 2009-12-31\nRegistered on: long before 1996\n",
            "Created: 03/04/2020\n",
            "Registered: yes\n",
            "Expiry: 2009-12-31\nUpdated Date: 2009-12-31\n",
            "% created: 2009-12-31\n",
            "contact: X\ncreated: 2009-12-31\n",
            "my created: 2009-12-31\n",
            "created 2009-12-31\n",
        ] {
            assert_eq!(created(answer), None, "{answer}");
        }
    }

    #[test]
    fn name_registrar_and_states_are_read() {
        let read = WhoisRecord::parse(
            b"Domain Name: Example.IO\nDomain Status: clientHold\nStatus: ok\nRegistrar: A\x07 & B\nRegistrar: C\n",
            None,
        );
        assert!(read.is_about(&DomainName::parse("example.io").unwrap()));
        assert_eq!(
            (read.registrar.as_deref(), read.status),
            (Some("A & B"), vec!["clientHold".into(), "ok".into()])
        );
        let two = WhoisRecord::parse(b"domain: a.io\n\ndomain: b.io\n", None);
        assert_eq!(two.name, None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,80}") {
            let _record = WhoisRecord::parse(&bytes, None);
            for key in CREATED {
                let _record = WhoisRecord::parse(format!("{key}: {text}\n[{key}] {text}").as_bytes(), None);
            }
        }
    }
}
