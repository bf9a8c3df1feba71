//! The work of searches that look ahead, counted in tests, which show by it that the work is linear.

/// Counts bytes or items that a search has looked at. It does nothing outside of tests.
#[cfg(not(test))]
#[inline]
pub(crate) const fn note(_: usize) {}

#[cfg(test)]
pub(crate) use tests::note;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::views;

    thread_local! {
        static WORK: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn note(amount: usize) {
        WORK.set(WORK.get() + amount);
    }

    /// Pieces whose repetition makes a search look far ahead, or many times at the same bytes.
    const PIECES: [&str; 48] = [
        "a",
        " ",
        "<",
        "<a ",
        "<a b=\"",
        "<a b='\"",
        "<a b=\" ",
        "<a>",
        "</a>",
        "<div>",
        "<a><b></a>",
        "<p hidden>x",
        "<!--",
        "<!-- -->",
        "<!a",
        "<?a",
        "<![CDATA[",
        "&",
        "&#",
        "&#x",
        "&aaaa",
        "&#60;b&#62;",
        "%",
        "%69",
        "%2569",
        "%f0%9f",
        "\\",
        "\\u0069",
        "\\ud83d",
        "=\n",
        "=69",
        "69",
        "69 ",
        "0x69,",
        "aaaa ",
        "aWdub3JlIGFsbCBv\n",
        "aWdub3JlIGFsbCBv=",
        "aaaaaaaaaaaaaaaaa/",
        "a*b*",
        "*",
        "a ",
        "\u{202e}a",
        "\u{202e}a\u{202c}",
        "\u{202d}",
        "\u{200b}\u{200c}",
        "\u{e0069}",
        "e\u{301}\u{316}",
        "\u{301}",
    ];

    /// Bytes and items that were looked at for a text of repeated pieces, and the bytes of its views.
    fn work(piece: &str, bytes: usize) -> (usize, usize) {
        WORK.set(0);
        let found = views(&piece.repeat(bytes / piece.len()));
        (WORK.get(), found.views.iter().map(|view| view.text().len()).sum())
    }

    #[test]
    fn searches_look_at_each_byte_a_bounded_number_of_times() {
        for piece in PIECES {
            for bytes in [1 << 12, 1 << 15] {
                let (work, viewed) = work(piece, bytes);
                assert!(work <= 16 * viewed + 256, "{piece:?}: {work} for {viewed} bytes of views");
            }
        }
    }

    #[test]
    fn a_text_of_twice_the_length_takes_twice_the_work() {
        for piece in PIECES {
            let (once, _) = work(piece, 1 << 15);
            let (twice, _) = work(piece, 1 << 16);
            assert!(10 * twice <= 25 * once + 4096, "{piece:?}: {once}, then {twice}");
        }
    }
}
