//! What is known besides the name.

use std::collections::BTreeSet;
use std::path::Path;

use name_match::{Country, Fact, Facts, Hit, Query, Scratch, ScreenResult, Verdict};
use watchlist::{Birth, EntityKind, Entry, Identifier, Publication, PublicationBounds};

use super::{organisation, person};
use crate::Listed;

fn listed() -> Listed {
    let entry = Entry {
        births: vec![year("1961")],
        countries: vec!["Russia".into()],
        identifiers: vec![Identifier { kind: "Passport".into(), number: "51-0123456".into(), country: None }],
        ..person("p", "VERESHKOV, Anatoly Sergeyevich")
    };
    let ship = Entry { imo: Some(9_187_629), ..super::vessel("v", "HALCYON STAR") };
    Listed::new(vec![entry, ship, person("other", "MARKELOV, Denis")])
}

fn year(text: &str) -> Birth {
    text.parse().expect("a date of birth")
}

fn number(kind: &str, number: &str) -> Identifier {
    Identifier { kind: kind.into(), number: number.into(), country: None }
}

fn born(text: &str) -> Facts<'static> {
    Facts { birth: Some(year(text)), ..Facts::default() }
}

#[test]
fn facts_that_agree_raise_and_facts_that_contradict_lower_and_each_is_named() {
    let listed = listed();
    let query = "Anatoly Vereshkov";
    let plain = listed.screen(query).score;
    for (facts, fact) in [
        (born("1961-05-03"), Fact::Birth),
        (Facts { country: Country::named("RU"), ..Facts::default() }, Fact::Country),
        (Facts { id_numbers: &["510123456".to_owned()], ..Facts::default() }, Fact::IdNumber),
    ] {
        let hit = listed.screen_knowing(query, facts).hits.remove(0);
        assert!(hit.score > plain, "{fact:?}");
        assert!(hit.effects.iter().any(|effect| effect.fact == fact && effect.agrees), "{fact:?}");
    }
    let young = listed.screen_knowing(query, born("1990"));
    assert!(young.score < plain);
}

#[test]
fn a_score_comes_nearer_to_1_with_each_fact_that_agrees_and_never_gets_there() {
    let listed = listed();
    let number = ["510123456".to_owned()];
    let known = [
        Facts::default(),
        Facts { country: Country::named("RU"), ..Facts::default() },
        born("1961-05-03"),
        Facts { country: Country::named("RU"), ..born("1961-05-03") },
        Facts { country: Country::named("RU"), id_numbers: &number, ..born("1961-05-03") },
    ];
    for query in ["Anatoly Sergeyevich Vereshkov", "Anatoly Vereshkov", "Anatoly Vereshkof"] {
        let hits = known.map(|facts| listed.screen_knowing(query, facts).hits.remove(0));
        assert!(hits.is_sorted_by(|less, more| less.score < more.score), "{query}: {hits:?}");
        assert!(hits.iter().all(|hit| hit.score < 1.0), "{query}");
        for hit in hits {
            let change: f32 = hit.effects.iter().map(|effect| effect.change).sum();
            assert!((hit.name_score + change - hit.score).abs() < 1e-5, "{query}: {hit:?}");
        }
    }
}

#[test]
fn of_two_of_one_name_the_one_whose_date_agrees_comes_first() {
    let of = |uid, born| Entry { births: vec![year(born)], ..person(uid, "VERESHKOV, Anatoly Sergeyevich") };
    let unknown = person("a", "VERESHKOV, Anatoly Sergeyevich");
    let listed = Listed::new(vec![unknown, of("b", "1961"), of("c", "1950")]);
    let hits = listed.screen_knowing("Anatoly Sergeyevich Vereshkov", born("1961-05-03")).hits;
    let uids: Vec<_> = hits.iter().map(|hit| &*listed.list.entries[hit.entry].uid).collect();
    assert_eq!(uids, ["b", "a", "c"]);
}

#[test]
fn a_fact_that_the_list_does_not_know_changes_nothing() {
    let listed = listed();
    let plain = listed.screen("Denis Markelov");
    let facts =
        Facts { country: Country::named("CU"), id_numbers: &["99999999".to_owned()], ..born("1950-01-01") };
    let knowing = listed.screen_knowing("Denis Markelov", facts);
    assert_eq!(plain.score.to_bits(), knowing.score.to_bits());
    assert!(knowing.hits[0].effects.is_empty());
}

#[test]
fn contradicting_facts_never_clear_an_exact_name() {
    let listed = listed();
    let facts = Facts {
        kind: Some(EntityKind::Vessel),
        country: Country::named("Cuba"),
        id_numbers: &["A0000001".to_owned()],
        imo: Some(1_234_567),
        ..born("2001-02-03")
    };
    for query in ["Anatoly Sergeyevich Vereshkov", "Halcyon Star"] {
        let screened = listed.screen_knowing(query, facts);
        assert_eq!(screened.verdict, Verdict::PossibleMatch, "{query}");
        assert!(screened.hits[0].effects.iter().any(|effect| !effect.agrees));
    }
}

