"""Says which witnesses have cosigned a checkpoint: pip install cryptography; python witnesses.py PROOF POLICY

PROOF is a .tlog-proof or a signed checkpoint, POLICY a C2SP tlog-policy. That the log signed it and has the receipt in it is for
verify.py to check. Exit code 0: a quorum has cosigned it, 1: a cosignature is not valid, 2: there is no quorum, or it cannot say.
"""
import base64, datetime, hashlib, re, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

COSIGNATURE = 4  # C2SP tlog-cosignature, of Ed25519. Those of ML-DSA-44 (6) are not checked here, and do not count.

def end(code, why):
    print(("valid", "not valid", "cannot say")[code] + ":", why)
    sys.exit(code)
need = lambda holds, why, code=2: holds or end(code, why)

def key_of(vkey):  # its name, its id, its type and the public key
    name, key_id, data = vkey.split("+", 2)
    data = base64.b64decode(data, validate=True)
    need(hashlib.sha256(name.encode() + b"\n" + data).digest()[:4].hex() == key_id, f"the id of {name}'s key is another")
    return name, key_id, data[0], data[1:]

def time_of(vkey, tree, signatures):  # of the newest cosignature of this witness; None where there is none
    name, key_id, kind, key = key_of(vkey)
    times = []
    for signer, data in signatures:
        if kind == COSIGNATURE and signer == name and data[:4].hex() == key_id:
            need(len(data) == 76, f"the cosignature of {name} has another length", 1)
            time = int.from_bytes(data[4:12], "big")
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(data[12:], f"cosignature/v1\ntime {time}\n{tree}".encode())
            except InvalidSignature:
                end(1, f"the cosignature of {name} does not verify")
            times.append(time)
    return max(times, default=None)

try:
    text = open(sys.argv[1], encoding="utf-8", newline="").read()
    note = text.split("\n\n", 1)[1] if text.startswith("c2sp.org/tlog-proof@v1\n") else text
    tree, lines = note.split("\n\n", 1)
    tree, (origin, size, *_) = tree + "\n", tree.split("\n")
    lines = [re.fullmatch("\u2014 (\\S+) (\\S+)", line) for line in lines.removesuffix("\n").split("\n")]
    signatures = [(line[1], base64.b64decode(line[2], validate=True)) for line in lines]
    logs, has, keys, grouped, quorum = [], {}, set(), set(), None
    for line in open(sys.argv[2], encoding="utf-8").read().split("\n"):
        words = line.split()
        if not words or words[0].startswith("#"): continue
        if words[0] == "log": logs.append(key_of(words[1])[0])
        elif words[0] == "witness":
            key = key_of(words[2])[3]
            need(words[1] not in has and key not in keys, "the policy has one witness twice")
            keys.add(key)
            time = time_of(words[2], tree, signatures)
            has[words[1]] = time is not None
            if time is not None: print(f"{words[1]} at {datetime.datetime.fromtimestamp(time, datetime.timezone.utc).isoformat()}")
        elif words[0] == "group":
            names = words[3:]
            need(words[1] not in has and len({*names} - grouped) == len(names), "the policy has a group or a member twice")
            grouped.update(names)
            needed = {"any": 1, "all": len(names)}.get(words[2]) or int(words[2])
            need(1 <= needed <= len(names), f"the policy has a group of {len(names)} that needs {needed}")
            has[words[1]] = sum(has[name] for name in names) >= needed
        elif words[0] == "quorum":
            need(quorum is None, "the policy has two quorums")
            quorum = need(words[1] != "none", "the policy asks for no witness") and has[words[1]]
        else: end(2, f"the policy has a line of an unknown kind: {words[0]}")
    need(not logs or origin in logs, f"the policy is not about the log {origin}")
    need(quorum is not None, "the policy names no quorum")
    need(quorum, "the cosignatures that are here are no quorum of the policy")
except Exception as why:
    end(2, repr(why))
end(0, f"a quorum has cosigned the tree of {size} of {origin}")
