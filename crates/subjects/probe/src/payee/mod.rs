//! Statements of a domain about the addresses to which it is paid.
//!
//! A domain that sells over x402 may publish its payees: in a discovery document at `/.well-known/x402` or
//! `/.well-known/x402.json`, whose payment requirements have a member `payTo`; or in a TXT record at `_x402.domain`
//! (draft-hawkins-x402-dns-discovery: `v=x402-1; wk=...`, with a further pair `payto=...`). There is no standard for
//! either, so every place is read for addresses, and all are given with their place.
//!
//! The observation is no verdict: an address that is missing is not shown to be somebody else's.
//!
//! ```
//! use probe::payee::{is_same_payee, payees_in_document};
//!
//! let address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
//! let document = format!(r#"{{"x402Version":2,"accepts":[{{"network":"eip155:8453","payTo":"{address}"}}]}}"#);
//! let payees = payees_in_document(document.as_bytes());
//! assert!(is_same_payee(&payees[0], address));
//! ```

mod probe;
mod read;

pub use probe::{
    CONNECTIONS, LOOK, MAX_DOCUMENT_BYTES, PLACES, PayeeDocument, PayeeDocumentResult, PayeeObservation,
    PayeeProbe,
};
pub use read::{
    MAX_PAYEES, is_same_payee, manifest_in_txt, names_in_document, payees_in_document, payees_in_text,
    payees_in_txt,
};
