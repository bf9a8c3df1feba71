//! Time of a look-up in a feed of a million entries: `cargo bench -p threat-feeds`.

use std::hint::black_box;
use std::time::Instant;

use threat_feeds::Feed;
use web_address::WebAddress;

fn main() {
    let lines: String = (0..1_000_000).map(|n| format!("host-{n}.example{}.com\n", n % 1000)).collect();
    let start = Instant::now();
    let feed = Feed::read(lines.as_bytes(), lines.len() as u64).expect("it is a feed");
    println!("{} entries read in {:?}", feed.count(), start.elapsed());
    let texts = [
        "https://www.host-77.example77.com/a/b/c?d",
        "https://docs.example.co.uk/a/b/c/d/e.php?x=1",
        "http://192.0.2.1/",
    ];
    let addresses = texts.map(|text| WebAddress::parse(text).expect("it is an address"));
    let rounds: u32 = 100_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for address in &addresses {
            black_box(feed.look_address("feed", address));
        }
    }
    println!("{:?} a look-up", start.elapsed() / rounds / 3);
}
