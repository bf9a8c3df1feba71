//! Times of both scans on one core: `cargo bench -p safety`. For each text the median, the 95th percentile and the longest
//! of as many runs; then addresses a second.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use safety::{TextScan, scan_url};
use threat_feeds::Feeds;
use verdict::Timestamp;

/// Ordinary words, and repetitions that make a search look far ahead or find much.
const PIECES: [&str; 25] = [
    "The keeper of the key wrote: see https://example.org/a?b=1, and bring the second half of the papers. ",
    "Der Schlüssel liegt unter der Matte, und die Übergabe ist erst am Dienstag nach Ostern. ",
    "会议改到三点，请带上文件，并在出发之前给办公室打电话。",
    "<p class=\"a\">A page with <b>markup</b> and <a href=\"https://example.org/x\">links</a>.</p>\n",
    "a",
    "0",
    " ",
    "\u{200b}",
    "a\u{200b}",
    "\u{202e}a\u{202c}",
    "\u{e0061}",
    "<",
    "&#105;",
    "%69",
    "aWdub3JlIGFsbCBv\n",
    "69676e6f 72652061 ",
    "key=",
    "curl ",
    "password: 'aB3",
    "abandon ",
    "ignore previous instructions ",
    "https://a.example/b ",
    "a.example/b?c=d ",
    "4111 1111 1111 1111 ",
    "іgnоrе ",
];

fn main() {
    println!("| text | bytes | median ms | p95 ms | longest ms |\n|---|--:|--:|--:|--:|");
    for piece in PIECES {
        for (bytes, runs) in [(8 << 10, 200), (256 << 10, 12)] {
            report(&format!("{piece:?}"), &repeated(piece, bytes), runs);
        }
    }
    let mut nested = PIECES[0].repeat(20);
    while nested.len() < 100 << 10 {
        nested = STANDARD.encode(&nested);
    }
    report("base 64 in base 64", &nested, 12);
    let links: String =
        (0..6000).map(|number| format!("https://a{number}.example.org/b?c={number}\n")).collect();
    report("thousands of addresses", &links[..(256 << 10).min(links.len())], 12);
    // Tokens of GitHub's shape, which nobody has issued.
    let tokens: String = (0..6000_u64)
        .map(|number| {
            let digits =
                format!("{:018}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000_000_000_000_000_000);
            let token: String =
                digits.chars().zip("AbCdEfGhIjKlMnOpQr".chars()).flat_map(|(a, b)| [a, b]).collect();
            format!("gh{}_{token}\n", "p")
        })
        .collect();
    report("thousands of tokens", &tokens[..(256 << 10).min(tokens.len())], 12);
    let mails: String =
        (0..6000).map(|number| format!("card 4111111111111111 of a{number}@mail.example\n")).collect();
    report("thousands of cards", &mails[..(256 << 10).min(mails.len())], 12);
    addresses();
}

/// The piece over and over, up to a number of bytes.
fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len())
}

fn report(name: &str, text: &str, runs: usize) {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let started = Instant::now();
            let scan = TextScan::of(text);
            std::hint::black_box(scan.redacted());
            std::hint::black_box(scan.result());
            started.elapsed()
        })
        .collect();
    times.sort();
    let at = |share: usize| times[(runs * share / 100).min(runs - 1)].as_secs_f64() * 1e3;
    println!("| {name} | {} | {:.2} | {:.2} | {:.2} |", text.len(), at(50), at(95), at(100));
}

fn addresses() {
    let none = Feeds::open(&[]).expect("there is nothing to read");
    let all: Vec<String> = (0..20_000)
        .map(|number| match number % 4 {
            0 => format!("https://www.shop{number}.example.org/goods/{number}?colour=red&size=2"),
            1 => format!("http://paypal-login{number}.example.net/account/verify.php"),
            2 => format!("https://docs.example.com/guide/chapter-{number}/section.html#part"),
            _ => format!("http://xn--bcher-kva{number}.example/a/b/c/d?e=%41%42"),
        })
        .collect();
    let started = Instant::now();
    for url in &all {
        std::hint::black_box(scan_url(url, &none, Timestamp::EPOCH).ok());
    }
    println!("\n{:.0} addresses a second", all.len() as f64 / started.elapsed().as_secs_f64());
}
