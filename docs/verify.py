"""Verifies a receipt offline. pip install cryptography rfc8785; python verify.py RECEIPT JWKS VKEY"""
import base64, contextlib, hashlib, json, sys
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

@contextlib.contextmanager
def check(what):
    try: yield
    except Exception as why: sys.exit(" ".join(f"not valid: {what} does not hold: {why if isinstance(why, ValueError) else repr(why)}".split()))

def need(holds, why):
    if not holds: raise ValueError(why)

def members(pairs):
    need(len(dict(pairs)) == len(pairs), "a name is given twice in one object")
    return dict(pairs)

def unb64(text, encode):  # every value has one spelling, so nothing can be put in between
    data = base64.b64decode(text.replace("-", "+").replace("_", "/") + "==")
    need(encode(data) == text, "base64 is not in its one spelling")
    return data

sha = lambda data: hashlib.sha256(data).digest()
b64 = lambda data: base64.b64encode(data).decode()
b64u = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")
load = lambda path: json.load(open(path, encoding="utf-8"), object_pairs_hook=members)

def verify_jws(kid, role, typ, payload, signature):  # Ed25519 over header and payload, by the issuer's key of that role
    need(kid.split("#")[0] == "did:web:" + host.translate({58: "%3A", 91: "%5B", 93: "%5D"}), "kid is not a key of iss")
    keys = [key for key in jwks["keys"] if key.get("kid") == kid and key.get("role") == role]
    need(len(keys) == 1, "the key set has not one key of this kid and role")
    jwk = rfc8785.dumps({"crv": "Ed25519", "kty": "OKP", "x": keys[0]["x"]})
    need(kid.partition("#")[2] == b64u(sha(jwk)), "kid does not end with the thumbprint of its key (RFC 7638)")
    header = rfc8785.dumps({"alg": "EdDSA", "kid": kid, "typ": typ})
    signed = b64u(header) + "." + b64u(payload)
    Ed25519PublicKey.from_public_bytes(unb64(keys[0]["x"], b64u)).verify(unb64(signature, b64u), signed.encode())
    return keys[0]

with check("the form of receipt, key set and log key"):
    receipt, jwks, (origin, key_id, key) = load(sys.argv[1]), load(sys.argv[2]), sys.argv[3].split("+", 2)
    host, key = receipt["iss"].partition("://")[2], unb64(key, b64)
    need(receipt["v"] == 1 and key[0] == 1 and sha(origin.encode() + b"\n" + key)[:4].hex() == key_id, "not a version known here")

with check("the hash"):
    payload = rfc8785.dumps({name: value for name, value in receipt.items() if name not in ("receipt_hash", "signature", "proof")})
    need(sha(payload).hex() == receipt["receipt_hash"], "receipt_hash is not the SHA-256 of the payload")

with check("the signature"):
    signer = verify_jws(receipt["kid"], None, "verdict-receipt+jws", payload, receipt["signature"])

def need_range(key, leaf):  # the leaves of the log at which a key may sign, where the key set has them
    need(key.get("leaf_from", 0) <= leaf < key.get("leaf_until", 2**64), "the leaf is not in the range of the key")

def signature_line(line):  # name, key id and signature; whose name we do not know is read too
    mark, name, signature = line.split(" ")
    signature = unb64(signature, b64)
    need(mark == "\u2014" and len(signature) > 4 and 1 <= len(name.encode()) <= 1024, "a line is not one of a signature")
    need("+" not in name and not any(map(str.isspace, name)), "a key's name has a space or a plus sign")
    return name, signature[:4].hex(), signature[4:]

with check("the log's signature"):  # C2SP signed-note and tlog-checkpoint, to the last byte: nothing may be added that nobody signed
    proof, note = receipt["proof"].split("\n\n", 1)
    tree, signatures = note.split("\n\n")
    *signatures, rest = signatures.split("\n")
    need(1 <= len(signatures) <= 100 and not rest, "the note does not end with 1 to 100 whole lines")
    need(len(note.encode()) <= 2**20 and all(sign >= " " for sign in note if sign != "\n"), "the note is too long or has a control character")
    named, size, root = tree.split("\n")[:3]
    need(named == origin == host + "/log", "the checkpoint is of another log than that of iss, or than the log key")
    ours = [signature for *signer, signature in map(signature_line, signatures) if signer == [origin, key_id]]
    need(ours, "no signature is of the log key")
    for signature in ours: Ed25519PublicKey.from_public_bytes(key[1:]).verify(signature, tree.encode() + b"\n")
    of_log = [jwk for jwk in jwks["keys"] if jwk.get("role") == "log" and jwk.get("vkey") == sys.argv[3]]
    for jwk in of_log: need_range(jwk, int(size) - 1)  # a former log key may sign no tree that has a leaf past its range

