//! SIGHUP: what changes while the service runs, what does not, and what is refused as a whole.

use std::fs;

use crate::support::chain::until;
use crate::support::claims::signed;
use crate::support::http::Request;
use crate::support::money::{commit, pays, with_proof};
use crate::support::receipt::text;
use crate::support::service::{BASE_URL, Launch, Service};

/// Writes the configuration, and sends SIGHUP until the log has this.
fn reload(service: &Service, file: &str, word: &str) {
    fs::write(service.path("touchstone.toml"), file).unwrap();
    service.hang_up();
    until(word, || service.said().contains(word));
}

#[test]
fn prices_free_calls_rates_and_the_log_filter_change_at_once_on_open_connections_too() {
    let launch = Launch::dev().set("BASE_URL", BASE_URL);
    let service = launch.configured("log = \"warn\"\n[routes.commit]\nprice = \"0.10\"\n").start();
    let mut connection = service.connect();
    let quoted = connection.exchange(&commit("old")).problem(402);
    assert_eq!(text(&quoted["accepts"][0], "amount"), "0.10");
    let documents = ["/catalog", "/openapi.json", "/llms.txt", "/.well-known/x402.json"];
    let before = documents.map(|path| service.get(path).expect(200).text());
    let file = "log = \"info\"\nmetrics = \"127.0.0.1:1\"\n[routes.commit]\nprice = \"0.30\"\nrate = 5\n\
        [routes.claim-verdict]\nfree = 1\n";
    reload(&service, file, "need a restart");
    // The reload is logged at `info`, which it has switched on.
    let said = service.said();
    assert!(said.contains("the configuration is reloaded") && said.contains("routes, log"), "{said}");
    assert!(said.lines().any(|line| line.contains("need a restart") && line.contains("metrics")), "{said}");

    let quoted = connection.exchange(&commit("new")).problem(402);
    assert_eq!(text(&quoted["accepts"][0], "amount"), "0.30");
    let after = documents.map(|path| service.get(path).expect(200).text());
    for (path, (before, after)) in documents.iter().zip(before.iter().zip(&after)) {
        assert!(before != after && after.contains("0.30"), "{path}: {after}");
    }
    // Who was asked for the price before pays that.
    for (content, value, amount) in [("old", 100_000, "0.10"), ("new", 300_000, "0.30")] {
        let receipt = service.send(&with_proof(commit(content), &pays(value))).expect(200).json();
        assert_eq!(text(&receipt["payment"], "amount"), amount);
    }
    service.ask("/claim-verdict", &signed("a")).expect(200);
    service.ask("/claim-verdict", &signed("a")).problem(402);
    assert!(service.stop().contains("stopped"), "the log is at `info` now");
}

#[test]
fn a_configuration_that_does_not_check_changes_nothing() {
    let service = Launch::dev().configured("[routes.claim-verdict]\nprice = \"0.07\"\nfree = 0\n").start();
    let price = || {
        let quoted = service.ask("/claim-verdict", &signed("a")).problem(402);
        text(&quoted["accepts"][0], "amount").to_owned()
    };
    assert_eq!(price(), "0.07");
    let routes = "[routes.claim-verdict]\nprice = \"0.09\"\n";
    for (file, word) in [
        (format!("{routes}rate = 0"), "rate must be more than 0"),
        (format!("log = \"verbose\"\n{routes}"), "`verbose` is no level"),
        (format!("nonsense = 1\n{routes}"), "nonsense"),
    ] {
        reload(&service, &file, word);
        assert_eq!(price(), "0.07", "{file}");
    }
    let said = service.said();
    assert_eq!(said.matches("the configuration is not reloaded, and stays as it is").count(), 3, "{said}");
    reload(&service, routes, "the configuration is reloaded");
    service.send(&Request::get("/health")).expect(200);
    let quoted = service.ask("/claim-verdict", &signed("another")).expect(200);
    drop(quoted);
    service.stop();
}

#[test]
fn a_hangup_without_a_change_is_said_and_serve_lives_on() {
    let service = Launch::serve().start();
    service.hang_up();
    until("a reload", || service.said().contains("nothing that can change has changed"));
    service.claim(&signed("a"));
    service.stop();
}
