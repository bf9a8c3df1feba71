//! The calls, events and errors of the token: EIP-20 and EIP-3009, as Circle's FiatTokenV2_2 has them.

use alloy_primitives::{Address, B256, Bytes, U256, b256};
use alloy_sol_types::{SolCall, SolEvent, SolValue};
use rpc::RpcError;

use super::wire::{Log, Receipt};
use crate::{Authorization, Code, Refused, SettleError, SignedAuthorization, Transfer};

/// The functions and events, spelled as they are hashed.
mod abi {
    alloy_sol_types::sol! {
        function DOMAIN_SEPARATOR() returns (bytes32);
        function balanceOf(address account) returns (uint256);
        function authorizationState(address authorizer, bytes32 nonce) returns (bool);
        function isValidSignature(bytes32 hash, bytes signature) returns (bytes4);

        /// Version 2: of an account's key.
        function transferWithAuthorization(
            address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
            uint8 v, bytes32 r, bytes32 s
        );

        /// Version 2.2: whatever a contract wallet takes.
        function transferWithAuthorization(
            address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
            bytes signature
        );

        event Transfer(address indexed from, address indexed to, uint256 value);
        event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
        event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    }
}

pub(crate) fn domain_separator() -> Bytes {
    abi::DOMAIN_SEPARATORCall {}.abi_encode().into()
}

pub(crate) fn balance_of(account: Address) -> Bytes {
    abi::balanceOfCall { account }.abi_encode().into()
}

pub(crate) fn authorization_state(authorization: &Authorization) -> Bytes {
    let &Authorization { from: authorizer, nonce, .. } = authorization;
    abi::authorizationStateCall { authorizer, nonce }.abi_encode().into()
}

pub(crate) fn is_valid_signature(hash: B256, signature: Bytes) -> Bytes {
    abi::isValidSignatureCall { hash, signature }.abi_encode().into()
}

/// Returns true if a wallet's answer is the EIP-1271 magic value: the function's own selector, alone in the first word.
pub(crate) fn is_magic(answer: &[u8]) -> bool {
    let mut magic = [0; 32];
    magic[..4].copy_from_slice(&abi::isValidSignatureCall::SELECTOR);
    answer.get(..32) == Some(magic.as_slice())
}

/// A number of 256 bits; nothing where no contract answered.
pub(crate) fn number(answer: &[u8]) -> Option<U256> {
    U256::abi_decode_validate(answer).ok().filter(|_| answer.len() == 32)
}

/// A truth value, strictly 0 or 1.
pub(crate) fn truth(answer: &[u8]) -> Option<bool> {
    bool::abi_decode_validate(answer).ok().filter(|_| answer.len() == 32)
}

/// The call that settles. A signature of 65 bytes goes in three parts: tokens before version 2.2 take no other, and
/// later ones put them together again.
pub(crate) fn transfer_with_authorization(signed: &SignedAuthorization) -> Bytes {
    let &Authorization { from, to, value, valid_after, valid_before, nonce } = &signed.authorization;
    let signature = plain_signature(&signed.signature);
    let parts: Result<&[u8; 65], _> = signature.as_ref().try_into();
    match parts {
        Ok(parts) => abi::transferWithAuthorization_0Call {
            from,
            to,
            value,
            validAfter: valid_after,
            validBefore: valid_before,
            nonce,
            v: parts[64],
            r: B256::from_slice(&parts[..32]),
            s: B256::from_slice(&parts[32..64]),
        }
        .abi_encode(),
        Err(_) => abi::transferWithAuthorization_1Call {
            from,
            to,
            value,
            validAfter: valid_after,
            validBefore: valid_before,
            nonce,
            signature,
        }
        .abi_encode(),
    }
    .into()
}

/// The end of a signature that wraps another together with the deployment of its wallet (EIP-6492).
const WRAPPED: B256 = b256!("0x6492649264926492649264926492649264926492649264926492649264926492");

