"""Verifies a receipt offline. pip install cryptography rfc8785; python verify.py RECEIPT JWKS VKEY"""
import base64, hashlib, json, sys
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey as Key
receipt, jwks, vkey = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
sha, b64, b64u = lambda data: hashlib.sha256(data).digest(), base64.b64decode, lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
check = lambda holds, what: holds or sys.exit(what + " does not hold")
# The hash is over the canonical payload; the signature is the key's, over header and payload.
payload = rfc8785.dumps({name: value for name, value in receipt.items() if name not in ("receipt_hash", "signature", "proof")})
check(sha(payload).hex() == receipt["receipt_hash"], "the hash")
header = rfc8785.dumps({"alg": "EdDSA", "kid": receipt["kid"], "typ": "verdict-receipt+jws"})
public, signature = (base64.urlsafe_b64decode(text + "==") for text in (next(key["x"] for key in jwks["keys"] if key["kid"] == receipt["kid"]), receipt["signature"]))
Key.from_public_bytes(public).verify(signature, b64u(header) + b"." + b64u(payload))
# The log's key signed the checkpoint; the receipt's entry is in the tree that the checkpoint is over.
(proof, head, signatures), origin = receipt["proof"].split("\n\n"), vkey.split("+")[0]
signed = next(b64(line.split(" ")[2]) for line in signatures.splitlines() if line.split(" ")[1] == origin)
Key.from_public_bytes(b64(vkey.split("+", 2)[2])[1:]).verify(signed[4:], head.encode() + b"\n")
entry = {name: receipt[member] for name, member in (("class", "class"), ("kid", "kid"), ("t", "signed_at"), ("v", "v"))}
entry |= {name: sha(bytes.fromhex(receipt[member])).hex() for name, member in (("h", "receipt_hash"), ("ref", "ref")) if member in receipt}
node, at, last = sha(b"\0" + rfc8785.dumps(entry)), int(proof.split("\n")[1].split()[1]), int(head.split("\n")[1]) - 1
for sibling in map(b64, proof.split("\n")[2:]):
    is_right = at % 2 == 1 or at == last
    node = sha(b"\1" + (sibling + node if is_right else node + sibling))
    while is_right and at % 2 == 0 and at: at, last = at // 2, last // 2
    at, last = at // 2, last // 2
check(last == 0 and node == b64(head.split("\n")[2]) and head.split("\n")[0] == origin, "the inclusion in the log")
print("valid:", receipt["verdict"])
