// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A wallet that is a contract: what its owner's key signed is valid (EIP-1271).
///
/// Set its code at an address, then call `initialize` once. Bytes after the 65 of the owner's signature are allowed,
/// as real wallets wrap signatures in more: so a test can have one that is no plain ECDSA signature by its length.
contract Wallet1271 {
    address public owner;

    function initialize(address newOwner) external {
        require(owner == address(0), "Wallet1271: has an owner");
        owner = newOwner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length < 65 || owner == address(0)) return 0xffffffff;
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        uint8 v = uint8(signature[64]);
        return ecrecover(digest, v, r, s) == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// Makes such wallets at addresses that are known beforehand: what EIP-6492 is about.
contract Wallet1271Factory {
    function create(address owner, bytes32 salt) external returns (address) {
        address wallet = walletOf(owner, salt);
        if (wallet.code.length == 0) {
            new Wallet1271{salt: keccak256(abi.encode(owner, salt))}();
            Wallet1271(wallet).initialize(owner);
        }
        return wallet;
    }

    function walletOf(address owner, bytes32 salt) public view returns (address) {
        bytes32 ownSalt = keccak256(abi.encode(owner, salt));
        bytes32 codeHash = keccak256(type(Wallet1271).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), ownSalt, codeHash)))));
    }
}
