//! EIP-712 digests of the structures that are signed, and the recovery of the account that signed one.
//!
//! Two structures are signed here: the token's `TransferWithAuthorization` (EIP-3009), and our own `SettlementProof`,
//! by which a payer says which request a transaction paid for. Each has a domain of its own over the same token, so
//! that neither is ever taken for the other.
//!
//! # Signatures of accounts
//!
//! [`recover`] accepts the signatures that the token's own `ECRecover` accepts and no others: 65 bytes `r ‖ s ‖ v`, `s`
//! in the lower half, `v` 27 or 28. A signature with `v` of 0 or 1 would recover as well, but the token reverts on it,
//! and a payer's signature is broadcast unchanged: it is refused here rather than rewritten. The 64 bytes of EIP-2098
//! are refused for the same reason. A digest that no account's key signed may still be signed by a contract wallet
//! (EIP-1271, EIP-6492); only a back end that reads the chain can check that.

use alloy_primitives::{Address, B256, Signature, U256, eip191_hash_message, keccak256, uint};
use alloy_sol_types::{Eip712Domain, SolStruct};

use crate::{Authorization, Network};

/// Half of secp256k1's order, rounded down: the greatest `s` that the token takes (EIP-2).
const MAX_S: U256 = uint!(0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0_U256);

/// The structures, spelled as they are hashed. A module of its own keeps what the macro makes out of the public API.
mod typed {
    alloy_sol_types::sol! {
        struct TransferWithAuthorization {
            address from;
            address to;
            uint256 value;
            uint256 validAfter;
            uint256 validBefore;
            bytes32 nonce;
        }

        struct SettlementProof {
            bytes32 transaction;
            string method;
            string target;
            bytes32 bodyHash;
            address payTo;
        }
    }
}

/// The statement that a transaction paid for one request, which the payer of a proof of settlement signs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettlementStatement {
    /// The transaction that holds the transfer.
    pub transaction: B256,
    /// The request's method: `POST`.
    pub method: String,
    /// The request's path, with `?` and the raw query where that is not empty.
    pub target: String,
    /// SHA-256 of the raw body.
    pub body_hash: B256,
    /// The account that was paid.
    pub pay_to: Address,
}

/// The two EIP-712 domains over a network's token. Their separators are hashed once, here, and not for each proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain {
    token: B256,
    settlement: B256,
}

impl Domain {
    /// Makes the domains of a network's token.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        let separator = |name: &str, version: &str| {
            Eip712Domain::new(
                Some(name.to_owned().into()),
                Some(version.to_owned().into()),
                Some(U256::from(network.chain_id)),
                Some(network.token),
                None,
            )
            .separator()
        };
        Self {
            token: separator(&network.token_name, &network.token_version),
            settlement: separator("Touchstone settlement", "1"),
        }
    }

    /// The domain separator of the token, equal to the result of its `DOMAIN_SEPARATOR()`.
    #[must_use]
    pub fn token_separator(&self) -> B256 {
        self.token
    }

    /// The digest of an authorization.
    #[must_use]
    pub fn authorization_digest(&self, authorization: &Authorization) -> B256 {
        let &Authorization { from, to, value, valid_after, valid_before, nonce } = authorization;
        let typed = typed::TransferWithAuthorization {
            from,
            to,
            value,
            validAfter: valid_after,
            validBefore: valid_before,
            nonce,
        };
        digest(self.token, &typed)
    }

    /// The digest of a statement of settlement.
    #[must_use]
    pub fn settlement_digest(&self, statement: &SettlementStatement) -> B256 {
        let typed = typed::SettlementProof {
            transaction: statement.transaction,
            method: statement.method.clone(),
            target: statement.target.clone(),
            bodyHash: statement.body_hash,
            payTo: statement.pay_to,
        };
        digest(self.settlement, &typed)
    }
}

