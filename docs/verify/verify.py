"""Verifies a receipt offline: pip install cryptography rfc8785; python verify.py RECEIPT JWKS VKEY

Makes the checks of docs/verifying.md, except a dispute's rerun. Exit code 0: they hold, 1: one does not, 2: it cannot say.
"""
import base64, hashlib, json, re, sys, urllib.parse
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from rfc8785 import dumps as jcs

# C2SP tlog-proof with its signed note, to the last byte: nothing may be added that nobody signed, and base64 has one spelling.
BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?"
HASH, NUMBER = "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=", "(0|[1-9][0-9]{0,14})"
PATH = rf"c2sp\.org/tlog-proof@v1\n(?:extra (?=.){BASE64}\n)?index {NUMBER}\n((?:{HASH}\n)*)"
SIGNATURES = rf"((?:\u2014 [^+\s\0-\x1f]+ (?=[^=\n]{{7}}){BASE64}\n){{1,100}})"
PROOF = re.compile(rf"{PATH}\n((.+)\n{NUMBER}\n({HASH})\n(?:.+\n)*)\n{SIGNATURES}")

def end(code, why):
    print(("valid", "not valid", "cannot say")[code] + ":", why)
    sys.exit(code)
need = lambda holds, why, code=1: holds or end(code, why)
members = lambda pairs: need(len(dict(pairs)) == len(pairs), "a name is given twice in one object") and dict(pairs)
sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
b64u = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")
verify = lambda key, signature, text: Ed25519PublicKey.from_public_bytes(key).verify(signature, text.encode())

def root_of(node, index, size, path):  # of the tree, from the node at this index; the path ends at the top (RFC 9162, 2.1.3)
    if size == 1: return need(not path, "the path is too long") and node
    left, sibling = 1 << (size - 1).bit_length() - 1, base64.b64decode(path[-1])
    if index < left: return sha(b"\1", root_of(node, index, left, path[:-1]), sibling)
    return sha(b"\1", sibling, root_of(node, index - left, size - left, path[:-1]))

code = 2
try:
    text, jwks, vkey = open(sys.argv[1], encoding="utf-8").read(), json.load(open(sys.argv[2], encoding="utf-8")), sys.argv[3]
    (origin, key_id, log_key), keys = vkey.split("+", 2), {key["kid"]: key for key in jwks["keys"] if "role" not in key}
    code = 1
    receipt = json.loads(text, object_pairs_hook=members, parse_int=float)
    host, kid, signature = receipt["iss"].split("://")[1], receipt["kid"], receipt["signature"]
    payload = jcs({name: value for name, value in receipt.items() if name not in ("receipt_hash", "signature", "proof")})
    need(receipt["v"] == 1 and sha(payload).hex() == receipt["receipt_hash"], "receipt_hash is not the SHA-256 of the payload")
    need(kid in keys, "the key set has no receipt key of this kid", 2)
    thumbprint = b64u(sha(jcs({"crv": "Ed25519", "kty": "OKP", "x": keys[kid]["x"]})))
    need(kid == f"did:web:{urllib.parse.quote(host, safe='')}#{thumbprint}", "kid is not of iss and its key")
    key, data = (base64.urlsafe_b64decode(value + "==") for value in (keys[kid]["x"], signature))
    need(b64u(data) == signature, "the signature is not base64url in its one spelling")
    verify(key, data, b64u(jcs({"alg": "EdDSA", "kid": kid, "typ": "verdict-receipt+jws"})) + "." + b64u(payload))
    need("proof" in receipt, "the receipt has no proof", 2)
    index, path, tree, named, size, root, lines = PROOF.fullmatch(receipt["proof"]).groups()
    need(named == origin == host + "/log", "the checkpoint is not of the log of iss")
    signatures = (base64.b64decode(data) for name, data in re.findall("(\\S+) (\\S+)\n", lines) if name == origin)
    ours = [data[4:] for data in signatures if data[:4].hex() == key_id]
    need(ours, "no signature of the checkpoint is of the log key")
    for data in ours: verify(base64.b64decode(log_key)[1:], data, tree)
    log = next((key for key in jwks["keys"] if key.get("role") == "log" and key.get("vkey") == vkey), {})
    need(log.get("leaf_from", 0) <= int(size) - 1 < log.get("leaf_until", int(size)), "the tree is not one that the log key may sign")
    h, ref = (sha(bytes.fromhex(receipt.get(name, ""))).hex() for name in ("receipt_hash", "ref"))
    entry = {"class": receipt["class"], "h": h, "kid": kid, "t": receipt["signed_at"], "v": 1}
    leaf = sha(b"\0", jcs(entry | {"ref": ref} if "ref" in receipt else entry))
    need(int(index) < int(size), "the leaf index is not one of the tree")
    until = keys[kid].get("leaf_until", int(size))
    need(keys[kid].get("leaf_from", 0) <= int(index) < until, "the leaf is not in the range of the key")
    computed = base64.b64encode(root_of(leaf, int(index), int(size), path.split())).decode()
    need(computed == root, "the path does not lead to the root that is signed")
    need(receipt["log_head"]["size"] <= int(index), "log_head is later than the receipt's leaf")
    need(receipt["class"] != "dispute", "docs/verify.py checks the rerun of a dispute, and this does not", 2)
except Exception as why:
    end(code, repr(why))
end(0, receipt["verdict"])
