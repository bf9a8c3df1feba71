//! A payer of the development profile: its wallet, the proofs that it makes, and what became of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payment::eip712::Domain;
use payment::local::{faucet_wallet, payee};
use payment::{Authorization, B256, Network, SignedAuthorization, U256, payer};
use serde_json::{Value, json};

use super::KEY_RECORDS;
use super::http::{Answer, Request};
use super::receipt::text;
use super::service::Service;

/// The price of `commit`, in atomic units and as it is written.
pub const PRICE: u64 = 100_000;
pub const PRICE_TEXT: &str = "0.10";

/// Unix seconds.
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

pub fn nonce() -> B256 {
    let mut nonce = [0; 32];
    getrandom::fill(&mut nonce).unwrap();
    B256::new(nonce)
}

/// An authorization of the faucet's that pays so many atomic units.
pub fn authorization(value: u64) -> Authorization {
    Authorization {
        from: faucet_wallet().address(),
        to: payee(),
        value: U256::from(value),
        valid_after: U256::ZERO,
        valid_before: U256::from(now() + 60),
        nonce: nonce(),
    }
}

/// Signed with the faucet's key for the local token.
pub fn sign(authorization: Authorization) -> SignedAuthorization {
    faucet_wallet().authorize(&Domain::new(&Network::local()), authorization)
}

/// A payment of so many atomic units from any wallet.
pub fn pays_from(wallet: &payment::Wallet, value: u64) -> Value {
    let authorization = Authorization { from: wallet.address(), ..authorization(value) };
    v1(&wallet.authorize(&Domain::new(&Network::local()), authorization))
}

/// The same under a payment identifier.
pub fn named(signed: &SignedAuthorization, id: &str) -> Value {
    let mut proof = v2(signed);
    proof["extensions"]["payment-identifier"] = json!({"info": {"required": false, "id": id}});
    proof
}

/// A wallet's word that it has paid for a POST of this body, in the transaction that a 409 names.
pub fn attested(wallet: &payment::Wallet, unproven: &Value, path: &str, body: &[u8]) -> Value {
    let transaction: B256 = text(unproven, "transaction").parse().unwrap();
    let request = payment::RequestIdentity::new("POST", path, "", body);
    let statement = payment::eip712::SettlementStatement {
        transaction,
        method: request.method.to_owned(),
        target: request.target(),
        body_hash: B256::new(request.body_hash),
        pay_to: payee(),
    };
    let signature = wallet.attest(&Domain::new(&Network::local()), &statement);
    let log_index = Some(unproven["log_index"].as_u64().unwrap());
    let proof = payment::SettlementProof { transaction, payer: wallet.address(), log_index, signature };
    payer::settlement(&Network::local(), &proof)
}

/// An x402 v1 payload.
pub fn v1(signed: &SignedAuthorization) -> Value {
    payer::v1(&Network::local(), signed)
}

/// An x402 v2 payload that accepts the terms of the local token.
pub fn v2(signed: &SignedAuthorization) -> Value {
    v2_on(&Network::local(), signed)
}

/// The same for any network's token.
pub fn v2_on(network: &Network, signed: &SignedAuthorization) -> Value {
    json!({
        "x402Version": 2,
        "accepted": {
            "scheme": "exact",
            "network": network.caip2(),
            "amount": signed.authorization.value.to_string(),
            "asset": network.token.to_string(),
            "payTo": signed.authorization.to.to_string(),
            "maxTimeoutSeconds": 60,
            "extra": {"name": network.token_name, "version": network.token_version},
        },
        "payload": signed.payload(),
    })
}

/// A fresh x402 v1 payload that pays so many atomic units.
pub fn pays(value: u64) -> Value {
    v1(&sign(authorization(value)))
}

/// A question of `commit`.
pub fn commit(content: &str) -> Request {
    Request::json("/commit", &json!({"agent": "payer", "content": content}))
}

/// The request with this proof in `X-PAYMENT`.
pub fn with_proof(request: Request, proof: &Value) -> Request {
    request.header("X-PAYMENT", &payer::header(proof))
}

/// The JSON of a header in base64.
pub fn decoded(answer: &Answer, header: &str) -> Value {
    let value = answer.header(header).unwrap_or_else(|| panic!("{header}: {answer:?}"));
    serde_json::from_slice(&STANDARD.decode(value).unwrap()).unwrap()
}

/// That a 402 says this of a proof in `X-PAYMENT`, in all the places where it does.
#[track_caller]
pub fn assert_refused(answer: &Answer, code: &str) {
    let problem = answer.problem(402);
    assert_eq!(text(&problem, "error"), code, "{problem}");
    assert!(problem["accepts"].is_array(), "{problem}");
    assert!(answer.header("payment-required").is_some(), "{answer:?}");
    let response = decoded(answer, "x-payment-response");
    assert_eq!((&response["success"], text(&response, "errorReason")), (&json!(false), code), "{response}");
    assert_eq!(text(&response, "transaction"), "", "{response}");
}

/// Whether a settlement goes on, so that the identical request is to be sent again.
pub fn is_in_progress(answer: &Answer) -> bool {
    answer.status == 503 && answer.json()["error"] == "payment_in_progress"
}

/// That so many receipts were issued in all, this many of them paid, for so much money.
#[track_caller]
pub fn assert_earned(service: &Service, total: &str, paid: u64, issued: u64) {
    let stats = service.get("/stats").expect(200).json();
    let counts = stats["by_class"].as_object().unwrap().values();
    let counted: u64 = counts.map(|class| class["paid"].as_u64().unwrap()).sum();
    assert_eq!(text(&stats["revenue"]["USDC"], "total"), total, "{stats}");
    assert_eq!(
        (counted, &stats["receipts_issued"], &stats["log"]["size"]),
        (paid, &json!(issued), &json!(issued + KEY_RECORDS))
    );
}
