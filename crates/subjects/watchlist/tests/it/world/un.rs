//! The United Nations Security Council's list.

use watchlist::{EntityKind, Gender, ListName, Quality, Topic};

use super::{births, has_name, list, names, numbers, texts};

pub(super) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-03-04T00:00:09.554Z">
  <INDIVIDUALS>
    <INDIVIDUAL>
      <DATAID>9001</DATAID>
      <FIRST_NAME>JANEK</FIRST_NAME>
      <SECOND_NAME> MUSTER
      </SECOND_NAME>
      <THIRD_NAME>BIN</THIRD_NAME>
      <FOURTH_NAME>SAMPEL &amp; CO</FOURTH_NAME>
      <UN_LIST_TYPE>Test regime</UN_LIST_TYPE>
      <REFERENCE_NUMBER>XXi.001</REFERENCE_NUMBER>
      <GENDER>Male</GENDER>
      <NAME_ORIGINAL_SCRIPT>Янек Мустер</NAME_ORIGINAL_SCRIPT>
      <COMMENTS1>Comment of the sample.</COMMENTS1>
      <TITLE><VALUE>Dr</VALUE></TITLE>
      <NATIONALITY><VALUE>Utopia</VALUE></NATIONALITY>
      <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Jan  Muster</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Jano Muster; Janko Muster b) J. Muster</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Abu Muster (Абу Мустер)</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Janek</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ADDRESS><STREET>1 Test Street</STREET><CITY>Sampleton</CITY><COUNTRY>Ruritania</COUNTRY></INDIVIDUAL_ADDRESS>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1961-03-02</DATE></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1962</YEAR></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><YEAR>1963</YEAR></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1964</FROM_YEAR><TO_YEAR>1966</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>APPROXIMATELY</TYPE_OF_DATE><DATE>1967-04-05</DATE></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><YEAR>1345</YEAR></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE/></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>P 12 34</NUMBER><ISSUING_COUNTRY>Utopia</ISSUING_COUNTRY></INDIVIDUAL_DOCUMENT>
      <INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>National Identification Number</TYPE_OF_DOCUMENT><NUMBER>N-77</NUMBER></INDIVIDUAL_DOCUMENT>
      <INDIVIDUAL_DOCUMENT/>
    </INDIVIDUAL>
  </INDIVIDUALS>
  <ENTITIES>
    <ENTITY>
      <DATAID>9002</DATAID>
      <FIRST_NAME>SAMPLE TRADING</FIRST_NAME>
      <UN_LIST_TYPE>Test regime</UN_LIST_TYPE>
      <REFERENCE_NUMBER>XXe.002</REFERENCE_NUMBER>
      <ENTITY_ALIAS><QUALITY>a.k.a.</QUALITY><ALIAS_NAME>Sample Traders</ALIAS_NAME></ENTITY_ALIAS>
      <ENTITY_ALIAS><QUALITY>f.k.a.</QUALITY><ALIAS_NAME>Pattern Traders</ALIAS_NAME></ENTITY_ALIAS>
      <ENTITY_ADDRESS><CITY>Sampleton</CITY><COUNTRY>Utopia</COUNTRY></ENTITY_ADDRESS>
    </ENTITY>
  </ENTITIES>
</CONSOLIDATED_LIST>
"#;

#[test]
fn the_list_says_its_name_its_day_and_its_topic() {
    let list = list("un.xml", XML);
    assert_eq!(list.name.as_str(), ListName::UN);
    assert_eq!(list.published, Some(jiff::civil::date(2026, 3, 4)));
    assert_eq!(list.topic, Topic::Sanctions);
    let keys: Vec<&str> = list.entries.iter().map(|entry| &*entry.uid).collect();
    assert_eq!(keys, ["9001", "9002"]);
}