/// Computes `keccak256(0x19 ‖ 0x01 ‖ domainSeparator ‖ hashStruct(message))`.
fn digest(separator: B256, message: &impl SolStruct) -> B256 {
    let mut input = [0; 66];
    input[..2].copy_from_slice(&[0x19, 0x01]);
    input[2..34].copy_from_slice(separator.as_slice());
    input[34..].copy_from_slice(message.eip712_hash_struct().as_slice());
    keccak256(input)
}

/// The digest of a text that an account signs for people to read (ERC-191, version `E`), as `personal_sign` of wallets does.
#[must_use]
pub fn text_digest(text: &str) -> B256 {
    eip191_hash_message(text)
}

/// An error in a signature of an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SignatureError {
    /// The signature has this many bytes instead of 65.
    #[error("an account's signature has 65 bytes, not {0}")]
    Length(usize),
    /// The token does not accept this value of `v`.
    #[error("the signature's v is {0}, not 27 or 28")]
    Parity(u8),
    /// `s` is in the upper half, a form that anyone can make from a valid signature.
    #[error("the signature's s is in the upper half of the curve's order")]
    HighS,
    /// `r` or `s` is zero or not below the curve's order, or the curve has no such point.
    #[error("the signature is not a point of the curve")]
    Invalid,
}

