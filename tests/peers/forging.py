"""Receipts as a thief of a notary's keys could sign them, in a log of the thief's own."""

import base64
import hashlib
from pathlib import Path

import rfc8785
from cryptography.hazmat.primitives.serialization import load_pem_private_key

OUTSIDE_PAYLOAD = ("receipt_hash", "signature", "proof")


def sha(data):
    return hashlib.sha256(data).digest()


def b64(data):
    return base64.b64encode(data).decode()


def b64u(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Forger:
    """Signs with the keys of a data folder; `vkey` is that of its log."""

    def __init__(self, data_dir, vkey):
        self.keys, self.vkey = Path(data_dir, "keys"), vkey

    def key(self, name):
        return load_pem_private_key(Path(self.keys, f"{name}.pem").read_bytes(), None)

    def named(self, origin):
        """The log's key under another origin."""
        public = self.vkey.split("+", 2)[2]
        key_id = sha(origin.encode() + b"\n" + base64.b64decode(public))[:4].hex()
        return f"{origin}+{key_id}+{public}"

    def forged(self, receipt, signer="receipt", log_key=None, size=1, path=(), **changes):
        """The receipt with these changes, as the only leaf of a log or at the end of a path."""
        head = {"root": sha(b"").hex(), "size": 0}
        payload = {name: value for name, value in (receipt | {"log_head": head} | changes).items() if name not in OUTSIDE_PAYLOAD}
        text = rfc8785.dumps(payload)
        header = rfc8785.dumps({"alg": "EdDSA", "kid": payload["kid"], "typ": "verdict-receipt+jws"})
        entry = {"class": payload["class"], "kid": payload["kid"], "t": payload["signed_at"], "v": 1, "h": sha(sha(text)).hex()}
        if "ref" in payload:
            entry["ref"] = sha(bytes.fromhex(payload["ref"])).hex()
        root = sha(b"\0" + rfc8785.dumps(entry))
        for sibling in path:
            root = sha(b"\1" + sibling + root)
        origin, key_id, _ = (log_key or self.vkey).split("+", 2)
        tree = f"{origin}\n{size}\n{b64(root)}\n"
        signed = b64(bytes.fromhex(key_id) + self.key("log").sign(tree.encode()))
        signature = b64u(self.key(signer).sign(f"{b64u(header)}.{b64u(text)}".encode()))
        steps = "".join(b64(sibling) + "\n" for sibling in path)
        proof = f"c2sp.org/tlog-proof@v1\nindex 0\n{steps}\n{tree}\n\u2014 {origin} {signed}\n"
        return payload | {"receipt_hash": sha(text).hex(), "signature": signature, "proof": proof}
