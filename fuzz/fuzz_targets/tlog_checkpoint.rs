#![no_main]
//! Checkpoints: any text is refused or given back as it was.

use libfuzzer_sys::fuzz_target;
use tlog::Checkpoint;

fuzz_target!(|text: &str| {
    if let Ok(checkpoint) = text.parse::<Checkpoint>() {
        assert_eq!(checkpoint.to_string(), text);
    }
    let _opened = Checkpoint::open(text, &[]);
});
