//! Names that say nothing word by word: of single letters, of legal forms alone.

use name_match::{NameContent, Scratch, Verdict, compare, name_content};
use proptest::prelude::*;
use watchlist::{EntityKind, Quality};

use super::{also, organisation, person, vessel};
use crate::Listed;

fn listed() -> Listed {
    Listed::new(vec![
        vessel("kma", "K M A"),
        vessel("mka", "M K A"),
        organisation("tdg", "T.D.G."),
        organisation("icic", "I.C.I.C. KFT."),
        organisation("itc", "LIMITED LIABILITY COMPANY I T C"),
        organisation("yas", "Y.A.S. CO LTD."),
        organisation("saseu", "S.A.S. E.U."),
        also(organisation("spc", "HALVORSEN SPECIAL PRODUCTS"), "SPC", Quality::Weak),
        also(organisation("pte", "ZVEZDNY TRADING HOUSE"), "PTE OOO", Quality::Strong),
        also(person("mro", "MAGALLON, Ruben"), "DOCTOR M.R.O.", Quality::Weak),
        also(person("o", "OYARZUN, Celso"), "Mr. O", Quality::Weak),
        organisation("filler", "KMB TRADING COMPANY LIMITED"),
    ])
}

#[test]
fn a_name_of_single_letters_is_found_however_they_are_set() {
    let listed = listed();
    for (query, uid) in [
        ("K M A", "kma"),
        ("KMA", "kma"),
        ("k.m.a.", "kma"),
        ("M/V K M A", "kma"),
        ("M K A", "mka"),
        ("T.D.G.", "tdg"),
        ("TDG Ltd", "tdg"),
        ("I.C.I.C.", "icic"),
        ("ICIC LLC", "icic"),
        ("I T C", "itc"),
        ("OOO ITC", "itc"),
        ("Y.A.S. Co. Ltd.", "yas"),
        ("S.A.S. E.U.", "saseu"),
    ] {
        let screened = listed.screen(query);
        assert_eq!((screened.verdict, listed.best(query)), (Verdict::Match, Some(uid)), "{query}");
    }
}

#[test]
fn other_letters_are_another_name() {
    let listed = listed();
    for query in ["K M B", "A K", "T. G. D. X.", "Y Ltd", "T D", "I.C.I.", "K. M. Abramov"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn legal_forms_and_titles_alone_are_found_only_where_they_are_a_listed_name() {
    let listed = listed();
    for (query, uid, verdict) in [
        ("SPC", "spc", Verdict::PossibleMatch),
        ("PTE OOO", "pte", Verdict::Match),
        ("Doctor M.R.O.", "mro", Verdict::PossibleMatch),
        ("Mr. O", "o", Verdict::PossibleMatch),
    ] {
        let screened = listed.screen(query);
        let uids: Vec<_> = screened.hits.iter().map(|hit| &*listed.list.entries[hit.entry].uid).collect();
        assert_eq!((screened.verdict, uids.contains(&uid)), (verdict, true), "{query}: {uids:?}");
    }
    for query in
        ["OOO", "PJSC", "Limitada", "Aktiengesellschaft", "GmbH & Co KG", "SPC Ltd", "Dr.", "Company Limited"]
    {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn initials_of_persons_are_no_names() {
    let listed = Listed::new(vec![person("p", "KOVALENKO, Mikhail A."), person("q", "MORALES, Juan")]);
    for query in ["K M A", "M. J.", "J M"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn a_name_with_capitals_within_its_words_is_found_as_it_is_listed() {
    for name in ["\u{18800}A\u{2da0}aA\u{1fd6}", "AbcdEfghIjklMnopQrst", "IsmaelZambadaGarcia"] {
        let listed = Listed::new(vec![person("p", name), person("other", "MARKELOV, Denis")]);
        assert_eq!(listed.screen(name).verdict, Verdict::Match, "{name}");
    }
}

proptest! {
    #[test]
    fn what_is_a_name_is_found_where_it_is_listed(
        name in prop_oneof![
            "[A-Z0-9]( [A-Z0-9]){0,5}",
            "([A-Z]\\.){1,6}( (LTD|OOO|S\\.A\\.|GmbH|CO))?",
            "(the |of |and |al |de |mr |mv |attn |sa |co |x |y |7 |le |dat |haji ){1,5}",
            "\\PC{1,40}",
        ],
        kind in proptest::sample::select(vec![EntityKind::Person, EntityKind::Entity, EntityKind::Vessel]),
    ) {
        let screened = compare(&name, &name, kind, &mut Scratch::default());
        prop_assert!((0.0..=1.0).contains(&screened.score));
        if name_content(&name, Some(kind)) == NameContent::Name {
            prop_assert!(screened.verdict > Verdict::NoMatch, "{} {}", name, screened.score);
        }
    }
}
