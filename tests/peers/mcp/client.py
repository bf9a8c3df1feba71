"""Does the MCP SDK of Python speak with the notary?

client.py BASE_URL BINARY

In each revision that the SDK speaks, with `/mcp` and with `BINARY mcp` over standard input and output: calls every tool with the
example of its schema, reads the guides, fills in the prompts, and sees how wrong calls are answered. The SDK itself holds each
answer against the output schema of its tool. Exits with 1 where something is not as it must be.
"""

import asyncio
import secrets
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.client import session

base_url, binary = sys.argv[1].rstrip("/"), sys.argv[2]
TRANSPORTS = {
    "HTTP": f"{base_url}/mcp",
    "standard input": StdioServerParameters(command=binary, args=["mcp", "--notary", base_url]),
}
# "auto" asks for the newest revision first; "legacy" begins with `initialize`.
MODES = {"auto": "2026-07-28", "legacy": "2025-11-25"}
# Where the answer to "auto" is later than this, the SDK takes the notary for an older one.
assert hasattr(session, "DISCOVER_TIMEOUT_SECONDS")
session.DISCOVER_TIMEOUT_SECONDS = 120
# What a call without a payment is answered with terms for.
PAID_ONLY = {"commit", "dispute", "screen-batch"}


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def schemas(listed, version):
    """The tools by name, once each has what a host shows and what a model needs."""
    tools = {tool.name: tool for tool in listed.tools}
    check(len(tools) == len(listed.tools) and {"scan-text", "verify"} <= tools.keys(), f"tools: {list(tools)}")
    for name, tool in tools.items():
        check(tool.title and tool.description, f"{name}: no title or description")
        check(tool.input_schema["type"] == tool.output_schema["type"] == "object", f"{name}: schemas of no objects")
        check(tool.annotations.read_only_hint is not None, f"{name}: no hints")
    if version == MODES["auto"]:
        check(listed.ttl_ms > 0 and listed.cache_scope == "public", "the list may not be kept")
    return tools


async def every_tool(client, tools):
    """Calls each tool, and says how many gave receipts."""
    agent, receipts = f"mcp-peer-{secrets.token_hex(4)}", []
    snapshots = (await client.call_tool("snapshots", {})).structured_content["snapshots"]
    snapshot = snapshots[0]["id"]
    views = {"snapshots-id": {"id": snapshot}, "snapshots-diff": {"from": snapshot, "to": snapshot}}
    for name, tool in tools.items():
        question = views.get(name) or (tool.input_schema.get("examples") or [{}])[0]
        if "agent" in question:
            question = question | {"agent": agent}
        if name == "verify":
            question = {"receipt": receipts[0]}
        answer = await client.call_tool(name, question)
        said = answer.structured_content
        if name in PAID_ONLY:
            check(answer.is_error and said["x402Version"] == 2 and said["accepts"], f"{name}: no terms: {said}")
            continue
        check(not answer.is_error, f"{name}: {said}")
        if "receipt_hash" in said:
            check(said["class"] == name and len(said["receipt_hash"]) == 64, f"{name}: another's receipt: {said}")
            receipts.append(said)
    verified = await client.call_tool("verify", {"hash": receipts[-1]["receipt_hash"]})
    check(verified.structured_content["valid"] is True, f"verify: {verified.content}")
    return len(receipts)


async def wrong_calls(client):
    wrong = await client.call_tool("scan-text", {"agent": "mcp-peer"})
    check(wrong.is_error and wrong.structured_content["field"] == "text", f"a missing field: {wrong}")
    for name, arguments in [("no-such-tool", {}), ("verify", {})]:
        try:
            said = await client.call_tool(name, arguments)
        except MCPError as error:
            check(error.code == -32602, f"{name} {arguments}: {error.code}")
        else:
            check(name == "verify" and said.is_error, f"{name} {arguments}: {said}")


async def texts(client):
    """Reads every guide and every prompt, and says how many there are."""
    resources = (await client.list_resources()).resources
    for resource in resources:
        page = await client.read_resource(str(resource.uri))
        check(len(page.contents[0].text) > 500, f"{resource.uri} is empty")
    prompts = (await client.list_prompts()).prompts
    for prompt in prompts:
        filled = {argument.name: "a value" for argument in prompt.arguments}
        written = (await client.get_prompt(prompt.name, filled)).messages[0].content.text
        check(written.endswith("a value"), f"the prompt {prompt.name} has no place for its argument: {written}")
    check(resources and prompts, "no guides or no prompts")
    return len(resources), len(prompts)


async def speak(transport, mode):
    async with Client(TRANSPORTS[transport], mode=mode) as client:
        version = MODES[mode]
        check(client.protocol_version == version, f"speaks {client.protocol_version}, not {version}")
        check(client.server_info.name == "touchstone", f"it is {client.server_info}")
        tools = schemas(await client.list_tools(), version)
        receipts = await every_tool(client, tools)
        await wrong_calls(client)
        guides, prompts = await texts(client)
        print(f"mcp, {transport}, {version}: {len(tools)} tools, {receipts} receipts, {guides} guides, {prompts} prompts")


async def main():
    for transport in TRANSPORTS:
        for mode in MODES:
            await speak(transport, mode)


asyncio.run(main())
