//! Published vectors, where the folder that holds them is there: RFC 8785's own test data.

use receipt::json::{Json, Number, parse_lenient};
use std::path::PathBuf;

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/vectors");
    folder.is_dir().then_some(folder)
}

fn number_of(bits: &str, expected: &str) {
    let double = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
    match Number::from_f64(double) {
        Some(number) => assert_eq!(Json::Number(number).canonical(), expected.as_bytes(), "{bits}"),
        None => assert_eq!(expected, "", "{bits} is not a number in JSON"),
    }
}

#[test]
fn canonical_forms_are_those_of_the_published_vectors() {
    let Some(folder) = folder() else { return };
    for input in std::fs::read_dir(folder.join("jcs/input")).unwrap() {
        let input = input.unwrap().path();
        let output = folder.join("jcs/output").join(input.file_name().unwrap());
        let tree = parse_lenient(&std::fs::read(&input).unwrap()).unwrap();
        assert_eq!(tree.canonical(), std::fs::read(output).unwrap(), "{}", input.display());
    }
}

#[test]
fn doubles_are_written_as_in_the_published_vectors() {
    let Some(folder) = folder() else { return };
    let lines = std::fs::read_to_string(folder.join("jcs/es6numbers-10k.txt")).unwrap();
    for line in lines.lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        number_of(bits, expected);
    }
    let appendix = std::fs::read(folder.join("jcs/rfc8785_appendix_b_numbers.json")).unwrap();
    for case in parse_lenient(&appendix).unwrap().as_array().unwrap() {
        let text = |name| case.get(name).and_then(Json::as_str).unwrap_or_default();
        number_of(text("ieee754"), text("expected"));
    }
}
