"""Holds docs/verify.py to receipts that hold, and to such as must not.

verifier.py BASE_URL DATA_DIR BINARY, of a notary that has signed nothing yet; every case goes through `touchstone verify`
too. With the notary's own keys it forges what a thief of them could.
"""

import contextlib
import io
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import mutants
from forging import Forger, b64
from paid_call import paid_call

base, data_dir, binary = sys.argv[1:]
script = str(Path(__file__).resolve().parents[2] / "docs" / "verify.py")
program = compile(Path(script).read_text(encoding="utf-8"), script, "exec")
folder = tempfile.TemporaryDirectory()
# The receipts that hold, for the verifier of the pages.
held = []


def get(path):
    with urllib.request.urlopen(base + path) as answer:
        return json.load(answer)


def call(path, question):
    return json.loads(paid_call(base, binary, path, question))


def said_by_python(text, jwks, vkey):
    """What verify.py says: None where it takes the receipt, else its last words."""
    receipt_file, jwks_file = Path(folder.name, "receipt.json"), Path(folder.name, "jwks.json")
    receipt_file.write_text(text, encoding="utf-8")
    jwks_file.write_text(json.dumps(jwks))
    sys.argv, out = [script, str(receipt_file), str(jwks_file), vkey], io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(program, {"__name__": "__main__"})
    except SystemExit as refused:
        assert isinstance(refused.code, str) and "\n" not in refused.code and not out.getvalue(), refused.code
        return refused.code
    assert out.getvalue().startswith("valid: "), out.getvalue()
    return None


def said_by_us(vkey):
    """Whether `touchstone verify` takes the same files, and what it says."""
    files = [f"{folder.name}/receipt.json", "--keys", f"{folder.name}/jwks.json", "--log-key", vkey]
    done = subprocess.run([binary, "verify", *files], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def holds(receipt, text=None):
    refused = said_by_python(text or json.dumps(receipt), jwks, vkey)
    assert refused is None, refused
    ours, said = said_by_us(vkey)
    assert ours, said
    held.append(json.loads(text) if text else receipt)


def fails(case, what, receipt, text=None, keys=None, log_key=None):
    refused = said_by_python(text or json.dumps(receipt), jwks if keys is None else keys, log_key or vkey)
    assert refused is not None, f"{case}: verify.py takes it"
    assert refused.startswith(f"not valid: {what} does not hold: "), f"{case}: {refused}"
    ours, said = said_by_us(log_key or vkey)
    assert not ours, f"{case}: touchstone takes it: {said}"


def in_proof(receipt, old, new):
    assert old in receipt["proof"], old
    return receipt | {"proof": receipt["proof"].replace(old, new, 1)}


def flipped(text, at):
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]


jwks, vkey = get("/.well-known/jwks.json"), get("/.well-known/service.json")["log"]["vkey"]
forger = Forger(data_dir, vkey)
forged = forger.forged
health = {"type": "url_json", "url": f"{base}/health", "path": "profile", "expect": "dev"}
claims = [call("/claim-verdict", {"agent": "verifier", "claim": f"{n}", "resolver": health}) for n in range(3)]
question = {"agent": "verifier", "receipt_hash": claims[0]["receipt_hash"], "reason": "is it so?"}
dispute = call("/dispute", question)
assert dispute["verdict"] == "UPHELD", dispute
receipt = claims[2]

bare = {name: value for name, value in dispute.items() if name not in ("replay", "rerun", "found")}
unheard = forged(bare, verdict="INCONCLUSIVE", reason="rerun_unavailable")
for good in [*claims, dispute, forged(receipt), forged(dispute), unheard]:
    holds(good)
holds(receipt, json.dumps(receipt, indent=2, ensure_ascii=False))

# A changed payload, hash or signature; what another parser would read otherwise.
for name, value in [("verdict", "REFUTED"), ("claim", "!"), ("extra", 1), ("receipt_hash", "0" * 64)]:
    fails(name, "the hash", receipt | {name: value})
