//! Connections: pipelining, slow heads, and bytes that are no HTTP.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::support::claims::{at, signed};
use crate::support::http::Request;
use crate::support::peer::{Peer, Step, document};
use crate::support::receipt::text;
use crate::support::service::{Launch, dev, production};

#[test]
fn answers_on_one_connection_come_in_the_order_of_the_requests() {
    let service = dev();
    let mut connection = service.connect();
    let mut bytes = Vec::new();
    for number in 0..50 {
        bytes.extend(Request::json("/claim-verdict", &signed(&format!("pipelined-{number}"))).bytes());
        bytes.extend(Request::get(&format!("/nothing-{number}")).bytes());
        bytes.extend(Request::post("/claim-verdict", format!("{{\"agent-{number}\"")).bytes());
    }
    connection.send(&bytes).unwrap();
    for number in 0..50 {
        let receipt = connection.answer("POST").unwrap().expect(200).json();
        assert_eq!(text(&receipt, "agent"), format!("pipelined-{number}"));
        connection.answer("GET").unwrap().problem(404);
        connection.answer("POST").unwrap().names("body", "malformed");
    }
}

#[test]
fn answers_on_many_connections_are_each_their_own() {
    let service = dev();
    thread::scope(|scope| {
        for hand in 0..8 {
            let service = &service;
            scope.spawn(move || {
                let mut connection = service.connect();
                for number in 0..25 {
                    let agent = format!("hand-{hand}-{number}");
                    let receipt = connection
                        .exchange(&Request::json("/claim-verdict", &signed(&agent)))
                        .expect(200)
                        .json();
                    assert_eq!(text(&receipt, "agent"), agent);
                }
            });
        }
    });
}

#[test]
fn a_client_that_has_closed_its_side_still_gets_its_answer() {
    let service = dev();
    for number in 0..20 {
        let mut connection = service.connect();
        let request = Request::json("/claim-verdict", &signed(&format!("half-closed-{number}")));
        connection.send(&request.bytes()).unwrap();
        connection.finish();
        let receipt = connection.answer("POST").unwrap().expect(200).json();
        assert_eq!(text(&receipt, "agent"), format!("half-closed-{number}"));
        connection.wait_for_the_end().unwrap();
    }
}

#[test]
fn a_client_that_goes_away_stops_no_call_and_a_stop_of_the_service_waits_for_it() {
    let launch = || Launch::dev().set("BASE_URL", "http://localhost:8402");
    let first = launch();
    let data = first.data().clone();
    let mut service = first.start();
    let peer = Peer::http(|_| [vec![Step::Gate], document(r#"{"status":"ok"}"#)].concat());
    let claim = Request::json("/claim-verdict", &at(&peer.url("/"), "status", "ok")).bytes();
    let (mut closing, mut resetting) = (service.connect(), service.connect());
    closing.send(&claim).unwrap();
    // A connection that is closed over an answer that nobody has read is reset.
    resetting.send(&[Request::get("/health").bytes(), claim].concat()).unwrap();
    peer.wait_for(2);
    drop((closing, resetting));
    // By the time that this is answered, the service has been told of both ends.
    service.get("/health").expect(200);
    service.terminate();
    peer.open_gate();
    assert!(service.wait().success());
    assert_eq!(launch().on(&data).start().get("/stats").json()["receipts_issued"], 2);
}

#[test]
fn bytes_that_are_no_http_end_the_connection_and_nothing_else() {
    let service = production();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(200_000));
    let many = format!("GET /health HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(20_000));
    for bytes in [
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "GET /health\r\n\r\n",
        "GET /health HTTP/9.9\r\n\r\n",
        "\u{0}\u{0}\u{0}\u{0}\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost notary\r\n\r\n",
        "GET /health HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET /health HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /claim-verdict HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        "POST /claim-verdict HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        "GET http:// HTTP/1.1\r\n\r\n",
        "GET /health HTTP/1.1\r\nX: \u{1}\u{7f}\r\n\r\n",
        "GET /hea lth HTTP/1.1\r\n\r\n",
        &long,
        &many,
    ] {
        let mut connection = service.connect();
        drop(connection.send(bytes.as_bytes()));
        connection.finish();
        if bytes.starts_with("PRI") {
            connection.answer("GET").unwrap().problem(505);
        } else if let Ok(answer) = connection.answer("GET") {
            // An answer, if there is one, is that the request is bad.
            assert!((400..500).contains(&answer.status), "{bytes:.80?}: {answer:?}");
        }
        service.get("/health").expect(200);
    }
}

#[test]
fn a_client_that_begins_with_http_2_is_told_to_use_http_1_1() {
    let service = production();
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    // An empty SETTINGS frame, and a WINDOW_UPDATE, as clients send them at once.
    let frames = b"\0\0\0\x04\0\0\0\0\0\0\0\x04\x08\0\0\0\0\0\0\x01\0\0";
    for (first, then) in [(preface.len(), &frames[..]), (preface.len(), b""), (10, b"")] {
        let mut connection = service.connect();
        // The connection stays open on the client's side, and the preface may come in parts.
        connection.send(&preface.as_bytes()[..first]).unwrap();
        thread::sleep(Duration::from_millis(50));
        connection.send(&[&preface.as_bytes()[first..], then].concat()).unwrap();
        let answer = connection.answer("PRI").unwrap();
        assert_eq!(answer.header("connection"), Some("close"));
        let problem = answer.problem(505);
        assert!(text(&problem, "detail").contains("HTTP/1.1"), "{problem}");
        connection.wait_for_the_end().unwrap();
    }
    service.get("/health").expect(200);
}

#[test]
fn a_length_beside_chunks_smuggles_no_second_request() {
    let service = dev();
    let mut connection = service.connect();
    let hidden = "GET /smuggled HTTP/1.1\r\nHost: n\r\n\r\n";
    let request = format!(
        "POST /claim-verdict HTTP/1.1\r\nHost: n\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        5 + hidden.len(),
    );
    connection.send(request.as_bytes()).unwrap();
    connection.finish();
    let answer = connection.answer("POST").unwrap();
    assert_eq!(answer.status, 400, "{answer:?}");
    // Chunks win over a length (RFC 9112, section 6.3), and then the connection ends or the rest is a request of its own.
    if let Ok(next) = connection.answer("GET") {
        assert!([400, 404].contains(&next.status), "{next:?}");
    }
}

#[test]
fn a_head_or_a_body_that_trickles_in_is_cut_off() {
    let service = production();
    let start = "POST /claim-verdict HTTP/1.1\r\nHost: n\r\n";
    let body = format!("{start}Content-Length: 1000\r\n\r\n");
    thread::scope(|scope| {
        for (begin, drop_of) in [(start, "X: y\r\n"), (body.as_str(), " ")] {
            let service = &service;
            scope.spawn(move || {
                let (stop, stopped) = mpsc::channel::<()>();
                let mut connection = service.connect();
                let mut writer = connection.writer();
                writer.send(begin.as_bytes()).unwrap();
                let trickle = thread::spawn(move || {
                    // The channel's end is the sign to stop; a write that fails says that it was cut off.
                    while stopped.recv_timeout(Duration::from_millis(500))
                        == Err(mpsc::RecvTimeoutError::Timeout)
                        && writer.send(drop_of.as_bytes()).is_ok()
                    {}
                });
                if let Ok(answer) = connection.answer("POST") {
                    assert!([400, 408].contains(&answer.status), "{answer:?}");
                }
                connection.wait_for_the_end().expect("the connection is still open");
                drop(stop);
                trickle.join().unwrap();
            });
        }
    });
    service.get("/health").expect(200);
}
