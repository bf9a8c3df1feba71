//! Many domains at once.

use super::*;

/// Fewer than 200 looks have open at a time: connections, sockets of name servers, callers.
const OPEN_FILES: u32 = 256;

#[test]
fn two_hundred_domains_at_once_are_looked_at_though_few_files_may_be_open() {
    let Some(lab) = Lab::shared("200 domains at once") else { return };
    let service = &Sight::of(lab).launch().with_open_files(OPEN_FILES).start();
    let domains: Vec<_> = (0..200).map(|number| format!("crowd{number}.test")).collect();
    let answers: Vec<Answer> = thread::scope(|scope| {
        let asking: Vec<_> = domains.iter().map(|domain| scope.spawn(move || ask(service, domain))).collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (domain, answer) in domains.iter().zip(answers) {
        let receipt = answer.expect(200).json();
        assert_sound(service, &receipt);
        assert_eq!(text(&receipt, "domain"), *domain);
        // What comes of a descriptor that the system refuses; a machine that is busy may be late all the same.
        for check in receipt["hygiene"]["checks"].as_array().unwrap() {
            let reason = text(check, "reason");
            let refused = ["unreachable", "connect_failed", "dns_unreachable", "http_connect_failed"];
            assert!(!refused.contains(&reason), "{domain}: {check:#}");
        }
    }
    assert!(!service.said().contains("open files"), "{}", service.said());
}

#[test]
fn a_crowd_of_names_below_one_is_told_to_wait_and_the_name_itself_is_not() {
    let Some(lab) = Lab::shared("many names of one domain") else { return };
    let service = &Sight::of(lab).start();
    let published = &service.get("/catalog").expect(200).json()["bounds"]["trust"]["names_below_registrable"];
    let names = published["names"].as_u64().unwrap();
    for number in 0..names {
        ask(service, &format!("d{number}.wild.test")).expect(200);
    }
    let refused = ask(service, "one.more.wild.test");
    assert_eq!(refused.header("retry-after"), Some(published["within_s"].to_string().as_str()));
    let problem = refused.expect(503).json();
    assert_eq!(text(&problem, "module"), "trust", "{problem:#}");
    for allowed in ["wild.test", "www.wild.test", "d0.wild.test", "good.test"] {
        ask(service, allowed).expect(200);
    }
}
