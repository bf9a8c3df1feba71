"""Verifies a receipt offline. pip install cryptography rfc8785; python verify.py RECEIPT JWKS VKEY"""
import base64, hashlib, json, sys
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Key
receipt, jwks, vkey = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
sha, b64 = lambda data: hashlib.sha256(data).digest(), base64.b64decode
b64u, un64u = lambda data: base64.urlsafe_b64encode(data).rstrip(b"="), lambda text: base64.urlsafe_b64decode(text + "==")
# 1. The hash is over the canonical payload; 2. the signature is the key's, over header and payload.
payload = rfc8785.dumps({name: value for name, value in receipt.items() if name not in ("receipt_hash", "signature", "proof")})
assert sha(payload).hex() == receipt["receipt_hash"], "the hash does not hold"
header = rfc8785.dumps({"alg": "EdDSA", "kid": receipt["kid"], "typ": "verdict-receipt+jws"})
public = next(un64u(key["x"]) for key in jwks["keys"] if key["kid"] == receipt["kid"])
Key.from_public_bytes(public).verify(un64u(receipt["signature"]), b64u(header) + b"." + b64u(payload))
# 3. The log's checkpoint is signed; 4. the receipt's entry is in the tree that it is over.
lines, note = receipt["proof"].split("\n\n", 1)
(origin, size, root), signature = note.split("\n\n")[0].split("\n"), b64(note.split(f"\n\u2014 {vkey.split('+')[0]} ")[1].split("\n")[0])
Key.from_public_bytes(b64(vkey.split("+", 2)[2])[1:]).verify(signature[4:], f"{origin}\n{size}\n{root}\n".encode())
entry = {name: receipt[key] for name, key in (("class", "class"), ("kid", "kid"), ("t", "signed_at"), ("v", "v"))}
entry |= {name: sha(bytes.fromhex(hash)).hex() for name, hash in (("h", receipt["receipt_hash"]), ("ref", receipt.get("ref"))) if hash}
node, at, last = sha(b"\0" + rfc8785.dumps(entry)), int(lines.split("\n")[1].split()[1]), int(size) - 1
for sibling in map(b64, lines.split("\n")[2:]):
    is_right = at % 2 == 1 or at == last
    node = sha(b"\1" + (sibling + node if is_right else node + sibling))
    while is_right and at % 2 == 0 and at: at, last = at // 2, last // 2
    at, last = at // 2, last // 2
assert last == 0 and node == b64(root), "the receipt is not in the log"
print("valid:", receipt["verdict"])
