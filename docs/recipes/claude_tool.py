"""Claude: a tool that pays clears the payee first. pip install anthropic; python claude_tool.py ARGUMENTS"""
import json, sys
from anthropic.types import ToolParam, ToolResultBlockParam, ToolUseBlock
from pydantic import TypeAdapter
import notary

PAYEE = notary.tool("agent-clearance", "counterparty_name", "wallet", "chain", "domain")
described = {"name": "pay", "description": "Pays a payee that the notary clears.", "input_schema": PAYEE}
tools = [TypeAdapter(ToolParam).validate_python(described)]

def pay(payee: dict) -> str:
    question = {"agent": "claude-agent"} | notary.only(PAYEE, payee)
    receipt = notary.ask("agent-clearance", question, "CLEAR")
    # Pay here, and nowhere else.
    return f"paid {payee['counterparty_name']}, by receipt {receipt['receipt_hash']}"

# What a model that was given the tools (client.messages.create(tools=tools, ...)) answers:
call = ToolUseBlock.model_validate({"type": "tool_use", "id": "toolu_1", "name": "pay", "input": json.loads(sys.argv[1])})
try:
    said, failed = pay(call.input), False
except Exception as why:
    said, failed = f"not paid: {why}", True
answer = ToolResultBlockParam(type="tool_result", tool_use_id=call.id, content=said, is_error=failed)
print(answer["content"])
sys.exit(answer["is_error"])
