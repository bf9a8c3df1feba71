//! Character references (HTML, section "Named character references"): decimal, hexadecimal, and the frequent names.

/// Longest reference that is read, in bytes.
const MAX_LENGTH: usize = 32;

/// Names whose characters are no letters.
const NAMES: &[(&str, char)] = &[
    ("AMP", '&'),
    ("GT", '>'),
    ("LT", '<'),
    ("NewLine", '\n'),
    ("NoBreak", '\u{2060}'),
    ("QUOT", '"'),
    ("Tab", '\t'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("bull", '•'),
    ("cent", '¢'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("copy", '©'),
    ("dash", '‐'),
    ("deg", '°'),
    ("dollar", '$'),
    ("emsp", '\u{2003}'),
    ("ensp", '\u{2002}'),
    ("equals", '='),
    ("euro", '€'),
    ("excl", '!'),
    ("fjlig", 'j'),
    ("grave", '`'),
    ("gt", '>'),
    ("hairsp", '\u{200a}'),
    ("hellip", '…'),
    ("hyphen", '‐'),
    ("iexcl", '¡'),
    ("iquest", '¿'),
    ("laquo", '«'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("ldquo", '“'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lrm", '\u{200e}'),
    ("lsqb", '['),
    ("lsquo", '‘'),
    ("lt", '<'),
    ("mdash", '—'),
    ("middot", '·'),
    ("nbsp", '\u{a0}'),
    ("ndash", '–'),
    ("num", '#'),
    ("para", '¶'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("pound", '£'),
    ("quest", '?'),
    ("quot", '"'),
    ("raquo", '»'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rdquo", '”'),
    ("reg", '®'),
    ("rlm", '\u{200f}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("rsquo", '’'),
    ("sect", '§'),
    ("semi", ';'),
    ("shy", '\u{ad}'),
    ("sol", '/'),
    ("thinsp", '\u{2009}'),
    ("times", '×'),
    ("trade", '™'),
    ("verbar", '|'),
    ("vert", '|'),
    ("yen", '¥'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("szlig", 'ß'),
    ("imath", 'ı'),
    ("inodot", 'ı'),
    ("aelig", 'æ'),
    ("AElig", 'Æ'),
    ("oslash", 'ø'),
    ("Oslash", 'Ø'),
    ("aring", 'å'),
    ("Aring", 'Å'),
    ("ccedil", 'ç'),
    ("Ccedil", 'Ç'),
    ("ntilde", 'ñ'),
    ("Ntilde", 'Ñ'),
    ("atilde", 'ã'),
    ("Atilde", 'Ã'),
    ("otilde", 'õ'),
    ("Otilde", 'Õ'),
    ("eth", 'ð'),
    ("ETH", 'Ð'),
    ("thorn", 'þ'),
    ("THORN", 'Þ'),
    ("oelig", 'œ'),
    ("OElig", 'Œ'),
    ("scaron", 'š'),
    ("Scaron", 'Š'),
    ("alpha", 'α'),
    ("Alpha", 'Α'),
    ("epsi", 'ε'),
    ("epsilon", 'ε'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("nu", 'ν'),
    ("omicron", 'ο'),
    ("Omicron", 'Ο'),
    ("rho", 'ρ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("upsi", 'υ'),
    ("chi", 'χ'),
    ("acy", 'а'),
    ("Acy", 'А'),
    ("iecy", 'е'),
    ("ocy", 'о'),
    ("Ocy", 'О'),
    ("rcy", 'р'),
    ("scy", 'с'),
    ("khcy", 'х'),
    ("ucy", 'у'),
    ("iukcy", 'і'),
    ("jsercy", 'ј'),
    ("dscy", 'ѕ'),
];

/// Accents by their ending: the vowel before it bears the mark.
const ACCENTS: [(&str, char); 4] =
    [("acute", '\u{301}'), ("grave", '\u{300}'), ("circ", '\u{302}'), ("uml", '\u{308}')];

/// Mathematical letters by their ending.
const ALPHABETS: [&str; 3] = ["opf", "scr", "fr"];

/// The character of the reference at the start of some text that begins with `&`, and the reference's length. A named
/// one must end with a semicolon; a numeric one may lack it.
pub(crate) fn reference(text: &str) -> Option<(char, usize)> {
    let bytes = &text.as_bytes()[..text.len().min(MAX_LENGTH)];
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes);
    }
    let letters = bytes[1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    (bytes.get(1 + letters) == Some(&b';')).then_some(())?;
    let name = &text[1..1 + letters];
    named(name).map(|character| (character, letters + 2))
}

fn numeric(bytes: &[u8]) -> Option<(char, usize)> {
    let (start, radix) = if matches!(bytes.get(2), Some(b'x' | b'X')) { (3, 16) } else { (2, 10) };
    let digits = bytes[start..].iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let mut code = 0_u32;
    for digit in &bytes[start..start + digits] {
        code = code.saturating_mul(radix).saturating_add(char::from(*digit).to_digit(radix)?);
    }
    let end = start + digits;
    let length = end + usize::from(bytes.get(end) == Some(&b';'));
    let character = char::from_u32(code).filter(|character| *character != '\0')?;
    (digits > 0).then_some((character, length))
}

fn named(name: &str) -> Option<char> {
    if let Some((_, character)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*character);
    }
    let letter = char::from(*name.as_bytes().first()?);
    let ending = &name[1..];
    if ALPHABETS.contains(&ending) {
        return Some(letter);
    }
    let (_, mark) = ACCENTS.iter().find(|(known, _)| *known == ending)?;
    unicode_normalization::char::compose(letter, *mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_by_number_and_by_name() {
        assert_eq!(reference("&#105;x"), Some(('i', 6)));
        assert_eq!(reference("&#x69;"), Some(('i', 6)));
        assert_eq!(reference("&#X069 "), Some(('i', 6)));
        assert_eq!(reference("&#000000000000000000105;"), Some(('i', 24)));
        assert_eq!(reference("&lt;b"), Some(('<', 4)));
        assert_eq!(reference("&eacute;"), Some(('é', 8)));
        assert_eq!(reference("&iopf;"), Some(('i', 6)));
        for text in ["&", "&#", "&#;", "&#x;", "&lt", "&nosuchname;", "& lt;", "&#1114112;", "&#0;", "&éa;"]
        {
            assert_eq!(reference(text), None, "{text}");
        }
    }
}
