//! The lines of a policy file: C2SP tlog-policy, "Policy file syntax and structure".

use crate::key::{KeyError, VerifierKey};
use crate::policy::PolicyLineError;
use crate::text::decimal;

/// The predefined name of the quorum that asks for no cosignature.
pub(crate) const NONE: &[u8] = b"none";

/// One line that defines something. Names are bytes, since they need not be UTF-8.
pub(crate) enum Line<'f> {
    Log { key: VerifierKey, url: Option<Vec<u8>> },
    Witness { name: &'f [u8], key: VerifierKey, url: Option<Vec<u8>> },
    Group { name: &'f [u8], threshold: &'f [u8], members: Vec<&'f [u8]> },
    Quorum { name: &'f [u8] },
}

/// Reads a line without its newline. `None` for an empty line and for a comment.
pub(crate) fn read(line: &[u8]) -> Result<Option<Line<'_>>, PolicyLineError> {
    if line.iter().any(|byte| (*byte < b' ' && *byte != b'\t') || *byte == 0x7f) {
        return Err(PolicyLineError::ControlCharacter);
    }
    let words: Vec<&[u8]> =
        line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()).collect();
    let Some((keyword, words)) = words.split_first() else { return Ok(None) };
    if keyword.starts_with(b"#") {
        return Ok(None);
    }
    let read = match (*keyword, words) {
        (b"log", [key, url @ ..]) if url.len() <= 1 => Line::Log { key: vkey(key)?, url: address(url) },
        (b"log", _) => return Err(PolicyLineError::Form("log <vkey> [<url>]")),
        (b"witness", [name, key, url @ ..]) if url.len() <= 1 => {
            Line::Witness { name, key: vkey(key)?, url: address(url) }
        }
        (b"witness", _) => return Err(PolicyLineError::Form("witness <name> <vkey> [<url>]")),
        (b"group", [name, threshold, members @ ..]) if !members.is_empty() => {
            Line::Group { name, threshold, members: members.to_vec() }
        }
        (b"group", _) => return Err(PolicyLineError::Form("group <name> <any, all or a number> <name>...")),
        (b"quorum", [name]) => Line::Quorum { name },
        (b"quorum", _) => return Err(PolicyLineError::Form("quorum <name>")),
        (other, _) => return Err(PolicyLineError::Keyword(shown(other))),
    };
    Ok(Some(read))
}

/// Reads the threshold of a group with this many members.
pub(crate) fn threshold(word: &[u8], members: usize) -> Result<usize, PolicyLineError> {
    let number = match word {
        b"any" => Some(1),
        b"all" => Some(members),
        _ => std::str::from_utf8(word).ok().and_then(decimal).and_then(|number| number.try_into().ok()),
    };
    number
        .filter(|number| (1..=members).contains(number))
        .ok_or_else(|| PolicyLineError::Threshold { threshold: shown(word), members })
}

/// The error for a name that no line above defines.
pub(crate) fn unknown(name: &[u8]) -> PolicyLineError {
    PolicyLineError::UnknownName(shown(name))
}

/// The start of a word, for a message.
pub(crate) fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(word).chars().take(64).collect()
}

fn vkey(word: &[u8]) -> Result<VerifierKey, PolicyLineError> {
    let text = std::str::from_utf8(word).map_err(|_| KeyError::Malformed)?;
    Ok(text.parse()?)
}

fn address(words: &[&[u8]]) -> Option<Vec<u8>> {
    words.first().map(|url| url.to_vec())
}
