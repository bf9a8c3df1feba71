//! Normalisation of text in the file formats.

/// One line: controls and runs of white space become one space, none at the ends.
pub(super) fn clean(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Cleaned text, or `None` where it is empty.
pub(super) fn some(text: &str) -> Option<Box<str>> {
    let line = clean(text);
    (!line.is_empty()).then(|| line.into())
}

/// A name from its parts, `LAST, First`.
pub(super) fn last_first(last: &str, first: &str) -> String {
    let (last, first) = (clean(last), clean(first));
    match (last.is_empty(), first.is_empty()) {
        (false, false) => format!("{last}, {first}"),
        (true, _) => first,
        (_, true) => last,
    }
}

/// Several parts of an address on one line.
pub(super) fn line<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<String> = parts.into_iter().map(clean).filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// The values of a cell that numbers or letters them: `(1) A-1234 (2) M45`. Text before the first mark is a value too.
/// `is_mark` says which words in brackets are marks; they are not empty.
pub(super) fn marked(cell: &str, is_mark: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let after_mark = |part| {
        let (mark, rest) = str::strip_prefix(part, '(')?.split_once(')')?;
        (!mark.is_empty() && is_mark(mark)).then_some(rest)
    };
    let mut starts = vec![0];
    starts.extend(cell.match_indices('(').map(|(at, _)| at).filter(|at| after_mark(&cell[*at..]).is_some()));
    starts.dedup();
    let ends = starts[1..].iter().copied().chain([cell.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| &cell[*start..end]);
    let values: Vec<&str> = parts.map(|part| after_mark(part).unwrap_or(part).trim()).collect();
    values.into_iter()
}

/// Tests that the text has a letter of a script other than Latin.
pub(super) fn original_script(text: &str) -> bool {
    text.chars().any(|c| c.is_alphabetic() && !is_latin(c))
}

/// Unicode's blocks of Latin letters, and the modifier letters that romanisations use.
fn is_latin(c: char) -> bool {
    matches!(
        u32::from(c),
        0..=0x02FF | 0x1D00..=0x1DBF | 0x1E00..=0x1EFF | 0x2071..=0x209C | 0x2C60..=0x2C7F
            | 0xA720..=0xA7FF | 0xAB30..=0xAB6F | 0xFB00..=0xFB06 | 0xFF21..=0xFF5A
    )
}
