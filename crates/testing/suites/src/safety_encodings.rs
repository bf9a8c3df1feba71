//! Eight ways in which a text can be hidden from a reader of plain words, and not from a machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A name and its encoder.
type Encoding = (&'static str, fn(&str) -> String);

/// The encodings.
pub const ENCODINGS: [Encoding; 8] = [
    ("base64", |text| STANDARD.encode(text)),
    ("hex", |text| text.bytes().map(|byte| format!("{byte:02x}")).collect()),
    ("percent", |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect()),
    ("tags", |text| format!("Nice weather today.{}", text.chars().map(tag).collect::<String>())),
    ("zero_width", |text| text.chars().flat_map(|c| [c, '\u{200b}']).collect()),
    ("bidi", |text| {
        text.lines()
            .map(|line| format!("\u{202e}{}\u{202c}\n", line.chars().rev().collect::<String>()))
            .collect()
    }),
    ("homoglyphs", |text| text.chars().map(look_alike).collect()),
    ("html", |text| text.chars().map(|c| format!("&#{};", u32::from(c))).collect()),
];

/// The tag character of an ASCII character; any other stays as it is.
fn tag(c: char) -> char {
    match u32::from(c) {
        code @ 0x20..=0x7e => char::from_u32(0xe_0000 + code).unwrap_or(c),
        _ => c,
    }
}

/// A Cyrillic or Greek letter that looks like a Latin one.
fn look_alike(c: char) -> char {
    match c {
        'a' => 'а',
        'c' => 'с',
        'e' => 'е',
        'i' => 'і',
        'j' => 'ј',
        'o' => 'о',
        'p' => 'р',
        's' => 'ѕ',
        'x' => 'х',
        'y' => 'у',
        'A' => 'А',
        'B' => 'В',
        'E' => 'Е',
        'H' => 'Н',
        'I' => 'І',
        'K' => 'К',
        'M' => 'М',
        'O' => 'О',
        'P' => 'Р',
        'S' => 'Ѕ',
        'T' => 'Т',
        'X' => 'Х',
        c => c,
    }
}
