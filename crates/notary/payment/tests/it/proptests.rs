//! What holds for any bytes, and for any payment that is made as asked.

use crate::common::{NOW, request, with};
use payment::check::{ProofSigner, new_proof};
use payment::payer::{self, Demand};
use payment::{
    Address, B256, Code, Header, Network, PaymentEvidence, PaymentIdentifier, Proof, Quote, Terms, U256,
    Wallet, extensions,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use verdict::Usd;

fn wallets() -> impl Strategy<Value = Wallet> {
    any::<[u8; 32]>().prop_filter_map("a key of the curve", |key| Wallet::from_bytes(key).ok())
}

fn networks() -> impl Strategy<Value = Network> {
    prop_oneof![Just(Network::base()), Just(Network::base_sepolia()), Just(Network::local())]
}

proptest! {
    #[test]
    fn no_bytes_make_decoding_panic(value: Vec<u8>) {
        for header in Header::ALL {
            let _ = Proof::decode(header, &value);
            let _ = Demand::decode(&value);
        }
    }

    #[test]
    fn no_texts_make_reading_panic(
        texts in proptest::collection::vec("\\PC{0,40}|0x[0-9a-f]{0,130}|[0-9]{0,80}", 9),
        at in 0..9usize,
        number: i64,
    ) {
        let names = [
            "/accepted/network", "/accepted/asset", "/accepted/payTo", "/accepted/amount",
            "/payload/authorization/from", "/payload/authorization/to", "/payload/authorization/value",
            "/payload/authorization/nonce", "/payload/signature",
        ];
        let mut proof = with(crate::common::v2(), names[at], json!(number));
        let _ = crate::common::decode(Header::XPayment, &proof);
        for (name, text) in names.iter().zip(texts).skip(at) {
            proof = with(proof, name, json!(text));
        }
        if let Ok(proof) = crate::common::decode(Header::XPayment, &proof) {
            let _ = proof.evidence(&Network::base());
        }
    }

    #[test]
    fn a_payment_made_as_asked_pays_and_with_a_changed_byte_of_its_signature_does_not(
        wallet in wallets(),
        network in networks(),
        pay_to: [u8; 20],
        millionths in 1..u64::MAX,
        nonce: [u8; 32],
        id in "[A-Za-z0-9_-]{16,128}",
        byte in 0..65usize,
        flip in 1..=255u8,
    ) {
        let terms = Terms::new(network, Address::new(pay_to));
        let price = Usd::from_atomic(millionths);
        let quote = Quote {
            terms: &terms,
            price,
            error: Code::PaymentRequired,
            resource: "https://notary.example/commit",
            description: "commits to a value",
        };
        let demand = Demand::decode(quote.header(&[extensions::payment_identifier()]).as_bytes())?;
        prop_assert_eq!((demand.pay_to, demand.amount), (terms.pay_to(), U256::from(millionths)));
        let id = PaymentIdentifier::new(&id).expect("it is of the grammar");
        let header = demand.pay(&wallet, NOW, B256::new(nonce), Some(&id));
        let proof = Proof::decode(Header::PaymentSignature, header.as_bytes())?;
        prop_assert_eq!(proof.identifier(), Some(&id));
        let evidence = proof.evidence(terms.network())?;
        prop_assert_eq!(new_proof(&evidence, &terms, &[price], NOW, &request())?, ProofSigner::ByAccount);
        let PaymentEvidence::Authorization(mut signed) = evidence else { panic!("an authorization") };
        let v1 = Proof::decode(Header::XPayment, payer::header(&payer::v1(terms.network(), &signed)).as_bytes())?;
        prop_assert_eq!(v1.evidence(terms.network())?, PaymentEvidence::Authorization(signed.clone()));
        let mut signature = signed.signature.to_vec();
        signature[byte] ^= flip;
        signed.signature = signature.into();
        let judged = new_proof(&PaymentEvidence::Authorization(signed), &terms, &[price], NOW, &request())?;
        prop_assert!(matches!(judged, ProofSigner::Undecided(_)));
    }
}

#[test]
fn any_json_in_the_place_of_any_member_is_refused_or_read() {
    let values =
        [Value::Null, json!(true), json!(1e300), json!([]), json!({}), json!("\u{0}"), json!([[{}]])];
    for proof in [crate::common::v1(), crate::common::v2()] {
        for pointer in pointers(&proof, "") {
            for value in &values {
                if let Ok(decoded) =
                    crate::common::decode(Header::XPayment, &with(proof.clone(), &pointer, value.clone()))
                {
                    let _ = decoded.evidence(&Network::base());
                }
            }
        }
    }
}

fn pointers(value: &Value, at: &str) -> Vec<String> {
    let members = value.as_object().into_iter().flatten();
    let below = members.flat_map(|(name, member)| pointers(member, &format!("{at}/{name}")));
    std::iter::once(at.to_owned()).chain(below).collect()
}
