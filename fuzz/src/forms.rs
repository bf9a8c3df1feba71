//! Receipts in other forms: a payload is refused, or each form repeats it.

use ::receipt::json::{self, Json};
use ::receipt::key::KeyId;
use ::receipt::sign::Signer;
use receipt_forms::{Statement, credential, validation};

use crate::archive::{BASE_URL, receipt_key};

/// Payloads: any bytes are refused, or give documents that are canonical and name the receipt's verdict and address.
pub fn statement(data: &[u8]) -> bool {
    let Ok(statement) = Statement::read(data, &[1; 64]) else { return false };
    let key = receipt_key();
    let kid = KeyId::new(BASE_URL, &key.public_key()).expect("a base address");
    let signer = Signer::new(key, kid);
    let entry = statement.log_entry();
    assert_eq!(json::parse(&entry).map(|entry| entry.canonical()), Ok(entry));
    let class = Some(statement.class().to_owned());
    if let Ok(document) = credential::credential(&statement, &signer) {
        let read = json::parse(&document).expect("a document");
        assert_eq!(read.canonical(), document);
        let receipt = read.get("credentialSubject").and_then(|subject| subject.get("receipt"));
        let named = receipt.and_then(|receipt| receipt.get("class")).and_then(Json::as_str);
        assert_eq!(named.map(str::to_owned), class);
    }
    if let Ok(document) = validation::response(&statement, "CONFIRMED") {
        let read = json::parse(&document).expect("a document");
        let tag = read.get("arguments").and_then(|arguments| arguments.get("tag")).and_then(Json::as_str);
        assert_eq!(tag.map(str::to_owned), class);
    }
    true
}
