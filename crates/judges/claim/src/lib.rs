//! The judge behind `POST /claim-verdict`: does a named source say what a claim says it does? And the one behind
//! `POST /commit`, in [`commit`]: a claim that no resolver decides.
//!
//! A caller states a claim and names the resolver that decides it. There are two:
//!
//! - `url_json` ([`UrlJson`]): fetch a JSON document, follow a [dot path](DotPath), [compare](matches()) the
//!   value there with the expected text.
//! - `ed25519_signature` ([`SignedMessage`]): [verify](ed25519::verify) a signature over a message under a
//!   given key.
//!
//! What never happens: `CONFIRMED` or `REFUTED` where the source could not be read whole and without doubt
//! (it is `UNRESOLVED`, with a stable `reason`); a number compared through a float; a key whose encoding was
//! not named read as if it had been; a signature accepted that another strict verifier refuses; a finding
//! that depends on anything but the question, the time, and the evidence that is kept for disputes; a
//! connection that the `fetch` crate has not cleared.
//!
//! | module | holds |
//! |---|---|
//! | `question`, `patterns` | what may be asked: fields, bounds, defaults; how they are read |
//! | `path`, `compare` | the rules of `url_json`, pure |
//! | `url_json` | the record of a fetch, and the finding on it |
//! | `reading` | where large documents are read, and how many at once |
//! | [`encoding`], [`ed25519`] | texts that stand for bytes; strict verification |
//! | `signature` | the finding on a signature |
//! | `finding` | what is found, as the receipt shows it |
//! | `page` | the same in words, for the receipt's page |
//! | `judge` | [`ClaimJudge`]: the above behind [`verdict::Judge`] |
//! | [`commit`] | the judge of commits, which shares none of these |
//!
//! Reasons of an unresolved `url_json`: `http_status` (not 2xx), `not_json` (not one JSON text in UTF-8),
//! `too_deep` (over 64 levels), `too_large_to_keep` (over 1 MiB), `path_missing`, `duplicate_key` (on the path),
//! `not_scalar` (an array or an object at the path), and the codes of [`fetch::FetchError::code`]. Reasons of a refuted
//! signature: [`ed25519::SignatureFlaw::code`].

pub mod commit;
mod compare;
pub mod ed25519;
pub mod encoding;
mod finding;
mod judge;
mod module;
mod page;
mod path;
mod patterns;
mod question;
mod reading;
mod signature;
mod url_json;

pub use compare::{FoundValue, JsonType, matches};
pub use finding::{
    ClaimFinding, ClaimVerdict, Evidence, Hop, HttpEvidence, METHOD, ResolverType, SignatureEvidence,
};
pub use judge::ClaimJudge;
pub use module::module;
pub use path::{DotPath, PathError, PathMiss};
pub use question::{ClaimQuestion, ClaimResolver, PublicKeyInput, SignedMessage, UrlJson, limits};
pub use reading::{MAX_LARGE_DOCUMENTS, SMALL_DOCUMENT_BYTES};
pub use url_json::KEPT_BODY_BYTES;
