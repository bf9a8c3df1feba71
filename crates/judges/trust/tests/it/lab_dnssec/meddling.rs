//! Servers that lie, and what may become of an answer on its way.

use std::net::SocketAddr;
use std::sync::Arc;

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::A;
use hickory_resolver::proto::rr::rdata::opt::{EdnsCode, EdnsOption};
use hickory_resolver::proto::rr::{RData, RecordType};
use probe::dnssec::{Anchors, DnssecConfig, DnssecProbe, LookFailure, ResolverReply, SecurityStatus};
use tokio::net::UdpSocket;
use trust::score::Status;

use super::{check, expected, lab, look, look_patiently, probe, unknown};

#[tokio::test]
async fn servers_that_lie_or_are_silent_make_nothing_good_and_nothing_bad() {
    let Some(lab) = lab() else { return };
    let liars = &lab.liars;
    for server in [
        liars.refused.address(),
        liars.other_name.address(),
        liars.truncated.address(),
        liars.caa_fails.address(),
        liars.silent_address(),
    ] {
        let seen = look(&probe(lab, server, None), "signed.test").await;
        assert_eq!(check(&seen).0, Status::Unknown, "{seen:#?}");
    }
    // Below a delegation whose servers do so.
    for name in ["lame.test", "dead.test", "other-name.test", "truncated.test"] {
        let (status, reason, cap) = check(&look(&probe(lab, lab.resolver, None), name).await);
        assert_eq!((status, cap), (Status::Unknown, None), "{name}: {reason}");
    }
}

#[tokio::test]
async fn where_the_first_server_is_silent_the_second_is_asked() {
    let Some(lab) = lab() else { return };
    let anchors = Anchors::parse(&format!(". IN DNSKEY {}\n", lab.root_key)).unwrap();
    let servers = Some(vec![lab.liars.silent_address(), lab.resolver]);
    let probe = DnssecProbe::new(DnssecConfig { servers, validating_resolver: None, anchors });
    let seen = look_patiently(&probe, "signed.test").await;
    assert_eq!(check(&seen), expected("signed.test", SecurityStatus::Secure), "{seen:#?}");
}

/// What becomes of an answer on its way; it is dropped where there is none. The first message is the question.
type Meddle = fn(&Message, Message) -> Option<Message>;

/// Passes questions on to a server, and answers on as `meddle` leaves them.
async fn between(server: SocketAddr, meddle: Meddle) -> SocketAddr {
    let socket = Arc::new(UdpSocket::bind(("127.0.0.1", 0)).await.unwrap());
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut bytes = vec![0; 4096];
        while let Ok((length, client)) = socket.recv_from(&mut bytes).await {
            // Each on its own: an answer that is lost holds no other.
            let (socket, asked) = (Arc::clone(&socket), bytes[..length].to_vec());
            tokio::spawn(async move {
                let question = Message::from_vec(&asked).unwrap();
                let upstream = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
                upstream.connect(server).await.unwrap();
                upstream.send(&asked).await.unwrap();
                let mut bytes = vec![0; 4096];
                let length = upstream.recv(&mut bytes).await.unwrap();
                let answer = Message::from_vec(&bytes[..length]).unwrap();
                if let Some(answer) = meddle(&question, answer) {
                    socket.send_to(&answer.to_vec().unwrap(), client).await.unwrap();
                }
            });
        }
    });
    address
}

/// Another address than the one that was signed.
fn tamper(_: &Message, mut answer: Message) -> Option<Message> {
    for record in &mut answer.answers {
        if record.record_type() == RecordType::A {
            record.data = RData::A(A::new(192, 0, 2, 66));
        }
    }
    Some(answer)
}

/// The same, with what a resolver that checks says of it.
fn tamper_and_object(question: &Message, answer: Message) -> Option<Message> {
    let is_address = question.queries[0].query_type() == RecordType::A;
    if !is_address || question.metadata.checking_disabled {
        return tamper(question, answer);
    }
    let mut refusal = Message::error_msg(answer.metadata.id, answer.metadata.op_code, ResponseCode::ServFail);
    refusal.queries = answer.queries;
    let mut edns = answer.edns.unwrap();
    edns.options_mut().options.push((EdnsCode::Unknown(15), EdnsOption::Unknown(15, vec![0, 6])));
    refusal.set_edns(edns);
    Some(refusal)
}

