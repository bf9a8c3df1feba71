//! The public log of a big store: the checkpoint, and full hash tiles and entry bundles at random.

use tlog::TilePath;

use super::{Bench, rate};
use crate::http;
use crate::questions::Random;
use crate::report::{Report, Target};

/// Tiles that are asked for in turn.
const ASKED: usize = 20_000;
const LEAVES_A_TILE: u64 = 256;

/// Measures it and adds the figures.
pub fn run(bench: &Bench, report: &mut Report) -> anyhow::Result<()> {
    let store = bench.store()?;
    let full_tiles = store.hashes.len() as u64 / LEAVES_A_TILE;
    anyhow::ensure!(full_tiles > 0, "a store of {} receipts has no full tile", store.hashes.len());
    let mut random = Random::new(3);
    let mut paths = |path: fn(u64) -> Result<TilePath, tlog::TileError>| {
        let one = |_| Ok(http::get(&format!("/log/{}", path(random.below(full_tiles))?)));
        (0..ASKED).map(one).collect::<anyhow::Result<Vec<_>>>()
    };
    let tiles = paths(|index| TilePath::hashes(0, index, tlog::tile::FULL_WIDTH))?;
    let bundles = paths(|index| TilePath::entries(index, tlog::tile::FULL_WIDTH))?;
    let checkpoint = vec![http::get("/log/checkpoint")];

    let notary = bench.notary(&store.folder)?;
    for (name, requests, must_contain) in [
        ("/log/checkpoint", &checkpoint, "localhost:8402/log"),
        ("full hash tiles", &tiles, ""),
        ("full entry bundles", &bundles, r#"{"class":"#),
    ] {
        let outcomes = bench.repeat(&bench.plan(&notary, requests, must_contain))?;
        report.add(rate(name, "log", &outcomes, Target::AtLeast(40_000.0)));
    }
    notary.stop()
}
