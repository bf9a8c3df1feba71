"""What pay_v1.py and pay_v2.py share: the words of the command line, and the line that they print."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable

SECONDS = 60
PROOFS = ("x-payment", "payment-signature")


class Question:
    """The call, from the command line, and the payer, from the environment."""

    def __init__(self) -> None:
        words = sys.argv[1:]
        self.key = os.environ.get("PRIVATE_KEY", "")
        if not words or not self.key:
            print(f"usage: PRIVATE_KEY=0x... python {sys.argv[0]} URL [METHOD [BODY]]", file=sys.stderr)
            sys.exit(2)
        self.url = words[0]
        self.method = words[1] if len(words) > 1 else "POST"
        self.body = words[2] if len(words) > 2 else None
        self.headers = {} if self.body is None else {"content-type": "application/json"}
        self.careless = os.environ.get("LIMITS") != "default"


def proofs(headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items() if name.lower() in PROOFS}


def answer(call: Callable[[], Awaitable[dict]]) -> None:
    """Prints the answer, or what the client library threw; exits 1 on the latter only."""
    try:
        line = asyncio.run(call())
        response = line.pop("response")
        wanted = ("payment-", "x-payment-")
        headers = {name.lower(): value for name, value in response.headers.items() if name.lower().startswith(wanted)}
        try:
            body = response.json()
        except ValueError:
            body = response.text
        line = {"status": response.status_code, "headers": headers, **line, "body": body}
    except Exception as error:
        line = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(line))
    sys.exit(1 if "error" in line else 0)