fn strip(_: &Message, mut answer: Message) -> Option<Message> {
    let is_plain =
        |kind: RecordType| !matches!(kind, RecordType::RRSIG | RecordType::NSEC | RecordType::NSEC3);
    answer.answers.retain(|record| is_plain(record.record_type()));
    answer.authorities.retain(|record| is_plain(record.record_type()));
    answer.metadata.authentic_data = false;
    Some(answer)
}

fn of_keys(question: &Message) -> bool {
    let query = &question.queries[0];
    query.query_type() == RecordType::DNSKEY && query.name().num_labels() == 2
}

fn lose_keys(question: &Message, answer: Message) -> Option<Message> {
    (!of_keys(question)).then_some(answer)
}

fn fail_keys(question: &Message, mut answer: Message) -> Option<Message> {
    if of_keys(question) {
        answer.answers.clear();
        answer.metadata.response_code = ResponseCode::ServFail;
    }
    Some(answer)
}

fn refuse_ds(question: &Message, mut answer: Message) -> Option<Message> {
    if question.queries[0].query_type() == RecordType::DS {
        answer.metadata.response_code = ResponseCode::Refused;
    }
    Some(answer)
}

#[tokio::test]
async fn an_answer_that_was_altered_is_not_secure_and_bogus_only_where_a_resolver_objects_too() {
    let Some(lab) = lab() else { return };
    let seen = look_patiently(&probe(lab, between(lab.dns, tamper).await, None), "signed.test").await;
    assert_eq!(
        (seen.validation.zone, seen.validation.address),
        (SecurityStatus::Secure, SecurityStatus::Bogus)
    );
    assert_eq!(check(&seen), unknown("bogus_by_one_witness"));
    // A resolver that has it from elsewhere vouches for it.
    let seen =
        look_patiently(&probe(lab, between(lab.dns, tamper).await, Some(lab.resolver)), "signed.test").await;
    assert_eq!(check(&seen), unknown("witnesses_disagree"));
    let seen =
        look_patiently(&probe(lab, between(lab.dns, tamper_and_object).await, None), "signed.test").await;
    assert_eq!(check(&seen), expected("signed.test", SecurityStatus::Bogus));
}

#[tokio::test]
async fn a_stub_that_leaves_out_signatures_makes_no_zone_unsigned() {
    let Some(lab) = lab() else { return };
    let probe = probe(lab, between(lab.resolver, strip).await, None);
    for name in ["signed.test", "plain.test", "bogus.test", "nothing.signed.test"] {
        let seen = look_patiently(&probe, name).await;
        let ResolverReply::Answered(root) = &seen.resolver.root else { panic!("{seen:#?}") };
        assert!(!root.signed);
        assert_eq!(seen.validation.zone, SecurityStatus::Failed(LookFailure::Stripped), "{name}");
        let found = check(&seen);
        // Of the bogus zone the resolver itself says what it is, which is one witness.
        let reason = if name == "bogus.test" { "bogus_by_one_witness" } else { "signatures_stripped" };
        assert_eq!(found, unknown(reason), "{name}");
    }
}

#[tokio::test]
async fn a_fetch_that_fails_on_the_way_is_unknown_and_not_bogus() {
    let Some(lab) = lab() else { return };
    for (meddle, trouble) in [
        (lose_keys as Meddle, LookFailure::TimedOut),
        (fail_keys, LookFailure::ServFail),
        (refuse_ds, LookFailure::Refused),
    ] {
        let probe = probe(lab, between(lab.resolver, meddle).await, None);
        let seen = match trouble {
            LookFailure::TimedOut => look(&probe, "signed.test").await,
            _ => look_patiently(&probe, "signed.test").await,
        };
        assert_eq!(seen.validation.zone, SecurityStatus::Failed(trouble), "{seen:#?}");
        // The resolver's flag came over the same path.
        assert_eq!(check(&seen), unknown("signed_by_one_witness"));
    }
}
