"""Says when a receipt was signed by the tokens in its .times: python times.py RECEIPT TIMES ROOTS; needs the program openssl alone

ROOTS is the authority's root in PEM, from the authority. That the receipt itself holds is for verify.py to check. Exit code 0: all
tokens under it hold, 1: one does not, 2: there is none, or it cannot say.
"""
import base64, datetime, hashlib, json, os, re, subprocess, sys, tempfile

UNITS = {unit: datetime.timedelta(microseconds=count) for unit, count in (("seconds", 10**6), ("millis", 1000), ("micros", 1))}
APART = datetime.timedelta(minutes=2)  # the most between the clocks of a notary and of its authority

def end(code, why):
    print(("valid", "not valid", "cannot say")[code] + ":", why)
    sys.exit(code)
need = lambda holds, why, code=1: holds or end(code, why)
sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()

def root_of(node, index, size, path):  # of the tree, from the node at this index; the path ends at the top (RFC 9162, 2.1.3)
    if size == 1: return need(not path, "the path is too long") and node
    left, sibling = 1 << (size - 1).bit_length() - 1, base64.b64decode((need(path, "the path is too short") and path)[-1])
    if index < left: return sha(b"\1", root_of(node, index, left, path[:-1]), sibling)
    return sha(b"\1", sibling, root_of(node, index - left, size - left, path[:-1]))

def leaf_of(receipt, receipt_hash):  # the log's entry has these members in this order, without spaces; h and ref are hashes of hashes
    entry = {"class": receipt["class"], "h": sha(receipt_hash).hex(), "kid": receipt["kid"]}
    if "ref" in receipt: entry["ref"] = sha(bytes.fromhex(receipt["ref"])).hex()
    entry |= {"t": receipt["signed_at"], "v": 1}
    return sha(b"\0", json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode())

def stamped(checkpoint, answer, roots):  # the first and the last time that a token may have been made, and the words; None if not under the roots
    with tempfile.TemporaryDirectory() as folder:
        token, data = os.path.join(folder, "token.tsr"), os.path.join(folder, "checkpoint")
        open(token, "wb").write(answer)
        open(data, "wb").write(checkpoint.encode())
        openssl = lambda *words: subprocess.run(["openssl", "ts", *words], capture_output=True, text=True)
        # Of the token alone: around it an answer has words that nobody has signed.
        openssl("-reply", "-in", token, "-token_out", "-out", token + ".p7")
        said = openssl("-reply", "-token_in", "-in", token + ".p7", "-text").stdout
        time, accuracy = (re.search(rf"^{what}: *(.+)$", said, re.M) for what in ("Time stamp", "Accuracy"))
        need(time, "openssl reads no token")
        seconds, fraction, year = re.fullmatch(r"(\w+ +\d+ [\d:]+)(\.\d+)? (\d+) GMT", time[1]).groups()
        whole = datetime.datetime.strptime(f"{seconds} {year}", "%b %d %H:%M:%S %Y").replace(tzinfo=datetime.timezone.utc)
        # The certificates had to be valid then; by now they may have expired.
        attime = str(int(whole.timestamp()))
        checked = openssl("-verify", "-token_in", "-in", token + ".p7", "-data", data, "-CAfile", roots, "-attime", attime)
        if "certificate verify error" in checked.stderr: return None
        need(checked.returncode == 0, f"openssl does not verify a token: {checked.stderr.strip()}")
    then, accuracy = whole + datetime.timedelta(seconds=float(fraction or 0)), accuracy[1] if accuracy else "unspecified"
    parts = re.findall("0x([0-9A-F]+) (seconds|millis|micros)", accuracy)
    about = sum((int(count, 16) * UNITS[unit] for count, unit in parts), datetime.timedelta())
    return then - about, then + about, f"{time[1]}, accuracy {accuracy}"

try:
    (receipt, times), roots, found = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3]), sys.argv[3], 0
    earliest, signed_at = times["earliest"], datetime.datetime.fromisoformat(receipt["signed_at"].replace("Z", "+00:00"))
    if earliest["by"] == "timestamp":
        head, payload, answer = receipt["log_head"], earliest["payload"].encode(), base64.b64decode(earliest["answer"])
        token = stamped(earliest["checkpoint"], answer, roots)
        if token:
            first, _, said = token
            need(first <= signed_at + APART, f"the receipt says {receipt['signed_at']}, and was signed after {said}")
            logged = json.loads(payload)
            need(logged["answer_sha256"] == sha(answer).hex(), "the receipt that logs the token has the hash of another one")
            need(0 <= earliest["leaf"] < head["size"], "the leaf is not in the tree of log_head")
            root = root_of(leaf_of(logged, sha(payload)), earliest["leaf"], head["size"], earliest["path"])
            need(root.hex() == head["root"], "the tree of log_head does not hold the receipt that logs the token")
            print(f"not earlier than {said}")
            found += 1
    for bound in times["latest"]:
        if bound["by"] != "timestamp": continue
        path, checkpoint = bound["proof"].split("\n\n", 1)
        index, *path = path.removeprefix("c2sp.org/tlog-proof@v1\nindex ").split("\n")
        token = stamped(checkpoint, base64.b64decode(bound["answer"]), roots)
        if not token: continue
        _, last, said = token
        need(signed_at <= last + APART, f"the receipt says {receipt['signed_at']}, and was there by {said}")
        _, size, root, *_ = checkpoint.split("\n")
        need(0 <= int(index) < int(size), "the leaf is not in the stamped tree")
        leaf = leaf_of(receipt, bytes.fromhex(receipt["receipt_hash"]))
        computed = base64.b64encode(root_of(leaf, int(index), int(size), path)).decode()
        need(computed == root, "the stamped tree does not hold the receipt")
        print(f"not later than {said}")
        found += 1
except Exception as why:
    end(2, repr(why))
need(found, "there is no token under these roots", 2)
end(0, f"{found} tokens hold")
