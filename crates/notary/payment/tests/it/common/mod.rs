//! What the tests share: terms, a payer, and proofs that can be tampered with.

use payment::check::{ProofSigner, new_proof};
use payment::{
    Address, Authorization, B256, Code, Header, Network, PaymentEvidence, Proof, Refused, RequestIdentity,
    SignedAuthorization, Terms, U256, Wallet, payer,
};
use serde_json::{Value, json};
use verdict::Usd;

/// Unix seconds.
pub const NOW: u64 = 1_795_223_300;
pub const PRICE: Usd = Usd::from_cents(2);

pub fn terms() -> Terms {
    Terms::new(Network::base(), Address::repeat_byte(0x20))
}

pub fn wallet() -> Wallet {
    Wallet::from_bytes([7; 32]).unwrap()
}

pub fn request() -> RequestIdentity<'static> {
    RequestIdentity::new("POST", "/commit", "", br#"{"agent":"me","content":"hello"}"#)
}

/// An authorization that pays.
pub fn authorization() -> Authorization {
    Authorization {
        from: wallet().address(),
        to: terms().pay_to(),
        value: U256::from(20_000),
        valid_after: U256::ZERO,
        valid_before: U256::from(NOW + 60),
        nonce: B256::repeat_byte(9),
    }
}

pub fn signed(authorization: Authorization) -> SignedAuthorization {
    wallet().authorize(terms().domain(), authorization)
}

pub fn v1() -> Value {
    payer::v1(terms().network(), &signed(authorization()))
}

pub fn v2() -> Value {
    json!({
        "x402Version": 2,
        "resource": {"url": "https://notary.example/commit", "description": "", "mimeType": "application/json"},
        "accepted": {
            "scheme": "exact",
            "network": "eip155:8453",
            "amount": "20000",
            "asset": terms().network().token.to_string(),
            "payTo": terms().pay_to().to_string(),
            "maxTimeoutSeconds": 60,
            "extra": {"name": "USD Coin", "version": "2"},
        },
        "payload": signed(authorization()).payload(),
        "extensions": {},
    })
}

/// The proof with one member changed; a `null` there is a member that is absent.
pub fn with(mut proof: Value, pointer: &str, value: Value) -> Value {
    *proof.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is not there")) = value;
    proof
}

pub fn decode(header: Header, proof: &Value) -> Result<Proof, payment::Malformed> {
    Proof::decode(header, payer::header(proof).as_bytes())
}

/// Checks a new proof in `X-PAYMENT` as the pipeline does.
pub fn judge(proof: &Value) -> Result<ProofSigner, Refused> {
    let evidence = evidence(proof)?;
    new_proof(&evidence, &terms(), &[PRICE], NOW, &request())
}

pub fn evidence(proof: &Value) -> Result<PaymentEvidence, Refused> {
    decode(Header::XPayment, proof).unwrap().evidence(terms().network())
}

/// Asserts that a proof is refused with this code.
pub fn assert_refused(proof: &Value, code: Code) {
    let judged = judge(proof);
    assert_eq!(judged.as_ref().map_err(|refused| refused.code), Err(code), "{judged:?} for {proof:#}");
    let refused = judged.unwrap_err();
    assert!(!refused.detail.is_empty() && refused.detail.is_ascii(), "{refused}");
}

/// Asserts that a proof's signature is not the payer's account's.
pub fn assert_unsigned(proof: &Value) {
    let judged = judge(proof);
    assert!(matches!(judged, Ok(ProofSigner::Undecided(_))), "{judged:?} for {proof:#}");
}
