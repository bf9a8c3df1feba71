//! Words in Arabic script: their article, and the common words that lists translate.

use super::abjad;

/// Writes a word of the Arabic or Hebrew script, one byte for each letter.
pub fn letters(word: &[char], out: &mut Vec<u8>) {
    for letter in word {
        let mut plain = *letter;
        unicode_normalization::char::decompose_compatible(*letter, |part| {
            if abjad::letter(part).is_some() {
                plain = part;
            }
        });
        match abjad::letter(*letter).or_else(|| abjad::letter(plain)) {
            Some(Some(byte)) => out.push(byte),
            Some(None) => {}
            None => out.extend(any_ascii::any_ascii_char(*letter).bytes().filter(u8::is_ascii_digit)),
        }
    }
}

/// Returns the Latin form of a common word of names and organisations in Arabic script, as lists write it; empty for
/// other words.
pub fn term(word: &[char]) -> &'static str {
    const TERMS: &[(&str, &str)] = &[
        ("بن", "bin"),
        ("ابن", "ibn"),
        ("ابو", "abu"),
        ("أبو", "abu"),
        ("عبد", "abd"),
        ("شركة", "company"),
        ("شرکت", "company"),
        ("کمپنی", "company"),
        ("بنك", "bank"),
        ("بانک", "bank"),
        ("مصرف", "bank"),
        ("حزب", "hizb"),
        ("جماعة", "group"),
        ("مؤسسة", "foundation"),
        ("حركة", "movement"),
        ("اسلامية", "islamic"),
        ("إسلامية", "islamic"),
        ("اسلامي", "islamic"),
        ("مقاتلة", "fighting"),
        ("مغربية", "moroccan"),
        ("ليبية", "libyan"),
        ("دولية", "international"),
        ("دولي", "international"),
        ("وطني", "national"),
        ("وطنية", "national"),
        ("عامة", "general"),
        ("تجارة", "trading"),
        ("صرافة", "exchange"),
        ("صرافی", "exchange"),
        ("مجلس", "council"),
        ("جيش", "army"),
        ("جبهة", "front"),
        ("كتائب", "brigades"),
        ("ثورة", "revolution"),
        ("جمعية", "society"),
        ("خيرية", "charitable"),
        ("خيري", "charitable"),
        ("صندوق", "fund"),
        ("بنیاد", "foundation"),
        ("سازمان", "organization"),
        ("منظمة", "organization"),
        ("دانشگاه", "university"),
        ("جامعة", "university"),
        ("صنایع", "industries"),
        ("لمتد", "ltd"),
        ("لمیتد", "ltd"),
        ("او", "and"),
        ("و", "and"),
    ];
    let found = TERMS.iter().find(|(term, _)| term.chars().eq(word.iter().copied()));
    found.map_or("", |(_, written)| written)
}

/// Length of the Arabic article in UTF-8, in bytes.
pub const ARTICLE_BYTES: usize = 4;

/// A word with its article: the term that it is, else the two as one word, as in `Lazhar`; before a letter that takes
/// the article's place, as in `Essid`, without its `l`.
pub fn with_article(word: &[char], rest: &[char], out: &mut Vec<u8>) {
    let term = term(rest);
    if !term.is_empty() {
        out.extend_from_slice(term.as_bytes());
        return;
    }
    let start = out.len();
    letters(word, out);
    if out.get(start + 2).is_some_and(|letter| b"TDRSZ#$VN".contains(letter)) {
        out.remove(start + 1);
    }
}

/// Returns the word without the Arabic article; `None` if it has no article or the rest is too short.
pub fn without_article(word: &[char]) -> Option<&[char]> {
    match word {
        ['ا', 'ل', rest @ ..] if rest.len() >= 3 || (rest.len() == 2 && rest[0] != 'ل') => Some(rest),
        _ => None,
    }
}
