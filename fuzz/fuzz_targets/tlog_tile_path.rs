#![no_main]
//! Tile paths: any text is refused or given back as it was.

use libfuzzer_sys::fuzz_target;
use tlog::TilePath;

fuzz_target!(|text: &str| {
    if let Ok(path) = text.parse::<TilePath>() {
        assert_eq!(path.to_string(), text);
    }
});
