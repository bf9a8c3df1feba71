// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// A wallet that takes every signature where gas costs nothing, as in a call that names no price, and none where it is
/// paid for: simulated without a price it pays, in a transaction it reverts.
contract FreeGasWallet {
    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return tx.gasprice == 0 ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}

/// A wallet that takes every signature until anyone tells it to refuse, and again once anyone tells it not to: no
/// simulation can see what it will do in a later block.
contract SwitchWallet {
    bool public refuses;

    function setRefuses(bool newRefuses) external {
        refuses = newRefuses;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return refuses ? bytes4(0xffffffff) : bytes4(0x1626ba7e);
    }
}