/// The signature within an EIP-6492 wrapping, or the signature itself. A wallet that is deployed is asked with the
/// inner one, as EIP-6492 has it; one that is not deployed is none that we pay to deploy.
pub(crate) fn plain_signature(signature: &Bytes) -> Bytes {
    let Some(wrapping) = signature.strip_suffix(WRAPPED.as_slice()) else { return signature.clone() };
    match <(Address, Bytes, Bytes)>::abi_decode_params(wrapping) {
        Ok((_factory, _deployment, inner)) => inner,
        Err(_) => signature.clone(),
    }
}

/// A `Transfer` that the token wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moved {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) value: U256,
    /// The index of the event in its block.
    pub(crate) log_index: u64,
}

/// Reads a log as a `Transfer` of the token; one of another contract is none, whatever it says.
pub(crate) fn moved(log: &Log, token: Address) -> Option<Moved> {
    if log.address() != token || !log.stands() || log.data().len() != 32 {
        return None;
    }
    let event = abi::Transfer::decode_raw_log_validate(log.topics(), log.data()).ok()?;
    Some(Moved { from: event.from, to: event.to, value: event.value, log_index: log.index() })
}

/// The topics of the two events that end an authorization: its use and its cancellation.
pub(crate) fn ending_topics(authorization: &Authorization) -> [Vec<B256>; 3] {
    let endings = vec![abi::AuthorizationUsed::SIGNATURE_HASH, abi::AuthorizationCanceled::SIGNATURE_HASH];
    [endings, vec![authorization.from.into_word()], vec![authorization.nonce]]
}

/// Returns true if the token wrote this log when the authorization was used or cancelled.
pub(crate) fn is_ending(log: &Log, token: Address, authorization: &Authorization) -> bool {
    let [endings, ..] = ending_topics(authorization);
    endings.iter().any(|ending| is_about(log, *ending, token, authorization))
}

fn is_about(log: &Log, event: B256, token: Address, authorization: &Authorization) -> bool {
    let topics = [event, authorization.from.into_word(), authorization.nonce];
    log.address() == token && log.stands() && log.topics() == topics
}

/// Finds the proof in a receipt that the authorization paid: the token's `AuthorizationUsed` for it and, right after,
/// the exact `Transfer`. The token writes the two together, so in a transaction that uses several authorizations each
/// is credited with its own transfer only.
pub(crate) fn paid(receipt: &Receipt, token: Address, authorization: &Authorization) -> Option<Transfer> {
    let uses = receipt.logs().iter().zip(receipt.logs().iter().skip(1));
    let mut transfers = uses.filter_map(|(used, next)| {
        let next_to_it = used.index().checked_add(1) == Some(next.index());
        let is_use = is_about(used, abi::AuthorizationUsed::SIGNATURE_HASH, token, authorization);
        (next_to_it && is_use).then(|| moved(next, token)).flatten()
    });
    let Moved { from, to, value, log_index } = transfers.next()?;
    let exact = (from, to, value) == (authorization.from, authorization.to, authorization.value);
    (exact && receipt.succeeded()).then(|| Transfer {
        transaction: receipt.transaction(),
        log_index: Some(log_index),
        payer: from,
        value,
    })
}

/// Classifies a failed simulation: a revert is the payer's fault, any other error the node's.
pub(crate) fn refusal(error: RpcError) -> SettleError {
    match error {
        RpcError::Reverted { reason } => reverted(reason.as_deref().unwrap_or_default()).into(),
        other => other.into(),
    }
}

/// The token's reasons, by what they hold, and what a caller is told.
const REASONS: [(&str, Code, &str); 9] = [
    ("used or canceled", Code::NonceUsed, "the authorization's nonce was used or cancelled"),
    ("is expired", Code::Expired, "the authorization is over"),
    ("not yet valid", Code::NotYetValid, "the authorization is not valid yet"),
    ("exceeds balance", Code::InsufficientFunds, "the payer has less than the price"),
    ("invalid signature", Code::InvalidSignature, "the token does not take the signature"),
    ("ECRecover", Code::InvalidSignature, "the token does not take the signature"),
    ("paused", Code::TransferRefused, "the token is paused"),
    ("blacklisted", Code::TransferRefused, "the token has blacklisted the payer or the payee"),
    ("", Code::TransferRefused, "the token refuses the transfer"),
];