twice = json.dumps(receipt).replace("{", '{"verdict":"REFUTED",', 1)
fails("a name given twice", "the form of receipt, key set and log key", receipt, text=twice)
fails("not JSON", "the form of receipt, key set and log key", receipt, text="hello")
fails("cut off", "the form of receipt, key set and log key", receipt, text=json.dumps(receipt)[:-9])
# touchstone verifies each receipt of an array.
assert said_by_python(json.dumps([receipt]), jwks, vkey) is not None
signature = receipt["signature"]
last = signature[:-1] + chr(ord(signature[-1]) + 1)
for changed in [flipped(signature, 5), signature[:9] + "!!" + signature[9:], signature + "==", last, signature + "\n", "", 7]:
    fails(f"signature {changed!r}", "the signature", receipt | {"signature": changed})
for name, what in [("receipt_hash", "the hash"), ("signature", "the signature"), ("proof", "the log's signature")]:
    fails(f"no {name}", what, {member: value for member, value in receipt.items() if member != name})

# Keys: another's, the rerun's, and one of another notary.
rerun = next(one["kid"] for one in jwks["keys"] if one.get("role") == "rerun")
fails("signed by the rerun's key", "the signature", forged(receipt, signer="rerun", kid=rerun))
fails("signed under another's kid", "the signature", forged(receipt, signer="rerun"))
[rerun_x] = [one["x"] for one in jwks["keys"] if one["kid"] == rerun]
renamed = {"keys": [one | {"x": rerun_x} if one["kid"] == receipt["kid"] else one for one in jwks["keys"]]}
fails("a kid that is not the key's thumbprint", "the signature", forged(receipt, signer="rerun"), keys=renamed)
fails("of another iss", "the signature", forged(receipt, iss="https://notary.example"))
fails("an empty key set", "the signature", receipt, keys={"keys": []})
fails("no key set", "the signature", receipt, keys={})
fails("no log key", "the form of receipt, key set and log key", receipt, log_key="hello")
fails("a log key of another id", "the form of receipt, key set and log key", receipt, log_key=vkey.replace("+", "+0", 1))

# The log: every index but the leaf's, with every size; the checkpoint's lines; the path.
for one in claims:
    index = int(re.search(r"\nindex (\d+)\n", one["proof"])[1])
    for other in [*range(40), -1, 2**20 + index, 2**64 + index]:
        if other != index:
            fails(f"index {index} as {other}", "the inclusion in the log", in_proof(one, f"index {index}\n", f"index {other}\n"))
    for spelled in [f"index 0{index}\n", f"index +{index}\n", f"index {index} \n"]:
        fails(repr(spelled), "the inclusion in the log", in_proof(one, f"index {index}\n", spelled))
    path_end = f"index {index}\n"
    extra = in_proof(one, path_end, path_end + b64(bytes(32)) + "\n")
    fails("a longer path", "the inclusion in the log", extra)
origin = vkey.split("+")[0]
line = receipt["proof"].split("\n")[-2].split(" ")[2]
for case, changed in [
    ("a key id of another", flipped(line, 2)),
    ("a signature of another", flipped(line, 30)),
    ("junk in the signature", line[:9] + "!!" + line[9:]),
    ("no signature", ""),
]:
    fails(case, "the log's signature", in_proof(receipt, line, changed))
fails("another origin", "the log's signature", in_proof(receipt, f"\n{origin}\n", "\nnotary.example/log\n"))
fails("no proof at all", "the log's signature", receipt | {"proof": "hello"})
fails("another form", "the inclusion in the log", in_proof(receipt, "tlog-proof@v1", "tlog-proof@v2"))
fails("a proof of an earlier receipt", "the inclusion in the log", receipt | {"proof": claims[1]["proof"]})
fails("a proof of a later receipt", "the inclusion in the log", claims[1] | {"proof": receipt["proof"]})
other_log = forger.named("notary.example/log")
fails("another log", "the log's signature", forged(receipt, log_key=other_log), log_key=other_log)
fails("a path past the root", "the inclusion in the log", forged(receipt, path=[bytes(32)]))
fails("a path that ends too early", "the inclusion in the log", forged(receipt, size=2))
later = {"root": "ab" * 32, "size": 1}
fails("a head after the leaf", "the inclusion in the log", forged(receipt, log_head=later))

