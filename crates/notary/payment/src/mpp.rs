//! The other envelope of a payment: the HTTP authentication scheme `Payment` (Machine Payments Protocol), method `evm`, intent
//! `charge`, credential `authorization`.
//!
//! A 402 has a *challenge* in `WWW-Authenticate`; the client answers with a *credential* in `Authorization`, which repeats the
//! challenge and has an EIP-3009 authorization whose nonce follows from it. Nothing of a challenge is stored: its id is a MAC
//! over all of it, the request that it is for included. Past that the authorization is the one that x402's scheme `exact`
//! carries, with the same key, so that it pays once whatever its envelope.
//!
//! Specifications: draft-httpauth-payment-01, draft-evm-charge-01, draft-payment-transport-mcp-00 (tempoxyz/mpp-specs).

use alloy_primitives::{B256, keccak256};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use receipt::hash::sha256;
use receipt::json::{Json, Object, from_serialize};
use receipt::sign::Signer;
use receipt::time::Timestamp;
use serde_json::{Value, json};
use verdict::Reason;

use crate::check::atomic;
use crate::proof::{AuthorizationTexts, Payload, PayloadTerms, SCHEME, decode_json};
use crate::terms::MAX_TIMEOUT_SECONDS;
use crate::{Code, Header, Malformed, Proof, Quote, Refused, RequestIdentity, Transfer, Version};

/// The authentication scheme.
const AUTH_SCHEME: &str = "Payment";
const METHOD: &str = "evm";
const INTENT: &str = "charge";
/// What the key of challenges is made from: no other signature of the notary is over these bytes.
const KEY_LABEL: &[u8] = b"touchstone mpp challenge key 1";

/// The most keys whose challenges are recognized besides those that are made: a challenge lives for minutes, and a key changes by
/// an operator's command.
const MAX_RECOGNIZED: usize = 3;

/// Makes and recognizes the challenges of a notary. The secret follows from its receipt key, so all its replicas have the same.
#[derive(Clone)]
pub struct Challenger {
    makes: ChallengeKey,
    /// The other keys whose challenges are recognized.
    recognizes: Vec<ChallengeKey>,
    realm: String,
}

/// The secret of challenges that goes with a receipt key, and that one's name.
type ChallengeKey = (String, hmac::Key);

/// A challenge: the terms of one request, until a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Challenge {
    id: String,
    realm: String,
    /// JCS in base64url.
    request: String,
    expires: String,
    digest: String,
    /// JCS in base64url.
    opaque: String,
}

/// A credential: the proof of payment in it, or why it cannot pay.
#[derive(Debug)]
pub struct Credential {
    /// The proof, with the terms of the challenge.
    pub proof: Proof,
    /// The id of the challenge.
    pub challenge: B256,
    /// Why the challenge is none of this notary's for this request; `None` where it is.
    pub refused: Option<Refused>,
}

impl Challenger {
    /// Makes the challenges of a notary at a host. The key follows from its receipt key, and tells nothing of it.
    #[must_use]
    pub fn new(signer: &Signer, host: &str) -> Self {
        Self { makes: key_of(signer), recognizes: Vec::new(), realm: host.to_owned() }
    }

    /// Makes challenges by the present receipt key, and recognizes those that are made by `next`, which is to take its place,
    /// and by the keys before it: while a key changes, one replica answers the challenge of another.
    #[must_use]
    pub fn followed_by(&self, signer: &Signer, next: Option<&Signer>) -> Self {
        let makes = key_of(signer);
        let mut recognizes: Vec<_> = next.map(key_of).into_iter().collect();
        for key in self.keys() {
            let is_new = recognizes.iter().chain([&makes]).all(|(known, _)| *known != key.0);
            if is_new && recognizes.len() < MAX_RECOGNIZED {
                recognizes.push(key.clone());
            }
        }
        Self { makes, recognizes, realm: self.realm.clone() }
    }

    fn keys(&self) -> impl Iterator<Item = &ChallengeKey> {
        std::iter::once(&self.makes).chain(&self.recognizes)
    }

    /// Returns true if challenges are made by this receipt key, and those of `next` are recognized.
    #[must_use]
    pub fn is_of(&self, signer: &Signer, next: Option<&Signer>) -> bool {
        let is_known = |next: &Signer| self.keys().any(|(name, _)| name == next.kid().as_str());
        self.makes.0 == signer.kid().as_str() && next.is_none_or(is_known)
    }

