//! What is the same name, and what is not.

use name_match::{ComparisonSide, IgnoredCategory, Scratch, Verdict, compare};
use watchlist::{EntityKind, Quality};

use super::{also, invented, organisation, person};
use crate::Listed;

#[test]
fn a_listed_name_is_a_match_in_any_order_and_case() {
    let listed = invented();
    for (query, uid) in [
        ("Anatoly Sergeyevich Vereshkov", "p1"),
        ("vereshkov anatoly sergeyevich", "p1"),
        ("Sergeyevich, VERESHKOV Anatoly", "p1"),
        ("Yusuf Mahmud Al Zahiri", "p2"),
        ("Rosalba Ines Quintero Mondragon", "p3"),
        ("Halcyon Star", "v1"),
        ("Nordhaven Shipping Company Limited", "o3"),
    ] {
        let screened = listed.screen(query);
        assert_eq!((screened.verdict, listed.best(query)), (Verdict::Match, Some(uid)), "{query}");
    }
}

#[test]
fn a_slip_a_left_out_name_and_an_initial_are_possible_matches_at_least() {
    let listed = invented();
    for (query, uid) in [
        ("Anatoly Vereshkov", "p1"),
        ("Anatoly Vereskhov", "p1"),
        ("Anatoly S. Vereshkov", "p1"),
        ("Rosalba Quintero", "p3"),
        ("Otto Gerhard Brandelmann", "p4"),
        ("Anatoly Sergeyevich Petrovich Vereshkov", "p1"),
        ("Kvarzit Tradign", "o1"),
    ] {
        let screened = listed.screen(query);
        assert!(screened.verdict >= Verdict::PossibleMatch, "{query}: {}", screened.score);
        assert_eq!(listed.best(query), Some(uid), "{query}");
    }
}

