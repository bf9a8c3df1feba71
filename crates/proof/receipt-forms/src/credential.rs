//! A receipt as a verifiable credential (W3C Verifiable Credentials Data Model 2.0), secured by a Data Integrity proof of
//! the cryptosuite `eddsa-jcs-2022` (W3C Data Integrity EdDSA Cryptosuites 1.0, section 3.3).
//!
//! The claim is one: that the notary signed this receipt. The receipt stands in it as a JSON literal, without its log proof,
//! so that no member of it is read as a term of the credential's vocabulary.

use receipt::hash::sha256;
use receipt::json::{self, Json, Object};
use receipt::sign::{Signer, receipt_json};

use crate::statement::object;
use crate::{FormError, Statement};

/// The media type of the credential (W3C VC Data Model 2.0, appendix C).
pub const MEDIA_TYPE: &str = "application/vc";

/// The type of the credential beside `VerifiableCredential`.
pub const TYPE: &str = "VerdictReceiptCredential";

/// The path of the second context below the notary's base address.
pub const CONTEXT_PATH: &str = "/ns/receipt/v1";

/// The media type of a context (W3C JSON-LD 1.1, section 6.1).
pub const CONTEXT_MEDIA_TYPE: &str = "application/ld+json";

/// The first context of each credential of version 2.
const BASE_CONTEXT: &str = "https://www.w3.org/ns/credentials/v2";

/// The name of the cryptosuite.
const CRYPTOSUITE: &str = "eddsa-jcs-2022";

/// Makes the credential, in its canonical form (RFC 8785). The proof has no `created`: the credential is made when somebody
/// asks for it, and would differ each time; `validFrom` is the time of the receipt.
///
/// # Errors
/// [`FormError::Payload`]: the stored payload cannot be read.
pub fn credential(statement: &Statement<'_>, key: &Signer) -> Result<Vec<u8>, FormError> {
    let mut credential = unsecured(statement, key)?;
    let proof = proof(&credential, key);
    credential.insert("proof", proof);
    Ok(Json::Object(credential).canonical())
}

fn unsecured(statement: &Statement<'_>, key: &Signer) -> Result<Object, FormError> {
    let receipt = receipt_json(statement.payload, &statement.hash, statement.signature, None);
    let receipt = json::parse(&receipt).map_err(|_| FormError::Payload("v"))?;
    let subject = object([("id", statement.address().into()), ("receipt", receipt)]);
    // By its address, since libraries compare the contexts of document and proof as texts.
    let own_context = format!("{}{CONTEXT_PATH}", statement.iss);
    Ok(object([
        ("@context", vec![BASE_CONTEXT.into(), own_context.into()].into()),
        ("id", format!("{}.vc", statement.address()).into()),
        ("type", vec!["VerifiableCredential".into(), TYPE.into()].into()),
        ("issuer", key.kid().did().into()),
        ("validFrom", statement.signed_at.to_string().into()),
        ("credentialSubject", subject.into()),
    ]))
}

/// The document at [`CONTEXT_PATH`] of the notary at a base address: the terms that the base context does not have. Verifying
/// a credential needs no look at it, since the canonical form is that of JSON; readers of linked data do.
#[must_use]
pub fn context(iss: &str) -> serde_json::Value {
    let term = |name: &str| format!("{iss}/docs/forms#{name}");
    serde_json::json!({
        "@context": {
            TYPE: term("verdictreceiptcredential"),
            "receipt": {"@id": term("receipt"), "@type": "@json"},
        },
    })
}

/// The proof over an unsecured document (section 3.3.1).
fn proof(document: &Object, key: &Signer) -> Object {
    let mut options = object([
        ("type", "DataIntegrityProof".into()),
        ("cryptosuite", CRYPTOSUITE.into()),
        ("verificationMethod", key.kid().multikey(&key.key().public_key()).into()),
        ("proofPurpose", "assertionMethod".into()),
    ]);
    if let Some(context) = document.get("@context") {
        options.insert("@context", context.clone());
    }
    let signature = key.key().sign(&signed_bytes(document, &options));
    options.insert("proofValue", format!("z{}", bs58::encode(signature).into_string()));
    options
}

/// The bytes that a proof's signature is over: SHA-256 of the canonical proof options, then of the canonical document
/// (sections 3.3.4 and 3.3.5).
fn signed_bytes(document: &Object, options: &Object) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(&sha256(&options.canonical_without(&[])));
    bytes[32..].copy_from_slice(&sha256(&document.canonical_without(&[])));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use receipt::key::{PublicKey, VerifyingKey};

    /// The representation of `eddsa-jcs-2022` among the test vectors of W3C Data Integrity EdDSA Cryptosuites 1.0.
    const VECTOR: &str = r#"{
        "@context": ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/ns/credentials/examples/v2"],
        "id": "urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33",
        "type": ["VerifiableCredential", "AlumniCredential"],
        "name": "Alumni Credential",
        "description": "A minimum viable example of an Alumni Credential.",
        "issuer": "https://vc.example/issuers/5678",
        "validFrom": "2023-01-01T00:00:00Z",
        "credentialSubject": {"id": "did:example:abcdefgh", "alumniOf": "The School of Examples"},
        "proof": {
            "type": "DataIntegrityProof",
            "cryptosuite": "eddsa-jcs-2022",
            "created": "2023-02-24T23:36:38Z",
            "verificationMethod":
                "https://vc.example/issuers/5678#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2",
            "proofPurpose": "assertionMethod",
            "@context": ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/ns/credentials/examples/v2"],
            "proofValue": "z63t83Y53KfzJ5ZosfKTnqfMcKB2dmTrfjSaQjeNNjAD5srBowQfmWqeRb8rRjmeEuCBEsddF9LsVogtuTsijJKh4"
        }
    }"#;

    #[test]
    fn the_signature_of_the_standards_vector_is_over_the_bytes_that_are_signed_here() {
        let Json::Object(mut document) = json::parse(VECTOR.as_bytes()).unwrap() else { unreachable!() };
        let Some(Json::Object(mut options)) = document.remove("proof") else { unreachable!() };
        let value = options.remove("proofValue").unwrap();
        let signature = bs58::decode(&value.as_str().unwrap()[1..]).into_vec().unwrap();
        let key = PublicKey::from_multibase("z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2").unwrap();
        let signed = signed_bytes(&document, &options);
        VerifyingKey::new(key).unwrap().verify(&signed, &signature.try_into().unwrap()).unwrap();
    }
}
