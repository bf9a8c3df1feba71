"""Pays for a call with `touchstone call`, and repeats the paid request while its answer is late."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request

# A rerun that finds no turn, or is too slow, is made again by the notary for an hour; `touchstone call` gives up after six tries.
PATIENCE_S = 300


def paid_call(base, binary, path, question):
    """The text of the receipt of a question, paid for from the money of the development notary at `base`."""
    body = json.dumps(question)
    environment = os.environ | {"TOUCHSTONE_SERVER": base}
    done = subprocess.run([binary, "call", path, body, "--wallet", "dev"], env=environment, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout.strip()
    payment = re.search(r"PAYMENT-SIGNATURE: (\S+)", done.stderr)
    assert payment, f"{path}: {done.stdout}{done.stderr}"
    deadline = time.monotonic() + PATIENCE_S
    while True:
        # The identical request with the same payment is paid for once.
        request = urllib.request.Request(base + path, body.encode(), {"PAYMENT-SIGNATURE": payment[1]})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as refused:
            said = json.load(refused)
            is_late = refused.code == 503 and said["error"] == "payment_in_progress"
            assert is_late and time.monotonic() < deadline, f"{path}: {said}"
        time.sleep(1)
