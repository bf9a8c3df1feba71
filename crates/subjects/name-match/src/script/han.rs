//! Chinese characters, read in Mandarin.

/// Returns the reading of a character in Hanyu Pinyin without tones, capitalised as `any_ascii` returns it. The first
/// character of a name is its surname, and some characters have another reading there.
pub fn pinyin(character: char, is_surname: bool) -> &'static str {
    let surname = match character {
        '曾' => "Zeng",
        '单' | '單' => "Shan",
        '解' => "Xie",
        '仇' => "Qiu",
        '区' | '區' => "Ou",
        '查' => "Zha",
        '朴' => "Piao",
        '任' => "Ren",
        '华' | '華' => "Hua",
        '盖' | '蓋' => "Ge",
        '翟' => "Zhai",
        '尹' => "Yin",
        _ => "",
    };
    if is_surname && !surname.is_empty() { surname } else { any_ascii::any_ascii_char(character) }
}

/// The most letters of a syllable; the longest are `chuang`, `shuang` and `zhuang`.
const LONGEST: usize = 8;

/// Writes the syllable in Wade-Giles without marks, as names from Taiwan are written.
pub fn wade_giles(pinyin: &str, out: &mut Vec<u8>) {
    let mut letters = [0; LONGEST];
    letters.iter_mut().zip(pinyin.bytes()).for_each(|(to, letter)| *to = letter.to_ascii_lowercase());
    let pinyin = &letters[..pinyin.len().min(LONGEST)];
    const INITIALS: &[(&[u8], &[u8])] = &[
        (b"zh", b"ch"),
        (b"b", b"p"),
        (b"d", b"t"),
        (b"g", b"k"),
        (b"j", b"ch"),
        (b"q", b"ch"),
        (b"x", b"hs"),
        (b"z", b"ts"),
        (b"c", b"ts"),
        (b"r", b"j"),
    ];
    const FINALS: &[(&[u8], &[u8])] =
        &[(b"ong", b"ung"), (b"ian", b"ien"), (b"ie", b"ieh"), (b"ue", b"ueh"), (b"uo", b"o")];
    if pinyin.starts_with(b"ch") || pinyin.starts_with(b"sh") {
        out.extend_from_slice(pinyin);
        return;
    }
    let initial = INITIALS.iter().find(|(from, _)| pinyin.starts_with(from));
    let rest = initial.map_or(pinyin, |(from, to)| {
        out.extend_from_slice(to);
        &pinyin[from.len()..]
    });
    match FINALS.iter().find(|(from, _)| rest.ends_with(from)) {
        Some((from, to)) => {
            out.extend_from_slice(&rest[..rest.len() - from.len()]);
            out.extend_from_slice(to);
        }
        None => out.extend_from_slice(rest),
    }
}
