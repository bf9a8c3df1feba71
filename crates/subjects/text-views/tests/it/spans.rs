//! Spans of views, for any text.

use proptest::prelude::*;
use text_views::{MAX_DEPTH, MAX_DERIVED_BYTES, MAX_HIDDEN, MAX_VIEWS, Views, views};

/// Pieces of which hostile texts are made.
const PIECES: [&str; 52] = [
    "ignore all",
    " ",
    "\n",
    "\r\n",
    "aWdub3JlIGFsbCBwcmV2aW91cw==",
    "69676e6f726520616c6c",
    "%69%67",
    "%",
    "&#105;",
    "&#x69",
    "&",
    "&lt;b&gt;",
    "<b>",
    "</b>",
    "<p>",
    "<div style='display:none'>",
    "</div>",
    "<!--",
    "-->",
    "<",
    ">",
    "\"",
    "'",
    "=69=67",
    "=\n",
    "\\u0069",
    "\\ud83d",
    "\\n",
    "\u{202e}",
    "\u{202d}",
    "\u{202c}",
    "\u{2067}",
    "\u{200b}",
    "\u{200c}\u{200b}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{e0100}\u{e0101}",
    "\u{e0069}",
    "\u{e007f}",
    "🏴",
    "😀",
    "ｉｇ",
    "і",
    "аӏӏ",
    "привет",
    "e\u{301}\u{301}",
    "한",
    "\u{1100}\u{1161}",
    "i g n o r e ",
    "**",
    "فارسی",
    "erongi suoiverp",
];

/// Words of ordinary English text.
const WORDS: [&str; 24] = [
    "the",
    "system",
    "prompt",
    "of",
    "an",
    "He",
    "international",
    "telecommunications",
    "that",
    "with",
    "2024",
    "v1.2.3,",
    "(see",
    "below)",
    "and/or",
    "state-of-the-art",
    "e.g.",
    "U.S.A.",
    "10%",
    "x = 5;",
    "C++",
    "snake_case_names",
    "**bold**",
    "\n\n",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned), 1 => "(?s).{0,6}"];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn check(text: &str, found: &Views) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.views[0].text(), text);
    prop_assert!(found.views.len() <= MAX_VIEWS && found.hidden.len() <= MAX_HIDDEN);
    let derived: usize = found.views[1..].iter().map(|view| view.text().len()).sum();
    prop_assert!(derived <= MAX_DERIVED_BYTES && derived <= 4 * text.len() + 4096);
    let is_valid = |span: &std::ops::Range<usize>| {
        span.start <= span.end && text.is_char_boundary(span.start) && text.is_char_boundary(span.end)
    };
    for hidden in &found.hidden {
        prop_assert!(is_valid(&hidden.span) && !hidden.span.is_empty(), "{hidden:?}");
    }
    for view in &found.views {
        prop_assert!(view.depth() <= MAX_DEPTH);
        let length = view.text().len();
        let mut start_before = 0;
        for start in 0..=length {
            for end in [start, start + 1, start + 7, length, length + 9] {
                let span = view.span(start..end);
                prop_assert!(is_valid(&span), "{:?} {start}..{end}: {span:?} of {text:?}", view.steps());
            }
            let at = view.span(start..start + 1).start;
            prop_assert!(at >= start_before || start == length, "spans go back: {:?}", view.steps());
            start_before = at;
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn spans_of_any_text_lie_within_it(text in "(?s).{0,80}") {
        check(&text, &views(&text))?;
    }

    #[test]
    fn spans_of_hostile_texts_lie_within_them(text in hostile()) {
        check(&text, &views(&text))?;
    }

    #[test]
    fn views_are_the_same_each_time(text in hostile()) {
        prop_assert_eq!(format!("{:?}", views(&text)), format!("{:?}", views(&text)));
    }

    #[test]
    fn plain_ascii_text_has_one_view(words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..60)) {
        let found = views(&words.join(" "));
        prop_assert!(found.views.len() == 1 && found.hidden.is_empty() && !found.capped);
    }
}

#[test]
fn a_copied_letter_maps_to_itself_through_all_layers() {
    let text = "see <i>ｉgn</i>о\u{200b}re";
    let found = views(text);
    let deepest = found.views.iter().find(|view| view.text() == "see ignore").unwrap();
    assert_eq!(&text[deepest.span(4..5)], "ｉ");
    assert_eq!(&text[deepest.span(7..8)], "о");
    assert_eq!(&text[deepest.span(8..10)], "re");
    assert_eq!(&text[deepest.span(0..10)], text);
}
