//! Prints the best of three times of `find` on ordinary and hostile texts.
use std::time::Instant;
fn main() {
    for unit in [
        "The keeper of the key wrote: see https://example.org/a?b=1, then. ",
        "ghp_",
        "-----BEGIN",
        "-----BEGIN RSA PRIVATE KEY-----",
        "4",
        "a",
        "curl ",
        "key=",
        "eyJ",
        "abandon ",
        "://a:",
    ] {
        for size in [8192, 262_144] {
            let text: String = unit.chars().cycle().take(size).collect();
            let _ = secrets::find("warm");
            let best = (0..3)
                .map(|_| {
                    let t = Instant::now();
                    let _ = secrets::find(&text);
                    t.elapsed()
                })
                .min();
            println!("{:?} {size} {best:?}", &unit[..unit.len().min(14)]);
        }
    }
}
