//! The public log: who mirrors it sees what was signed, all of it, and only growth.

use std::thread;

use serde_json::Value;

use crate::support::KEY_RECORDS;
use crate::support::claims::signed;
use crate::support::http::{Connection, Request};
use crate::support::log::{Checkpoint, Hash, leaf_hash, root};
use crate::support::notary::Notary;
use crate::support::receipt::{entry, verify};
use crate::support::service::{Launch, Service};

/// Issues so many receipts over several connections.
fn issue(service: &Service, count: usize) -> Vec<Value> {
    let threads = 8;
    thread::scope(|scope| {
        let hands: Vec<_> = (0..threads)
            .map(|hand| {
                scope.spawn(move || {
                    let mut connection = service.connect();
                    let ask = |number| Request::json("/claim-verdict", &signed(&format!("agent-{number}")));
                    (hand..count)
                        .step_by(threads)
                        .map(|number| connection.exchange(&ask(number)).expect(200).json())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        hands.into_iter().flat_map(|hand| hand.join().unwrap()).collect()
    })
}

/// A tile's path (C2SP tlog-tiles): three digits a part, all but the last behind an `x`.
fn tile(kind: &str, index: usize, width: usize) -> String {
    assert!(index < 1000);
    let partial = if width == 256 { String::new() } else { format!(".p/{width}") };
    format!("/log/tile/{kind}/{index:03}{partial}")
}

/// A copy of the log, from its tiles alone.
struct Mirror {
    entries: Vec<Vec<u8>>,
    leaves: Vec<Hash>,
}

impl Mirror {
    fn fetch(connection: &mut Connection, size: usize) -> Self {
        let mut entries = Vec::new();
        for index in 0..size.div_ceil(256) {
            let width = (size - index * 256).min(256);
            let answer = connection.exchange(&Request::get(&tile("entries", index, width))).expect(200);
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            let mut rest = &answer.body[..];
            for _ in 0..width {
                let (length, after) = rest.split_first_chunk().unwrap();
                let (entry, after) = after.split_at(usize::from(u16::from_be_bytes(*length)));
                entries.push(entry.to_vec());
                rest = after;
            }
            assert!(rest.is_empty(), "nothing after the last entry");
        }
        let leaves = entries.iter().map(|entry| leaf_hash(entry)).collect();
        Self { entries, leaves }
    }

    /// The hashes of a tile, from the leaves.
    fn hashes(&self, level: u32, index: usize, width: usize) -> Vec<u8> {
        let span = 256_usize.pow(level);
        let nodes =
            (index * 256..index * 256 + width).map(|node| root(&self.leaves[node * span..(node + 1) * span]));
        nodes.flatten().collect()
    }
}

fn head(connection: &mut Connection, notary: &Notary) -> Checkpoint {
    let answer = connection.exchange(&Request::get("/log/checkpoint")).expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    Checkpoint::open(&answer.text(), &notary.vkey)
}

#[test]
fn a_mirror_of_the_tiles_has_every_receipt_and_the_signed_root_of_every_size() {
    let service = Launch::dev().without_limits().start();
    let notary = Notary::of(&service);
    let mut connection = service.connect();
    let empty = head(&mut connection, &notary);
    assert_eq!(empty.size, KEY_RECORDS, "the records of its keys alone");

    let mut signed: Vec<Checkpoint> = Vec::new();
    let mut receipts = Vec::new();
    for count in [3, 300, 257] {
        receipts.extend(issue(&service, count));
        signed.push(head(&mut connection, &notary));
    }
    let size = receipts.len() + KEY_RECORDS as usize;
    assert_eq!(signed.last().unwrap().size as usize, size);

    let mirror = Mirror::fetch(&mut connection, size);
    for receipt in &receipts {
        let at = verify(receipt, &notary);
        assert_eq!(mirror.entries[at.index as usize], entry(receipt));
        signed.push(at.checkpoint);
    }
    // Every checkpoint that anybody was ever given is of this one log.
    signed.sort_by_key(|checkpoint| checkpoint.size);
    signed.dedup();
    for checkpoint in &signed {
        assert_eq!(
            checkpoint.root,
            root(&mirror.leaves[..checkpoint.size as usize]),
            "size {}",
            checkpoint.size
        );
    }
    assert!(signed.windows(2).all(|pair| pair[0].size < pair[1].size), "one root for one size");

    for (level, nodes) in [(0, size), (1, size / 256)] {
        for index in 0..nodes.div_ceil(256) {
            let width = (nodes - index * 256).min(256);
            let served =
                connection.exchange(&Request::get(&tile(&level.to_string(), index, width))).expect(200);
            assert_eq!(served.body, mirror.hashes(level, index, width), "level {level}, tile {index}");
            assert!(served.header("cache-control").unwrap().contains("immutable"));
        }
    }
}

#[test]
fn a_partial_tile_stays_there_and_what_the_tree_does_not_have_is_404() {
    let service = Launch::dev().without_limits().start();
    let mut connection = service.connect();
    issue(&service, 3);
    let early = connection.exchange(&Request::get(&tile("0", 0, 7))).expect(200).body;
    assert_eq!(early.len(), 7 * 32);
    for (kind, index, width) in
        [("0", 0, 8), ("0", 0, 256), ("0", 1, 1), ("1", 0, 1), ("entries", 0, 8), ("entries", 1, 1)]
    {
        connection.exchange(&Request::get(&tile(kind, index, width))).problem(404);
    }
    issue(&service, 260);
    assert_eq!(connection.exchange(&Request::get(&tile("0", 0, 7))).expect(200).body, early);
    let full = connection.exchange(&Request::get(&tile("0", 0, 256))).expect(200).body;
    assert_eq!((full.len(), &full[..early.len()]), (256 * 32, &early[..]));
    connection.exchange(&Request::get(&tile("1", 0, 1))).expect(200);
}