/// Recovers the account whose key signed the digest.
///
/// # Errors
/// The bytes are not a signature that the token accepts.
pub fn recover(digest: &B256, signature: &[u8]) -> Result<Address, SignatureError> {
    let bytes: &[u8; 65] = signature.try_into().map_err(|_| SignatureError::Length(signature.len()))?;
    let is_odd = match bytes[64] {
        27 => false,
        28 => true,
        v => return Err(SignatureError::Parity(v)),
    };
    let signature = Signature::from_bytes_and_parity(bytes, is_odd);
    if signature.s() > MAX_S {
        return Err(SignatureError::HighS);
    }
    signature.recover_address_from_prehash(digest).map_err(|_| SignatureError::Invalid)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, b256, hex};

    use super::*;

    /// The example of the x402 specification, signed for Base Sepolia.
    const PAYER: Address = address!("0x857b06519E91e3A54538791bDbb0E22373e36b66");
    const SIGNATURE: [u8; 65] = hex!(
        "2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a1283259764173608a2ce6496642e377d6da8dbbf5836e9bd15092f9ecab05ded3d6293af148b571c"
    );

    fn authorization() -> Authorization {
        Authorization {
            from: PAYER,
            to: address!("0x209693Bc6afc0C5328bA36FaF03C514EF312287C"),
            value: U256::from(10_000),
            valid_after: U256::from(1_740_672_089),
            valid_before: U256::from(1_740_672_154),
            nonce: b256!("0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480"),
        }
    }

    fn statement() -> SettlementStatement {
        SettlementStatement {
            transaction: B256::repeat_byte(1),
            method: "POST".to_owned(),
            target: "/commit?a=b".to_owned(),
            body_hash: B256::repeat_byte(2),
            pay_to: Address::repeat_byte(3),
        }
    }

    fn with_v(v: u8) -> [u8; 65] {
        let mut signature = SIGNATURE;
        signature[64] = v;
        signature
    }

    #[test]
    fn the_specifications_signature_is_the_payers_on_base_sepolia_and_nobodys_on_base() {
        let recovered =
            |network| recover(&Domain::new(&network).authorization_digest(&authorization()), &SIGNATURE);
        assert_eq!(recovered(Network::base_sepolia()), Ok(PAYER));
        for other in [Network::base(), Network::local()] {
            assert_ne!(recovered(other), Ok(PAYER));
        }
    }

    #[test]
    fn separators_are_those_of_the_deployed_tokens() {
        // `cast call TOKEN 'DOMAIN_SEPARATOR()(bytes32)'`
        let base = b256!("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f");
        assert_eq!(Domain::new(&Network::base()).token_separator(), base);
    }

    #[test]
    fn every_field_of_the_domain_and_of_the_message_changes_the_digest() {
        let of = |network: Network| Domain::new(&network).authorization_digest(&authorization());
        let base = Network::base();
        let digests = [
            of(base.clone()),
            of(Network { chain_id: 1, ..base.clone() }),
            of(Network { token: Address::ZERO, ..base.clone() }),
            of(Network { token_name: "USDC".to_owned(), ..base.clone() }),
            of(Network { token_version: "1".to_owned(), ..base.clone() }),
        ];
        assert_distinct(&digests);
        let domain = Domain::new(&base);
        let statements = [
            statement(),
            SettlementStatement { transaction: B256::ZERO, ..statement() },
            SettlementStatement { method: "GET".to_owned(), ..statement() },
            SettlementStatement { target: "/commit".to_owned(), ..statement() },
            SettlementStatement { body_hash: B256::ZERO, ..statement() },
            SettlementStatement { pay_to: Address::ZERO, ..statement() },
        ];
        assert_distinct(&statements.map(|statement| domain.settlement_digest(&statement)));
    }

    fn assert_distinct(digests: &[B256]) {
        for (at, digest) in digests.iter().enumerate() {
            assert!(!digests[..at].contains(digest), "number {at} is there twice");
        }
    }

    #[test]
    fn a_statement_of_settlement_is_hashed_by_the_published_type() {
        let domain = Domain::new(&Network::base());
        let word = |bytes: &[u8]| keccak256(bytes).to_vec();
        let domain_hash = keccak256(
            [
                word(b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                word(b"Touchstone settlement"),
                word(b"1"),
                U256::from(8453).to_be_bytes_vec(),
                Network::base().token.into_word().to_vec(),
            ]
            .concat(),
        );
        let struct_hash = keccak256(
            [
                word(b"SettlementProof(bytes32 transaction,string method,string target,bytes32 bodyHash,address payTo)"),
                vec![1; 32],
                word(b"POST"),
                word(b"/commit?a=b"),
                vec![2; 32],
                Address::repeat_byte(3).into_word().to_vec(),
            ]
            .concat(),
        );
        let expected =
            keccak256([b"\x19\x01".as_slice(), domain_hash.as_slice(), struct_hash.as_slice()].concat());
        assert_eq!(domain.settlement_digest(&statement()), expected);
    }

    #[test]
    fn what_the_token_does_not_take_is_no_accounts_signature() {
        let digest = Domain::new(&Network::base_sepolia()).authorization_digest(&authorization());
        for v in [0, 1, 2, 26, 29, 35, 255] {
            assert_eq!(recover(&digest, &with_v(v)), Err(SignatureError::Parity(v)));
        }
        for length in [0, 1, 64] {
            assert_eq!(recover(&digest, &SIGNATURE[..length]), Err(SignatureError::Length(length)));
        }
        assert_eq!(recover(&digest, &[SIGNATURE.as_slice(), &[0]].concat()), Err(SignatureError::Length(66)));
        assert_ne!(recover(&digest, &with_v(27)), Ok(PAYER));
        for scalar in [0..32, 32..64] {
            for byte in [0, 0xff] {
                let mut signature = SIGNATURE;
                signature[scalar.clone()].fill(byte);
                assert!(recover(&digest, &signature).is_err(), "{scalar:?} of {byte}");
            }
        }
    }

    #[test]
    fn a_text_is_hashed_with_its_length_before_it() {
        assert_eq!(text_digest("abc"), keccak256(b"\x19Ethereum Signed Message:\n3abc"));
        assert_ne!(text_digest("abc"), text_digest("abd"));
    }

    #[test]
    fn the_other_half_of_a_signature_is_refused() {
        let digest = Domain::new(&Network::base_sepolia()).authorization_digest(&authorization());
        let order = uint!(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141_U256);
        let s = order - U256::from_be_slice(&SIGNATURE[32..64]);
        let mut signature = with_v(27);
        signature[32..64].copy_from_slice(&s.to_be_bytes::<32>());
        assert_eq!(recover(&digest, &signature), Err(SignatureError::HighS));
        assert_eq!(MAX_S, order >> 1);
    }
}