    /// Makes the challenge of a quote for a request.
    #[must_use]
    pub fn challenge(&self, quote: &Quote<'_>, request: &RequestIdentity<'_>, now: Timestamp) -> Challenge {
        let network = quote.terms.network();
        let terms = json!({
            "amount": atomic(quote.price).to_string(),
            "currency": network.token.to_string(),
            "methodDetails": {"chainId": network.chain_id, "credentialTypes": ["authorization"], "decimals": 6},
            "recipient": quote.terms.pay_to().to_string(),
        });
        // Whole seconds, in which the authorization counts too.
        let until_ms = (now.unix_seconds() + MAX_TIMEOUT_SECONDS).saturating_mul(1000);
        let until = i64::try_from(until_ms).ok().and_then(|millis| Timestamp::from_millis(millis).ok());
        let mut challenge = Challenge {
            id: String::new(),
            realm: self.realm.clone(),
            request: encoded(&terms),
            expires: until.unwrap_or(now).to_string(),
            digest: format!("sha-256=:{}:", STANDARD.encode(request.body_hash)),
            opaque: encoded(&bound_to(request)),
        };
        challenge.id = URL_SAFE_NO_PAD.encode(mac(&self.makes.1, &challenge));
        challenge
    }

    /// Reads a credential for a request, at a time.
    ///
    /// # Errors
    /// It has not the form of a credential.
    pub fn read(
        &self,
        value: &[u8],
        request: &RequestIdentity<'_>,
        now: Timestamp,
    ) -> Result<Credential, Malformed> {
        let malformed =
            |(reason, detail): (Reason, String)| Malformed { header: Header::Authorization, reason, detail };
        let document = decode_json(value).map_err(malformed)?;
        let read = ReadCredential::of(&document)
            .map_err(|detail| malformed((Reason::Malformed, detail.to_owned())))?;
        let ReadCredential { challenge, terms, texts } = read;
        let id = URL_SAFE_NO_PAD.decode(&challenge.id).ok();
        let is_ours = id.as_ref().is_some_and(|id| {
            let is_by = |key| verify_slices_are_equal(id, &mac(key, &challenge)).is_ok();
            challenge.realm == self.realm && self.keys().any(|(_, key)| is_by(key))
        });
        let refused = |detail: &str| {
            Some(Refused { code: Code::InvalidChallenge, detail: detail.to_owned(), retry_after_s: None })
        };
        let refused = if !is_ours {
            refused("the challenge is none of this notary's; take the one of this answer")
        } else if challenge.opaque != encoded(&bound_to(request)) {
            refused("the challenge is for another request; take the one of this answer")
        } else if texts.nonce.to_ascii_lowercase() != challenge.nonce().to_string() {
            refused("the nonce is not keccak256 of the challenge's id and realm")
        } else if challenge.expires.parse::<Timestamp>().is_ok_and(|until| until <= now) {
            let detail = "the challenge is over; take the one of this answer".to_owned();
            Some(Refused { code: Code::Expired, detail, retry_after_s: None })
        } else {
            None
        };
        let challenge = id.and_then(|id| <[u8; 32]>::try_from(id).ok()).map_or(B256::ZERO, B256::new);
        let proof = Proof::of_credential(terms, texts);
        Ok(Credential { proof, challenge, refused })
    }
}

fn key_of(signer: &Signer) -> ChallengeKey {
    let secret = sha256(&signer.key().sign(KEY_LABEL));
    (signer.kid().as_str().to_owned(), hmac::Key::new(hmac::HMAC_SHA256, &secret))
}

/// The MAC over all members of a challenge, in the order that the specification gives them.
fn mac(key: &hmac::Key, challenge: &Challenge) -> [u8; 32] {
    let Challenge { realm, request, expires, digest, opaque, .. } = challenge;
    let text = [realm.as_str(), METHOD, INTENT, request, expires, digest, opaque].join("|");
    let tag = hmac::sign(key, text.as_bytes());
    tag.as_ref().try_into().expect("a tag of HMAC-SHA256 has 32 bytes")
}

impl Challenge {
    /// The value of `WWW-Authenticate`.
    #[must_use]
    pub fn header(&self) -> String {
        let Self { id, realm, request, expires, digest, opaque } = self;
        format!(
            "{AUTH_SCHEME} id=\"{id}\", realm=\"{realm}\", method=\"{METHOD}\", intent=\"{INTENT}\", request=\"{request}\", \
             expires=\"{expires}\", digest=\"{digest}\", opaque=\"{opaque}\""
        )
    }

