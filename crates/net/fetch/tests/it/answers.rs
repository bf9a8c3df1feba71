//! Answers that are slow, endless, cut short, contradictory or not HTTP.

use std::io::Write;
use std::time::Duration;

use fetch::{FetchError, Limits, ResponsePart};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Server, Step, code_of, fetched_of, fetcher_with, get, ok, say, short};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn coded(coding: &str, body: &[u8]) -> Vec<Step> {
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {length}\r\n\r\n");
    say([head.as_bytes(), body].concat())
}

async fn code(script: Vec<Step>) -> &'static str {
    code_of(Limits::default(), script).await
}

#[tokio::test]
async fn slow_answers_run_out_of_time_wherever_they_are_slow() {
    let pause = Duration::from_millis(20);
    assert_eq!(code_of(short(), vec![Step::Silence]).await, "timeout");
    let head = vec![say("HTTP/1.1 200 OK\r\n").remove(0), Step::Forever(b"X".to_vec(), pause)];
    assert_eq!(code_of(short(), head).await, "timeout");
    let drip = vec![
        say("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n").remove(0),
        Step::Forever(b"x".to_vec(), pause),
    ];
    assert_eq!(code_of(short(), drip).await, "timeout");
    let chunks = vec![say(CHUNKED).remove(0), Step::Forever(b"1\r\nx\r\n".to_vec(), pause)];
    assert_eq!(code_of(short(), chunks).await, "timeout");
}

#[tokio::test]
async fn a_late_answer_within_the_time_is_taken() {
    let script = [vec![Step::Wait(Duration::from_millis(50))], ok("late")].concat();
    assert_eq!(&fetched_of(script).await.body[..], b"late");
}

#[tokio::test]
async fn endless_bodies_stop_at_the_limit() {
    let flood = || Step::Forever(vec![b'x'; 65536], Duration::ZERO);
    let until_closed = vec![say("HTTP/1.1 200 OK\r\n\r\n").remove(0), flood()];
    assert_eq!(code(until_closed).await, "too_large");
    let mut chunk = b"10000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x10000, b'x');
    chunk.extend(b"\r\n");
    assert_eq!(code(vec![say(CHUNKED).remove(0), Step::Forever(chunk, Duration::ZERO)]).await, "too_large");
    let announced = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", (1 << 20) + 1);
    assert_eq!(code(vec![say(announced).remove(0), Step::Silence]).await, "too_large", "at once");
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_taken() {
    let body = "x".repeat(1 << 20);
    let fetched = fetched_of(ok(&body)).await;
    assert_eq!((fetched.body.len(), fetched.wire_bytes), (1 << 20, 1 << 20));
}

#[tokio::test]
async fn bytes_around_the_body_are_bounded_too() {
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(1000);
    assert_eq!(code(vec![Step::Forever(interim, Duration::ZERO)]).await, "too_large");
}

#[tokio::test]
async fn interim_responses_are_passed_over() {
    let early = say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n");
    assert_eq!(&fetched_of([early, ok("{}")].concat()).await.body[..], b"{}");
}

#[tokio::test]
async fn gzip_is_undone_in_all_its_members() {
    let body = [gzip(b"[1,"), gzip(b"2]")].concat();
    let fetched = fetched_of(coded("gzip", &body)).await;
    assert_eq!((&fetched.body[..], fetched.wire_bytes), (&b"[1,2]"[..], body.len() as u64));
}

#[tokio::test]
async fn a_gzip_bomb_stops_at_the_limit() {
    let limits = Limits::default();
    let server = Server::start(|_| coded("gzip", &gzip(&vec![b' '; 64 << 20]))).await;
    let fetcher = fetcher_with(limits, crate::support::Names::default());
    let error = get(&fetcher, &format!("http://127.0.0.1:{}/", server.port())).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge(ResponsePart::Decoded)), "{error:?}");
}

