//! The content of a proof: its texts, parsed and checked against the network that payments are made on.
//!
//! Nothing here depends on the time or on prices, so that a known proof can be found by its
//! [`key`](PaymentEvidence::key) whenever it comes again.

use alloy_primitives::{Address, B256, Bytes, U256};

use crate::proof::{AuthorizationTexts, Payload, PayloadTerms, SCHEME, SettlementTexts};
use crate::{Authorization, Code, Header, Network, Proof, Refused, SignedAuthorization, Version};

/// The evidence of a payment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PaymentEvidence {
    /// An authorization to move the token, which may not be used yet.
    Authorization(SignedAuthorization),
    /// A transaction that has moved the token.
    Settlement(SettlementProof),
}

/// A transaction, and its payer's signed statement of the request that it paid for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettlementProof {
    /// The hash of the transaction.
    pub transaction: B256,
    /// The account that paid.
    pub payer: Address,
    /// The index in the block of the `Transfer` event. With `None`, exactly one event must match.
    pub log_index: Option<u64>,
    /// The signature of `payer` over a [`SettlementStatement`](crate::eip712::SettlementStatement).
    pub signature: Bytes,
}

/// The key by which a proof is unique: a proof pays for one request only, whatever else changes.
///
/// An authorization that has settled is also unique as the transfer that it became; otherwise its transaction could pay
/// for another request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProofKey {
    /// The key of an authorization; the token accepts each nonce of a payer once.
    Authorization {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The address of the token.
        asset: Address,
        /// The account that pays.
        payer: Address,
        /// The nonce that the payer chose.
        nonce: B256,
    },
    /// The key of a proof of settlement.
    Transfer {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The hash of the transaction.
        transaction: B256,
        /// The index of the event in the block; `None` until the transfer is found.
        log_index: Option<u64>,
    },
}

impl PaymentEvidence {
    /// The account that pays or has paid.
    #[must_use]
    pub fn payer(&self) -> Address {
        match self {
            Self::Authorization(signed) => signed.authorization.from,
            Self::Settlement(proof) => proof.payer,
        }
    }

    /// The signature that was sent with the proof.
    #[must_use]
    pub fn signature(&self) -> &Bytes {
        match self {
            Self::Authorization(signed) => &signed.signature,
            Self::Settlement(proof) => &proof.signature,
        }
    }

    /// The key by which the proof is unique on the network that it was [parsed](Proof::evidence) for.
    #[must_use]
    pub fn key(&self, network: &Network) -> ProofKey {
        let chain_id = network.chain_id;
        match self {
            Self::Authorization(SignedAuthorization { authorization, .. }) => ProofKey::Authorization {
                chain_id,
                asset: network.token,
                payer: authorization.from,
                nonce: authorization.nonce,
            },
            &Self::Settlement(SettlementProof { transaction, log_index, .. }) => {
                ProofKey::Transfer { chain_id, transaction, log_index }
            }
        }
    }
}

impl Proof {
    /// Parses the content of the proof, for the network that payments are made on.
    ///
    /// # Errors
    /// The proof is of another version, scheme, network or token, its texts are not valid, or the terms that a v2
    /// payload accepted are not those that it authorizes.
    pub fn evidence(&self, network: &Network) -> Result<PaymentEvidence, Refused> {
        let version = self.taken_version()?;
        self.named.check(version, network)?;
        match &self.payload {
            Payload::Authorization(texts) => {
                let signed = texts.read()?;
                self.named.check_against(&signed.authorization)?;
                Ok(PaymentEvidence::Authorization(signed))
            }
            Payload::Settlement(texts) => texts.read().map(PaymentEvidence::Settlement),
            Payload::Foreign => Err(refused(Code::InvalidScheme, "the payload's form is not known")),
        }
    }

    fn taken_version(&self) -> Result<Version, Refused> {
        match (self.header, self.version) {
            (Header::XPayment, Some(version)) => Ok(version),
            (Header::PaymentSignature, Some(Version::V2)) | (Header::Authorization, _) => Ok(Version::V2),
            (Header::PaymentSignature, _) => {
                Err(refused(Code::InvalidVersion, "PAYMENT-SIGNATURE takes x402 version 2"))
            }
            (Header::XPayment, None) => {
                Err(refused(Code::InvalidVersion, "x402 is taken in versions 1 and 2"))
            }
        }
    }
}