    /// The nonce of the authorization that answers the challenge.
    fn nonce(&self) -> B256 {
        keccak256(format!("{}{}", self.id, self.realm))
    }
}

/// The challenge of a `WWW-Authenticate` header as MCP has it: an object, with the request as JSON. `None` for another header.
#[must_use]
pub fn challenge_object(header: &str) -> Option<Value> {
    let rest = header.strip_prefix(AUTH_SCHEME)?;
    let mut object = serde_json::Map::new();
    for parameter in rest.split(", ") {
        let (name, value) = parameter.trim().split_once('=')?;
        let value = value.strip_prefix('"')?.strip_suffix('"')?;
        let value = match name {
            "request" => serde_json::from_slice(&URL_SAFE_NO_PAD.decode(value).ok()?).ok()?,
            _ => json!(value),
        };
        object.insert(name.to_owned(), value);
    }
    Some(Value::Object(object))
}

/// The value of `Authorization` for a credential of MCP, whose challenge has the request as JSON. What is no such object stays as
/// it is, to be refused as any other.
#[must_use]
pub fn authorization_of(credential: &Json) -> String {
    let mut credential = credential.clone();
    if let Json::Object(members) = &mut credential
        && let Some(Json::Object(mut challenge)) = members.remove("challenge")
    {
        if let Some(request @ Json::Object(_)) = challenge.remove("request") {
            challenge.insert("request", URL_SAFE_NO_PAD.encode(request.canonical()));
        }
        members.insert("challenge", challenge);
    }
    format!("{AUTH_SCHEME} {}", URL_SAFE_NO_PAD.encode(credential.canonical()))
}

/// The credential in the value of an `Authorization` header; `None` where it is of another scheme.
#[must_use]
pub fn credential(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(AUTH_SCHEME.len())?;
    let is_payment = scheme.eq_ignore_ascii_case(AUTH_SCHEME.as_bytes()) && rest.first() == Some(&b' ');
    is_payment.then(|| rest.trim_ascii())
}

/// The value of `Payment-Receipt`, for a payment that has settled.
#[must_use]
pub fn receipt(chain_id: u64, transfer: &Transfer, challenge: B256, at: Timestamp) -> String {
    let receipt = json!({
        "method": METHOD,
        "status": "success",
        "reference": transfer.transaction.to_string(),
        "timestamp": at.to_string(),
        "challengeId": URL_SAFE_NO_PAD.encode(challenge),
        "chainId": chain_id,
    });
    URL_SAFE_NO_PAD.encode(receipt.to_string())
}

/// What binds a challenge to its request: method, target and body.
fn bound_to(request: &RequestIdentity<'_>) -> Value {
    json!({"request": request.fingerprint().to_string()})
}

/// JCS in base64url.
fn encoded(value: &Value) -> String {
    let value = from_serialize(value).expect("texts and whole numbers have a canonical form");
    URL_SAFE_NO_PAD.encode(value.canonical())
}

/// A credential as it was sent.
struct ReadCredential {
    challenge: Challenge,
    terms: PayloadTerms,
    texts: AuthorizationTexts,
}

impl ReadCredential {
    fn of(document: &Json) -> Result<Self, &'static str> {
        let challenge =
            document.get("challenge").and_then(Json::as_object).ok_or("must have a `challenge`")?;
        let payload = document.get("payload").and_then(Json::as_object).ok_or("must have a `payload`")?;
        let text = |object: &Object, name: &str| object.get(name).and_then(Json::as_str).map(str::to_owned);
        let of_challenge = |name: &str| text(challenge, name).unwrap_or_default();
        let request = text(challenge, "request").ok_or("must have the challenge's `request`")?;
        let asked = decode_json(request.as_bytes())
            .map_err(|_| "must have the challenge's `request` as it was sent")?;
        let of_request = |name: &str| asked.get(name).and_then(Json::as_str).map(str::to_owned);
        let chain_id =
            asked.get("methodDetails").and_then(|details| details.get("chainId")).and_then(Json::as_number);
        let is_known = text(challenge, "method").as_deref() == Some(METHOD)
            && text(challenge, "intent").as_deref() == Some(INTENT)
            && text(payload, "type").as_deref() == Some("authorization");
        if !is_known {
            return Err("must be of the method `evm`, the intent `charge` and the type `authorization`");
        }
        let of_payload = |name: &str| {
            text(payload, name).ok_or("must have the texts of an authorization as its `payload`")
        };
        Ok(Self {
            terms: PayloadTerms {
                scheme: SCHEME.to_owned(),
                network: chain_id
                    .and_then(|id| id.as_u64())
                    .map(|id| format!("eip155:{id}"))
                    .unwrap_or_default(),
                asset: of_request("currency"),
                pay_to: of_request("recipient"),
                amount: of_request("amount"),
            },
            texts: AuthorizationTexts {
                from: of_payload("from")?,
                to: of_payload("to")?,
                value: of_payload("value")?,
                valid_after: of_payload("validAfter")?,
                valid_before: of_payload("validBefore")?,
                nonce: of_payload("nonce")?,
                signature: of_payload("signature")?,
            },
            challenge: Challenge {
                id: of_challenge("id"),
                realm: of_challenge("realm"),
                request,
                expires: of_challenge("expires"),
                digest: of_challenge("digest"),
                opaque: of_challenge("opaque"),
            },
        })
    }
}

