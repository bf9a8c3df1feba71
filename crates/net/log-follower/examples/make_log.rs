//! Writes a log of a notary's entries into a folder, to be served by `touchstone mirror --serve`, and prints its key:
//! `make_log DIR LEAVES`. For the measurement of `touchstone monitor` in bench/README.md.

use std::path::Path;

use log_follower::{Mirror, MirrorFolder, Observer};
use receipt::sign::log_entry;
use receipt::{ReceiptHash, Timestamp};
use tlog::tile::encode_bundle;
use tlog::{Checkpoint, RightEdge, SigningKey, leaf_hash};

const ORIGIN: &str = "example.com/log";
const KID: &str = "did:web:example.com#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
const START_MS: i64 = 1_795_000_000_000;

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(leaves)) = (arguments.next(), arguments.next()) else {
        return Err("make_log DIR LEAVES".into());
    };
    let leaves: u64 = leaves.parse()?;
    let key = SigningKey::from_seed(ORIGIN, &[7; 32])?;
    let mut mirror = Mirror::new(MirrorFolder::new(Path::new(&folder)));
    let mut edge = RightEdge::new();
    for bundle in 0..leaves.div_ceil(256) {
        let numbers = bundle * 256..((bundle + 1) * 256).min(leaves);
        let entries = numbers.map(|number| {
            let hash = ReceiptHash::of_payload(&number.to_be_bytes());
            let at = Timestamp::from_millis(START_MS + i64::try_from(number)?)?;
            Ok(log_entry("claim-verdict", &hash, KID, at, None))
        });
        let entries = entries.collect::<Result<Vec<_>, Box<dyn std::error::Error + Send + Sync>>>()?;
        let views: Vec<&[u8]> = entries.iter().map(Vec::as_slice).collect();
        mirror.bundle(bundle, &encode_bundle(&views)?, &views, 0)?;
        for entry in views {
            for tile in edge.append(leaf_hash(entry)) {
                mirror.full_tile(&tile)?;
            }
        }
    }
    let note = Checkpoint::new(ORIGIN, edge.size(), edge.root())?.sign(&key)?;
    mirror.verified(&note, &edge)?;
    println!("{}", key.verifier());
    Ok(())
}
