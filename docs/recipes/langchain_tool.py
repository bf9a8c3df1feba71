"""LangChain: a tool that pays clears the payee first. pip install langchain-core; python langchain_tool.py ARGUMENTS"""
import json, sys
from langchain_core.tools import StructuredTool, ToolException
import notary

PAYEE = notary.tool("agent-clearance", "counterparty_name", "wallet", "chain", "domain")

def pay(**payee):
    try:
        question = {"agent": "langchain-agent"} | notary.only(PAYEE, payee)
        receipt = notary.ask("agent-clearance", question, "CLEAR")
    except notary.Refused as why:
        raise ToolException(f"not paid: {why}") from why
    # Pay here, and nowhere else.
    return f"paid {payee['counterparty_name']}, by receipt {receipt['receipt_hash']}"

tool = StructuredTool.from_function(
    pay, name="pay", description="Pays a payee that the notary clears.", args_schema=PAYEE, handle_tool_error=True
)

# What a model that was given the tool (model.bind_tools([tool])) answers:
call = {"type": "tool_call", "id": "call_1", "name": "pay", "args": json.loads(sys.argv[1])}
answer = tool.invoke(call)
print(answer.content)
sys.exit(answer.status != "success")
