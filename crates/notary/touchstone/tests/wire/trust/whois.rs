//! WHOIS, where the operator has turned it on and there is no RDAP: what it says counts, and answers of any other shape leave
//! the verdict careful.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::time::{Duration, SystemTime};

use peers::lab::{Zone, rdap};
use verdict::Timestamp;

use super::evidence::disputed;
use super::*;

/// The answer of the server about a name; `None` for none, with the connection left open.
fn answer(name: &str) -> Option<Vec<u8>> {
    let record = |more: &str| {
        format!("domain: {name}\nregistrar: A Registrar\ncreated: 2009-03-04T05:06:07Z\n{more}\n")
    };
    let text = match name {
        "old.ru" => record("state: REGISTERED, DELEGATED"),
        "held.ru" => record("status: clientHold https://icann.org/epp#clientHold"),
        "deleted.ru" => record("status: pendingDelete"),
        "young.ru" => {
            format!("domain: {name}\ncreated: {}\n", days_ago(9))
        }
        "two.ru" => record("created: 2019-01-01T00:00:00Z"),
        "future.ru" => format!("domain: {name}\ncreated: 2999-01-01\n"),
        "other.ru" => "domain: old.ru\ncreated: 2009-03-04T05:06:07Z\n".to_owned(),
        "busy.ru" => "You have exceeded your limit of queries.\n".to_owned(),
        "empty.ru" => String::new(),
        "huge.ru" => record(&"remarks: x\n".repeat(100_000)),
        "long.ru" => record(&"x".repeat(30_000)),
        "binary.ru" => return Some((0..=255).cycle().take(5_000).collect()),
        _ => return None,
    };
    Some(text.into_bytes())
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap().saturating_add_millis(-days * 86_400_000)
}

/// A WHOIS server; its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let mut query = String::new();
                BufReader::new(&stream).read_line(&mut query).ok()?;
                match answer(query.trim()) {
                    Some(answer) => stream.write_all(&answer).ok(),
                    None => {
                        thread::sleep(Duration::from_secs(30));
                        None
                    }
                }
            });
        }
    });
    port
}

/// The reasons and the risks that could not be looked for, as far as the registration tells them.
fn of_registration(receipt: &Value) -> (Vec<&'static str>, Vec<&'static str>) {
    let ids = ["registration_ended", "on_hold", "young_domain", "age_unknown"];
    let among = |found: &[&str]| ids.into_iter().filter(|id| found.contains(id)).collect();
    (among(&reasons(receipt)), among(&listed(&receipt["risk"]["unchecked"])))
}

#[test]
fn whois_tells_age_and_state_and_what_cannot_be_read_is_unknown() {
    let zone = Zone::plain("tcinet.ru").with("whois A 127.0.0.1");
    let Some(lab) = Lab::start_with("registrations over WHOIS", &[zone], &[]) else { return };
    // As many names as make a list whole, and not this one.
    let others: Vec<_> = (0..1_100).map(|number| format!("tld{number}")).collect();
    let others: Vec<_> = others.iter().map(String::as_str).collect();
    let registries = rdap::bootstrap(&others, &lab.rdap());
    let service = Sight::of(&lab).by_registries(registries).by_whois(server()).start();
    let none = Vec::new;
    let unknown = (vec!["age_unknown"], vec!["registration_ended", "on_hold", "young_domain"]);
    for (domain, expected) in [
        ("old.ru", (none(), none())),
        ("held.ru", (vec!["on_hold"], none())),
        ("deleted.ru", (vec!["registration_ended"], none())),
        // Without a state in the answer nobody knows that there is none.
        ("young.ru", (vec!["young_domain"], vec!["registration_ended", "on_hold"])),
        ("two.ru", unknown.clone()),
        ("future.ru", unknown.clone()),
        ("other.ru", unknown.clone()),
        ("busy.ru", unknown.clone()),
        ("empty.ru", unknown.clone()),
        ("huge.ru", unknown.clone()),
        ("long.ru", unknown.clone()),
        ("binary.ru", unknown.clone()),
        ("silent.ru", unknown.clone()),
    ] {
        let receipt = score(&service, domain);
        assert_eq!(of_registration(&receipt), expected, "{domain}: {receipt:#}");
        assert_ne!(text(&receipt, "verdict"), "TRUSTED", "{domain}");
    }
    let held = score(&service, "held.ru");
    assert_eq!(text(&held, "verdict"), "RISKY", "{held:#}");
    assert_eq!(held["facts"]["registrar"], json!(["A Registrar"]));
    let dispute = disputed(&service, &held);
    assert_eq!(text(&dispute, "verdict"), "UPHELD", "{dispute:#}");
}
