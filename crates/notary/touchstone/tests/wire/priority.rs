//! The places that are reserved: a granted call with priority looks where ordinary ones have to wait.

use std::thread;

use serde_json::Value;

use crate::support::claims::{at, with};
use crate::support::peer::{Peer, Step, document};
use crate::support::receipt::text;
use crate::support::service::{Launch, Service};

/// What the published bounds leave to calls without priority, and how many of them one host takes.
fn bounds(service: &Service) -> (u64, u64) {
    let catalog = service.get("/catalog").expect(200).json();
    let fetch = &catalog["bounds"]["fetch"];
    let bound = |name: &str| fetch[name].as_u64().unwrap();
    (bound("in_all") - bound("reserved_for_priority"), bound("per_host"))
}

/// A claim about a document of the peer, under the address of its `network`-th network.
fn about(peer: &Peer, network: u64, path: &str, agent: &str) -> Value {
    let url = format!("http://127.0.{network}.1:{}{path}", peer.address.port());
    with(at(&url, "status", "active"), "/agent", agent.into())
}

#[test]
fn a_granted_call_with_priority_is_judged_while_every_ordinary_place_is_taken() {
    let service = Launch::dev().start();
    let granted = service.command(["grant", "urgent", "--calls", "5", "--priority"]).output().unwrap();
    assert!(granted.status.success(), "{granted:?}");
    let granted = service.command(["grant", "patient", "--calls", "5"]).output().unwrap();
    assert!(granted.status.success(), "{granted:?}");
    let good = document(r#"{"status":"active"}"#);
    let peer =
        Peer::everywhere(
            move |target| {
                if target == "/slow" { [&[Step::Gate], &*good].concat() } else { good.clone() }
            },
        );
    let (ordinary, per_host) = bounds(&service);
    thread::scope(|scope| {
        for number in 0..ordinary {
            let (service, peer) = (&service, &peer);
            scope.spawn(move || {
                let body = about(peer, 1 + number / per_host, "/slow", &format!("slow-{number}"));
                assert_eq!(text(&service.claim(&body), "verdict"), "CONFIRMED");
            });
        }
        peer.wait_for(usize::try_from(ordinary).unwrap());
        let urgent = service.claim(&about(&peer, 200, "/quick", "urgent"));
        assert_eq!(text(&urgent, "verdict"), "CONFIRMED");
        // Neither a free call nor a granted one without priority finds a place; it uses nothing up.
        for agent in ["patient", "somebody"] {
            let busy = service.ask("/claim-verdict", &about(&peer, 201, "/quick", agent)).problem(503);
            assert_eq!(text(&busy, "module"), "claim");
        }
        peer.open_gate();
    });
    assert_eq!(text(&service.claim(&about(&peer, 201, "/quick", "patient")), "verdict"), "CONFIRMED");
}