impl PayloadTerms {
    /// Holds what decides where the token moves against the network.
    fn check(&self, version: Version, network: &Network) -> Result<(), Refused> {
        if self.scheme != SCHEME {
            return Err(refused(Code::InvalidScheme, "the one scheme that is taken is `exact`"));
        }
        let expected = version.network_name(network);
        if self.network != expected {
            return Err(refused(Code::InvalidNetwork, format!("the network to pay on is `{expected}`")));
        }
        match &self.asset {
            Some(asset) if address(asset) != Some(network.token) => {
                Err(refused(Code::InvalidAsset, format!("the token to pay with is {}", network.token)))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the terms which a client says it accepted are the terms that it signed.
    fn check_against(&self, authorization: &Authorization) -> Result<(), Refused> {
        if self.pay_to.as_ref().is_some_and(|text| address(text) != Some(authorization.to)) {
            return Err(refused(Code::InvalidPayee, "the accepted payTo is not that of the authorization"));
        }
        if let Some(accepted) = self.amount.as_ref().map(|text| decimal(text))
            && accepted != Some(authorization.value)
        {
            let accepted =
                accepted.map_or_else(|| "no whole number".to_owned(), |accepted| accepted.to_string());
            let detail = format!(
                "the accepted amount is {accepted}, that of the authorization {}: both count the token's smallest units",
                authorization.value
            );
            return Err(refused(Code::InvalidAmount, detail));
        }
        Ok(())
    }
}

impl Version {
    /// The name of a network in payloads and answers of this version.
    #[must_use]
    pub fn network_name(self, network: &Network) -> String {
        match self {
            Self::V1 => network.name.clone(),
            Self::V2 => network.caip2(),
        }
    }
}

impl SignedAuthorization {
    /// Serializes the authorization as JSON, in the form of x402 payloads, to be stored until it is settled.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.payload().to_string().into_bytes()
    }

    /// Parses the output of [`to_json`](Self::to_json); `None` for any other bytes.
    #[must_use]
    pub fn from_json(json: &[u8]) -> Option<Self> {
        AuthorizationTexts::parse(&receipt::json::parse(json).ok()?)?.read().ok()
    }
}

impl AuthorizationTexts {
    fn read(&self) -> Result<SignedAuthorization, Refused> {
        let authorization = Authorization {
            from: payer(&self.from)?,
            to: address(&self.to)
                .ok_or_else(|| refused(Code::InvalidPayee, "the authorization's `to` is no address"))?,
            value: decimal(&self.value).ok_or_else(|| {
                refused(Code::InvalidAmount, "the amount is no whole number of atomic units")
            })?,
            valid_after: time(&self.valid_after, "validAfter")?,
            valid_before: time(&self.valid_before, "validBefore")?,
            nonce: word(&self.nonce, "nonce")?,
        };
        Ok(SignedAuthorization { authorization, signature: signature(&self.signature)? })
    }
}

impl SettlementTexts {
    fn read(&self) -> Result<SettlementProof, Refused> {
        Ok(SettlementProof {
            transaction: word(&self.transaction, "transaction")?,
            payer: payer(&self.payer)?,
            log_index: self.log_index,
            signature: signature(&self.signature)?,
        })
    }
}

/// An account that can have signed: nobody has the key of the zero address, to which a failed `ecrecover` recovers.
fn payer(text: &str) -> Result<Address, Refused> {
    let payer = address(text).ok_or_else(|| refused(Code::InvalidPayload, "the payer is no address"))?;
    if payer.is_zero() {
        return Err(refused(Code::InvalidSignature, "nobody signs for the zero address"));
    }
    Ok(payer)
}

fn time(text: &str, name: &str) -> Result<U256, Refused> {
    decimal(text)
        .ok_or_else(|| refused(Code::InvalidPayload, format!("`{name}` is no whole number of seconds")))
}

fn word(text: &str, name: &str) -> Result<B256, Refused> {
    hexadecimal(text)
        .map(B256::new)
        .ok_or_else(|| refused(Code::InvalidPayload, format!("`{name}` is not 32 bytes of hexadecimal")))
}

fn signature(text: &str) -> Result<Bytes, Refused> {
    text.strip_prefix("0x")
        .and_then(|digits| hex::decode(digits).ok())
        .map(Bytes::from)
        .ok_or_else(|| refused(Code::InvalidSignature, "the signature is not hexadecimal"))
}

/// An address in either case: EIP-55's checksum is for people who copy addresses, and not every client writes it.
pub(crate) fn address(text: &str) -> Option<Address> {
    hexadecimal(text).map(Address::new)
}

fn hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text.strip_prefix("0x")?, &mut bytes).ok()?;
    Some(bytes)
}

/// A whole number of at most 256 bits, in its one decimal spelling.
pub(crate) fn decimal(text: &str) -> Option<U256> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if text.is_empty() || !is_plain {
        return None;
    }
    U256::from_str_radix(text, 10).ok()
}

pub(crate) fn refused(code: Code, detail: impl Into<String>) -> Refused {
    Refused::new(code, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authorization_that_was_kept_is_the_same_when_it_is_read() {
        let wallet = crate::local::faucet_wallet();
        let authorization = Authorization {
            from: wallet.address(),
            to: crate::local_payee(),
            value: U256::from(20_000),
            valid_after: U256::ZERO,
            valid_before: U256::MAX,
            nonce: B256::repeat_byte(7),
        };
        let signed = wallet.authorize(&crate::eip712::Domain::new(&Network::local()), authorization);
        assert_eq!(SignedAuthorization::from_json(&signed.to_json()), Some(signed));
        assert_eq!(SignedAuthorization::from_json(b"{}"), None);
    }

    #[test]
    fn a_number_has_one_spelling() {
        assert_eq!(decimal("0"), Some(U256::ZERO));
        assert_eq!(decimal("20000"), Some(U256::from(20_000)));
        assert_eq!(decimal(&U256::MAX.to_string()), Some(U256::MAX));
        let above = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        for text in
            ["", "00", "020000", "+1", "-1", "1.0", "0.02", "2e4", "0x10", "1_000", " 1", "1 ", "١", above]
        {
            assert_eq!(decimal(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_address_is_forty_digits_in_either_case_after_0x() {
        let lower = address("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913");
        assert_eq!(lower, Some(Network::base().token));
        assert_eq!(address("0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913"), lower);
        for text in [
            "",
            "0x",
            "833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            "0x833589",
            "0X833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        ] {
            assert_eq!(address(text), None, "{text:?}");
        }
    }
}
