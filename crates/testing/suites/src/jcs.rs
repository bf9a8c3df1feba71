//! The JSON Canonicalization Scheme (RFC 8785): whole documents, and the text of doubles.

use std::fs;
use std::path::{Path, PathBuf};

use receipt::json::{Json, Number, parse, parse_lenient};

use super::outcome::Outcome;

/// Runs both suites on a folder laid out as the data folder is.
pub(crate) fn run(dir: &Path) -> Vec<Outcome> {
    let folder = dir.join("vectors/jcs");
    let documents = run_documents(&folder);
    let numbers = run_numbers(&folder);
    [documents, numbers].into_iter().filter(|outcome| outcome.total > 0).collect()
}

/// A case for each output, and one for each output in hexadecimal, of `input/NAME.json`.
///
/// The documents are read leniently: one has a number with more digits than a double, to see it rounded.
fn run_documents(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "vectors/jcs".to_owned(), ..Outcome::default() };
    for input in files(&folder.join("input")) {
        let (Some(name), Some(stem)) = (input.file_name(), input.file_stem()) else { continue };
        let ours = fs::read(&input).map_err(|error| error.to_string());
        let ours = ours.and_then(|text| parse_lenient(&text).map_err(|error| error.to_string()));
        let ours = ours.map(|tree| tree.canonical());
        let case = input.display().to_string();
        if let Ok(expected) = fs::read(folder.join("output").join(name)) {
            count(&mut outcome, &case, compare(&ours, &expected));
        }
        if let Ok(digits) = fs::read_to_string(folder.join("outhex").join(stem).with_extension("txt")) {
            let expected = from_hex(&digits).ok_or_else(|| "outhex is not hexadecimal".to_owned());
            count(&mut outcome, &case, expected.and_then(|expected| compare(&ours, &expected)));
        }
    }
    outcome
}

fn compare(ours: &Result<Vec<u8>, String>, expected: &[u8]) -> Result<(), String> {
    match ours {
        Ok(ours) if ours == expected => Ok(()),
        Ok(ours) => {
            Err(format!("{} is not {}", String::from_utf8_lossy(ours), String::from_utf8_lossy(expected)))
        }
        Err(error) => Err(error.clone()),
    }
}

/// A case for each double: `es6numbers*.txt` has lines `bits,text`, and `*numbers*.json` a list of
/// `{ieee754, expected}`.
fn run_numbers(folder: &Path) -> Outcome {
    let mut outcome = Outcome { name: "vectors/jcs-numbers".to_owned(), ..Outcome::default() };
    for file in files(folder) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(text) = fs::read_to_string(&file) else { continue };
        if name.starts_with("es6numbers") && name.ends_with(".txt") {
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                let (bits, expected) = line.split_once(',').unwrap_or((line, ""));
                count(&mut outcome, &format!("{name}: {bits}"), number(bits.trim(), expected.trim()));
            }
        } else if name.contains("numbers") && name.ends_with(".json") {
            let cases = parse_lenient(text.as_bytes()).ok();
            for case in cases.as_ref().and_then(Json::as_array).unwrap_or_default() {
                let member = |name| case.get(name).and_then(Json::as_str).unwrap_or_default();
                let (bits, expected) = (member("ieee754"), member("expected"));
                count(&mut outcome, &format!("{name}: {bits}"), number(bits, expected));
            }
        }
    }
    outcome
}

/// The double's canonical text is the expected one, and that text is read back as exact and canonical. NaN and the
/// infinities have none.
fn number(bits: &str, expected: &str) -> Result<(), String> {
    let double = u64::from_str_radix(bits, 16).map(f64::from_bits).map_err(|error| error.to_string())?;
    let Some(number) = Number::from_f64(double) else {
        let refused = expected.parse::<Number>().is_err();
        return if refused { Ok(()) } else { Err(format!("{double} is not a number in JSON")) };
    };
    let ours = Json::Number(number).canonical();
    if ours != expected.as_bytes() {
        return Err(format!("{} is not {expected}", String::from_utf8_lossy(&ours)));
    }
    match parse(expected.as_bytes()) {
        Ok(read) if read.canonical() == ours => Ok(()),
        Ok(read) => Err(format!("{expected} is read back as {}", String::from_utf8_lossy(&read.canonical()))),
        Err(error) => Err(error.to_string()),
    }
}

fn count(outcome: &mut Outcome, case: &str, judged: Result<(), String>) {
    outcome.total += 1;
    match judged {
        Ok(()) => outcome.passed += 1,
        Err(why) => outcome.failures.push(format!("{case}: {why}")),
    }
}

/// The files of a folder in the order of their names; none where it is not there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Bytes from hexadecimal digits with white space among them.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => u8::try_from(high * 16 + low).ok(),
        _ => None,
    });
    pairs.collect()
}
