"""Pays for one call as a client of x402 version 1 does: PyPI x402 0.2.1 as it is, with our opt-in header.

    PRIVATE_KEY=0x... python pay_v1.py URL [METHOD [BODY]]

Environment: none but the key (the library has no limit of its own, and takes the network from the terms).
Prints {status, headers, sent, settlement, body}, or {error} and exits 1 where the library gave up.
"""

from caller import SECONDS, Question, answer, proofs
from eth_account import Account
from x402.clients.base import decode_x_payment_response
from x402.clients.httpx import x402HttpxClient

question = Question()


async def call() -> dict:
    account = Account.from_key(question.key)
    headers = {**question.headers, "X-Accept-Payment": "x402-v1"}
    async with x402HttpxClient(account=account, timeout=SECONDS) as client:
        response = await client.request(question.method, question.url, headers=headers, content=question.body)
    header = response.headers.get("X-PAYMENT-RESPONSE")
    settlement = None if header is None else decode_x_payment_response(header)
    return {"response": response, "sent": proofs(response.request.headers), "settlement": settlement}


answer(call)
