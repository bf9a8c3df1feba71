//! Name servers that answer by script: what of it counts, and that nothing else does.

mod denials;
mod examine;
mod lab;

use std::net::SocketAddr;
use std::sync::Arc;

use dns::{Answer, Caa, Dns, Exchange, Failure, Kind, Mx, Name, Record, Resolver};
use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, CAA, CNAME, MX, PTR, SOA, TXT};
use hickory_resolver::proto::rr::{Name as WireName, RData, Record as WireRecord, RecordType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

/// Of every record, in seconds.
const TTL: u32 = 30;

/// What a server makes of a question; `true` where it came over TCP. No answer where it says nothing.
type Script = dyn Fn(&Message, bool) -> Option<Message> + Send + Sync;

/// A server on a free port; it listens for TCP only where it is told to.
async fn server(
    tcp: bool,
    script: impl Fn(&Message, bool) -> Option<Message> + Send + Sync + 'static,
) -> SocketAddr {
    let script: Arc<Script> = Arc::new(script);
    let (listener, udp) = loop {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        // The same port must be free for both.
        if let Ok(udp) = UdpSocket::bind(listener.local_addr().unwrap()).await {
            break (listener, udp);
        }
    };
    let address = udp.local_addr().unwrap();
    if tcp {
        let script = Arc::clone(&script);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Ok(length) = stream.read_u16().await else { continue };
                let mut bytes = vec![0; usize::from(length)];
                stream.read_exact(&mut bytes).await.unwrap();
                if let Some(reply) = script(&Message::from_vec(&bytes).unwrap(), true) {
                    let bytes = reply.to_vec().unwrap();
                    stream.write_u16(u16::try_from(bytes.len()).unwrap()).await.unwrap();
                    stream.write_all(&bytes).await.unwrap();
                }
            }
        });
    }
    tokio::spawn(async move {
        let mut bytes = vec![0; 4096];
        while let Ok((length, client)) = udp.recv_from(&mut bytes).await {
            if let Some(reply) = script(&Message::from_vec(&bytes[..length]).unwrap(), false) {
                udp.send_to(&reply.to_vec().unwrap(), client).await.unwrap();
            }
        }
    });
    address
}

fn wire(text: &str) -> WireName {
    WireName::from_ascii(text).unwrap()
}

fn reply(question: &Message) -> Message {
    let mut reply = Message::response(question.metadata.id, question.metadata.op_code);
    reply.metadata.recursion_desired = true;
    reply.metadata.recursion_available = true;
    reply.queries.clone_from(&question.queries);
    reply
}

fn record(owner: &str, data: RData) -> WireRecord {
    WireRecord::from_rdata(wire(owner), TTL, data)
}

fn text(text: &str) -> RData {
    RData::TXT(TXT::from_bytes(text.as_bytes().chunks(255).collect()))
}

fn alias(owner: &str, target: &str) -> WireRecord {
    record(owner, RData::CNAME(CNAME(wire(target))))
}

fn soa() -> WireRecord {
    soa_of("example.com.")
}

fn soa_of(zone: &str) -> WireRecord {
    record(zone, RData::SOA(SOA::new(wire("ns.example.com."), wire("hm.example.com."), 1, 60, 60, 60, 60)))
}

/// Asks a server that answers every question so.
async fn ask(kind: Kind, script: impl Fn(&mut Message) + Send + Sync + 'static) -> Answer<Record> {
    let address = server(false, move |question, _| {
        let mut reply = reply(question);
        script(&mut reply);
        Some(reply)
    });
    look_up(address.await, kind).await
}

async fn look_up(address: SocketAddr, kind: Kind) -> Answer<Record> {
    let name = Name::parse("www.example.com").unwrap();
    Resolver::at(&[address]).unwrap().look_up(&name, kind).await
}

fn found(records: Vec<Record>) -> Answer<Record> {
    Answer::Found { records, ttl: TTL }
}

/// A name with a dot within its first label, which no query is made for.
fn broken() -> WireName {
    WireName::from_labels([&b"mail.one"[..], b"example", b"com"]).unwrap()
}

