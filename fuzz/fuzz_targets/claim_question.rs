#![no_main]
//! Questions: any bytes are refused or read, and a refusal names a field of the question.

use claim::ClaimQuestion;
use libfuzzer_sys::fuzz_target;
use receipt::json::{Json, parse};
use verdict::{Fields, Question};

fuzz_target!(|bytes: &[u8]| {
    let Ok(Json::Object(request)) = parse(bytes) else { return };
    if let Err(error) = ClaimQuestion::read(&Fields::root(&request)) {
        let field = error.path.dotted();
        assert!(field == "claim" || field == "resolver" || field.starts_with("resolver."), "{error}");
    }
});
