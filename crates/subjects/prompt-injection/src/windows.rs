//! The parts of a text that are scored.

use std::ops::Range;

/// The lengths of windows, in characters: about a sentence, and about a paragraph.
pub const LENGTHS: [usize; 2] = [120, 300];
/// Windows of one length that begin within it.
const OVERLAP: usize = 4;

/// The windows of a text of so many characters, in a fixed order: for each of the [`LENGTHS`] overlapping windows from the
/// start to the end. A text that is no longer than a window is one window.
#[must_use]
pub fn windows(characters: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for length in LENGTHS {
        if characters <= length {
            found.push(0..characters);
            break;
        }
        let stride = length / OVERLAP;
        for end in (length..characters).step_by(stride).chain([characters]) {
            found.push(end - length..end);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_the_text_and_end_with_it() {
        for characters in [1, 119, 120, 121, 300, 301, 1000] {
            let found = windows(characters);
            assert!(found.iter().any(|window| window.start == 0), "{characters}");
            assert!(found.iter().any(|window| window.end == characters), "{characters}");
            let mut covered = vec![false; characters];
            found.iter().for_each(|window| covered[window.clone()].fill(true));
            assert!(covered.iter().all(|is_covered| *is_covered), "{characters}");
        }
        assert!(windows(100).iter().eq(&[Range { start: 0, end: 100 }]));
        assert!(windows(262_144).len() < 15_000);
    }
}
