//! How many connections there may be, of whom, and for how long.

use std::net::Ipv4Addr;
use std::thread;

use serde_json::Value;

use crate::support::http::{Connection, Request};
use crate::support::service::{Launch, Service, raise_the_limit_of_files};

/// Few enough for a test to hold them all.
const PLACES: usize = 512;
const ATTACKERS: u8 = 16;
/// Half of a request, which keeps the service reading its body.
const HALF: &str = "POST /claim-verdict HTTP/1.1\r\nHost: n\r\nContent-Length: 100\r\n\r\n{\"agent\":";

fn small() -> Service {
    raise_the_limit_of_files();
    Launch::dev().without_limits().set("MAX_CONNECTIONS", &PLACES.to_string()).start()
}

/// An address of a /24 of its own.
fn address(network: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 1, network, 1)
}

fn bounds(service: &Service) -> Value {
    service.get("/catalog").expect(200).json()["bounds"]["connections"].clone()
}

/// Connections of this address with these bytes sent, as many as the service takes of so many.
fn hold(service: &Service, source: Ipv4Addr, most: u64, bytes: &[u8]) -> Vec<Connection> {
    let opened = (0..most).filter_map(|_| service.connect_from(source).ok());
    // One that is not taken is closed at once.
    opened.filter_map(|mut connection| connection.send(bytes).is_ok().then_some(connection)).collect()
}

/// All places, and those of other networks again, held by addresses of sixteen /24.
fn hold_all(service: &Service, bytes: &[u8]) -> Vec<Connection> {
    let each = bounds(service)["at_once"].as_u64().unwrap() / u64::from(ATTACKERS);
    (0..ATTACKERS).flat_map(|network| hold(service, address(network), each, bytes)).collect()
}

/// Asks from an address of its own, on a connection of its own.
#[track_caller]
fn assert_served(service: &Service, source: Ipv4Addr) {
    for _ in 0..3 {
        service.connect_from(source).unwrap().exchange(&Request::get("/health")).expect(200);
    }
}

#[test]
fn sixteen_networks_that_hold_idle_connections_keep_nobody_out() {
    let service = small();
    let health = Request::get("/health").bytes();
    // Nothing, a request that was answered, and half a head: all of them wait.
    for bytes in [&b""[..], &health, b"GET /health HTTP/1.1\r\nHost:"] {
        let mut held = hold_all(&service, bytes);
        for honest in 100..120 {
            assert_served(&service, address(honest));
        }
        // Only idle ones were closed, so what was asked was answered.
        if bytes == health {
            assert!(held.iter_mut().filter_map(|held| held.answer("GET").ok()).count() > PLACES / 2);
        }
    }
}

#[test]
fn sixteen_networks_that_keep_connections_busy_leave_places_to_others() {
    let service = small();
    let held = hold_all(&service, HALF.as_bytes());
    assert!(held.len() > PLACES / 2);
    assert_served(&service, address(100));
    assert_served(&service, address(101));
    // What was begun is still there, and ends as ever.
    let mut first = held.into_iter().next().unwrap();
    first.send(&[b' '; 91]).unwrap();
    first.answer("POST").unwrap().names("body", "malformed");
}

#[test]
fn a_network_over_its_share_takes_no_place_from_others() {
    let service = small();
    let mut honest: Vec<_> = (100..120).map(|n| service.connect_from(address(n)).unwrap()).collect();
    for connection in &mut honest {
        connection.exchange(&Request::get("/health")).expect(200);
    }
    // Four /24 with as many as they are let have, from many addresses each: more than there are places.
    let of = |network, last| hold(&service, Ipv4Addr::new(127, 2, network, last), 3, HALF.as_bytes());
    let networks = (0..4).flat_map(|network| (0..64).map(move |last| (network, last)));
    let held: Vec<_> = networks.flat_map(|(network, last)| of(network, last)).collect();
    assert!(held.len() > PLACES / 2);
    for connection in &mut honest {
        connection.exchange(&Request::get("/health")).expect(200);
    }
}

#[test]
fn the_last_answer_on_a_connection_says_so_and_no_request_is_lost() {
    let service = Launch::dev().without_limits().start();
    let most = bounds(&service)["requests"].as_u64().expect("a bound on requests is published");
    let request = Request::get("/robots.txt");
    let mut connection = service.connect();
    let mut writer = connection.writer();
    let bytes = request.bytes();
    let writing = thread::spawn(move || {
        // One more than is answered. It may find the connection closed.
        for _ in 0..=most / 100 {
            if writer.send(&bytes.repeat(100)).is_err() {
                break;
            }
        }
    });
    for number in 1..=most {
        let answer = connection.answer("GET").unwrap().expect(200);
        assert_eq!(answer.header("connection"), (number == most).then_some("close"), "answer {number}");
    }
    connection.wait_for_the_end().unwrap();
    writing.join().unwrap();
    service.send(&request).expect(200);
}

#[test]
fn a_service_has_no_more_connections_than_it_may_have_files() {
    let published = |launch: Launch| {
        let bounds = bounds(&launch.start());
        ["at_once", "at_once_per_address", "at_once_per_wide_network"]
            .map(|name| bounds[name].as_u64().unwrap())
    };
    assert_eq!(published(Launch::dev().set("MAX_CONNECTIONS", "4096")), [4096, 256, 1024]);
    assert_eq!(published(Launch::dev().configured("max_connections = 100")), [100, 12, 25]);
    for number in ["15", "16385"] {
        let said = Launch::serve().set("MAX_CONNECTIONS", number).refused();
        assert!(said.contains("max_connections must be from 16 to 16384"), "{said}");
    }
}
