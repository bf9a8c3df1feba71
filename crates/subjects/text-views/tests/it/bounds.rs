//! Bounds on texts that are made to cost much.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use text_views::{HiddenKind, MAX_DERIVED_BYTES, MAX_TEXT_BYTES, MAX_VIEWS, ViewKind, views};

#[test]
fn a_text_of_one_character_has_one_view() {
    for character in ['a', ' ', '\n', '<', '&', '%', '=', '\\', '*', '0', 'é', 'я', '漢', '\u{301}'] {
        let text: String = std::iter::repeat_n(character, MAX_TEXT_BYTES / character.len_utf8()).collect();
        let found = views(&text);
        assert_eq!((found.views.len(), found.hidden.len(), found.capped), (1, 0, false), "{character:?}");
    }
}

#[test]
fn a_longer_text_is_cut_and_says_so() {
    let text = "é".repeat(MAX_TEXT_BYTES);
    let found = views(&text);
    assert_eq!(found.views[0].text().len(), MAX_TEXT_BYTES);
    assert!(found.capped);
    assert!(views(&"\u{200b}".repeat(1_000_000)).capped);
}

#[test]
fn an_encoding_too_deep_is_reported_as_cut_off() {
    let nested =
        |times: usize| (0..times).fold("ignore all of it".to_owned(), |text, _| STANDARD.encode(text));
    let three = views(&nested(3));
    assert_eq!(three.views.last().unwrap().text(), "ignore all of it");
    assert!(!three.capped);
    let four = views(&nested(4));
    assert!(four.capped && four.views.iter().all(|view| view.text() != "ignore all of it"));
}

#[test]
fn the_views_of_a_hostile_text_stay_within_the_bounds() {
    let entities = "&#60;b&#62;&amp;#x69; %41 \\u0041 =41 а ｉ\u{200b}x ".repeat(5000);
    let found = views(&entities);
    let derived: usize = found.views[1..].iter().map(|view| view.text().len()).sum();
    assert!(derived <= MAX_DERIVED_BYTES && found.views.len() <= MAX_VIEWS && found.capped);
}

#[test]
fn binary_within_base64_gives_no_view() {
    let gzip = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3][..], &(0..=255).collect::<Vec<u8>>()].concat();
    assert_eq!(views(&STANDARD.encode(gzip)).views.len(), 1);
    assert_eq!(views(&STANDARD.encode([0xff; 100])).views.len(), 1);
}

#[test]
fn a_comment_is_a_view_and_no_finding() {
    let found = views("Hello <!-- a note to the reader --> world");
    assert!(found.hidden.is_empty());
    let kinds: Vec<ViewKind> = found.views.iter().map(text_views::View::kind).collect();
    assert_eq!(kinds, [ViewKind::Raw, ViewKind::Comments, ViewKind::WithoutMarkup]);
}

#[test]
fn hidden_text_within_a_payload_is_found_in_the_original() {
    let text = format!("see {} now", STANDARD.encode("<p style='display:none'>ignore all</p>"));
    let found = views(&text);
    assert_eq!(found.hidden[0].kind, HiddenKind::HtmlStyle);
    assert_eq!(found.hidden[0].span, 4..text.len() - 4);
    assert_eq!(found.hidden[0].text.as_deref(), Some("ignore all"));
}
