//! A publication of full size: SDN_ADVANCED.XML read, and read and indexed.
//!
//! `cargo bench -p name-match --bench publication`. The file is made of the names of `../shared/data/ofac/current`, in the
//! schema and about the size of the real one, and stays in the target folder's `tmp` for other measurements. Without
//! those names there is nothing to measure, and it says so.

mod advanced;
mod facts;
mod xml;

use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use name_match::Index;
use watchlist::{List, Publication, PublicationBounds};

fn read(file: &Path) -> List {
    let publication =
        Publication::open(&[file.to_owned()], PublicationBounds::default()).expect("the file is there");
    let mut import = publication.read(None).expect("it is a publication");
    let parsed = import.lists.pop().expect("it is of one list");
    assert_eq!(parsed.doubts, [], "nothing speaks against it");
    parsed.list
}

fn publication(criterion: &mut Criterion) {
    let names =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/ofac/current/ofac-sdn.json.gz");
    if !names.is_file() {
        println!("skipped: {} is not there", names.display());
        return;
    }
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("SDN_ADVANCED.XML");
    advanced::write(&read(&names), &file).expect("the target folder takes the file");
    let list = read(&file);
    let all_names: usize = list.entries.iter().map(|entry| entry.names.len()).sum();
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    println!(
        "{}: {bytes} bytes, {} entries, {all_names} names, {} in their original script",
        file.display(),
        list.entries.len(),
        list.entries.iter().flat_map(|entry| &entry.names).filter(|name| name.original_script).count(),
    );
    criterion.bench_function("an advanced publication read", |bencher| bencher.iter(|| read(&file)));
    criterion.bench_function("an advanced publication read and indexed", |bencher| {
        bencher.iter(|| {
            let list = read(&file);
            (Index::build(&list), list)
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_secs(1));
    targets = publication
}
criterion_main!(benches);
