//! Real servers, straight and behind a stub that leaves the SOA out.

use dns::{Root, examine};
use peers::lab::Lab;

use super::*;
use crate::stub::stub;

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
