//! What a stranger may send instead of a name.

use sanctions::agent_clearance::ClearanceQuestion;
use sanctions::live::Lists;
use sanctions::screen_entity::EntityQuestion;
use sanctions::screen_wallet::WalletQuestion;
use serde_json::{Value, json};

use crate::common::{SDN_XML, at, entity, kept, named, objected, on_demo, read, schema_takes, uids};

fn with(field: &str, value: Value) -> Value {
    let mut request = named("Viktor Bout");
    request[field] = value;
    request
}

#[test]
fn a_wrong_field_is_named_with_a_stable_code() {
    let refused = |request: &Value, field: &str, reason: &str| {
        assert_eq!(read::<EntityQuestion>(request).unwrap_err().0, field, "{request}");
        assert_eq!(read::<EntityQuestion>(request).unwrap_err().1, reason, "{request}");
    };
    refused(&json!({"agent": "a"}), "entity", "missing");
    for (field, value, reason) in [
        ("entity", json!(7), "wrong_type"),
        ("entity", json!(null), "wrong_type"),
        ("entity", json!(""), "empty"),
        ("entity", json!("x".repeat(4_097)), "too_long"),
        ("type", json!("ship"), "unknown_value"),
        ("type", json!(1), "wrong_type"),
        ("birth_date", json!("03 Mar 1961"), "malformed"),
        ("birth_date", json!("1961-02-30"), "malformed"),
        ("birth_date", json!("1963/1961"), "malformed"),
        ("birth_date", json!("0000"), "malformed"),
        ("birth_date", json!("1961-03-03/1961-03-04~~"), "too_long"),
        ("birth_date", json!(1961), "wrong_type"),
        ("country", json!(""), "empty"),
        ("country", json!(" \u{2003}"), "empty"),
        ("country", json!("Ru\nssia"), "malformed"),
        ("country", json!("x".repeat(129)), "too_long"),
        ("id_number", json!("\t"), "malformed"),
        ("id_number", json!("  "), "empty"),
        ("id_number", json!("12\u{0}34"), "malformed"),
        ("id_number", json!(123), "wrong_type"),
        ("limit", json!(0), "malformed"),
        ("limit", json!(101), "malformed"),
        ("limit", json!(2.5), "malformed"),
        ("limit", json!(-1), "malformed"),
        ("limit", json!("10"), "wrong_type"),
    ] {
        refused(&with(field, value), field, reason);
    }
}

#[test]
fn what_the_schema_takes_is_what_is_read() {
    for (field, value) in [
        ("limit", json!(1)),
        ("limit", json!(100)),
        ("birth_date", json!("1961-03-03/1961-03-04~")),
        ("type", json!("aircraft")),
        ("entity", json!("x".repeat(4_096))),
        ("unknown", json!({"of": "no meaning"})),
    ] {
        let request = with(field, value);
        assert!(schema_takes::<EntityQuestion>(&request), "{request}");
        assert!(read::<EntityQuestion>(&request).is_ok(), "{request}");
    }
    for (field, value) in
        [("limit", json!(0)), ("type", json!("ship")), ("country", json!("a\nb")), ("entity", json!(""))]
    {
        let request = with(field, value);
        assert!(!schema_takes::<EntityQuestion>(&request), "{request}");
        assert!(read::<EntityQuestion>(&request).is_err(), "{request}");
    }
}

#[test]
fn a_text_in_which_there_is_nothing_to_read_is_refused() {
    for name in [" ", "\t\n", "...", "\u{200d}\u{200f}", "\u{0}\u{1}\u{7f}"] {
        let error = read::<EntityQuestion>(&named(name)).unwrap_err();
        assert_eq!(error, ("entity".to_owned(), "empty"), "{name:?}");
    }
}

#[tokio::test]
async fn legal_forms_titles_and_noise_alone_are_refused() {
    for name in [
        "A",
        "م",
        "Ltd",
        "PJSC",
        "LLC GmbH",
        "Limitada",
        "ООО",
        "Aktiengesellschaft",
        "GmbH & Co KG",
        "有限公司",
        "Messrs. Attn Finance Dept",
        "Account 4471",
        "the of and",
        "Dr. Mr.",
        "M/V",
    ] {
        let asked = json!({"agent": "a", "entity": name});
        for lists in [Lists::demo(), Lists::none()] {
            assert_eq!(objected(entity(&lists, &asked, at(0)).await), ("entity".into(), "empty"), "{name}");
        }
        let asked = json!({"agent": "a", "counterparty_name": name});
        let error = read::<ClearanceQuestion>(&asked).unwrap_err();
        assert_eq!(error, ("counterparty_name".to_owned(), "empty"), "{name}");
    }
}

