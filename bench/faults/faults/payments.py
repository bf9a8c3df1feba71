"""Payments in the development profile's own money: x402 version 2, scheme `exact` (EIP-3009), as docs/payments.md describes."""

import base64
import hashlib
import json
import secrets
import time

from eth_account import Account

# The faucet wallet of the development profile: a key that the whole world has.
FAUCET_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
PAYERS = 8
# Atomic units that each payer other than the faucet is given: enough for 50,000 commitments.
BALANCE = 5_000_000_000

TYPES = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


def payers(with_money: bool) -> list:
    """The wallets that pay: the faucet, and others if they can be given money."""
    others = [Account.from_key(hashlib.sha256(f"payer {number}".encode()).digest()) for number in range(PAYERS - 1)]
    return [Account.from_key(FAUCET_KEY), *(others if with_money else [])]


def terms_of(header: str) -> dict:
    """The first way to pay of a PAYMENT-REQUIRED header."""
    return json.loads(base64.b64decode(header))["accepts"][0]


def proof(wallet, terms: dict) -> tuple[str, str]:
    """A new authorization of exactly the amount asked for; returns the header's value and the nonce."""
    nonce = secrets.token_bytes(32)
    now = int(time.time())
    authorization = {
        "from": wallet.address,
        "to": terms["payTo"],
        "value": int(terms["amount"]),
        "validAfter": now - 60,
        "validBefore": now + int(terms["maxTimeoutSeconds"]) - 10,
        "nonce": nonce,
    }
    domain = {
        "name": terms["extra"]["name"],
        "version": terms["extra"]["version"],
        "chainId": int(terms["network"].partition(":")[2]),
        "verifyingContract": terms["asset"],
    }
    signed = wallet.sign_typed_data(domain, TYPES, authorization)
    spelled = {name: str(value) for name, value in authorization.items()} | {"nonce": "0x" + nonce.hex()}
    payment = {
        "x402Version": 2,
        "accepted": terms,
        "payload": {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": spelled},
    }
    return base64.b64encode(json.dumps(payment).encode()).decode(), nonce.hex()
