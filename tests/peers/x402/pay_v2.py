"""Pays for one call as a client of x402 version 2 does: PyPI x402[evm,httpx,extensions] as it is.

    PRIVATE_KEY=0x... python pay_v2.py URL [METHOD [BODY]]

Environment: NETWORK (default eip155:8453); PAYMENT_ID sends this payment identifier; LIMITS=default keeps the
library's own limits (known dollars only, 1 USD at most: the `local` token is refused).
Prints {status, headers, sent, settlement, body}, or {error} and exits 1 where the library gave up.
"""

import os

import httpx
from caller import SECONDS, Question, answer, proofs
from eth_account import Account
from x402 import x402Client
from x402.extensions.payment_identifier import append_payment_identifier_to_extensions
from x402.http.clients.httpx import x402_httpx_transport
from x402.http.utils import decode_payment_response_header
from x402.mechanisms.evm.exact import ExactEvmScheme

question = Question()


class Recording(httpx.AsyncHTTPTransport):
    """The usual transport, which notes the last payment header."""

    sent: dict[str, str] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent = proofs(request.headers) or self.sent
        return await super().handle_async_request(request)


async def call() -> dict:
    client = x402Client()
    client.register(os.environ.get("NETWORK", "eip155:8453"), ExactEvmScheme(Account.from_key(question.key)))
    if question.careless:
        client.set_spend_controls(False)
    if "PAYMENT_ID" in os.environ:

        def identify(context) -> None:
            append_payment_identifier_to_extensions(context.payment_required.extensions, os.environ["PAYMENT_ID"])

        client.on_before_payment_creation(identify)
    recording = Recording()
    transport = x402_httpx_transport(client, recording)
    async with httpx.AsyncClient(transport=transport, timeout=SECONDS) as http:
        response = await http.request(
            question.method, question.url, headers=question.headers, content=question.body
        )
    header = response.headers.get("PAYMENT-RESPONSE")
    settlement = None if header is None else decode_payment_response_header(header).model_dump(mode="json", by_alias=True)
    return {"response": response, "sent": recording.sent, "settlement": settlement}


answer(call)