#[tokio::test]
async fn they_are_answered_where_a_list_has_them_as_a_name() {
    let lists = kept();
    lists.import("sdn.xml", &SDN_XML.replace("VANYA", "SPC"), at(0));
    let live = Lists::open(lists.path()).unwrap();
    let finding = entity(&live, &named("SPC"), at(0)).await.unwrap();
    assert_eq!((&finding["verdict"], &uids(&finding)[..]), (&json!("POSSIBLE_MATCH"), &["101"][..]));
    assert_eq!(objected(entity(&live, &named("SPC Ltd"), at(0)).await), ("entity".into(), "empty"));
}

#[tokio::test]
async fn a_country_that_is_not_understood_is_refused() {
    for country in ["Ruritania", "QQ", "Korea", "Region: Crimea", "Rusia"] {
        let error = read::<EntityQuestion>(&with("country", json!(country))).unwrap_err();
        assert_eq!(error, ("country".to_owned(), "unknown_value"), "{country}");
    }
    for country in
        ["Korea, North", "Congo, Democratic Republic of the", "Burma", "Kosovo", "xk", "PRK", "Côte d'Ivoire"]
    {
        assert!(read::<EntityQuestion>(&with("country", json!(country))).is_ok(), "{country}");
    }
}

#[tokio::test]
async fn what_is_not_seen_or_looks_alike_hides_nobody_and_is_told() {
    for (name, noticed) in [
        ("Vik\u{200d}tor Bo\u{200b}ut", "invisible_characters"),
        ("\u{202e}Viktor\u{200f} Bout", "invisible_characters"),
        ("Viktоr Bоut", "look_alike_letters"), // With the Cyrillic о.
        ("V1ktor B0ut", "look_alike_letters"),
    ] {
        let finding = on_demo(&named(name)).await;
        assert_ne!(finding["verdict"], "NO_MATCH", "{name:?}");
        assert_eq!(finding["query_notes"], json!([noticed]), "{name:?}");
    }
    assert_eq!(on_demo(&named("Viktor Bout")).await["query_notes"], json!([]));
}

#[tokio::test]
async fn control_characters_between_the_words_hide_nobody() {
    let finding = on_demo(&named("Viktor\u{0}Bout")).await;
    assert_ne!(finding["verdict"], "NO_MATCH");
    assert_ne!(on_demo(&named("Viktor\n\tBout\u{7f}")).await["verdict"], "NO_MATCH");
}

#[tokio::test]
async fn a_name_too_long_to_be_compared_whole_is_never_cleared() {
    for name in ["x".repeat(4_096), "Nobody Of That Kind ".repeat(200), "é".repeat(4_096)] {
        let finding = on_demo(&named(&name)).await;
        assert_ne!(finding["verdict"], "NO_MATCH");
        assert!(finding["query_notes"].as_array().unwrap().contains(&json!("truncated")), "{}", &name[..20]);
    }
}

#[tokio::test]
async fn one_in_another_script_is_found() {
    assert!(!uids(&on_demo(&named("Путин Владимир Владимирович")).await).is_empty());
    assert!(!uids(&on_demo(&named("김정은")).await).is_empty());
}

#[tokio::test]
async fn wrong_facts_do_not_clear_an_exact_name() {
    let request = json!({
        "agent": "a", "entity": "BOUT, Viktor Anatolyevich", "type": "vessel", "birth_date": "2001",
        "country": "Brazil", "id_number": "123456789",
    });
    assert_ne!(entity(&Lists::demo(), &request, at(0)).await.unwrap()["verdict"], "NO_MATCH");
}

#[test]
fn what_is_no_address_is_refused_before_any_list_is_asked() {
    for (wallet, reason) in [
        (json!(null), "wrong_type"),
        (json!(""), "empty"),
        (json!("   "), "empty"),
        (json!("two words"), "malformed"),
        (json!("0x\u{0}"), "malformed"),
        (json!("ключ"), "malformed"),
        (json!("x".repeat(257)), "too_long"),
    ] {
        let request = json!({"agent": "a", "wallet": wallet});
        assert_eq!(read::<WalletQuestion>(&request).unwrap_err(), ("wallet".to_owned(), reason), "{request}");
    }
    let request = json!({"agent": "a", "wallet": "x", "chain": "a\nb"});
    assert_eq!(read::<WalletQuestion>(&request).unwrap_err(), ("chain".to_owned(), "malformed"));
    assert_eq!(read::<WalletQuestion>(&json!({"agent": "a"})).unwrap_err(), ("wallet".to_owned(), "missing"));
}
