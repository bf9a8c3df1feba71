//! The judge behind `POST /claim-verdict`, which compares a claim with its named source, and the judge behind
//! `POST /commit`, in [`commit`], which records a claim that no resolver decides.
//!
//! A caller states a claim and names the resolver that decides it. There are two:
//!
//! - `url_json` ([`UrlJson`]): fetch a JSON document, follow a [dot path](DotPath), [compare](matches()) the
//!   value there with the expected text.
//! - `ed25519_signature` ([`SignedMessage`]): [verify](ed25519::verify) a signature over a message under a
//!   given key.
//!
//! # Invariants
//!
//! - `CONFIRMED` and `REFUTED` require a source that was read completely and is unambiguous; else the verdict is
//!   `UNRESOLVED`, with a stable `reason`.
//! - Numbers are compared as decimals, never through a float.
//! - A key is decoded only by an encoding that the question names.
//! - A signature is accepted only if every strict verifier accepts it.
//! - A finding depends only on the question, the time, and the evidence that is kept for disputes.
//! - Every connection goes through the guard of the `fetch` crate.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question`, `patterns` | the fields of the question, their bounds and defaults, and how they are read |
//! | `path`, `compare` | the rules of `url_json`, pure |
//! | `url_json` | the record of a fetch, and the finding on it |
//! | `reading` | the workers that read large documents, and their number |
//! | [`encoding`], [`ed25519`] | texts that stand for bytes; strict verification |
//! | `signature` | the finding on a signature |
//! | `finding` | the finding, as the receipt shows it |
//! | `page` | the finding in words, for the receipt's page |
//! | `judge` | [`ClaimJudge`]: the above behind [`verdict::Judge`] |
//! | [`commit`] | the judge of commits, which shares none of these |
//!
//! # Reasons
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
