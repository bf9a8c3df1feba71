//! The list of Switzerland's State Secretariat for Economic Affairs.

use watchlist::{EntityKind, ListError, ListName, Quality};

use super::{births, has_name, list, names, numbers, refused, texts};
use crate::common::read;

pub(super) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<swiss-sanctions-list list-type="whole-list" date="2026-03-04">
  <sanctions-program ssid="20">
    <program-key lang="ger">Musterland</program-key>
    <program-key lang="eng">Utopia</program-key>
    <sanctions-set ssid="21" lang="eng">Article 1</sanctions-set>
  </sanctions-program>
  <target ssid="101">
    <sanctions-set-id>21</sanctions-set-id>
    <foreign-identifier>XXi.001</foreign-identifier>
    <individual>
      <identity main="true">
        <name name-type="primary-name" quality="good">
          <name-part order="2" name-part-type="given-name"><value>Janek</value><spelling-variant script="CYRL">Янек</spelling-variant></name-part>
          <name-part order="1" name-part-type="family-name"><value>Muster</value><spelling-variant script="LATN">Mustre</spelling-variant><spelling-variant script="CYRL">Мустер</spelling-variant></name-part>
          <name-part order="3" name-part-type="father-name"><value>Maria</value><spelling-variant script="CYRL">Мария</spelling-variant></name-part>
        </name>
        <name name-type="alias" quality="low"><name-part order="1" name-part-type="whole-name"><value>The Sample</value></name-part></name>
        <name name-type="alias" quality="good"><name-part order="1" name-part-type="whole-name"><value>Samplik</value><spelling-variant script="CYRL">Самплик</spelling-variant></name-part></name>
        <day-month-year day="2" month="3" year="1961" calendar="Gregorian" quality="good"/>
        <day-month-year month="5" year="1962" calendar="Gregorian"/>
        <day-month-year year="1963" quality="low"/>
        <day-month-year from-year="1964" to-year="1966" quality="good"/>
        <day-month-year year="1970" calendar="Islamic" quality="good"/>
        <nationality place-id="81"/>
        <nationality><country iso-code="RT">Ruritania</country></nationality>
        <address place-id="82"><address-details>1 Test Street</address-details><zip-code>12345</zip-code></address>
        <identification-document document-type="passport"><number>P 12 34</number><issuer code="UT">Utopia</issuer></identification-document>
      </identity>
      <identity main="false">
        <name name-type="primary-name" quality="good"><name-part order="1" name-part-type="family-name"><value>Pattern</value></name-part><name-part order="2" name-part-type="given-name"><value>Jan</value></name-part></name>
      </identity>
      <other-information>Remark of the sample.</other-information>
    </individual>
    <modification modification-type="listed"/>
    <modification modification-type="de-listed">
      <removed><identity main="true"><name name-type="primary-name"><name-part order="1" name-part-type="whole-name"><value>Former Name</value></name-part></name></identity></removed>
    </modification>
  </target>
  <target ssid="102">
    <sanctions-set-id>21</sanctions-set-id>
    <foreign-identifier>140</foreign-identifier>
    <entity><identity main="true"><name name-type="primary-name"><name-part order="1" name-part-type="whole-name"><value>Sample Trading</value></name-part></name></identity></entity>
    <modification modification-type="de-listed"/>
    <modification modification-type="listed"/>
  </target>
  <target ssid="103">
    <sanctions-set-id>21</sanctions-set-id>
    <object object-type="vessel">
      <identity main="true"><name name-type="primary-name"><name-part order="1" name-part-type="whole-name"><value>Sea Sample</value></name-part></name></identity>
      <other-information>Built in 1999. IMO Number: 7406784</other-information>
    </object>
    <modification modification-type="listed"/>
  </target>
  <place ssid="81"><country iso-code="UT">Utopia</country></place>
  <place ssid="82"><location>Sampleton</location><country iso-code="AR">Arcadia</country></place>
</swiss-sanctions-list>
"#;

/// The variant of the family name.
const VARIANT: &str = "<spelling-variant script=\"LATN\">Mustre</spelling-variant>";