#[test]
fn what_is_put_around_a_listed_name_does_not_hide_it() {
    let listed = invented();
    for (query, uid) in [
        ("Banco Altamira de Inversiones Hamburg Branch Office", "o2"),
        ("Acme on behalf of Banco Altamira de Inversiones, Panama", "o2"),
        ("Please pay 500 USD to Anatoly Sergeyevich Vereshkov for consulting in May", "p1"),
        ("Anatoly Sergeyevich Vereshkov, Moscow, passport 123456789, born 1952", "p1"),
        ("Halcyon Star flag Panama ex Goldenray", "v1"),
        ("Wei Zhang / Yusuf Mahmud Al-Zahiri / Maria Lopez Perez", "p2"),
    ] {
        let screened = listed.screen(query);
        assert_eq!(
            (screened.verdict, listed.best(query)),
            (Verdict::PossibleMatch, Some(uid)),
            "{query}: {}",
            screened.score
        );
    }
    for query in [
        "Halcyon Tours and Silver Star Cruises",
        "Anatoly met Boris Vereshkov",
        "Trading Company Shipping Office",
        "Nordhaven Dental Practice and Panama Shipping",
    ] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn a_word_that_may_be_a_title_is_one_where_it_leads() {
    let listed = invented();
    for query in
        ["Seyyed Anatoly Vereshkov", "Haji Mullah Anatoly Vereshkov", "Gen. Sheikh Anatoly Vereshkov"]
    {
        assert_eq!(listed.best(query), Some("p1"), "{query}: {}", listed.screen(query).score);
    }
}

#[test]
fn letters_that_stand_apart_are_one_word() {
    let listed = invented();
    for (query, uid) in [
        ("A n a t o l y  S e r g e y e v i c h  V e r e s h k o v", "p1"),
        ("A.n.a.t.o.l.y S-e-r-g-e-y-e-v-i-c-h Vereshkov", "p1"),
        ("V e r e s h k o v, A n a t o l y Sergeyevich", "p1"),
        ("H a l c y o n S t a r", "v1"),
        ("K_v_a_r_z_i_t Trading", "o1"),
    ] {
        assert_eq!(listed.best(query), Some(uid), "{query}: {}", listed.screen(query).score);
    }
    let initials = Listed::new(vec![organisation("a", "A.B.C.D. KVARZIT"), organisation("b", "NORDHAVEN")]);
    for query in ["A.B.C.D. Kvarzit", "A B C D Kvarzit", "ABCD Kvarzit"] {
        assert_eq!(initials.screen(query).verdict, Verdict::Match, "{query}");
    }
}

#[test]
fn two_words_that_sound_like_a_listed_one_are_no_match() {
    let listed = Listed::new(vec![organisation("a", "HANLEY LIMITED"), organisation("b", "BLACKROCK")]);
    assert_ne!(listed.screen("Han Lei").verdict, Verdict::Match);
    assert_eq!(listed.screen("Black Rock").verdict, Verdict::PossibleMatch, "cut otherwise");
    let listed = Listed::new(vec![person("a", "GAO, Yan"), person("b", "PETRENKO, Anton")]);
    assert_eq!(listed.screen("Yang Hao").verdict, Verdict::NoMatch);
}

#[test]
fn a_common_name_is_a_match_only_letter_for_letter() {
    let listed = Listed::new(vec![
        person("1", "MUHAMMAD, Mustafa"),
        person("2", "IVANOV, Sergei"),
        person("3", "VERESHKOV, Anatoli Sergeyevich"),
        person("4", "KIM, Jong Un"),
    ]);
    for (query, uid, verdict) in [
        ("Mustafa Muhammad", "1", Verdict::Match),
        ("Mohamed Mustafa", "1", Verdict::PossibleMatch),
        ("Sergei Ivanov", "2", Verdict::Match),
        ("Сергей Иванов", "2", Verdict::PossibleMatch),
        ("Anatoly Sergeevich Vereshkov", "3", Verdict::Match),
        ("Анатолий Сергеевич Верешков", "3", Verdict::Match),
        ("Kim Jong Un", "4", Verdict::Match),
    ] {
        let screened = listed.screen(query);
        assert_eq!((screened.verdict, listed.best(query)), (verdict, Some(uid)), "{query}");
    }
    for query in ["Sergei Petrovich Ivanov", "Kim Jong Hun", "Mustafa Muhammad Ali Hassan"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn ways_to_write_a_listed_name_by_other_customs_are_found() {
    let listed = Listed::new(vec![
        person("kim", "KIM, Jong Un"),
        person("bout", "BOUT, Viktor Anatolijevitch"),
        person("chen", "CHEN, Quanguo"),
        person("sinwar", "SINWAR, Yahya"),
        person("prigozhin", "PRIGOZHIN, Yevgeniy Viktorovich"),
        person("zambada", "ZAMBADA GARCIA, Ismael"),
        person("dawood", "EBRAHIM, Dawood"),
        organisation("mahan", "MAHAN AIR"),
    ]);
    for (query, uid) in [
        ("Gim Jeong-eun", "kim"),
        ("Виктор Бут", "bout"),
        ("Viktor But", "bout"),
        ("Viktor&#32;Bout", "bout"),
        ("Viktor%20Bout", "bout"),
        ("Ch'en Ch'üan-kuo", "chen"),
        ("Jahja Sinwar", "sinwar"),
        ("Zhenya Prigozhin", "prigozhin"),
        ("Jewgeni Prigoschin", "prigozhin"),
        ("IsmaelZambadaGarcia", "zambada"),
        ("Ismael Zambada Garc&iacute;a", "zambada"),
        ("Daud Ibrahim", "dawood"),
        ("Mahan Airlines", "mahan"),
        ("Mahan Tehran Air", "mahan"),
    ] {
        let screened = listed.screen(query);
        assert!(screened.verdict >= Verdict::PossibleMatch, "{query}: {}", screened.score);
        assert_eq!(listed.best(query), Some(uid), "{query}");
    }
    assert!(listed.screen("Viktor%20Bout").notes.escapes && !listed.screen("Viktor Bout 100%").notes.escapes);
    for query in ["Jan Sinwarski", "George Kim", "Tehran Air", "Zhenya Petrov"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn a_shared_surname_with_another_given_name_is_no_match() {
    let listed = invented();
    for query in ["Boris Vereshkov", "Vereshkov", "Carmen Quintero Mondragon", "Hans Brandelmann"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn legal_forms_are_one_class_and_never_match_alone() {
    let listed = invented();
    for query in ["Kvarzit Trading OOO", "OOO Kvarzit Trading", "Kvarzit Trading", "Kvarzit Trading, L.L.C."]
    {
        assert_eq!(
            (listed.screen(query).verdict, listed.best(query)),
            (Verdict::Match, Some("o1")),
            "{query}"
        );
    }
    for query in ["Limited Liability Company", "CORP", "S.A.", "Company Limited", "Trading Company Ltd"] {
        assert_eq!(listed.screen(query).verdict, Verdict::NoMatch, "{query}");
    }
}

#[test]
fn noise_titles_and_ship_prefixes_take_nothing_away() {
    let listed = invented();
    for (query, uid) in [
        ("Messrs. Kvarzit Trading Attn Finance Dept", "o1"),
        ("Kvarzit Trading (Account 4471)", "o1"),
        ("Gen. Anatoly Sergeyevich Vereshkov", "p1"),
        ("M/V Halcyon Star", "v1"),
        ("M.T. Halcyon Star", "v1"),
    ] {
        assert_eq!(listed.best(query), Some(uid), "{query}");
    }
}

#[test]
fn words_may_be_joined_and_split() {
    let listed = invented();
    for (query, uid) in [
        ("Kvarzittrading", "o1"),
        ("Yusuf Mahmud Alzahiri", "p2"),
        ("Anatoly Ser geyevich Vereshkov", "p1"),
        ("Dok Ryon Han", "p5"),
        ("Dokryonhan", "p5"),
        ("Nordhavenshipping Company Limited", "o3"),
    ] {
        assert_eq!(listed.best(query), Some(uid), "{query}");
    }
}

#[test]
fn a_number_is_the_same_or_it_is_another_name() {
    let listed = invented();
    assert_eq!(listed.best("Dong Hae 7628"), Some("v2"));
    assert_eq!(listed.screen("Dong Hae 7628").hits.len(), 1);
    assert_eq!(listed.screen("Dong Hae 7629").verdict, Verdict::NoMatch);
}

#[test]
fn other_scripts_are_read() {
    let listed = invented();
    for (query, uid) in [
        ("Анатолий Верешков", "p1"),
        ("Анатолий Сергеевич Верешков", "p1"),
        ("يوسف محمود الظاهري", "p2"),
        ("ООО Кварзит Трейдинг", "o1"),
        ("최명록", "p6"),
        ("Ανατόλυ Βερεσκοβ", "p1"),
    ] {
        let screened = listed.screen(query);
        if query.starts_with('Α') {
            // Greek has no letter for `sh`: the name comes near, and no more is asked of it.
            assert!(screened.score > 0.0, "{query}");
        } else {
            assert_eq!(listed.best(query), Some(uid), "{query}: {}", screened.score);
        }
    }
}

#[test]
fn a_name_in_its_original_characters_is_a_match_and_its_reading_only_a_possible_one() {
    let listed = Listed::new(vec![also(person("p", "GUO, Weimin"), "郭伟民", Quality::Strong)]);
    assert_eq!(listed.screen("郭伟民").verdict, Verdict::Match);
    assert_eq!(listed.screen("郭 伟民").verdict, Verdict::Match);
    assert_eq!(listed.screen("郭为敏").verdict, Verdict::PossibleMatch, "read the same, written otherwise");
    assert_eq!(listed.screen("郭建国").verdict, Verdict::NoMatch);
}

#[test]
fn a_weak_alias_alone_is_a_possible_match() {
    let listed = invented();
    let screened = listed.screen("La Relojera");
    assert_eq!(screened.verdict, Verdict::PossibleMatch);
    assert_eq!(screened.hits[0].quality, Quality::Weak);
}

#[test]
fn spellings_that_the_list_uses_for_one_another_hold_for_other_entries() {
    let alias = |entry, text| also(entry, text, Quality::Strong);
    let listed = Listed::new(vec![
        alias(person("1", "TARNOWSKI, Oleksandr"), "TARNOWSKI, Aleksander"),
        alias(person("2", "BIRKHOLZ, Oleksandr"), "BIRKHOLZ, Aleksander"),
        person("3", "MIROVANOV, Oleksandr"),
    ]);
    let screened = listed.screen("Aleksander Mirovanov");
    assert_eq!(listed.best("Aleksander Mirovanov"), Some("3"));
    assert_eq!(screened.verdict, Verdict::PossibleMatch);
    assert!(screened.score > 0.9);
}

#[test]
fn the_score_of_the_best_candidate_is_given_where_nothing_matches() {
    let listed = invented();
    let near = listed.screen("Boris Vereshkov");
    let far = listed.screen("Wilhelmina Oesterreicher");
    assert_eq!((near.verdict, far.verdict), (Verdict::NoMatch, Verdict::NoMatch));
    assert!(near.score > far.score && near.score < 0.705, "{} {}", near.score, far.score);
}

#[test]
fn hits_come_best_first_and_no_more_than_asked_for() {
    let listed = Listed::new((0..30).map(|at| organisation(&at.to_string(), "MALVERNE HOLDINGS")).collect());
    let screened = listed.screen("Malverne Holdings");
    assert_eq!(screened.hits.len(), 10);
    assert!(screened.hits.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn the_alignment_names_the_words_on_both_sides() {
    let hits = invented().screen("Vereshkov Anatoly S.").hits;
    let pairs: Vec<_> =
        hits[0].alignment.iter().map(|pair| (&*pair.query_words, &*pair.listed_words)).collect();
    for expected in [("Vereshkov", "vereshkov"), ("Anatoly", "anatoly"), ("S", "sergeyevich")] {
        assert!(pairs.contains(&expected), "{pairs:?}");
    }
}

#[test]
fn words_that_do_not_identify_a_party_are_ignored_and_reported() {
    let listed = invented();
    let ignored = |query: &str| {
        let hit = listed.screen(query).hits.remove(0);
        hit.ignored_words
            .into_iter()
            .map(|words| (words.words, words.side, words.category))
            .collect::<Vec<_>>()
    };
    let of = |words: &str, side, category| (words.to_owned(), side, category);
    assert_eq!(
        ignored("Messrs. Kvarzit Trading OOO Attn Finance Dept"),
        [
            of("Messrs", ComparisonSide::Query, IgnoredCategory::Noise),
            of("OOO", ComparisonSide::Query, IgnoredCategory::LegalForm),
            of("Attn Finance Dept", ComparisonSide::Query, IgnoredCategory::Noise),
            of("LIMITED LIABILITY COMPANY", ComparisonSide::Listed, IgnoredCategory::LegalForm),
        ]
    );
    assert_eq!(ignored("M/V Halcyon Star"), [of("M V", ComparisonSide::Query, IgnoredCategory::ShipPrefix)]);
    assert_eq!(
        ignored("Dr. Anatoly Sergeyevich Vereshkov"),
        [of("Dr", ComparisonSide::Query, IgnoredCategory::Title)]
    );
    assert_eq!(ignored("Anatoly Sergeyevich Vereshkov"), []);
}

#[test]
fn a_scratch_that_was_used_gives_what_a_fresh_one_gives() {
    let (one, other) = (invented(), Listed::new(vec![person("q", "ORTEGA VALDIVIESO, Ramiro")]));
    let mut scratch = Scratch::default();
    for query in ["Ramiro Ortega", "Anatoly Vereshkov", "", "Kvarzit", "Halcyon Star", "Ramiro Ortega"] {
        for listed in [&one, &other] {
            let query = name_match::Query { name: query, ..Default::default() };
            let used = listed.index.screen(&listed.list, &query, 10, &mut scratch);
            let fresh = listed.index.screen(&listed.list, &query, 10, &mut Scratch::default());
            assert_eq!(format!("{used:?}"), format!("{fresh:?}"));
        }
    }
}

#[test]
fn two_names_can_be_compared_without_a_list() {
    let mut scratch = Scratch::default();
    let mut verdict = |a: &str, b: &str, kind| compare(a, b, kind, &mut scratch).verdict;
    assert_eq!(verdict("Ottokar Weissenbach", "WEISSENBACH, Ottokar", EntityKind::Person), Verdict::Match);
    assert_eq!(verdict("Ludwig Weissenbach", "WEISSENBACH, Ottokar", EntityKind::Person), Verdict::NoMatch);
    assert_eq!(verdict("Altamira SA", "Altamira S.A.", EntityKind::Entity), Verdict::Match);
}
