//! What a stranger may send instead of a name.

use sanctions::live::Lists;
use sanctions::screen_entity::EntityQuestion;
use sanctions::screen_wallet::WalletQuestion;
use serde_json::{Value, json};

use crate::common::{at, entity, named, on_demo, read, schema_takes, uids};

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
fn a_name_in_which_nothing_can_be_compared_is_refused() {
    for name in [
        " ",
        "\t\n",
        "...",
        "A",
        "Ltd",
        "LLC GmbH",
        "Limited",
        "x y z",
        "\u{200d}\u{200f}",
        "\u{0}\u{1}\u{7f}",
    ] {
        assert_eq!(
            read::<EntityQuestion>(&named(name)).unwrap_err(),
            ("entity".to_owned(), "empty"),
            "{name:?}"
        );
    }
}

#[tokio::test]
async fn what_is_not_seen_or_looks_alike_hides_nobody_and_is_told() {
    for (name, noticed) in [
        ("Vik\u{200d}tor Bo\u{200b}ut", "invisible_characters"),
        ("\u{202e}Viktor\u{200f} Bout", "invisible_characters"),
        ("Viktоr Bоut", "look_alike_letters"), // With the Cyrillic о.
    ] {
        let finding = on_demo(&named(name)).await;
        assert_ne!(finding["verdict"], "NO_MATCH", "{name:?}");
        assert_eq!(finding["noticed"], json!([noticed]), "{name:?}");
    }
    assert_eq!(on_demo(&named("Viktor Bout")).await["noticed"], json!([]));
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
        assert!(finding["noticed"].as_array().unwrap().contains(&json!("cut")), "{}", &name[..20]);
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
