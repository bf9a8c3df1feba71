//! Servers that do what servers should not, and hosts where there is none.

use fetch::{Policy, Roots};
use probe::tls::{Acceptance, ChainTrust, HandshakeOutcome, TlsProbe, Verification, Versions};
use proptest::prelude::*;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use super::support::{fetcher, host, look, look_at, now, say, serve, until_gone};

const UNSEEN: Versions = Versions {
    tls10: Acceptance::Unknown,
    tls11: Acceptance::Unknown,
    tls12: Acceptance::Unknown,
    tls13: Acceptance::Unknown,
};

#[tokio::test]
async fn a_server_that_never_speaks_is_seen_to_within_the_time() {
    let port = serve(|mut stream| async move { until_gone(&mut stream).await }).await;
    let seen = look(port, Roots::none()).await;
    assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::NeverSpoke, UNSEEN));
}

#[tokio::test]
async fn a_server_that_begins_and_stops_is_out_of_time() {
    let seen = look(say(b"\x16\x03\x03\x00\x7a\x02\x00").await, Roots::none()).await;
    assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::TimedOut, UNSEEN));
}

#[tokio::test]
async fn a_server_that_closes_at_once_is_seen_to() {
    let seen = look(serve(|stream| async move { drop(stream) }).await, Roots::none()).await;
    assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::Closed, UNSEEN));
}

#[tokio::test]
async fn a_server_that_speaks_something_else_speaks_no_tls() {
    for words in [
        &b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"[..],
        b"SSH-2.0-OpenSSH\r\n",
        b"220 mail\r\n",
    ] {
        let seen = look(say(words).await, Roots::none()).await;
        assert_eq!(seen.outcome, HandshakeOutcome::NotTls);
    }
}

#[tokio::test]
async fn an_alert_is_kept_with_its_number() {
    let seen = look(say(b"\x15\x03\x01\x00\x02\x02\x70").await, Roots::none()).await;
    assert_eq!((seen.outcome, seen.alert), (HandshakeOutcome::Alert, Some(112)));
    let seen = look(say(b"\x15\x03\x01\x00\x02\x02\x50").await, Roots::none()).await;
    assert_eq!((seen.outcome, seen.alert), (HandshakeOutcome::Alert, Some(80)));
}

#[tokio::test]
async fn a_flood_comes_to_an_end() {
    let warnings = b"\x15\x03\x03\x00\x02\x01\x70";
    let empty = b"\x16\x03\x03\x00\x00";
    let hello = b"\x16\x03\x03\x40\x00\x02\xff\xff\xff";
    for (flood, outcome) in [
        (&b"spam"[..], HandshakeOutcome::NotTls),
        (warnings, HandshakeOutcome::Broken),
        (empty, HandshakeOutcome::Broken),
        (hello, HandshakeOutcome::Broken),
    ] {
        let port = serve(move |mut stream| async move {
            let block = flood.repeat(1000);
            while stream.write_all(&block).await.is_ok() {}
        })
        .await;
        let seen = look(port, Roots::none()).await;
        assert_eq!((seen.outcome, seen.chain.len()), (outcome, 0), "{flood:?}");
    }
}

#[tokio::test]
async fn a_server_of_tls_1_0_alone_is_seen_by_the_hellos() {
    // The same ServerHello to everybody: TLS 1.0, AES128-SHA.
    static HELLO: [u8; 47] = {
        let mut hello = [7; 47];
        let head = *b"\x16\x03\x01\x00\x2a\x02\x00\x00\x26\x03\x01";
        let mut at = 0;
        while at < head.len() {
            hello[at] = head[at];
            at += 1;
        }
        hello[43] = 0;
        hello[44] = 0;
        hello[45] = 0x2f;
        hello[46] = 0;
        hello
    };
    let seen = look(say(&HELLO).await, Roots::none()).await;
    let (accepted, refused) = (Acceptance::Accepted, Acceptance::Refused);
    assert_eq!(seen.outcome, HandshakeOutcome::Incompatible);
    let versions = Versions { tls10: accepted, tls11: refused, tls12: refused, tls13: refused };
    assert_eq!(seen.versions, versions);
}

#[tokio::test]
async fn a_port_where_nothing_listens_refuses_the_connection() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let seen = look(port, Roots::none()).await;
    assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::ConnectionRefused, UNSEEN));
}

#[tokio::test]
async fn a_name_without_an_address_is_told_from_one_that_cannot_be_looked_up() {
    for (name, outcome) in [
        ("nowhere.example.com", HandshakeOutcome::NoAddress),
        ("broken.example.com", HandshakeOutcome::DnsFailed),
    ] {
        assert_eq!(look_at(name, 443, Roots::none()).await.outcome, outcome, "{name}");
    }
}

#[tokio::test]
async fn what_the_guard_refuses_is_denied() {
    for (policy, port) in [(Policy::production(), 443), (Policy::production(), 25)] {
        let seen = TlsProbe::new(fetcher(policy), Roots::none(), port).look(&host(), now()).await;
        assert_eq!((seen.outcome, seen.versions), (HandshakeOutcome::Denied, UNSEEN));
    }
    assert_eq!(look_at("printer.local", 443, Roots::none()).await.outcome, HandshakeOutcome::Denied);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever a server answers, a look ends, and nothing of it is good.
    #[test]
    fn no_answer_is_good_without_a_certificate(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 1..200),
            prop::collection::vec(any::<u8>(), 0..200).prop_map(|rest| [&b"\x16\x03\x03\x00\x5a\x02\x00\x00\x56\x03\x03"[..], &rest].concat()),
        ],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let seen = runtime.block_on(async {
            let port = serve(move |mut stream| {
                let bytes = bytes.clone();
                async move {
                    // Closed behind the answer, so that nobody waits for more; the hello is taken first, so that
                    // closing does not reset the connection.
                    let mut hello = [0; 4096];
                    let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut hello).await;
                    let _ = stream.write_all(&bytes).await;
                }
            })
            .await;
            look(port, Roots::none()).await
        });
        let is_good = |trust: ChainTrust| trust.verification == Verification::Valid && trust.key_is_proven;
        prop_assert!(!seen.trust.is_some_and(is_good), "{:?}", seen);
    }
}
