"""LlamaIndex: a tool that pays clears the payee first. pip install llama-index-core; python llamaindex_tool.py ARGUMENTS"""
import json, sys
from llama_index.core.tools import FunctionTool, ToolSelection, call_tool_with_selection
from pydantic import ConfigDict, create_model
import notary

PAYEE = notary.tool("agent-clearance", "counterparty_name", "wallet", "chain", "domain")

def pay(**payee):
    question = {"agent": "llamaindex-agent"} | notary.only(PAYEE, payee)
    receipt = notary.ask("agent-clearance", question, "CLEAR")
    # Pay here, and nowhere else.
    return f"paid {payee['counterparty_name']}, by receipt {receipt['receipt_hash']}"

schema = create_model("Payee", __config__=ConfigDict(json_schema_extra=lambda schema: schema.update(PAYEE)))
tool = FunctionTool.from_defaults(pay, name="pay", description="Pays a payee that the notary clears.", fn_schema=schema)

# What a model that was given the tool (FunctionAgent(tools=[tool])) answers; what pay raises becomes an error that it reads:
call = ToolSelection(tool_id="call_1", tool_name="pay", tool_kwargs=json.loads(sys.argv[1]))
answer = call_tool_with_selection(call, [tool])
print(answer.content)
sys.exit(answer.is_error)
