#!/usr/bin/env python3
"""Does a2a-sdk speak with the notary, pay it, and believe its card?

    PRIVATE_KEY=0x... a2a_client.py BASE_URL

Unmodified, with the x402 client for the payment: it verifies the card's signature, and that a changed card has none; a message
answers a free call; a task waits for the payment of a call that costs, is paid for once, and is found by GetTask; other versions,
unknown tasks and payments for another question are refused. Exits 1 with the reason where something is not so.
"""

import asyncio
import copy
import json
import os
import secrets
import sys
import urllib.request
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import GetTaskRequest, SendMessageRequest, TaskState
from a2a.utils.errors import A2AError, InvalidParamsError, TaskNotFoundError, VersionNotSupportedError
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from eth_account import Account
from google.protobuf.json_format import MessageToDict, ParseDict
from jwt.api_jwk import PyJWKSet
from x402 import x402Client
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.schemas import PaymentRequired

X402 = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"


def check(holds: bool, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def get(url: str):
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)


def asking(skill: str, question: dict, **more) -> SendMessageRequest:
    part = {"data": {"skill": skill, "input": question}, "mediaType": "application/json"}
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [part], **more}
    return ParseDict({"message": message}, SendMessageRequest())


async def send(client, request: SendMessageRequest):
    context = ClientCallContext(service_parameters={"A2A-Extensions": X402})
    answers = [answer async for answer in client.send_message(request, context=context)]
    check(len(answers) == 1, f"{len(answers)} answers")
    return answers[0]


async def refused(call, error: type[A2AError]) -> None:
    try:
        await call
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


def check_card(card, base_url: str) -> None:
    def key_of(kid: str | None, jku: str | None):
        check(jku is None or jku.startswith(base_url), f"the keys are elsewhere: {jku}")
        return PyJWKSet.from_dict(get(jku or f"{base_url}/.well-known/jwks.json"))[kid]

    verify = create_signature_verifier(key_of, ["EdDSA"])
    verify(card)
    for change in [
        lambda card: setattr(card, "name", "Impostor"),
        lambda card: setattr(card.supported_interfaces[0], "url", "https://evil.example/"),
        lambda card: card.skills.pop(),
    ]:
        changed = copy.deepcopy(card)
        change(changed)
        try:
            verify(changed)
        except InvalidSignaturesError:
            continue
        raise AssertionError("a changed card verifies")
    extension = next((extension for extension in card.capabilities.extensions if extension.uri == X402), None)
    check(extension is not None and not extension.required, "the card does not offer x402, or requires it")


async def payment_for(metadata: dict) -> dict:
    """What a client sends to pay the terms that a task waits with."""
    payer = x402Client()
    payer.register("eip155:8453", ExactEvmScheme(Account.from_key(os.environ["PRIVATE_KEY"])))
    payer.set_spend_controls(False)
    payload = await payer.create_payment_payload(PaymentRequired.model_validate(metadata["x402.payment.required"]))
    return {
        "x402.payment.status": "payment-submitted",
        "x402.payment.payload": payload.model_dump(by_alias=True, mode="json", exclude_none=True),
    }



async def main() -> None:
    base_url = sys.argv[1].rstrip("/")
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, base_url).get_agent_card()
        check_card(card, base_url)
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)

        question = {"agent": f"a2a-peer-{secrets.token_hex(4)}", "text": "Hello there."}
        free = await send(client, asking("scan-text", question))
        check(free.HasField("message"), f"a free call is no message: {free}")
        receipt = MessageToDict(free.message.parts[0].data)
        check(receipt["class"] == "scan-text" and len(receipt["receipt_hash"]) == 64, f"{receipt}")

        question = {"agent": "a2a-peer", "content": secrets.token_hex(8)}
        unpaid = await send(client, asking("commit", question))
        check(unpaid.HasField("task"), f"a 402 is no task: {unpaid}")
        task = unpaid.task
        check(task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, f"its state: {task.status.state}")
        metadata = MessageToDict(task.status.message.metadata)
        check(metadata["x402.payment.status"] == "payment-required", f"{metadata}")
        waiting = await client.get_task(GetTaskRequest(id=task.id))
        check(waiting.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, f"GetTask: {waiting}")

        payment = await payment_for(metadata)

        def paying(question: dict) -> SendMessageRequest:
            more = {"taskId": task.id, "contextId": task.context_id, "metadata": payment, "extensions": [X402]}
            return asking("commit", question, **more)

        await refused(send(client, paying({"agent": "a2a-peer", "content": "another"})), InvalidParamsError)
        paid = (await send(client, paying(question))).task
        check(paid.id == task.id and paid.status.state == TaskState.TASK_STATE_COMPLETED, f"paid: {paid.status}")
        settled = MessageToDict(paid.status.message.metadata)
        check(settled["x402.payment.status"] == "payment-completed", f"{settled}")
        committed = MessageToDict(paid.artifacts[0].parts[0].data)
        check(committed["payment"]["transaction"] == settled["x402.payment.receipts"][0]["transaction"], f"{committed}")
        for known in [(await send(client, paying(question))).task, await client.get_task(GetTaskRequest(id=task.id))]:
            check(known.status.state == TaskState.TASK_STATE_COMPLETED, f"asked again: {known.status}")
            check(known.artifacts == paid.artifacts, "asked again, the task has another artifact")

        declined = (await send(client, asking("commit", question, metadata={"x402.payment.status": "payment-rejected"}))).task
        check(declined.status.state == TaskState.TASK_STATE_CANCELED, f"declined: {declined.status}")
        await refused(send(client, asking("scan-text", {"agent": "a2a-peer"})), InvalidParamsError)
        await refused(client.get_task(GetTaskRequest(id="no-such-task")), TaskNotFoundError)
        other = ClientCallContext(service_parameters={"A2A-Version": "0.3"})
        await refused(client.get_task(GetTaskRequest(id=task.id), context=other), VersionNotSupportedError)
        print(f"a2a-sdk: a signed card of {len(card.skills)} skills, a free answer, paid {committed['payment']['amount']} once")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main())