with check("the inclusion in the log"):  # C2SP tlog-proof; RFC 9162, section 2.1.3.2
    form, *path = proof.split("\n")
    if path[:1] and path[0].startswith("extra "): need(1 <= len(unb64(path.pop(0)[6:], b64)) <= 2**16, "extra data is empty or too long")
    index = path.pop(0)
    at, last = int(index.removeprefix("index ")), int(size) - 1
    need(form == "c2sp.org/tlog-proof@v1" and index == f"index {at}" and 0 <= at <= last < 2**64, "the leaf index is not one of the tree")
    need(receipt["log_head"]["size"] <= at, "log_head is later than the receipt's leaf")
    need_range(signer, leaf := at)
    entry = {name: receipt[member] for name, member in (("class", "class"), ("kid", "kid"), ("t", "signed_at"), ("v", "v"))}
    entry |= {name: sha(bytes.fromhex(receipt[member])).hex() for name, member in (("h", "receipt_hash"), ("ref", "ref")) if member in receipt}
    node = sha(b"\0" + rfc8785.dumps(entry))
    for sibling in path:
        need(last > 0, "the path is too long")
        is_right, sibling = at % 2 == 1 or at == last, unb64(sibling, b64)
        node = sha(b"\1" + (sibling + node if is_right else node + sibling))
        while is_right and at % 2 == 0 and at: at, last = at // 2, last // 2
        at, last = at // 2, last // 2
    need(last == 0 and b64(node) == root, "the path does not lead to the root that is signed")

if receipt["class"] == "dispute":
    with check("the rerun"):  # its own key signed what was found, and the verdict follows from that
        disputed, replay, rerun = receipt["disputed"], receipt.get("replay"), receipt.get("rerun")
        if "replay" in receipt:
            run_key = verify_jws(rerun["kid"], "rerun", "verdict-rerun+jws", rfc8785.dumps(replay), rerun["signature"])
            if "revoked_reason" in run_key: need_range(run_key, leaf)  # else what it found before its end may be logged after that
        else: replay = {"receipt_hash": receipt["ref"]}
        need(("rerun" in receipt) == ("outcome" in replay), "there is a replay without its rerun, or the reverse")
        need(receipt["ref"] == disputed["receipt_hash"] == replay["receipt_hash"], "the replay is of another receipt")
        need(receipt["method"] in ("dispute/1", "dispute/2"), "the rules of the dispute are not known here")
        need(all(isinstance(disputed[name], str) for name in ("verdict", "evidence_sha256")), "disputed is not of the known form")
        finding = replay.get("finding")
        if not isinstance(finding, dict): finding = {}  # as a value that is no text, below, it is as good as none
        found, *rules = (text if isinstance(text, str) else None for text in (finding.get("verdict"), finding.get("method"), disputed.get("method")))
        kept = "evidence" in finding and sha(rfc8785.dumps(finding["evidence"])).hex() == disputed["evidence_sha256"]
        outcome = (replay.get("outcome", ()), found is not None, found == disputed["verdict"])
        if outcome == ("found", True, True): follows = ["UPHELD", "same_verdict"] if kept else ["INCONCLUSIVE", "evidence_missing"]
        elif outcome == ("found", True, False):
            other_rules = None not in rules and rules[0] != rules[1] and receipt["method"] != "dispute/1"
            follows = ["INCONCLUSIVE", "rules_changed"] if other_rules else ["OVERTURNED", "other_verdict"]
        else:
            without = {"missing": ["evidence_missing"], "refused": ["request_refused"],
                       (): ["rerun_exhausted", "too_large", "another_dispute", "rerun_unavailable", "request_redacted"]}
            need(found is None and receipt["reason"] in without.get(outcome[0], ()), "the reason does not follow from the replay")
            follows = ["INCONCLUSIVE", receipt["reason"]]
        says = [receipt[member] for member in ("verdict", "reason", "found") if member in receipt]
        need(says == follows + [found] * (found is not None), "verdict, reason and found do not follow from the replay")

print("valid:", receipt["verdict"])
