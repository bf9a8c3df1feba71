//! Real servers, straight and behind a stub that leaves the SOA out.

use peers::lab::Lab;
use trust::dns::{Recorder, Root, Tape, examine};
use trust::domain::{PublicSuffixes, Rules, Subject};
use trust::records;
use verdict::Timestamp;

use super::*;

/// Passes questions on to a server, and answers back without what is in their authority section.
async fn stub(server: SocketAddr) -> SocketAddr {
    let socket = Arc::new(UdpSocket::bind(("127.0.0.1", 0)).await.unwrap());
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut bytes = vec![0; 4096];
        while let Ok((length, client)) = socket.recv_from(&mut bytes).await {
            let (question, socket) = (bytes[..length].to_vec(), Arc::clone(&socket));
            tokio::spawn(async move {
                let upstream = UdpSocket::bind(("127.0.0.1", 0)).await.unwrap();
                upstream.connect(server).await.unwrap();
                upstream.send(&question).await.unwrap();
                let mut bytes = vec![0; 4096];
                let length = upstream.recv(&mut bytes).await.unwrap();
                let mut answer = Message::from_vec(&bytes[..length]).unwrap();
                answer.authorities.clear();
                socket.send_to(&answer.to_vec().unwrap(), client).await.unwrap();
            });
        }
    });
    address
}

#[tokio::test]
async fn a_stub_that_leaves_the_soa_out_says_what_its_server_does() {
    let Some(lab) = Lab::shared("name servers asked for records") else { return };
    let straight = Resolver::at(&[lab.resolver]).unwrap();
    let behind = Resolver::at(&[stub(lab.resolver).await]).unwrap();
    for (name, kind, is_void) in [
        ("signed.test", Kind::Txt, false),
        ("signed.test", Kind::Tlsa, true),
        ("plain.test", Kind::Aaaa, true),
        ("nothing.plain.test", Kind::Txt, true),
        ("alias.test", Kind::A, false),
        ("alias.test", Kind::Mx, true),
        ("nowhere.test", Kind::Txt, true),
    ] {
        let name = Name::parse(name).unwrap();
        let plain = |answer: Answer<Record>| (answer.is_void(), answer.failure(), answer.records());
        let (one, other) = (straight.look_up(&name, kind).await, behind.look_up(&name, kind).await);
        assert_eq!(one.is_void(), is_void, "{name} {kind:?}: {one:?}");
        assert_eq!(plain(one), plain(other), "{name} {kind:?}");
    }
}

/// All that is looked up of a domain; once more where a machine that is busy with other things left no time for it.
async fn read(resolver: &Resolver, subject: &Subject) -> Tape {
    for _ in 0..4 {
        let recorder = Recorder::of(resolver);
        records::read(&recorder, subject, Timestamp::EPOCH).await;
        if !recorder.has_failed() {
            return recorder.into_tape();
        }
    }
    panic!("{} cannot be looked up", subject.name)
}

#[tokio::test]
async fn behind_a_stub_that_leaves_the_soa_out_a_domain_has_the_records_that_it_has() {
    let Some(lab) = Lab::shared("name servers asked for records") else { return };
    let straight = Resolver::at(&[lab.resolver]).unwrap();
    let behind = Resolver::at(&[stub(lab.resolver).await]).unwrap();
    let rules = Rules { allowed_suffixes: vec!["test".to_owned()] };
    for name in ["perfect.test", "plain.test", "nomail.test", "alias.test", "nothing.test"] {
        let subject = Subject::parse(name, &PublicSuffixes::default(), &rules).unwrap();
        assert_eq!(read(&straight, &subject).await, read(&behind, &subject).await, "{name}");
    }
}

#[tokio::test]
async fn what_a_resolver_is_left_with_of_records_of_another_name_is_no_denial() {
    let Some(lab) = Lab::shared("name servers asked for records") else { return };
    let name = Name::parse("other-name.test").unwrap();
    for kind in [Kind::Txt, Kind::A, Kind::Caa] {
        for server in [lab.resolver, lab.liars.other_name.address()] {
            let answer = Resolver::at(&[server]).unwrap().look_up(&name, kind).await;
            assert_eq!(answer, Answer::Failed(Failure::Unusable), "{kind:?} by {server}");
        }
    }
}

#[tokio::test]
async fn name_servers_are_found_to_be_what_they_are() {
    let Some(lab) = Lab::shared("name servers asked for records") else { return };
    let servers = vec![lab.resolver, lab.dns, stub(lab.resolver).await];
    let found: Vec<_> =
        examine(Some(servers)).await.into_iter().map(|found| (found.root, found.leaves_out_soa)).collect();
    let root = |authentic| Ok(Root { signed: true, authentic });
    assert_eq!(found, [(root(true), Some(false)), (root(false), Some(false)), (root(true), Some(true))]);
}
