//! Detection of a file's format, by its beginning, and by its name only where that is not enough.

use quick_xml::events::Event;

use super::file_format::FileFormat;
use super::{advanced, csl, eu, eu_csv, sdn_xml, seco, uk, un};

/// The form of a file that begins so.
pub(super) fn detect(name: &str, beginning: &[u8]) -> Option<FileFormat> {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
    match text.first()? {
        b'<' => xml(text),
        b'{' => Some(json(name, text)?),
        _ => csv(text),
    }
}

fn xml(text: &[u8]) -> Option<FileFormat> {
    let mut reader = quick_xml::Reader::from_reader(text);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(start) => {
                return match start.local_name().into_inner() {
                    sdn_xml::ROOT => Some(FileFormat::SdnXml),
                    advanced::ROOT => Some(FileFormat::AdvancedXml),
                    un::ROOT => Some(FileFormat::UnXml),
                    eu::ROOT => Some(FileFormat::EuXml),
                    uk::ROOT => Some(FileFormat::UkXml),
                    uk::OFSI_ROOT => Some(FileFormat::OfsiXml),
                    seco::ROOT => Some(FileFormat::SecoXml),
                    _ => None,
                };
            }
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::Text(_) => {}
            _ => return None,
        }
    }
}

/// A wallet a line, or one document of entries.
fn json(name: &str, text: &[u8]) -> Option<FileFormat> {
    let line = text.split(|byte| *byte == b'\n').next()?;
    let has = |part: &[u8], key: &[u8]| part.windows(key.len()).any(|window| window == key);
    if has(line, b"\"address\"") && has(line, b"\"currency\"") && has(line, b"\"uid\"") {
        return Some(FileFormat::WalletLines);
    }
    let is_lines = name.ends_with(".jsonl") || name.ends_with(".jsonl.gz");
    (!is_lines && has_array(text, b"\"entries\"")).then_some(FileFormat::NamesJson)
}

/// Tests that an array stands under that key of the outermost object.
fn has_array(text: &[u8], key: &[u8]) -> bool {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(length) = string_length(&text[at..]) else { return false };
                let rest = text[at + length..].trim_ascii_start();
                let value = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
                if depth == 1 && &text[at..at + length] == key && value.is_some_and(|v| v.starts_with(b"[")) {
                    return true;
                }
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// The bytes of the string that the text begins with, its quotes included.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// Most tables have a header, some a line with their day before it. OFAC's files have none, but each has a number of columns
/// of its own.
fn csv(text: &[u8]) -> Option<FileFormat> {
    if text.starts_with(uk::PREAMBLE.as_bytes()) {
        return Some(FileFormat::UkCsv);
    }
    if text.starts_with(uk::OFSI_PREAMBLE.as_bytes()) {
        return ofsi_or_uk(text);
    }
    let record = first_record(text, b',')?;
    let has = |names: &[&str]| names.iter().all(|name| record.iter().any(|cell| cell == name.as_bytes()));
    if has(&["id", "schema", "name", "aliases", "dataset"]) {
        return Some(FileFormat::OpenSanctions);
    }
    if has(&csl::KEYS) {
        return Some(FileFormat::CslCsv);
    }
    if first_record(text, b';')?.iter().any(|cell| cell == eu_csv::KEY.as_bytes()) {
        return Some(FileFormat::EuCsv);
    }
    let key = record.get(0).filter(|key| !key.is_empty() && key.iter().all(u8::is_ascii_digit));
    match (key, record.len()) {
        (Some(_), 12) => Some(FileFormat::LegacyMain),
        (Some(_), 6) => Some(FileFormat::LegacyAddresses),
        (Some(_), 5) => Some(FileFormat::LegacyAliases),
        (Some(_), 2) => Some(FileFormat::LegacyComments),
        _ => None,
    }
}

/// Both of the UK's tables may say `Last Updated` on top; the second line tells them apart.
fn ofsi_or_uk(text: &[u8]) -> Option<FileFormat> {
    let header = &text[text.iter().position(|byte| *byte == b'\n')? + 1..];
    let record = first_record(header, b',')?;
    let has = |name: &str| record.iter().any(|cell| cell == name.as_bytes());
    match (has("Group ID"), has("Unique ID")) {
        (true, _) => Some(FileFormat::OfsiCsv),
        (_, true) => Some(FileFormat::UkCsv),
        _ => None,
    }
}

fn first_record(text: &[u8], delimiter: u8) -> Option<csv::ByteRecord> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = csv::ByteRecord::new();
    reader.read_byte_record(&mut record).ok()?.then_some(record)
}
