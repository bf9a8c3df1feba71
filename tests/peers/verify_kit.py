"""Holds the verifiers of docs/verify/ to `touchstone verify`: receipts of every class, forged ones, and mutants.

verify_kit.py BASE_URL DATA_DIR BINARY FOLDER, of a development notary without limits whose sources answer; FOLDER takes the
files. A verifier must exit as touchstone does, but with 2 for a dispute that holds, since the rerun is not checked by it.
"""

import contextlib
import io
import json
import os
import random
import re
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import mutants
from forging import Forger
from paid_call import paid_call

RECEIPTS, MUTANTS = 200, 500
# A longer proof is refused by touchstone alone: the short verifiers have no bound on it.
LONGEST = 1 << 16
EXITS = {"holds": 0, "fails": 1, "cannot_say": 2}

base, data_dir, binary, folder = sys.argv[1:]
folder = Path(folder)
folder.mkdir(exist_ok=True)
kit = Path(__file__).resolve().parents[2] / "docs" / "verify"


def get(path):
    with urllib.request.urlopen(base + path) as answer:
        return answer.read()


def ask(path, question):
    """The receipt of a question, which is paid for where it must be."""
    request = urllib.request.Request(base + path, json.dumps(question).encode())
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refused:
        assert refused.code == 402, refused.read()
    return paid_call(base, binary, path, question)


def receipts():
    """As many receipts of each class, as their texts: each class's example, asked by another agent each time."""
    routes = [route for route in json.loads(get("/catalog"))["routes"] if route["signed"]]
    assert all(route["available"] for route in routes) and len(routes) >= 17, routes
    claims, made = [], []
    for number, route in zip(range(RECEIPTS), cycle(routes)):
        question = route["example"] | {"agent": f"kit-{number}"}
        if route["class"] == "dispute":
            question |= {"receipt_hash": json.loads(claims.pop())["receipt_hash"]}
        made.append(ask(route["path"], question))
        if route["class"] == "claim-verdict":
            claims.append(made[-1])
    assert {json.loads(text)["class"] for text in made} == {route["class"] for route in routes}
    return made


def forged(receipt):
    """Receipts with all that RFC 8785 says of names, texts and numbers, and such as do not hold though their keys signed them."""
    sign = Forger(data_dir, vkey).forged
    numbers = [0, -1, 1.5, 1e-6, 1e-7, 123e-9, 1e20, 1e21, 1.5e21, 1e23, -1.25e-9, 333333333.3333333, 5e-324, 2.0**1023]
    texts = ["", '"\\/\b\f\n\r\t\0\x1f\x7f\x80', "\u00e9\u20ac\u2028\u2029\ufb33\U0001f600<>&", r"\u2028 \b \\u000c"]
    texts += ["'$(touch x)`", "a: 01"]
    names = ["", "\r", "1", "\x80", "\u00f6", "\u20ac", "'", "a b", "\ufb33", "__proto__"]
    yield sign(receipt, odd={"numbers": numbers, "texts": texts, "names": {name: {name: [{}]} for name in names}})
    yield sign(receipt, odd=[None, True, False, {}, []], agent=texts[2], verdict="a'b", ref="ab" * 32)
    later = {"root": "ab" * 32, "size": 1}
    yield {name: value for name, value in receipt.items() if name != "proof"}
    elsewhere = "https://other.example"
    for changes in [{"v": 2}, {"iss": elsewhere}, {"log_head": later}, {"path": [bytes(32)]}, {"size": 2}, {"signer": "rerun"}]:
        yield sign(receipt, **changes)


def nearest(receipt):
    """What only one check tells from the receipt itself: a place after the tree's last leaf, other spellings, another type."""
    index, signature, proof = re.search(r"\nindex (\d+)\n", receipt["proof"]), receipt["signature"], receipt["proof"]
    for more in [1, 2, 512, 1024, 2**40]:
        yield receipt | {"proof": proof.replace(index[0], f"\nindex {int(index[1]) + more}\n")}
    for changed in [signature[:-1] + chr(ord(signature[-1]) + 1), signature + "==", signature + "\n", [signature]]:
        yield receipt | {"signature": changed}
    for name in ["receipt_hash", "proof"]:
        yield receipt | {name: [receipt[name]]}
    yield receipt | {"receipt_hash": receipt["receipt_hash"].upper()}
    yield receipt | {"receipt_hash": receipt["receipt_hash"] + "\0"}


