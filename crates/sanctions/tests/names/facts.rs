//! What is known besides the name.

use sanctions::names::{Fact, Facts, Verdict};
use sanctions::{Birth, EntityKind, Entry, Identifier};

use super::person;
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
        (Facts { country: Some("RU"), ..Facts::default() }, Fact::Country),
        (Facts { id_number: Some("510123456"), ..Facts::default() }, Fact::IdNumber),
    ] {
        let hit = listed.screen_knowing(query, facts).hits.remove(0);
        assert!(hit.score > plain, "{fact:?}");
        assert!(hit.effects.iter().any(|effect| effect.fact == fact && effect.agrees), "{fact:?}");
    }
    let young = listed.screen_knowing(query, born("1990"));
    assert!(young.score < plain);
}

#[test]
fn a_fact_that_the_list_does_not_know_changes_nothing() {
    let listed = listed();
    let plain = listed.screen("Denis Markelov");
    let facts = Facts { country: Some("CU"), id_number: Some("99999999"), ..born("1950-01-01") };
    let knowing = listed.screen_knowing("Denis Markelov", facts);
    assert_eq!(plain.score.to_bits(), knowing.score.to_bits());
    assert!(knowing.hits[0].effects.is_empty());
}

#[test]
fn contradicting_facts_never_clear_an_exact_name() {
    let listed = listed();
    let facts = Facts {
        kind: Some(EntityKind::Vessel),
        country: Some("Cuba"),
        id_number: Some("A0000001"),
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
fn a_listed_number_is_found_under_any_name() {
    let listed = listed();
    let by_passport = Facts { id_number: Some("51 0123456"), ..Facts::default() };
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
        let bare = Facts { id_number: Some("9187629"), ..Facts::default() };
        for facts in [said, bare] {
            let screened = listed.screen_knowing("Renamed Ship", facts);
            assert!(screened.verdict >= Verdict::PossibleMatch, "{facts:?}");
            assert!(screened.hits[0].effects.iter().all(|effect| effect.agrees), "{facts:?}");
        }
        let other = Facts { id_number: Some("9187628"), ..Facts::default() };
        assert_eq!(listed.screen_knowing("Renamed Ship", other).verdict, Verdict::NoMatch);
    }
}

#[test]
fn a_country_that_is_not_known_contradicts_nothing() {
    let entry = Entry { countries: vec!["Ruritania".into()], ..person("p", "VERESHKOV, Anatoly") };
    let listed = Listed::new(vec![entry]);
    let effects = |country| {
        let facts = Facts { country: Some(country), ..Facts::default() };
        listed.screen_knowing("Anatoly Vereshkov", facts).hits.remove(0).effects
    };
    assert!(effects("RU").is_empty() && effects("Graustark").is_empty());
    assert!(effects("ruritania")[0].agrees);
}

#[test]
fn a_date_given_as_circa_leaves_room() {
    let entry = Entry { births: vec![year("1961~")], ..person("p", "VERESHKOV, Anatoly") };
    let listed = Listed::new(vec![entry]);
    let agrees = |text| listed.screen_knowing("Anatoly Vereshkov", born(text)).hits[0].effects[0].agrees;
    assert!(agrees("1964") && agrees("1957-12-31"));
    assert!(!agrees("1975"));
}
