//! The proof of payment that a request brings, and the identity of that request.

use std::sync::OnceLock;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use payment::check::ProofSigner;
use payment::mpp::{self, Challenger};
use payment::{B256, Header, Malformed, PaymentEvidence, Proof, Refused, RequestIdentity, Terms, Version};
use verdict::{Reason, Timestamp};

use crate::refusal::Refusal;

/// An attempt to pay: the proof that a request brings, and the identity of the request.
pub(crate) struct PaymentAttempt<'a> {
    pub(super) proof: Proof,
    /// The content of the proof, or the reason why it cannot pay here.
    pub(super) evidence: Result<PaymentEvidence, Refused>,
    /// The reason why the credential of a challenge buys nothing new. What it has bought is answered all the same: who is asked
    /// for a new payment for an answer that is paid for would pay twice.
    pub(super) refused: Option<Refused>,
    /// The identity of the request.
    pub(crate) request: RequestIdentity<'a>,
    /// The challenge that a credential answers.
    challenge: Option<B256>,
    /// The result of the check of the proof, kept because a signature is recovered only once.
    pub(super) checked: OnceLock<Result<ProofSigner, Refused>>,
}

/// A request as a payment is bound to it.
pub(crate) fn identity(parts: &Parts, body_hash: [u8; 32]) -> RequestIdentity<'_> {
    let query = parts.uri.query().unwrap_or_default();
    RequestIdentity::of_hash(parts.method.as_str(), parts.uri.path(), query, body_hash)
}

/// The header that states the result of a payment, and its version of x402.
#[derive(Clone, Copy)]
pub(super) struct PaymentResponseHeader {
    pub(super) header: Header,
    pub(super) version: Version,
    /// The challenge that was answered, in the scheme `Payment`.
    pub(super) challenge: Option<B256>,
}

impl<'a> PaymentAttempt<'a> {
    /// The one proof that the headers bring.
    ///
    /// # Errors
    /// 400 naming the header: two proofs, or one of no known form.
    pub(crate) fn read(
        parts: &'a Parts,
        body_hash: [u8; 32],
        terms: &Terms,
        challenger: &Challenger,
        now: Timestamp,
    ) -> Result<Option<Self>, Refusal> {
        let request = identity(parts, body_hash);
        let (proof, challenge, refused) = match given(&parts.headers)? {
            None => return Ok(None),
            Some((Header::Authorization, value)) => {
                let credential = challenger.read(value, &request, now).map_err(malformed)?;
                (credential.proof, Some(credential.challenge), credential.refused)
            }
            Some((header, value)) => (Proof::decode(header, value).map_err(malformed)?, None, None),
        };
        let evidence = proof.evidence(terms.network());
        Ok(Some(Self { proof, evidence, refused, request, challenge, checked: OnceLock::new() }))
    }

    /// The header in which the answer states the result of the payment.
    pub(super) fn response_header(&self) -> PaymentResponseHeader {
        let header = self.proof.header();
        let version = self.proof.version().unwrap_or(Version::V2);
        PaymentResponseHeader { header, version, challenge: self.challenge }
    }

    /// The header that tells the caller why its proof does not pay, and its value. The scheme `Payment` has none: it tells by
    /// the new challenge and the problem.
    pub(crate) fn refused_response(
        &self,
        terms: &Terms,
        refused: &Refused,
    ) -> Option<(&'static str, String)> {
        let PaymentResponseHeader { header, version, .. } = self.response_header();
        if header == Header::Authorization {
            return None;
        }
        let payer = self.evidence.as_ref().ok().map(PaymentEvidence::payer);
        let failed = payment::response::failed(version, terms.network(), payer, refused.code, None);
        Some((header.response_name(), payment::response::header(&failed)))
    }

    /// The payer that the proof names.
    pub(crate) fn payer(&self) -> Option<[u8; 20]> {
        self.evidence.as_ref().ok().map(|evidence| evidence.payer().into_array())
    }

    /// The payer's own name for the payment.
    pub(super) fn identifier(&self) -> Option<ledger::PaymentIdentifier> {
        let (Ok(evidence), Some(id)) = (&self.evidence, self.proof.identifier()) else { return None };
        Some(ledger::PaymentIdentifier { payer: evidence.payer().into_array(), id: id.as_str().to_owned() })
    }
}

/// Checks the form of the proof where nothing can be paid for.
///
/// # Errors
/// 400 naming the header.
pub(crate) fn check_proof(headers: &HeaderMap) -> Result<(), Refusal> {
    match given(headers)? {
        None | Some((Header::Authorization, _)) => Ok(()),
        Some((header, value)) => Proof::decode(header, value).map(|_| ()).map_err(malformed),
    }
}

/// The one payment header: of x402, or `Authorization` of the scheme `Payment`. Other schemes are no payments.
///
/// # Errors
/// 400 naming the second one.
fn given(headers: &HeaderMap) -> Result<Option<(Header, &[u8])>, Refusal> {
    let mut given = proofs(headers);
    let Some(first) = given.next() else { return Ok(None) };
    if let Some((second, _)) = given.last() {
        return Err(Refusal::field(second.name(), Reason::Malformed, "must be the only payment header"));
    }
    Ok(Some(first))
}

fn proofs(headers: &HeaderMap) -> impl Iterator<Item = (Header, &[u8])> {
    let of_x402 = Header::ALL.into_iter().flat_map(|header| {
        headers.get_all(header.name()).iter().map(move |value| (header, value.as_bytes()))
    });
    let credentials = headers.get_all(AUTHORIZATION).iter();
    let credentials = credentials.filter_map(|value| mpp::credential(value.as_bytes()));
    of_x402.chain(credentials.map(|value| (Header::Authorization, value)))
}

fn malformed(error: Malformed) -> Refusal {
    Refusal::field(error.header.name(), error.reason, error.detail)
}

/// Returns true if there is a payment header, whatever its value.
pub(crate) fn has_proof(headers: &HeaderMap) -> bool {
    proofs(headers).next().is_some()
}

/// Returns true if the caller asks for a pure x402 v1 body.
pub(crate) fn wants_v1(headers: &HeaderMap) -> bool {
    headers.get("x-accept-payment").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"x402-v1"))
}
