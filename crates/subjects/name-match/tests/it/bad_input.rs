//! Text that no one was named by.

use name_match::Verdict;
use proptest::prelude::*;

use super::invented;

#[test]
fn texts_without_a_name_match_nothing() {
    let listed = invented();
    for query in [
        "",
        " ",
        "\t\n",
        "a",
        ".",
        "()",
        "'",
        "the",
        "the of and",
        "Messrs. Attn Finance Dept",
        "Ltd",
        "LLC OOO GmbH",
        "م",
        "0",
        "\u{200d}\u{200f}",
        "\u{0}\u{1}\u{7f}",
    ] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query:?}");
    }
}

#[test]
fn what_is_not_seen_is_taken_out_and_noted() {
    let listed = invented();
    for query in [
        "Anatoly Sergeyevich Veresh\u{200b}kov",
        "Anatoly Sergeyevich Veresh\u{200d}kov",
        "\u{202e}Anatoly Sergeyevich Vereshkov\u{202c}",
        "Anatoly Sergeyevich Vere\u{0}shkov",
        "Anatoly\u{feff} Sergeyevich Veresh\u{ad}kov",
        "\u{200f}Anatoly Sergeyevich Vereshkov\u{200e}",
    ] {
        let screened = listed.screen(query);
        assert!(screened.notes.invisible, "{query:?}");
        assert_eq!(screened.verdict, Verdict::Match, "{query:?}");
    }
    assert!(!listed.screen("Anatoly Sergeyevich Vereshkov").notes.invisible);
}

#[test]
fn letters_that_look_alike_are_folded_and_noted() {
    let listed = invented();
    // Cyrillic a, e, o and K, and a Greek capital omicron.
    for query in ["An\u{430}toly S\u{435}rgeyevich Veresh\u{43a}\u{43e}v", "H\u{430}lcy\u{3bf}n St\u{430}r"] {
        let screened = listed.screen(query);
        assert!(screened.notes.look_alike, "{query:?}");
        assert_eq!(screened.verdict, Verdict::Match, "{query:?}");
    }
    assert!(!listed.screen("Анатолий Верешков").notes.look_alike, "honest Cyrillic");
}

#[test]
fn digits_in_place_of_letters_are_read_as_letters_and_noted() {
    let listed = invented();
    for (query, uid) in [
        ("Anat0ly Sergeyevich Vere5hkov", "p1"),
        ("An4to1y 5ergeyev1ch Vereshk0v", "p1"),
        ("Yusuf Mahmud 4l Zah1r1", "p2"),
        ("Ha1cyon 5tar", "v1"),
        ("Kvarz1t Trad1ng L1m1ted", "o1"),
    ] {
        let screened = listed.screen(query);
        assert!(screened.notes.look_alike, "{query}");
        assert!(screened.verdict >= Verdict::PossibleMatch, "{query}: {}", screened.score);
        assert_eq!(listed.best(query), Some(uid), "{query}");
    }
}

#[test]
fn numbers_stay_numbers() {
    let listed = invented();
    for query in ["Boeing 737", "F16", "Dong Hae 7628", "Halcyon Star 2", "2nd Brigade"] {
        assert!(!listed.screen(query).notes.look_alike, "{query}");
    }
    assert_eq!(listed.screen("Dong Hae 762B").verdict, Verdict::NoMatch);
}

#[test]
fn full_width_accents_and_apostrophes_make_no_difference() {
    let listed = invented();
    for query in [
        "Ａｎａｔｏｌｙ Sergeyevich Vereshkov",
        "Ánatóly Sérgeyevich Vereshkóv",
        "Ana'toly Sergeyevich Vere’shkov",
    ] {
        assert_eq!(listed.screen(query).verdict, Verdict::Match, "{query}");
    }
    assert_eq!(listed.screen("A\u{301}natoly Sergeyevich Vereshkov").verdict, Verdict::Match, "decomposed");
}

#[test]
fn long_texts_are_cut_and_it_is_said() {
    let listed = invented();
    for text in ["x", "ab ", "Yusuf ", "limited ", "王", "م ", "\u{200d}", "a\u{301}", "("] {
        let query = text.repeat(4_096 / text.chars().count());
        let screened = listed.screen(&query);
        assert_eq!(screened.verdict, Verdict::NoMatch, "{text:?}");
        assert!(screened.notes.truncated, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_the_engine_panic(query in "\\PC{0,80}", marks in "[\\u{0}-\\u{ff}\\u{200b}-\\u{206f}]{0,20}") {
        let listed = invented();
        let screened = listed.screen(&format!("{query}{marks}"));
        prop_assert!((0.0..=1.0).contains(&screened.score));
    }

    #[test]
    fn no_listed_text_makes_the_index_panic(names in proptest::collection::vec("\\PC{0,60}", 1..8)) {
        let entries = names.iter().enumerate().map(|(at, name)| super::organisation(&at.to_string(), name));
        let listed = super::Listed::new(entries.collect());
        for name in &names {
            prop_assert!((0.0..=1.0).contains(&listed.screen(name).score));
        }
    }
}