fn reverted(reason: &str) -> Refused {
    let known = REASONS.iter().find(|(part, ..)| reason.contains(part));
    let &(_, code, detail) = known.expect("the last one is part of every reason");
    Refused::new(code, detail)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const TOKEN: Address = Address::repeat_byte(0x70);

    fn authorization(nonce: u8) -> Authorization {
        Authorization {
            from: Address::repeat_byte(1),
            to: Address::repeat_byte(2),
            value: U256::from(100),
            valid_after: U256::ZERO,
            valid_before: U256::MAX,
            nonce: B256::repeat_byte(nonce),
        }
    }

    fn log(index: u64, address: Address, topics: &[B256], data: &[u8]) -> Value {
        json!({
            "address": address.to_string(),
            "topics": topics.iter().map(B256::to_string).collect::<Vec<_>>(),
            "data": format!("0x{}", hex::encode(data)),
            "logIndex": format!("{index:#x}"),
            "transactionHash": B256::repeat_byte(9).to_string(),
        })
    }

    fn used(index: u64, address: Address, nonce: u8) -> Value {
        let Authorization { from, nonce, .. } = authorization(nonce);
        log(index, address, &[abi::AuthorizationUsed::SIGNATURE_HASH, from.into_word(), nonce], &[])
    }

    fn transfer(index: u64, address: Address, value: u64) -> Value {
        let Authorization { from, to, .. } = authorization(0);
        let topics = [abi::Transfer::SIGNATURE_HASH, from.into_word(), to.into_word()];
        log(index, address, &topics, &U256::from(value).to_be_bytes::<32>())
    }

    fn receipt(status: &str, logs: &[Value]) -> Receipt {
        serde_json::from_value(json!({
            "transactionHash": B256::repeat_byte(9).to_string(),
            "blockHash": B256::repeat_byte(8).to_string(),
            "blockNumber": "0x5",
            "status": status,
            "logs": logs,
        }))
        .unwrap()
    }

    fn index(logs: &[Value], nonce: u8) -> Option<u64> {
        paid(&receipt("0x1", logs), TOKEN, &authorization(nonce)).and_then(|transfer| transfer.log_index)
    }

    #[test]
    fn an_authorization_paid_where_its_use_and_the_exact_transfer_stand_together() {
        let other = Address::repeat_byte(0x71);
        assert_eq!(index(&[used(3, TOKEN, 7), transfer(4, TOKEN, 100)], 7), Some(4));
        for (why, logs) in [
            ("nothing", vec![]),
            ("no transfer", vec![used(3, TOKEN, 7)]),
            ("no use", vec![transfer(4, TOKEN, 100)]),
            ("the use after the transfer", vec![transfer(3, TOKEN, 100), used(4, TOKEN, 7)]),
            ("another value", vec![used(3, TOKEN, 7), transfer(4, TOKEN, 99)]),
            ("another nonce", vec![used(3, TOKEN, 8), transfer(4, TOKEN, 100)]),
            ("another token's transfer", vec![used(3, TOKEN, 7), transfer(4, other, 100)]),
            ("another token's use", vec![used(3, other, 7), transfer(4, TOKEN, 100)]),
            ("a log left out between", vec![used(3, TOKEN, 7), transfer(5, TOKEN, 100)]),
        ] {
            assert_eq!(index(&logs, 7), None, "{why}");
        }
        let good = [used(3, TOKEN, 7), transfer(4, TOKEN, 100)];
        assert_eq!(paid(&receipt("0x0", &good), TOKEN, &authorization(7)), None);
    }

    #[test]
    fn several_authorizations_in_one_transaction_have_each_its_own_transfer() {
        let logs = [used(0, TOKEN, 7), transfer(1, TOKEN, 100), used(2, TOKEN, 8), transfer(3, TOKEN, 100)];
        assert_eq!((index(&logs, 7), index(&logs, 8)), (Some(1), Some(3)));
        // The first went elsewhere with its nonce; the other's transfer is not its.
        let logs = [used(0, TOKEN, 7), transfer(1, TOKEN, 1), used(2, TOKEN, 8), transfer(3, TOKEN, 100)];
        assert_eq!((index(&logs, 7), index(&logs, 8)), (None, Some(3)));
    }

    #[test]
    fn a_removed_log_counts_for_nothing() {
        let mut gone = transfer(4, TOKEN, 100);
        gone["removed"] = json!(true);
        assert_eq!(index(&[used(3, TOKEN, 7), gone], 7), None);
    }

    #[test]
    fn the_tokens_words_become_codes() {
        for (reason, code) in [
            ("FiatTokenV2: authorization is used or canceled", Code::NonceUsed),
            ("FiatTokenV2: authorization is expired", Code::Expired),
            ("FiatTokenV2: authorization is not yet valid", Code::NotYetValid),
            ("ERC20: transfer amount exceeds balance", Code::InsufficientFunds),
            ("FiatTokenV2: invalid signature", Code::InvalidSignature),
            ("ECRecover: invalid signature 's' value", Code::InvalidSignature),
            ("Pausable: paused", Code::TransferRefused),
            ("Blacklistable: account is blacklisted", Code::TransferRefused),
            ("anything else", Code::TransferRefused),
            ("", Code::TransferRefused),
        ] {
            assert_eq!(reverted(reason).code, code, "{reason}");
        }
    }

    #[test]
    fn a_signature_of_65_bytes_goes_in_parts_and_any_other_whole() {
        let call = |signature: Vec<u8>| {
            let signed = SignedAuthorization { authorization: authorization(7), signature: signature.into() };
            transfer_with_authorization(&signed)
        };
        // `cast sig` of the two.
        assert_eq!(call(vec![1; 65])[..4], hex::decode("e3ee160e").unwrap());
        assert_eq!(call(vec![1; 65]).len(), 4 + 9 * 32);
        assert_eq!(call(vec![1; 66])[..4], hex::decode("cf092995").unwrap());
        assert_eq!(call(Vec::new())[..4], hex::decode("cf092995").unwrap());
    }

    #[test]
    fn an_eip_6492_wrapping_is_taken_off() {
        let inner = Bytes::from(vec![5; 65]);
        let wrapping = (TOKEN, Bytes::from(vec![1, 2]), inner.clone()).abi_encode_params();
        let wrapped = Bytes::from([wrapping.as_slice(), WRAPPED.as_slice()].concat());
        assert_eq!(plain_signature(&wrapped), inner);
        assert_eq!(plain_signature(&inner), inner);
        for broken in [WRAPPED.to_vec(), [&[0xff; 96], WRAPPED.as_slice()].concat()] {
            assert_eq!(plain_signature(&broken.clone().into()), Bytes::from(broken));
        }
    }

    #[test]
    fn answers_are_whole_words() {
        let word = |last: u8| U256::from(last).to_be_bytes::<32>();
        assert_eq!((truth(&word(0)), truth(&word(1)), truth(&word(2))), (Some(false), Some(true), None));
        assert_eq!(number(&word(7)), Some(U256::from(7)));
        for wrong in [&[][..], &word(1)[1..], &[word(1), word(1)].concat()] {
            assert_eq!((truth(wrong), number(wrong)), (None, None), "{wrong:?}");
        }
        let mut magic = [0; 32];
        magic[..4].copy_from_slice(&[0x16, 0x26, 0xba, 0x7e]);
        assert!(is_magic(&magic));
        assert!(!is_magic(&magic[..4]) && !is_magic(&[0xff; 32]) && !is_magic(&[]));
        magic[31] = 1;
        assert!(!is_magic(&magic));
    }
}
