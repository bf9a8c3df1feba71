"""Asks a notary, and returns a receipt only if it is valid and has the verdict that you need.

pip install cryptography rfc8785; python notary.py ROUTE QUESTION VERDICT
prints the receipt; otherwise exits with 1 and the reason: do not act. QUESTION is JSON, or - for standard input.
The folder of this file has verify.py, and the keys that you trust: jwks.json, vkey. NOTARY is the notary's address.
"""
import hashlib, json, os, re, secrets, subprocess, sys, tempfile, urllib.error, urllib.request
from pathlib import Path
import rfc8785

HERE = Path(__file__).resolve().parent
NOTARY = os.environ.get("NOTARY", "http://localhost:8402")

class Refused(Exception):
    """There is no valid receipt with the verdict that was needed: do not act.

    A model may read the reason, so it holds no text that nobody has signed.
    """

def fetch(path, body=None):
    with urllib.request.urlopen(urllib.request.Request(f"{NOTARY}/{path}", body), timeout=20) as answer:
        return answer.read()

def verify(receipt):
    """Runs verify.py on the bytes of a receipt, with the keys that you trust. It says on standard error what does not hold."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "receipt.json")
        file.write_bytes(receipt)
        command = [sys.executable, HERE / "verify.py", file, HERE / "jwks.json", (HERE / "vkey").read_text().strip()]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0 or not done.stdout.startswith("valid: "):
        raise Refused("the receipt is not valid")

def ask(route, question, verdict):
    """Returns the receipt of this question, if it is valid and has this verdict; else raises Refused, whatever went wrong."""
    try:
        # A nonce makes each question another one, so that the receipt of an earlier call does not fit.
        body = rfc8785.dumps(question | {"nonce": secrets.token_hex(16)})
        answer = fetch(route, body)
        verify(answer)
        receipt = json.loads(answer)
        asked = {"class": route, "request_hash": hashlib.sha256(body).hexdigest()}
        if any(receipt[member] != value for member, value in asked.items()):
            raise Refused("the receipt is of another question")
        if receipt["verdict"] != verdict:
            raise Refused(f"{receipt['verdict']}, not {verdict}: {receipt['explanation']}")
        return receipt
    except Refused:
        raise
    except urllib.error.HTTPError as problem:
        words = re.findall(rb'"(?:code|field|module)":"([a-z_.]{1,40})"', problem.read(10_000))
        raise Refused(f"{problem.code} {b' '.join(words).decode()}") from problem
    except Exception as why:
        raise Refused(f"no valid answer: {type(why).__name__}") from why

def tool(route, *members):
    """Returns these members of a route's question as a tool's parameters (JSON Schema), from the notary's /openapi.json."""
    document = json.loads(fetch("openapi.json"))
    asked = document["paths"][f"/{route}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][asked.rpartition("/")[2]]
    required = [member for member in schema["required"] if member in members]
    properties = {member: schema["properties"][member] for member in members}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

def only(parameters, arguments):
    """Returns a model's arguments, if each is one of the parameters; else raises Refused."""
    unknown = arguments.keys() - parameters["properties"].keys()
    if unknown:
        raise Refused(f"no parameters of this tool: {sorted(unknown)}")
    return arguments

if __name__ == "__main__":
    try:
        question = json.loads(sys.stdin.read() if sys.argv[2] == "-" else sys.argv[2])
        print(json.dumps(ask(sys.argv[1], question, sys.argv[3]), ensure_ascii=False))
    except Exception as why:
        sys.exit(f"do not act: {why}")