# Disputes that the rerun's key did not sign, or that do not say what it signed.
replay, disputed = dispute["replay"], dispute["disputed"]
other_finding = replay | {"finding": replay["finding"] | {"verdict": "REFUTED"}}
for case, changes in [
    ("the verdict of the replay", {"replay": other_finding}),
    ("both verdicts", {"replay": other_finding, "verdict": "OVERTURNED", "reason": "other_verdict", "found": "REFUTED"}),
    ("OVERTURNED", {"verdict": "OVERTURNED"}),
    ("INCONCLUSIVE", {"verdict": "INCONCLUSIVE"}),
    ("another reason", {"reason": "other_verdict"}),
    ("a reason for another ruling", {"verdict": "INCONCLUSIVE", "reason": "rules_changed"}),
    ("something else found", {"found": "REFUTED"}),
    ("nothing found", {"found": None}),
    ("rules that are not known", {"method": "dispute/3"}),
    ("other evidence", {"disputed": disputed | {"evidence_sha256": "0" * 64}}),
    ("another verdict disputed", {"disputed": disputed | {"verdict": "REFUTED"}}),
    ("another receipt disputed", {"ref": claims[1]["receipt_hash"], "disputed": disputed | {"receipt_hash": claims[1]["receipt_hash"]}}),
    ("the signature", {"rerun": dispute["rerun"] | {"signature": flipped(dispute["rerun"]["signature"], 5)}}),
    ("the key", {"rerun": dispute["rerun"] | {"kid": receipt["kid"]}}),
    ("no rerun", {"rerun": None}),
    ("no replay", {"replay": None}),
]:
    fails(f"a dispute with a change: {case}", "the rerun", forged(dispute, **changes))
fails("a dispute that nobody heard", "the rerun", forged(bare))
fails("a dispute that nobody heard, and decided", "the rerun", forged(bare, reason="rerun_unavailable"))
without = {"keys": [one for one in jwks["keys"] if one.get("role") != "rerun"]}
fails("a key set without the rerun's", "the rerun", dispute, keys=without)

# Both say the same of every mutant, most of which differ in what nobody signed.
def taken_by_us(texts):
    """Which of these texts `touchstone verify` takes, as JSON Lines; the first one holds."""
    lines = Path(folder.name, "mutants.jsonl")
    lines.write_text("\n".join(texts) + "\n", encoding="utf-8")
    arguments = [binary, "verify", lines, "--keys", f"{folder.name}/jwks.json", "--log-key", vkey]
    said = subprocess.run(arguments, capture_output=True, text=True).stdout
    told = re.findall(rf"^{re.escape(str(lines))}:(\d+): (valid|NOT VALID|NOT A RECEIPT|CANNOT SAY)", said, re.M)
    assert [int(number) for number, _ in told] == list(range(1, len(texts) + 1)), said[-500:]
    return [word == "valid" for _, word in told]


holds(receipt)
texts = [json.dumps(receipt), *mutants.of_json(json.dumps(receipt, ensure_ascii=False))]
for one in [claims[0], receipt, dispute]:
    texts += mutants.of(one)
texts = [text for text in dict.fromkeys(texts) if "\n" not in text and not text.lstrip().startswith("[")]
ours = taken_by_us(texts)
for text, taken in zip(texts, ours):
    refused = said_by_python(text, jwks, vkey)
    assert taken == (refused is None), f"touchstone takes it: {taken}; verify.py says {refused}: {text}"
assert len(texts) > 5_000 and 10 < sum(ours) < len(texts) / 2, (len(texts), sum(ours))

# From a shell: one line, and exit code 1.
Path(folder.name, "jwks.json").write_text("{}")
for arguments in [[f"{folder.name}/receipt.json", f"{folder.name}/jwks.json", vkey], []]:
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done
print(f"verify.py: takes what holds, refuses the rest; of {len(texts)} mutants it takes {sum(ours)}, as touchstone does")

Path(data_dir, "held.jsonl").write_text("".join(json.dumps(receipt) + "\n" for receipt in held), encoding="utf-8")
Path(data_dir, "held.jwks").write_text(json.dumps(jwks))
Path(data_dir, "held.vkey").write_text(vkey)