#[tokio::test]
async fn records_of_every_kind_are_read() {
    let owner = "www.example.com.";
    let caa = {
        let mut caa = CAA::new_issue(false, None, Vec::new());
        (caa.reserved_flags, caa.tag, caa.value) = (1, "Other".to_owned(), b"a;b".to_vec());
        caa
    };
    let mail = Name::parse("mail.example.com").unwrap();
    for (kind, data, expected) in [
        (Kind::Txt, text(&"x".repeat(300)), Record::Txt(vec![b'x'; 300])),
        (Kind::A, RData::A(A::new(192, 0, 2, 1)), Record::A([192, 0, 2, 1].into())),
        (
            Kind::Mx,
            RData::MX(MX::new(7, wire("Mail.Example.COM."))),
            Record::Mx(Mx { preference: 7, exchange: Exchange::Host(mail.clone()) }),
        ),
        (
            Kind::Mx,
            RData::MX(MX::new(0, wire("."))),
            Record::Mx(Mx { preference: 0, exchange: Exchange::Root }),
        ),
        (
            Kind::Mx,
            RData::MX(MX::new(0, broken())),
            Record::Mx(Mx { preference: 0, exchange: Exchange::Unusable }),
        ),
        (Kind::Ptr, RData::PTR(PTR(wire("mail.example.com."))), Record::Ptr(mail.clone())),
        (Kind::Cname, RData::CNAME(CNAME(wire("mail.example.com."))), Record::Cname(mail)),
        (
            Kind::Caa,
            RData::CAA(caa),
            Record::Caa(Caa { flags: 1, tag: b"Other".to_vec(), value: b"a;b".to_vec() }),
        ),
    ] {
        let answer = ask(kind, move |reply| {
            reply.add_answer(record(owner, data.clone()));
        });
        assert_eq!(answer.await, found(vec![expected]), "{kind:?}");
    }
}

#[tokio::test]
async fn the_ways_to_have_no_record_are_told_apart() {
    let code = |code: ResponseCode, with_soa: bool| {
        ask(Kind::Txt, move |reply| {
            reply.metadata.response_code = code;
            if with_soa {
                reply.add_authority(soa());
            }
        })
    };
    assert_eq!(code(ResponseCode::NoError, true).await, Answer::NoData);
    assert_eq!(code(ResponseCode::NXDomain, true).await, Answer::NxDomain);
    assert_eq!(code(ResponseCode::ServFail, false).await, Answer::Failed(Failure::ServFail));
    assert_eq!(code(ResponseCode::Refused, false).await, Answer::Failed(Failure::Refused));
    assert_eq!(code(ResponseCode::NotImp, false).await, Answer::Failed(Failure::Refused));
    // Without SOA the code says it, or that all denials of the server are so.
    assert_eq!(code(ResponseCode::NXDomain, false).await, Answer::NxDomain);
    assert_eq!(code(ResponseCode::NoError, false).await, Answer::NoData);
}

#[tokio::test]
async fn a_server_that_says_nothing_fails() {
    let silent = server(false, |_, _| None).await;
    assert_eq!(look_up(silent, Kind::Txt).await, Answer::Failed(Failure::TimedOut));
}

#[tokio::test]
async fn records_of_another_name_or_section_are_no_answer_and_no_denial() {
    let other = ask(Kind::Txt, |reply| {
        reply.add_answer(record("other.example.com.", text("v=spf1 +all")));
    });
    assert_eq!(other.await, Answer::Failed(Failure::Unusable));
    let with_soa = ask(Kind::Txt, |reply| {
        reply.add_answer(record("other.example.com.", text("v=spf1 +all")));
        reply.add_authority(soa());
    });
    assert_eq!(with_soa.await, Answer::Failed(Failure::Unusable));
    let beside = ask(Kind::Txt, |reply| {
        reply.add_additional(record("www.example.com.", text("v=spf1 +all")));
    });
    assert!(matches!(beside.await, Answer::Failed(_)));
    let both = ask(Kind::Txt, |reply| {
        reply.add_answer(record("other.example.com.", text("v=spf1 +all")));
        reply.add_answer(record("www.example.com.", text("v=spf1 -all")));
    });
    assert_eq!(both.await, found(vec![Record::Txt(b"v=spf1 -all".to_vec())]));
}

