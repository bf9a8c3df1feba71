//! The file of the logs that a witness cosigns: a line `log <vkey>` for each key, as in a policy (C2SP tlog-policy). The line of a
//! key that its log has replaced may end in `until=<size>`: the key then signs no larger tree.

use std::collections::BTreeMap;

use tlog::{KeyError, KeyKind, VerifierKey};
use witness::TrustedKey;

/// The longest file of logs, in bytes.
pub const MAX_LOGS_BYTES: usize = 1 << 20;
/// The most keys in the file.
const MAX_KEYS: usize = 4096;

/// An error in the file. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogsError {
    /// The file is not UTF-8.
    #[error("it is not utf-8")]
    NotUtf8,
    /// The file is too long.
    #[error("it has more than {MAX_LOGS_BYTES} bytes or {MAX_KEYS} keys")]
    TooLong,
    /// The line has another form.
    #[error(
        "line {0}: expected `log <vkey>`, with an address after it if you like, and `until=<size>` for a key that has ended, \
             as in `until=4711`"
    )]
    Form(usize),
    /// The key is malformed.
    #[error("line {line}: {error}")]
    Key {
        /// The number of the line.
        line: usize,
        /// The error in the key.
        error: KeyError,
    },
    /// The key is a witness's.
    #[error("line {0}: this is the key of a witness (type 0x04), and not of a log")]
    WitnessKey(usize),
    /// The file names no log.
    #[error("it names no log: add a line `log <vkey>`")]
    Empty,
}

/// A log, and the keys that are trusted for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessedLog {
    /// The origin: the name of the keys.
    pub origin: String,
    /// The keys; during a rotation the old and the new one.
    pub keys: Vec<TrustedKey>,
}

/// Reads the file. Lines of a policy that name witnesses, groups and a quorum are skipped, so that the policy of a log
/// will do. Several keys of one name are keys of one log.
///
/// # Errors
/// [`LogsError`]
pub fn parse(file: &[u8]) -> Result<Vec<WitnessedLog>, LogsError> {
    if file.len() > MAX_LOGS_BYTES {
        return Err(LogsError::TooLong);
    }
    let text = std::str::from_utf8(file).map_err(|_| LogsError::NotUtf8)?;
    let mut logs: BTreeMap<String, Vec<TrustedKey>> = BTreeMap::new();
    let mut keys = 0;
    for (line, words) in (1..).zip(text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>())) {
        let (vkey, rest) = match words[..] {
            [] | ["witness" | "group" | "quorum", ..] => continue,
            [first, ..] if first.starts_with('#') => continue,
            ["log", vkey, ref rest @ ..] => (vkey, rest),
            _ => return Err(LogsError::Form(line)),
        };
        let bound = rest.last().and_then(|word| word.strip_prefix("until="));
        let until: Option<u64> = bound.map(str::parse).transpose().map_err(|_| LogsError::Form(line))?;
        if rest.len() > 1 + usize::from(until.is_some()) {
            return Err(LogsError::Form(line));
        }
        let key: VerifierKey = vkey.parse().map_err(|error| LogsError::Key { line, error })?;
        if key.kind() == KeyKind::CosignatureV1 {
            return Err(LogsError::WitnessKey(line));
        }
        keys += 1;
        if keys > MAX_KEYS {
            return Err(LogsError::TooLong);
        }
        let of_log = logs.entry(key.name().to_owned()).or_default();
        match of_log.iter_mut().find(|trusted| trusted.key == key) {
            // Of two ends the earlier one holds.
            Some(trusted) => trusted.until = trusted.until.into_iter().chain(until).min(),
            None => of_log.push(TrustedKey { key, until }),
        }
    }
    let logs: Vec<_> = logs.into_iter().map(|(origin, keys)| WitnessedLog { origin, keys }).collect();
    if logs.is_empty() { Err(LogsError::Empty) } else { Ok(logs) }
}

#[cfg(test)]
mod tests {
    use tlog::{CosignerKey, SigningKey};

    use super::*;

    fn vkey(name: &str, number: u8) -> String {
        SigningKey::from_seed(name, &[number; 32]).unwrap().verifier().to_string()
    }

    #[test]
    fn logs_are_read_from_their_lines_and_from_a_policy() {
        let (one, next, two) =
            (vkey("one.example/log", 1), vkey("one.example/log", 2), vkey("two.example", 3));
        let file = format!(
            "# two logs\n\nlog {one} https://one.example/log\nlog {next}\n\tlog  {two}\nlog {one}\nwitness w anything\n\
             group g all w\nquorum g\n"
        );
        let logs = parse(file.as_bytes()).unwrap();
        let read: Vec<_> = logs.iter().map(|log| (log.origin.as_str(), log.keys.len())).collect();
        assert_eq!(read, [("one.example/log", 2), ("two.example", 1)]);
    }

    #[test]
    fn a_key_that_has_ended_has_its_largest_tree_in_its_line() {
        let (one, next) = (vkey("one.example/log", 1), vkey("one.example/log", 2));
        let file = format!(
            "log {one} https://one.example/log until=4711\nlog {next} until=9\nlog {next}\nlog {one} until=5000\n"
        );
        let [log] = &parse(file.as_bytes()).unwrap()[..] else { panic!("one log") };
        let until: Vec<_> = log.keys.iter().map(|trusted| trusted.until).collect();
        assert_eq!(until, [Some(4711), Some(9)]);
    }

    #[test]
    fn a_bad_line_is_refused_by_its_number() {
        let witness = CosignerKey::from_seed("w.example", KeyKind::CosignatureV1, &[9; 32]).unwrap();
        let one = vkey("one.example/log", 1);
        for (file, expected) in [
            (format!("\n{one}\n"), LogsError::Form(2)),
            (format!("log {one} https://one.example/ more\n"), LogsError::Form(1)),
            (format!("log {one} https://one.example/ more until=1\n"), LogsError::Form(1)),
            (format!("log {one} until=-1\n"), LogsError::Form(1)),
            (format!("log {one} until=1 https://one.example/\n"), LogsError::Form(1)),
            (format!("log {}\n", witness.verifier()), LogsError::WitnessKey(1)),
            ("quorum none\n".to_owned(), LogsError::Empty),
            (String::new(), LogsError::Empty),
        ] {
            assert_eq!(parse(file.as_bytes()).unwrap_err(), expected, "{file}");
        }
        assert!(matches!(parse(b"log nothing\n"), Err(LogsError::Key { line: 1, .. })));
        assert_eq!(parse(b"log \xff\n").unwrap_err(), LogsError::NotUtf8);
        assert_eq!(parse(&vec![b'\n'; MAX_LOGS_BYTES + 1]).unwrap_err(), LogsError::TooLong);
    }
}
