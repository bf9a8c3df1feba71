// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Calls many contracts in one transaction: several Transfers under one transaction hash.
contract Splitter {
    function batch(address[] calldata targets, bytes[] calldata calls) external {
        for (uint256 i = 0; i < targets.length; i++) {
            (bool success, bytes memory result) = targets[i].call(calls[i]);
            if (!success) {
                assembly ("memory-safe") {
                    revert(add(result, 0x20), mload(result))
                }
            }
        }
    }

    /// From this contract's own balance.
    function split(address token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < to.length; i++) {
            (bool success, bytes memory result) = token.call(
                abi.encodeWithSignature("transfer(address,uint256)", to[i], values[i])
            );
            require(success && abi.decode(result, (bool)), "Splitter: a transfer failed");
        }
    }
}

/// A token that lies: everyone is rich, no authorization is ever used, and what it logs is what a test wants.
contract FakeToken {
    enum Logs {
        Both, // as the real token does, but no balance moves
        Nothing,
        OnlyAuthorizationUsed,
        OnlyTransfer,
        TransferOfLess, // one atomic unit less
        TransferToAnother, // to this contract
        TransferFromAnother, // from this contract
        AnotherNonce
    }

    Logs public logs;
    bool public reverts;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    function name() external pure returns (string memory) {
        return "USD Coin";
    }

    function version() external pure returns (string memory) {
        return "2";
    }

    function decimals() external pure returns (uint8) {
        return 6;
    }

    function balanceOf(address) external pure returns (uint256) {
        return type(uint256).max >> 1;
    }

    function authorizationState(address, bytes32) external pure returns (bool) {
        return false;
    }

    function setLogs(Logs newLogs) external {
        logs = newLogs;
    }

    function setReverts(bool newReverts) external {
        reverts = newReverts;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Logs what it is told.
    function forge(address from, address to, uint256 value, bytes32 nonce) external {
        emit AuthorizationUsed(from, nonce);
        emit Transfer(from, to, value);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32 nonce,
        uint8,
        bytes32,
        bytes32
    ) external {
        lie(from, to, value, nonce);
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32 nonce,
        bytes calldata
    ) external {
        lie(from, to, value, nonce);
    }

    function lie(address from, address to, uint256 value, bytes32 nonce) private {
        require(!reverts, "FakeToken: told to revert");
        if (logs == Logs.Nothing) return;
        if (logs == Logs.AnotherNonce) nonce = ~nonce;
        if (logs != Logs.OnlyTransfer) emit AuthorizationUsed(from, nonce);
        if (logs == Logs.OnlyAuthorizationUsed) return;
        if (logs == Logs.TransferOfLess) value -= 1;
        if (logs == Logs.TransferToAnother) to = address(this);
        if (logs == Logs.TransferFromAnother) from = address(this);
        emit Transfer(from, to, value);
    }
}