#[test]
fn another_kind_of_party_alone_clears_no_name_whose_words_are_all_listed() {
    let listed = listed();
    let firm = Facts { kind: Some(EntityKind::Entity), ..Facts::default() };
    let screened = listed.screen_knowing("Anatoly Vereshkov", firm);
    assert_eq!(screened.verdict, Verdict::PossibleMatch);
    assert!(screened.hits[0].score < listed.screen("Anatoly Vereshkov").score);
}

#[test]
fn a_contradicting_date_clears_what_is_not_the_listed_name_letter_for_letter() {
    let listed = listed();
    let verdict = |name| listed.screen_knowing(name, born("1990-01-01")).verdict;
    assert_eq!(verdict("Anatoly Sergeyevich Vereshkov"), Verdict::PossibleMatch);
    for name in ["Anatoly Vereshkov", "Anatoli Sergeyevich Vereshkov", "Анатолий Сергеевич Верешков"]
    {
        assert!(listed.screen(name).verdict >= Verdict::PossibleMatch, "{name}");
        assert_eq!(verdict(name), Verdict::NoMatch, "{name}");
    }
}

#[test]
fn a_contradicting_date_clears_no_listed_name_that_is_only_cut_otherwise_or_has_a_word_twice() {
    let listed = Listed::new(vec![
        Entry { births: vec![year("1967-01-13")], ..person("bout", "BOUT, Viktor") },
        Entry { births: vec![year("1951-06-19")], ..person("ayman", "AL-ZAWAHIRI, Ayman") },
        Entry { births: vec![year("1984-01-08")], ..person("kim", "KIM, Jong Un") },
    ]);
    for name in
        ["Viktor Viktor Bout", "Vik tor Bout", "Viktor & Bout", "Ayman Alzawahiri", "Kim Jongun", "KimJongUn"]
    {
        let screened = listed.screen_knowing(name, born("1999-09-09"));
        assert_eq!(screened.verdict, Verdict::PossibleMatch, "{name}: {}", screened.score);
    }
}

#[test]
fn a_higher_minimum_score_makes_no_match_of_what_is_only_told() {
    let entry = Entry { births: vec![year("1967-01-13")], ..person("bout", "BOUT, Viktor") };
    let entry = Entry { identifiers: vec![number("Passport", "AB1234567")], ..entry };
    let listed = Listed::new(vec![entry]);
    let verdict = |name: &str, facts: Facts<'_>| {
        let query = Query { name, facts, min_score: Some(0.92) };
        listed.index.screen(&listed.list, &query, 10, &mut Scratch::default()).verdict
    };
    let numbers = ["AB1234567".to_owned()];
    let by_number = Facts { id_numbers: &numbers, ..Facts::default() };
    assert_eq!(verdict("Totally Different", by_number), Verdict::PossibleMatch);
    assert_eq!(verdict("Viktor Bout", born("1999-09-09")), Verdict::PossibleMatch);
    assert_eq!(verdict("Viktor Bout", Facts::default()), Verdict::Match);
}

#[test]
fn who_is_hit_by_a_number_hides_nobody_whose_name_is_joined() {
    let listed = Listed::new(vec![
        Entry { identifiers: vec![number("Passport", "AB1234567")], ..organisation("1", "ZARKOVIA TRADING") },
        person("2", "DERIPASKA, Oleg Vladimirovich"),
    ]);
    let numbers = ["AB1234567".to_owned()];
    let by_number = Facts { id_numbers: &numbers, ..Facts::default() };
    let alone = listed.screen("DeripaskaOlegVladimirovich");
    let both = listed.screen_knowing("DeripaskaOlegVladimirovich", by_number);
    assert!(both.verdict >= alone.verdict && alone.verdict > Verdict::NoMatch);
    let uids = |screened: &ScreenResult| {
        let uid = |hit: &Hit| listed.list.entries[hit.entry].uid.to_string();
        screened.hits.iter().map(uid).collect::<Vec<_>>()
    };
    assert_eq!((uids(&alone), uids(&both).len()), (vec!["2".to_owned()], 2));
}

#[test]
fn an_agreeing_date_makes_a_common_name_in_another_spelling_a_match() {
    let entry = Entry { births: vec![year("1970-05-01")], ..person("p", "IVANOV, Sergei") };
    let listed = Listed::new(vec![entry]);
    let verdict = |facts| listed.screen_knowing("Сергей Иванов", facts).verdict;
    assert_eq!(verdict(Facts::default()), Verdict::PossibleMatch);
    assert_eq!(verdict(born("1970-05-01")), Verdict::Match);
}

#[test]
fn a_date_that_is_off_by_a_year_says_nothing() {
    let listed = listed();
    let plain = listed.screen("Anatoly Vereshkov").score;
    let score = |text| listed.screen_knowing("Anatoly Vereshkov", born(text)).score;
    assert_eq!(score("1962-05-03").to_bits(), plain.to_bits());
    assert_eq!(score("1960").to_bits(), plain.to_bits());
    assert!(score("1961-05") > plain && score("1963") < plain && score("1959-12-31") < plain);
}

