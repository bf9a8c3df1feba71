"""Do MCP clients pay the notary?

paying.py BASE_URL BINARY

Over `/mcp` by the tool result (x402.mcp over the MCP SDK) and by the extension org.x402/payment (the SDK's own interface for
extensions, and x402 for the payment); and over `BINARY mcp`, which pays for a client that knows nothing of payments, up to its
budget. Exits with 1 where something is not as it must be.
"""

import asyncio
import json
import secrets
import sys
import urllib.request
from decimal import Decimal
from typing import Any, Literal

from eth_account import Account
from mcp import Client, StdioServerParameters
from mcp.client import ClientExtension, ResultClaim
from mcp_types import Result
from pydantic import Field
from x402 import x402Client
from x402.mcp import x402MCPClient
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.schemas import PaymentRequired

base_url, binary = sys.argv[1].rstrip("/"), sys.argv[2]
NEWEST = "2026-07-28"
# The key of the development profile's own wallet, which is public.
KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
PRICE, BUDGET = Decimal("0.10"), "0.20"


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def revenue():
    """What the notary has earned, in USDC."""
    stats = json.load(urllib.request.urlopen(f"{base_url}/stats", timeout=30))
    return Decimal(stats["revenue"]["USDC"]["total"])


def payer():
    client = x402Client()
    client.register("eip155:8453", ExactEvmScheme(Account.from_key(KEY)))
    client.set_spend_controls(False)  # The token of a development notary is no dollar that anybody knows.
    return client


def question():
    return {"agent": "mcp-payer", "content": secrets.token_hex(8)}


class Tools:
    """What x402.mcp 2.25 calls: a request as one dictionary, a result by the names of the wire."""

    def __init__(self, client):
        self.client, self.last = client, None

    async def call_tool(self, params, read_timeout_seconds=None):
        self.last = await self.client.call_tool(params["name"], params["arguments"], meta=params.get("_meta"))

        class Wire:
            content = [block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in self.last.content]
            isError = self.last.is_error
            structuredContent = self.last.structured_content
            _meta = self.last.meta or {}

        return Wire


async def by_tool_result(mode):
    async with Client(f"{base_url}/mcp", mode=mode) as client:
        tools = Tools(client)
        paid = await x402MCPClient(tools, payer()).call_tool("commit", question())
        check(paid.payment_made and not paid.is_error, f"{mode}: {paid.content}")
        check(paid.payment_response is not None and paid.payment_response.success, f"{mode}: no settlement")
        receipt = json.loads(paid.content[0]["text"])
        check(receipt == tools.last.structured_content, f"{mode}: text and structured content differ")
        check(receipt["payment"]["transaction"] == paid.payment_response.transaction, f"{mode}: another transaction")
        print(f"mcp, tool result, {client.protocol_version}: paid {receipt['payment']['amount']}")


class PaymentNeeded(Result):
    result_type: Literal["payment_required"] = Field(alias="resultType")
    payment_required: dict[str, Any] = Field(alias="paymentRequired")


class Paying(ClientExtension):
    """Sends a call again with a payment."""

    identifier = "org.x402/payment"

    def __init__(self, asked):
        self.asked, self.seen = asked, 0

    def claims(self):
        return (ResultClaim(result_type="payment_required", model=PaymentNeeded, resolve=self.pay),)

    async def pay(self, result, context):
        self.seen += 1
        payload = await payer().create_payment_payload(PaymentRequired.model_validate(result.payment_required))
        meta = {"x402/payment": payload.model_dump(by_alias=True, mode="json", exclude_none=True)}
        return await context.session.call_tool(context.tool_name, self.asked, meta=meta)


async def by_extension():
    asked = question()
    extension = Paying(asked)
    async with Client(f"{base_url}/mcp", mode=NEWEST, extensions=[extension]) as client:
        paid = await client.call_tool("commit", asked)
        check(extension.seen == 1, f"the extension was asked {extension.seen} times")
        check(not paid.is_error and paid.structured_content["verdict"] == "COMMITTED", f"extension: {paid.content}")
        check(paid.meta["x402/payment-response"]["success"] is True, f"extension: {paid.meta}")
        print(f"mcp, extension, {NEWEST}: paid {paid.structured_content['payment']['amount']}")


async def by_command(mode):
    arguments = ["mcp", "--notary", base_url, "--wallet", "dev", "--budget", BUDGET]
    async with Client(StdioServerParameters(command=binary, args=arguments), mode=mode) as client:
        for _ in range(2):
            paid = await client.call_tool("commit", question())
            check(not paid.is_error and paid.structured_content["verdict"] == "COMMITTED", f"{mode}: {paid.content}")
        refused = await client.call_tool("commit", question())
        check(refused.is_error and "budget" in refused.content[0].text, f"{mode}: over its budget: {refused.content}")
        check(refused.structured_content["code"] == "not_paid", f"{mode}: {refused.structured_content}")
        print(f"mcp, standard input, {client.protocol_version}: paid {BUDGET}, and no more")


async def main():
    for calls, pay in [
        (1, by_tool_result(NEWEST)),
        (1, by_tool_result("legacy")),
        (1, by_extension()),
        (2, by_command("auto")),
        (2, by_command("legacy")),
    ]:
        before = revenue()
        await pay
        check(revenue() - before == calls * PRICE, f"the notary has earned {revenue() - before}, not {calls} times {PRICE}")


asyncio.run(main())
