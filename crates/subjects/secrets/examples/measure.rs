//! Reads JSON lines with `text` or `text_b64` and prints the rules found in each row.
use std::io::BufRead as _;

use base64::Engine as _;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(row) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
        let plain = row["text"].as_str().map(str::to_owned);
        let coded =
            || base64::engine::general_purpose::STANDARD.decode(row["text_b64"].as_str().unwrap_or_default());
        let text =
            plain.unwrap_or_else(|| String::from_utf8_lossy(&coded().unwrap_or_default()).into_owned());
        let rules: Vec<_> = secrets::find(&text).findings.iter().map(|s| s.rule.id).collect();
        println!(
            "{}\t{}\t{}\t{}",
            row["label"],
            row["rule"],
            rules.join(","),
            text.chars().take(110).collect::<String>().escape_debug()
        );
    }
}
