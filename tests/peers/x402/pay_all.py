#!/usr/bin/env python3
"""Has each of the four x402 clients pay a fresh development notary for a commit, and looks at what it got.

pay_all.py BASE_URL PEERS, where PEERS is the folder that `need_x402_peers` fills.
"""

import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from urllib.request import urlopen

base, peers = sys.argv[1], Path(sys.argv[2])
here = Path(__file__).resolve().parent
# The faucet wallet of the development profile: a key that the whole world has.
key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
payer = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
price = Decimal("0.10")
clients = {
    "npm @x402/fetch (v2)": ["node", "pay_v2.mjs"],
    "npm x402-fetch (v1)": ["node", "pay_v1.mjs"],
    "PyPI x402 (v2)": [peers / "python-v2/bin/python", "pay_v2.py"],
    "PyPI x402 0.2.1 (v1)": [peers / "python-v1/bin/python", "pay_v1.py"],
}


def get(path: str) -> dict:
    with urlopen(base + path, timeout=60) as answer:
        return json.load(answer)


def call(program: str | Path, script: str, body: dict) -> dict:
    done = subprocess.run(
        [program, here / script, f"{base}/commit", "POST", json.dumps(body)],
        env=os.environ | {"PRIVATE_KEY": key, "PATH": f"{peers / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def check(answer: dict, body: dict, script: str) -> None:
    assert answer["status"] == 200, answer
    assert answer["settlement"]["success"] is True, answer
    receipt, payment = answer["body"], answer["body"]["payment"]
    assert (receipt["verdict"], receipt["agent"]) == ("COMMITTED", body["agent"]), receipt
    assert payment["transaction"] == answer["settlement"]["transaction"], answer
    assert (payment["payer"], payment["amount"], payment["settlement"]) == (payer, str(price), "local"), payment
    checks = get(f"/verify?hash={receipt['receipt_hash']}")
    assert checks["valid"] is True, checks
    if script == "pay_v2.mjs":
        assert answer["terms"]["discovery"]["valid"] and answer["terms"]["identifier"]["valid"], answer["terms"]
        assert answer["receipt"]["matchesOffer"] is True, answer["receipt"]


for number, (name, (program, script)) in enumerate(clients.items()):
    question = {"agent": f"client-{number}", "content": name}
    check(call(program, script, question), question, script)
    print(f"{name}: paid {price} and got its receipt")

revenue = get("/stats")["revenue"]
assert len(revenue) == 1 and Decimal(next(iter(revenue.values()))["total"]) == price * len(clients), revenue
