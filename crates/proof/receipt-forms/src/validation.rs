//! What a validator would submit to the Validation Registry of ERC-8004 for a receipt. Nothing is sent: the caller's
//! validator, whose address the request named, sends it.
//!
//! The form is pinned to one deployed contract, since the standard still changes (`tag` was `bytes32` before):
//! [`REGISTRY`] on [`CHAIN`], version [`REGISTRY_VERSION`] of `ValidationRegistryUpgradeable`, as
//! `registry-addresses.json` of erc-8004/erc-8004-contracts listed it on 2026-11-27.

use alloy_primitives::{B256, keccak256};
use alloy_sol_types::SolCall as _;
use receipt::json::Json;
use receipt::sign::compact_jws;

use crate::statement::object;
use crate::{FormError, Statement};

/// The media type of the form.
pub const MEDIA_TYPE: &str = "application/json";

/// The chain of the registry (CAIP-2): Ethereum Sepolia. No Validation Registry is listed on a main network.
pub const CHAIN: &str = "eip155:11155111";

/// The address of the registry.
pub const REGISTRY: &str = "0x8004Cb1BF31DAf7788923b405b754f57acEB4272";

/// The registry's `getVersion()`.
pub const REGISTRY_VERSION: &str = "2.0.0";

/// The signature of the function that is called.
pub const FUNCTION: &str = "validationResponse(bytes32,uint8,string,bytes32,string)";

/// The `response` to the good verdict. Every other verdict is 0: no careful verdict passes for a weak yes.
pub const GOOD: u8 = 100;

mod abi {
    alloy_sol_types::sol! {
        function validationResponse(
            bytes32 requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag
        ) external;
    }
}

/// Makes the form, in its canonical form (RFC 8785). `good` is the good verdict of the receipt's class.
///
/// - `requestHash` is the receipt's `request_hash`: who wants a verdict on chain opens `validationRequest` with it.
/// - `responseURI` is the receipt as a JWS, whose bytes do not change, and `responseHash` their Keccak-256.
/// - `tag` is the class.
///
/// # Errors
/// [`FormError::Payload`]: `request_hash` is not 64 hexadecimal digits.
pub fn response(statement: &Statement<'_>, good: &str) -> Result<Vec<u8>, FormError> {
    let unfit = || FormError::Payload("request_hash");
    let mut request_hash = [0; 32];
    hex::decode_to_slice(&statement.request_hash, &mut request_hash).map_err(|_| unfit())?;
    let jws = compact_jws(statement.payload, statement.signature, &statement.kid);
    let call = abi::validationResponseCall {
        requestHash: B256::from(request_hash),
        response: if statement.verdict == good { GOOD } else { 0 },
        responseURI: format!("{}.jws", statement.address()),
        responseHash: keccak256(jws),
        tag: statement.class.clone(),
    };
    let calldata = format!("0x{}", hex::encode(call.abi_encode()));
    let arguments = object([
        ("requestHash", call.requestHash.to_string().into()),
        ("response", Json::Number(call.response.into())),
        ("responseURI", call.responseURI.into()),
        ("responseHash", call.responseHash.to_string().into()),
        ("tag", call.tag.into()),
    ]);
    let registry =
        object([("chain", CHAIN.into()), ("address", REGISTRY.into()), ("version", REGISTRY_VERSION.into())]);
    let form = object([
        ("standard", "ERC-8004".into()),
        ("registry", registry.into()),
        ("function", FUNCTION.into()),
        ("arguments", arguments.into()),
        ("calldata", calldata.into()),
    ]);
    Ok(Json::Object(form).canonical())
}