#[test]
fn the_newest_modification_says_whether_a_target_is_listed() {
    let list = list("seco.xml", XML);
    assert_eq!(list.name.as_str(), ListName::SECO);
    assert_eq!(list.published, Some(jiff::civil::date(2026, 3, 4)));
    let keys: Vec<&str> = list.entries.iter().map(|entry| &*entry.uid).collect();
    assert_eq!(keys, ["101", "103"]);
    assert!(!has_name(list.entry("101").unwrap(), "Former Name"));
    let nobody = XML.replace("\"listed\"", "\"de-listed\"");
    let error = refused("seco.xml", read(&[("seco.xml", &nobody)]));
    assert!(matches!(error, ListError::Empty { .. }), "{error}");
}

#[test]
fn each_variant_of_a_part_is_a_name_and_so_are_all_parts_in_one_script() {
    let list = list("seco.xml", XML);
    let expected = [
        ("Muster, Janek Maria", Quality::Primary, false),
        ("Mustre, Janek Maria", Quality::Strong, false),
        ("Pattern, Jan", Quality::Strong, false),
        ("Samplik", Quality::Strong, false),
        ("Мустер, Янек Мария", Quality::Strong, true),
        ("Самплик", Quality::Strong, true),
        ("The Sample", Quality::Weak, false),
    ];
    assert_eq!(names(list.entry("101").unwrap()), expected);
}

#[test]
fn no_variant_is_left_out_however_many_there_are() {
    let variant = |n: usize| VARIANT.replace("Mustre", &format!("Mustre{n}"));
    let text = XML.replace(VARIANT, &(0..100).map(variant).collect::<String>());
    let list = list("seco.xml", &text);
    let entry = list.entry("101").unwrap();
    for n in 0..100 {
        assert!(has_name(entry, &format!("Mustre{n}, Janek Maria")), "variant {n} is missing");
    }
    assert!(has_name(entry, "Мустер, Янек Мария"));
}

#[test]
fn a_second_variant_in_another_script_is_a_name_too() {
    let second = "Мустер</spelling-variant><spelling-variant script=\"CYRL\">Мустэр</spelling-variant>";
    let text = XML.replace("Мустер</spelling-variant>", second);
    assert_ne!(text, XML);
    let list = list("seco.xml", &text);
    assert!(has_name(list.entry("101").unwrap(), "Мустэр, Янек Мария"));
}

#[test]
fn dates_of_birth_are_exact_circa_or_between_and_another_calendar_is_not_read() {
    let list = list("seco.xml", XML);
    assert_eq!(births(list.entry("101").unwrap()), ["1961-03-02", "1962-05", "1963~", "1964/1966"]);
}

#[test]
fn numbers_places_and_the_rest_are_where_they_belong() {
    let list = list("seco.xml", XML);
    let entry = list.entry("101").unwrap();
    assert_eq!(entry.kind, EntityKind::Person);
    let expected = [("UN Reference Number", "XXi.001", ""), ("passport", "P 12 34", "Utopia")];
    assert_eq!(numbers(entry), expected);
    assert_eq!(texts(&entry.countries), ["Arcadia", "Ruritania", "Utopia"]);
    assert_eq!(texts(&entry.addresses), ["1 Test Street, 12345"]);
    assert_eq!(texts(&entry.programs), ["Utopia"]);
    assert_eq!(entry.remarks.as_deref(), Some("Remark of the sample."));
    let ship = list.entry("103").unwrap();
    assert_eq!((ship.kind, ship.imo), (EntityKind::Vessel, Some(7_406_784)));
}

#[test]
fn a_number_of_another_list_is_no_reference_of_the_united_nations() {
    let list = list("seco.xml", &XML.replace(">XXi.001<", ">140<"));
    assert_eq!(numbers(list.entry("101").unwrap()), [("passport", "P 12 34", "Utopia")]);
}

#[test]
fn a_variant_is_kept_as_a_weak_name_where_another_part_has_none_in_its_script() {
    let text = XML.replace("<spelling-variant script=\"CYRL\">Мария</spelling-variant>", "");
    let list = list("seco.xml", &text);
    let names = names(list.entry("101").unwrap());
    assert!(names.contains(&("Мустер, Янек", Quality::Weak, true)), "{names:?}");
}
