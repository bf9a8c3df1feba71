//! The calls of the contracts beside the peers, as `tests/peers/x402/*.sol` has them.

#![allow(missing_docs, reason = "made by the macro; the sources say what each does")]

use alloy_sol_types::{SolStruct as _, eip712_domain, sol};
use payment::{Authorization, Network, SignedAuthorization, Wallet};

pub use alloy_sol_types::SolCall;

sol! {
    struct CancelAuthorization {
        address authorizer;
        bytes32 nonce;
    }

    function mint(address to, uint256 amount);
    function pause();
    function unpause();
    function blacklist(address account);
    function setName(string newName);
    function transfer(address to, uint256 value);
    function balanceOf(address account) returns (uint256);
    function initialize(address newOwner);
    function setLogs(uint8 newLogs);
    function setRefuses(bool newRefuses);
    function forge(address from, address to, uint256 value, bytes32 nonce);
    function batch(address[] targets, bytes[] calls);
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature);
    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature
    );
}

/// The call by which anyone can use the authorization.
#[must_use]
pub fn usage(signed: &SignedAuthorization) -> transferWithAuthorizationCall {
    let Authorization { from, to, value, valid_after, valid_before, nonce } = signed.authorization;
    let signature = signed.signature.clone();
    transferWithAuthorizationCall {
        from,
        to,
        value,
        validAfter: valid_after,
        validBefore: valid_before,
        nonce,
        signature,
    }
}

/// The call by which anyone can cancel the authorization that its payer no longer wants.
#[must_use]
pub fn cancellation(payer: &Wallet, authorization: &Authorization) -> cancelAuthorizationCall {
    let &Authorization { from: authorizer, nonce, .. } = authorization;
    let network = Network::base();
    let domain = eip712_domain! {
        name: network.token_name,
        version: network.token_version,
        chain_id: network.chain_id,
        verifying_contract: network.token,
    };
    let digest = CancelAuthorization { authorizer, nonce }.eip712_signing_hash(&domain);
    cancelAuthorizationCall { authorizer, nonce, signature: payer.sign(&digest) }
}
