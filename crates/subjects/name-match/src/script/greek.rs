//! Greek, after ELOT 743.

/// Writes the romanisation of a word. `plain` returns a letter in lower case without accents.
pub fn romanise(word: &[char], plain: impl Fn(char) -> char, out: &mut Vec<u8>) {
    let plain = |at: usize| word.get(at).map(|letter| plain(*letter));
    let mut at = 0;
    while let Some(first) = plain(at) {
        let pair = match (first, plain(at + 1)) {
            ('ο', Some('υ')) => Some("ou"),
            ('α', Some('υ')) => Some("av"),
            ('ε', Some('υ')) => Some("ev"),
            ('μ', Some('π')) => Some(if at == 0 { "b" } else { "mp" }),
            ('ν', Some('τ')) if at == 0 => Some("d"),
            ('γ', Some('κ')) => Some("gk"),
            ('γ', Some('γ')) => Some("ng"),
            ('α' | 'ο' | 'ε', Some('ι')) => Some(match first {
                'α' => "ai",
                'ο' => "oi",
                _ => "ei",
            }),
            _ => None,
        };
        out.extend_from_slice(pair.unwrap_or_else(|| letter(first)).as_bytes());
        at += if pair.is_some() { 2 } else { 1 };
    }
}

fn letter(letter: char) -> &'static str {
    match letter {
        'α' => "a",
        'β' => "v",
        'γ' => "g",
        'δ' => "d",
        'ε' => "e",
        'ζ' => "z",
        'η' | 'ι' => "i",
        'θ' => "th",
        'κ' => "k",
        'λ' => "l",
        'μ' => "m",
        'ν' => "n",
        'ξ' => "x",
        'ο' | 'ω' => "o",
        'π' => "p",
        'ρ' => "r",
        'σ' | 'ς' => "s",
        'τ' => "t",
        'υ' => "y",
        'φ' => "f",
        'χ' => "ch",
        'ψ' => "ps",
        _ => "",
    }
}
