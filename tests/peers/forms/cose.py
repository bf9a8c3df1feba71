"""Reads receipts in their form `.cose` with scitt-cose and with pycose, and has both refuse mutants.

cose.py BASE_URL, of a development notary without limits.
"""

import base64
import hashlib
import json
import random
import sys
import urllib.error
import urllib.request

import cbor2
import scitt_cose
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from pycose.keys import OKPKey
from pycose.keys.curves import Ed25519
from pycose.messages import Sign1Message

RECEIPTS, VDS, VDP, MUTANTS = 394, 395, 396, 2000
base = sys.argv[1]


def get(path):
    with urllib.request.urlopen(base + path) as answer:
        return answer.headers["Content-Type"], answer.read()


def ask(path, question):
    request = urllib.request.Request(base + path, json.dumps(question).encode())
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def sha(data):
    return hashlib.sha256(data).digest()


methods = json.loads(get("/.well-known/did.json")[1])["verificationMethod"]
keys = {
    method["id"]: base64.urlsafe_b64decode(method["publicKeyJwk"]["x"] + "=")
    for method in methods
    if method["type"] == "JsonWebKey2020"
}
# The log's key is the one of its vkey, which nobody but the log's readers need know otherwise.
vkey = json.loads(get("/.well-known/service.json")[1])["log"]["vkey"]
log_key = base64.b64decode(vkey.split("+", 2)[2])[1:]
[log_kid] = [kid for kid, key in keys.items() if key == log_key]


def pem(key):
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return Ed25519PublicKey.from_public_bytes(key).public_bytes(serialization.Encoding.PEM, form)


def leaf(payload):
    """The log's entry for a payload, as docs/forms.md has it."""
    members = json.loads(payload)
    entry = {"class": members["class"], "h": sha(sha(payload)).hex(), "kid": members["kid"], "t": members["signed_at"], "v": 1}
    if "ref" in members:
        entry["ref"] = sha(bytes.fromhex(members["ref"])).hex()
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def read_by_scitt(message, receipt_key):
    """The payload, where the statement and its receipt hold."""
    parsed = scitt_cose.parse_signed_statement(message, public_key_pem=pem(receipt_key))
    if parsed["signature_verified"] is not True:
        return None
    [receipt] = scitt_cose.extract_receipts(message)
    result = scitt_cose.verify_receipt(
        receipt, leaf_entry_hex=leaf(parsed["payload"]).hex(), log_public_key_pem=pem(log_key)
    )
    return parsed["payload"] if result.ok else None


def read_by_pycose(message, receipt_key):
    """The same; pycose knows nothing of receipts, so the path is climbed here (RFC 9162, section 2.1.3.2)."""
    statement = Sign1Message.decode(message)
    statement.key = OKPKey(crv=Ed25519, x=receipt_key)
    if not statement.verify_signature():
        return None
    [encoded] = statement.uhdr[RECEIPTS]
    receipt = Sign1Message.decode(encoded)
    if receipt.phdr[VDS] != 1 or receipt.payload is not None:
        return None
    size, index, path = cbor2.loads(receipt.uhdr[VDP][-1][0])
    root, node, last = sha(b"\x00" + leaf(statement.payload)), index, size - 1
    for sibling in path:
        if node & 1 or node == last:
            root = sha(b"\x01" + sibling + root)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            root = sha(b"\x01" + root + sibling)
        node, last = node >> 1, last >> 1
    if last != 0:
        return None
    receipt.key = OKPKey(crv=Ed25519, x=log_key)
    return statement.payload if receipt.verify_signature(detached_payload=root) else None


def is_refused(read, message, receipt_key):
    try:
        return read(message, receipt_key) is None
    except Exception:  # noqa: BLE001: whatever a reader says of it, it does not take it
        return True


def mutants(message):
    """The message with one bit turned, cut short, with more, and with its headers changed."""
    chosen = random.Random(24)
    for at in range(len(message)):
        changed = bytearray(message)
        changed[at] ^= 1 << chosen.randrange(8)
        yield bytes(changed)
    yield from (message[:-1], message[1:], message[: len(message) // 2])
    protected, unprotected, payload, signature = cbor2.loads(message).value
    [receipt] = unprotected[RECEIPTS]
    headers, proofs, root, log_signature = cbor2.loads(receipt).value
    size, index, path = cbor2.loads(proofs[VDP][-1][0])

    def with_receipt(headers=headers, size=size, index=index, path=path, root=root, signature_of_log=log_signature):
        inner = {VDP: {-1: [cbor2.dumps([size, index, path])]}}
        inner = cbor2.dumps(cbor2.CBORTag(18, [headers, inner, root, signature_of_log]))
        return cbor2.dumps(cbor2.CBORTag(18, [protected, {RECEIPTS: [inner]}, payload, signature]))

    assert with_receipt() == message
    yield with_receipt(size=size + 1)
    yield with_receipt(index=index + 1, size=size + 1)
    yield with_receipt(index=max(index - 1, 0) if index else 1)
    yield with_receipt(path=[*path, bytes(32)])
    yield with_receipt(path=path[::-1] if len(path) > 1 else [bytes(32)])
    yield with_receipt(signature_of_log=signature)
    yield with_receipt(headers=cbor2.dumps({**cbor2.loads(headers), VDS: 2}))
    yield cbor2.dumps(cbor2.CBORTag(18, [protected, {}, payload, signature]))
    yield cbor2.dumps(cbor2.CBORTag(18, [protected, {RECEIPTS: []}, payload, signature]))


readers = {"scitt-cose": read_by_scitt, "pycose": read_by_pycose}
made = [ask("/scan-text", {"agent": "cose", "text": f"hello {number}"}) for number in range(5)]
messages = []
for receipt in made:
    media_type, message = get(f"/receipts/{receipt['receipt_hash']}.cose")
    assert media_type == 'application/cose; cose-type="cose-sign1"', media_type
    receipt_key = keys[receipt["kid"]]
    for name, read in readers.items():
        payload = read(message, receipt_key)
        assert payload is not None and sha(payload).hex() == receipt["receipt_hash"], name
        assert is_refused(read, message, log_key), f"{name} takes the log's key for that of receipts"
    assert get(f"/receipts/{receipt['receipt_hash']}.cose")[1] == message, "other bytes the second time"
    messages.append(message)
# The receipt of another message's leaf.
swapped = [cbor2.loads(message).value for message in messages]
changed = [cbor2.dumps(cbor2.CBORTag(18, [ours[0], theirs[1], *ours[2:]])) for ours, theirs in zip(swapped, swapped[1:])]
changed += list(mutants(messages[-1]))[:MUTANTS]
receipt_key = keys[made[-1]["kid"]]
taken = [name for name, read in readers.items() for mutant in changed if not is_refused(read, mutant, receipt_key)]
assert not taken, f"{len(taken)} mutants are taken for receipts: {set(taken)}"
for path in ["0" * 64 + ".cose", "x.cose"]:
    try:
        get(f"/receipts/{path}")
        raise AssertionError(path)
    except urllib.error.HTTPError as refused:
        assert refused.code in (404, 400), refused.code
print(f"COSE: {', '.join(readers)} read {len(messages)} receipts and refuse {len(changed)} mutants")
