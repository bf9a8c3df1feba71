"""How long a receipt waits for its cosigned proof, with three witnesses of which one is dead and a quorum of two.

witnesses.py BINARY [RECEIPTS]; needs Python alone. Each receipt is asked for by itself: from its answer to the first 200 of
its .tlog-proof, which is asked for every 5 ms. Prints the quantiles in milliseconds.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

binary, receipts = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
QUESTION = {
    "agent": "bench", "claim": "it is signed",
    "resolver": {
        "type": "ed25519_signature", "message": "72", "message_encoding": "hex",
        "signature": "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "signature_encoding": "hex",
        "public_key": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "public_key_encoding": "hex",
    },
}
started = []


def start(folder, *arguments):
    """Starts the binary, and gives what it prints up to the address that it listens on."""
    process = subprocess.Popen([binary, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    started.append(process)
    said = []
    for line in process.stdout:
        said.append(line.rstrip("\n"))
        if line.startswith("listening on "):
            return process, said, line.removeprefix("listening on ").strip()
    sys.exit(f"{arguments}: {said}")


def get(url, body=None):
    request = urllib.request.Request(url, data=body and json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def notary(folder, *flags):
    Path(folder, "touchstone.toml").write_text('[trust]\nname_servers = "127.0.0.1:1"\n')
    flags = ["--listen", "127.0.0.1:0", "--data-dir", folder, "--base-url", "https://notary.example", "--limits", "off", *flags]
    return start(folder, "dev", *flags)


def stop(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


with tempfile.TemporaryDirectory() as root:
    folders = [Path(root, name) for name in ("notary", "w1", "w2", "w3")]
    for folder in folders:
        folder.mkdir()
    process, _, base = notary(str(folders[0]))
    vkey = json.loads(get(base + "/.well-known/service.json")[1])["log"]["vkey"]
    process.send_signal(signal.SIGTERM)
    process.wait()
    lines = []
    for folder in folders[1:]:
        (folder / "logs").write_text(f"log {vkey}\n")
        name = f"{folder.name}.example"
        witness, said, address = start(folder, "witness", "--logs", "logs", "--name", name, "--listen", "127.0.0.1:0")
        lines += [line.replace("https://ADDRESS", address) for line in said if line.startswith("witness ")]
    stop(witness)
    policy = folders[0] / "policy"
    policy.write_text("\n".join([*lines, "group q 2 w1.example w2.example w3.example", "quorum q", ""]))
    _, _, base = notary(str(folders[0]), "--log-policy", str(policy))
    waits = []
    try:
        for _ in range(receipts):
            status, receipt = get(base + "/claim-verdict", QUESTION)
            assert status in (200, 402), receipt
            if status == 402:
                break
            began, path = time.monotonic(), f"{base}/receipts/{json.loads(receipt)['receipt_hash']}.tlog-proof"
            while get(path)[0] != 200:
                time.sleep(0.005)
            waits.append((time.monotonic() - began) * 1000)
    finally:
        for process in started:
            stop(process)
    cuts = statistics.quantiles(waits, n=100)
    print(f"{len(waits)} receipts: p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, p99 {cuts[98]:.0f} ms, most {max(waits):.0f} ms")
