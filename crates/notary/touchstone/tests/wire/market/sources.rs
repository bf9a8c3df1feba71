//! `GET /sources`, and the settings of the sources.

use serde_json::json;

use super::Published;
use crate::support::receipt::text;
use crate::support::service::Launch;

#[test]
fn the_sources_show_their_last_answer_and_what_failed() {
    let published = Published::new();
    let service = published.launch().start();
    let state = |name: &str| {
        let states = service.get("/sources").expect(200).json();
        states["sources"].as_array().unwrap().iter().find(|state| state["name"] == name).unwrap().clone()
    };
    assert_eq!(service.get("/sources").expect(200).json()["sources"].as_array().unwrap().len(), 6);
    let before = state("federal_register");
    assert_eq!(
        (&before["last_answer_at"], &before["fault"], &before["rate_left"]),
        (&json!(null), &json!(null), &json!(5))
    );
    let search = "/api/v1/documents.json";
    published.put(search, "200 OK", r#"{"count":0,"description":"All Documents"}"#);
    service.get("/federal-register?agent=a").expect(200);
    let after = state("federal_register");
    assert!(after["last_answer_at"].is_string() && text(&after, "last_sha256").len() == 64, "{after}");
    published.set_down(true);
    service.get("/federal-register?agent=a&term=x").problem(503);
    assert_eq!(state("federal_register")["fault"], "status_500");
}

#[test]
fn a_contact_without_an_address_and_plain_http_elsewhere_stop_the_start() {
    for (setting, told) in [
        ("contact = \"Example Ltd.\"", "market.contact"),
        ("cboe = \"http://example.com\"", "market.cboe"),
        ("edgar = \"no address\"", "market.edgar"),
        ("nobody = \"x\"", "nobody"),
    ] {
        let said = Launch::dev().configured(&format!("[market]\n{setting}\n")).refused();
        assert!(said.contains(told), "{setting}: {said}");
    }
}