impl Proof {
    /// The proof in a credential, in the form of x402's version 2.
    fn of_credential(named: PayloadTerms, texts: AuthorizationTexts) -> Self {
        let payload = Payload::Authorization(texts);
        Self { header: Header::Authorization, version: Some(Version::V2), named, payload, identifier: None }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, U256};
    use receipt::key::SigningKey;

    use super::*;
    use crate::eip712::Domain;
    use crate::local::{faucet_wallet, payee};
    use crate::{Authorization, Network, Terms};

    fn signer(seed: u8) -> Signer {
        let key = SigningKey::from_seed(&[seed; 32]);
        let kid = key.id("https://notary.example").unwrap();
        Signer::new(key, kid)
    }

    fn challenger() -> Challenger {
        Challenger::new(&signer(7), "notary.example")
    }

    fn now() -> Timestamp {
        "2026-11-26T12:00:00.250Z".parse().unwrap()
    }

    fn request(body: &'static [u8]) -> RequestIdentity<'static> {
        RequestIdentity::new("POST", "/commit", "", body)
    }

    fn terms() -> Terms {
        Terms::new(Network::local(), payee())
    }

    fn challenge() -> Challenge {
        made_by(&challenger())
    }

    fn made_by(challenger: &Challenger) -> Challenge {
        let terms = terms();
        let quote = Quote {
            terms: &terms,
            price: "0.10".parse().unwrap(),
            error: Code::PaymentRequired,
            resource: "https://notary.example/commit",
            description: "",
        };
        challenger.challenge(&quote, &request(b"{}"), now())
    }

    /// The credential that a wallet makes of a challenge.
    fn credential_for(challenge: &Challenge, nonce: B256) -> Json {
        let authorization = Authorization {
            from: faucet_wallet().address(),
            to: payee(),
            value: U256::from(100_000),
            valid_after: U256::ZERO,
            valid_before: U256::from(now().unix_seconds() + MAX_TIMEOUT_SECONDS),
            nonce,
        };
        let signed = faucet_wallet().authorize(&Domain::new(&Network::local()), authorization);
        let mut payload = signed.payload()["authorization"].clone();
        payload["type"] = json!("authorization");
        payload["signature"] = signed.payload()["signature"].clone();
        let Challenge { id, realm, request, expires, digest, opaque } = challenge;
        let challenge = json!({"id": id, "realm": realm, "method": METHOD, "intent": INTENT, "request": request,
            "expires": expires, "digest": digest, "opaque": opaque});
        from_serialize(&json!({"challenge": challenge, "payload": payload})).unwrap()
    }

    fn sent(credential: &Json) -> String {
        URL_SAFE_NO_PAD.encode(credential.canonical())
    }

    #[test]
    fn a_challenge_that_was_answered_is_a_proof_with_its_terms() {
        let challenge = challenge();
        let credential = credential_for(&challenge, challenge.nonce());
        let at =
            |now: Timestamp| challenger().read(sent(&credential).as_bytes(), &request(b"{}"), now).unwrap();
        let read = at(now());
        assert_eq!(read.refused, None);
        let over = at("2026-11-26T12:05:00.000Z".parse().unwrap());
        assert_eq!(over.refused.map(|refused| refused.code), Some(Code::Expired));
        let evidence = read.proof.evidence(&Network::local()).unwrap();
        assert_eq!(evidence.payer(), faucet_wallet().address());
        assert_eq!(challenge.expires, "2026-11-26T12:05:00.000Z");
        assert_eq!(URL_SAFE_NO_PAD.encode(read.challenge), challenge.id);
    }

    #[test]
    fn a_challenge_of_another_request_notary_or_text_does_not_pay() {
        let challenge = challenge();
        let refused = |challenge: &Challenge, nonce: B256, body: &'static [u8]| {
            let credential = sent(&credential_for(challenge, nonce));
            challenger()
                .read(credential.as_bytes(), &request(body), now())
                .unwrap()
                .refused
                .map(|refused| refused.code)
        };
        let nonce = challenge.nonce();
        assert_eq!(refused(&challenge, nonce, b"{}"), None);
        assert_eq!(refused(&challenge, nonce, b"{ }"), Some(Code::InvalidChallenge));
        assert_eq!(refused(&challenge, B256::ZERO, b"{}"), Some(Code::InvalidChallenge));
        let cheaper =
            json!({"amount": "1", "currency": Address::ZERO.to_string(), "recipient": payee().to_string()});
        let changes: [fn(&mut Challenge); 6] = [
            |challenge| challenge.realm = "other.example".to_owned(),
            |challenge| challenge.expires = "2099-01-01T00:00:00.000Z".to_owned(),
            |challenge| challenge.digest.clear(),
            |challenge| challenge.opaque = String::new(),
            |challenge| challenge.id = "AAAA".to_owned(),
            |challenge| {
                challenge.id.replace_range(0..1, if challenge.id.starts_with('A') { "B" } else { "A" })
            },
        ];
        for change in changes {
            let mut changed = challenge.clone();
            change(&mut changed);
            assert_eq!(
                refused(&changed, changed.nonce(), b"{}"),
                Some(Code::InvalidChallenge),
                "{changed:?}"
            );
        }
        let changed = Challenge { request: encoded(&cheaper), ..challenge };
        assert_eq!(refused(&changed, nonce, b"{}"), Some(Code::InvalidChallenge));
    }

