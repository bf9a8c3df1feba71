//! What may be watched, and where webhooks may go.

use super::*;
use crate::support::service::{dev, production};

#[test]
fn a_watch_is_of_a_name_or_of_a_wallet_as_their_routes_take_them() {
    let service = dev();
    let ask = |body: Value| service.ask("/watch", &body);
    ask(json!({"entity": "Evil Corp"})).names("agent", "missing");
    ask(json!({"agent": "a"})).names("entity", "missing");
    ask(json!({"agent": "a", "entity": "Evil Corp", "wallet": WALLET})).names("wallet", "not_applicable");
    ask(json!({"agent": "a", "entity": "Ltd."})).names("entity", "empty");
    ask(json!({"agent": "a", "entity": "Evil Corp", "type": "ship"})).names("type", "unknown_value");
    ask(json!({"agent": "a", "wallet": "two words"})).names("wallet", "malformed");
    let mistyped = "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qj";
    ask(json!({"agent": "a", "wallet": mistyped})).names("wallet", "malformed");
    let webhook = |webhook: Value| ask(json!({"agent": "a", "entity": "Evil Corp", "webhook": webhook}));
    webhook(json!(7)).names("webhook", "wrong_type");
    webhook(json!("")).names("webhook", "empty");
    webhook(json!("x".repeat(2049))).names("webhook", "too_long");
    for malformed in
        ["hooks.example.com", "ftp://hooks.example.com/", "http://hooks.example.com/", "https://"]
    {
        webhook(json!(malformed)).names("webhook", "malformed");
    }
}

#[test]
fn a_webhook_to_an_address_that_policy_refuses_is_a_400_and_nothing_begins() {
    let service = production();
    for address in [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://10.1.2.3/",
        "https://192.168.0.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00::1]/",
        "https://metadata.google.internal/",
        "https://user:secret@hooks.example.com/",
        "https://hooks.example.com:22/",
    ] {
        let question = json!({"agent": "a", "entity": "Evil Corp", "webhook": address});
        service.ask("/watch", &question).names("webhook", "not_applicable");
    }
    let plain = json!({"agent": "a", "entity": "Evil Corp", "webhook": "http://hooks.example.com/"});
    service.ask("/watch", &plain).names("webhook", "malformed");
}