#[tokio::test]
async fn an_answer_to_another_question_is_not_taken() {
    let address = server(false, |question, _| {
        let mut reply = reply(question);
        for query in &mut reply.queries {
            query.set_name(wire("other.example.com."));
        }
        reply.add_answer(record("www.example.com.", text("forged")));
        Some(reply)
    });
    assert!(matches!(look_up(address.await, Kind::Txt).await, Answer::Failed(_)));
}

#[tokio::test]
async fn a_chain_of_aliases_is_followed_to_its_end() {
    let whole = ask(Kind::Txt, |reply| {
        reply.add_answer(alias("www.example.com.", "a.example.com."));
        reply.add_answer(alias("a.example.com.", "b.example.com."));
        reply.add_answer(record("b.example.com.", text("end")));
        reply.add_answer(record("c.example.com.", text("beside")));
    });
    assert_eq!(whole.await, found(vec![Record::Txt(b"end".to_vec())]));
    let empty = ask(Kind::Txt, |reply| {
        if reply.queries[0].name() == &wire("www.example.com.") {
            reply.add_answer(alias("www.example.com.", "a.example.com."));
        }
        reply.add_authority(soa());
    });
    assert_eq!(empty.await, Answer::NoData);
}

#[tokio::test]
async fn a_loop_of_aliases_and_an_endless_chain_are_no_denial() {
    let looping = ask(Kind::Txt, |reply| {
        reply.add_answer(alias("www.example.com.", "a.example.com."));
        reply.add_answer(alias("a.example.com.", "www.example.com."));
    });
    assert!(matches!(looping.await, Answer::Failed(_)));
    let endless = ask(Kind::Txt, |reply| {
        let owner = reply.queries[0].name().to_ascii();
        reply.add_answer(alias(&owner, &format!("x.{owner}")));
    });
    assert!(matches!(endless.await, Answer::Failed(_)));
    let long = ask(Kind::Txt, |reply| {
        reply.add_answer(alias("www.example.com.", "n0.example.com."));
        for at in 0..20 {
            reply.add_answer(alias(&format!("n{at}.example.com."), &format!("n{}.example.com.", at + 1)));
        }
        reply.add_answer(record("n20.example.com.", text("end")));
    });
    assert!(matches!(long.await, Answer::Failed(_)));
}

#[tokio::test]
async fn a_truncated_answer_is_asked_for_over_tcp_and_fails_without_it() {
    let script = |question: &Message, tcp: bool| {
        let mut reply = reply(question);
        if tcp {
            for _ in 0..240 {
                reply.add_answer(record("www.example.com.", text(&"y".repeat(250))));
            }
        } else {
            reply.metadata.truncation = true;
            reply.add_answer(record("www.example.com.", text("cut")));
        }
        Some(reply)
    };
    let Answer::Found { records, .. } = look_up(server(true, script).await, Kind::Txt).await else {
        panic!("answered over TCP")
    };
    assert_eq!(records.len(), 240);
    // The port is taken, and nobody answers there.
    let cut = look_up(server(false, script).await, Kind::Txt).await;
    assert!(matches!(cut, Answer::Failed(_)), "{cut:?}");
}

#[tokio::test]
async fn a_port_where_nobody_is_fails() {
    // On an address of its own: on the tests' another might take the port as soon as it is free.
    let address = {
        let socket = UdpSocket::bind(("127.83.0.1", 0)).await.unwrap();
        socket.local_addr().unwrap()
    };
    assert!(matches!(look_up(address, Kind::Txt).await, Answer::Failed(_)));
}

#[tokio::test]
async fn what_is_asked_is_absolute() {
    let address = server(false, |question, _| {
        let mut reply = reply(question);
        let query = &question.queries[0];
        let as_asked = *query.name() == wire("www.example.com.") && query.query_type() == RecordType::TXT;
        reply.add_answer(record("www.example.com.", text(if as_asked { "asked" } else { "other" })));
        Some(reply)
    });
    assert_eq!(look_up(address.await, Kind::Txt).await, found(vec![Record::Txt(b"asked".to_vec())]));
}