#[test]
fn a_name_joins_its_four_parts_and_an_alias_of_several_is_taken_apart() {
    let list = list("un.xml", XML);
    let expected = [
        ("JANEK MUSTER BIN SAMPEL & CO", Quality::Primary, false),
        ("Abu Muster (Абу Мустер)", Quality::Strong, true),
        ("J. Muster", Quality::Strong, false),
        ("Jan Muster", Quality::Strong, false),
        ("Janko Muster", Quality::Strong, false),
        ("Jano Muster", Quality::Strong, false),
        ("Абу Мустер", Quality::Strong, true),
        ("Янек Мустер", Quality::Strong, true),
        ("Janek", Quality::Weak, false),
    ];
    assert_eq!(names(list.entry("9001").unwrap())[..1], expected[..1]);
    for name in expected {
        assert!(names(list.entry("9001").unwrap()).contains(&name), "{name:?}");
    }
    let former = [
        ("SAMPLE TRADING", Quality::Primary, false),
        ("Pattern Traders", Quality::Strong, false),
        ("Sample Traders", Quality::Strong, false),
    ];
    assert_eq!(names(list.entry("9002").unwrap()), former);
}

#[test]
fn a_name_within_brackets_and_the_name_before_them_are_names_of_their_own() {
    let text = XML.replace("Jan  Muster", "Янко Мустер (the Sampler; J. Sampler)");
    assert_ne!(text, XML);
    let list = list("un.xml", &text);
    let entry = list.entry("9001").unwrap();
    for name in ["Abu Muster", "Абу Мустер", "Янко Мустер", "the Sampler", "J. Sampler"] {
        assert!(has_name(entry, name), "{name}: {:?}", names(entry));
    }
}

#[test]
fn dates_of_birth_are_exact_circa_or_between_and_a_year_of_another_calendar_is_not_read() {
    let list = list("un.xml", XML);
    let entry = list.entry("9001").unwrap();
    assert_eq!(births(entry), ["1961-03-02", "1962", "1963~", "1964/1966", "1967-04-05~"]);
}

#[test]
fn numbers_countries_and_the_rest_are_where_they_belong() {
    let list = list("un.xml", XML);
    let entry = list.entry("9001").unwrap();
    let expected = [
        ("National Identification Number", "N-77", ""),
        ("Passport", "P 12 34", "Utopia"),
        ("UN Reference Number", "XXi.001", ""),
    ];
    assert_eq!(numbers(entry), expected);
    assert_eq!(texts(&entry.countries), ["Ruritania", "Utopia"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, Sampleton, Ruritania"]);
    assert_eq!(texts(&entry.programs), ["Test regime"]);
    assert_eq!((entry.kind, entry.gender), (EntityKind::Person, Some(Gender::Male)));
    assert_eq!(entry.title.as_deref(), Some("Dr"));
    assert_eq!(entry.remarks.as_deref(), Some("Comment of the sample."));
    let entity = list.entry("9002").unwrap();
    assert_eq!(entity.kind, EntityKind::Entity);
    assert_eq!(numbers(entity), [("UN Reference Number", "XXe.002", "")]);
}

#[test]
fn a_list_in_brackets_is_taken_apart_and_a_remark_in_brackets_is_a_part_of_its_name() {
    let alias = "Sampler (SMP) (Самплер (original script); the Sampler; Sampler; Abroad (SA))";
    let list = list("un.xml", &XML.replace("Jan  Muster", alias));
    let entry = list.entry("9001").unwrap();
    for name in ["Sampler", "SMP", "Самплер", "the Sampler", "Abroad (SA)"] {
        assert!(has_name(entry, name), "{name}: {:?}", names(entry));
    }
    for name in ["original script", "SA", "Abroad", alias] {
        assert!(!has_name(entry, name), "{name}");
    }
    for alias in ["Muster (previously listed as)", "Muster (", "Muster )", "(Мустер", "((Мустер) M"]
    {
        let list = super::list("un.xml", &XML.replace("Jan  Muster", alias));
        assert!(has_name(list.entry("9001").unwrap(), alias), "{alias}");
    }
    let list = super::list("un.xml", &XML.replace("Jan  Muster", "Sampler (original script: Самплер)"));
    assert!(has_name(list.entry("9001").unwrap(), "Самплер"));
}
