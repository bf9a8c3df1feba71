"""OpenAI function calling: a tool that pays clears the payee first. pip install openai; python openai_tool.py ARGUMENTS"""
import json, sys
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessage, ChatCompletionToolMessageParam
from pydantic import TypeAdapter
import notary

PAYEE = notary.tool("agent-clearance", "counterparty_name", "wallet", "chain", "domain")
function = {"name": "pay", "description": "Pays a payee that the notary clears.", "parameters": PAYEE}
tools = [TypeAdapter(ChatCompletionFunctionToolParam).validate_python({"type": "function", "function": function})]

def pay(arguments: str) -> str:
    payee = notary.only(PAYEE, json.loads(arguments))
    receipt = notary.ask("agent-clearance", {"agent": "openai-agent"} | payee, "CLEAR")
    # Pay here, and nowhere else.
    return f"paid {payee['counterparty_name']}, by receipt {receipt['receipt_hash']}"

# What a model that was given the tools (client.chat.completions.create(tools=tools, ...)) answers:
call = {"id": "call_1", "type": "function", "function": {"name": "pay", "arguments": sys.argv[1]}}
message = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [call]})
for call in message.tool_calls:
    try:
        said, failed = pay(call.function.arguments), False
    except Exception as why:
        said, failed = f"not paid: {why}", True
    answer = ChatCompletionToolMessageParam(role="tool", tool_call_id=call.id, content=said)
    print(answer["content"])
sys.exit(failed)
