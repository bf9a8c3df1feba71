//! Addresses that one core parses, canonicalises and expands in a second: `cargo bench -p web-address`.

use std::hint::black_box;
use std::time::Instant;

use web_address::WebAddress;

fn main() {
    let texts = [
        "https://www.example.com/",
        "https://user@login.secure.example.co.uk:8443/a/b/c/d/e.php?session=12345&next=%2Fhome",
        "http://3279880203/%2E%73%65%63%75%72%65/%77%77%77",
        "https://xn--bcher-kva.example.com/wallet/connect#restore",
    ];
    let rounds = 50_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for text in texts {
            let address = WebAddress::parse(black_box(text)).expect("it is an address");
            black_box((address.canonical().len(), address.expressions()));
        }
    }
    let per_second = f64::from(rounds) * texts.len() as f64 / start.elapsed().as_secs_f64();
    println!("{per_second:.0} addresses a second");
}