    #[test]
    fn while_the_receipt_key_changes_a_replica_answers_the_challenge_of_another() {
        let before = challenger();
        let ready = before.followed_by(&signer(7), Some(&signer(8)));
        let after = ready.followed_by(&signer(8), None);
        let started_later = Challenger::new(&signer(8), "notary.example");
        let is_ours = |by: &Challenger, challenge: &Challenge| {
            let credential = sent(&credential_for(challenge, challenge.nonce()));
            by.read(credential.as_bytes(), &request(b"{}"), now()).unwrap().refused.is_none()
        };
        for (makes, answers, is_answered) in [
            (&before, &ready, true),
            (&before, &after, true),
            (&ready, &before, true),
            (&after, &ready, true),
            (&after, &started_later, true),
            (&started_later, &after, true),
            (&started_later, &before, false),
            (&before, &started_later, false),
        ] {
            assert_eq!(is_ours(answers, &made_by(makes)), is_answered);
        }
        assert!(ready.is_of(&signer(7), Some(&signer(8))) && ready.is_of(&signer(7), None));
        assert!(!ready.is_of(&signer(8), None) && !before.is_of(&signer(7), Some(&signer(8))));
        // Of many changes, the last few count.
        let long_after = (9..30).fold(after, |before, seed| before.followed_by(&signer(seed), None));
        assert!(!is_ours(&long_after, &made_by(&before)));
        assert!(is_ours(&long_after, &made_by(&Challenger::new(&signer(27), "notary.example"))));
    }

    #[test]
    fn what_is_no_credential_is_malformed_and_other_schemes_are_none() {
        let challenger = challenger();
        for text in ["%", "e30", "eyJjaGFsbGVuZ2UiOnt9fQ"] {
            assert_eq!(
                challenger.read(text.as_bytes(), &request(b"{}"), now()).unwrap_err().header,
                Header::Authorization
            );
        }
        assert_eq!(credential(b"payment abc "), Some(&b"abc"[..]));
        for other in ["Bearer abc", "Paymentabc", "Payment", ""] {
            assert_eq!(credential(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn over_mcp_the_request_is_json_and_the_credential_the_same() {
        let challenge = challenge();
        let object = challenge_object(&challenge.header()).unwrap();
        assert_eq!(object["request"]["amount"], "100000");
        let mut credential = credential_for(&challenge, challenge.nonce());
        let over_http = format!("{AUTH_SCHEME} {}", sent(&credential));
        let Json::Object(members) = &mut credential else { unreachable!() };
        members.insert("challenge", from_serialize(&object).unwrap());
        assert_eq!(authorization_of(&credential), over_http);
        assert_eq!(challenge_object("Basic realm=\"x\""), None);
    }
}