def spelled(receipt):
    """The receipt with its `v` in spellings of 1 that are JSON, and in such as only some readers of JSON take."""
    text = json.dumps(receipt | {"v": 1})
    for number in ["1.0", "1e0", "10E-1", "01", "1.", "+1", "nan", "0x1", "1 1", "true"]:
        assert '"v": 1,' in text or '"v": 1}' in text
        yield re.sub(r'"v": 1(?=[,}])', f'"v": {number}', text)
    yield text + " {}"
    yield text.replace("{", '{"v": 1, ', 1)


def some_mutants(made):
    """Of a receipt of each class: all mutants with other lines in the first one's proof, and some of all the rest."""
    chosen = random.Random(22)
    by_class = {json.loads(text)["class"]: json.loads(text) for text in made}
    first = by_class["commit"]
    lines = [*map(json.dumps, nearest(first)), *spelled(first)]
    lines += [json.dumps(first | {"proof": proof}) for proof in mutants.of_lines(first["proof"])]
    rest = []
    for receipt in by_class.values():
        text = json.dumps(receipt)
        rest += [*mutants.of(receipt), *mutants.of_json(text)] if len(text) < 3_000 else mutants.of_members(receipt)
    return fit(lines) + chosen.sample(fit(rest), MUTANTS - len(fit(lines)))


def fit(texts):
    """Each text once, of those that are a line and no array, which touchstone reads as several receipts."""
    texts = (text for text in dict.fromkeys(texts) if "\n" not in text and not text.lstrip().startswith("["))
    return [text for text in texts if len(text) < LONGEST]


def outcomes_of_touchstone(texts):
    lines = folder / "cases.jsonl"
    lines.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    arguments = [binary, "verify", lines, "--json", "--keys", jwks_file, "--log-key", vkey]
    said = subprocess.run(arguments, capture_output=True, text=True).stdout.splitlines()
    told = [json.loads(line) for line in said]
    assert [one["place"] for one in told] == [f"{lines}:{number}" for number in range(1, len(texts) + 1)], said[-1]
    return [one["outcome"] for one in told]


def run(*command):
    """Exit code and words of a verifier on each file, which are as many processes."""

    def one(file):
        done = subprocess.run([*command, file, jwks_file, vkey], capture_output=True, text=True)
        return done.returncode, done.stdout.rstrip("\n") + done.stderr

    return lambda: pool.map(one, files)


def run_python():
    """The same of verify.py, without a process for each."""
    script = str(kit / "verify.py")
    program = compile(Path(script).read_text(encoding="utf-8"), script, "exec")
    for file in files:
        sys.argv, out = [script, str(file), str(jwks_file), vkey], io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(program, {"__name__": "__main__"})
        except SystemExit as ended:
            yield ended.code, out.getvalue().rstrip("\n")


def run_node():
    (folder / "files").write_text("".join(f"{file}\n" for file in files))
    runner = Path(__file__).with_suffix(".mjs")
    done = subprocess.run(["node", runner, folder / "files", jwks_file, vkey], check=True, capture_output=True, text=True)
    return ((int(line.split("\t")[0]), line.split("\t")[1]) for line in done.stdout.splitlines())


def differences(name, said):
    """What a verifier says otherwise than touchstone."""
    for text, outcome, (code, line) in zip(texts, outcomes, said, strict=True):
        expected = EXITS[outcome]
        if outcome == "holds" and json.loads(text)["class"] == "dispute":
            expected = 2
        if code != expected or not is_said(line, code):
            yield f"{name}: exits with {code} instead of {expected}: {line}: {text[:3000]}"


def is_said(line, code):
    return line.startswith(["valid: ", "not valid: ", "cannot say: "][code]) and "\n" not in line


def ranges(receipt, jwks):
    """Key sets by which the receipt's key begins or ends just beside its leaf, with the exit codes."""
    leaf = int(re.search(r"\nindex (\d+)\n", receipt["proof"])[1])
    spans = [(0, {"leaf_from": leaf, "leaf_until": leaf + 1}), (0, {"leaf_from": 0}), (1, {"leaf_from": leaf + 1})]
    spans += [(1, {"leaf_until": leaf}), (1, {"leaf_until": 0}), (1, {"leaf_until": leaf, "revoked_reason": "stolen"})]
    for expected, span in spans:
        bare = [{name: value for name, value in key.items() if not name.startswith("leaf_")} for key in jwks["keys"]]
        yield expected, {"keys": [key | span if key["kid"] == receipt["kid"] else key for key in bare]}