#[tokio::test]
async fn gzip_that_is_cut_short_corrupt_or_followed_by_more_is_refused() {
    let whole = gzip(b"the whole truth");
    assert_eq!(code(coded("gzip", &whole[..whole.len() - 1])).await, "bad_encoding");
    assert_eq!(code(coded("gzip", b"")).await, "bad_encoding");
    assert_eq!(code(coded("gzip", b"{}")).await, "bad_encoding");
    assert_eq!(code(coded("gzip", &[whole.as_slice(), b"{}"].concat())).await, "bad_encoding");
    let mut corrupt = whole.clone();
    corrupt[whole.len() / 2] ^= 0x55;
    assert_eq!(code(coded("gzip", &corrupt)).await, "bad_encoding");
}

#[tokio::test]
async fn other_codings_are_refused() {
    for coding in ["br", "zstd", "deflate", "gzip, gzip", "aws-chunked"] {
        assert_eq!(code(coded(coding, b"anything")).await, "bad_encoding", "{coding}");
    }
    let transfer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(code(say(transfer)).await, "http_malformed");
}

#[tokio::test]
async fn a_body_shorter_than_announced_is_refused() {
    assert_eq!(code(say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort")).await, "interrupted");
    assert_eq!(code(say(format!("{CHUNKED}5\r\nwhole\r\n"))).await, "interrupted");
    assert_eq!(code(say(format!("{CHUNKED}5\r\nwho"))).await, "interrupted");
    assert_eq!(code(say("HTTP/1.1 200 OK\r\nContent-Le")).await, "interrupted");
    assert_eq!(code(say("")).await, "interrupted");
}

#[tokio::test]
async fn what_follows_an_announced_body_is_not_part_of_it() {
    let fetched =
        fetched_of(say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n{")).await;
    assert_eq!(&fetched.body[..], b"{}");
}

#[tokio::test]
async fn contradictory_framing_is_refused() {
    for fields in [
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: -2",
        "Content-Length: +2",
        "Content-Length: two",
        "Content-Length: 99999999999999999999999",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ] {
        let code = code(say(format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"))).await;
        assert_eq!(code, "http_malformed", "{fields}");
    }
    assert_eq!(
        code(say("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")).await,
        "http_malformed"
    );
    assert_eq!(code(say(format!("{CHUNKED}xyz\r\n{{}}\r\n0\r\n\r\n"))).await, "http_malformed");
}

#[tokio::test]
async fn what_is_not_http_is_refused() {
    for answer in [
        "<html>HTTP/0.9</html>",
        "{\"json\": \"alone\"}\r\n\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "+PONG\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : space\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    ] {
        assert_eq!(code(say(answer)).await, "http_malformed", "{answer:?}");
    }
}

#[tokio::test]
async fn heads_are_bounded_in_bytes_and_fields() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(40 << 10));
    assert_eq!(code(say(long)).await, "too_large");
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(101));
    assert_eq!(code(say(many)).await, "too_large");
    let endless =
        vec![say("HTTP/1.1 200 OK\r\n").remove(0), Step::Forever(b"X: y\r\n".repeat(100), Duration::ZERO)];
    assert_eq!(code(endless).await, "too_large");
    let one_line =
        vec![say("HTTP/1.1 200 OK\r\nX: ").remove(0), Step::Forever(vec![b'y'; 4096], Duration::ZERO)];
    assert_eq!(code(one_line).await, "too_large");
}

#[tokio::test]
async fn an_answer_until_the_connection_closes_is_taken() {
    assert_eq!(&fetched_of(say("HTTP/1.1 200 OK\r\n\r\n{}")).await.body[..], b"{}");
    assert_eq!(&fetched_of(say("HTTP/1.0 200 OK\r\n\r\n{}")).await.body[..], b"{}");
}

#[tokio::test]
async fn every_status_is_an_answer() {
    for status in [204, 206, 304, 404, 429, 500, 503] {
        assert_eq!(fetched_of(say(format!("HTTP/1.1 {status} X\r\n\r\n"))).await.status, status);
    }
}
