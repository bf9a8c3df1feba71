//! Folding: the form of a word that its customary spellings share.

/// Writes the folded form of a word into `out`, in which common spelling variants are equal: `kh` and `h`, `sh` and
/// `sch`, `ou` and `u`, `iy`, `ii`, `ij` and `y`, double and single letters. Vowels are kept in three classes.
///
/// Folded forms are only compared with each other. A word with other characters than lower-case ASCII letters is
/// copied.
pub fn fold(word: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if !word.iter().all(u8::is_ascii_lowercase) {
        out.extend_from_slice(word);
        return;
    }
    let mut at = 0;
    while at < word.len() {
        if is_vowel(word[at]) || (word[at] == b'j' && is_glide(word, at)) {
            let end = run_end(word, at);
            vowels(&word[at..end], at == 0, out);
            at = end;
            continue;
        }
        let (class, taken) = consonant(&word[at..], at + 1 == word.len());
        let silent = class == b"h" && taken == 1 && at + taken == word.len() && out.len() > 1;
        if !silent {
            for letter in class {
                if out.last() != Some(letter) {
                    out.push(*letter);
                }
            }
        }
        at += taken;
    }
    if out.is_empty() {
        out.extend_from_slice(word);
    }
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Tests that the `j` at this position is a Slavic or German glide (English `y`), not an English `j`.
fn is_glide(word: &[u8], at: usize) -> bool {
    let before_vowel = word.get(at + 1).copied().is_some_and(is_vowel);
    at > 0 && !before_vowel
}

fn run_end(word: &[u8], start: usize) -> usize {
    let mut end = start + 1;
    while end < word.len() && (is_vowel(word[end]) || (word[end] == b'j' && is_glide(word, end))) {
        end += 1;
    }
    end
}

/// One run of vowels and glides: the class of its sound.
fn vowels(run: &[u8], initial: bool, out: &mut Vec<u8>) {
    let has = |letters: &[u8]| run.iter().any(|letter| letters.contains(letter));
    let ends = |letters: &[u8]| run.last().is_some_and(|letter| letters.contains(letter));
    if has(b"ou") {
        if has(b"a") && !initial {
            out.push(b'a');
        }
        out.push(b'u');
    } else if has(b"a") {
        match (has(b"eiyj"), ends(b"a")) {
            (false, _) => out.push(b'a'),
            (true, true) if initial => out.push(b'a'),
            (true, true) => out.extend_from_slice(b"ia"),
            (true, false) => out.push(b'i'),
        }
    } else {
        out.push(b'i');
    }
}

/// The class of the consonant or digraph that `rest` begins with, and how many letters it takes.
fn consonant(rest: &[u8], last: bool) -> (&'static [u8], usize) {
    const GROUPS: &[(&[u8], &[u8])] = &[
        (b"shch", b"x"),
        (b"tsch", b"c"),
        (b"sch", b"x"),
        (b"tch", b"c"),
        (b"dzh", b"j"),
        (b"sh", b"x"),
        (b"ch", b"c"),
        (b"cz", b"c"),
        (b"ck", b"k"),
        (b"zh", b"j"),
        (b"dj", b"j"),
        (b"kh", b"h"),
        (b"gh", b"g"),
        (b"th", b"t"),
        (b"dh", b"d"),
        (b"ph", b"f"),
        (b"tz", b"ts"),
        (b"q", b"k"),
        (b"x", b"ks"),
        (b"w", b"v"),
    ];
    if let Some((from, to)) = GROUPS.iter().find(|(from, _)| rest.starts_with(from)) {
        return (to, from.len());
    }
    match (rest[0], rest.get(1)) {
        (b'c', Some(b'e' | b'i' | b'y')) => (b"s", 1),
        (b'c', _) => (b"k", 1),
        (b'z', _) if last => (b"s", 1),
        (b'z', Some(b'q')) => (b"s", 1),
        (letter, _) => (single(letter), 1),
    }
}

fn single(letter: u8) -> &'static [u8] {
    const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
    let at = usize::from(letter.wrapping_sub(b'a')).min(25);
    &LETTERS[at..=at]
}

#[cfg(test)]
mod tests {
    use super::fold;

    fn folded(word: &str) -> String {
        let mut out = Vec::new();
        fold(word.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn customary_spellings_of_one_name_fold_together() {
        for group in [
            &["sergey", "sergei", "sergej"][..],
            &["dmitry", "dmitri", "dmitriy", "dmitrii", "dmitrij"],
            &["yousuf", "yusuf", "youssuf", "yussuf"],
            &["valeriyevich", "valeryevich", "valerievich"],
            &["aleksandr", "alexandr"],
            &["natalia", "natalya", "nataliya"],
            &["khalid", "halid"],
            &["vazquez", "vasquez"],
            &["abdallah", "abdalla"],
        ] {
            for word in group {
                assert_eq!(folded(word), folded(group[0]), "{word}");
            }
        }
    }

    #[test]
    fn different_names_stay_apart() {
        for (a, b) in [("ivan", "igor"), ("hasan", "hamid"), ("marco", "mario"), ("ali", "alan")] {
            assert_ne!(folded(a), folded(b));
        }
    }
}