def log_ranges(receipt, jwks):
    """Key sets by which the log's key begins or ends just beside the last leaf of the receipt's tree, with the exit codes."""
    last = int(receipt["proof"].split("\n\n")[1].split("\n")[1]) - 1
    spans = [(0, {"leaf_from": last, "leaf_until": last + 1}), (1, {"leaf_from": last + 1}), (1, {"leaf_until": last})]
    for expected, span in spans:
        yield expected, {"keys": [key | span if key.get("vkey") == vkey else key for key in jwks["keys"]]}


def key_cases():
    """Files and log keys by which a verifier started as its readers start it must exit with a code."""
    jwks, receipt = json.loads(get("/.well-known/jwks.json")), json.loads(made[0])
    [rerun_x] = [key["x"] for key in jwks["keys"] if key.get("role") == "rerun"]
    renamed = {"keys": [key | {"x": rerun_x} if key["kid"] == receipt["kid"] else key for key in jwks["keys"]]}
    forger = Forger(data_dir, vkey)
    stolen, elsewhere = forger.forged(receipt, signer="rerun"), forger.named("notary.example/log")
    as_rerun = {"keys": [key | {"role": "rerun"} for key in jwks["keys"]]}
    other = "+".join([vkey.split("+")[0], "00000000", vkey.split("+", 2)[2]])
    cases = [(0, receipt, jwks, vkey), (2, receipt, {"keys": []}, vkey), (2, receipt, as_rerun, vkey), (1, receipt, jwks, other)]
    cases += [(1, stolen, renamed, vkey), (1, forger.forged(receipt, log_key=elsewhere), jwks, elsewhere)]
    spans = [*ranges(receipt, jwks), *log_ranges(receipt, jwks)]
    cases += [(expected, receipt, ranged, vkey) for expected, ranged in spans]
    for at, (expected, text, keys, log_key) in enumerate(cases):
        files = [folder.resolve() / f"key_case_{at}.{name}" for name in ("json", "jwks")]
        for file, value in zip(files, [text, keys]):
            file.write_text(json.dumps(value, indent=1))
        yield expected, [*files, log_key]
    yield 2, [folder / "nowhere", jwks_file, vkey]
    yield 2, [files[0], folder / "nowhere", vkey]


def key_differences(name, command):
    for expected, arguments in key_cases():
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        if done.returncode != expected or done.stderr or not is_said(done.stdout.rstrip("\n"), expected):
            yield f"{name}: exits with {done.returncode} instead of {expected}: {done.stdout}{done.stderr}: {arguments}"


jwks_file = (folder / "jwks.json").resolve()
jwks_file.write_bytes(get("/.well-known/jwks.json"))
vkey = json.loads(get("/.well-known/service.json"))["log"]["vkey"]
go = folder.resolve() / "verify-go"
compiler = subprocess.Popen(["go", "build", "-o", go, kit / "verify.go"])
made = receipts()
texts = [*made, *map(json.dumps, forged(json.loads(made[0]))), *some_mutants(made)]
outcomes = outcomes_of_touchstone(texts)
held = outcomes[RECEIPTS:].count("holds")
assert set(outcomes[:RECEIPTS]) == {"holds"} and 5 < held < MUTANTS / 2 and "cannot_say" in outcomes, (held, set(outcomes))
files = [folder.resolve() / f"{number}.json" for number in range(len(texts))]
for file, text in zip(files, texts):
    file.write_text(text, encoding="utf-8")
assert compiler.wait() == 0, "verify.go cannot be compiled"
with ThreadPoolExecutor(os.cpu_count()) as pool:
    runs = {"verify.sh": run("bash", kit / "verify.sh"), "verify.go": run(go), "verify.mjs": run_node, "verify.py": run_python}
    found = [line for name, said in runs.items() for line in differences(name, said())]
commands = {
    "verify.sh": ["bash", kit / "verify.sh"],
    "verify.go": [go],
    "verify.mjs": ["node", kit / "verify.mjs"],
    "verify.py": [sys.executable, kit / "verify.py"],
}
found += [line for name, command in commands.items() for line in key_differences(name, command)]
if found:
    sys.exit("\n".join([*found[:20], f"{len(found)} differences from touchstone verify"]))
classes = len({json.loads(text)["class"] for text in made})
others = f"{len(texts) - RECEIPTS} forged ones and mutants, of which {held} hold"
print(f"docs/verify/: {', '.join(runs)} say what touchstone says of {RECEIPTS} receipts of {classes} classes and of {others}")
