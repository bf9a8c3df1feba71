//! Addresses that one core parses and scans in a second: `cargo bench -p url-signals`.

use std::hint::black_box;
use std::time::Instant;

use url_signals::Scanner;
use web_address::WebAddress;

fn main() {
    let scanner = Scanner::new();
    let texts = [
        "https://www.example.com/",
        "https://login.secure.example.co.uk:8443/a/b/c/d/e.php?session=12345&next=%2Fhome",
        "http://3279880203/%2E%73%65%63%75%72%65/%77%77%77",
        "https://xn--bcher-kva.example.com/wallet/connect#restore",
        "https://paypal-secure-login.example.io/webscr?cmd=_login-run&dispatch=5885d80a13c0db1f8e263663d3faee8d",
    ];
    let rounds = 10_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for text in texts {
            let address = WebAddress::parse(black_box(text)).expect("it is an address");
            black_box(scanner.scan(&address));
        }
    }
    let per_second = f64::from(rounds) * texts.len() as f64 / start.elapsed().as_secs_f64();
    println!("{per_second:.0} addresses a second");
    let long = format!("https://example.com/{}?{}", "a/".repeat(16_000), "b=http://c.example&".repeat(1_600));
    let start = Instant::now();
    for _ in 0..100 {
        let address = WebAddress::parse(black_box(&long)).expect("it is an address");
        black_box(scanner.scan(&address));
    }
    println!("{:.2} ms for an address of {} bytes", start.elapsed().as_secs_f64() * 10.0, long.len());
}