#[test]
fn a_number_is_found_in_other_digits_and_among_words() {
    let listed = listed();
    for number in [
        "Passport 51-0123456",
        "No. 51 0123456 (Iran)",
        "\u{665}\u{661}\u{660}\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}",
        "\u{ff15}\u{ff11}0123456",
        "\u{6f5}\u{6f1}-0123456",
    ] {
        let facts = Facts { id_numbers: &[number.to_owned()], ..Facts::default() };
        assert!(listed.screen_knowing("Somebody Else", facts).verdict >= Verdict::PossibleMatch, "{number}");
    }
    for number in ["510123457", "Passport", "No. 5101 (Iran)"] {
        let facts = Facts { id_numbers: &[number.to_owned()], ..Facts::default() };
        assert_eq!(listed.screen_knowing("Somebody Else", facts).verdict, Verdict::NoMatch, "{number}");
    }
}

#[test]
fn a_listed_number_is_found_under_any_name() {
    let listed = listed();
    let by_passport = Facts { id_numbers: &["51 0123456".to_owned()], ..Facts::default() };
    let by_imo = Facts { imo: Some(9_187_629), ..Facts::default() };
    assert!(listed.screen_knowing("Somebody Else", by_passport).verdict >= Verdict::PossibleMatch);
    assert!(listed.screen_knowing("Renamed Ship", by_imo).verdict >= Verdict::PossibleMatch);
    assert_eq!(listed.screen("Somebody Else").verdict, Verdict::NoMatch);
}

#[test]
fn a_ships_number_is_found_however_the_list_and_the_caller_give_it() {
    let imo =
        Identifier { kind: "Identification Number".into(), number: "IMO 9187629".into(), country: None };
    let as_identifier = Entry { identifiers: vec![imo], ..super::vessel("v", "HALCYON STAR") };
    for listed in [listed(), Listed::new(vec![as_identifier])] {
        let said = Facts { imo: Some(9_187_629), ..Facts::default() };
        let bare = Facts { id_numbers: &["9187629".to_owned()], ..Facts::default() };
        for facts in [said, bare] {
            let screened = listed.screen_knowing("Renamed Ship", facts);
            assert!(screened.verdict >= Verdict::PossibleMatch, "{facts:?}");
            assert!(screened.hits[0].effects.iter().all(|effect| effect.agrees), "{facts:?}");
        }
        let other = Facts { id_numbers: &["9187628".to_owned()], ..Facts::default() };
        assert_eq!(listed.screen_knowing("Renamed Ship", other).verdict, Verdict::NoMatch);
    }
}

#[test]
fn a_listed_country_that_is_not_known_contradicts_nothing() {
    let entry = |countries: &[&str]| {
        let countries = countries.iter().map(|name| (*name).into()).collect();
        Entry { countries, ..person("p", "VERESHKOV, Anatoly") }
    };
    let agrees = |countries: &[&str], asked| {
        let facts = Facts { country: Country::named(asked), ..Facts::default() };
        let hit =
            Listed::new(vec![entry(countries)]).screen_knowing("Anatoly Vereshkov", facts).hits.remove(0);
        hit.effects.first().map(|effect| effect.agrees)
    };
    assert_eq!(agrees(&["Ruritania"], "RU"), None);
    assert_eq!(agrees(&["Cuba", "Region: Crimea"], "RU"), None);
    assert_eq!(agrees(&["Region: Crimea", "Russia"], "RUS"), Some(true));
    assert_eq!(agrees(&["Korea, North"], "kp"), Some(true));
    assert_eq!(agrees(&["Korea, North"], "kr"), Some(false));
}

#[test]
fn the_countries_that_ofac_writes_are_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/ofac/raw-2021-07");
    if !folder.exists() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let files = ["sdn.csv", "add.csv", "alt.csv", "sdn_comments.csv"].map(|file| folder.join(file));
    let import = Publication::open(&files, PublicationBounds::default())
        .and_then(|publication| publication.read(None))
        .expect("the shared list is readable");
    let entries = import.lists.iter().flat_map(|parsed| &parsed.list.entries);
    let written: BTreeSet<&str> = entries.flat_map(|entry| &entry.countries).map(|name| &**name).collect();
    assert!(written.len() > 100, "{written:?}");
    let unknown: Vec<_> = written.into_iter().filter(|name| Country::named(name).is_none()).collect();
    let is_none =
        |name: &str| ["None Identified", "Netherlands Antilles", "possibly Palestinian"].contains(&name);
    let is_region = |name: &str| name.starts_with("Region: ");
    assert!(unknown.iter().all(|name| is_none(name) || is_region(name)), "{unknown:?}");
}

#[test]
fn a_date_given_as_circa_leaves_room() {
    let entry = Entry { births: vec![year("1961~")], ..person("p", "VERESHKOV, Anatoly") };
    let listed = Listed::new(vec![entry]);
    let agrees = |text| listed.screen_knowing("Anatoly Vereshkov", born(text)).hits[0].effects[0].agrees;
    assert!(agrees("1964") && agrees("1957-12-31"));
    assert!(!agrees("1975"));
}
